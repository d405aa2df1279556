//! Judging a corpus: the links to be judged, what is kept and what is lost, what several judges make of it.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::progress::{Note, Progress, Silent};
use llamafur::storage::Existing;
use llamafur::{Engine, Error};
use llamafur_eval::judging::{JudgeTask, Judging, JudgingConf, JudgingError, log_path, pool_path, verify};
use llamafur_eval::judgments::{Class, Form, Judgments};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PAGES: u32 = 12;

/// Twelve pages that link to the five after them; their texts name these.
fn write_corpus(path: &Path) {
    let title = |page: u32| format!("Page {:02}", page % PAGES);
    let targets = |page: u32| {
        let mut targets: Vec<u32> = (1..6).map(|step| (page + step) % PAGES).collect();
        targets.sort_unstable();
        targets
    };
    let mut writer = CorpusWriter::create(path, Existing::Replace).unwrap();
    let categories = (0..PAGES).map(|page| vec![page % 3]);
    writer
        .write_pages(
            (0..PAGES).map(title).collect::<StringColumn>(),
            (0..PAGES).map(targets).collect::<ListColumn>(),
            categories.collect::<ListColumn>(),
        )
        .unwrap();
    let names = ["A", "B", "C"].iter().collect::<StringColumn>();
    writer.write_categories(names, [vec![], vec![], vec![]].into_iter().collect()).unwrap();
    let mut texts = writer.start_text().unwrap();
    for page in 0..PAGES {
        let named: String =
            (1..6).map(|step| format!(" {} is not far from it.", title(page + step))).collect();
        let lead = format!("{} is a page that somebody has written for a test of judging.", title(page));
        texts.push(Some(&format!("{lead}{named}"))).unwrap();
    }
    writer.finish_text(texts).unwrap();
    writer.finish(Provenance::default()).unwrap();
}

fn engine_at(path: &Path) -> Engine {
    Engine::open(path, Default::default()).unwrap()
}

fn open_at(path: &Path) -> Judging {
    Judging::open(&engine_at(path), &JudgingConf::default(), &mut Silent).unwrap()
}

/// A corpus that nobody has judged.
fn corpus() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_corpus(&path);
    (folder, path)
}

fn titles(task: &JudgeTask) -> (String, String) {
    let link = task.link.as_ref().unwrap();
    (link.source.clone(), link.target.clone())
}

/// Judges the next link.
fn say(judging: &Judging, judge: &str, class: Class) -> JudgeTask {
    let (source, target) = titles(&judging.next(judge).unwrap());
    judging.judge(judge, &source, &target, class).unwrap()
}

fn log_text(path: &Path) -> String {
    fs::read_to_string(path.join("judgments/log.tsv")).unwrap()
}

#[test]
fn a_judging_can_be_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Judging>();
}

#[test]
fn links_of_a_page_come_together_each_once_and_no_score_is_shown() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    let mut task = judging.next("Ada").unwrap();
    assert_eq!((task.done, task.can_undo), (0, false));
    let json = serde_json::to_value(&task).unwrap();
    let fields: Vec<&String> = json["link"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["snippet", "source", "source_lead", "target", "target_lead"]);
    let mut links = Vec::new();
    while task.link.is_some() {
        let (source, target) = titles(&task);
        let link = task.link.unwrap();
        assert!(link.source_lead.unwrap().starts_with(&format!("{source} is a page")));
        assert!(link.target_lead.unwrap().starts_with(&format!("{target} is a page")));
        assert_eq!(link.snippet.unwrap(), format!("{target} is not far from it."));
        links.push((source.clone(), target.clone()));
        task = judging.judge("Ada", &source, &target, Class::E).unwrap();
        assert_eq!(task.done, links.len());
    }
    assert_eq!((links.len(), links.iter().collect::<BTreeSet<_>>().len()), (task.total, task.total));
    let sources: Vec<&String> = links.iter().map(|(source, _)| source).collect();
    let runs = sources.chunk_by(|a, b| a == b).count();
    assert_eq!(runs, sources.iter().collect::<BTreeSet<_>>().len(), "{sources:?}");
    assert_eq!(runs, PAGES as usize);
    // Another judge has the same links in the same order; so has one who comes after a restart.
    let first = titles(&open_at(&path).next("Bob").unwrap());
    assert_eq!(first, links[0]);
}

#[test]
fn the_pool_is_made_once_and_is_no_larger_than_asked_for() {
    let (_folder, path) = corpus();
    let engine = engine_at(&path);
    let conf = JudgingConf::default().links(20);
    let total =
        |conf: &JudgingConf| Judging::open(&engine, conf, &mut Silent).unwrap().next("Ada").unwrap().total;
    let few = total(&conf);
    assert!(few > 10 && few <= 20, "{few}");
    // It is there now, whatever is asked for.
    assert_eq!(total(&JudgingConf::default()), few);
    // Somebody's own table; what the corpus has not is left out.
    let own = path.join("own.tsv");
    fs::write(
        &own,
        "source\ttarget\tclass\nPage 00\tPage 01\t\npage 00\tPage 01\tTE\nPage 00\tPage 11\t\nNone\tPage 01\t\n",
    )
    .unwrap();
    assert_eq!(total(&JudgingConf::default().pool(&own)), 1);
    fs::write(&own, "source\ttarget\tclass\nNone\tPage 01\t\n").unwrap();
    let error = Judging::open(&engine, &JudgingConf::default().pool(&own), &mut Silent).unwrap_err();
    assert!(matches!(error, JudgingError::NoLinks { .. }) && error.remedy().is_some(), "{error}");
}

#[test]
fn judgments_are_there_after_a_restart_and_the_last_one_counts() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    let (source, target) = titles(&judging.next("Ada").unwrap());
    say(&judging, " Ada ", Class::TE);
    judging.judge("Ada", &source, &target, Class::TU).unwrap();
    drop(judging);
    let lines =
        format!("judge\tsource\ttarget\tlabel\nAda\t{source}\t{target}\tTE\nAda\t{source}\t{target}\tTU\n");
    assert_eq!(log_text(&path), lines);
    let again = open_at(&path);
    assert_eq!(again.next("Ada").unwrap().done, 1);
    let expected = format!("source\ttarget\tclass\tjudge\n{source}\t{target}\tTU\tAda\n");
    assert_eq!(again.export_tsv().unwrap(), expected);
    let word = |title: &str| title.replace(' ', "_");
    assert_eq!(again.export_qrels().unwrap(), format!("{} 0 {} 2\n", word(&source), word(&target)));
}

#[test]
fn undo_goes_back_one_by_one_and_is_kept() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    let mut seen = Vec::new();
    for class in [Class::TE, Class::U, Class::TU] {
        seen.push(titles(&judging.next("Ada").unwrap()));
        say(&judging, "Ada", class);
    }
    say(&judging, "Bob", Class::E);
    for done in [2, 1] {
        let task = judging.undo("Ada").unwrap();
        assert_eq!((titles(&task), task.done, task.can_undo), (seen[done].clone(), done, true));
    }
    // Judged again: another restart, another undo.
    say(&judging, "Ada", Class::E);
    let judging = open_at(&path);
    assert_eq!(titles(&judging.undo("Ada").unwrap()), seen[1]);
    let task = judging.undo("Ada").unwrap();
    assert_eq!((titles(&task), task.can_undo), (seen[0].clone(), false));
    let error = judging.undo("Ada").unwrap_err();
    assert_eq!(error.to_string(), "Ada has no judgment to take back");
    let summary = judging.summary().unwrap();
    let names: Vec<_> = summary.judges.iter().map(|judge| (&judge.name[..], judge.judged)).collect();
    assert_eq!(names, [("Bob", 1)]);
    assert!(log_text(&path).ends_with("\t\n"));
}

#[test]
fn what_is_not_to_be_judged_and_names_that_are_none_are_refused() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    let (source, target) = titles(&judging.next("Ada").unwrap());
    let refused = |judge: &str, source: &str, target: &str| {
        let error = judging.judge(judge, source, target, Class::E).unwrap_err();
        assert!(error.remedy().is_some());
        error
    };
    assert!(matches!(refused("Ada", &target, &source), JudgingError::NotPooled { .. }));
    assert!(matches!(refused("Ada", "x\ty", "z\n"), JudgingError::NotPooled { .. }));
    let long = "x".repeat(65);
    for name in ["", " ", "a\tb", "a\nb", "\u{0}", "a\u{202e}b", "a\u{ad}b", "a\u{e0041}", &long] {
        assert!(matches!(refused(name, &source, &target), JudgingError::Name { .. }), "{name:?}");
        assert!(judging.next(name).is_err() && judging.undo(name).is_err());
    }
    assert!(!log_path(&Corpus::open(&path).unwrap()).exists());
    for name in ["Ada", "\"Ada\" L.", "Анна", "x".repeat(64).as_str()] {
        judging.judge(name, &source, &target, Class::E).unwrap();
    }
    // A name is what it was, in the log and in the table.
    let table = judging.export_tsv().unwrap();
    assert!(table.contains("\t\"\"\"Ada\"\" L.\"\n"), "{table}");
    let names: Vec<String> =
        open_at(&path).summary().unwrap().judges.into_iter().map(|judge| judge.name).collect();
    assert_eq!(names, ["\"Ada\" L.", "Ada", &"x".repeat(64), "Анна"]);
}

#[test]
fn thousands_of_judges_are_counted_and_no_more_are_let_in() {
    let (_folder, path) = corpus();
    let (source, target) = titles(&open_at(&path).next("Ada").unwrap());
    let mut log = String::from("judge\tsource\ttarget\tlabel\n");
    for judge in 0..3000 {
        log += &format!("Judge {judge:04}\t{source}\t{target}\tU\n");
    }
    fs::write(log_path(&Corpus::open(&path).unwrap()), log).unwrap();
    let judging = open_at(&path);
    assert_eq!(judging.summary().unwrap().judges.len(), 3000);
    judging.judge("Judge 2999", &source, &target, Class::E).unwrap();
    let refused = judging.judge("Eve", &source, &target, Class::E).unwrap_err();
    assert!(matches!(refused, JudgingError::TooManyJudges { most: 500 }) && refused.remedy().is_some());
    assert!(judging.next("Eve").unwrap().link.is_some(), "reading is free");
}

/// The judgments of a corpus as an evaluation reads them.
fn read(path: &Path, input: &str, form: Form) -> Judgments {
    let corpus = Corpus::open(path).unwrap();
    Judgments::read(input.as_bytes(), "judged", form, &mut { &corpus }, &mut Silent).unwrap()
}

#[test]
fn an_evaluation_reads_the_log_and_what_is_exported_alike() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    use Class::{E, TE, TU, U};
    let (source, target) = titles(&judging.next("Ada").unwrap());
    for (ada, bob) in [(E, TU), (E, U), (U, TU), (TU, TU)] {
        say(&judging, "Ada", ada);
        say(&judging, "Bob", bob);
    }
    judging.judge("Ada", &source, &target, TE).unwrap();
    for _ in 0..2 {
        say(&judging, "Ada", TU);
        judging.undo("Ada").unwrap();
    }
    let of_log = read(&path, &log_text(&path), Form::Auto);
    assert_eq!((of_log.account.records, of_log.account.found), (8, 4));
    let classes: BTreeSet<Class> = of_log.queries.iter().flat_map(|q| &q.links).map(|l| l.class).collect();
    // The last of two.
    assert_eq!(classes, BTreeSet::from([TE, U, TU]));
    let of_table = read(&path, &judging.export_tsv().unwrap(), Form::Auto);
    assert_eq!((of_table.queries, of_table.account.found), (of_log.queries.clone(), of_log.account.found));
    let of_qrels = read(&path, &judging.export_qrels().unwrap(), Form::Auto);
    let gains = |judgments: &Judgments| -> Vec<u8> {
        judgments.queries.iter().flat_map(|q| &q.links).map(|link| link.class.gain()).collect()
    };
    assert_eq!(gains(&of_qrels), gains(&of_log));
    assert_eq!(
        of_log.queries.iter().map(|q| q.page).collect::<Vec<_>>(),
        of_qrels.queries.iter().map(|q| q.page).collect::<Vec<_>>()
    );
}

/// Keeps the notes.
#[derive(Default)]
struct Notes(Vec<Note>);

impl Progress for Notes {
    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

#[test]
fn a_log_cut_at_any_byte_loses_the_last_judgment_and_goes_on() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    for class in [Class::TE, Class::U, Class::TU] {
        say(&judging, "Анна", class);
    }
    let whole = log_text(&path);
    let log = path.join("judgments/log.tsv");
    let header = whole.find('\n').unwrap() + 1;
    for bytes in 0..=whole.len() {
        fs::write(&log, &whole.as_bytes()[..bytes]).unwrap();
        // A line that was not written to its end has no sum yet.
        fs::remove_file(log.with_extension("sums")).unwrap();
        let breaks = whole.as_bytes()[..bytes].iter().filter(|byte| **byte == b'\n').count();
        let done = breaks.saturating_sub(1);
        let mut notes = Notes::default();
        let judging = Judging::open(&engine_at(&path), &JudgingConf::default(), &mut notes).unwrap();
        let is_cut = bytes > 0 && whole.as_bytes()[bytes - 1] != b'\n';
        assert_eq!(notes.0.iter().any(|note| matches!(note, Note::CutShort { .. })), is_cut, "{bytes}");
        assert_eq!(judging.next("Анна").unwrap().done, done, "{bytes}");
        // Readers leave the file as it is; an evaluation ignores the rest as well.
        assert_eq!(fs::metadata(&log).unwrap().len(), bytes as u64);
        if done > 0 {
            let text = &whole.as_bytes()[..bytes];
            let corpus = Corpus::open(&path).unwrap();
            let read = Judgments::read(text, "log", Form::Log, &mut { &corpus }, &mut Silent).unwrap();
            assert_eq!(read.account.found, done as u64);
        }
        say(&judging, "Анна", Class::E);
        let expected = whole.as_bytes()[..bytes].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let kept = if expected == 0 { &whole[..header] } else { &whole[..expected] };
        let text = log_text(&path);
        assert!(text.starts_with(kept) && text.ends_with("\tE\n"), "{bytes}: {text}");
        assert_eq!(open_at(&path).next("Анна").unwrap().done, done + 1, "{bytes}");
    }
}

#[test]
fn a_bad_line_is_an_error_with_its_number() {
    let (_folder, path) = corpus();
    say(&open_at(&path), "Ada", Class::TE);
    let good = log_text(&path);
    let log = path.join("judgments/log.tsv");
    fs::remove_file(log.with_extension("sums")).unwrap();
    let refused = |text: &[u8], what: &str| {
        fs::write(&log, text).unwrap();
        let error = Judging::open(&engine_at(&path), &JudgingConf::default(), &mut Silent).unwrap_err();
        assert!(error.to_string().contains(what) && error.remedy().is_some(), "{error}");
        assert_eq!(fs::read(&log).unwrap(), text, "it is not touched");
    };
    refused(format!("{good}Ada\tPage 01\tTE\n").as_bytes(), "log.tsv: line 3: \"Ada\\tPage 01\\tTE\"");
    refused(format!("{good}Ada\tPage 01\tPage 02\tXX\n{good}").as_bytes(), "line 3: class \"XX\"");
    refused(format!("{good}\tPage 01\tPage 02\tTE\n").as_bytes(), "line 3: ");
    refused(&[good.as_bytes(), b"\xff\n"].concat(), "line 3: not UTF-8");
    refused(b"Ada\tPage 01\tPage 02\tTE\n", "line 1: ");
}

#[test]
fn two_judgings_of_one_corpus_see_each_other() {
    let (_folder, path) = corpus();
    let (one, two) = (open_at(&path), open_at(&path));
    let first = titles(&one.next("Ada").unwrap());
    say(&one, "Ada", Class::TE);
    assert_ne!(titles(&two.next("Ada").unwrap()), first);
    say(&two, "Ada", Class::U);
    assert_eq!(one.next("Ada").unwrap().done, 2);
    // From many threads of both, every judgment is kept.
    std::thread::scope(|scope| {
        for judge in ["b", "c", "d", "e"] {
            for judging in [&one, &two] {
                scope.spawn(move || {
                    for _ in 0..5 {
                        let (source, target) = titles(&judging.next(judge).unwrap());
                        judging.judge(judge, &source, &target, Class::E).unwrap();
                    }
                });
            }
        }
    });
    assert_eq!(log_text(&path).lines().count(), 1 + 2 + 4 * 2 * 5);
    let summary = open_at(&path).summary().unwrap();
    assert_eq!(summary, one.summary().unwrap());
    assert_eq!(summary, two.summary().unwrap());
}

#[test]
fn judgments_stay_when_the_corpus_is_replaced() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    say(&judging, "Ada", Class::TE);
    let pool = fs::read(pool_path(&Corpus::open(&path).unwrap())).unwrap();
    write_corpus(&path);
    // By a judging that was open before, and by a new one.
    say(&judging, "Ada", Class::U);
    assert_eq!(open_at(&path).next("Ada").unwrap().done, 2);
    let corpus = Corpus::open(&path).unwrap();
    corpus.verify().unwrap();
    assert_eq!(fs::read(pool_path(&corpus)).unwrap(), pool);
    // If the log is taken away, a new one is begun where it was.
    fs::rename(path.join("judgments"), path.join("moved")).unwrap();
    say(&judging, "Ada", Class::U);
    assert_eq!(log_text(&path).lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_judgment_that_cannot_be_written_is_an_error_and_is_not_kept() {
    let (_folder, path) = corpus();
    let judging = open_at(&path);
    let (source, target) = titles(&say(&judging, "Ada", Class::TE));
    // A disk that is full is a matter of `it::faults` of the command line.
    let log = path.join("judgments/log.tsv");
    let kept = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let error = judging.judge("Ada", &source, &target, Class::E).unwrap_err();
    assert!(error.to_string().contains("log.tsv: not a regular file"), "{error}");
    fs::remove_dir(&log).unwrap();
    fs::write(&log, &kept).unwrap();
    assert_eq!(judging.next("Ada").unwrap().done, 1);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_in_place_of_judgments_are_refused() {
    use std::os::unix::fs::symlink;
    let (_folder, path, judgments) = two_judgments();
    for name in ["log.tsv", "log.sums", "pool.tsv", "pool.sums"] {
        let (file, elsewhere) = (judgments.join(name), path.with_file_name(name));
        fs::rename(&file, &elsewhere).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        let refused = |what: &str| {
            let error = Judging::open(&engine_at(&path), &JudgingConf::default(), &mut Silent).unwrap_err();
            assert!(error.to_string().contains(&format!("{name}: {what}")), "{error}");
            assert!(verify(&path).iter().any(|(_, checked)| checked.is_err()), "{name}");
            fs::remove_file(&file).unwrap();
        };
        symlink(&elsewhere, &file).unwrap();
        refused("a symbolic link, which is not followed");
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        refused("not a regular file");
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
        fs::rename(&elsewhere, &file).unwrap();
    }
    // While judging goes on; also one that leads to nothing yet.
    let judging = open_at(&path);
    let (log, elsewhere) = (judgments.join("log.tsv"), path.with_file_name("log.tsv"));
    fs::rename(&log, &elsewhere).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    let nothing = path.with_file_name("nothing");
    for target in [&elsewhere, &nothing] {
        symlink(target, &log).unwrap();
        let task = judging.next("Bob");
        assert!(task.is_err_and(|error| error.to_string().contains("symbolic link")), "{target:?}");
        fs::remove_file(&log).unwrap();
    }
    assert!(fs::read(&elsewhere).unwrap() == before && !nothing.exists());
    // A folder that is kept elsewhere is a matter of its owner.
    fs::rename(&elsewhere, &log).unwrap();
    fs::rename(&judgments, path.with_file_name("kept")).unwrap();
    symlink("../kept", &judgments).unwrap();
    assert_eq!(open_at(&path).next("Ada").unwrap().done, 2);
}

#[test]
fn a_log_that_another_program_has_locked_is_an_error() {
    let (_folder, path, judgments) = two_judgments();
    let judging = open_at(&path);
    let (source, target) = titles(&judging.next("Ada").unwrap());
    let other = fs::File::open(judgments.join("log.tsv")).unwrap();
    let before = log_text(&path);
    other.lock_shared().unwrap();
    assert!(judging.next("Ada").is_ok(), "others may read meanwhile");
    let refused = |error: JudgingError| {
        assert!(matches!(error, JudgingError::Locked { seconds: 3, .. }) && error.remedy().is_some());
    };
    refused(judging.judge("Ada", &source, &target, Class::E).unwrap_err());
    other.lock().unwrap();
    // Those who have queued up do not wait as long again, one after the other.
    for _ in 0..10 {
        refused(judging.next("Ada").unwrap_err());
    }
    other.unlock().unwrap();
    assert_eq!(log_text(&path), before);
    assert_eq!(judging.judge("Ada", &source, &target, Class::E).unwrap().done, 3);
}

/// Says where the corpus is that the child process judges.
const CHILD: &str = "LLAMAFUR_TEST_JUDGED";

/// Not a test of its own: what the next one starts. It judges until it is killed, and says so after each judgment.
#[test]
fn judges_until_it_is_killed() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let judging = open_at(Path::new(&path));
    let mut out = std::io::stderr();
    loop {
        for class in Class::ALL {
            let task = judging.next("Ada").unwrap();
            if task.link.is_none() {
                while judging.undo("Ada").unwrap().can_undo {}
                out.write_all(b"none\n").unwrap();
                continue;
            }
            let (source, target) = titles(&task);
            judging.judge("Ada", &source, &target, class).unwrap();
            out.write_all(format!("Ada\t{source}\t{target}\t{class}\n").as_bytes()).unwrap();
        }
    }
}

#[test]
fn kill_9_loses_at_most_the_judgment_being_sent() {
    let (_folder, path) = corpus();
    drop(open_at(&path));
    for run in 1..=8 {
        let before = fs::read_to_string(path.join("judgments/log.tsv")).unwrap_or_default();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "judges_until_it_is_killed", "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut acknowledged: Vec<String> = said.by_ref().take(3 * run).map(Result::unwrap).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had said before it died.
        acknowledged.extend(said.map(Result::unwrap));
        acknowledged.retain(|line| line.starts_with("Ada\t"));
        let text = log_text(&path);
        let new: Vec<&str> = text[before.len()..].lines().filter(|line| !line.ends_with('\t')).collect();
        let new: Vec<&str> = new.into_iter().filter(|line| !line.starts_with("judge\t")).collect();
        assert!(text.starts_with(&before), "what was there before stays");
        assert!(new.len() <= acknowledged.len() + 1, "{} {}", new.len(), acknowledged.len());
        assert!(new.iter().zip(&acknowledged).all(|(new, said)| new == said), "{new:?} {acknowledged:?}");
        assert!(new.len() >= acknowledged.len());
        drop(open_at(&path));
    }
}

#[test]
fn a_corpus_that_is_damaged_says_so() {
    let (_folder, path) = corpus();
    let engine = engine_at(&path);
    fs::create_dir(path.join("judgments")).unwrap();
    fs::write(path.join("judgments/pool.tsv"), "nonsense\n").unwrap();
    let error = Judging::open(&engine, &JudgingConf::default(), &mut Silent).unwrap_err();
    assert!(error.to_string().contains("pool.tsv: line 1: 1 column"), "{error}");
    let _: fn(Error) -> JudgingError = JudgingError::from;
}

/// Two judgments, and the folder that they are in.
fn two_judgments() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let (folder, path) = corpus();
    let judging = open_at(&path);
    say(&judging, "Ada", Class::TE);
    say(&judging, "Ada", Class::U);
    let judgments = path.join("judgments");
    (folder, path, judgments)
}

#[test]
fn every_changed_byte_of_judgments_is_noticed() {
    let (_folder, path, judgments) = two_judgments();
    let is_whole = || verify(&path).iter().all(|(_, checked)| checked.is_ok());
    assert!(is_whole() && verify(&path).len() == 2);
    for name in ["log.tsv", "pool.tsv", "log.sums", "pool.sums"] {
        let file = judgments.join(name);
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(1 + whole.len() / 50).chain([whole.len() - 1]) {
            let mut changed = whole.clone();
            changed[at] ^= 1 + (at % 255) as u8;
            fs::write(&file, changed).unwrap();
            assert!(!is_whole(), "byte {at} of {name}");
        }
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        assert!(!is_whole() || name.ends_with(".sums"), "{name} was cut");
        fs::write(&file, whole).unwrap();
    }
    assert!(is_whole());
}

#[test]
fn a_judgment_that_was_changed_is_refused_with_its_line() {
    let (_folder, path, judgments) = two_judgments();
    let log = judgments.join("log.tsv");
    let whole = log_text(&path);
    fs::write(&log, whole.replacen("\tU\n", "\tE\n", 1)).unwrap();
    let error = Judging::open(&engine_at(&path), &JudgingConf::default(), &mut Silent).unwrap_err();
    assert!(error.to_string().contains("log.tsv: changed since it was written, from line 3 on"), "{error}");
    let corpus = Corpus::open(&path).unwrap();
    assert!(Judgments::kept(&corpus, &mut Silent).is_err());
    // As its remedy says.
    fs::remove_file(log.with_extension("sums")).unwrap();
    assert_eq!(open_at(&path).next("Ada").unwrap().done, 2);
}

#[test]
fn a_judgment_without_a_sum_yet_gets_one_with_the_next() {
    let (_folder, path, judgments) = two_judgments();
    let (log, sums) = (judgments.join("log.tsv"), judgments.join("log.sums"));
    let all = fs::read_to_string(&sums).unwrap();
    let first = all.find('\n').unwrap() + 1;
    // Killed at any byte of the second sum, and by an older program that writes none.
    for bytes in (first..all.len()).step_by(11) {
        fs::write(&sums, &all[..bytes]).unwrap();
        assert!(verify(&path).iter().all(|(_, checked)| checked.is_ok()), "{bytes}");
        let before = fs::read(&log).unwrap();
        say(&open_at(&path), "Ada", Class::TU);
        assert!(fs::read(&log).unwrap().starts_with(&before));
        let lines = fs::read_to_string(&sums).unwrap();
        let last = lines.lines().last().unwrap().split('\t').next().unwrap().parse::<u64>().unwrap();
        assert_eq!(last, fs::metadata(&log).unwrap().len(), "{bytes}: {lines}");
        assert!(open_at(&path).next("Ada").unwrap().done > 1);
    }
}
