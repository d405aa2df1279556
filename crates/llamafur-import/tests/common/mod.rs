//! What the tests share: a folder to work in, and tables written in every format.
#![allow(dead_code)] // each test file uses its part

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use llamafur::corpus::Corpus;
use llamafur::graph::{CategoryId, PageId};
use llamafur::progress::Silent;
use llamafur_import::table::{ImportError, Imported, TableConf, import};
use parquet::arrow::ArrowWriter;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A temporary folder with input files and corpora.
pub(crate) struct Desk {
    dir: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes links and categories as TSV, and gives settings that read them.
    pub(crate) fn graph(&self, links: impl AsRef<[u8]>, categories: impl AsRef<[u8]>) -> TableConf {
        TableConf::new(self.file("links.tsv", links)).categories(self.file("categories.tsv", categories))
    }

    /// Imports into a new corpus.
    pub(crate) fn import(&self, conf: &TableConf) -> Result<Imported, ImportError> {
        let taken = |n: &u32| self.path(&format!("{n}.corpus")).exists();
        let free = (0..).find(|n| !taken(n)).unwrap();
        import(conf, &self.path(&format!("{free}.corpus")), &mut Silent)
    }

    /// Problem and remedy of an import that fails, which must leave nothing behind.
    pub(crate) fn error(&self, conf: &TableConf) -> String {
        let before = self.entries();
        let error = self.import(conf).unwrap_err();
        assert_eq!(self.entries(), before);
        format!("{error}; {:?}", error.remedy())
    }

    fn entries(&self) -> BTreeSet<PathBuf> {
        fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// Imports and reads everything back.
    pub(crate) fn contents(&self, conf: &TableConf) -> Contents {
        let imported = self.import(conf).unwrap();
        let newest = (0..).take_while(|n| self.path(&format!("{n}.corpus")).exists()).last().unwrap();
        let contents = Contents::read(&Corpus::open(self.path(&format!("{newest}.corpus"))).unwrap());
        assert_eq!(imported.manifest.counts.pages, contents.pages.len() as u64);
        contents
    }
}

/// All that a corpus holds, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Contents {
    pub pages: BTreeSet<String>,
    pub links: BTreeSet<(String, String)>,
    pub categories: BTreeSet<(String, String)>,
    pub parents: BTreeSet<(String, String)>,
    pub texts: BTreeMap<String, String>,
    pub redirects: BTreeMap<String, String>,
}

/// All warnings in one text, with their remedies.
pub(crate) fn warnings(imported: &Imported) -> String {
    let all = imported.warnings.iter().map(|warning| format!("{warning}; {:?}\n", warning.remedy));
    all.collect()
}

impl Contents {
    pub(crate) fn read(corpus: &Corpus) -> Contents {
        corpus.verify().unwrap();
        let title = |page: PageId| corpus.title(page).unwrap().to_owned();
        let name = |category: CategoryId| corpus.category_name(category).unwrap().to_owned();
        let mut contents = Contents::default();
        for page in (0..corpus.num_pages() as u32).map(PageId) {
            contents.pages.insert(title(page));
            contents.links.extend(corpus.links(page).unwrap().iter().map(|&to| (title(page), title(to))));
            let categories = corpus.categories(page).unwrap();
            contents.categories.extend(categories.iter().map(|&category| (title(page), name(category))));
            contents.texts.extend(corpus.text(page).unwrap().map(|text| (title(page), text)));
        }
        for row in 0..corpus.num_redirects() {
            let (alias, page) = corpus.redirect(row).unwrap();
            contents.redirects.insert(alias.to_owned(), title(page));
        }
        for child in (0..corpus.num_categories() as u32).map(CategoryId) {
            let parents = corpus.parents(child).unwrap();
            contents.parents.extend(parents.iter().map(|&parent| (name(child), name(parent))));
        }
        contents
    }
}

/// The checksums of a corpus's files.
pub(crate) fn checksums(imported: &Imported) -> Vec<(String, String)> {
    imported.manifest.files.iter().map(|(name, entry)| (name.clone(), entry.checksum.clone())).collect()
}

/// Rows as TSV.
pub(crate) fn tsv(rows: &[Vec<String>]) -> Vec<u8> {
    rows.iter().flat_map(|row| (row.join("\t") + "\n").into_bytes()).collect()
}

/// Rows as CSV, quoted where needed.
pub(crate) fn csv(rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

/// Rows as JSON lines.
pub(crate) fn jsonl(columns: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let line = |row: &Vec<String>| {
        let object: serde_json::Map<_, _> =
            columns.iter().zip(row).map(|(key, value)| ((*key).to_owned(), value.clone().into())).collect();
        serde_json::Value::from(object).to_string() + "\n"
    };
    rows.iter().flat_map(|row| line(row).into_bytes()).collect()
}

/// Rows as Parquet.
pub(crate) fn parquet(columns: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let arrays = columns.iter().enumerate().map(|(i, name)| {
        let array = StringArray::from_iter_values(rows.iter().map(|row| &row[i]));
        (*name, Arc::new(array) as ArrayRef)
    });
    parquet_of(arrays.collect())
}

/// Columns as Parquet.
pub(crate) fn parquet_of(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Gzipped, in several members as some tools write them.
pub(crate) fn gz(content: &[u8]) -> Vec<u8> {
    let half = content.len() / 2;
    let pack = |part: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    [pack(&content[..half]), pack(&content[half..])].concat()
}

/// Compressed with zstd, in several frames with checksums, as the tool of that name writes them.
pub(crate) fn zst(content: &[u8]) -> Vec<u8> {
    let half = content.len() / 2;
    let pack = |part: &[u8]| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    [pack(&content[..half]), pack(&content[half..])].concat()
}

/// Compressed with bzip2, in several streams.
pub(crate) fn bz2(content: &[u8]) -> Vec<u8> {
    let half = content.len() / 2;
    let pack = |part: &[u8]| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    [pack(&content[..half]), pack(&content[half..])].concat()
}

/// The real corpora, if they are there.
pub(crate) fn shared_data(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(folder);
    if File::open(&path).is_ok() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {} is not there", path.display());
    None
}
