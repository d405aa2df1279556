//! Results on stdout: as a table for people, as JSON or as TSV for programs.

use crate::clean::{Clean, Shown, cleaned, cleaned_line};
use crate::remedy;
use anyhow::Result;
use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use llamafur::score::LeftOut;
use llamafur::storage::Watch;
pub(crate) use llamafur_eval::report::{counted, grouped as thousands, signed_by};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::{Arc, OnceLock};

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// For pipes: a row in each line, columns separated by tabs; of a single result, a name and a value in each line.
    Tsv,
}

/// How a result is printed.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// The format of the result [default: table on a terminal, tsv in a pipe].
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<Format>,

    /// Begin TSV with a line of column names.
    #[arg(long)]
    pub header: bool,
}

/// Something that can be printed in every format.
pub(crate) trait Render: Serialize {
    /// Writes the result for people.
    fn human(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Returns the rows for TSV.
    fn grid(&self) -> Grid;
}

/// Rows of text under column names.
pub(crate) struct Grid {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Creates a grid without rows. The names of its columns are separated by spaces; an underscore is displayed as a
    /// space.
    pub(crate) fn new(columns: &str) -> Grid {
        Grid::titled(columns.split_whitespace())
    }

    /// Creates a grid without rows, whose columns have these names.
    pub(crate) fn titled<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Grid {
        Grid { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Creates a row for each item, with values of its JSON: a column is a key, or `NAME=PATH` for a nested value, such
    /// as `low=ci95.0`.
    pub(crate) fn of<T: Serialize>(columns: &str, items: impl IntoIterator<Item = T>) -> Grid {
        let columns: Vec<(&str, &str)> = columns
            .split_whitespace()
            .map(|column| column.split_once('=').unwrap_or((column, column)))
            .collect();
        let mut grid = Grid::titled(columns.iter().map(|(name, _)| *name));
        for item in items {
            // What cannot be written as JSON is an error of `--format json`; here it has no fields.
            let item = serde_json::to_value(item).unwrap_or_default();
            let at = |path: &str| item.pointer(&format!("/{}", path.replace('.', "/")));
            grid.rows.push(columns.iter().map(|(_, path)| at(path).map(plain).unwrap_or_default()).collect());
        }
        grid
    }

    /// Appends a row with a field for each column.
    pub(crate) fn row(&mut self, fields: impl Into<Vec<String>>) {
        let fields = fields.into();
        debug_assert_eq!(fields.len(), self.columns.len());
        self.rows.push(fields);
    }

    /// Turns the only row of the grid into rows of names and values: a long row without names would be unreadable.
    pub(crate) fn by_name(self) -> Grid {
        debug_assert_eq!(self.rows.len(), 1);
        let values = self.rows.into_iter().flatten();
        let rows = self.columns.into_iter().zip(values).map(|(name, value)| vec![name, value]);
        Grid { rows: rows.collect(), ..Grid::new("name value") }
    }

    /// Returns the rows of a grid of two columns.
    pub(crate) fn into_pairs(self) -> impl Iterator<Item = [String; 2]> {
        self.rows.into_iter().filter_map(|row| row.try_into().ok())
    }

    fn write_tsv(&self, header: bool, out: &mut dyn Write) -> io::Result<()> {
        if header {
            writeln!(out, "{}", self.columns.join("\t"))?;
        }
        for row in &self.rows {
            // A tab or a line break within a field (a snippet of a text) would break the row.
            let fields: Vec<String> =
                row.iter().map(|field| field.replace(['\t', '\n', '\r'], " ")).collect();
            writeln!(out, "{}", fields.join("\t"))?;
        }
        Ok(())
    }

    /// Writes the grid for people; `right` names the right-aligned columns of numbers, in the format of [`Grid::new`].
    pub(crate) fn write_table(&self, right: &str, out: &mut dyn Write) -> io::Result<()> {
        let right: Vec<&str> = right.split_whitespace().collect();
        self.write_aligned(|name| right.contains(&name), out)
    }

    /// Writes the grid for people, with the columns that pass `is_right` aligned to the right.
    pub(crate) fn write_aligned(
        &self,
        is_right: impl Fn(&str) -> bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.write_part(&self.rows[..self.rows.len().min(PART)], &is_right, out)?;
        let rest = self.rows.get(PART..).unwrap_or_default();
        rest.chunks(PART).try_for_each(|rows| self.write_part(rows, &is_right, out))
    }

    /// Writes some of the rows under the names of the columns.
    fn write_part(
        &self,
        rows: &[Vec<String>],
        is_right: &impl Fn(&str) -> bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut table = Table::new();
        let line = LineStyle::none().fill('─').junction('─');
        let mut style = TableStyle::new().header_separator(line);
        if rows.iter().flatten().any(|field| field.contains('\n')) {
            // Rows of several lines need something between them.
            style = style.row_separator(LineStyle::none().fill('╌').junction('╌'));
        }
        table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic);
        let known = if io::stdout().is_terminal() { table.width() } else { columns_asked_for() };
        table.set_width(width(known));
        table.set_header(self.columns.iter().map(|column| column.replace('_', " ")));
        // Cleaned before they are measured.
        table.add_rows(rows.iter().map(|row| row.iter().map(|field| cleaned(field))));
        for (column, name) in self.columns.iter().enumerate() {
            if let (true, Some(column)) = (is_right(name), table.column_mut(column)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Number of rows of a displayed table that are laid out together: the layout takes ten times the memory of the rows.
const PART: usize = 10_000;

/// Formats a value of JSON: numbers with all their digits, nothing for `null`, values of a list separated by commas.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or(f64::NAN).to_string(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Returns the width of a table. Some terminals report 0 or 1 if they do not know their own.
fn width(known: Option<u16>) -> u16 {
    known.filter(|&width| width >= NARROWEST).unwrap_or(100)
}

/// Least valid width.
const NARROWEST: u16 = 20;

fn columns_asked_for() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// All mapped files of a command, unless it is a server, which has one watch per corpus.
pub(crate) static FILES: OnceLock<Arc<Watch>> = OnceLock::new();

/// Prints a result in the requested format.
pub(crate) fn print(result: &impl Render, args: &OutputArgs) -> Result<()> {
    FILES.get().map_or(Ok(()), |files| files.expect_unchanged())?;
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = BufWriter::new(stdout.lock());
    write(result, args, is_terminal, &mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes a result for people or programs: output to a terminal is cleaned for people, whatever its format.
fn write(result: &impl Render, args: &OutputArgs, is_terminal: bool, out: &mut dyn Write) -> io::Result<()> {
    let default = if is_terminal { Format::Table } else { Format::Tsv };
    let format = args.format.unwrap_or(default);
    let shown = if format == Format::Json { Shown::Escaped } else { Shown::Replaced };
    match is_terminal || format == Format::Table {
        true => write_as(result, format, args.header, &mut Clean::new(out, shown)),
        false => write_as(result, format, args.header, out),
    }
}

fn write_as(result: &impl Render, format: Format, header: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table => result.human(out),
        Format::Tsv => result.grid().write_tsv(header, out),
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, result)?;
            writeln!(out)
        }
    }
}

/// Prints a cleaned line to stderr. Errors are ignored: stderr may be closed.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", cleaned(line));
}

/// Prints an error and its remedy, in one line.
pub(crate) fn say_error(error: &anyhow::Error) {
    let remedy = remedy::of(error).map_or_else(String::new, |remedy| format!("; {remedy}"));
    say(&cleaned_line(&format!("error: {error:#}{remedy}")));
}

/// Reports the name used in place of the requested one, if they differ.
pub(crate) fn say_taken(asked: &str, taken: &str) {
    if asked != taken {
        say(&format!("taking “{asked}” for “{taken}”"));
    }
}

/// Formats a weight or score for people: two decimals and a real minus.
pub(crate) fn signed(number: f64) -> String {
    signed_by(2, number)
}

/// Formats a 95% interval for people.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("{low:.3}, {high:.3}")
}

/// Formats a figure for people, with three decimals; nothing if it is missing.
pub(crate) fn three(figure: Option<f64>) -> String {
    figure.map(|figure| signed_by(3, figure)).unwrap_or_default()
}

/// Describes the test data of a learner: `3 links and as many non-links`.
pub(crate) fn links_and_non_links(links: u64, non_links: u64) -> String {
    let same =
        if non_links == links { "as many non-links".to_owned() } else { counted(non_links, "non-link") };
    format!("{} and {same}", counted(links, "link"))
}

/// Formats a result's file and the beginning of its checksum.
pub(crate) fn with_checksum(file: &str, checksum: &str) -> String {
    format!("{file} ({})", checksum.get(..16).unwrap_or(checksum))
}

/// Lists the scorers left out, a line each.
pub(crate) fn write_left_out(left_out: &[LeftOut], out: &mut dyn Write) -> io::Result<()> {
    left_out.iter().try_for_each(|LeftOut { name, .. }| writeln!(out, "{name} is left out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 110_699_703].map(thousands), ["0", "999", "1,000", "110,699,703"]);
        assert_eq!([0.0, -0.001, -1.5, 2.345].map(signed), ["0.00", "0.00", "−1.50", "2.35"]);
        assert_eq!(counted(1, "link"), "1 link");
        assert_eq!(counted(1200, "category"), "1,200 categories");
    }

    #[test]
    fn a_width_that_no_table_fits_into_is_unknown() {
        assert_eq!([None, Some(0), Some(19), Some(20), Some(80)].map(width), [100, 100, 100, 20, 80]);
    }

    #[test]
    fn a_long_table_is_laid_out_in_parts_and_has_all_rows() {
        for num_rows in [0, 1, PART, PART + 1] {
            let mut grid = Grid::new("row");
            (0..num_rows).for_each(|row| grid.row([row.to_string()]));
            let mut out = Vec::new();
            grid.write_table("", &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            let rows = out.lines().filter(|line| line.trim().parse::<usize>().is_ok());
            assert_eq!(rows.count(), num_rows);
            assert_eq!(
                out.lines().filter(|line| line.trim() == "row").count(),
                num_rows.div_ceil(PART).max(1)
            );
        }
    }

    #[derive(Serialize)]
    struct Title(&'static str);

    impl Render for Title {
        fn human(&self, out: &mut dyn Write) -> io::Result<()> {
            self.grid().write_table("", out)?;
            writeln!(out, "{}", self.0)
        }

        fn grid(&self) -> Grid {
            let mut grid = Grid::new("title");
            grid.row([self.0.to_owned()]);
            grid
        }
    }

    #[test]
    fn a_terminal_gets_no_escape_sequence_and_a_pipe_gets_what_there_is() {
        let hostile = Title("\u{1B}]0;x\u{7}\u{9B}2J\u{202E}");
        let written = |format, is_terminal| {
            let mut out = Vec::new();
            write(&hostile, &OutputArgs { format: Some(format), header: false }, is_terminal, &mut out)
                .unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Format::Tsv, true), "�]0;x��2J�\n");
        assert_eq!(written(Format::Tsv, false), format!("{}\n", hostile.0));
        assert_eq!(written(Format::Table, false).matches("�]0;x��2J�").count(), 2);
        assert_eq!(written(Format::Json, true), "\"\\u001b]0;x\\u0007\\u009b2J\\u202e\"\n");
        assert_eq!(written(Format::Json, false), "\"\\u001b]0;x\\u0007\u{9B}2J\u{202E}\"\n");
    }

    #[test]
    fn a_field_never_breaks_its_row() {
        let mut grid = Grid::new("a b");
        grid.row(["x\ty".into(), "z\n".into()]);
        let mut out = Vec::new();
        grid.write_tsv(true, &mut out).unwrap();
        assert_eq!(out, b"a\tb\nx y\tz \n");
    }

    #[test]
    fn a_single_row_becomes_names_and_values() {
        let mut grid = Grid::new("pages links");
        grid.row(["1".into(), "2".into()]);
        let mut out = Vec::new();
        grid.by_name().write_tsv(false, &mut out).unwrap();
        assert_eq!(out, b"pages\t1\nlinks\t2\n");
    }
}
