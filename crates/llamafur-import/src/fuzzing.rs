//! Readers of single files, for fuzzers.

use crate::table::{ImportError, Table, TableConf, rows};
use llamafur::Silent;

/// Counts from reading a table.
#[derive(Debug, Default)]
pub struct TableRead {
    /// Rows, good and bad.
    pub rows: u64,
    /// Rows that could not be used.
    pub bad: u64,
    /// Bytes of the longest value.
    pub longest: usize,
}

/// Reads the file that the settings name for links as a table of this kind.
///
/// # Errors
/// If it cannot be read as that table, or a row is bad under [`crate::table::Mode::Strict`].
pub fn read_table(table: Table, conf: &TableConf) -> Result<TableRead, ImportError> {
    match table.columns().len() {
        1 => read::<1>(table, conf),
        _ => read::<2>(table, conf),
    }
}

fn read<const N: usize>(table: Table, conf: &TableConf) -> Result<TableRead, ImportError> {
    let file = conf.file_of(Table::Links).unwrap_or(std::path::Path::new(""));
    let conf = conf.clone().file(table, file);
    let mut read = TableRead::default();
    let done = rows::read::<N>(table, &conf, &mut Silent, |values| {
        read.longest = values.iter().map(|value| value.len()).fold(read.longest, usize::max);
        Ok(())
    })?;
    done.iter().for_each(|done| (read.rows, read.bad) = (done.account.rows, done.account.bad));
    Ok(read)
}
