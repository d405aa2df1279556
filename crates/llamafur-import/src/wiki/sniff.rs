//! Detects the kind of dump files by their first bytes.

use super::cirrus::is_cirrus;
use super::error::WikiError;
use super::sql::is_sql;
use crate::input;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A kind of dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Pages as XML.
    Xml,
    /// Tables as SQL.
    Sql,
    /// Documents of a search index as JSON.
    Cirrus,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Xml => "an XML dump",
            Kind::Sql => "an SQL dump",
            Kind::Cirrus => "a dump of a search index",
        }
    }
}

/// Number of bytes that identify the kind.
const START: u64 = 4096;

/// Returns the kind of all files. Input that can be read only once, such as the standard input, is assumed to be XML.
pub(super) fn kind(files: &[PathBuf]) -> Result<Kind, WikiError> {
    let mut first: Option<(&PathBuf, Kind)> = None;
    for file in files {
        let is_file = input::size(file).is_some();
        let Some(kind) = (if is_file { kind_of(file)? } else { Some(Kind::Xml) }) else { continue };
        match first {
            Some((first, expected)) if expected != kind => {
                let (found, expected) = (kind.name(), expected.name());
                return Err(WikiError::Mixed { file: file.clone(), found, first: first.clone(), expected });
            }
            Some(_) => {}
            None => first = Some((file, kind)),
        }
    }
    Ok(first.map_or(Kind::Xml, |(_, kind)| kind))
}

/// Returns the kind of a file; `None` if nothing can be read of it, which is reported later.
fn kind_of(file: &Path) -> Result<Option<Kind>, WikiError> {
    let mut start = Vec::new();
    let _ = input::open(file)?.take(START).read_to_end(&mut start);
    Ok(match &start[..] {
        [] => None,
        start if is_sql(start) => Some(Kind::Sql),
        start if is_cirrus(start) => Some(Kind::Cirrus),
        _ => Some(Kind::Xml),
    })
}
