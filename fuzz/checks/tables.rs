//! Any bytes may be called a table: every row is counted, and what is passed on is not longer than what was read.

use super::scratch;
use llamafur_import::fuzzing::read_table;
use llamafur_import::table::{Mode, Table, TableConf};

const EXTENSIONS: [&str; 5] = ["tsv", "csv", "jsonl", "dat", "csv;"];

/// The first byte says which table in which format the rest is.
pub fn check(bytes: &[u8]) {
    let Some((&kind, rest)) = bytes.split_first() else { return };
    let kind = usize::from(kind);
    let extension = EXTENSIONS[kind / Table::ALL.len() % EXTENSIONS.len()];
    let (extension, delimiter) = (extension.trim_end_matches(';'), extension.ends_with(';'));
    // Parquet has a check of its own.
    if rest.starts_with(b"PAR1") {
        return;
    }
    let path = scratch::file(&format!("table.{extension}"), rest);
    let mut conf = TableConf::new(path);
    if delimiter {
        conf = conf.delimiter(";".parse().unwrap());
    }
    if kind >= 128 {
        conf = conf.mode(Mode::Strict);
    }
    let table = Table::ALL[kind % Table::ALL.len()];
    let Ok(read) = read_table(table, &conf) else { return };
    assert!(read.rows >= read.bad, "{read:?}");
    // The shortest row is a value and a line break, or one of a list and a comma.
    assert!(read.rows <= rest.len() as u64, "{read:?} of {} bytes", rest.len());
    assert!(read.longest <= rest.len(), "{read:?} of {} bytes", rest.len());
}
