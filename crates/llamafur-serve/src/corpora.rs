//! The served corpora: each has a name, and is opened again when it is replaced on disk.

use crate::problem::Problem;
use arc_swap::ArcSwap;
use llamafur::Error;
use llamafur::engine::{Engine, EngineConf};
use llamafur::learn::Model;
use llamafur::progress::{Progress, Silent};
use llamafur::score::{SCORERS, ScoreConf};
use llamafur::storage::handle_lost_pages;
use llamafur::vectors::PageVectors;
use llamafur_eval::judging::{Judging, JudgingConf, JudgingError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fs, io};

/// All corpora of a server.
#[derive(Debug)]
pub(crate) struct Corpora(Vec<Corpus>);

/// A corpus under its name.
#[derive(Debug)]
struct Corpus {
    name: String,
    path: PathBuf,
    current: ArcSwap<Served>,
    /// The files of the replacement that could not be opened.
    refused: Mutex<Option<Stamp>>,
}

/// An opened corpus.
#[derive(Debug)]
pub(crate) struct Served {
    /// The corpus's name in requests.
    pub(crate) name: String,
    /// The engine, with all that rankings by the default scorer need.
    pub(crate) engine: Engine,
    pub(crate) has_model: bool,
    /// A checksum of everything that answers depend on.
    pub(crate) version: String,
    stamp: Stamp,
    /// The judging, opened on first use.
    judging: Mutex<Option<Arc<Judging>>>,
}

impl Served {
    fn open(name: &str, path: &Path, progress: &mut dyn Progress) -> Result<Served, Error> {
        // Taken before, so that a change while it is opened is noticed after.
        let mut stamp = Stamp::of(path);
        let engine = Engine::open(path, EngineConf::default())?;
        engine.warm_up(&ScoreConf::default(), progress)?;
        open_all(&engine, progress);
        // Made just now where there were none.
        stamp.words = stamp.words.or_else(|| FileStamp::of(path.join(WORDS)));
        let words = match engine.inputs().words(progress) {
            Ok(words) => words.checksum(),
            Err(error) if error.is_lack() => String::new(),
            Err(error) => return Err(error),
        };
        let (has_model, version) =
            (stamp.has_model(), stamp.version(&engine.corpus().manifest().checksum(), &words));
        Ok(Served { name: name.to_owned(), engine, has_model, version, stamp, judging: Mutex::default() })
    }

    /// Returns the corpus's judging; the links to be judged are pooled now if there are none yet.
    pub(crate) fn judging(&self, progress: &mut dyn Progress) -> Result<Arc<Judging>, JudgingError> {
        let mut judging = self.judging.lock().unwrap_or_else(PoisonError::into_inner);
        match &*judging {
            Some(open) => Ok(open.clone()),
            None => {
                let open = Arc::new(Judging::open(&self.engine, &JudgingConf::default(), progress)?);
                Ok(judging.insert(open).clone())
            }
        }
    }
}

/// Opens every scorer, every model and all vectors that can be opened, so that no request opens a file of a corpus that
/// was replaced since. Failures are reported to the requests that need the file.
fn open_all(engine: &Engine, progress: &mut dyn Progress) {
    let vectors = PageVectors::names(engine.corpus()).into_iter().flatten();
    let vectors = vectors.map(|name| format!("cosine:{name}"));
    for scorer in SCORERS.iter().map(|scorer| scorer.name.to_owned()).chain(vectors) {
        let _ = engine.prepare_ranking(&scorer, &ScoreConf::default(), progress);
    }
    for model in Model::names(engine.corpus()).into_iter().flatten() {
        let _ = engine.inputs().model(&model);
    }
}

impl Corpora {
    /// Opens every corpus, and computes data that answers need and the corpus lacks.
    pub(crate) fn open(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<Corpora, Error> {
        if let Err(error) = handle_lost_pages() {
            tracing::warn!(%error, "a corpus whose files are cut ends the server");
        }
        let mut taken = BTreeSet::new();
        let mut all = Vec::new();
        for path in paths {
            let name = free_name(path, &mut taken);
            let served = Served::open(&name, path, progress)?;
            all.push(Corpus {
                name,
                path: path.clone(),
                current: ArcSwap::from_pointee(served),
                refused: Mutex::default(),
            });
        }
        Ok(Corpora(all))
    }

    /// Returns a corpus by its name; the first without a name.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<Arc<Served>, Problem> {
        let found = match name {
            None => self.0.first(),
            Some(name) => self.0.iter().find(|corpus| corpus.name == name),
        };
        let found = found.ok_or_else(|| Problem::no_corpus(name.unwrap_or_default(), self.names()))?;
        Ok(found.current.load_full())
    }

    /// Returns the names of the corpora.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|corpus| corpus.name.clone()).collect()
    }

    /// Returns the current state of all corpora.
    pub(crate) fn all(&self) -> impl Iterator<Item = Arc<Served>> {
        self.0.iter().map(|corpus| corpus.current.load_full())
    }

    /// Opens again every corpus that was replaced or changed in place. Requests that have begun continue with the one
    /// that they have.
    ///
    /// A corpus without its former model is not opened: it is being replaced.
    pub(crate) fn renew_all(&self) {
        self.0.iter().for_each(Corpus::renew);
    }
}

impl Corpus {
    fn renew(&self) {
        let (name, before, stamp) = (&self.name, self.current.load_full(), Stamp::of(&self.path));
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_whole = before.engine.corpus().watch().expect_unchanged().is_ok();
        // What could not be taken over is not tried again before it has changed, unless there is nothing else to serve.
        if is_whole && (stamp == before.stamp || refused.as_ref() == Some(&stamp)) {
            return;
        }
        let refuse = |why: &str| {
            let before = if is_whole { "the one before is served" } else { "the one before is gone" };
            tracing::warn!(corpus = name, why, before, "replaced, but not taken over");
            Some(stamp.clone())
        };
        if before.has_model && !stamp.has_model() {
            *refused = refuse("it has no model yet");
            return;
        }
        match Served::open(name, &self.path, &mut Silent) {
            // Files that are copied one after the other are waited for.
            Ok(new) if Stamp::of(&self.path).files != new.stamp.files => *refused = None,
            Ok(new) => {
                tracing::info!(corpus = name, version = new.version, "opened again");
                self.current.store(Arc::new(new));
            }
            Err(error) => *refused = refuse(&error.to_string()),
        }
    }
}

/// First parts of addresses, which no corpus may have as its name.
const ROUTES: [&str; 7] = ["api", "assets", "healthz", "mcp", "metrics", "readyz", "report"];

/// Returns the name of the folder without its ending; with a number if the name is taken.
fn free_name(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.into());
    let stem = full.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".corpus").unwrap_or(&stem);
    let stem = if stem.is_empty() || ROUTES.contains(&stem) { "corpus" } else { stem };
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    let name = names.find(|name| !taken.contains(name)).unwrap_or_else(|| stem.to_owned());
    taken.insert(name.clone());
    name
}

/// The file of a corpus's words.
const WORDS: &str = "words.arrow";

/// State of the files that answers depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// The tables of the corpus, its models and vectors.
    files: Vec<FileStamp>,
    /// The words, which rankings compute if missing; `llamafur words` computes them again.
    words: Option<FileStamp>,
}

/// State of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
    number: u64,
}

impl FileStamp {
    fn of(path: PathBuf) -> Option<FileStamp> {
        let meta = fs::metadata(&path).ok()?;
        let (bytes, modified, number) = (meta.len(), meta.modified().ok(), number(&meta));
        Some(FileStamp { path, bytes, modified, number })
    }
}

impl Stamp {
    /// Reads the state of a corpus's files, except means and prepared files, which rankings compute from the rest.
    fn of(path: &Path) -> Stamp {
        let is_table = |file: &PathBuf| {
            file.extension().is_some_and(|extension| extension == "arrow") && !file.ends_with(WORDS)
        };
        let mut files = vec![path.join("manifest.json")];
        files.extend(entries(path).into_iter().flatten().filter(is_table));
        for folder in ["models", "vectors"] {
            files.extend(entries(&path.join(folder)).into_iter().flatten());
        }
        files.sort();
        let files = files.into_iter().filter_map(FileStamp::of).collect();
        Stamp { files, words: FileStamp::of(path.join(WORDS)) }
    }

    fn has_model(&self) -> bool {
        self.files.iter().any(|file| file.path.parent().is_some_and(|parent| parent.ends_with("models")))
    }

    /// Returns the checksum of everything that answers depend on: the program, the manifest, which has the checksums of
    /// the tables, the words, and the models and vectors by their size and time.
    fn version(&self, checksum: &str, words: &str) -> String {
        let mut hash = blake3::Hasher::new();
        hash.update(format!("{} {checksum} {words}", env!("CARGO_PKG_VERSION")).as_bytes());
        for file in &self.files {
            let since = file.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            hash.update(file.path.file_name().unwrap_or_default().as_encoded_bytes());
            hash.update(format!(" {} {since:?};", file.bytes).as_bytes());
        }
        hash.finalize().to_hex()[..32].to_owned()
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_shown =
        |path: &PathBuf| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    Ok(paths.collect::<io::Result<Vec<_>>>()?.into_iter().filter(is_shown).collect())
}

#[cfg(unix)]
fn number(meta: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn number(_: &fs::Metadata) -> u64 {
    0
}
