//! `llamafur scorers`: the measures of how unexpected a link is.

use crate::output::{Grid, OutputArgs, Render, print};
use anyhow::Result;
use clap::Args;
use llamafur::score::{SCORERS, is_in_blend};
use serde::Serialize;
use std::io::{self, Write};

/// Options of `scorers`.
#[derive(Debug, Args)]
#[command(after_help = "\
A sum of scorers is a scorer too: llamafur+aa adds their studentised scores. A scorer that uses a model can use
another model by its name: llamafur:MODEL. Scorers whose input the corpus lacks are left out with a note.

Example:
  llamafur scorers")]
pub struct ScorersListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ScorersListArgs) -> Result<()> {
    let listed = |scorer: &llamafur::score::Scorer| Listed {
        name: scorer.name,
        inputs: scorer.inputs,
        in_blend: is_in_blend(scorer.name),
        about: scorer.about,
        cites: scorer.cites,
    };
    print(&List { scorers: SCORERS.iter().map(listed).collect() }, &args.output)
}

#[derive(Serialize)]
struct List {
    scorers: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    inputs: &'static str,
    in_blend: bool,
    about: &'static str,
    cites: &'static str,
}

impl Render for List {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut grid = Grid::new("scorer needs in_blend unexpected_by after");
        for scorer in &self.scorers {
            let needs = if scorer.inputs.is_empty() { "nothing" } else { scorer.inputs };
            let in_blend = if scorer.in_blend { "yes" } else { "" };
            grid.row([scorer.name, needs, in_blend, scorer.about, scorer.cites].map(str::to_owned));
        }
        grid.write_table("", out)
    }

    fn grid(&self) -> Grid {
        Grid::of("name inputs in_blend about cites", &self.scorers)
    }
}
