//! `llamafur category`: a category's closest neighbours in the matrix, as a table or as a picture.

use super::args::ModelArgs;
use super::overwrite::OverwriteArgs;
use crate::draw;
use crate::lookup;
use crate::output::{Grid, OutputArgs, Render, counted, print, say, signed};
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::categories::Categories;
use llamafur::corpus::{AtomicFile, BLOCK, Corpus, CorpusError};
use llamafur::explain::{Neighbourhood, neighbourhood};
use llamafur::matrix::CategoryMatrix;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `category`.
#[derive(Debug, Args)]
#[command(after_help = "\
The closest neighbours have the largest weight from or to the category; arcs with a weight up to
--min-weight are left out, as in the paper's figures.

Examples:
  llamafur category my.corpus Planets
  llamafur category my.corpus \"Science fiction films\" --out films.svg")]
pub struct CategoryArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The category.
    name: String,
    /// How many neighbours at the most.
    #[arg(long, value_name = "N", default_value_t = 18)]
    neighbours: usize,
    /// Arcs with a weight up to this are left out.
    #[arg(long, value_name = "W", default_value_t = 1.0, allow_negative_numbers = true, value_parser = number)]
    min_weight: f64,
    /// Also write a picture or a graph: .svg, .graphml or .dot.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

fn number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text} is no number"))?;
    if number.is_finite() { Ok(number) } else { Err("it must be finite".into()) }
}

/// Runs `category`.
pub fn run(args: &CategoryArgs) -> Result<()> {
    args.out.iter().try_for_each(|path| args.overwrite.check(path))?;
    let corpus = Corpus::open(&args.corpus)?;
    let model = args.model.open(&corpus)?;
    let categories = model.categories(&corpus);
    let category = lookup::category(&categories, &args.name)?;
    let matrix = model.matrix()?;
    let found = neighbourhood(matrix, category, args.neighbours, args.min_weight);
    if let Some(path) = &args.out {
        write_drawing(path, &drawing(&categories, &found)?)?;
        say(&format!("{}: written", path.display()));
    }
    let report = Report::new(&categories, matrix, &found, args.min_weight)?;
    print(&report, &args.output)
}

/// What is drawn of a neighbourhood.
pub(super) fn drawing(
    categories: &Categories<'_>,
    found: &Neighbourhood,
) -> Result<draw::Neighbourhood, CorpusError> {
    let names = found.categories.iter().map(|&category| Ok(categories.name(category)?.to_owned()));
    let place = |category| found.categories.iter().position(|&other| other == category).unwrap_or_default();
    let arcs = found.arcs.iter().map(|arc| draw::Arc {
        from: place(arc.source),
        to: place(arc.target),
        weight: arc.weight,
    });
    Ok(draw::Neighbourhood { names: names.collect::<Result<_, CorpusError>>()?, arcs: arcs.collect() })
}

fn write_drawing(path: &Path, drawing: &draw::Neighbourhood) -> Result<()> {
    let text = match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => draw::svg(drawing),
        Some("graphml") => draw::graphml(drawing),
        Some("dot" | "gv") => draw::dot(drawing),
        _ => bail!("{}: the name must end in .svg, .graphml or .dot, to say which is wanted", path.display()),
    };
    let mut file = AtomicFile::create(path, BLOCK)?;
    file.write_all(text.as_bytes()).with_context(|| path.display().to_string())?;
    file.finish()?;
    Ok(())
}

#[derive(Serialize)]
struct Report {
    category: String,
    min_weight: f64,
    /// w(c, c): how much the category's pages link to one another.
    with_itself: f64,
    neighbours: Vec<Neighbour>,
    arcs: Vec<Arc>,
}

#[derive(Serialize)]
struct Neighbour {
    category: String,
    /// The weight from the category asked for to this one.
    to: f64,
    /// The weight from this one.
    from: f64,
}

#[derive(Serialize)]
struct Arc {
    source: String,
    target: String,
    weight: f64,
}

impl Report {
    fn new(
        categories: &Categories<'_>,
        matrix: &dyn CategoryMatrix,
        found: &Neighbourhood,
        min_weight: f64,
    ) -> Result<Report, CorpusError> {
        let name = |category| Ok::<_, CorpusError>(categories.name(category)?.to_owned());
        let middle = found.categories[0];
        let neighbours = found.categories[1..].iter().map(|&other| {
            let (to, from) = (matrix.weight(middle, other), matrix.weight(other, middle));
            Ok(Neighbour { category: name(other)?, to, from })
        });
        let arcs = found
            .arcs
            .iter()
            .map(|arc| Ok(Arc { source: name(arc.source)?, target: name(arc.target)?, weight: arc.weight }));
        Ok(Report {
            category: name(middle)?,
            min_weight,
            with_itself: matrix.weight(middle, middle),
            neighbours: neighbours.collect::<Result<_, CorpusError>>()?,
            arcs: arcs.collect::<Result<_, CorpusError>>()?,
        })
    }

    fn neighbours_grid(&self, weight: impl Fn(f64) -> String) -> Grid {
        let mut grid = Grid::new(["neighbour", "weight_to_it", "weight_from_it"]);
        for neighbour in &self.neighbours {
            grid.row([neighbour.category.clone(), weight(neighbour.to), weight(neighbour.from)]);
        }
        grid
    }
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Report { category, min_weight, .. } = self;
        let itself = signed(self.with_itself);
        if self.neighbours.is_empty() {
            writeln!(
                out,
                "{category}: no neighbour with a weight above {min_weight} (with itself: {itself})"
            )?;
            return writeln!(out, "a lower --min-weight shows weaker ones");
        }
        let neighbours = counted(self.neighbours.len() as u64, "close neighbour");
        writeln!(out, "{category}: {neighbours} (with itself: {itself})")?;
        self.neighbours_grid(signed).write_table(&["weight_to_it", "weight_from_it"], out)
    }

    fn grid(&self) -> Grid {
        self.neighbours_grid(|weight| weight.to_string())
    }
}
