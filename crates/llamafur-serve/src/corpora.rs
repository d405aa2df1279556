//! The corpora that are served: each under its name, opened again when it is replaced on disk.

use crate::problem::Problem;
use arc_swap::ArcSwap;
use llamafur::Error;
use llamafur::engine::{Engine, EngineConf};
use llamafur::progress::{Progress, Silent};
use llamafur::score::ScoreConf;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// Held while it is opened again, so that it is opened once.
    opening: Mutex<()>,
    /// The files that could not be taken over.
    refused: Mutex<Option<Stamp>>,
}

impl Corpus {
    fn refused(&self) -> MutexGuard<'_, Option<Stamp>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A corpus as it was when it was opened.
#[derive(Debug)]
pub(crate) struct Served {
    /// Its name in requests.
    pub(crate) name: String,
    /// The engine, with all that rankings by the default scorer need.
    pub(crate) engine: Engine,
    /// Whether a model was there.
    pub(crate) has_model: bool,
    /// A checksum of everything that answers depend on.
    pub(crate) version: String,
    stamp: Stamp,
}

impl Served {
    fn open(name: &str, path: &Path, progress: &mut dyn Progress) -> Result<Served, Error> {
        // Taken before, so that a change while it is opened is noticed after.
        let stamp = Stamp::of(path);
        let engine = Engine::open(path, EngineConf::default())?;
        engine.prepare_all(&ScoreConf::default(), progress)?;
        let (has_model, version) = (stamp.has_model(), stamp.version(&engine.corpus().manifest().checksum()));
        Ok(Served { name: name.to_owned(), engine, has_model, version, stamp })
    }

    /// Whether the files are no longer those that were opened.
    pub(crate) fn is_replaced(&self) -> bool {
        Stamp::of(self.engine.corpus().path()) != self.stamp
    }
}

impl Corpora {
    /// Opens every corpus, and makes what answers need and it does not keep yet.
    pub(crate) fn open(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<Corpora, Error> {
        let mut taken = BTreeSet::new();
        let mut all = Vec::new();
        for path in paths {
            let name = free_name(path, &mut taken);
            let served = Served::open(&name, path, progress)?;
            let (opening, refused) = (Mutex::default(), Mutex::default());
            all.push(Corpus {
                name,
                path: path.clone(),
                current: ArcSwap::from_pointee(served),
                opening,
                refused,
            });
        }
        Ok(Corpora(all))
    }

    /// A corpus by its name; the first where none is given.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<Arc<Served>, Problem> {
        Ok(self.find(name)?.current.load_full())
    }

    fn find(&self, name: Option<&str>) -> Result<&Corpus, Problem> {
        let found = match name {
            None => self.0.first(),
            Some(name) => self.0.iter().find(|corpus| corpus.name == name),
        };
        found.ok_or_else(|| Problem::no_corpus(name.unwrap_or_default(), self.names()))
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|corpus| corpus.name.clone()).collect()
    }

    /// All of them as they are now.
    pub(crate) fn all(&self) -> impl Iterator<Item = Arc<Served>> {
        self.0.iter().map(|corpus| corpus.current.load_full())
    }

    /// Opens a corpus again if it was replaced. Requests that have begun go on with the one that they have.
    ///
    /// A corpus that lost its model is not taken over: it is on its way to a new one.
    pub(crate) fn renew(&self, name: &str) -> Result<Arc<Served>, Problem> {
        let corpus = self.find(Some(name))?;
        let _opening = corpus.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let before = corpus.current.load_full();
        let stamp = Stamp::of(&corpus.path);
        // What could not be taken over is not tried again before it has changed.
        if stamp == before.stamp || corpus.refused().as_ref() == Some(&stamp) {
            return Ok(before);
        }
        if before.has_model && !stamp.has_model() {
            tracing::warn!(
                corpus = name,
                "replaced by a corpus that has no model yet; the one before is served"
            );
            *corpus.refused() = Some(stamp);
            return Ok(before);
        }
        match Served::open(&corpus.name, &corpus.path, &mut Silent) {
            Ok(new) => {
                tracing::info!(corpus = name, version = new.version, "opened again");
                corpus.current.store(Arc::new(new));
                Ok(corpus.current.load_full())
            }
            Err(error) => {
                tracing::warn!(corpus = name, %error, "replaced, but cannot be opened; the one before is served");
                *corpus.refused() = Some(stamp);
                Ok(before)
            }
        }
    }

    /// Opens again every corpus that was replaced.
    pub(crate) fn renew_all(&self) {
        for corpus in &self.0 {
            if corpus.current.load().is_replaced() {
                // The name is one of ours, so there is no problem to report.
                let _ = self.renew(&corpus.name);
            }
        }
    }
}

/// What the addresses of no corpus begin with.
const ROUTES: [&str; 5] = ["api", "assets", "healthz", "metrics", "report"];

/// The name of the folder without its ending; with a number where that is taken.
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

/// The files that answers depend on: name, size, time and number of each.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp(Vec<(PathBuf, u64, Option<SystemTime>, u64)>);

impl Stamp {
    /// What rankings make themselves, words, means and prepared files, is no part of it: it follows from the rest.
    fn of(path: &Path) -> Stamp {
        let mut files = vec![path.join("manifest.json")];
        for folder in ["models", "vectors"] {
            files.extend(entries(&path.join(folder)).into_iter().flatten());
        }
        files.sort();
        let stamp = |file: PathBuf| {
            let meta = fs::metadata(&file).ok()?;
            Some((file, meta.len(), meta.modified().ok(), number(&meta)))
        };
        Stamp(files.into_iter().filter_map(stamp).collect())
    }

    fn has_model(&self) -> bool {
        self.0.iter().any(|(file, ..)| file.parent().is_some_and(|parent| parent.ends_with("models")))
    }

    fn version(&self, checksum: &str) -> String {
        let mut hash = blake3::Hasher::new();
        hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(checksum.as_bytes());
        for (file, size, time, _) in &self.0 {
            let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            hash.update(format!(" {size} {since:?};").as_bytes());
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
