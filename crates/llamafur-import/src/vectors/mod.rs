//! Reads vectors of pages made by another program, such as embeddings of their texts.
//!
//! The format is determined by the extension:
//! - `.npy`, an array of NumPy: two dimensions, floats of 16, 32 or 64 bits;
//! - `.safetensors`: a tensor of the same kind, or of bfloat16.
//!
//! Both have one vector a row and no titles: those are in a text file, one a line, in the order of the rows. A title is
//! looked up as in [`Corpus::find_page`]. Files are read row by row: memory holds the result, 4 bytes for each page and
//! dimension, and little else.

mod npy;
mod rows;
mod safetensors;

use crate::input;
use crate::table::ImportError;
use llamafur::Remedy;
use llamafur::corpus::{Corpus, Found};
use llamafur::graph::PageId;
use llamafur::progress::{Progress, Task};
use llamafur::vectors::PageVectors;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Number of titles of each kind kept as examples.
const EXAMPLES: usize = 5;
/// Largest number of dimensions of a vector.
const MOST_DIMENSIONS: usize = 1 << 16;

/// Files and tensor to read vectors from.
#[derive(Debug, Clone, Default)]
pub struct VectorsConf {
    /// The file of the vectors.
    pub file: PathBuf,
    /// The titles of the rows, one a line.
    pub titles: PathBuf,
    /// The tensor of a safetensors file. Default: the only two-dimensional one of floats.
    pub tensor: Option<String>,
}

/// Counts of the rows of a file, used and left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VectorsAccount {
    /// Number of rows in the file.
    pub vectors: u64,
    /// Number of dimensions of a vector.
    pub dimensions: usize,
    /// Number of pages that have a vector now.
    pub pages: u64,
    /// Number of pages of the corpus without a vector.
    pub pages_without: u64,
    /// Rows whose title matches no page, or several.
    pub unknown: LeftOut,
    /// Rows of pages whose vector is 0, which has no direction.
    pub empty: LeftOut,
    /// Rows under another title of a page, a redirect or in other case, when a row under the page's own title exists,
    /// which is used; the examples are the pages.
    pub other_titles: LeftOut,
}

/// Count and examples of the rows left out for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Number of rows.
    pub rows: u64,
    /// The first few titles.
    pub examples: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, title: &str) {
        self.rows += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(title.to_owned());
        }
    }
}

/// Reads the vectors of a corpus's pages, and accounts for every row.
///
/// ```
/// use llamafur::corpus::Corpus;
/// use llamafur::progress::Silent;
/// use llamafur_import::table::{self, TableConf};
/// use llamafur_import::vectors::{self, VectorsConf};
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
/// # std::fs::write(dir.join("links.tsv"), "Fish\tSalmon\n")?;
/// # table::import(&TableConf::new(dir.join("links.tsv")), &dir.join("my.corpus"), &mut Silent)?;
/// # let corpus = Corpus::open(dir.join("my.corpus"))?;
///
/// let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";
/// let length = (header.len() as u16).to_le_bytes();
/// let rows = [3f32, 4.0, 0.0, 2.0].map(f32::to_le_bytes);
/// let npy = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), rows.as_flattened()].concat();
/// std::fs::write(dir.join("my.npy"), npy)?;
/// std::fs::write(dir.join("titles.txt"), "Fish\nLlama\n")?;
/// let conf = VectorsConf { file: dir.join("my.npy"), titles: dir.join("titles.txt"), tensor: None };
/// let (vectors, account) = vectors::read(&corpus, &conf, &mut Silent)?;
/// assert_eq!(vectors.get(corpus.resolve("Fish")?.unwrap()), Some(&[0.6, 0.8][..]));
/// assert_eq!((account.pages, account.unknown.examples), (1, vec!["Llama".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a file cannot be read or holds no vectors, a setting is for another format, the numbers of
/// titles and vectors differ, vectors are not finite, a page occurs twice, or no title is that of a page.
pub fn read(
    corpus: &Corpus,
    conf: &VectorsConf,
    progress: &mut dyn Progress,
) -> Result<(PageVectors, VectorsAccount), ImportError> {
    let path = &conf.file;
    input::check(path)?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    progress.start_bytes(Task::ReadTable { name: input::name(path) }, input::size(path));
    let (taken, account) = (vec![(0, false); corpus.num_pages()], VectorsAccount::default());
    let mut intake = Intake { corpus, file: path, numbers: Vec::new(), taken, account };
    let layout = match extension {
        Some("npy") if conf.tensor.is_some() => {
            let remedy = Remedy::Omit { setting: "tensor" };
            return Err(foreign(path, "not a safetensors file, so it has no tensors", remedy));
        }
        Some("npy") => npy::layout(path)?,
        Some("safetensors") => safetensors::layout(path, conf.tensor.as_deref())?,
        _ => {
            let remedy = Remedy::advice("save the vectors as .npy or .safetensors");
            return Err(foreign(path, "not a known format of vectors, by its extension", remedy));
        }
    };
    rows::read(layout, conf, progress, &mut intake)?;
    progress.finish();
    intake.finish()
}

/// Returns the error for a file without vectors, or with vectors in an unsupported form.
fn foreign(file: &Path, found: impl Into<String>, remedy: Remedy) -> ImportError {
    ImportError::Foreign { file: file.into(), found: found.into(), remedy }
}

/// The assignment of a file's rows to the pages.
struct Intake<'a> {
    corpus: &'a Corpus,
    file: &'a Path,
    numbers: Vec<f32>,
    /// For each page, the row of its vector, from 1 (0 if none), and whether the row has the page's own title.
    taken: Vec<(u64, bool)>,
    account: VectorsAccount,
}

impl Intake<'_> {
    /// Assigns the next row.
    fn take(&mut self, title: &str, vector: &[f32]) -> Result<(), ImportError> {
        self.account.vectors += 1;
        let row = self.account.vectors;
        let wrong = |problem: String| {
            Err(ImportError::BadVector { file: self.file.into(), row, title: title.to_owned(), problem })
        };
        let Found::One(page) = self.corpus.find_page(title)? else {
            self.account.unknown.add(title);
            return Ok(());
        };
        let own_title = self.corpus.title(page)?;
        match (self.taken[page.index()], own_title == title) {
            ((0, _), _) => {}
            ((_, true), false) => {
                self.account.other_titles.add(own_title);
                return Ok(());
            }
            ((_, false), true) => self.account.other_titles.add(own_title),
            ((first, _), _) => {
                return wrong(format!("the page “{own_title}” comes a second time, after row {first}"));
            }
        }
        self.taken[page.index()] = (row, own_title == title);
        if self.numbers.is_empty() {
            self.account.dimensions = vector.len();
            let all = self.corpus.num_pages() * vector.len();
            if self.numbers.try_reserve_exact(all).is_err() {
                let size = llamafur::human_bytes(4 * all as u64);
                return wrong(format!("the vectors of all pages would take {size}, more than the memory"));
            }
            self.numbers.resize(all, 0.0);
        }
        if let Some(number) = vector.iter().find(|x| !x.is_finite()) {
            return wrong(format!("the vector has the number {number}, which is not finite"));
        }
        self.numbers[page.index() * vector.len()..][..vector.len()].copy_from_slice(vector);
        Ok(())
    }

    fn finish(self) -> Result<(PageVectors, VectorsAccount), ImportError> {
        let Intake { corpus, file, numbers, taken, mut account } = self;
        let rests_on = blake3::hash(bytemuck::cast_slice(&numbers)).to_hex().to_string();
        let vectors = PageVectors::from_rows(account.dimensions, numbers, rests_on);
        for (page, (row, _)) in (0..).map(PageId).zip(&taken) {
            match vectors.get(page) {
                Some(_) => account.pages += 1,
                None if *row > 0 => account.empty.add(corpus.title(page)?),
                None => {}
            }
        }
        account.pages_without = taken.len() as u64 - account.pages;
        if account.pages == 0 {
            let (of_corpus, of_file) = (corpus.title(PageId(0))?, account.unknown.examples.first());
            let example = of_file.map(|title| format!(" (it has “{title}”, the corpus “{of_corpus}”)"));
            let found = format!(
                "no page gets a vector: of its {} rows, {} have titles that are not in the corpus{}, {} are 0",
                account.vectors,
                account.unknown.rows,
                example.unwrap_or_default(),
                account.empty.rows
            );
            let remedy = Remedy::advice("compare the titles, and check how the vectors were made");
            return Err(foreign(file, found, remedy));
        }
        Ok((vectors, account))
    }
}
