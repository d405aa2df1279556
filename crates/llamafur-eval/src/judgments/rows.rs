//! Records from a file, one after the other.

use super::class::Class;
use super::error::JudgmentError;
use super::fields::split;
use super::lines::Lines;
use llamafur::progress::Progress;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How judgments are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// One of the others, by what the first line looks like.
    #[default]
    Auto,
    /// The authors': source, target, class and, if there is one, judge, separated by tabs; or a table whose first line
    /// names its columns.
    Authors,
    /// TREC's: query, iteration, document, relevance, separated by blanks.
    Qrels,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Auto, Form::Authors, Form::Qrels];

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Auto => "auto",
            Form::Authors => "authors",
            Form::Qrels => "qrels",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Form, String> {
        let unknown = || format!("the format of judgments must be auto, authors or qrels, got {name}");
        Form::ALL.into_iter().find(|form| form.name() == name).ok_or_else(unknown)
    }
}

/// What a record says of its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its class.
    Class(Class),
    /// Nothing yet.
    NotYet,
    /// That nobody judged it.
    Unjudged,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row<'a> {
    /// The line that it begins on, from 1.
    pub line: u64,
    pub source: &'a str,
    pub target: &'a str,
    pub verdict: Verdict,
    /// Empty where the file names none.
    pub judge: &'a str,
}

/// So many further lines may hold the end of a quoted field.
const LONGEST_RECORD: usize = 1_000;

const AUTHORS: &str = "source, target and class, separated by tabs, or a header that names them";
const QRELS: &str = "query, iteration, document and relevance, separated by blanks";
const EITHER: &str =
    "source, target and class, separated by tabs, or query, iteration, document and relevance";

/// Hands over every record of a file but a header.
pub(super) fn for_each(
    path: &Path,
    form: Form,
    progress: &mut dyn Progress,
    mut take: impl FnMut(Row<'_>) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    let mut lines = Lines::open(path, progress)?;
    let mut reader = None;
    let mut record = String::new();
    while let Some(line) = lines.next(&mut record)? {
        if record.trim().is_empty() {
            continue;
        }
        let reader = match &mut reader {
            Some(reader) => reader,
            empty => {
                let (first, is_header) = Reader::new(form, &record);
                let reader = empty.insert(first);
                if is_header {
                    continue;
                }
                reader
            }
        };
        if matches!(reader, Reader::Authors { has_header: true, .. }) {
            lines.complete(&mut record, LONGEST_RECORD, |record| !split(record).is_open)?;
        }
        reader.read(path, line, &record, &mut take)?;
    }
    lines.finish();
    Ok(())
}

/// How to read a record.
#[derive(Debug)]
enum Reader {
    /// The places of the columns.
    Authors {
        source: usize,
        target: usize,
        class: usize,
        judge: usize,
        has_header: bool,
        expected: &'static str,
    },
    Qrels,
}

impl Reader {
    /// What the first record asks for, and whether it is a header.
    fn new(form: Form, first: &str) -> (Reader, bool) {
        let names: Vec<String> =
            split(first).fields.iter().map(|field| field.trim().to_lowercase()).collect();
        let place = |name: &str| names.iter().position(|field| field == name);
        let is_third = names.get(2).is_some_and(|field| field == "class");
        let has_header = is_third || ["source", "target", "class"].iter().all(|name| place(name).is_some());
        let has_class = names.get(2).is_some_and(|field| field.is_empty() || field.parse::<Class>().is_ok());
        let blanks: Vec<&str> = first.split_whitespace().collect();
        let is_qrels = matches!(blanks[..], [_, _, _, relevance] if relevance.parse::<i64>().is_ok());
        match form {
            Form::Qrels => return (Reader::Qrels, false),
            Form::Auto if !has_header && !has_class && is_qrels => return (Reader::Qrels, false),
            Form::Auto | Form::Authors => {}
        }
        let expected = if form == Form::Auto && names.len() < 3 { EITHER } else { AUTHORS };
        let (source, target, class, judge) = if has_header {
            let column = |name, otherwise| place(name).unwrap_or(otherwise);
            // A column that is not there has no field.
            (column("source", 0), column("target", 1), column("class", 2), column("judge", usize::MAX))
        } else {
            (0, 1, 2, 3)
        };
        (Reader::Authors { source, target, class, judge, has_header, expected }, has_header)
    }

    fn read(
        &self,
        path: &Path,
        line: u64,
        record: &str,
        take: &mut impl FnMut(Row<'_>) -> Result<(), JudgmentError>,
    ) -> Result<(), JudgmentError> {
        let too_few = |found, expected| {
            let text: String = record.chars().take(60).collect();
            Err(JudgmentError::Columns { path: path.into(), line, found, text, expected })
        };
        match *self {
            Reader::Authors { source, target, class, judge, has_header, expected } => {
                let fields = split(record).fields;
                // A spreadsheet may leave out what is empty at the end of a line.
                let is_short = fields.len() <= source.max(target) || !has_header && fields.len() <= class;
                if is_short {
                    return too_few(fields.len(), expected);
                }
                let field = |place: usize| fields.get(place).map_or("", |field| field.trim());
                let verdict = match field(class) {
                    "" => Verdict::NotYet,
                    name => Verdict::Class(name.parse().map_err(|_| JudgmentError::Class {
                        path: path.into(),
                        line,
                        found: name.to_owned(),
                    })?),
                };
                take(Row { line, source: field(source), target: field(target), verdict, judge: field(judge) })
            }
            Reader::Qrels => {
                let fields: Vec<&str> = record.split_whitespace().collect();
                let [source, _, target, relevance] = fields[..] else { return too_few(fields.len(), QRELS) };
                let verdict = match relevance.parse::<i64>() {
                    Ok(..=-1) => Verdict::Unjudged,
                    Ok(0) => Verdict::Class(Class::E),
                    Ok(1) => Verdict::Class(Class::U),
                    Ok(2..) => Verdict::Class(Class::TU),
                    Err(_) => {
                        let found = relevance.to_owned();
                        return Err(JudgmentError::Relevance { path: path.into(), line, found });
                    }
                };
                take(Row { line, source, target, verdict, judge: "" })
            }
        }
    }
}
