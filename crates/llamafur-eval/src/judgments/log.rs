//! The log of judging: the judgments in the order in which they were made.
//!
//! The first line is [`HEADER`]. Every other line has a judge, a source, a target and a label, separated by tabs,
//! without quotes. A later line of the same judge on the same link replaces an earlier one; without a label it
//! withdraws it. Bytes after the last line break are a partial line, and no part of the log.

use super::class::Class;
use super::error::{JudgmentError, RecordProblem};
use std::path::Path;

/// The first line of a log.
pub(crate) const HEADER: &str = "judge\tsource\ttarget\tlabel";

/// A line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// The line, from 1.
    pub(crate) line: u64,
    pub(crate) judge: &'a str,
    pub(crate) source: &'a str,
    pub(crate) target: &'a str,
    /// The class; `None` if the judgment is withdrawn.
    pub(crate) class: Option<Class>,
}

/// Counts the bytes of complete lines.
pub(crate) fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)
}

/// Calls `take` with every entry of complete lines that follow `before` others; returns the number of lines so far.
pub(crate) fn for_each_entry<'a>(
    path: &Path,
    lines: &'a [u8],
    before: u64,
    mut take: impl FnMut(Entry<'a>),
) -> Result<u64, JudgmentError> {
    let mut line = before;
    for bytes in lines.split_inclusive(|byte| *byte == b'\n') {
        line += 1;
        let bad = |problem| JudgmentError::Record { path: path.into(), line, problem };
        let text = str::from_utf8(bytes).map_err(|_| bad(RecordProblem::NotUtf8))?;
        let text = text.trim_end_matches(['\r', '\n']);
        let beginning = || text.chars().take(60).collect();
        if line == 1 {
            if text != HEADER {
                return Err(bad(RecordProblem::Header(beginning())));
            }
            continue;
        }
        let fields: Vec<&str> = text.split('\t').collect();
        let [judge, source, target, label] = fields[..] else {
            return Err(bad(RecordProblem::Entry(beginning())));
        };
        if [judge, source, target].contains(&"") {
            return Err(bad(RecordProblem::Entry(beginning())));
        }
        let class = match label {
            "" => None,
            label => Some(label.parse().map_err(|_| bad(RecordProblem::Class(label.to_owned())))?),
        };
        take(Entry { line, judge, source, target, class });
    }
    Ok(line)
}
