//! Every path and every command quoted in the project's Markdown is real.
//!
//! Quoted is what stands in code: `between backticks`, or in a fenced block marked `sh` or `console`. Commands
//! are those that begin with `llamafur`, `make` or `cargo`; they are parsed by the program's own definition, by
//! the Makefile's targets, or by the packages and programs of the workspace. An option alone is one of some command.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn markdown_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_ours = !name.starts_with('.')
            && !matches!(&name[..], "target" | "node_modules")
            && !name.ends_with(".corpus");
        if path.is_dir() && is_ours {
            markdown_files(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// Code quoted in a Markdown text: spans between backticks, and the commands of `sh` and `console` blocks.
struct Quoted {
    spans: Vec<String>,
    commands: Vec<String>,
}

fn quoted(text: &str) -> Quoted {
    let mut quoted = Quoted { spans: Vec::new(), commands: Vec::new() };
    let mut block: Option<String> = None;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.trim().to_owned()) };
            continue;
        }
        match block.as_deref() {
            Some("sh") => quoted.commands.push(line.to_owned()),
            Some("console") => quoted.commands.extend(line.strip_prefix("$ ").map(str::to_owned)),
            Some(_) => {}
            None => quoted.spans.extend(line.split('`').skip(1).step_by(2).map(str::to_owned)),
        }
    }
    let is_command =
        |span: &&String| ["llamafur ", "make ", "cargo "].iter().any(|name| span.starts_with(name));
    quoted.commands.extend(quoted.spans.iter().filter(is_command).cloned());
    quoted
}

/// The long options of a command and of all below it.
fn options(command: &clap::Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(options)).chain(["help".into(), "version".into()]).collect()
}

/// The option that a span begins with: `features` of `--features LIST`.
fn option(span: &str) -> Option<&str> {
    span.strip_prefix("--").map(|rest| rest.split(['=', ' ']).next().unwrap_or_default())
}

/// The words of a command line, quotes taken off, each command of an `&&` or `|` chain on its own, and where its output goes.
fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut in_quotes, mut has_word) = (String::new(), false, false);
    for c in line.chars().chain([' ']) {
        match c {
            '"' => (in_quotes, has_word) = (!in_quotes, true),
            ' ' if !in_quotes => {
                if has_word {
                    match std::mem::take(&mut word).as_str() {
                        "&&" | "|" | ";" | ">" => commands.push(Vec::new()),
                        "#" => return commands,
                        other => commands.last_mut().unwrap().push(other.to_owned()),
                    }
                }
                has_word = false;
            }
            c => {
                word.push(c);
                has_word = true;
            }
        }
    }
    commands
}

fn problem_with(command: &[String]) -> Option<String> {
    match command.first().map(String::as_str) {
        Some("llamafur") if command.len() > 1 => problem_with_llamafur(command),
        Some("make") => problem_with_make(command),
        Some("cargo") => problem_with_cargo(command),
        _ => None,
    }
}

fn problem_with_llamafur(command: &[String]) -> Option<String> {
    use clap::error::ErrorKind;
    // A command may be named without all it needs, but not with anything it does not know.
    let incomplete = [
        ErrorKind::DisplayHelp,
        ErrorKind::DisplayVersion,
        ErrorKind::MissingRequiredArgument,
        ErrorKind::MissingSubcommand,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ];
    let error = llamafur_cli::definition().try_get_matches_from(command).err()?;
    (!incomplete.contains(&error.kind())).then(|| format!("{}: {error}", command.join(" ")))
}

fn problem_with_make(command: &[String]) -> Option<String> {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let is_target = |word: &&String| makefile.lines().any(|line| line.starts_with(&format!("{word}:")));
    let mut targets = command[1..].iter().filter(|word| !word.contains('='));
    targets.find(|word| !is_target(word)).map(|word| format!("{}: no target {word}", command.join(" ")))
}

fn problem_with_cargo(command: &[String]) -> Option<String> {
    let after = |flags: &[&str]| {
        let at = command.iter().position(|word| flags.contains(&word.as_str()))?;
        command.get(at + 1)
    };
    let package = after(&["-p", "--package"])?;
    let folder = root().join("crates").join(package);
    if !folder.join("Cargo.toml").exists() {
        return Some(format!("{}: no package {package}", command.join(" ")));
    }
    let program = after(&["--bin"])?;
    let is_there = |file: String| folder.join("src/bin").join(file).exists();
    let exists = is_there(format!("{program}.rs")) || is_there(format!("{program}/main.rs"));
    (!exists).then(|| format!("{}: no program {program}", command.join(" ")))
}

/// Whether a quoted span means a file of this project.
fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "./-_".contains(c);
    let folders = ["crates", "data", "benchmarks", "guide", ".ci"];
    let first = span.split('/').next().unwrap_or_default();
    let is_file_at_the_root = !span.contains('/') && (span.ends_with(".md") || span.ends_with(".toml"));
    span.chars().all(plain) && (is_file_at_the_root || (span.contains('/') && folders.contains(&first)))
}

/// The targets of Markdown links that lead into the project.
fn link_targets(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.starts_with("http") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_quoted_path_and_command_is_real() {
    let mut files = Vec::new();
    markdown_files(&root(), &mut files);
    let options = options(&llamafur_cli::definition());
    let (mut problems, mut checked) = (BTreeSet::new(), 0);
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let folder = file.parent().unwrap();
        let quoted = quoted(&text);
        for command in quoted.commands.iter().flat_map(|line| simple_commands(line)) {
            checked += 1;
            problems.extend(problem_with(&command).map(|problem| format!("{name}: {problem}")));
        }
        for span in quoted.spans.iter().filter(|span| is_path(span)) {
            checked += 1;
            let exists = root().join(span).exists() || folder.join(span).exists();
            problems.extend((!exists).then(|| format!("{name}: no file {span}")));
        }
        // Notes on benchmarks name the options of their own programs.
        let spans = quoted.spans.iter().filter(|_| !name.starts_with("benchmarks"));
        for option in spans.filter_map(|span| option(span)) {
            checked += 1;
            let exists = options.contains(option);
            problems.extend((!exists).then(|| format!("{name}: no command has --{option}")));
        }
        for target in link_targets(&text) {
            checked += 1;
            let exists = folder.join(&target).exists();
            problems.extend((!exists).then(|| format!("{name}: link to {target}, which does not exist")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(files.len() >= 5 && checked >= 40, "only {checked} quotations in {} files", files.len());
}

#[test]
fn wrong_quotations_are_noticed() {
    let problem = |line: &str| simple_commands(line).iter().find_map(|command| problem_with(command));
    assert!(problem("llamafur rank my.corpus Jupiter --no-sentences | head").is_none());
    assert!(problem("llamafur train my.corpus --methd paper").is_some());
    assert!(problem("llamafur conquer my.corpus").is_some());
    assert!(problem("make demo && make coffee").is_some());
    assert!(problem("cargo run -p llamafur-bench --bin nothing").is_some());
    assert!(
        is_path("crates/llamafur/src/lib.rs") && is_path("README.md") && !is_path("my.corpus/pages.arrow")
    );
    assert_eq!([option("--rank 8"), option("rank --top")], [Some("rank"), None]);
    assert!(!options(&llamafur_cli::definition()).contains("hyperball"));
    assert_eq!(link_targets("see [x](guide/a.md#b) and [y](https://z)"), ["guide/a.md"]);
}
