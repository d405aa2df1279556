//! `llamafur words`: counts the words of a corpus with given settings.

use crate::output::{Grid, OutputArgs, Render, counted, print};
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::corpus::Corpus;
use llamafur::progress::Progress;
use llamafur::words::{Language, Settings, Stemming, StopWords, Words, WordsConf};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `words`.
#[derive(Debug, Args)]
#[command(after_help = "\
Scorers that use words (m1, m2, m4, cosine, and the blend) count them when they are first
needed, with the defaults listed here. Use this command for other settings: scorers use its words from
then on. Words that already have these settings are kept as they are.

Examples:
  llamafur words my.corpus --language de
  llamafur words my.corpus --min-pages 3 --stop-words own.txt")]
pub struct WordsArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The language of the texts, by code or English name: decides on stemmer and stop words [default: the wiki's, else English].
    #[arg(long, value_name = "NAME", value_parser = language)]
    language: Option<Language>,
    /// A file of words to leave out, one a line, or none [default: those of the language].
    #[arg(long, value_name = "FILE")]
    stop_words: Option<PathBuf>,
    /// Keep words as they are instead of cutting their endings off.
    #[arg(long)]
    no_stemming: bool,
    /// Letters that a term has at least, after stemming.
    #[arg(long, value_name = "N", default_value_t = 4)]
    shortest: usize,
    /// Letters that a term has at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    longest: usize,
    /// Pages that a term occurs in at least.
    #[arg(long, value_name = "N", default_value_t = 10)]
    min_pages: usize,
    #[command(flatten)]
    output: OutputArgs,
}

impl WordsArgs {
    fn conf(&self) -> Result<WordsConf> {
        let mut conf =
            WordsConf::default().shortest(self.shortest).longest(self.longest).min_documents(self.min_pages);
        if let Some(language) = &self.language {
            conf = conf.language(language.code());
        }
        if self.no_stemming {
            conf = conf.stemming(Stemming::None);
        }
        Ok(match &self.stop_words {
            Some(path) if path.as_os_str() == "none" => conf.stop_words(StopWords::None),
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                let words = text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned);
                conf.stop_words(StopWords::Own(words.collect()))
            }
            None => conf,
        })
    }
}

/// Parses a language that has a stemmer or stop words.
fn language(name: &str) -> Result<Language, String> {
    Language::find(name).ok_or_else(|| {
        let known: Vec<String> = Language::stemmed().map(|(code, name)| format!("{name} ({code})")).collect();
        format!(
            "neither a stemmer nor stop words are known for it; stemmers: {}; to count its words without either, leave out \
             `--language` and pass `--no-stemming --stop-words none`",
            known.join(", ")
        )
    })
}

pub(super) fn run(args: &WordsArgs, progress: &mut dyn Progress) -> Result<()> {
    let conf = args.conf()?;
    let corpus = Corpus::open(&args.corpus)?;
    let words = Words::of(&corpus, &conf, progress)?;
    let file = Words::path(&corpus).display().to_string();
    // Where the folder cannot be written, the words were counted in memory.
    if !Words::open(&corpus).is_ok_and(|kept| kept.checksum() == words.checksum()) {
        bail!("{file}: cannot be written, so the words are not kept; make the folder of the corpus writable");
    }
    print(&WordsReport { file, bytes: words.num_bytes(), settings: words.settings().clone() }, &args.output)
}

#[derive(Serialize)]
struct WordsReport {
    file: String,
    bytes: u64,
    #[serde(flatten)]
    settings: Settings,
}

impl Render for WordsReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.file, summary(&self.settings, self.bytes))
    }

    fn grid(&self) -> Grid {
        let columns = "file bytes language stemmer terms=figures.terms documents=figures.documents";
        Grid::of(columns, [self]).by_name()
    }
}

/// Describes bags of words in a line.
pub(super) fn summary(settings: &Settings, bytes: u64) -> String {
    let mean = settings.figures.page_terms as f64 / settings.figures.documents.max(1) as f64;
    let stemmer = settings.stemmer.as_ref().map_or("no".into(), |name| format!("the {name}"));
    format!(
        "{} in {} ({mean:.0} a page), language {}, {stemmer} stemmer, {}, {}",
        counted(settings.figures.terms, "term"),
        counted(settings.figures.documents, "page"),
        settings.language,
        counted(settings.stop_words, "stop word"),
        llamafur::human_bytes(bytes),
    )
}
