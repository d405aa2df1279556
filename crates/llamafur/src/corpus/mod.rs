//! A corpus: pages with titles, links and categories, the category tree, and the pages' texts.
//!
//! On disk a corpus is a folder of Arrow IPC files with a manifest (`ARCHITECTURE.md` describes them). It is
//! opened by memory map: the lists of links and categories and the titles are read where they lie. Opening
//! looks at the manifest and the shapes of the files; the bytes themselves are checked, block by block, when
//! they are first touched, so that one page of a large corpus is read at the cost of that page, and a damaged
//! file gives an error and never a wrong answer.

mod manifest;
mod names;
mod overlay;
mod owned;
mod page_names;
mod page_text;
mod schemas;
mod text;
mod write;

pub use manifest::{Counts, FileEntry, Input, Manifest, Provenance};
pub(crate) use names::is_plain;
pub use names::{Found, fold};
pub(crate) use overlay::PageOverlay;
pub(crate) use page_names::{NamedPlace, PageNames, base_name};
pub(crate) use page_text::WikiText;
pub use page_text::{LinkSentence, PageText, PageTexts};
pub use write::{CorpusWriter, ListColumn, ListSpool, StringColumn, TextFile};

use crate::error::Error;
use crate::graph::{CategoryId, PageId};
use crate::remedy::Remedy;
use crate::storage::columns::{Ids, Lists, Strings, Table};
use crate::storage::{AtomicFile, BLOCK, Csr, Directory, JUDGMENTS, MANIFEST, Watch, mmap};
use crate::text::wikitext::{ARTICLES, Target, Titles, plain_text};
use arrow_array::LargeStringArray;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use text::{PAGES_IN_BATCH, TextReader};

const PAGES: &str = "pages.arrow";
const CATEGORIES: &str = "categories.arrow";
const FOLDED: &str = "folded.arrow";
const REDIRECTS: &str = "redirects.arrow";
const TEXT: &str = "text.arrow";
const BLOCKS: &str = "blocks.arrow";
const PREPARED: &str = "prepared";

/// The number of attempts to open a corpus that is being replaced.
const REPLACED: usize = 10;

/// A corpus on disk, opened. Clones are cheap and share the same maps.
#[derive(Debug, Clone)]
pub struct Corpus(Arc<Files>, Option<Arc<PageOverlay>>);

/// The files of a corpus.
#[derive(Debug)]
struct Files {
    path: PathBuf,
    watch: Arc<Watch>,
    manifest: Manifest,
    pages: Table,
    titles: Strings,
    links: Lists<PageId>,
    page_categories: Lists<CategoryId>,
    folded: Ids<u32>,
    categories: Table,
    category_names: Strings,
    parents: Lists<CategoryId>,
    redirects: Option<Redirects>,
    text: Option<TextReader>,
    /// The title rules of the wiki, if this is one.
    wiki_titles: Option<Titles>,
}

/// Titles that lead to pages of other titles.
#[derive(Debug)]
struct Redirects {
    table: Table,
    titles: Strings,
    pages: Ids<u32>,
}

impl Corpus {
    /// Opens the corpus in a folder.
    ///
    /// # Errors
    /// If there is none, it is of another version, or a file is missing or does not have the shape that the
    /// manifest gives it. Damage within the files is found when they are read, or by [`Corpus::verify`].
    pub fn open(path: impl AsRef<Path>) -> Result<Corpus, Error> {
        let path = path.as_ref();
        let manifest = || fs::read(path.join(MANIFEST)).ok();
        let mut before = manifest();
        for _ in 0..REPLACED {
            let watch = Watch::new(path);
            let opened = watch.whole(|| Corpus::open_watched(path, &watch));
            // An import may have replaced the folder after some of the files were opened.
            let after = manifest();
            if after == before {
                return opened;
            }
            before = after;
        }
        let (found, remedy) =
            ("the corpus is replaced again and again", Remedy::advice("wait for the imports to end"));
        Err(Error::Place { path: path.into(), found, remedy })
    }

    fn open_watched(path: &Path, watch: &Arc<Watch>) -> Result<Corpus, Error> {
        let manifest = Manifest::read(path)?;
        for (name, entry) in &manifest.files {
            expect_size(&path.join(name), entry.bytes)?;
        }
        let mut sums = read_blocks(path, &manifest)?;
        let mut table = |name: &str, schema| {
            let missing = || Error::damaged(path.join(name), "no checksums", "checksums of its blocks");
            Table::open(&path.join(name), sums.remove(name).ok_or_else(missing)?, &schema)
        };
        let pages = table(PAGES, schemas::pages())?;
        let categories = table(CATEGORIES, schemas::categories())?;
        let folded = table(FOLDED, schemas::folded())?;
        let redirects =
            manifest.files.contains_key(REDIRECTS).then(|| table(REDIRECTS, schemas::redirects()));
        let redirects = redirects.transpose()?.map(|table| {
            Ok::<_, Error>(Redirects { titles: table.strings(0)?, pages: table.ids(3)?, table })
        });
        let text = sums.remove(TEXT).map(|sums| TextReader::open(&path.join(TEXT), sums)).transpose()?;
        let (page_limit, category_limit) =
            (Some(PageId(pages.num_rows() as u32)), Some(CategoryId(categories.num_rows() as u32)));
        let files = Files {
            path: path.into(),
            watch: watch.clone(),
            titles: pages.strings(0)?,
            links: pages.lists(3, page_limit)?,
            page_categories: pages.lists(7, category_limit)?,
            folded: folded.ids(0)?,
            category_names: categories.strings(0)?,
            parents: categories.lists(3, category_limit)?,
            pages,
            categories,
            redirects: redirects.transpose()?,
            text,
            wiki_titles: manifest.site.as_ref().map(Titles::new),
            manifest,
        };
        let corpus = Corpus(Arc::new(files), None);
        corpus.expect_counts()?;
        Ok(corpus)
    }

    /// Returns the folder of the corpus.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the watch of the mapped files in the folder: the corpus's own, and those that were made of it.
    pub fn watch(&self) -> &Watch {
        &self.0.watch
    }

    /// Returns the path of a file that is made of the corpus and that rankings need.
    pub(crate) fn prepared(&self, name: &str) -> PathBuf {
        self.0.path.join(PREPARED).join(name)
    }

    /// Starts a file that is made of this corpus and will be at `path` in its folder. If another corpus replaces this
    /// one meanwhile, the file does not come into its folder.
    ///
    /// # Errors
    /// If another corpus has replaced this one already, the folder cannot be written, or another process is writing the same file.
    pub(crate) fn create_file(&self, path: &Path, block_size: usize) -> Result<AtomicFile, Error> {
        let replaced = || {
            let (found, remedy) = ("the corpus was replaced meanwhile", Remedy::advice("do it again"));
            Error::Place { path: path.into(), found, remedy }
        };
        let folder = Directory::open(self.path()).map_err(Error::io(path))?;
        // Read through the directory that the file will be in.
        let mut text = Vec::new();
        let manifest = folder.open_file(MANIFEST).and_then(|mut file| file.read_to_end(&mut text));
        if manifest.is_err() || !self.manifest().is_text(&text) {
            return Err(replaced());
        }
        let parent = path.parent().unwrap_or(path);
        let below = parent.strip_prefix(self.path()).map_err(|_| replaced())?;
        let directory = folder.below(below).map_err(Error::io(path))?;
        AtomicFile::create_in(directory, path, block_size)
    }

    /// Returns the folder of what people judged of the corpus: an import that replaces the corpus keeps it.
    pub fn judgments(&self) -> PathBuf {
        self.0.path.join(JUDGMENTS)
    }

    /// Returns the contents and the provenance of the corpus.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Returns the number of pages.
    pub fn num_pages(&self) -> usize {
        self.0.pages.num_rows()
    }

    /// Returns the number of links.
    pub fn num_links(&self) -> usize {
        self.0.links.num_values()
    }

    /// Returns the number of categories.
    pub fn num_categories(&self) -> usize {
        self.0.categories.num_rows()
    }

    /// Returns whether the pages have texts.
    pub fn has_text(&self) -> bool {
        self.0.text.is_some()
    }

    /// Returns the title of a page.
    ///
    /// # Errors
    /// If the file is damaged there, or there is no such page.
    pub fn title(&self, page: PageId) -> Result<&str, Error> {
        if let Some(overlay) = self.overlay_of(page) {
            return Ok(&overlay.title);
        }
        self.0.titles.get(page.index())
    }

    /// Returns the pages that a page links to, ascending.
    pub fn links(&self, page: PageId) -> Result<&[PageId], Error> {
        if let Some(overlay) = self.overlay_of(page) {
            return Ok(&overlay.links);
        }
        self.0.links.get(page.index())
    }

    /// Returns whether a page links to another, without a look at its other links.
    pub(crate) fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error> {
        match self.overlay_of(source) {
            Some(overlay) => Ok(overlay.links.binary_search(&target).is_ok()),
            None => self.0.links.contains(source.index(), target),
        }
    }

    /// Returns the categories that a page carries, ascending.
    pub fn categories(&self, page: PageId) -> Result<&[CategoryId], Error> {
        if let Some(overlay) = self.overlay_of(page) {
            return Ok(&overlay.categories);
        }
        self.0.page_categories.get(page.index())
    }

    /// Returns the name of a category.
    pub fn category_name(&self, category: CategoryId) -> Result<&str, Error> {
        self.0.category_names.get(category.index())
    }

    /// Returns the parents of a category in the category tree, ascending.
    pub fn parents(&self, category: CategoryId) -> Result<&[CategoryId], Error> {
        self.0.parents.get(category.index())
    }

    /// Returns the text of a page, of a wiki without its markup; `None` where the page, or the whole corpus, has none.
    pub fn text(&self, page: PageId) -> Result<Option<String>, Error> {
        let text = self.stored_text(page)?;
        Ok(match &self.0.wiki_titles {
            Some(titles) => text.map(|wikitext| plain_text(&wikitext, titles)),
            None => text,
        })
    }

    /// Returns the text of a page as it is stored: of a wiki the wikitext.
    pub fn stored_text(&self, page: PageId) -> Result<Option<String>, Error> {
        if let Some(overlay) = self.overlay_of(page) {
            return Ok(Some(overlay.text.clone()));
        }
        self.0.text.as_ref().map_or(Ok(None), |text| text.get(page.index()))
    }

    /// Returns the number of batches of texts, for work on all of them.
    pub(crate) fn num_text_batches(&self) -> usize {
        self.0.text.as_ref().map_or(0, TextReader::num_batches)
    }

    /// Returns the compressed bytes of a batch of texts.
    pub(crate) fn text_batch_bytes(&self, number: usize) -> u64 {
        self.0.text.as_ref().map_or(0, |text| text.batch_bytes(number))
    }

    /// Returns the number of pages in some batches of texts.
    pub(crate) fn num_pages_in(&self, batches: &Range<usize>) -> u64 {
        let first = |batch: usize| (batch * PAGES_IN_BATCH).min(self.num_pages()) as u64;
        first(batches.end) - first(batches.start)
    }

    /// Returns the first page of a batch of texts.
    pub(crate) fn first_page_in(&self, batch: usize) -> PageId {
        PageId((batch * PAGES_IN_BATCH) as u32)
    }

    /// Returns the texts of the pages of a batch as they are stored, null where there is none.
    pub(crate) fn stored_batch(&self, number: usize) -> Result<LargeStringArray, Error> {
        match &self.0.text {
            Some(text) => text.batch(number),
            None => Ok(LargeStringArray::from(Vec::<Option<&str>>::new())),
        }
    }

    /// Calls `each` with the texts of the pages of a batch, as [`Corpus::text`] returns them, in order; batches follow
    /// each other.
    pub(crate) fn text_batch(&self, number: usize, mut each: impl FnMut(Option<&str>)) -> Result<(), Error> {
        let Some(text) = &self.0.text else { return Ok(()) };
        for text in text.batch(number)?.iter() {
            match &self.0.wiki_titles {
                Some(titles) => each(text.map(|wikitext| plain_text(wikitext, titles)).as_deref()),
                None => each(text),
            }
        }
        Ok(())
    }

    /// Releases the memory of some batches of texts, after work that needs them once.
    pub(crate) fn release_text_batches(&self, batches: Range<usize>) {
        if let Some(text) = &self.0.text {
            text.release(batches);
        }
    }

    /// Returns the title rules of the wiki, if the corpus is of a wiki, whose texts are wikitext; `None` otherwise.
    pub fn wiki_titles(&self) -> Option<&Titles> {
        self.0.wiki_titles.as_ref()
    }

    /// Returns the number of titles that lead to a page of another title.
    pub fn num_redirects(&self) -> usize {
        self.0.redirects.as_ref().map_or(0, |redirects| redirects.table.num_rows())
    }

    /// Returns a title that leads to a page of another title, and that page, in the order of the titles.
    pub fn redirect(&self, row: usize) -> Result<(&str, PageId), Error> {
        let missing = || Error::damaged(self.0.path.join(REDIRECTS), "no such row", row.to_string());
        let redirects = self.0.redirects.as_ref().ok_or_else(missing)?;
        let title = redirects.titles.get(row)?;
        let page = redirects.pages.get(row)?;
        if page as usize >= self.num_pages() {
            let path = self.0.path.join(REDIRECTS);
            return Err(Error::damaged(path, "an id that is out of range", "page ids"));
        }
        Ok((title, PageId(page)))
    }

    /// Finds the page of exactly this title, or the one that it redirects to.
    pub fn resolve(&self, title: &str) -> Result<Option<PageId>, Error> {
        if let Some(page) = self.page_titled(title)? {
            return Ok(Some(page));
        }
        let Some(redirects) = &self.0.redirects else { return Ok(None) };
        let row = redirects.titles.binary_search(title)?;
        row.map(|row| self.redirect(row).map(|(_, page)| page)).transpose()
    }

    /// Finds the page of exactly this title; redirects are not followed.
    pub(crate) fn page_titled(&self, title: &str) -> Result<Option<PageId>, Error> {
        Ok(self.0.titles.binary_search(title)?.map(|row| PageId(row as u32)))
    }

    /// Finds the category of exactly this name.
    pub(crate) fn category_named(&self, name: &str) -> Result<Option<CategoryId>, Error> {
        Ok(self.0.category_names.binary_search(name)?.map(|row| CategoryId(row as u32)))
    }

    /// Returns the links of all pages; checks every byte of them.
    pub fn all_links(&self) -> Result<Csr<'_, PageId>, Error> {
        self.0.links.all()
    }

    /// Returns the categories of all pages; checks every byte of them.
    pub fn all_categories(&self) -> Result<Csr<'_, CategoryId>, Error> {
        self.0.page_categories.all()
    }

    /// Returns the parents of all categories, for work on the whole tree; checks every byte of them.
    pub fn category_tree(&self) -> Result<Csr<'_, CategoryId>, Error> {
        self.0.parents.all()
    }

    /// Finds a page by its title: exactly, else through a redirect or as the wiki reads it, else ignoring case and
    /// underscores.
    pub fn find_page(&self, title: &str) -> Result<Found<PageId>, Error> {
        match self.resolve_as_wiki(title)? {
            Some(page) => Ok(Found::One(page)),
            None => Ok(names::find(&self.0.titles, Some(&self.0.folded), title)?.map(PageId)),
        }
    }

    /// Finds the page of exactly this title, through a redirect, or as the wiki reads it.
    fn resolve_as_wiki(&self, title: &str) -> Result<Option<PageId>, Error> {
        if let Some(page) = self.resolve(title)? {
            return Ok(Some(page));
        }
        if let Some(titles) = &self.0.wiki_titles
            && let Target::Page { namespace: ARTICLES, name, .. } = titles.parse(title, &mut String::new())
        {
            return self.resolve(name);
        }
        Ok(None)
    }

    /// Finds a category by its name, exactly or ignoring case and underscores.
    pub fn find_category(&self, name: &str) -> Result<Found<CategoryId>, Error> {
        Ok(names::find(&self.0.category_names, None, name)?.map(CategoryId))
    }

    /// Checks every checksum, every id's range, and that names ascend and lists ascend.
    pub fn verify(&self) -> Result<(), Error> {
        let tables = Corpus::verify_tables(&self.0.path, &self.0.manifest);
        tables.into_iter().try_for_each(|(_, checked)| checked)?;
        self.verify_order()
    }

    /// Checks every byte of the files that a manifest names.
    pub(crate) fn verify_tables(folder: &Path, manifest: &Manifest) -> Vec<(String, Result<(), Error>)> {
        let mut sums = read_blocks(folder, manifest).unwrap_or_default();
        let files = manifest.files.iter();
        files
            .map(|(name, entry)| (name.clone(), verify_file(&folder.join(name), entry, sums.remove(name))))
            .collect()
    }

    /// Checks every id's range, and that names ascend and lists ascend.
    pub(crate) fn verify_order(&self) -> Result<(), Error> {
        let damaged =
            |name: &str, found: &str| Error::damaged(self.0.path.join(name), found, "ascending order");
        if !self.all_links()?.has_ascending_rows() || !self.all_categories()?.has_ascending_rows() {
            return Err(damaged(PAGES, "a list out of order"));
        }
        if !self.category_tree()?.has_ascending_rows() {
            return Err(damaged(CATEGORIES, "a list out of order"));
        }
        if self.0.folded.all()?.iter().any(|&page| page as usize >= self.num_pages()) {
            return Err(Error::damaged(self.0.path.join(FOLDED), "an id that is out of range", "page ids"));
        }
        if let Some(redirects) = &self.0.redirects {
            (0..redirects.table.num_rows()).try_for_each(|row| self.redirect(row).map(|_| ()))?;
            expect_ascending(&redirects.titles, || damaged(REDIRECTS, "titles out of order"))?;
        }
        expect_ascending(&self.0.titles, || damaged(PAGES, "titles out of order"))?;
        expect_ascending(&self.0.category_names, || damaged(CATEGORIES, "names out of order"))
    }

    /// Returns how many bytes of the pages and categories were read and checked so far, in whole blocks.
    pub fn bytes_checked(&self) -> u64 {
        let maps = [self.0.pages.map(), self.0.categories.map(), self.0.folded.map()];
        maps.iter().map(|map| (map.num_checked_blocks() * BLOCK) as u64).sum()
    }

    fn expect_counts(&self) -> Result<(), Error> {
        let counts = &self.0.manifest.counts;
        let expected = [
            (PAGES, "pages", self.num_pages(), counts.pages),
            (PAGES, "links", self.num_links(), counts.links),
            (PAGES, "page categories", self.0.page_categories.num_values(), counts.page_categories),
            (CATEGORIES, "categories", self.num_categories(), counts.categories),
            (CATEGORIES, "tree edges", self.0.parents.num_values(), counts.tree_edges),
            (FOLDED, "pages", self.0.folded.len(), counts.pages),
            (REDIRECTS, "redirects", self.num_redirects(), counts.redirects),
        ];
        for (file, what, found, expected) in expected {
            if found as u64 != expected {
                let (found, expected) = (format!("{found} {what}"), format!("{expected}"));
                return Err(Error::damaged(self.0.path.join(file), found, expected));
            }
        }
        Ok(())
    }
}

fn expect_size(path: &Path, bytes: u64) -> Result<(), Error> {
    let found = match fs::metadata(path) {
        Ok(metadata) if metadata.len() == bytes => return Ok(()),
        Ok(metadata) => format!("{} bytes", metadata.len()),
        Err(e) => e.to_string(),
    };
    Err(Error::damaged(path, found, format!("{bytes} bytes")))
}

/// Checks every byte of a file of a corpus.
fn verify_file(path: &Path, entry: &FileEntry, sums: Option<Vec<u64>>) -> Result<(), Error> {
    expect_size(path, entry.bytes)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).map_err(Error::io(path))?).map_err(Error::io(path))?;
    let found = hasher.finalize().to_hex().to_string();
    if found == entry.checksum {
        return Ok(());
    }
    // The blocks say where.
    sums.map_or(Ok(()), |sums| mmap::whole(path, BLOCK, sums)?.check_all())?;
    Err(Error::damaged(path, format!("checksum {found}"), &entry.checksum))
}

fn expect_ascending(strings: &Strings, error: impl FnOnce() -> Error) -> Result<(), Error> {
    for row in 1..strings.len() {
        if strings.get(row - 1)? >= strings.get(row)? {
            return Err(error());
        }
    }
    Ok(())
}

/// Reads the block sums of each file, from a file that is itself checked whole.
fn read_blocks(folder: &Path, manifest: &Manifest) -> Result<BTreeMap<String, Vec<u64>>, Error> {
    let path = folder.join(BLOCKS);
    let expected = manifest.files.get(BLOCKS).map_or("a checksum in the manifest", |entry| &entry.checksum);
    let bytes = fs::read(&path).map_err(Error::io(&path))?;
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found != expected {
        return Err(Error::damaged(path, format!("checksum {found}"), expected));
    }
    let table = Table::of_bytes(&path, &bytes, &schemas::blocks())?;
    let (names, lists) = (table.short_strings(0)?, table.lists::<u64>(3, None)?);
    names.into_iter().enumerate().map(|(row, name)| Ok((name, lists.get(row)?.to_vec()))).collect()
}

#[cfg(test)]
mod tests;
