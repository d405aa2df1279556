//! Remedies name only commands and options that there are.

use crate::common::{Desk, TOY};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All sources of the libraries and the command line.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for name in ["llamafur", "llamafur-import", "llamafur-eval", "llamafur-serve", "llamafur-cli"] {
        walk(&crates.join(name).join("src"), &mut found);
    }
    assert!(found.len() > 100);
    found
}

/// The settings that a command has, in snake case: those of its options and its arguments, and of the commands below it.
fn settings(command: &clap::Command) -> BTreeSet<String> {
    let name = |argument: &clap::Arg| match argument.get_long() {
        Some(long) => long.replace('-', "_"),
        None => argument.get_id().to_string(),
    };
    command.get_arguments().map(name).chain(command.get_subcommands().flat_map(settings)).collect()
}

/// What stands in quotes after each of these words.
fn quoted_after<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let after = text.match_indices(word).map(|(at, _)| &text[at + word.len()..]);
    after.filter_map(|rest| rest.strip_prefix('"')?.split('"').next()).collect()
}

#[test]
fn every_option_that_a_remedy_names_exists_in_its_command() {
    let definition = llamafur_cli::definition();
    let all = settings(&definition);
    let commands = [
        ("Import", "import"),
        ("ImportWiki", "import wiki"),
        ("ImportTable", "import table"),
        ("Cleanse", "cleanse"),
        ("Train", "train"),
        ("Words", "words"),
        ("AddVectors", "vectors add"),
        ("Synth", "synth"),
    ];
    let (mut problems, mut num_checked) = (Vec::new(), 0);
    for (path, text) in sources() {
        // Tests may have settings of their own.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let mut expect = |settings: &BTreeSet<String>, name: &str, of: &str| {
            num_checked += 1;
            if !settings.contains(name) {
                problems.push(format!("{}: {of} has no --{}", path.display(), name.replace('_', "-")));
            }
        };
        for word in ["Remedy::set(", "Remedy::another(", "Remedy::Set { setting: "] {
            quoted_after(text, word).into_iter().for_each(|name| expect(&all, name, "no command"));
        }
        for kind in ["Lower", "Omit"] {
            let word = format!("Remedy::{kind} {{ setting: ");
            quoted_after(text, &word).into_iter().for_each(|name| expect(&all, name, "no command"));
        }
        for (step, words) in commands {
            let found = words.split(' ').try_fold(&definition, |command, word| command.find_subcommand(word));
            let settings = settings(found.unwrap_or_else(|| panic!("no command {words}")));
            for name in quoted_after(text, &format!("run_with(Step::{step}, ")) {
                expect(&settings, name, words);
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(num_checked > 40, "{num_checked}");
}

#[test]
fn every_option_that_a_message_of_a_command_names_is_one_of_its_own() {
    let definition = llamafur_cli::definition();
    let all = settings(&definition);
    let mut problems = Vec::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| path.to_string_lossy().contains("src/cmd/"))
    {
        let stem = path.file_stem().unwrap().to_string_lossy().replace('_', "-");
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let command = definition.find_subcommand(&stem).or_else(|| definition.find_subcommand(&folder));
        // What several commands share is in files of no command.
        let own = command.map_or_else(|| all.clone(), settings);
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let spans: Vec<&str> = line.split('`').collect();
            let is_of_other = |at: usize| at >= 2 && spans[at - 2].starts_with("llamafur ");
            for (at, span) in
                spans.iter().enumerate().filter(|(at, span)| at % 2 == 1 && span.starts_with("--"))
            {
                let name = span[2..].split([' ', '=']).next().unwrap().replace('-', "_");
                if !if is_of_other(at) { &all } else { &own }.contains(&name) {
                    problems.push(format!("{}: {span}", path.display()));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_remedy_names_arguments_as_they_are_and_leaves_out_what_the_command_lacks() {
    let desk = Desk::with_corpus();
    let foreign = desk.llamafur(["import", "wiki", "links.tsv", "--out", "w"]);
    let foreign = foreign.fails(2, &["choose another `DUMP`, or run `llamafur import table`"]);
    assert!(!foreign.stderr.contains("--dump"), "{foreign}");
    desk.refused(["rank", TOY, "Jupiter", "--scorer", "llamafur"], 2, &["run `llamafur train toy.corpus"]);
}
