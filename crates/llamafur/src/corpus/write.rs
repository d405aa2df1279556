//! Writes a corpus: columns in, a folder of Arrow files out, whole or not at all.

use super::manifest::{Counts, FileEntry, Manifest, Provenance};
use super::text::TextWriter;
use super::{BLOCKS, CATEGORIES, Corpus, FOLDED, PAGES, REDIRECTS, TEXT, names, owned, schemas};
use crate::Error;
use crate::progress::Progress;
pub(super) use crate::storage::arrow_file::{arrow_error, lists};
use crate::storage::{AtomicFile, AtomicFolder, BLOCK, Csr, Existing, FileSums, MANIFEST, SCRATCH, mmap};
use crate::text::wikitext::Site;
use arrow_array::{
    Array, ArrayRef, LargeListArray, LargeStringArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, Field, Schema};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A column of strings to be written.
#[derive(Debug, Clone)]
pub struct StringColumn(LargeStringArray);

impl StringColumn {
    /// Creates a column of the strings `bytes[offsets[i]..offsets[i + 1]]`.
    ///
    /// # Errors
    /// If the offsets do not fit the bytes, or the bytes are not UTF-8.
    pub fn from_parts(offsets: Vec<i64>, bytes: Vec<u8>) -> Result<StringColumn, Error> {
        let offsets = checked_offsets(offsets, bytes.len(), "strings")?;
        LargeStringArray::try_new(offsets, Buffer::from_vec(bytes), None)
            .map(StringColumn)
            .map_err(|e| Error::Invalid { what: "strings", rule: e.to_string() })
    }

    fn strings(&self) -> impl Iterator<Item = &str> {
        (0..self.0.len()).map(|row| self.0.value(row))
    }

    fn expect_ascending(&self, what: &'static str) -> Result<(), Error> {
        if self.strings().is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        Err(Error::Invalid { what, rule: "names must ascend bytewise, each once".into() })
    }
}

impl<S: AsRef<str>> FromIterator<S> for StringColumn {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        StringColumn(LargeStringArray::from_iter_values(strings))
    }
}

/// A column of lists of ids to be written.
#[derive(Debug, Clone)]
pub struct ListColumn(LargeListArray);

impl ListColumn {
    /// Creates a column of the lists `values[offsets[i]..offsets[i + 1]]`.
    ///
    /// # Errors
    /// If the offsets do not fit the values.
    pub fn from_parts(offsets: Vec<i64>, values: Vec<u32>) -> Result<ListColumn, Error> {
        ListColumn::from_buffer(offsets, Buffer::from_vec(values))
    }

    fn from_buffer(offsets: Vec<i64>, values: Buffer) -> Result<ListColumn, Error> {
        let num_values = values.len() / size_of::<u32>();
        let offsets = checked_offsets(offsets, num_values, "lists")?;
        let values = UInt32Array::new(ScalarBuffer::new(values, 0, num_values), None);
        let item = Arc::new(Field::new("item", DataType::UInt32, false));
        LargeListArray::try_new(item, offsets, Arc::new(values), None)
            .map(ListColumn)
            .map_err(|e| Error::Invalid { what: "lists", rule: e.to_string() })
    }

    /// Returns the lists.
    pub fn view(&self) -> Csr<'_, u32> {
        Csr::new(self.0.value_offsets(), self.values())
            .expect("offsets were checked when the column was made")
    }

    fn values(&self) -> &[u32] {
        let values = self.0.values().as_any().downcast_ref::<UInt32Array>();
        values.expect("made of 32-bit ids above").values()
    }

    fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.view().rows()
    }

    fn expect(&self, what: &'static str, rows: usize, limit: usize, self_loops: bool) -> Result<(), Error> {
        let rule = if self.0.len() != rows {
            format!("{} rows where there are {rows} names", self.0.len())
        } else if self.values().iter().any(|&id| id as usize >= limit) {
            format!("ids must be below {limit}")
        } else if !self.rows().all(|row| row.is_sorted_by(|a, b| a < b)) {
            "the ids of a row must ascend, each once".into()
        } else if !self_loops
            && self.rows().enumerate().any(|(i, row)| row.binary_search(&(i as u32)).is_ok())
        {
            "a row must not name itself".into()
        } else {
            return Ok(());
        };
        Err(Error::Invalid { what, rule })
    }
}

impl<R: IntoIterator<Item = u32>> FromIterator<R> for ListColumn {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let (mut offsets, mut values) = (vec![0], Vec::new());
        for row in rows {
            values.extend(row);
            offsets.push(values.len() as i64);
        }
        ListColumn::from_parts(offsets, values).expect("the offsets were counted along")
    }
}

fn checked_offsets(offsets: Vec<i64>, end: usize, what: &'static str) -> Result<OffsetBuffer<i64>, Error> {
    if offsets.first() != Some(&0) || offsets.last() != Some(&(end as i64)) || !offsets.is_sorted() {
        let rule = format!("offsets must ascend from 0 to {end}");
        return Err(Error::Invalid { what, rule });
    }
    Ok(OffsetBuffer::new(offsets.into()))
}

/// A column of lists that grows on disk, so that memory holds only the offsets.
pub struct ListSpool {
    path: PathBuf,
    file: BufWriter<File>,
    offsets: Vec<i64>,
    num_values: i64,
}

impl ListSpool {
    /// Creates an empty column whose values go to a new temporary file in `dir`.
    pub fn create(dir: &Path) -> Result<ListSpool, Error> {
        let unused = |n: &u32| !dir.join(format!("lists-{n}")).exists();
        let number = (0..).find(unused).unwrap_or_default();
        let path = dir.join(format!("lists-{number}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = BufWriter::with_capacity(1 << 20, file.map_err(Error::io(&path))?);
        Ok(ListSpool { path, file, offsets: vec![0], num_values: 0 })
    }

    /// Appends an id to the current row.
    #[inline]
    pub fn push(&mut self, value: u32) -> Result<(), Error> {
        self.num_values += 1;
        self.file.write_all(&value.to_le_bytes()).map_err(|cause| Error::io(&self.path)(cause))
    }

    /// Ends the current row; the next id begins another.
    pub fn end_row(&mut self) {
        self.offsets.push(self.num_values);
    }

    /// Returns the number of rows that were ended so far.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the column, its values mapped from disk. The file itself is removed: the map keeps its contents alive.
    pub fn finish(self) -> Result<ListColumn, Error> {
        let io = || Error::io(&self.path);
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error).map_err(io())?;
        let values = mmap::map_buffer(&file, &self.path)?;
        fs::remove_file(&self.path).map_err(io())?;
        ListColumn::from_buffer(self.offsets, values)
    }
}

/// A writer of a corpus: into a hidden folder beside its place, which is moved there when it is whole.
///
/// Dropped before [`CorpusWriter::finish`], it leaves nothing behind.
///
/// ```
/// use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
/// use llamafur::storage::Existing;
/// use llamafur::graph::PageId;
/// # let dir = tempfile::tempdir()?;
/// # let out = dir.path().join("two.corpus");
/// let mut writer = CorpusWriter::create(&out, Existing::Refuse)?;
/// let titles = StringColumn::from_iter(["Jupiter", "Llama"]);
/// let links = ListColumn::from_iter([vec![1], vec![]]);
/// let categories = ListColumn::from_iter([vec![1], vec![0]]);
/// writer.write_pages(titles, links, categories)?;
/// writer.write_categories(StringColumn::from_iter(["Animals", "Planets"]), ListColumn::from_iter([[], []]))?;
/// writer.finish(Provenance::default())?;
///
/// let corpus = Corpus::open(&out)?;
/// assert_eq!(corpus.title(PageId(0))?, "Jupiter");
/// assert_eq!(corpus.links(PageId(0))?, [PageId(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CorpusWriter {
    folder: AtomicFolder,
    scratch: PathBuf,
    counts: Counts,
    /// The largest category id that a page carries, and 1.
    categories_used: usize,
    site: Option<Site>,
    files: BTreeMap<String, FileSums>,
}

impl CorpusWriter {
    /// Starts a corpus that will be at `out`.
    ///
    /// # Errors
    /// If the place is taken (see [`Existing`]), has files that are not of a corpus, or cannot be written.
    pub fn create(out: &Path, existing: Existing) -> Result<CorpusWriter, Error> {
        let folder = AtomicFolder::create(out, existing, owned::look)?;
        let scratch = folder.temporary().join(SCRATCH);
        fs::create_dir(&scratch).map_err(Error::io(&scratch))?;
        let counts = Counts::default();
        Ok(CorpusWriter { folder, scratch, counts, categories_used: 0, site: None, files: BTreeMap::new() })
    }

    /// Notes the models, vectors and cleansings that belong to the corpus that is replaced: they are removed with it.
    pub fn note_replaced(&self, progress: &mut dyn Progress) {
        owned::note_made(self.folder.path(), progress);
    }

    /// Returns a folder on the same disk for temporary files, which is removed with the writer.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Writes the pages: their titles, which give them their ids, their links and their categories.
    ///
    /// # Errors
    /// If titles do not ascend, rows do not ascend, an id is out of range, a page links to itself, or the disk
    /// is full.
    pub fn write_pages(
        &mut self,
        titles: StringColumn,
        links: ListColumn,
        categories: ListColumn,
    ) -> Result<(), Error> {
        let pages = titles.0.len();
        if u32::try_from(pages).is_err() {
            return Err(Error::Invalid { what: "pages", rule: format!("{pages} are more than 2³² − 1") });
        }
        titles.expect_ascending("page titles")?;
        links.expect("links", pages, pages, false)?;
        categories.expect("page categories", pages, usize::MAX, true)?;
        self.counts.pages = pages as u64;
        self.counts.links = links.values().len() as u64;
        self.counts.page_categories = categories.values().len() as u64;
        self.counts.uncategorised = categories.rows().filter(|row| row.is_empty()).count() as u64;
        self.categories_used = categories.values().iter().max().map_or(0, |&id| id as usize + 1);

        let folded = UInt32Array::from(names::folded_order(pages, |page| titles.0.value(page)));
        self.write_table(FOLDED, &schemas::folded(), vec![Arc::new(folded)])?;
        self.write_table(
            PAGES,
            &schemas::pages(),
            vec![Arc::new(titles.0), Arc::new(links.0), Arc::new(categories.0)],
        )
    }

    /// Writes the categories: their names, which give them their ids, and their parents in the category tree.
    ///
    /// # Errors
    /// If names do not ascend, rows do not ascend, an id is out of range, or the disk is full.
    pub fn write_categories(&mut self, names: StringColumn, parents: ListColumn) -> Result<(), Error> {
        let categories = names.0.len();
        names.expect_ascending("category names")?;
        parents.expect("category parents", categories, categories, false)?;
        self.counts.categories = categories as u64;
        self.counts.tree_edges = parents.values().len() as u64;
        self.write_table(CATEGORIES, &schemas::categories(), vec![Arc::new(names.0), Arc::new(parents.0)])
    }

    /// Sets the wiki of the corpus; its texts are then wikitext.
    pub fn set_site(&mut self, site: Site) {
        self.site = Some(site);
    }

    /// Writes the redirects: titles that are no pages, and the page that each leads to.
    ///
    /// # Errors
    /// If titles do not ascend, there are not as many pages as titles, an id is out of range, or the disk is full.
    pub fn write_redirects(&mut self, titles: StringColumn, pages: Vec<u32>) -> Result<(), Error> {
        titles.expect_ascending("redirects")?;
        let invalid = |rule| Error::Invalid { what: "redirects", rule };
        if titles.0.len() != pages.len() {
            return Err(invalid(format!("{} pages for {} titles", pages.len(), titles.0.len())));
        }
        if pages.iter().any(|&page| u64::from(page) >= self.counts.pages) {
            return Err(invalid(format!("ids must be below {}", self.counts.pages)));
        }
        self.counts.redirects = pages.len() as u64;
        let pages = Arc::new(UInt32Array::from(pages));
        self.write_table(REDIRECTS, &schemas::redirects(), vec![Arc::new(titles.0), pages])
    }

    /// Writes the pages' texts: `texts` gives one for each page, in the pages' order.
    ///
    /// # Errors
    /// If the number of texts is not that of the pages, or the disk is full, or `texts` itself fails.
    pub fn write_text<E: From<Error>>(
        &mut self,
        texts: impl IntoIterator<Item = Result<Option<String>, E>>,
    ) -> Result<(), E> {
        let mut file = self.start_text()?;
        for text in texts {
            file.push(text?.as_deref())?;
        }
        Ok(self.finish_text(file)?)
    }

    /// Takes over the texts of another corpus of the same pages, byte by byte; the pages must have been written.
    ///
    /// # Errors
    /// If that corpus has no texts, the number of its pages is another, the file is damaged, or the disk is full.
    pub fn copy_text(&mut self, from: &Corpus) -> Result<(), Error> {
        let counts = from.manifest().counts;
        if !from.has_text() || counts.pages != self.counts.pages {
            let rule = format!("{} pages where there are {}", counts.pages, self.counts.pages);
            return Err(Error::Invalid { what: "text", rule });
        }
        let path = from.path().join(TEXT);
        let mut source = File::open(&path).map_err(Error::io(&path))?;
        let sums = self.write_file(TEXT, |place, file| {
            io::copy(&mut source, file).map(drop).map_err(Error::io(place))
        })?;
        if sums.checksum != from.manifest().text_checksum() {
            return Err(Error::damaged(&path, "another checksum", "the manifest's"));
        }
        self.counts.texts = counts.texts;
        self.files.insert(TEXT.into(), sums);
        Ok(())
    }

    /// Begins the file of texts, to be written on another thread while this one writes the rest.
    pub fn start_text(&self) -> Result<TextFile, Error> {
        let (temporary, home) = (self.folder.temporary().to_owned(), self.folder.path().to_owned());
        let writer = TextWriter::create(&temporary.join(TEXT)).map_err(|e| self.at_home(e))?;
        Ok(TextFile { writer, temporary, home })
    }

    /// Ends the file of texts; the pages must have been written.
    ///
    /// # Errors
    /// If the number of texts is not that of the pages, or the disk is full.
    pub fn finish_text(&mut self, file: TextFile) -> Result<(), Error> {
        let (rows, with_text, sums) = file.writer.finish().map_err(|e| self.at_home(e))?;
        if rows != self.counts.pages {
            let rule = format!("{rows} texts where there are {} pages", self.counts.pages);
            fs::remove_file(self.folder.temporary().join(TEXT)).map_err(Error::io(TEXT))?;
            return Err(Error::Invalid { what: "text", rule });
        }
        self.counts.texts = with_text;
        self.files.insert(TEXT.into(), sums);
        Ok(())
    }

    /// Writes the manifest and moves the corpus to its place.
    ///
    /// # Errors
    /// If pages or categories are missing, a page carries a category that does not exist, or the disk is full.
    pub fn finish(mut self, provenance: Provenance) -> Result<Manifest, Error> {
        for name in [PAGES, CATEGORIES] {
            if !self.files.contains_key(name) {
                return Err(Error::Invalid { what: "the corpus", rule: format!("{name} is missing") });
            }
        }
        if self.categories_used as u64 > self.counts.categories {
            let rule = format!("ids must be below {}", self.counts.categories);
            return Err(Error::Invalid { what: "page categories", rule });
        }
        self.write_blocks()?;
        fs::remove_dir_all(&self.scratch).map_err(Error::io(&self.scratch))?;
        let files = std::mem::take(&mut self.files).into_iter();
        let entry = |sums: FileSums| FileEntry { bytes: sums.bytes, checksum: sums.checksum };
        let manifest = Manifest::new(
            self.counts,
            provenance,
            self.site.take(),
            files.map(|(name, sums)| (name, entry(sums))).collect(),
        );
        self.write_file(MANIFEST, |path, file| file.write_all(&manifest.to_json()).map_err(Error::io(path)))?;
        self.folder.finish()?;
        Ok(manifest)
    }

    /// Writes the block sums of all files so far.
    fn write_blocks(&mut self) -> Result<(), Error> {
        let names = StringArray::from_iter_values(self.files.keys());
        let (mut offsets, mut sums) = (vec![0], Vec::new());
        for file in self.files.values() {
            sums.extend_from_slice(&file.blocks);
            offsets.push(sums.len() as i64);
        }
        let lists = lists(offsets, Arc::new(UInt64Array::from(sums)));
        self.write_table(BLOCKS, &schemas::blocks(), vec![Arc::new(names), lists])
    }

    fn write_table(&mut self, name: &str, schema: &Schema, columns: Vec<ArrayRef>) -> Result<(), Error> {
        let batch = RecordBatch::try_new(Arc::new(schema.clone()), columns)
            .map_err(|e| Error::Invalid { what: "a table", rule: e.to_string() })?;
        let sums = self.write_file(name, |path, file| {
            let write = || {
                let mut writer = FileWriter::try_new_with_options(file, schema, IpcWriteOptions::default())?;
                writer.write(&batch)?;
                writer.finish()
            };
            write().map_err(|e| arrow_error(path, e))
        })?;
        self.files.insert(name.into(), sums);
        Ok(())
    }

    /// Writes a file of the corpus; an error names it where the user will look for it.
    fn write_file(
        &self,
        name: &str,
        write: impl FnOnce(&Path, &mut AtomicFile) -> Result<(), Error>,
    ) -> Result<FileSums, Error> {
        let path = self.folder.temporary().join(name);
        let written = AtomicFile::create(&path, BLOCK).and_then(|mut file| {
            write(&path, &mut file)?;
            file.finish()
        });
        written.map_err(|error| self.at_home(error))
    }

    fn at_home(&self, error: Error) -> Error {
        error.at_home(self.folder.temporary(), self.folder.path())
    }
}

/// The texts of a corpus that is being written.
pub struct TextFile {
    writer: TextWriter,
    temporary: PathBuf,
    home: PathBuf,
}

impl TextFile {
    /// Appends the text of the next page.
    pub fn push(&mut self, text: Option<&str>) -> Result<(), Error> {
        self.writer.push(text).map_err(|error| error.at_home(&self.temporary, &self.home))
    }
}
