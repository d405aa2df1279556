//! Every system call that changes or maps a file fails once, in turn: the old state or the new one is there, whole, and no judgment that
//! was acknowledged is lost.
//!
//! A shim in C is loaded into the program (`faults/shim.c`). It fails the n-th call of a kind on files of the desk, all from there on, as
//! on a disk that is full, or kills the process there. `LLAMAFUR_SEED` is the seed of the moments of random kills, and `LLAMAFUR_KILLS` their number.

use crate::common::{Desk, IMPORT_TOY, TOY, copy_folder, names_in};
use crate::killed::kill_after;
use llamafur::engine::{Engine, EngineConf};
use llamafur::progress::Silent;
use llamafur_eval::judging::{Judging, JudgingConf};
use llamafur_eval::judgments::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What calls do.
const KINDS: [&str; 6] = ["create", "write", "sync", "rename", "map", "remove"];

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// This call fails.
    Once,
    /// This call and all later ones find no space.
    Full,
    /// The process is killed before the call.
    Kill,
}

/// The compiled shim; `None` where there is no compiler.
fn shim() -> Option<&'static Path> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/shim.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let compiled = folder.join(format!("shim-{}.so", std::process::id()));
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&compiled).arg(source);
        match cc.status() {
            Ok(status) => {
                assert!(status.success(), "the shim cannot be compiled");
                let shim = folder.join("shim.so");
                fs::rename(compiled, &shim).unwrap();
                Some(shim)
            }
            Err(_) => {
                println!("skipped: there is no C compiler");
                None
            }
        }
    };
    SHIM.get_or_init(compile).as_deref()
}

/// A run with the shim.
struct Faulty<'d> {
    desk: &'d Desk,
    shim: &'static Path,
    folder: PathBuf,
}

/// A call at which something happens.
#[derive(Debug, Clone, Copy)]
struct At {
    kind: &'static str,
    number: usize,
    fault: Fault,
}

impl<'d> Faulty<'d> {
    /// `None` where there is no compiler.
    fn new(desk: &'d Desk) -> Option<Faulty<'d>> {
        Some(Faulty { desk, shim: shim()?, folder: fs::canonicalize(desk.path("")).unwrap() })
    }

    fn load(&self, command: &mut Command, at: Option<At>) {
        command.env("LD_PRELOAD", self.shim).env("FAULT_FOLDER", &self.folder);
        if let Some(At { kind, number, fault }) = at {
            let (error, number) = match fault {
                Fault::Once => (EIO, number.to_string()),
                Fault::Full => (ENOSPC, format!("+{number}")),
                Fault::Kill => (0, number.to_string()),
            };
            command.env("FAULT_KIND", kind).env("FAULT_NUMBER", number).env("FAULT_ERROR", error.to_string());
        }
    }

    /// How many calls of each kind a run makes that nothing happens to.
    fn count(&self, mut command: Command) -> BTreeMap<&'static str, usize> {
        let counts = tempfile::NamedTempFile::new().unwrap();
        self.load(&mut command, None);
        let run = command.env("FAULT_COUNTS", counts.path()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let text = fs::read_to_string(counts.path()).unwrap();
        let number = |kind| text.lines().find_map(|line| line.strip_prefix(kind)?.trim().parse().ok());
        KINDS.iter().map(|kind| (*kind, number(kind).unwrap())).collect()
    }

    /// Runs the command once for each fault; `before` sets the desk up, `after` looks at what is there then.
    fn each(
        &self,
        command: impl Fn() -> Command,
        kinds: &[&'static str],
        faults: &[Fault],
        before: impl Fn(),
        after: impl Fn(At, &std::process::Output),
    ) {
        before();
        let counts = self.count(command());
        println!("calls: {counts:?}");
        for &kind in kinds {
            assert!(counts[kind] > 0, "no call of the kind {kind} is seen");
            for &fault in faults {
                for number in 1..=counts[kind] {
                    let at = At { kind, number, fault };
                    before();
                    let mut command = command();
                    self.load(&mut command, Some(at));
                    let run = command.output().unwrap();
                    let said = String::from_utf8_lossy(&run.stderr);
                    assert!(!said.contains("panicked"), "{at:?}: {said}");
                    assert_eq!(
                        run.status.code().is_none(),
                        fault == Fault::Kill && !run.status.success(),
                        "{at:?}"
                    );
                    after(at, &run);
                }
            }
        }
    }

    fn llamafur(&self, args: &[&str]) -> Command {
        let mut command = self.desk.command();
        command.args(["--progress", "none"]).args(args);
        command
    }
}

/// Input/output error.
const EIO: i32 = 5;
/// No space left on device.
const ENOSPC: i32 = 28;

const ALL: [Fault; 3] = [Fault::Once, Fault::Full, Fault::Kill];

/// The judgments of an old corpus.
const LOG: &str = "judge\tsource\ttarget\tlabel\nAda\tJupiter\tFish\tTU\n";

/// Puts a folder back to what it was.
fn restore(desk: &Desk, copy: &str, folder: &str) {
    for name in names_in(&desk.path("")) {
        if name == folder || name.starts_with(&format!(".{folder}.")) {
            fs::remove_dir_all(desk.path(&name)).unwrap();
        }
    }
    copy_folder(&desk.path(copy), &desk.path(folder));
}

/// A corpus of two pages as `old`, with judgments.
fn write_old(desk: &Desk) {
    desk.write("small.tsv", "Fish\tJupiter\n");
    desk.llamafur(["import", "table", "--links", "small.tsv", "--out", "old"]).fine();
    fs::create_dir(desk.path("old/judgments")).unwrap();
    desk.write("old/judgments/log.tsv", LOG);
}

/// The toy corpus's import in place of the old corpus.
fn import_again() -> Vec<&'static str> {
    [&IMPORT_TOY[..11], &["c", "--overwrite"]].concat()
}

/// Fails unless `c` is whole, the old corpus or the new one, with its judgments.
fn expect_old_or_new(desk: &Desk, what: &str) -> u64 {
    desk.llamafur(["verify", "c"]).fine();
    let pages = desk.llamafur(["info", "c", "--format", "json"]).fine().json()["counts"]["pages"].as_u64();
    assert!([Some(2), Some(10)].contains(&pages), "{what}: {pages:?} pages");
    assert_eq!(desk.read("c/judgments/log.tsv"), LOG.as_bytes(), "{what}");
    pages.unwrap()
}

#[test]
fn an_import_in_which_any_call_fails_leaves_the_old_corpus_or_the_new_one() {
    let desk = Desk::with_tables();
    let Some(faulty) = Faulty::new(&desk) else { return };
    write_old(&desk);
    let names = [names_in(&desk.path("")), vec!["c".into()]].concat().into_iter().collect::<BTreeSet<_>>();
    let import = || faulty.llamafur(&import_again());
    faulty.each(
        import,
        &KINDS,
        &ALL,
        || restore(&desk, "old", "c"),
        |at, run| {
            let pages = expect_old_or_new(&desk, &format!("{at:?}"));
            assert!(!run.status.success() || pages == 10, "{at:?}: the old corpus after a good end");
            // What cannot be removed, and what a killed run left, the next one removes.
            if at.kind == "remove" || at.fault == Fault::Kill {
                desk.llamafur(import_again()).fine();
                expect_old_or_new(&desk, &format!("{at:?}, then again"));
            }
            assert_eq!(names_in(&desk.path("")).into_iter().collect::<BTreeSet<_>>(), names, "{at:?}");
        },
    );
}

/// Walks over a command that replaces a file of the toy corpus.
fn expect_old_or_new_file(file: &str, make: &[&str], kinds: &[&'static str]) {
    let desk = Desk::with_model();
    let Some(faulty) = Faulty::new(&desk) else { return };
    let old = if desk.path(file).exists() { Some(desk.read(file)) } else { None };
    fs::rename(desk.path(TOY), desk.path("old")).unwrap();
    restore(&desk, "old", TOY);
    desk.llamafur(make).fine();
    let new = desk.read(file);
    assert!(old.as_ref() != Some(&new));
    faulty.each(
        || faulty.llamafur(make),
        kinds,
        &ALL,
        || restore(&desk, "old", TOY),
        |at, run| {
            let found = desk.path(file).exists().then(|| desk.read(file));
            assert!(found == old || found.as_ref() == Some(&new), "{at:?}: neither old nor new");
            assert!(
                !run.status.success() || found.as_ref() == Some(&new),
                "{at:?}: the old file after a good end"
            );
            desk.llamafur(["verify", TOY]).fine();
        },
    );
}

#[test]
fn a_training_in_which_any_call_fails_leaves_the_old_model_or_the_new_one() {
    let train = ["train", TOY, "--passes", "1", "--rank", "64", "--seed", "2"];
    let kinds = ["create", "write", "sync", "rename", "map"];
    expect_old_or_new_file("toy.corpus/models/llamafur.safetensors", &train, &kinds);
}

#[test]
fn a_cleansing_in_which_any_call_fails_leaves_no_milestones_or_the_new_ones() {
    let cleanse = ["cleanse", TOY, "--milestones", "all", "--min-pages", "0"];
    expect_old_or_new_file(
        "toy.corpus/milestones.arrow",
        &cleanse,
        &["create", "write", "sync", "rename", "map"],
    );
}

/// The files that are prepared, with their bytes.
fn prepared(desk: &Desk) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let is_prepared = |path: &Path| {
        let path = path.to_string_lossy();
        ["/prepared/", "words.arrow", "standards.json"].iter().any(|part| path.contains(part))
            && path.contains(TOY)
    };
    desk.contents().into_iter().filter(|(path, _)| is_prepared(path)).collect()
}

/// The toy corpus with its model as `old`, without prepared files, and as prepared.
fn unprepared(desk: &Desk) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    fs::rename(desk.path(TOY), desk.path("old")).unwrap();
    restore(desk, "old", TOY);
    desk.llamafur(["prepare", TOY]).fine();
    prepared(desk)
}

#[test]
fn a_preparation_in_which_any_call_fails_goes_on_where_it_was() {
    let desk = Desk::with_model();
    let Some(faulty) = Faulty::new(&desk) else { return };
    let expected = unprepared(&desk);
    let prepare = ["prepare", TOY];
    let kinds = ["create", "write", "sync", "rename", "map"];
    faulty.each(
        || faulty.llamafur(&prepare),
        &kinds,
        &ALL,
        || restore(&desk, "old", TOY),
        |at, run| {
            desk.llamafur(["verify", TOY]).fine();
            assert!(!run.status.success() || prepared(&desk) == expected, "{at:?}: not all is there");
            desk.llamafur(prepare).fine();
            assert!(prepared(&desk) == expected, "{at:?}: other files after another run");
            let left = names_in(&desk.path(TOY));
            assert!(!left.iter().any(|name| name.starts_with('.')), "{at:?}: {left:?}");
        },
    );
}

#[test]
fn a_ranking_that_cannot_write_says_the_same_from_memory() {
    let desk = Desk::with_model();
    let Some(faulty) = Faulty::new(&desk) else { return };
    unprepared(&desk);
    let rank = ["rank", TOY, "Jupiter"];
    let expected = desk.llamafur(rank).fine();
    let kinds = ["create", "write", "sync", "rename"];
    let faults = [Fault::Once, Fault::Full];
    faulty.each(
        || faulty.llamafur(&rank),
        &kinds,
        &faults,
        || restore(&desk, "old", TOY),
        |at, run| {
            assert!(run.status.success(), "{at:?}: {}", String::from_utf8_lossy(&run.stderr));
            assert_eq!(String::from_utf8_lossy(&run.stdout), expected.stdout, "{at:?}");
            desk.llamafur(["verify", TOY]).fine();
        },
    );
}

/// Says which corpus the child process judges.
const CHILD: &str = "LLAMAFUR_TEST_FAULTY_JUDGING";

/// Not a test of its own: what others start. It judges links, some of them twice, and says which judgments were acknowledged.
#[test]
fn judges_with_faults() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let judging = Engine::open(Path::new(&path), EngineConf::default())
        .map_err(Into::into)
        .and_then(|engine| Judging::open(&engine, &JudgingConf::default(), &mut Silent));
    let Ok(judging) = judging else { return };
    for class in [Class::E, Class::TU, Class::U, Class::TE, Class::E] {
        let Ok(task) = judging.next("Ada") else { continue };
        let Some(link) = task.link else { return };
        if judging.judge("Ada", &link.source, &link.target, class).is_ok() {
            println!("judged\t{}\t{}\t{}", link.source, link.target, class.name());
        }
    }
}

/// The judging process on a desk's toy corpus.
fn judge(desk: &Desk) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::judges_with_faults", "--nocapture", "--test-threads", "1"]);
    command.current_dir(desk.path("")).env(CHILD, desk.path(TOY));
    command
}

/// Fails unless the log has each judgment that was acknowledged; gives all that it has of this judge.
fn expect_judged(desk: &Desk, said: &[u8], what: &str) -> BTreeSet<String> {
    let said = String::from_utf8_lossy(said);
    let acknowledged = said.lines().filter_map(|line| Some(line.split_once("judged\t")?.1.to_owned()));
    let engine = Engine::open(desk.path(TOY), EngineConf::default()).unwrap();
    let judging = Judging::open(&engine, &JudgingConf::default(), &mut Silent).unwrap();
    let kept: BTreeSet<String> = judging.export_tsv().unwrap().lines().skip(1).map(str::to_owned).collect();
    let acknowledged: BTreeSet<String> = acknowledged.map(|line| format!("{line}\tAda")).collect();
    let lost: Vec<&String> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "{what}: lost {lost:?}");
    kept.difference(&acknowledged).cloned().collect()
}

#[test]
fn a_judgment_that_was_acknowledged_is_kept_whatever_call_fails() {
    let desk = Desk::with_model();
    let Some(faulty) = Faulty::new(&desk) else { return };
    fs::create_dir(desk.path("toy.corpus/judgments")).unwrap();
    desk.llamafur(["prepare", TOY]).fine();
    fs::rename(desk.path(TOY), desk.path("old")).unwrap();
    let kinds = ["create", "write", "sync"];
    faulty.each(
        || judge(&desk),
        &kinds,
        &ALL,
        || restore(&desk, "old", TOY),
        |at, run| {
            let others = expect_judged(&desk, &run.stdout, &format!("{at:?}"));
            // A process that is killed cannot acknowledge what it has written.
            assert!(others.len() <= usize::from(at.fault == Fault::Kill), "{at:?}: {others:?}");
            // The next judge goes on.
            let run = judge(&desk).output().unwrap();
            assert!(String::from_utf8_lossy(&run.stdout).contains("judged\t"), "{at:?}");
            expect_judged(&desk, &run.stdout, &format!("{at:?}, then again"));
            desk.llamafur(["verify", TOY]).fine();
        },
    );
}

/// Numbers from a seed: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u128) -> u128 {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
        }
        u128::from(self.0) % limit.max(1)
    }

    /// A moment of a run that takes so long, or a little after its end.
    fn moment(&mut self, undisturbed: Duration) -> Duration {
        Duration::from_nanos(self.below(undisturbed.as_nanos() * 6 / 5) as u64)
    }
}

#[test]
fn random_kills_tear_nothing_and_lose_no_judgment() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let (seed, kills) = (number("LLAMAFUR_SEED").unwrap_or(1), number("LLAMAFUR_KILLS").unwrap_or(12));
    println!("LLAMAFUR_SEED={seed} LLAMAFUR_KILLS={kills}");
    let mut random = Random(seed.wrapping_mul(2_862_933_555_777_941_757).max(1));
    let desk = Desk::with_tables();
    write_old(&desk);
    restore(&desk, "old", "c");
    let train = ["train", "c", "--rank", "64"];
    let runs = [&import_again()[..], &train, &["prepare", "c"]];
    let undisturbed = runs.map(|run| {
        let started = Instant::now();
        desk.llamafur(run).fine();
        started.elapsed()
    });
    desk.llamafur(["info", "c"]).fine();
    for kill in 0..kills {
        let which = random.below(runs.len() as u128) as usize;
        kill_after(&desk, runs[which], random.moment(undisturbed[which]));
        expect_old_or_new(&desk, &format!("kill {kill} of `{}`", runs[which].join(" ")));
    }
    // Judging, with the corpus under it replaced now and then.
    desk.llamafur(IMPORT_TOY).fine();
    desk.llamafur(["train", TOY]).fine();
    let started = Instant::now();
    judge(&desk).output().unwrap();
    let undisturbed = started.elapsed();
    for kill in 0..kills {
        for file in ["log.tsv", "log.sums"] {
            let _ = fs::remove_file(desk.path("toy.corpus/judgments").join(file));
        }
        let mut child = judge(&desk).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        if kill % 3 == 0 {
            desk.llamafur(IMPORT_TOY.iter().chain(&["--overwrite"])).fine();
        }
        std::thread::sleep(random.moment(undisturbed));
        let _ = child.kill();
        let run = child.wait_with_output().unwrap();
        expect_judged(&desk, &run.stdout, &format!("kill {kill} of judging"));
    }
    desk.llamafur(["verify", TOY]).fine();
}
