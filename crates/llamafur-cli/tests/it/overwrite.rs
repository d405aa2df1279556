//! What `--overwrite` replaces: a corpus of ours, and nothing that is somebody else's.

use crate::common::{Desk, IMPORT_TOY, TOY, names_in};
use std::fs;

/// Fails unless the import is refused with all of these, with `--overwrite` and without, and never recommends it.
#[track_caller]
fn refused(desk: &Desk, parts: &[&str]) {
    for more in [&[][..], &["--overwrite"]] {
        let run = desk.refused(IMPORT_TOY.iter().chain(more), 2, parts);
        assert!(!run.stderr.contains("--overwrite"), "{run}");
        assert!(run.stderr.contains("move them away, or choose another `--out`"), "{run}");
    }
}

#[test]
fn overwrite_keeps_files_that_are_not_ours() {
    let desk = Desk::with_tables();
    fs::create_dir(desk.path(TOY)).unwrap();
    desk.write("toy.corpus/manifest.json", r#"{"manifest_version":3}"#);
    desk.write("toy.corpus/thesis.tex", "x");
    refused(&desk, &["toy.corpus: the folder is not empty and holds no corpus: manifest.json, thesis.tex;"]);
}

#[test]
fn overwrite_lists_the_files_of_a_corpus_that_are_not_ours() {
    let desk = Desk::with_model();
    let found = "toy.corpus: the corpus has files that are not of it: ";
    let files: [(&str, &[u8]); 6] = [
        ("thesis.tex", b"x"),
        // By their names they could be ours.
        ("words.arrow", b"not what we write"),
        ("models/bert.safetensors", b"\x20\0\0\0\0\0\0\0{\"weight\":{}}"),
        ("prepared/notes.txt", b"x"),
        ("milestones-old.arrow.bak", b"x"),
        ("report/index.html", b"of another program"),
    ];
    for (file, text) in files {
        fs::create_dir_all(desk.path(TOY).join(file).parent().unwrap()).unwrap();
        desk.write(&format!("{TOY}/{file}"), text);
        refused(&desk, &[found, file]);
        fs::remove_file(desk.path(TOY).join(file)).unwrap();
    }
    fs::create_dir_all(desk.path("toy.corpus/photos/2024")).unwrap();
    refused(&desk, &[found, "photos/;"]);
    (10..25).for_each(|number| desk.write(&format!("{TOY}/chapter-{number}.tex"), "x"));
    refused(&desk, &["chapter-10.tex, chapter-11.tex", "chapter-19.tex and 6 more;"]);
}

#[cfg(unix)]
#[test]
fn overwrite_follows_no_link_and_removes_none() {
    let desk = Desk::with_corpus();
    fs::create_dir(desk.path("elsewhere")).unwrap();
    desk.write("elsewhere/a.safetensors", "x");
    for name in ["models", "words.arrow"] {
        std::os::unix::fs::symlink(desk.path("elsewhere"), desk.path(TOY).join(name)).unwrap();
        refused(&desk, &[name]);
        fs::remove_file(desk.path(TOY).join(name)).unwrap();
    }
    // Judgments that are kept elsewhere stay there, and the link to them is kept.
    std::os::unix::fs::symlink("../elsewhere", desk.path("toy.corpus/judgments")).unwrap();
    desk.llamafur(IMPORT_TOY.iter().chain(&["--overwrite"])).fine();
    assert_eq!(names_in(&desk.path("toy.corpus/judgments")), ["a.safetensors"]);
    assert!(fs::symlink_metadata(desk.path("toy.corpus/judgments")).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn overwrite_of_a_link_to_a_corpus_replaces_the_corpus_and_keeps_the_link() {
    let desk = Desk::with_model();
    fs::create_dir(desk.path("disk")).unwrap();
    fs::rename(desk.path(TOY), desk.path("disk/c")).unwrap();
    std::os::unix::fs::symlink("disk/c", desk.path(TOY)).unwrap();
    desk.llamafur(IMPORT_TOY.iter().chain(&["--overwrite"])).fine();
    assert!(fs::symlink_metadata(desk.path(TOY)).unwrap().is_symlink());
    assert_eq!(names_in(&desk.path("disk")), ["c"]);
    assert!(!desk.path("disk/c/models").exists());
    desk.llamafur(["verify", TOY]).fine();
}

#[test]
fn overwrite_replaces_all_that_is_ours_and_names_what_was_made() {
    let desk = Desk::with_model();
    desk.write(
        "judged.tsv",
        "source\ttarget\tclass\nJupiter\tFish\tTU\nJupiter\tSaturn\tTE\nSaturn\tJupiter\tE\n",
    );
    desk.write("vectors.npy", npy(&[[1.0, 0.0], [0.0, 1.0]]));
    desk.write("titles.txt", "Fish\nJupiter\n");
    for args in [
        &["train", TOY, "--method", "naive"][..],
        &["cleanse", TOY, "--milestones", "all", "--min-pages", "0"],
        &["cleanse", TOY, "--milestones", "all", "--min-pages", "0", "--name", "mine"],
        &["words", TOY, "--min-pages", "2"],
        &["vectors", "add", TOY, "vectors.npy", "--titles", "titles.txt", "--name", "mine"],
        &["prepare", TOY],
        &[
            "evaluate",
            TOY,
            "--judgments",
            "judged.tsv",
            "--scorer",
            "aa",
            "--folds",
            "0",
            "--report",
            "toy.corpus/report",
        ],
        &["pool", TOY, "--queries", "3"],
    ] {
        desk.llamafur(args).fine();
    }
    let made = names_in(&desk.path(TOY));
    for name in ["judgments", "models", "prepared", "report", "standards.json", "vectors", "words.arrow"] {
        assert!(made.iter().any(|made| made == name), "{name} is not in {made:?}");
    }
    // What a killed run may leave.
    desk.write("toy.corpus/.words.arrow.writing", "half");
    desk.write("toy.corpus/prepared/.places.arrow.writing", "half");
    desk.write("toy.corpus/lock", "");
    fs::create_dir(desk.path("toy.corpus/.words.parts")).unwrap();
    desk.write("toy.corpus/.words.parts/.0-1.arrow.writing", "half");
    let again = IMPORT_TOY.iter().chain(&["--overwrite"]);
    let run = desk.llamafur_with_progress("plain", again).fine();
    let named = "toy.corpus: removed with the corpus that is replaced: models/llamafur.safetensors, models/naive.safetensors, \
                 vectors/mine.safetensors, milestones-mine.arrow, milestones.arrow, report\n";
    assert!(run.stderr.contains(named), "{run}");
    assert_eq!(names_in(&desk.path("toy.corpus/judgments")), ["pool.sums", "pool.tsv"]);
    assert!(!desk.path("toy.corpus/models").exists());
    desk.llamafur(["verify", TOY]).fine();
}

/// A table of numbers as NumPy writes it.
fn npy(rows: &[[f32; 2]]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 2), }}", rows.len());
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    let numbers = rows.iter().flatten().flat_map(|number| number.to_le_bytes());
    b"\x93NUMPY\x01\x00".iter().copied().chain(length).chain(header.into_bytes()).chain(numbers).collect()
}

#[test]
fn a_report_replaces_no_file_that_is_not_of_a_report() {
    let desk = Desk::with_model();
    desk.write(
        "judged.tsv",
        "source\ttarget\tclass\nJupiter\tFish\tTU\nJupiter\tSaturn\tTE\nSaturn\tJupiter\tE\n",
    );
    fs::create_dir(desk.path("site")).unwrap();
    desk.write("site/index.html", "my own page");
    let report =
        ["evaluate", TOY, "--judgments", "judged.tsv", "--scorer", "aa", "--folds", "0", "--report", "site"];
    for more in [&[][..], &["--overwrite"]] {
        let parts = ["site: files that are not of a report are in the way: index.html", "another `--report`"];
        let run = desk.refused(report.iter().chain(more), 2, &parts);
        assert!(!run.stderr.contains("--overwrite"), "{run}");
    }
    // Other files are kept.
    fs::rename(desk.path("site/index.html"), desk.path("site/mine.html")).unwrap();
    desk.llamafur(report.iter().chain(&["--overwrite"])).fine();
    desk.llamafur(report).fine();
    assert_eq!(desk.read("site/mine.html"), b"my own page");
}

#[cfg(unix)]
#[test]
fn a_report_removes_nothing_that_a_link_leads_to() {
    let desk = Desk::with_model();
    desk.write(
        "judged.tsv",
        "source\ttarget\tclass\nJupiter\tFish\tTU\nJupiter\tSaturn\tTE\nSaturn\tJupiter\tE\n",
    );
    let report =
        ["evaluate", TOY, "--judgments", "judged.tsv", "--scorer", "aa", "--folds", "0", "--report", "site"];
    desk.llamafur(report).fine();
    fs::create_dir(desk.path("photos")).unwrap();
    desk.write("photos/one.svg", "mine");
    std::os::unix::fs::symlink("../photos", desk.path("site/more")).unwrap();
    let list = String::from_utf8(desk.read("site/files.txt")).unwrap();
    desk.write("site/files.txt", list + "more/one.svg\n");
    desk.llamafur(report).fine();
    assert_eq!(desk.read("photos/one.svg"), b"mine");
}
