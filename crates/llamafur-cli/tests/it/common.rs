//! A folder to work in, and the command run in it.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The toy corpus's name on a desk.
pub(crate) const TOY: &str = "toy.corpus";

/// What imports the toy corpus on a desk.
pub(crate) const IMPORT_TOY: [&str; 12] = [
    "import",
    "table",
    "--links",
    "links.tsv",
    "--categories",
    "categories.tsv",
    "--category-tree",
    "category-tree.tsv",
    "--text",
    "text.tsv",
    "--out",
    TOY,
];

/// What imports `links.tsv` and `categories.tsv` as the corpus `c`.
pub(crate) const IMPORT: [&str; 8] =
    ["import", "table", "--links", "links.tsv", "--categories", "categories.tsv", "--out", "c"];

/// What a run of the command said, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// Stdout.
    pub stdout: String,
    /// Stderr.
    pub stderr: String,
    /// The exit code; −1 after a signal.
    pub code: i32,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run { stdout, stderr, code } = self;
        write!(f, "exit code {code}")?;
        for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            if !text.is_empty() {
                write!(f, "\n---- {name}\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}

impl Run {
    /// The run, which must have ended well.
    #[track_caller]
    pub(crate) fn fine(self) -> Run {
        assert_eq!(self.code, 0, "{self}");
        self
    }

    /// The run, which must have failed with one line of error that holds all of these, after any warnings, and without a word on
    /// stdout.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, parts: &[&str]) -> Run {
        assert_eq!(self.code, code, "{self}");
        assert_eq!(self.stdout, "", "{self}");
        assert_eq!(self.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{self}");
        assert!(self.stderr.lines().last().is_some_and(|line| line.starts_with("error: ")), "{self}");
        self.says(parts)
    }

    /// The run, whose options must have been refused with a line that holds all of these.
    #[track_caller]
    pub(crate) fn misused(self, parts: &[&str]) -> Run {
        assert_eq!(self.code, 2, "{self}");
        assert_eq!(self.stdout, "", "{self}");
        assert_eq!(self.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{self}");
        self.says(parts)
    }

    /// Stderr without the warnings about signals that are left out.
    pub(crate) fn other_words(&self) -> String {
        let is_other = |line: &&str| !line.contains(" leaves out ") && !line.contains(" is left out: ");
        self.stderr.split_inclusive('\n').filter(is_other).collect()
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Run {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in:\n{self}");
        }
        for word in ["panicked", "RUST_BACKTRACE", "unwrap", "Err(", "Some("] {
            assert!(!self.stderr.contains(word), "{word:?} is in:\n{self}");
        }
        self
    }

    /// Stdout as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}:\n{self}"))
    }
}

/// A temporary folder in which the command is run, so that it is spoken to and speaks in relative paths.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// An empty desk.
    pub(crate) fn new() -> Desk {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    /// A desk with the tables of the toy corpus.
    pub(crate) fn with_tables() -> Desk {
        let desk = Desk::new();
        let toy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/toy");
        for table in ["links.tsv", "categories.tsv", "category-tree.tsv", "text.tsv"] {
            fs::copy(toy.join(table), desk.path(table)).unwrap();
        }
        desk
    }

    /// A desk with the toy corpus.
    pub(crate) fn with_corpus() -> Desk {
        let desk = Desk::with_tables();
        desk.llamafur(IMPORT_TOY).fine();
        desk
    }

    /// A desk with the toy corpus and its default model.
    pub(crate) fn with_model() -> Desk {
        let desk = Desk::with_corpus();
        desk.llamafur(["train", TOY]).fine();
        desk
    }

    /// A file or folder on the desk.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Everything on the desk: the paths of the folders, and the files with their bytes.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        walk(self.folder.path(), &mut found);
        found.sort();
        found
    }

    /// Runs the command on this desk without showing progress.
    pub(crate) fn llamafur<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.llamafur_with_progress("none", args)
    }

    /// Runs the command on this desk.
    pub(crate) fn llamafur_with_progress<S: AsRef<OsStr>>(
        &self,
        progress: &str,
        args: impl IntoIterator<Item = S>,
    ) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command());
        command.args(["--progress", progress]).args(args).timeout(TIMEOUT);
        let output = command.output().unwrap();
        Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Runs the command, which must fail as [`Run::fails`] says and leave the desk as it was.
    #[track_caller]
    pub(crate) fn refused<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        code: i32,
        parts: &[&str],
    ) -> Run {
        let before = self.contents();
        let run = self.llamafur(args).fails(code, parts);
        self.expect_unchanged(&before);
        run
    }

    /// Fails unless the desk is as it was.
    #[track_caller]
    pub(crate) fn expect_unchanged(&self, before: &[(PathBuf, Option<Vec<u8>>)]) {
        let after = self.contents();
        let names = |contents: &[(PathBuf, _)]| -> Vec<PathBuf> {
            contents.iter().map(|(path, _)| path.clone()).collect()
        };
        assert_eq!(names(&after), names(before), "the listing has changed");
        let changed = before.iter().zip(&after).find(|(before, after)| before != after);
        assert!(changed.is_none(), "{} has changed", changed.unwrap().0.0.display());
    }

    /// The command, to be run on this desk.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_llamafur"));
        command.current_dir(self.folder.path()).env_remove("COLUMNS").env("RUST_BACKTRACE", "0");
        command
    }
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), None));
            walk(&path, found);
        } else {
            let bytes = fs::read(&path).unwrap();
            found.push((path, Some(bytes)));
        }
    }
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &place);
        } else {
            fs::copy(&path, &place).unwrap();
        }
    }
}

/// The names in a folder, hidden ones too.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The text with every number of more than two decimals rounded to two, so that it is the same where the last
/// bits of a logarithm are not.
pub(crate) fn rounded(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        result.push_str(before);
        let end = from.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(from.len());
        let (number, after) = from.split_at(end);
        match (number.split_once('.'), number.parse::<f64>()) {
            (Some((_, decimals)), Ok(value)) if decimals.len() > 2 => {
                let short = format!("{value:.2}");
                if short == "0.00" && result.ends_with('-') {
                    result.pop();
                }
                result.push_str(&short);
            }
            _ => result.push_str(number),
        }
        rest = after;
    }
    result + rest
}

/// The text with every checksum replaced by `[checksum]`.
pub(crate) fn without_checksums(text: &str) -> String {
    let is_hex = |word: &str| word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut result = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        result.push_str(if is_hex(&word) { "[checksum]" } else { &word });
        word.clear();
        result.push(c);
    }
    result.pop();
    result
}

/// Writes `links.tsv` and `categories.tsv` of a graph of 5,000 pages, the same every time.
pub(crate) fn write_graph(desk: &Desk, num_links: u64, num_categories: u64) {
    let mut state = 1u64;
    let mut random = |below: u64| {
        // The generator of Knuth's MMIX; its high bits are good enough to scatter links.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut links = String::new();
    for _ in 0..num_links {
        links += &format!("page number {}\tpage number {}\n", random(5_000), random(5_000));
    }
    desk.write("links.tsv", links);
    let mut categories = String::new();
    for page in 0..5_000 {
        categories += &format!("page number {page}\tcategory {}\n", page % num_categories);
        categories += &format!("page number {page}\tcategory {}\n", random(num_categories));
    }
    desk.write("categories.tsv", categories);
}
