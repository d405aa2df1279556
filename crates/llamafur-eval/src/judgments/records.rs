//! The records of a file, in any format.

use super::class::Class;
use super::error::{JudgmentError, RecordProblem};
use super::log::{self, Entry};
use csv::{Position, ReaderBuilder, StringRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;
use std::str::FromStr;

/// The largest file that is read, in bytes: more than anybody judges, less than memory.
const LARGEST: u64 = if cfg!(test) { 16 << 20 } else { 1 << 30 };

/// The format of a file of judgments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Detects the format by the first line.
    #[default]
    Auto,
    /// The authors' format: source, target, class and optionally judge, separated by tabs; or a table whose first line
    /// names its columns.
    Authors,
    /// TREC's format: query, iteration, document, relevance, separated by whitespace.
    Qrels,
    /// The log of judging: judge, source, target, label, separated by tabs; the last line of a judge on a link counts.
    Log,
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Form, String> {
        match name {
            "auto" => Ok(Form::Auto),
            "authors" => Ok(Form::Authors),
            "qrels" => Ok(Form::Qrels),
            "log" => Ok(Form::Log),
            _ => Err(format!("the format of judgments must be auto, authors, qrels or log, got {name}")),
        }
    }
}

/// The judgment in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its class.
    Class(Class),
    /// The class is not filled in yet.
    NotYet,
    /// The link was not judged.
    Unjudged,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// The first line of the record, from 1.
    pub(super) line: u64,
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    pub(super) verdict: Verdict,
    /// The judge, empty if the file names none.
    pub(super) judge: &'a str,
}

const AUTHORS: &str = "source, target and class, separated by tabs, or a header that names them";
const QRELS: &str = "query, iteration, document and relevance, separated by whitespace";
const EITHER: &str =
    "source, target and class, separated by tabs, or query, iteration, document and relevance";

/// The text of a file.
pub(super) struct Text {
    pub(super) text: String,
    /// The requested format, or [`Form::Log`] if detected.
    pub(super) form: Form,
    /// Bytes of a log's partial last line; they are not in the text.
    pub(super) cut: u64,
}

/// Reads the text of a file.
pub(super) fn load(input: impl Read, path: &Path, form: Form) -> Result<Text, JudgmentError> {
    let mut bytes = Vec::new();
    let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|cause| JudgmentError::Io { path: path.into(), cause })?;
    if bytes.len() as u64 > LARGEST {
        return Err(JudgmentError::TooLarge { path: path.into(), limit: LARGEST });
    }
    let is_log = form == Form::Log || form == Form::Auto && bytes.starts_with(log::HEADER.as_bytes());
    let form = if is_log { Form::Log } else { form };
    let whole = if is_log { log::whole_lines(&bytes) } else { bytes.len() };
    let cut = (bytes.len() - whole) as u64;
    bytes.truncate(whole);
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        JudgmentError::Record { path: path.into(), line, problem: RecordProblem::NotUtf8 }
    })?;
    Ok(Text { text, form, cut })
}

/// Calls `take` with every record of a text, without the header.
pub(super) fn for_each(
    path: &Path,
    text: &str,
    form: Form,
    take: impl FnMut(Record<'_>) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    if form == Form::Log {
        return last_entries(path, text, take);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let bad = |line, problem| JudgmentError::Record { path: path.into(), line, problem };
    match Columns::new(form, first) {
        Some(columns) => table(text, &columns, bad, take),
        None => qrels(text, bad, take),
    }
}

/// Calls `take` with the last entry of every judge on every link, unless it is a withdrawal.
fn last_entries(
    path: &Path,
    text: &str,
    mut take: impl FnMut(Record<'_>) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    let mut last: BTreeMap<(&str, &str, &str), Entry<'_>> = BTreeMap::new();
    log::for_each_entry(path, text.as_bytes(), 0, |entry| {
        last.insert((entry.judge, entry.source, entry.target), entry);
    })?;
    let mut entries: Vec<Entry<'_>> = last.into_values().collect();
    entries.sort_unstable_by_key(|entry| entry.line);
    for Entry { line, judge, source, target, class } in entries {
        if let Some(class) = class {
            take(Record { line, source, target, verdict: Verdict::Class(class), judge })?;
        }
    }
    Ok(())
}

/// The positions of a table's columns.
struct Columns {
    source: usize,
    target: usize,
    class: usize,
    judge: usize,
    has_header: bool,
    /// The columns expected, for the error about a short record.
    expected: &'static str,
}

impl Columns {
    /// Finds the columns by the first line; returns `None` for qrels.
    fn new(form: Form, first: &str) -> Option<Columns> {
        let names: Vec<String> =
            first.split('\t').map(|name| name.trim().trim_matches('"').to_lowercase()).collect();
        let place = |name: &str| names.iter().position(|other| other == name);
        let third = names.get(2).map(String::as_str);
        let has_header =
            third == Some("class") || ["source", "target", "class"].iter().all(|n| place(n).is_some());
        let has_class = third.is_some_and(|name| name.is_empty() || name.parse::<Class>().is_ok());
        let words: Vec<&str> = first.split_whitespace().collect();
        let is_qrels = matches!(words[..], [_, _, _, relevance] if relevance.parse::<i64>().is_ok());
        if form == Form::Qrels || form == Form::Auto && !has_header && !has_class && is_qrels {
            return None;
        }
        let column = |name, otherwise| place(name).filter(|_| has_header).unwrap_or(otherwise);
        Some(Columns {
            source: column("source", 0),
            target: column("target", 1),
            class: column("class", 2),
            // A column that is not there has no field.
            judge: column("judge", if has_header { usize::MAX } else { 3 }),
            has_header,
            expected: if form == Form::Auto && names.len() < 3 { EITHER } else { AUTHORS },
        })
    }
}

fn table(
    text: &str,
    columns: &Columns,
    bad: impl Fn(u64, RecordProblem) -> JudgmentError,
    mut take: impl FnMut(Record<'_>) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(b'\t').has_headers(false).flexible(true);
    let mut reader = builder.from_reader(Cursor::new(text));
    let mut fields = StringRecord::new();
    let (mut line, mut counted, mut is_header) = (1, 0, columns.has_header);
    // A flexible reader of text in memory has nothing to complain about.
    while reader.read_record(&mut fields).expect("text can be read") {
        let end = reader.position().byte() as usize;
        // Empty lines before a record are read with it.
        let raw = text[counted..end].trim_start_matches(['\r', '\n']);
        let start = end - raw.len();
        let mut raw = raw.trim_end_matches(['\r', '\n']);
        let is_one_line = !raw.contains('\n');
        if !is_well_quoted(raw, &fields) || !(is_one_line || columns.has_header) {
            raw = raw.lines().next().unwrap_or_default();
            fields = raw.split('\t').collect::<Vec<_>>().into();
            let mut after = Position::new();
            after.set_byte((start + raw.len()) as u64);
            reader.seek(after).expect("a place in the text");
        }
        line += newlines(&text[counted..start]);
        let first_line = line;
        line += newlines(raw);
        counted = start + raw.len();
        if raw.trim().is_empty() || std::mem::take(&mut is_header) {
            continue;
        }
        // A spreadsheet may leave out what is empty at the end of a line.
        let &Columns { source, target, class, judge, has_header, expected } = columns;
        if fields.len() <= source.max(target) || !has_header && fields.len() <= class {
            return Err(bad(first_line, too_few(fields.len(), raw, expected)));
        }
        let field = |place: usize| fields.get(place).map_or("", str::trim);
        let verdict = match field(class) {
            "" => Verdict::NotYet,
            name => {
                let wrong = |_| bad(first_line, RecordProblem::Class(name.to_owned()));
                Verdict::Class(name.parse().map_err(wrong)?)
            }
        };
        let (source, target, judge) = (field(source), field(target), field(judge));
        take(Record { line: first_line, source, target, verdict, judge })?;
    }
    Ok(())
}

/// Returns whether the quotes of a record are those of a spreadsheet. If not, they belong to a title:
/// `"Weird Al" Yankovic`.
fn is_well_quoted(raw: &str, fields: &StringRecord) -> bool {
    let mut rest = raw;
    let mut is_next = |field: &str| {
        let quoted = rest.starts_with('"').then(|| format!("\"{}\"", field.replace('"', "\"\"")));
        let after = rest.strip_prefix(quoted.as_deref().unwrap_or(field));
        rest = after.map_or(rest, |after| after.strip_prefix('\t').unwrap_or(after));
        after.is_some()
    };
    fields.iter().all(&mut is_next) && rest.is_empty()
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

fn too_few(found: usize, text: &str, expected: &'static str) -> RecordProblem {
    RecordProblem::Columns(found, text.chars().take(60).collect(), expected)
}

fn qrels(
    text: &str,
    bad: impl Fn(u64, RecordProblem) -> JudgmentError,
    mut take: impl FnMut(Record<'_>) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    for (text, line) in text.lines().zip(1..).filter(|(text, _)| !text.trim().is_empty()) {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [source, _, target, relevance] = fields[..] else {
            return Err(bad(line, too_few(fields.len(), text, QRELS)));
        };
        let verdict = match relevance.parse::<i64>() {
            Ok(..=-1) => Verdict::Unjudged,
            Ok(0) => Verdict::Class(Class::E),
            Ok(1) => Verdict::Class(Class::U),
            Ok(2..) => Verdict::Class(Class::TU),
            Err(_) => return Err(bad(line, RecordProblem::Relevance(relevance.to_owned()))),
        };
        take(Record { line, source, target, verdict, judge: "" })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the fields of one record in a table with a header.
    fn fields(record: &str) -> Vec<String> {
        let mut reader =
            ReaderBuilder::new().delimiter(b'\t').has_headers(false).from_reader(record.as_bytes());
        let mut fields = StringRecord::new();
        reader.read_record(&mut fields).unwrap();
        match is_well_quoted(record, &fields) {
            true => fields.iter().map(str::to_owned).collect(),
            false => record.split('\t').map(str::to_owned).collect(),
        }
    }

    #[test]
    fn plain_fields_end_at_tabs() {
        assert_eq!(fields("a b\tc\t\tTE"), ["a b", "c", "", "TE"]);
    }

    #[test]
    fn quotes_of_a_spreadsheet_are_removed() {
        assert_eq!(fields("\"\"\"Heroes\"\" (album)\"\tb"), ["\"Heroes\" (album)", "b"]);
        assert_eq!(fields("\"a\tb\"\tc"), ["a\tb", "c"]);
        assert_eq!(fields("\"a\nb\"\tc"), ["a\nb", "c"]);
    }

    #[test]
    fn titles_that_begin_with_a_quote_keep_it() {
        assert_eq!(fields("\"Weird Al\" Yankovic\tParody\tE"), ["\"Weird Al\" Yankovic", "Parody", "E"]);
        assert_eq!(fields("a\tThe \"b\"\tU"), ["a", "The \"b\"", "U"]);
        assert_eq!(fields("\"a\tb"), ["\"a", "b"]);
    }

    proptest! {
        #[test]
        fn what_a_spreadsheet_writes_is_read(fields in proptest::collection::vec("[ab\"\t\n]{0,6}", 2..6)) {
            let quote = |field: &String| match field.contains(['"', '\t', '\n']) {
                true => format!("\"{}\"", field.replace('"', "\"\"")),
                false => field.clone(),
            };
            let record = fields.iter().map(quote).collect::<Vec<_>>().join("\t");
            prop_assert_eq!(self::fields(&record), fields);
        }
    }
}
