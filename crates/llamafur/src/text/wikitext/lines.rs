//! The lines of a page as its reader meets them: paragraphs, headings, list items, rows of tables.
//!
//! A line break inside a template, a reference or a link ends no line; a block tag does. Templates may open
//! and close tables: one that nothing closes ends at the next heading, and a row without a table begins one.

use super::spans::{Kind, Span};
use memchr::memchr;
use std::ops::Range;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A line of a paragraph.
    Text,
    /// An empty line, a horizontal rule, or a block tag.
    Blank,
    /// A line of templates only, which mostly make a box of their own.
    Templates,
    /// `== … ==`
    Heading,
    /// `* …`
    Item,
    /// `{| …`
    TableStart,
    /// `|- …`
    RowStart,
    /// `| …`, `! …`, `|+ …`
    Cells,
    /// `|}`
    TableEnd,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) kind: LineKind,
    /// The range of the line, without whitespace and comments around it.
    pub(super) range: Range<usize>,
    /// The innermost table it belongs to, as the index of the table's first line.
    pub(super) table: Option<usize>,
}

/// Finds the lines of a page, in order; lines that hold only a comment are left out.
pub(super) fn lines(text: &str, spans: &[Span]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Building { start: 0, first_span: 0, begins: true };
    let (mut at, mut next) = (0, 0);
    loop {
        let upto = spans.get(next).map_or(text.len(), |span| span.outer.start);
        while let Some(length) = memchr(b'\n', &text.as_bytes()[at..upto]) {
            line.end(text, &spans[line.first_span..next], at + length, &mut lines);
            at += length + 1;
            line = Building { start: at, first_span: next, begins: true };
        }
        let Some(span) = spans.get(next) else { break };
        at = span.outer.end;
        if span.kind == Kind::Block {
            line.end(text, &spans[line.first_span..next], span.outer.start, &mut lines);
            lines.push(Line { kind: LineKind::Blank, range: span.outer.clone(), table: None });
            line = Building { start: at, first_span: next + 1, begins: false };
        }
        // What is inside does not matter here.
        next += 1 + spans[next + 1..].iter().take_while(|inner| inner.outer.start < at).count();
    }
    line.end(text, &spans[line.first_span..], text.len(), &mut lines);
    find_tables(&mut lines);
    lines
}

/// A line whose end is not reached yet.
struct Building {
    start: usize,
    first_span: usize,
    /// True if it begins after a line break, not after a tag: only then are its first letters markup.
    begins: bool,
}

impl Building {
    fn end(&self, text: &str, spans: &[Span], end: usize, lines: &mut Vec<Line>) {
        let (mut start, mut end) = (self.start, end);
        let skip_blanks = |at: usize, end: usize| {
            at + text.as_bytes()[at..end].iter().take_while(|&&c| matches!(c, b' ' | b'\t' | b'\r')).count()
        };
        let is_indented = text[start..end].starts_with(' ');
        start = skip_blanks(start, end);
        let mut saw_comment = false;
        for comment in spans.iter().take_while(|span| span.kind == Kind::Comment) {
            if comment.outer.start != start {
                break;
            }
            saw_comment = true;
            start = skip_blanks(comment.outer.end, end);
        }
        loop {
            end = start + text[start..end].trim_ascii_end().len();
            let inside = spans.partition_point(|span| span.outer.start < end);
            match spans[..inside].last() {
                Some(span)
                    if span.kind == Kind::Comment && span.outer.end == end && span.outer.start >= start =>
                {
                    end = span.outer.start;
                }
                _ => break,
            }
        }
        if start == end && (saw_comment || !self.begins) {
            return;
        }
        let kind = match self.begins {
            true => kind(&text[start..end], is_indented),
            false => LineKind::Text,
        };
        let kind = match kind {
            LineKind::Text if is_templates(text, spans, start..end) => LineKind::Templates,
            kind => kind,
        };
        lines.push(Line { kind, range: start..end, table: None });
    }
}

fn kind(line: &str, is_indented: bool) -> LineKind {
    let bytes = line.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (None, _) => LineKind::Blank,
        (Some(b'='), Some(_)) if line.ends_with('=') && !line.trim_matches('=').is_empty() => {
            LineKind::Heading
        }
        (Some(b'-'), _) if line.starts_with("----") && line.trim_matches('-').is_empty() => LineKind::Blank,
        (Some(b'{'), Some(b'|')) => LineKind::TableStart,
        (Some(b'|'), Some(b'}')) => LineKind::TableEnd,
        (Some(b'|'), Some(b'-')) => LineKind::RowStart,
        (Some(b'|' | b'!'), _) => LineKind::Cells,
        (Some(b'*' | b'#' | b':' | b';'), _) if !is_indented => {
            if line.trim_start_matches([':', ' ']).starts_with("{|") {
                LineKind::TableStart
            } else {
                LineKind::Item
            }
        }
        _ => LineKind::Text,
    }
}

fn is_templates(text: &str, spans: &[Span], range: Range<usize>) -> bool {
    let mut at = range.start;
    let mut found = false;
    for span in spans.iter().filter(|span| span.outer.start >= range.start && span.outer.end <= range.end) {
        if span.outer.start < at {
            continue;
        }
        if !matches!(span.kind, Kind::Template | Kind::Comment)
            || text[at..span.outer.start].trim_ascii() != ""
        {
            return false;
        }
        found = true;
        at = span.outer.end;
    }
    found && text[at..range.end].trim_ascii() == ""
}

/// Assigns each line to its table; outside of tables, `|` and `!` mean nothing.
fn find_tables(lines: &mut [Line]) {
    // First the ends of all tables: their own, or else the next heading.
    let mut ends = vec![0; lines.len()];
    let mut open = Vec::new();
    let mut heading = lines.len();
    for (i, line) in lines.iter().enumerate().rev() {
        ends[i] = heading;
        if line.kind == LineKind::Heading {
            heading = i;
        }
    }
    for (i, line) in lines.iter().enumerate() {
        match line.kind {
            LineKind::TableStart => open.push(i),
            LineKind::TableEnd => {
                if let Some(start) = open.pop() {
                    ends[start] = i + 1;
                }
            }
            _ => {}
        }
    }
    let mut around: Vec<usize> = Vec::new();
    let mut rows_only = None;
    for (i, line) in lines.iter_mut().enumerate() {
        while around.last().is_some_and(|&start| ends[start] <= i) {
            around.pop();
        }
        // Templates that begin a table end it, too.
        let is_rows_only = rows_only.is_some() && around.last() == rows_only.as_ref();
        if is_rows_only && line.kind == LineKind::Templates {
            around.pop();
        }
        if line.kind == LineKind::TableStart {
            around.push(i);
        } else if line.kind == LineKind::RowStart && around.is_empty() {
            around.push(i);
            rows_only = Some(i);
        }
        line.table = around.last().copied();
        if is_rows_only && line.kind == LineKind::TableEnd {
            around.pop();
        }
        if line.table.is_none() {
            match line.kind {
                LineKind::Cells | LineKind::RowStart => line.kind = LineKind::Text,
                // The end of a table that a template began, perhaps with text after it.
                LineKind::TableEnd => {
                    line.range.start += "|}".len();
                    line.kind = if line.range.is_empty() { LineKind::Blank } else { LineKind::Text };
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spans::spans;
    use super::*;
    use crate::text::wikitext::{Site, Titles};

    fn shown(text: &str) -> Vec<String> {
        let lines = lines(text, &spans(text, &Titles::new(&Site::default())));
        let table = |line: &Line| line.table.map_or(String::new(), |table| table.to_string());
        lines
            .iter()
            .map(|line| format!("{:?}{} {}", line.kind, table(line), &text[line.range.clone()]))
            .collect()
    }

    #[test]
    fn lines_have_kinds() {
        assert_eq!(
            shown("a\n\n== b == <!-- x -->\n<!-- y -->\n<!-- z -->* c\n----\n{{d\n|e}}\nf<div>g</div>"),
            [
                "Text a",
                "Blank ",
                "Heading == b ==",
                "Item * c",
                "Blank ----",
                "Templates {{d\n|e}}",
                "Text f",
                "Blank <div>",
                "Text g",
                "Blank </div>"
            ]
        );
        assert_eq!(
            shown("a {{b\nc}} d\n[[e|f\n\ng]]\n|h"),
            ["Text a {{b\nc}} d", "Text [[e|f\n\ng]]", "Text |h"]
        );
    }

    #[test]
    fn tables_hold_their_lines() {
        assert_eq!(
            shown("{|\n! a\n|-\n| b\n:{|\n| c\n|}\nd\n|}\ne"),
            [
                "TableStart0 {|",
                "Cells0 ! a",
                "RowStart0 |-",
                "Cells0 | b",
                "TableStart4 :{|",
                "Cells4 | c",
                "TableEnd4 |}",
                "Text0 d",
                "TableEnd0 |}",
                "Text e"
            ]
        );
    }

    #[test]
    fn rows_without_a_table_begin_one() {
        assert_eq!(
            shown("{{start}}\n|-\n| a\n{{end}}\nb\n|-\n| c\n|}\nd"),
            [
                "Templates {{start}}",
                "RowStart1 |-",
                "Cells1 | a",
                "Templates {{end}}",
                "Text b",
                "RowStart5 |-",
                "Cells5 | c",
                "TableEnd5 |}",
                "Text d"
            ]
        );
    }

    #[test]
    fn a_stray_end_of_a_table_is_no_text() {
        assert_eq!(shown("a\n|}\nb\n|} c"), ["Text a", "Blank ", "Text b", "Text  c"]);
    }

    #[test]
    fn an_open_table_ends_at_the_next_heading() {
        assert_eq!(
            shown("{|\n| a\n== b ==\n| c"),
            ["TableStart0 {|", "Cells0 | a", "Heading == b ==", "Text | c"]
        );
    }
}
