//! Every single measurement, as a row of a table.

use crate::Outcome;
use crate::clock::{Seconds, median};
use crate::machine::load;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Limit,
    Learn,
    Score,
}

impl Task {
    fn name(self) -> &'static str {
        match self {
            Task::Limit => "limit",
            Task::Learn => "learn",
            Task::Score => "score",
        }
    }
}

/// Who did the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Threads(usize),
    Reference,
    /// A process of its own, for its peak memory.
    Alone(usize),
}

impl By {
    fn name(self) -> String {
        match self {
            By::Threads(threads) => format!("threads={threads}"),
            By::Reference => "reference".into(),
            By::Alone(threads) => format!("alone,threads={threads}"),
        }
    }
}

/// One measurement.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub part: Task,
    /// Which learner, model, or limit.
    pub what: String,
    pub by: By,
    pub turn: usize,
    /// Examples, links or lines.
    pub units: u64,
    pub seconds: Seconds,
    /// Bytes; 0 where it was not asked.
    pub peak: u64,
    /// A number that tells results apart; 0 where there is none.
    pub checksum: u64,
}

impl Row {
    /// Millions a second by the clock.
    pub(crate) fn wall_rate(&self) -> f64 {
        self.units as f64 / 1e6 / self.seconds.wall
    }

    /// Millions for each second that a thread ran.
    pub(crate) fn processor_rate(&self) -> f64 {
        self.units as f64 / 1e6 / self.seconds.processor
    }
}

/// All rows so far, each written as soon as it is there.
pub(crate) struct Record {
    pub scale: f64,
    pub rows: Vec<Row>,
    file: Option<File>,
}

impl Record {
    pub(crate) fn create(path: Option<&Path>) -> Outcome<Record> {
        let mut file = path.map(File::create).transpose()?;
        if let Some(file) = &mut file {
            let columns = "scale_percent part what by turn units seconds seconds_to_last_example processor_seconds million_per_second \
                           peak_bytes checksum load";
            writeln!(file, "{}", columns.replace(' ', "\t"))?;
        }
        Ok(Record { scale: 0.0, rows: Vec::new(), file })
    }

    pub(crate) fn add(&mut self, row: Row) -> Outcome<()> {
        let Seconds { wall, processor, to_last_example } = row.seconds;
        let (scale, part, what, by, rate) =
            (self.scale, row.part.name(), &row.what, row.by.name(), row.wall_rate());
        eprintln!("{scale}% {part} {what} {by}, turn {}: {wall:.2} s, {rate:.2} M/s", row.turn);
        if let Some(file) = &mut self.file {
            writeln!(
                file,
                "{scale}\t{part}\t{what}\t{by}\t{}\t{}\t{wall:.4}\t{to_last_example:.4}\t{processor:.2}\t{rate:.4}\t{}\t{:016x}\t{}",
                row.turn,
                row.units,
                row.peak,
                row.checksum,
                load()
            )?;
        }
        self.rows.push(row);
        Ok(())
    }
}

/// The rows of one thing done by one worker.
pub(crate) fn of<'a>(
    rows: &'a [Row],
    part: Task,
    what: &'a str,
    by: By,
) -> impl Iterator<Item = &'a Row> + Clone {
    rows.iter().filter(move |row| row.part == part && row.what == what && row.by == by)
}

/// The median rate of these rows.
pub(crate) fn middle<'a>(rows: impl Iterator<Item = &'a Row>, rate: fn(&Row) -> f64) -> f64 {
    median(rows.map(rate))
}
