//! `llamafur info`: contents and origin of a corpus.

use crate::output::{Grid, OutputArgs, Render, counted, interval, print, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::Error;
use llamafur::categories::{self, Milestones};
use llamafur::corpus::{Corpus, Manifest};
use llamafur::human_bytes;
use llamafur::learn::held_out::HeldOut;
use llamafur::learn::{Model, Settings};
use llamafur::words::{self, Words};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `info`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  llamafur info my.corpus")]
pub struct InfoArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &InfoArgs) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    let models = Model::names(&corpus)?.into_iter().map(|name| {
        let settings = Model::open(&corpus, &name).map(|model| model.settings().clone());
        Part::new(name, settings)
    });
    let cleansings = Milestones::names(&corpus)?.into_iter().map(|name| {
        let settings = Milestones::open(&corpus, &name).map(|milestones| milestones.settings().clone());
        Part::new(name, settings)
    });
    let words = match Words::open(&corpus) {
        Err(Error::NotFound { .. }) => None,
        Ok(words) => Some(WordsInfo {
            bytes: Some(words.num_bytes()),
            settings: Some(words.settings().clone()),
            problem: None,
        }),
        Err(error) => Some(WordsInfo { bytes: None, settings: None, problem: Some(error.to_string()) }),
    };
    let info = Info {
        corpus: args.corpus.display().to_string(),
        graph: corpus.manifest().graph_checksum(),
        words,
        cleansings: cleansings.collect(),
        models: models.collect(),
        manifest: corpus.manifest().clone(),
    };
    print(&info, &args.output)
}

#[derive(Serialize)]
struct Info {
    corpus: String,
    graph: String,
    #[serde(flatten)]
    manifest: Manifest,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<WordsInfo>,
    cleansings: Vec<Part<categories::Settings>>,
    models: Vec<Part<Settings>>,
}

#[derive(Serialize)]
struct WordsInfo {
    bytes: Option<u64>,
    settings: Option<words::Settings>,
    problem: Option<String>,
}

impl WordsInfo {
    fn summary(&self) -> String {
        let (Some(settings), Some(bytes)) = (&self.settings, self.bytes) else {
            return self.problem.clone().unwrap_or_default();
        };
        super::words::summary(settings, bytes)
    }
}

/// A cleansing or a model: its settings, or the reason why it cannot be opened.
#[derive(Serialize)]
struct Part<S> {
    name: String,
    settings: Option<S>,
    problem: Option<String>,
}

impl<S> Part<S> {
    fn new(name: String, settings: Result<S, Error>) -> Part<S> {
        let problem = settings.as_ref().err().map(ToString::to_string);
        Part { name, settings: settings.ok(), problem }
    }

    fn fact(&self, kind: &str, summary: fn(&S) -> String) -> (String, String) {
        let settings = self.settings.as_ref().map(summary).or_else(|| self.problem.clone());
        (format!("{kind}: {}", self.name), settings.unwrap_or_default())
    }
}

fn cleansing(settings: &categories::Settings) -> String {
    let figures = &settings.figures;
    let mean = figures.page_milestones as f64 / figures.pages.max(1) as f64;
    let ancestors = match settings.ancestors {
        0 => String::new(),
        levels => format!(", with those {} further up", counted(levels as u64, "level")),
    };
    format!(
        "{} by the {} ({mean:.2} a page{ancestors}), {} left without",
        counted(figures.milestones, "milestone"),
        settings.basis.name(),
        counted(figures.left_without(), "page"),
    )
}

fn model(settings: &Settings) -> String {
    let form = match (settings.method.is_dense(), settings.members()) {
        (true, _) => String::new(),
        (false, 1) => format!(", rank {}", settings.rank),
        (false, members) => format!(", rank {}, ensemble of {members}", settings.rank / members),
    };
    let on = settings.cleansing.as_ref().map(|cleansing| format!(", cleansing {}", cleansing.name));
    let explained = settings
        .method
        .explains()
        .then(|| format!(", {:.1}% of the links explained", 100.0 * settings.figures.explained.share()));
    let over: Vec<&str> =
        std::iter::once(settings).chain(&settings.beside).map(|matrix| matrix.feature.name()).collect();
    let over = (over != ["categories"]).then(|| format!(", over {}", over.join(", ")));
    let explained = explained.filter(|_| settings.beside.is_empty());
    let held_out = settings.together.as_ref().or(settings.held_out.as_ref()).map(measured);
    let details: String = [over, on, explained, held_out].into_iter().flatten().collect();
    format!("{}{form}, seed {}{details}", settings.method, settings.seed)
}

/// Formats the learner's figures on held-out links.
fn measured(held_out: &HeldOut) -> String {
    match (held_out.f_measure, held_out.ci95, held_out.auc) {
        (Some(f), Some(ci95), _) => format!(", held-out F-measure {f:.3} [{}]", interval(ci95)),
        (_, _, Some(auc)) => format!(", held-out AUC {auc:.3}"),
        _ => String::new(),
    }
}

impl Info {
    fn facts(&self) -> Vec<(String, String)> {
        let counts = &self.manifest.counts;
        let per_page =
            |n: u64| format!("{} ({:.2} a page)", thousands(n), n as f64 / counts.pages.max(1) as f64);
        let provenance = &self.manifest.provenance;
        let mut facts: Vec<(String, String)> = vec![
            ("corpus".into(), self.corpus.clone()),
            ("format".into(), format!("{} {}", self.manifest.format, self.manifest.version)),
            ("made by".into(), format!("{}, {}", self.manifest.program, provenance.command)),
            ("pages".into(), thousands(counts.pages)),
            ("links".into(), per_page(counts.links)),
            ("categories".into(), thousands(counts.categories)),
            ("page categories".into(), per_page(counts.page_categories)),
            ("pages without categories".into(), thousands(counts.uncategorised)),
            ("category tree edges".into(), thousands(counts.tree_edges)),
            ("redirects".into(), thousands(counts.redirects)),
            ("texts".into(), thousands(counts.texts)),
            ("size on disk".into(), human_bytes(self.manifest.files.values().map(|file| file.bytes).sum())),
            ("graph checksum".into(), self.graph.clone()),
        ];
        if let Some(site) = &self.manifest.site {
            let wiki = format!("{} ({}), language {}", site.name, site.database, site.language);
            facts.insert(3, ("wiki".into(), wiki));
        }
        facts.extend(provenance.inputs.iter().map(|input| {
            (format!("input: {}", input.role), format!("{}, {}", input.name, human_bytes(input.bytes)))
        }));
        facts.extend(self.words.iter().map(|words| ("words".to_owned(), words.summary())));
        facts.extend(self.cleansings.iter().map(|part| part.fact("cleansing", cleansing)));
        facts.extend(self.models.iter().map(|part| part.fact("model", model)));
        facts
    }
}

impl Render for Info {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let facts = self.facts();
        let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        facts.iter().try_for_each(|(name, value)| writeln!(out, "{name:<width$}  {value}"))
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new("fact value");
        self.facts().into_iter().for_each(|(name, value)| grid.row([name, value]));
        grid
    }
}
