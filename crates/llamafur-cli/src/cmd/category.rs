//! `llamafur category`: a category's closest neighbours in the matrix, as a table or as a picture.

use super::args::With;
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print, say, say_taken, signed, thousands};
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::corpus::fold;
use llamafur::engine::{CategoryConf, CategoryNeighbour, CategoryNeighbourhood, Engine, EngineConf};
use llamafur::storage::{AtomicFile, BLOCK};
use llamafur_eval::report::category_graph;
use llamafur_figures::{CategoryGraph, WIDE};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `category`.
#[derive(Debug, Args)]
#[command(after_help = "\
The closest neighbours have the largest weight from or to the category; arcs with a weight up to --min-weight are left \
out, as in the paper's figures, and so are neighbours with fewer links than --min-links behind them.

Examples:
  llamafur category my.corpus Planets
  llamafur category my.corpus \"Science fiction films\" --out films.svg")]
pub struct CategoryArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The category.
    name: String,
    /// How many neighbours to show at most.
    #[arg(long, value_name = "N", default_value_t = 18)]
    neighbours: usize,
    /// Leave out arcs with a weight up to this.
    #[arg(long, value_name = "W", default_value_t = 1.0, allow_negative_numbers = true, value_parser = number)]
    min_weight: f64,
    /// Leave out neighbours with fewer links between the two categories, in both directions together.
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_links: u64,
    /// Also write a picture or a graph: .svg, .graphml or .dot.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// The model, by the name that `train` gave it [default: llamafur].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

fn number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text} is no number"))?;
    if number.is_finite() { Ok(number) } else { Err("it must be finite".into()) }
}

pub(super) fn run(args: &CategoryArgs) -> Result<()> {
    args.out.iter().try_for_each(|path| args.overwrite.check(path))?;
    // What cannot be written should come to light before the work.
    let file = args.out.as_deref().map(DrawingFile::create).transpose()?;
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    let conf = CategoryConf::default()
        .neighbours(args.neighbours)
        .min_weight(args.min_weight)
        .min_links(args.min_links)
        .with(args.model.as_ref(), |conf, model| conf.model(model));
    let found = engine.category(&args.name, &conf)?;
    match fold(&args.name) == fold(&found.category) {
        true => say_taken(&args.name, &found.category),
        false => {
            say(&format!("the cleansing moved “{}” to the milestone “{}”", args.name, found.category));
        }
    }
    if let Some(file) = file {
        file.write(&category_graph(&found))?;
    }
    print(&Shown(found), &args.output)
}

/// The file of a drawing, and the function that draws it.
struct DrawingFile<'a> {
    path: &'a Path,
    text: fn(&CategoryGraph) -> String,
    file: AtomicFile,
}

impl<'a> DrawingFile<'a> {
    fn create(path: &'a Path) -> Result<DrawingFile<'a>> {
        let text: fn(&CategoryGraph) -> String = match path.extension().and_then(|name| name.to_str()) {
            Some("svg") => |drawing| drawing.draw(WIDE).svg(),
            Some("graphml") => CategoryGraph::graphml,
            Some("dot" | "gv") => CategoryGraph::dot,
            _ => bail!(
                "{}: the name must end in .svg, .graphml or .dot, to say which is wanted",
                path.display()
            ),
        };
        Ok(DrawingFile { path, text, file: AtomicFile::create(path, BLOCK)? })
    }

    fn write(mut self, drawing: &CategoryGraph) -> Result<()> {
        let text = (self.text)(drawing);
        self.file.write_all(text.as_bytes()).with_context(|| self.path.display().to_string())?;
        self.file.finish()?;
        say(&format!("{}: written", self.path.display()));
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Shown(CategoryNeighbourhood);

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let CategoryNeighbourhood { category, min_weight, neighbours, .. } = &self.0;
        let itself = signed(self.0.with_itself);
        if neighbours.is_empty() {
            writeln!(
                out,
                "{category}: no neighbour with a weight above {min_weight} (with itself: {itself})"
            )?;
            return writeln!(out, "a lower --min-weight or --min-links shows more");
        }
        let counted = counted(neighbours.len() as u64, "close neighbour");
        writeln!(out, "{category}: {counted} (with itself: {itself})")?;
        let [to, from] = [format!("{category} → neighbour"), format!("neighbour → {category}")];
        let mut grid = Grid::titled(["neighbour", &to, "links", &from, "links"]);
        for CategoryNeighbour { category, to, links_to, from, links_from } in neighbours {
            let [to, from] = [*to, *from].map(signed);
            grid.row([category.clone(), to, thousands(*links_to), from, thousands(*links_from)]);
        }
        grid.write_aligned(|name| name != "neighbour", out)
    }

    fn grid(&self) -> Grid {
        let columns = "neighbour=category weight_to_neighbour=to links_to_neighbour=links_to \
                       weight_from_neighbour=from links_from_neighbour=links_from";
        Grid::of(columns, &self.0.neighbours)
    }
}
