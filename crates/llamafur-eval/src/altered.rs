//! Copies a corpus with other links into a temporary folder, to measure on links that were added, moved or held out.
//!
//! Titles, categories, redirects and texts are those of the corpus. Models and their cleansings, which depend on the
//! links, are computed again with the same settings.

use llamafur::Error;
use llamafur::categories::{Categories, CleanseConf, Cleanser, Feature, Milestones};
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::graph::{CategoryId, PageId};
use llamafur::learn::{LearnConf, Model, features, train_features};
use llamafur::progress::{Progress, Task};
use llamafur::storage::{Existing, Temporary};
use llamafur::words::Words;
use std::path::Path;
use tempfile::TempDir;

/// A copy of a corpus with other links. Dropping it removes its folder.
pub struct AlteredCorpus {
    corpus: Corpus,
    // Dropped last: the files of the corpus are in it.
    _folder: TempDir,
    _registered: Temporary,
}

impl AlteredCorpus {
    /// Copies a corpus into a [temporary folder](crate::planted::temporary_folder). For each page, `links` returns the
    /// links of the copy, ascending, from those of the corpus.
    pub fn new(
        corpus: &Corpus,
        links: impl Fn(PageId, &[PageId]) -> Vec<PageId>,
        provenance: Provenance,
        (folder, registered): (TempDir, Temporary),
        progress: &mut dyn Progress,
    ) -> Result<AlteredCorpus, Error> {
        progress.start(Task::CopyCorpus, None);
        let path = folder.path().join("altered.corpus");
        write(corpus, links, provenance, &path)?;
        let copy = Corpus::open(&path)?;
        let words = Words::path(corpus);
        // They depend on the texts alone. If they are missing, they are made when needed.
        if words.exists() {
            let copied = std::fs::copy(&words, Words::path(&copy));
            copied.map_err(|cause| Error::Io { path: Words::path(&copy), cause })?;
        }
        progress.finish();
        Ok(AlteredCorpus { corpus: copy, _folder: folder, _registered: registered })
    }

    /// Returns the copy.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Learns a model of the copy with the settings of one of the original corpus, with all passes of the models that
    /// it continued from, and saves it under its name.
    pub fn learn(&self, model: &Model, original: &Corpus, progress: &mut dyn Progress) -> Result<(), Error> {
        let settings = model.settings();
        let before = settings.origin.as_ref().map_or(0, |origin| origin.passes);
        let conf = LearnConf::of(settings).passes(settings.passes + before);
        self.learn_as(model.name(), model, original, &conf, progress)
    }

    /// Learns a model of the copy with other settings and saves it under `name`.
    pub fn learn_as(
        &self,
        name: &str,
        model: &Model,
        original: &Corpus,
        conf: &LearnConf,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let categories = match &model.settings().cleansing {
            Some(id) => self.cleansed(original, &id.name, progress)?,
            None => Categories::all(&self.corpus),
        };
        let which: Vec<Feature> = model.matrices().map(|matrix| matrix.settings().feature).collect();
        let features = features::open(&self.corpus, &which, categories, progress)?;
        let learnt = train_features(&features, name, &conf.clone().held_out(0.0), progress)?;
        learnt.save(&self.corpus)?;
        Ok(())
    }

    /// Returns the milestones of a cleansing with the original's settings, computed on the first call.
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
    links: impl Fn(PageId, &[PageId]) -> Vec<PageId>,
    provenance: Provenance,
    path: &Path,
) -> Result<(), Error> {
    let (all_links, all_categories) = (corpus.all_links()?, corpus.all_categories()?);
    let pages = || (0..corpus.num_pages() as u32).map(PageId);
    let mut writer = CorpusWriter::create(path, Existing::Refuse)?;
    let titles = pages().map(|page| corpus.title(page)).collect::<Result<Vec<_>, _>>()?;
    let links =
        pages().map(|page| links(page, all_links.row(page.index())).into_iter().map(|target| target.0));
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
    writer.finish(provenance)?;
    Ok(())
}
