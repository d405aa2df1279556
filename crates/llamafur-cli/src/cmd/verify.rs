//! `llamafur verify`: every byte of a corpus, its words, vectors, cleansings and models, checked.

use crate::output::{Grid, OutputArgs, Render, counted, print};
use anyhow::Result;
use clap::Args;
use llamafur::Error;
use llamafur::categories::Milestones;
use llamafur::corpus::Corpus;
use llamafur::engine::verify_prepared;
use llamafur::learn::Model;
use llamafur::score;
use llamafur::vectors;
use llamafur::words::Words;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  llamafur verify my.corpus")]
pub struct VerifyArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `verify`.
pub(super) fn run(args: &VerifyArgs) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    corpus.verify()?;
    let mut files: Vec<String> = corpus.manifest().files.keys().cloned().collect();
    match Words::open(&corpus) {
        Ok(words) => {
            words.verify()?;
            files.push("words.arrow".into());
        }
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    files.extend(verify_prepared(&corpus)?);
    files.extend(vectors::verify(&corpus)?);
    files.extend(score::verify_standards(&corpus)?.map(str::to_owned));
    let cleansings = Milestones::names(&corpus)?;
    for name in &cleansings {
        Milestones::open(&corpus, name)?.verify()?;
    }
    let models = Model::names(&corpus)?;
    for name in &models {
        for matrix in Model::open(&corpus, name)?.matrices() {
            matrix.matrix()?;
        }
    }
    let corpus_name = args.corpus.display().to_string();
    print(&Whole { corpus: corpus_name, whole: true, files, cleansings, models }, &args.output)
}

#[derive(Serialize)]
struct Whole {
    corpus: String,
    whole: bool,
    files: Vec<String>,
    cleansings: Vec<String>,
    models: Vec<String>,
}

impl Render for Whole {
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
