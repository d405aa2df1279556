//! `llamafur cleanse`: keeps the central categories, and moves every page to them.

use super::args::{ThreadArgs, With};
use super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, counted, print, say, thousands, with_checksum};
use crate::sink::{Sink, TableFile};
use anyhow::{Result, bail};
use clap::Args;
use llamafur::categories::{Basis, CleanseConf, Cleanser, Cleansing, DEFAULT, Figures, Goal, Milestones};
use llamafur::corpus::Corpus;
use llamafur::graph::CategoryId;
use llamafur::learn::Model;
use llamafur::progress::{Note, Progress};
use llamafur::storage::AtomicFile;
use llamafur::{Error, Missing};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Options of `cleanse`.
#[derive(Debug, Args)]
#[command(after_help = "\
The most central categories of the category tree are kept: the milestones. Every page moves from its own
categories to the nearest milestones above them. Centrality is harmonic: a category with many others
closely below it is central. A corpus without a tree is cleansed by its pages: categories of one page, and
near-duplicates, are merged with the most similar category.

`train` uses the default cleansing if there is one. A corpus can have several:
`cleanse --name broad`, then `train --cleansing broad`; `train --cleansing none` uses all categories.

Examples:
  llamafur cleanse my.corpus
  llamafur cleanse my.corpus --milestones 500 --min-pages 5 --name broad
  llamafur cleanse my.corpus --milestones 95% --exclude stubs --exclude \"articles with\"
  llamafur cleanse my.corpus --milestones all --ancestors 2 --map moves.tsv")]
pub struct CleanseArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// How many categories to keep: a number, `all`, or a coverage such as 95%: the fewest with which this share of the pages
    /// has a category [default: 20000, as in the paper].
    #[arg(long, value_name = "N|all|P%", allow_negative_numbers = true)]
    milestones: Option<Goal>,
    /// Text that a milestone's name must not contain, case-insensitive; can be given several times [default:
    /// for wikis wiki, categories, main topic classifications, template, navigational box, and the same in
    /// the wiki's language; "" for nothing]. Paths to milestones still go through excluded categories.
    #[arg(long, value_name = "TEXT")]
    exclude: Vec<String>,
    /// Pages that a milestone must have; the pages of one with fewer move to the milestones above it [default: 0 with a tree, 2
    /// without].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_pages: Option<usize>,
    /// Also give pages the milestones up to this many levels above.
    #[arg(long, value_name = "LEVELS", default_value_t = 0, allow_negative_numbers = true)]
    ancestors: usize,
    /// What decides which categories to keep: tree or pages [default: the tree if there is one].
    #[arg(long, value_name = "BASIS")]
    by: Option<Basis>,
    /// The name of the cleansing: a corpus can have several.
    #[arg(long, value_name = "NAME", default_value = DEFAULT)]
    name: String,
    /// Write where every category went as a table: category, milestone, levels up; .tsv, .parquet or .arrow.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

const SHOWN_MILESTONES: usize = 20;

const SHOWN_MOVES: usize = 10;

impl CleanseArgs {
    fn conf(&self) -> CleanseConf {
        let exclude = Some(&self.exclude).filter(|texts| !texts.is_empty());
        CleanseConf::default()
            .ancestors(self.ancestors)
            .with(self.milestones, CleanseConf::goal)
            .with(self.min_pages, CleanseConf::min_pages)
            .with(exclude, |conf, texts| conf.exclude(texts))
    }
}

/// The advice on a category tree for a wiki.
const WIKI_TREE: &str =
    "import a dump that has the pages of the categories, such as the one called pages-articles";

pub(super) fn run(args: &CleanseArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let corpus = Corpus::open(&args.corpus)?;
    // What cannot be written is refused before the work, not after.
    let path = Milestones::path(&corpus, &args.name)?;
    let kind = args.map.as_ref().map(|path| TableFile::of(path, args.output.header)).transpose()?;
    args.map.iter().try_for_each(|path| args.overwrite.check(path))?;
    let replaces = path.exists();
    let is_wiki = corpus.manifest().site.is_some();
    let cleanser = Cleanser::new(&corpus, args.by, progress).map_err(|error| match error {
        // Its advice is for tables.
        Error::Missing { what: Missing::CategoryTree, .. } if is_wiki => {
            anyhow::anyhow!("{}: no category tree; {WIKI_TREE}", args.corpus.display())
        }
        // It does not name the corpus.
        Error::NoCategories => anyhow::Error::new(error).context(args.corpus.display().to_string()),
        other => other.into(),
    })?;
    if cleanser.basis() == Basis::Pages && args.ancestors > 0 {
        let corpus = args.corpus.display();
        match args.by {
            Some(_) => bail!("{corpus}: `--ancestors` is for `--by tree`; leave out one of the two options"),
            None => bail!(
                "{corpus}: `--ancestors` is for a corpus with a category tree, and this has no category tree; \
                 leave it out, or {}",
                if is_wiki { WIKI_TREE } else { "run `llamafur import table` again with `--category-tree`" }
            ),
        }
    }
    if cleanser.basis() == Basis::Pages && args.by.is_none() {
        progress.note(Note::words(
            "no category tree: one-page and near-duplicate categories join the most similar one",
        ));
    }
    let cleansing = cleanser.cleanse(&args.conf())?;
    let figures = cleansing.settings().figures;
    if let Some(Goal::Count(wanted)) = args.milestones
        && figures.milestones < wanted as u64
    {
        let all = counted(figures.milestones, "category");
        let wanted = thousands(wanted as u64);
        progress.note(Note::words(format!("{wanted} asked for: all {all} that may be milestones are")));
    }
    // The map gets its name when the cleansing has its own, so that there are both or none.
    let map = match (&args.map, kind) {
        (Some(path), Some(kind)) => Some((path, write_map(&corpus, &cleansing, path, kind)?)),
        _ => None,
    };
    let (path, checksum) = cleansing.save(&corpus, &args.name)?;
    if let Some((path, file)) = map {
        file.finish()?;
        say(&format!("{}: written", path.display()));
    }
    if replaces {
        say_outdated_models(&corpus)?;
    }
    let report = CleanseReport::new(&corpus, &cleansing, &args.name, &path, checksum)?;
    print(&report, &args.output)
}

/// Lists the models that were trained on the replaced cleansing.
fn say_outdated_models(corpus: &Corpus) -> Result<()> {
    for name in Model::names(corpus)? {
        if let Err(Error::OtherCleansing { .. }) = Model::open(corpus, &name) {
            say(&format!("model “{name}” was trained on the cleansing that this replaces: train it again"));
        }
    }
    Ok(())
}

/// The names of a category and of its milestone, empty if none, and the levels up to it.
pub(super) type MoveRow<'a> = ([&'a str; 2], Option<f64>);

/// Returns the milestone of every category of the corpus; `milestone` maps a category to that of its milestone in the
/// corpus, with the levels.
pub(super) fn move_rows<'a>(
    corpus: &'a Corpus,
    milestone: impl Fn(CategoryId) -> Result<Option<(CategoryId, u32)>, Error> + 'a,
) -> impl Iterator<Item = Result<MoveRow<'a>, Error>> {
    (0..corpus.num_categories() as u32).map(CategoryId).map(move |category| {
        let name = corpus.category_name(category)?;
        Ok(match milestone(category)? {
            Some((milestone, levels)) => ([name, corpus.category_name(milestone)?], Some(f64::from(levels))),
            None => ([name, ""], None),
        })
    })
}

/// The columns of [`move_rows`].
pub(super) const MOVE_COLUMNS: ([&str; 2], &str) = (["category", "milestone"], "levels");

fn write_map(corpus: &Corpus, cleansing: &Cleansing, path: &Path, kind: TableFile) -> Result<AtomicFile> {
    let (mut names, mut milestones, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    let milestone = |category| {
        let milestone = cleansing.milestone(category);
        Ok(milestone.map(|(number, levels)| (cleansing.milestones()[number.index()], levels)))
    };
    for row in move_rows(corpus, milestone) {
        let ([name, milestone], distance) = row?;
        names.push(name);
        milestones.push(milestone);
        levels.push(distance);
    }
    let mut sink = Sink::create(path, kind, &MOVE_COLUMNS.0, &[MOVE_COLUMNS.1])?;
    sink.write(vec![names, milestones], vec![levels])?;
    sink.close()
}

#[derive(Serialize)]
struct CleanseReport {
    name: String,
    by: Basis,
    exclude: Vec<String>,
    #[serde(flatten)]
    figures: Figures,
    left_without: u64,
    most_central: Vec<Central>,
    moves: Vec<Moved>,
    file: String,
    checksum: String,
    #[serde(skip)]
    corpus: String,
}

#[derive(Serialize)]
struct Central {
    category: String,
    centrality: f64,
    pages: u64,
}

#[derive(Serialize)]
struct Moved {
    category: String,
    milestone: String,
    pages: u64,
}

impl CleanseReport {
    fn new(
        corpus: &Corpus,
        cleansing: &Cleansing,
        name: &str,
        file: &Path,
        checksum: String,
    ) -> Result<CleanseReport, Error> {
        let named = |category| Ok::<_, Error>(corpus.category_name(category)?.to_owned());
        let pages = cleansing.num_pages();
        let most_central =
            cleansing.most_central(SHOWN_MILESTONES).into_iter().map(|(milestone, centrality)| {
                let category = named(cleansing.milestones()[milestone.index()])?;
                Ok(Central { category, centrality, pages: pages[milestone.index()] })
            });
        let moves = cleansing.example_moves(corpus.all_categories()?, SHOWN_MOVES).into_iter().map(|moved| {
            Ok(Moved { category: named(moved.category)?, milestone: named(moved.to)?, pages: moved.pages })
        });
        let settings = cleansing.settings();
        Ok(CleanseReport {
            name: name.to_owned(),
            by: settings.basis,
            exclude: settings.exclude.clone(),
            figures: settings.figures,
            left_without: settings.figures.left_without(),
            most_central: most_central.collect::<Result<_, Error>>()?,
            moves: moves.collect::<Result<_, Error>>()?,
            file: file.display().to_string(),
            checksum,
            corpus: corpus.path().display().to_string(),
        })
    }

    /// Returns the name of the measure of the most central categories.
    fn measure(&self) -> &'static str {
        match self.by {
            Basis::Tree => "harmonic_centrality",
            Basis::Pages => "pages_before",
        }
    }
}

fn per_page(pairs: u64, pages: u64) -> String {
    format!("{:.2} a page", pairs as f64 / pages.max(1) as f64)
}

impl Render for CleanseReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let figures = &self.figures;
        let mut grid = Grid::titled(["", "before", "after"]);
        let mut row = |what: &str, before: String, after: String| grid.row([what.into(), before, after]);
        row("categories", thousands(figures.categories), thousands(figures.milestones));
        row("categories that pages carry", thousands(figures.carried), thousands(figures.used));
        let [before, after] = [figures.page_categories, figures.page_milestones];
        row("categories of a page, mean", per_page(before, figures.pages), per_page(after, figures.pages));
        row("pages with categories", thousands(figures.pages_before), thousands(figures.pages_after));
        grid.write_table("before after", out)?;
        writeln!(
            out,
            "Of the categories that pages carry, {} stay, {} went to a milestone, {} had none to go to;\n{} left \
             without a category; {} kept from being milestones by their names.",
            thousands(figures.carried - figures.moved - figures.dropped),
            thousands(figures.moved),
            thousands(figures.dropped),
            match self.left_without {
                1 => "1 page is".into(),
                pages => format!("{} are", counted(pages, "page")),
            },
            match figures.excluded {
                1 => "1 category is".into(),
                excluded => format!("{} are", counted(excluded, "category")),
            }
        )?;
        let most = match self.by {
            Basis::Tree => "most central",
            Basis::Pages => "most frequent",
        };
        writeln!(out, "\nThe {most} milestones, and the pages that now have them:")?;
        let mut grid = Grid::titled(["milestone", self.measure(), "pages"]);
        for central in &self.most_central {
            let centrality = match self.by {
                Basis::Tree => format!("{:.1}", central.centrality),
                Basis::Pages => thousands(central.centrality as u64),
            };
            grid.row([central.category.clone(), centrality, thousands(central.pages)]);
        }
        grid.write_aligned(|name| name != "milestone", out)?;
        if !self.moves.is_empty() {
            writeln!(out, "\nSome of the moves, those of the most pages, one for each milestone:")?;
        }
        for Moved { category, milestone, pages } in &self.moves {
            writeln!(out, "  {category} → {milestone} ({})", counted(*pages, "page"))?;
        }
        writeln!(out, "\n{}", with_checksum(&self.file, &self.checksum))?;
        let cleansing =
            if self.name == DEFAULT { String::new() } else { format!(" --cleansing {}", self.name) };
        writeln!(out, "next: llamafur train {}{cleansing}", self.corpus)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new("kind name value");
        let figures = "categories carried excluded milestones used moved dropped pages pages_before pages_after left_without \
                       page_categories page_milestones";
        for [name, value] in Grid::of(figures, [self]).by_name().into_pairs() {
            grid.row(["figure".into(), name, value]);
        }
        for central in &self.most_central {
            grid.row(["milestone".into(), central.category.clone(), central.centrality.to_string()]);
        }
        for moved in &self.moves {
            grid.row(["move".into(), moved.category.clone(), moved.milestone.clone()]);
        }
        grid.row(["file".into(), self.file.clone(), self.checksum.clone()]);
        grid
    }
}
