//! A copy of a corpus with the planted links, in the system's temporary folder.
//!
//! Titles, categories, redirects and texts are those of the corpus. What depends on the links, models and their
//! cleansings, is made again with the same settings.

use super::conf::{PlantConf, PlantError};
use super::draw::draw;
use llamafur::Error;
use llamafur::categories::{Categories, CleanseConf, Cleanser, Feature, Milestones};
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::graph::{CategoryId, PageId};
use llamafur::learn::{LearnConf, Model, features, train_features};
use llamafur::progress::{Progress, Task};
use llamafur::storage::{Existing, Temporary};
use llamafur::words::Words;
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

/// A corpus with planted links. Its folder is removed when it is dropped.
pub struct Planted {
    corpus: Corpus,
    links: BTreeSet<(PageId, PageId)>,
    // Dropped last: the files of the corpus are in it.
    _folder: TempDir,
    _registered: Temporary,
}

/// A folder for [`Planted::new`], removed when dropped, and by a signal.
///
/// # Errors
/// If the system's temporary folder cannot be written.
pub fn temporary_folder() -> Result<(TempDir, Temporary), PlantError> {
    let parent = std::env::temp_dir();
    let made = Temporary::made(|| tempfile::Builder::new().prefix("llamafur-plant-").tempdir_in(&parent));
    made.map_err(|cause| PlantError::Folder { path: parent, cause })
}

impl Planted {
    /// Copies a corpus into a [`temporary_folder`] and plants links in the copy.
    ///
    /// # Errors
    /// If there are not enough pairs to plant, a file is damaged, or the disk is full.
    pub fn new(
        corpus: &Corpus,
        conf: &PlantConf,
        (folder, registered): (TempDir, Temporary),
        progress: &mut dyn Progress,
    ) -> Result<Planted, PlantError> {
        let links = draw(&Categories::preferred(corpus)?.graph()?, conf)?;
        progress.start(Task::CopyCorpus, None);
        let path = folder.path().join("planted.corpus");
        write(corpus, &links, conf, &path)?;
        let copy = Corpus::open(&path)?;
        let words = Words::path(corpus);
        // They depend on the texts alone. If they are missing, they are made when needed.
        if words.exists() {
            let copied = std::fs::copy(&words, Words::path(&copy));
            copied.map_err(|cause| Error::Io { path: Words::path(&copy), cause })?;
        }
        progress.finish();
        Ok(Planted { corpus: copy, links, _folder: folder, _registered: registered })
    }

    /// The copy.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The planted links, as (source, target).
    pub fn links(&self) -> &BTreeSet<(PageId, PageId)> {
        &self.links
    }

    /// Learns a model of the copy with the settings of one of the original corpus, with all passes of the models that
    /// it continued from, and saves it under the same name.
    ///
    /// # Errors
    /// If the model or its cleansing cannot be opened or made.
    pub fn learn(
        &self,
        model: &Model,
        original: &Corpus,
        progress: &mut dyn Progress,
    ) -> Result<(), PlantError> {
        let settings = model.settings();
        let categories = match &settings.cleansing {
            Some(id) => self.cleansed(original, &id.name, progress)?,
            None => Categories::all(&self.corpus),
        };
        let which: Vec<Feature> = model.matrices().map(|matrix| matrix.settings().feature).collect();
        let features = features::open(&self.corpus, &which, categories, progress)?;
        let before = settings.origin.as_ref().map_or(0, |origin| origin.passes);
        let conf = LearnConf::of(settings).passes(settings.passes + before).held_out(0.0);
        let learnt = train_features(&features, model.name(), &conf, progress)?;
        learnt.save(&self.corpus)?;
        Ok(())
    }

    /// The milestones of a cleansing made as that of the original was, unless it was made before.
    fn cleansed(
        &self,
        original: &Corpus,
        name: &str,
        progress: &mut dyn Progress,
    ) -> Result<Categories, Error> {
        if !Milestones::names(&self.corpus)?.iter().any(|made| made == name) {
            let milestones = Milestones::open(original, name)?;
            let settings = milestones.settings();
            let cleanser = Cleanser::new(&self.corpus, Some(settings.basis), progress)?;
            cleanser.cleanse(&CleanseConf::of(settings)?)?.save(&self.corpus, name)?;
        }
        Categories::cleansed(&self.corpus, name)
    }
}

fn write(
    corpus: &Corpus,
    planted: &BTreeSet<(PageId, PageId)>,
    conf: &PlantConf,
    path: &Path,
) -> Result<(), Error> {
    let (all_links, all_categories) = (corpus.all_links()?, corpus.all_categories()?);
    let pages = || (0..corpus.num_pages() as u32).map(PageId);
    let mut writer = CorpusWriter::create(path, Existing::Refuse)?;
    let titles = pages().map(|page| corpus.title(page)).collect::<Result<Vec<_>, _>>()?;
    let links = pages().map(|page| {
        let new = planted.range((page, PageId(0))..=(page, PageId(u32::MAX))).map(|(_, target)| target.0);
        let mut row: Vec<u32> =
            all_links.row(page.index()).iter().map(|target| target.0).chain(new).collect();
        row.sort_unstable();
        row
    });
    let carried = all_categories.rows().map(|row| row.iter().map(|category| category.0));
    writer.write_pages(
        StringColumn::from_iter(titles),
        ListColumn::from_iter(links),
        ListColumn::from_iter(carried),
    )?;
    let categories = || (0..corpus.num_categories() as u32).map(CategoryId);
    let names = categories().map(|category| corpus.category_name(category)).collect::<Result<Vec<_>, _>>()?;
    let tree = corpus.category_tree()?;
    let parents = tree.rows().map(|row| row.iter().map(|parent| parent.0));
    writer.write_categories(StringColumn::from_iter(names), ListColumn::from_iter(parents))?;
    if corpus.num_redirects() > 0 {
        let rows = (0..corpus.num_redirects()).map(|row| corpus.redirect(row));
        let (titles, pages): (Vec<&str>, Vec<u32>) =
            rows.collect::<Result<Vec<_>, _>>()?.into_iter().map(|(title, page)| (title, page.0)).unzip();
        writer.write_redirects(StringColumn::from_iter(titles), pages)?;
    }
    if let Some(site) = &corpus.manifest().site {
        writer.set_site(site.clone());
    }
    if corpus.has_text() {
        writer.copy_text(corpus)?;
    }
    let options =
        [("kind", conf.kind.to_string()), ("share", conf.share.to_string()), ("seed", conf.seed.to_string())];
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    writer.finish(Provenance { command: "plant".into(), options, ..Provenance::default() })?;
    Ok(())
}
