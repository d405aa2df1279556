//! Imports a wiki from the SQL dumps of its tables: the links that MediaWiki itself stores, including those of
//! templates.
//!
//! | table | what of it |
//! |---|---|
//! | `page` | articles, categories and redirects, by their ids |
//! | `page_props` | hidden categories; may be missing |
//! | `redirect` | where redirects lead |
//! | `linktarget` | the titles that links lead to, by their ids; needed where the others have no titles |
//! | `categorylinks` | categories of pages, and the category tree |
//! | `pagelinks` | links |
//!
//! The files are read in this order, one row at a time. The positions of the columns are read from each file's
//! `CREATE TABLE`, since the schema changes: `pagelinks` had titles until 2024, `categorylinks` until 2025.
//!
//! Memory holds the titles of articles and categories, some twelve bytes for each id, and the buffers of the links.
//! Titles of missing pages are not kept.

mod ids;
mod rows;
mod scan;
mod tables;

use super::collect::Collector;
use super::conf::WikiConf;
use super::error::WikiError;
use super::job::ReadDump;
use crate::input::{self, InputError, name};
use llamafur::progress::{Progress, Task};
use llamafur::text::wikitext::Site;
use rows::{Item, RowError, SqlReader, Table};
use std::io;
use std::path::PathBuf;
use tables::Tables;

/// The tables, in the order in which they are read.
const TABLES: [&str; 6] = ["page", "page_props", "redirect", "linktarget", "categorylinks", "pagelinks"];

/// A file and the table in it.
struct File {
    path: PathBuf,
    table: Table,
    database: Option<String>,
}

/// Reads all files into the collector.
pub(super) fn read(
    conf: &WikiConf,
    collector: &mut Collector,
    progress: &mut dyn Progress,
) -> Result<ReadDump, WikiError> {
    let mut notes = Vec::new();
    let files = files(conf, &mut notes)?;
    expect_tables(&files)?;
    let site = site(&files)?;
    let mut tables = Tables::new(collector);
    let mut inputs = Vec::new();
    progress.start_bytes(Task::ReadDump, files.iter().map(|file| input::size(&file.path)).sum());
    for number in 0..files.len() {
        let file = &files[number];
        inputs.push(tables.read(file, progress)?);
        if files.get(number + 1).is_none_or(|next| next.table.name != file.table.name) {
            tables.end(&file.table.name);
        }
    }
    progress.finish();
    Ok(ReadDump { site: Some(site), inputs, notes })
}

/// Returns the files in reading order, each with its table.
fn files(conf: &WikiConf, notes: &mut Vec<String>) -> Result<Vec<File>, WikiError> {
    let mut files = Vec::new();
    for path in &conf.files {
        let mut reader = SqlReader::new(input::open(path)?);
        // One table a file: the first says which it is.
        let found = reader.next_item();
        match found {
            Ok(Some(_)) if TABLES.contains(&&reader.table().name[..]) => {
                let (table, database) = (reader.table().clone(), reader.database().map(str::to_owned));
                files.push(File { path: path.clone(), table, database });
            }
            Ok(None) => {
                return Err(WikiError::Foreign { file: path.clone(), found: "an SQL file without a table" });
            }
            Ok(Some(_)) => {
                notes.push(format!("{}: the table {} is not needed", name(path), reader.table().name))
            }
            Err(RowError::Io(cause)) => return Err(InputError::unreadable(path)(cause).into()),
            Err(RowError::Syntax(why)) => {
                return Err(WikiError::Sql { file: path.clone(), row: reader.num_rows() + 1, why });
            }
        }
    }
    let order = |file: &File| TABLES.iter().position(|table| *table == file.table.name);
    files.sort_by(|a, b| (order(a), &a.path).cmp(&(order(b), &b.path)));
    Ok(files)
}

/// Rejects files that lack a table or a column.
fn expect_tables(files: &[File]) -> Result<(), WikiError> {
    let has = |table: &str| files.iter().any(|file| file.table.name == table);
    let has_column = |table: &str, column: &str| {
        files.iter().filter(|file| file.table.name == table).all(|file| file.table.column(column).is_some())
    };
    let needs_targets = !has_column("pagelinks", "pl_title") || !has_column("categorylinks", "cl_to");
    let is_needed = |table: &&str| match *table {
        "page_props" => false,
        "linktarget" => needs_targets,
        _ => true,
    };
    let missing: Vec<&str> = TABLES.into_iter().filter(is_needed).filter(|table| !has(table)).collect();
    if !missing.is_empty() {
        let found = files.iter().map(|file| file.table.name.clone()).collect();
        return Err(WikiError::MissingTables { found, missing });
    }
    let columns: [(&str, &[&[&str]]); 6] = [
        ("page", &[&["page_id"], &["page_namespace"], &["page_title"], &["page_is_redirect"]]),
        ("page_props", &[&["pp_page"], &["pp_propname"]]),
        ("redirect", &[&["rd_from"], &["rd_namespace"], &["rd_title"]]),
        ("linktarget", &[&["lt_id"], &["lt_namespace"], &["lt_title"]]),
        ("categorylinks", &[&["cl_from"], &["cl_to", "cl_target_id"]]),
        ("pagelinks", &[&["pl_from"], &["pl_title", "pl_target_id"]]),
    ];
    for file in files {
        let wanted =
            columns.iter().filter(|(table, _)| *table == file.table.name).flat_map(|(_, columns)| *columns);
        for names in wanted {
            if names.iter().all(|name| file.table.column(name).is_none()) {
                let (file, table, column) = (file.path.clone(), file.table.name.clone(), names.join(" or "));
                return Err(WikiError::MissingColumn { file, table, column });
            }
        }
    }
    Ok(())
}

/// Returns the wiki, identified by the name of its database.
fn site(files: &[File]) -> Result<Site, WikiError> {
    let mut named = files.iter().filter_map(|file| Some((file, file.database.as_ref()?)));
    let Some((first, database)) = named.next() else { return Ok(Site::default()) };
    if let Some((other, found)) = named.find(|(_, other)| *other != database) {
        return Err(WikiError::OtherWiki {
            file: other.path.clone(),
            found: found.clone(),
            first: first.path.clone(),
            expected: database.clone(),
        });
    }
    // `zh_min_nanwiki` is the Wikipedia in zh-min-nan, `enwiktionary` the dictionary in English.
    let language = database.find("wiki").or(database.find("wiktionary")).map_or("", |end| &database[..end]);
    let site = Site { database: database.clone(), name: database.clone(), ..Site::default() };
    let is_code =
        (2..=12).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let is_language = is_code && !["meta", "commons", "species", "test", "outreach"].contains(&language);
    Ok(match is_language {
        true => Site { language: language.replace('_', "-"), ..site },
        false => site,
    })
}

/// Returns whether these first bytes are those of an SQL dump.
pub(super) fn is_sql(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let begins =
        |word: &str| start.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word.as_bytes()));
    start.starts_with(b"--")
        || start.starts_with(b"/*")
        || ["CREATE ", "INSERT ", "DROP ", "SET ", "USE "].into_iter().any(begins)
}

/// Bytes that are read a few at a time.
pub(super) struct Pieces<'a>(pub(super) &'a [u8], pub(super) usize);

impl io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (now, later) = self.0.split_at(self.1.max(1).min(self.0.len()).min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.0 = later;
        Ok(now.len())
    }
}

/// Counts the tables and rows of a file of these bytes, and returns whether it could be read to its end, in pieces of
/// `piece` bytes; for tests of the reader.
pub(super) fn count_rows(bytes: &[u8], piece: usize) -> (usize, u64, bool) {
    let mut rows = SqlReader::new(Pieces(bytes, piece));
    let mut tables = 0;
    loop {
        match rows.next_item() {
            Ok(Some(item)) => tables += usize::from(item == Item::Table),
            Ok(None) => return (tables, rows.num_rows(), true),
            Err(_) => return (tables, rows.num_rows(), false),
        }
    }
}
