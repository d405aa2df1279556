//! `llamafur import table`: converts tables to a corpus.

use super::super::args::With;
use super::super::overwrite::OverwriteArgs;
use crate::output::{Grid, OutputArgs, Render, print, say, thousands};
use crate::remedy;
use anyhow::Result;
use clap::Args;
use llamafur::Remedy;
use llamafur::corpus::Counts;
use llamafur::progress::Progress;
use llamafur_import::table::{self, Columns, Delimiter, ImportError, Imported, Mode, TableConf};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

/// Options of `import table`.
#[derive(Debug, Args)]
#[command(after_help = "\
A header is recognised when it names the columns (source, target; page, category; …). Without one,
a file has exactly those columns in that order. In JSON lines and Parquet a column may hold lists:
each value of a list makes a row. Rows that cannot be used are skipped, counted and reported. One
table may be -, the standard input.

Examples:
  llamafur import table --links links.tsv --categories categories.tsv --out my.corpus
  llamafur import table --links edges.csv.gz --categories tags.parquet --out my.corpus \\
      --columns links=from_id,to_id
  llamafur import table --links - --categories tags.jsonl.bz2 --delimiter ';' --out my.corpus")]
pub struct TableArgs {
    /// Links: source, target.
    #[arg(long, value_name = "FILE")]
    links: PathBuf,
    /// Categories: page, category.
    #[arg(long, value_name = "FILE")]
    categories: Option<PathBuf>,
    /// The category tree: child, parent.
    #[arg(long, value_name = "FILE")]
    category_tree: Option<PathBuf>,
    /// Texts: page, text.
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// Pages, one a row: pages without link and category.
    #[arg(long, value_name = "FILE")]
    pages: Option<PathBuf>,
    /// Redirects: title, page. In all tables a title means the page it leads to.
    #[arg(long, value_name = "FILE")]
    redirects: Option<PathBuf>,
    /// The character between the columns of text files, or tab [default: by the file's name and content].
    #[arg(long, value_name = "CHARACTER", value_parser = parse::<Delimiter>)]
    delimiter: Option<Delimiter>,
    /// Which columns of a table's file to read, by name or by number from 1: links=SRC,DST.
    #[arg(long, value_name = "TABLE=A,B", value_parser = parse::<Columns>)]
    columns: Vec<Columns>,
    /// The corpus to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Stop at the first row that cannot be used.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    overwrite: OverwriteArgs,
    /// Memory for sorting each table, in MiB; what does not fit goes to disk.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    buffer: u32,
    #[command(flatten)]
    output: OutputArgs,
}

fn parse<T: FromStr<Err = ImportError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ImportError| in_words(&error, error.remedy().as_ref()))
}

/// Formats a problem and its remedy.
fn in_words(problem: &dyn Display, remedy: Option<&Remedy>) -> String {
    match remedy.and_then(remedy::in_words) {
        Some(remedy) => format!("{problem}; {remedy}"),
        None => problem.to_string(),
    }
}

pub(super) fn run(args: TableArgs, progress: &mut dyn Progress) -> Result<()> {
    let conf = TableConf::new(args.links)
        .mode(if args.strict { Mode::Strict } else { Mode::Lenient })
        .existing(args.overwrite.existing())
        .buffer_bytes(args.buffer as usize * (1 << 20))
        .with(args.categories, TableConf::categories)
        .with(args.category_tree, TableConf::category_tree)
        .with(args.text, TableConf::text)
        .with(args.pages, TableConf::pages)
        .with(args.redirects, TableConf::redirects)
        .with(args.delimiter, TableConf::delimiter);
    let conf = args.columns.into_iter().fold(conf, TableConf::columns);
    let imported = table::import(&conf, &args.out, progress)?;
    let report = TableReport::new(imported, args.out.display().to_string());
    for warning in &report.warnings {
        say(&format!("warning: {warning}"));
    }
    print(&report, &args.output)
}

#[derive(Serialize)]
struct TableReport {
    corpus: String,
    #[serde(flatten)]
    counts: Counts,
    account: BTreeMap<String, u64>,
    warnings: Vec<String>,
    #[serde(skip)]
    imported: Imported,
}

impl TableReport {
    fn new(imported: Imported, corpus: String) -> TableReport {
        TableReport {
            corpus,
            counts: imported.manifest.counts,
            account: imported.account.counts(),
            warnings: imported
                .warnings
                .iter()
                .map(|warning| in_words(warning, warning.remedy.as_ref()))
                .collect(),
            imported,
        }
    }
}

impl Render for TableReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let right = "rows kept duplicates self-loops unknown bad";
        let mut grid = Grid::new(&format!("table file {right}"));
        for table in &self.imported.account.tables {
            let counts =
                [table.rows, table.kept, table.duplicates, table.self_loops, table.unknown, table.bad];
            let names = [table.table.name().to_owned(), table.file.clone()];
            grid.row(names.into_iter().chain(counts.map(thousands)).collect::<Vec<_>>());
        }
        grid.write_table(right, out)?;
        super::write_summary(&self.corpus, &self.counts, out)
    }

    fn grid(&self) -> Grid {
        super::count_grid(&self.counts, &self.account)
    }
}
