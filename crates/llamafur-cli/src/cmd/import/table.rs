//! `llamafur import table`: tables in, a corpus out.

use crate::output::{Grid, OutputArgs, Render, print, say, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::{Counts, Existing};
use llamafur::progress::Progress;
use llamafur_import::table::{self, Columns, Imported, Mode, Table, TableConf};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `import table`.
#[derive(Debug, Args)]
#[command(after_help = "\
A header is recognised when it names the columns (source, target; page, category; …); without one,
a file has exactly those columns in that order. Rows that cannot be used are skipped, counted and
reported.

Examples:
  llamafur import table --links links.tsv --categories categories.tsv --out my.corpus
  llamafur import table --links edges.csv.gz --categories tags.parquet --out my.corpus \\
      --columns links=from_id,to_id")]
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
    /// Pages, one a row, for those with neither link nor category.
    #[arg(long, value_name = "FILE")]
    pages: Option<PathBuf>,
    /// Which columns of a table's file to read, by name or by number from 1: links=SRC,DST.
    #[arg(long, value_name = "TABLE=A,B")]
    columns: Vec<Columns>,
    /// The corpus to make.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Stop at the first row that cannot be used.
    #[arg(long)]
    strict: bool,
    /// Replace the corpus that is there.
    #[arg(long)]
    overwrite: bool,
    /// Memory for sorting each table, in MiB; what does not fit goes to disk.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    buffer: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `import table`.
pub fn run(args: TableArgs, progress: &mut dyn Progress) -> Result<()> {
    let mut conf = TableConf::new(args.links)
        .mode(if args.strict { Mode::Strict } else { Mode::Lenient })
        .existing(if args.overwrite { Existing::Replace } else { Existing::Refuse })
        .buffer_bytes(args.buffer as usize * (1 << 20));
    let optional = [
        (Table::Categories, args.categories),
        (Table::CategoryTree, args.category_tree),
        (Table::Text, args.text),
        (Table::Pages, args.pages),
    ];
    for (table, file) in optional {
        if let Some(file) = file {
            conf = conf.file(table, file);
        }
    }
    for columns in args.columns {
        conf = conf.columns(columns);
    }
    let imported = table::import(&conf, &args.out, progress)?;
    for warning in &imported.warnings {
        say(&format!("warning: {warning}"));
    }
    print(&TableReport::new(imported, args.out.display().to_string()), &args.output)
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
            warnings: imported.warnings.clone(),
            imported,
        }
    }
}

impl Render for TableReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut grid =
            Grid::new(["table", "file", "rows", "kept", "duplicates", "self-loops", "unknown", "bad"]);
        for table in &self.imported.account.tables {
            let counts =
                [table.rows, table.kept, table.duplicates, table.self_loops, table.unknown, table.bad];
            let names = [table.table.name().to_owned(), table.file.clone()];
            grid.row(names.into_iter().chain(counts.map(thousands)).collect::<Vec<_>>());
        }
        grid.write_table(&["rows", "kept", "duplicates", "self-loops", "unknown", "bad"], out)?;
        super::write_summary(&self.corpus, &self.counts, out)
    }

    fn grid(&self) -> Grid {
        super::count_grid(&self.counts, &self.account)
    }
}
