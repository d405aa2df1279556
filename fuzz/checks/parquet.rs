//! Any bytes may be called a Parquet file, of links or of vectors.

use super::{sample, scratch};
use llamafur::Silent;
use llamafur_import::fuzzing::read_table;
use llamafur_import::table::{Table, TableConf};
use llamafur_import::vectors::{self, VectorsConf};

pub fn check(bytes: &[u8]) {
    // The rest is a text table, which has a check of its own.
    if !bytes.starts_with(b"PAR1") {
        return;
    }
    let file = scratch::file("any.parquet", bytes);
    let _ = read_table(Table::Links, &TableConf::new(&file));
    let _ = vectors::read(sample::corpus(), &VectorsConf { file, ..VectorsConf::default() }, &mut Silent);
}
