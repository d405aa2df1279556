//! The links to be judged: read from the corpus's folder, or pooled once and saved there.

use super::error::JudgingError;
use super::log::{create_folder, key};
use super::{PooledLink, pool_path};
use crate::judgments::{Pages, for_each_pair, own_file, sums};
use crate::pool::{PoolConf, Pooled, pool, write_table};
use blake3::Hasher;
use llamafur::corpus::Corpus;
use llamafur::progress::{Note, Progress};
use llamafur::score::ScoreConf;
use llamafur::{Engine, Error};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Settings for pooling the links to be judged.
///
/// On random pages with enough links, each scorer contributes its most unexpected links; `random` contributes links
/// drawn at random, so that expected ones are among them: see [`crate::pool`].
///
/// ```
/// use llamafur_eval::judging::JudgingConf;
/// let conf = JudgingConf::default().pages(20).each(5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingConf {
    pool: Option<PathBuf>,
    pages: usize,
    each: usize,
    links: usize,
    scorers: Vec<String>,
    seed: u64,
}

impl Default for JudgingConf {
    fn default() -> JudgingConf {
        let scorers = ["blend", "llamafur", "aa", "random"].map(str::to_owned).into();
        JudgingConf { pool: None, pages: 100, each: 3, links: 600, scorers, seed: 1 }
    }
}

impl JudgingConf {
    /// Sets a table of links to be judged, in the format of [`write_table`], in place of the corpus's own. Default:
    /// none.
    #[must_use]
    pub fn pool(mut self, path: impl Into<PathBuf>) -> JudgingConf {
        self.pool = Some(path.into());
        self
    }

    /// Sets the number of pages to draw. Default: 100.
    #[must_use]
    pub fn pages(mut self, pages: usize) -> JudgingConf {
        self.pages = pages;
        self
    }

    /// Sets the number of links that each scorer contributes on a page. Default: 3. At least 1.
    #[must_use]
    pub fn each(mut self, each: usize) -> JudgingConf {
        self.each = each;
        self
    }

    /// Sets the largest number of links to judge; further pages are left out. Default: 600, two hours' work.
    #[must_use]
    pub fn links(mut self, links: usize) -> JudgingConf {
        self.links = links;
        self
    }

    /// Sets the scorers; those whose input the corpus lacks are left out. Default: `blend`, `llamafur`, `aa`, `random`.
    #[must_use]
    pub fn scorers<S: Into<String>>(mut self, scorers: impl IntoIterator<Item = S>) -> JudgingConf {
        self.scorers = scorers.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the seed of all random choices. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> JudgingConf {
        self.seed = seed;
        self
    }
}

/// Least number of links of a page; the next one is used if too few pages have as many.
const MIN_LINKS: [usize; 4] = [10, 5, 2, 1];

/// Returns the links to be judged that the corpus has, in order, each once.
pub(super) fn read_or_make(
    engine: &Engine,
    conf: &JudgingConf,
    progress: &mut dyn Progress,
) -> Result<Vec<PooledLink>, JudgingError> {
    let corpus = engine.corpus();
    let path = conf.pool.clone().unwrap_or_else(|| pool_path(corpus));
    if conf.pool.is_none() && !path.exists() {
        make(engine, conf, &path, progress)?;
    }
    if conf.pool.is_none() {
        sums::verify(&path)?;
    }
    // What is named may be a link or a pipe, the corpus's own may not.
    let file = if conf.pool.is_some() { File::open(&path) } else { own_file::open(&path) };
    let links = read(corpus, file.map_err(JudgingError::io(&path))?, &path)?;
    if links.is_empty() {
        return Err(JudgingError::NoLinks { path });
    }
    Ok(links)
}

fn read(mut corpus: &Corpus, file: File, path: &Path) -> Result<Vec<PooledLink>, JudgingError> {
    let mut links = Vec::new();
    let mut known = BTreeSet::new();
    for_each_pair(file, path, |source, target| {
        // Another import of the corpus may have left pages out.
        let (Some(source), Some(target)) = (corpus.page(source)?, corpus.page(target)?) else {
            return Ok(());
        };
        if corpus.has_link(source, target)? && known.insert((source, target)) {
            let key = key(Corpus::title(corpus, source)?, Corpus::title(corpus, target)?);
            links.push(PooledLink { source, target, key });
        }
        Ok(())
    })?;
    // A title with a tab or a line break would break a line of the log in two.
    links.retain(|link| link.key.matches(['\t', '\n', '\r']).count() == 1);
    Ok(links)
}

fn make(
    engine: &Engine,
    conf: &JudgingConf,
    path: &Path,
    progress: &mut dyn Progress,
) -> Result<(), JudgingError> {
    let corpus = engine.corpus();
    let mut scorers = Vec::new();
    for name in &conf.scorers {
        match engine.prepare(name, &ScoreConf::default(), progress) {
            Ok(scorer) => scorers.push(scorer),
            Err(error) if error.is_lack() => progress.note(Note::left_out(name, &error)),
            Err(error) => return Err(error.into()),
        }
    }
    let whole = PoolConf::new(conf.pages).share(1.0).expect("a share of 1 is in range");
    let conf_of_pool = whole.most(conf.each).min_links(min_links(corpus, conf.pages)?).seed(conf.seed);
    let pooled = capped(pool(engine, &scorers, &conf_of_pool)?, conf.links);
    if pooled.is_empty() {
        return Err(JudgingError::NoLinks { path: path.into() });
    }
    write_pool(corpus, &pooled, progress)
}

/// Saves pooled links as those to be judged in a corpus.
pub fn write_pool(
    corpus: &Corpus,
    pooled: &[Pooled],
    progress: &mut dyn Progress,
) -> Result<(), JudgingError> {
    let path = pool_path(corpus);
    if let Some(folder) = path.parent() {
        create_folder(folder).map_err(JudgingError::io(folder))?;
    }
    // A pool without sums is taken as it is; one with those of another is not.
    match fs::remove_file(sums::path_of(&path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(JudgingError::io(&path)(error)),
        _ => write_table(&path, corpus, pooled, progress)?,
    }
    let written = fs::read(&path).map_err(JudgingError::io(&path))?;
    sums::append(&path, written.len() as u64, Hasher::new().update(&written));
    Ok(())
}

/// Returns the first of [`MIN_LINKS`] that enough pages have.
fn min_links(corpus: &Corpus, pages: usize) -> Result<usize, Error> {
    let links = corpus.all_links()?;
    let num_with = |least: usize| links.rows().filter(|row| row.len() >= least).count();
    Ok(MIN_LINKS.into_iter().find(|&least| num_with(least) >= pages).unwrap_or(1))
}

/// Keeps the first pages whose links fit the limit, but at least one page.
fn capped(mut pooled: Vec<Pooled>, links: usize) -> Vec<Pooled> {
    let mut sum = 0;
    let fits = |page: &&Pooled| {
        sum += page.targets.len();
        sum <= links
    };
    let fitting = pooled.iter().take_while(fits).count();
    pooled.truncate(fitting.max(1));
    pooled
}
