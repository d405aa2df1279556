//! `llamafur scorers`: what can say how unexpected a link is.

use crate::output::{Grid, OutputArgs, Render, print};
use anyhow::Result;
use clap::Args;
use llamafur::score::{SCORERS, is_in_blend};
use serde::Serialize;
use std::io::{self, Write};

/// Options of `scorers`.
#[derive(Debug, Args)]
#[command(after_help = "\
A sum of scorers is one too, by studentised scores: llamafur+aa. One that goes by a model takes another by its
name: llamafur:MODEL. What a corpus lacks the input for is left out, visibly, unless it is asked for.

Example:
  llamafur scorers")]
pub struct ScorersListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `scorers`.
pub fn run(args: &ScorersListArgs) -> Result<()> {
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
        let mut grid = Grid::new(["scorer", "needs", "in_blend", "unexpected_by", "after"]);
        for scorer in &self.scorers {
            let needs = if scorer.inputs.is_empty() { "nothing" } else { scorer.inputs };
            let in_blend = if scorer.in_blend { "yes" } else { "" };
            grid.row([scorer.name, needs, in_blend, scorer.about, scorer.cites].map(str::to_owned));
        }
        grid.write_table(&[], out)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new(["name", "inputs", "in_blend", "about", "cites"]);
        for scorer in &self.scorers {
            let Listed { name, inputs, in_blend, about, cites } = scorer;
            grid.row(
                [*name, *inputs, if *in_blend { "true" } else { "false" }, *about, *cites].map(str::to_owned),
            );
        }
        grid
    }
}
