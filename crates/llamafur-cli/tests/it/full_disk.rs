//! A disk that is full: the command says so, leaves nothing half-written, and what was there stays whole.
//!
//! The disk is a small tmpfs. Where mounting one is not permitted, the tests say that they were skipped.

use crate::common::{Desk, IMPORT, IMPORT_TOY, Run, names_in, write_graph};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes that a tmpfs gives out at a time.
const PAGE: u64 = 4096;

/// A small disk, mounted as `disk` on a desk.
struct Disk {
    path: PathBuf,
    bytes: u64,
}

impl Disk {
    /// Mounts a disk of so many kibibytes; `None` where that is not permitted.
    fn mount(desk: &Desk, kibibytes: u64) -> Option<Disk> {
        let path = desk.path("disk");
        fs::create_dir(&path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kibibytes}k"), "tmpfs"]).arg(&path);
        if !mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            println!("skipped: a tmpfs cannot be mounted here");
            return None;
        }
        Some(Disk { path, bytes: kibibytes * 1024 })
    }

    /// Takes all of an empty disk but so many pages.
    fn fill(&self, pages_left: u64) {
        let filler = self.path.join("filler");
        let filling = vec![1; (self.bytes - self.used_but(&filler) - pages_left * PAGE) as usize];
        // The system may take a moment to give back what belonged to a process that has just ended.
        let filled = (0..200).find_map(|_| {
            let _ = fs::remove_file(&filler);
            let written = fs::write(&filler, &filling);
            if written.is_err() {
                std::thread::sleep(Duration::from_millis(10));
            }
            written.ok()
        });
        filled.expect("what is not used can be filled");
    }

    /// Bytes that are taken by all files but this one.
    fn used_but(&self, but: &Path) -> u64 {
        fn of(folder: &Path, but: &Path) -> u64 {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            entries
                .filter(|path| path != but)
                .map(|path| match path.is_dir() {
                    true => of(&path, but),
                    false => fs::metadata(&path).unwrap().len().div_ceil(PAGE) * PAGE,
                })
                .sum()
        }
        of(&self.path, but)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.path).status();
    }
}

/// The run, which must have failed for want of space.
#[track_caller]
fn expect_full(run: Run) -> Run {
    run.fails(2, &["No space left on device"])
}

fn toy_into(out: &str) -> Vec<&str> {
    [&IMPORT_TOY[..11], &[out]].concat()
}

#[test]
fn an_import_onto_a_full_disk_leaves_nothing() {
    let desk = Desk::new();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    write_graph(&desk, 200_000, 50);
    let args =
        ["import", "table", "--links", "links.tsv", "--categories", "categories.tsv", "--out", "disk/c"];
    let run = expect_full(desk.llamafur(args));
    assert!(run.stderr.contains("disk/"), "{run}");
    assert!(names_in(&disk.path).is_empty(), "{:?}", names_in(&disk.path));
    // The rows do not fit into the memory allowed: it is the temporary files that find no space.
    let run = expect_full(desk.llamafur([&args[..], &["--buffer", "1"]].concat()));
    assert!(run.stderr.contains("disk/"), "{run}");
    assert!(names_in(&disk.path).is_empty(), "{:?}", names_in(&disk.path));
}

#[test]
fn an_import_that_runs_out_of_space_at_any_point_leaves_what_was_there() {
    let desk = Desk::with_corpus();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    let mut failures = 0;
    for pages_left in 0.. {
        disk.fill(pages_left);
        let before = desk.contents();
        let run = desk.llamafur(toy_into("disk/c"));
        if run.code == 0 {
            break;
        }
        expect_full(run);
        desk.expect_unchanged(&before);
        failures += 1;
    }
    assert!(failures >= 5, "only {failures} places to fail at");
    desk.llamafur(["verify", "disk/c"]).fine();

    // Now the place is taken: the old corpus must outlive every failure.
    for pages_left in 0.. {
        disk.fill(pages_left);
        let before = desk.contents();
        let run = desk.llamafur([&toy_into("disk/c")[..], &["--overwrite"]].concat());
        if run.code == 0 {
            break;
        }
        expect_full(run);
        desk.expect_unchanged(&before);
    }
    desk.llamafur(["verify", "disk/c"]).fine();
    assert_eq!(names_in(&disk.path), ["c", "filler"]);
}

#[test]
fn training_that_runs_out_of_space_leaves_the_old_model() {
    let desk = Desk::with_tables();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    desk.llamafur(toy_into("disk/c")).fine();
    desk.llamafur(["train", "disk/c"]).fine();
    let old = desk.llamafur(["rank", "disk/c", "Jupiter"]).fine();
    for pages_left in 0..5 {
        disk.fill(pages_left);
        let before = desk.contents();
        let run = expect_full(desk.llamafur(["train", "disk/c", "--rank", "1000"]));
        assert!(run.stderr.contains("disk/c/models/llamafur.safetensors"), "{run}");
        desk.expect_unchanged(&before);
        desk.llamafur(["verify", "disk/c"]).fine();
        assert_eq!(desk.llamafur(["rank", "disk/c", "Jupiter"]), old);
    }
}

#[test]
fn cleansing_that_runs_out_of_space_leaves_the_old_milestones_and_no_map() {
    let desk = Desk::new();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    write_graph(&desk, 2_000, 5_000);
    let args =
        ["import", "table", "--links", "links.tsv", "--categories", "categories.tsv", "--out", "disk/c"];
    desk.llamafur(args).fine();
    let cleanse = |map: &str| {
        desk.llamafur([
            "cleanse",
            "disk/c",
            "--milestones",
            "all",
            "--min-pages",
            "0",
            "--map",
            map,
            "--overwrite",
        ])
    };
    for cleansed in [false, true] {
        let mut failures = 0;
        for pages_left in 0.. {
            disk.fill(pages_left);
            let before = desk.contents();
            let run = cleanse("disk/map.tsv");
            if run.code == 0 {
                break;
            }
            expect_full(run);
            desk.expect_unchanged(&before);
            failures += 1;
        }
        assert!(failures >= 5, "only {failures} places to fail at, cleansed before: {cleansed}");
        desk.llamafur(["verify", "disk/c"]).fine();
        fs::remove_file(disk.path.join("map.tsv")).unwrap();
    }
    // A map that finds no space takes the cleansing with it.
    fs::remove_file(disk.path.join("c/milestones.arrow")).unwrap();
    disk.fill(0);
    expect_full(cleanse("disk/map.tsv"));
    assert!(!disk.path.join("c/milestones.arrow").exists());
}

#[test]
fn preparing_that_runs_out_of_space_says_so_and_goes_on_when_there_is_some() {
    let desk = Desk::new();
    let Some(disk) = Disk::mount(&desk, 8192) else { return };
    write_graph(&desk, 20_000, 50);
    desk.llamafur(import_into("disk/c")).fine();
    desk.llamafur(["train", "disk/c", "--rank", "8", "--passes", "1", "--held-out", "0"]).fine();
    let mut failures = 0;
    for pages_left in (0..).step_by(3) {
        disk.fill(pages_left);
        let run = desk.llamafur(["prepare", "disk/c"]);
        if run.code == 0 {
            break;
        }
        expect_full(run);
        desk.llamafur(["verify", "disk/c"]).fine();
        let names = [names_in(&desk.path("disk/c")), prepared_names(&desk)].concat();
        assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
        failures += 1;
    }
    assert!(failures >= 5, "only {failures} places to fail at");
    fs::remove_file(disk.path.join("filler")).unwrap();
    desk.llamafur(["prepare", "disk/c"]).fine();
    desk.llamafur(["rank", "disk/c", "page number 1"]).fine();
    desk.llamafur(["verify", "disk/c"]).fine();
}

fn import_into(out: &str) -> [&str; 8] {
    ["import", "table", "--links", "links.tsv", "--categories", "categories.tsv", "--out", out]
}

fn prepared_names(desk: &Desk) -> Vec<String> {
    let folder = desk.path("disk/c/prepared");
    if folder.exists() { names_in(&folder) } else { Vec::new() }
}

#[test]
fn scores_and_tables_that_find_no_space_leave_nothing() {
    let desk = Desk::new();
    let Some(disk) = Disk::mount(&desk, 256) else { return };
    write_graph(&desk, 200_000, 50);
    desk.llamafur(IMPORT).fine();
    desk.llamafur(["train", "c", "--method", "naive"]).fine();
    for file in ["scores.tsv", "scores.parquet", "scores.arrow"] {
        let out = format!("disk/{file}");
        expect_full(desk.llamafur(["score", "c", "--scorer", "naive", "--out", &out]));
        assert!(names_in(&disk.path).is_empty(), "{:?}", names_in(&disk.path));
        fs::write(disk.path.join(file), "old").unwrap();
        expect_full(desk.llamafur(["score", "c", "--scorer", "naive", "--out", &out, "--overwrite"]));
        assert_eq!(desk.read(&out), b"old");
        fs::remove_file(disk.path.join(file)).unwrap();
    }
    for format in ["tsv", "parquet"] {
        expect_full(desk.llamafur(["export", "c", "--out", "disk/tables", "--format", format]));
        assert!(names_in(&disk.path).is_empty(), "{:?}", names_in(&disk.path));
    }
}

#[test]
fn scores_and_tables_that_find_no_space_name_their_file() {
    let desk = Desk::new();
    let Some(_disk) = Disk::mount(&desk, 256) else { return };
    write_graph(&desk, 200_000, 50);
    desk.llamafur(IMPORT).fine();
    desk.llamafur(["train", "c", "--method", "naive"]).fine();
    for file in ["disk/scores.tsv", "disk/scores.parquet", "disk/scores.arrow"] {
        let run = expect_full(desk.llamafur(["score", "c", "--scorer", "naive", "--out", file]));
        assert!(run.stderr.contains(file), "{run}");
    }
    for format in ["tsv", "parquet"] {
        let run = expect_full(desk.llamafur(["export", "c", "--out", "disk/tables", "--format", format]));
        assert!(run.stderr.contains(&format!("disk/tables/links.{format}")), "{run}");
    }
}

#[test]
fn the_first_model_and_tables_that_find_no_space_leave_nothing() {
    let desk = Desk::with_tables();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    desk.llamafur(toy_into("disk/c")).fine();
    disk.fill(2);
    let before = desk.contents();
    expect_full(desk.llamafur(["train", "disk/c", "--rank", "1000"]));
    desk.expect_unchanged(&before);
    expect_full(desk.llamafur(["export", "disk/c", "--out", "disk/tables"]));
    desk.expect_unchanged(&before);
}

#[test]
fn a_ranking_on_a_full_disk_goes_on_in_memory() {
    let desk = Desk::with_tables();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    desk.llamafur(toy_into("disk/c")).fine();
    desk.llamafur(["train", "disk/c"]).fine();
    let rank = ["rank", "disk/c", "Jupiter"];
    let prepared = ["prepared", "words.arrow", "standards.json"].map(|name| disk.path.join("c").join(name));
    let remove = || {
        prepared.iter().for_each(|path| {
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        });
    };
    let expected = desk.llamafur(rank).fine();
    for pages_left in 0..8 {
        remove();
        disk.fill(pages_left);
        let run = desk.llamafur_with_progress("plain", rank).fine();
        assert_eq!(run.stdout, expected.stdout, "{pages_left} pages left");
        assert!(run.stderr.contains("kept: disk/c/"), "{run}");
        let names = [names_in(&desk.path("disk/c")), prepared_names(&desk)].concat();
        assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
        desk.llamafur(["verify", "disk/c"]).fine();
        // To prepare is to write.
        remove();
        disk.fill(pages_left.min(2));
        expect_full(desk.llamafur(["prepare", "disk/c"]));
    }
}

#[test]
fn preparing_on_a_read_only_disk_names_the_folder_and_fails() {
    let desk = Desk::with_tables();
    let Some(disk) = Disk::mount(&desk, 1024) else { return };
    desk.llamafur(toy_into("disk/c")).fine();
    desk.llamafur(["train", "disk/c"]).fine();
    let remount = |how: &str| {
        let mut mount = Command::new("mount");
        assert!(mount.args(["-o", &format!("remount,{how}")]).arg(&disk.path).status().unwrap().success());
    };
    remount("ro");
    let parts =
        ["disk/c: what rankings need cannot be kept in this folder: ", "Read-only file system", "writable"];
    desk.llamafur(["prepare", "disk/c"]).fails(2, &parts);
    let rank = desk.llamafur(["rank", "disk/c", "Jupiter"]).fine();
    remount("rw");
    desk.llamafur(["prepare", "disk/c"]).fine();
    remount("ro");
    // All is there.
    desk.llamafur(["prepare", "disk/c"]).fine();
    assert_eq!(desk.llamafur(["rank", "disk/c", "Jupiter"]).fine().stdout, rank.stdout);
}
