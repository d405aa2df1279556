//! Any bytes may be called a Parquet file of links.

use super::scratch;
use llamafur_import::fuzzing::read_table;
use llamafur_import::table::{Table, TableConf};

pub fn check(bytes: &[u8]) {
    // The rest is a text table, which has a check of its own.
    if !bytes.starts_with(b"PAR1") {
        return;
    }
    let file = scratch::file("any.parquet", bytes);
    let _ = read_table(Table::Links, &TableConf::new(file));
}
