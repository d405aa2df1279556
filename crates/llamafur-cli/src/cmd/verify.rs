//! `llamafur verify`: checks every byte of a corpus, its words, vectors, cleansings, models and judgments.

use crate::output::{Format, Grid, OutputArgs, Render, counted, print, say_error};
use anyhow::{Error, Result};
use clap::Args;
use llamafur::engine::{FileKind, VerifiedFile, verify};
use llamafur_eval::judging;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every file is checked, also after a damaged one; each damaged file is a line on stderr, and the exit code is 2. Judgments \
that an older program or another one wrote have no checksums, and are only read.

Example:
  llamafur verify my.corpus")]
pub struct VerifyArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &VerifyArgs) -> Result<()> {
    let mut report = Report { corpus: args.corpus.display().to_string(), whole: true, ..Report::default() };
    let mut errors: Vec<Error> = Vec::new();
    for VerifiedFile { kind, name, damage, .. } in verify(&args.corpus)? {
        match damage {
            Some(error) => report.damaged(name, error, &mut errors),
            None => match kind {
                FileKind::Cleansing => report.cleansings.push(name),
                FileKind::Model => report.models.push(name),
                // It is what the others are checked against.
                _ if name == "manifest.json" => {}
                _ => report.files.push(name),
            },
        }
    }
    for (name, checked) in judging::verify(&args.corpus) {
        match checked {
            Ok(()) => report.files.push(name),
            Err(error) => report.damaged(name, error, &mut errors),
        }
    }
    if report.whole || args.output.format == Some(Format::Json) {
        print(&report, &args.output)?;
    }
    // The last one is said by the program's end.
    let last = errors.pop();
    errors.iter().for_each(say_error);
    last.map_or(Ok(()), Err)
}

#[derive(Default, Serialize)]
struct Report {
    corpus: String,
    whole: bool,
    files: Vec<String>,
    cleansings: Vec<String>,
    models: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<Damaged>,
}

/// A damaged file.
#[derive(Serialize)]
struct Damaged {
    name: String,
    error: String,
}

impl Report {
    fn damaged(&mut self, name: String, error: impl Into<Error>, errors: &mut Vec<Error>) {
        let error = error.into();
        self.whole = false;
        self.damaged.push(Damaged { name, error: format!("{error:#}") });
        errors.push(error);
    }
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let files = counted(self.files.len() as u64, "file");
        let cleansings = match self.cleansings.len() as u64 {
            0 => String::new(),
            cleansings => format!(", {}", counted(cleansings, "cleansing")),
        };
        let models = counted(self.models.len() as u64, "model");
        writeln!(out, "{}: whole ({files}{cleansings} and {models})", self.corpus)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new("kind name state");
        for (kind, names) in [("file", &self.files), ("cleansing", &self.cleansings), ("model", &self.models)]
        {
            names.iter().for_each(|name| grid.row([kind.into(), name.clone(), "whole".into()]));
        }
        grid
    }
}
