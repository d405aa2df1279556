//! `llamafur export`: a corpus as plain tables, which `import table` reads back.

use crate::output::say;
use crate::sink::{Kind, Sink};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use llamafur::corpus::{AtomicFile, BLOCK, CategoryId, Corpus, CorpusError, PageId};
use llamafur::progress::Progress;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Options of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Tables: pages, links (source, target), categories (page, category), and where the corpus has them category-tree
(child, parent) and text (page, text; as JSON lines beside TSV, since a text may have several lines).

Example:
  llamafur export my.corpus --out tables --format parquet")]
pub struct ExportArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The folder for the tables.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The form of the tables.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: TableFormat,
    /// Begin TSV with a line of column names.
    #[arg(long)]
    header: bool,
    /// Replace tables that are there.
    #[arg(long)]
    overwrite: bool,
}

/// The form of exported tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TableFormat {
    /// Tab-separated text.
    #[default]
    Tsv,
    /// Parquet.
    Parquet,
}

/// Rows handed on at a time.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// Runs `export`.
pub fn run(args: &ExportArgs, progress: &mut dyn Progress) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    fs::create_dir_all(&args.out)
        .with_context(|| format!("{}: cannot make the folder", args.out.display()))?;
    let pages = || (0..corpus.num_pages() as u32).map(PageId);
    let mut export = Export { args, progress, tables: Vec::new() };
    let titles = pages().map(|page| Ok([corpus.title(page)?]));
    export.table("pages", ["page"], titles)?;
    let links = pages()
        .flat_map(|page| pairs(corpus.title(page), corpus.links(page), |&target| corpus.title(target)));
    export.table("links", ["source", "target"], links)?;
    let categories = pages().flat_map(|page| {
        pairs(corpus.title(page), corpus.categories(page), |&category| corpus.category_name(category))
    });
    export.table("categories", ["page", "category"], categories)?;
    if corpus.manifest().counts.tree_edges > 0 {
        let parents = (0..corpus.num_categories() as u32).map(CategoryId).flat_map(|child| {
            pairs(corpus.category_name(child), corpus.parents(child), |&parent| corpus.category_name(parent))
        });
        export.table("category-tree", ["child", "parent"], parents)?;
    }
    if corpus.has_text() {
        export.text(&corpus)?;
    }
    say(&format!("{}: {}", args.out.display(), export.tables.join(", ")));
    Ok(())
}

type Row<'a, const N: usize> = Result<[&'a str; N], CorpusError>;

/// A row for each item of a list, with the list's owner in front.
fn pairs<'a, Id>(
    owner: Result<&'a str, CorpusError>,
    list: Result<&'a [Id], CorpusError>,
    name: impl Fn(&Id) -> Result<&'a str, CorpusError>,
) -> Vec<Row<'a, 2>> {
    let both = owner.and_then(|owner| Ok((owner, list?)));
    match both {
        Ok((owner, list)) => list.iter().map(|item| Ok([owner, name(item)?])).collect(),
        Err(error) => vec![Err(error)],
    }
}

struct Export<'a> {
    args: &'a ExportArgs,
    progress: &'a mut dyn Progress,
    tables: Vec<String>,
}

impl Export<'_> {
    fn place(&mut self, file: &str) -> Result<PathBuf> {
        let path = self.args.out.join(file);
        if path.exists() && !self.args.overwrite {
            bail!(
                "{}: there is a file of that name; choose another folder, or pass --overwrite",
                path.display()
            );
        }
        self.tables.push(file.to_owned());
        self.progress.start(&format!("writing {file}"), None);
        Ok(path)
    }

    fn table<'r, const N: usize>(
        &mut self,
        name: &str,
        columns: [&str; N],
        rows: impl Iterator<Item = Row<'r, N>>,
    ) -> Result<()> {
        let (kind, extension) = match self.args.format {
            TableFormat::Tsv => (Kind::Tsv { header: self.args.header }, "tsv"),
            TableFormat::Parquet => (Kind::Parquet, "parquet"),
        };
        let path = self.place(&format!("{name}.{extension}"))?;
        let mut sink = Sink::create(&path, kind, &columns, None)?;
        let mut rows = rows.peekable();
        while rows.peek().is_some() {
            let mut texts = vec![Vec::new(); N];
            for row in rows.by_ref().take(ROWS_AT_A_TIME) {
                texts.iter_mut().zip(row?).for_each(|(column, field)| column.push(field));
            }
            self.progress.advance(texts[0].len() as u64);
            sink.write(texts, None)?;
        }
        self.progress.finish();
        sink.finish()
    }

    fn text(&mut self, corpus: &Corpus) -> Result<()> {
        #[derive(Serialize)]
        struct Text<'a> {
            page: &'a str,
            text: &'a str,
        }
        let pages = (0..corpus.num_pages() as u32).map(PageId);
        if self.args.format == TableFormat::Parquet {
            let path = self.place("text.parquet")?;
            let mut sink = Sink::create(&path, Kind::Parquet, &["page", "text"], None)?;
            for page in pages {
                if let Some(text) = corpus.text(page)? {
                    sink.write(vec![vec![corpus.title(page)?], vec![&text]], None)?;
                    self.progress.advance(1);
                }
            }
            self.progress.finish();
            return sink.finish();
        }
        let mut file = AtomicFile::create(&self.place("text.jsonl")?, BLOCK)?;
        for page in pages {
            if let Some(text) = corpus.text(page)? {
                serde_json::to_writer(&mut file, &Text { page: corpus.title(page)?, text: &text })?;
                file.write_all(b"\n")?;
                self.progress.advance(1);
            }
        }
        self.progress.finish();
        file.finish()?;
        Ok(())
    }
}
