//! A run that is killed at any moment leaves the old result, the new one, or none: never half of one.

use crate::common::{Desk, IMPORT_TOY, TOY, names_in, write_graph};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const IMPORT_AGAIN: [&str; 9] = [
    "import",
    "table",
    "--links",
    "links.tsv",
    "--categories",
    "categories.tsv",
    "--out",
    "c",
    "--overwrite",
];

/// Starts the command and kills it after some time, if it is still there.
pub(crate) fn kill_after(desk: &Desk, args: &[&str], delay: Duration) {
    let mut command = desk.command();
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(delay);
    // SIGKILL; a run that has ended on its own is fine too.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Moments from the start of a run that takes so long to a little after its end, the last part, in which files
/// are written, twice as densely.
pub(crate) fn moments(undisturbed: Duration, count: u32) -> impl Iterator<Item = Duration> {
    let (early, late) = (count / 2, count - count / 2);
    let early = (0..early).map(move |i| undisturbed * (2 * i + 1) / (2 * early));
    let late = (0..late).map(move |i| undisturbed / 2 + undisturbed * 6 * i / (10 * late));
    early.chain(late)
}

/// Kills an import that makes `c` anew at many moments; the corpus has so many pages when it is whole. The folder
/// holds these other names besides.
fn expect_whole_or_none(desk: &Desk, import: &[&str], pages: u64, others: &[&str]) {
    desk.write("small.tsv", "a\tb\n");
    let small = ["import", "table", "--links", "small.tsv", "--out", "c", "--overwrite"];
    let started = Instant::now();
    desk.llamafur(import).fine();
    let undisturbed = started.elapsed();
    for (i, delay) in moments(undisturbed, 14).enumerate() {
        let replaces = i % 2 == 0;
        fs::remove_dir_all(desk.path("c")).unwrap();
        if replaces {
            desk.llamafur(small).fine();
        }
        kill_after(desk, import, delay);
        assert!(!replaces || desk.path("c").exists(), "the old corpus is gone");
        if desk.path("c").exists() {
            desk.llamafur(["verify", "c"]).fine();
            let found = &desk.llamafur(["info", "c", "--format", "json"]).fine().json()["counts"]["pages"];
            assert!(*found == pages || (replaces && *found == 2), "{found} pages");
        }
        // The next import of the same name takes away what was left over.
        desk.llamafur(small).fine();
        let mut expected = [others, &["c", "small.tsv"]].concat();
        expected.sort_unstable();
        assert_eq!(names_in(&desk.path("")), expected);
        desk.llamafur(["verify", "c"]).fine();
    }
    desk.llamafur(import).fine();
    desk.llamafur(["verify", "c"]).fine();
}

#[test]
fn an_import_killed_at_any_moment_leaves_a_whole_corpus_or_none() {
    let desk = Desk::new();
    write_graph(&desk, 200_000, 50);
    expect_whole_or_none(&desk, &IMPORT_AGAIN, 5_000, &["categories.tsv", "links.tsv"]);
}

#[test]
fn an_import_of_a_wiki_killed_at_any_moment_leaves_a_whole_corpus_or_none() {
    let desk = Desk::new();
    let demo = desk.llamafur(["demo", "--dump", "demo.xml", "--format", "json"]).fine().json();
    let import = ["import", "wiki", "demo.xml", "--out", "c", "--overwrite"];
    expect_whole_or_none(&desk, &import, demo["num_pages"].as_u64().unwrap(), &["demo.xml"]);
}

/// Kills a run that replaces a file at many moments: the file is then the old one, the new one, or, where there was
/// none, perhaps none. `old` is what it was before a run that was left alone.
fn expect_old_or_new(desk: &Desk, run: &[&str], file: &str, old: &[u8], still_works: impl Fn()) {
    let started = Instant::now();
    desk.llamafur(run).fine();
    let undisturbed = started.elapsed();
    let new = desk.read(file);
    for (i, delay) in moments(undisturbed, 12).enumerate() {
        let replaces = i % 2 == 0;
        if replaces {
            desk.write(file, old);
        } else {
            fs::remove_file(desk.path(file)).unwrap();
        }
        kill_after(desk, run, delay);
        assert!(!replaces || desk.path(file).exists(), "the old file is gone");
        if desk.path(file).exists() {
            let found = desk.read(file);
            assert!(found == new || (replaces && found == old), "a file that is neither old nor new");
        }
        desk.llamafur(["verify", "c"]).fine();
        if !desk.path(file).exists() {
            desk.write(file, old);
        }
        still_works();
    }
    desk.llamafur(run).fine();
    assert!(desk.read(file) == new);
}

#[test]
fn a_training_killed_at_any_moment_leaves_the_old_model_or_the_new_one() {
    let desk = Desk::new();
    // Many categories and a high rank: a model that takes a while to write.
    write_graph(&desk, 2_000, 5_000);
    desk.llamafur(IMPORT_AGAIN).fine();
    let train = ["train", "c", "--passes", "1", "--rank", "256", "--seed", "2"];
    let model = "c/models/llamafur.safetensors";
    desk.llamafur(["train", "c", "--passes", "1", "--rank", "4"]).fine();
    let old = desk.read(model);
    expect_old_or_new(&desk, &train, model, &old, || {
        desk.llamafur(["rank", "c", "page number 1"]).fine();
    });
}

#[test]
fn a_cleansing_killed_at_any_moment_leaves_the_old_milestones_or_the_new_ones() {
    let desk = Desk::new();
    write_graph(&desk, 400_000, 5_000);
    desk.llamafur(IMPORT_AGAIN).fine();
    let file = "c/milestones.arrow";
    desk.llamafur(["cleanse", "c", "--milestones", "10"]).fine();
    let old = desk.read(file);
    expect_old_or_new(&desk, &["cleanse", "c", "--milestones", "all"], file, &old, || ());
    // What was left over is gone with the next run.
    assert!(!names_in(&desk.path("c")).iter().any(|name| name.ends_with(".writing")));
}

#[test]
fn what_a_killed_training_left_over_is_removed_by_the_next() {
    let desk = Desk::new();
    write_graph(&desk, 2_000, 5_000);
    desk.llamafur(IMPORT_AGAIN).fine();
    desk.llamafur(["train", "c", "--passes", "1", "--rank", "4"]).fine();
    for _ in 0..5 {
        let mut command = desk.command();
        command.args(["train", "c", "--passes", "1", "--rank", "256"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The model is being written.
        while names_in(&desk.path("c/models")).len() < 2 && child.try_wait().unwrap().is_none() {}
        let _ = child.kill();
        child.wait().unwrap();
    }
    desk.llamafur(["train", "c", "--passes", "1", "--rank", "4"]).fine();
    assert_eq!(names_in(&desk.path("c/models")), ["llamafur.safetensors"]);
}

/// Starts the command, sends it a signal as soon as `is_due`, and gives its exit code.
fn signalled(desk: &Desk, args: &[&str], signal: &str, is_due: impl Fn() -> bool) -> Option<i32> {
    let mut command = desk.command();
    command.args(args).env("TMPDIR", desk.path("temporary"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_due() && child.try_wait().unwrap().is_none() {}
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "it ended before the signal");
    child.wait().unwrap().code()
}

#[test]
fn a_signal_removes_what_is_unfinished() {
    let desk = Desk::new();
    write_graph(&desk, 200_000, 50);
    fs::create_dir(desk.path("temporary")).unwrap();
    let names = || names_in(&desk.path(""));
    let is_importing = || names().iter().any(|name| name.ends_with(".importing"));
    assert_eq!(signalled(&desk, &IMPORT_AGAIN, "-INT", is_importing), Some(130));
    assert_eq!(names(), ["categories.tsv", "links.tsv", "temporary"]);
    desk.llamafur(IMPORT_AGAIN).fine();
    let copies = || names_in(&desk.path("temporary"));
    let plant = ["plant", "c", "--scorer", "aa"];
    assert_eq!(signalled(&desk, &plant, "-TERM", || !copies().is_empty()), Some(143));
    assert_eq!(copies(), [""; 0]);
    desk.llamafur(["verify", "c"]).fine();
}

/// Runs the command several times at once and gives what each run said when it failed.
pub(crate) fn at_once(desk: &Desk, runs: usize, args: &[&str]) -> Vec<String> {
    let start = |_| {
        let mut command = desk.command();
        command.args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..runs).map(start).collect();
    let outputs = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let failed = outputs.filter(|output| !output.status.success());
    failed.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).collect()
}

#[test]
fn trainings_of_one_model_at_once_wait_or_say_so() {
    let desk = Desk::with_corpus();
    for _ in 0..10 {
        for said in at_once(&desk, 4, &["--progress", "none", "train", TOY]) {
            assert!(said.contains("another process is writing this file"), "{said}");
        }
        desk.llamafur(["verify", TOY]).fine();
    }
}

#[test]
fn imports_of_one_corpus_at_once_do_not_disturb_one_another() {
    let desk = Desk::with_corpus();
    for _ in 0..20 {
        let args = [&["--progress", "none"][..], &IMPORT_TOY, &["--overwrite"]].concat();
        assert_eq!(at_once(&desk, 6, &args), [""; 0]);
        desk.llamafur(["verify", TOY]).fine();
    }
}
