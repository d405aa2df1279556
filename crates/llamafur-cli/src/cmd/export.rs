//! `llamafur export`: a corpus as plain tables, which `import table` can read.

use super::args::CleansingArgs;
use super::cleanse::{MOVE_COLUMNS, move_rows};
use super::overwrite::OverwriteArgs;
use crate::output::say;
use crate::sink::{Sink, TableFile, parquet_file};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::{CategoryId, MilestoneId, PageId};
use llamafur::progress::{Progress, Task};
use llamafur::storage::{AtomicFile, BLOCK};
use llamafur_import::table::{self, Table};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Options of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Tables of every corpus:
  pages                page
  links                source, target
  categories           page, category

Tables that are written if the corpus has the data:
  category-tree        child, parent
  redirects            title, page
  text                 page, text: JSON lines with --format tsv; of a wiki the text without markup

Tables of a cleansing:
  milestones           category, centrality
  page-milestones      page, milestone
  category-milestones  category, milestone, levels up to it; no milestone if the category was dropped

Example:
  llamafur export my.corpus --out tables --format parquet")]
pub struct ExportArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The folder for the tables.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The format of the tables.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: TableFormat,
    /// Begin TSV with a line of column names.
    #[arg(long)]
    header: bool,
    #[command(flatten)]
    cleansing: CleansingArgs,
    #[command(flatten)]
    overwrite: OverwriteArgs,
}

/// The format of exported tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum TableFormat {
    /// Tab-separated text.
    #[default]
    Tsv,
    /// Parquet.
    Parquet,
}

/// The file that identifies a folder as a corpus.
const MANIFEST: &str = "manifest.json";

/// Number of rows written at a time.
const ROWS_AT_A_TIME: usize = 1 << 16;

pub(super) fn run(args: &ExportArgs, progress: &mut dyn Progress) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    let cleansed = args.cleansing.open(&corpus)?;
    if args.out.join(MANIFEST).exists() {
        bail!("{}: this is a corpus; choose another `--out`", args.out.display());
    }
    if args.format == TableFormat::Parquet {
        parquet_file()?;
    }
    let export = Export { args, progress, files: Vec::new() };
    let sheets: Vec<Sheet> = Sheet::all().filter(|&sheet| has(&cleansed, sheet)).collect();
    // All places are looked at before anything is written.
    sheets.iter().try_for_each(|&sheet| args.overwrite.check(&args.out.join(export.file_name(sheet))))?;
    let is_new = !args.out.exists();
    if is_new {
        fs::create_dir(&args.out)
            .with_context(|| format!("{}: cannot make the folder", args.out.display()))?;
    }
    let done = write(export, &cleansed, sheets);
    if is_new && done.is_err() {
        // Does nothing where tables lie in it.
        let _ = fs::remove_dir(&args.out);
    }
    done
}

fn write(mut export: Export<'_>, cleansed: &Categories, sheets: Vec<Sheet>) -> Result<()> {
    let corpus = cleansed.corpus();
    let pages = || (0..corpus.num_pages() as u32).map(PageId);
    let title = |&page: &PageId| corpus.title(page);
    let name = |&category: &CategoryId| corpus.category_name(category);
    for sheet in sheets {
        match (sheet, cleansed.milestones()) {
            (Sheet::Table(Table::Pages), _) => {
                export.table(sheet, pages().map(|page| Ok(([corpus.title(page)?], None))))
            }
            (Sheet::Table(Table::Links), _) => {
                export.table(sheet, pages().flat_map(|page| pairs(title(&page), corpus.links(page), title)))
            }
            (Sheet::Table(Table::Categories), _) => export
                .table(sheet, pages().flat_map(|page| pairs(title(&page), corpus.categories(page), name))),
            (Sheet::Table(Table::CategoryTree), _) => {
                let all = (0..corpus.num_categories() as u32).map(CategoryId);
                export.table(sheet, all.flat_map(|child| pairs(name(&child), corpus.parents(child), name)))
            }
            (Sheet::Table(Table::Redirects), _) => {
                let redirects = (0..corpus.num_redirects()).map(|row| {
                    let (title, page) = corpus.redirect(row)?;
                    Ok(([title, corpus.title(page)?], None))
                });
                export.table(sheet, redirects)
            }
            (Sheet::Table(Table::Text), _) => export.text(corpus),
            (Sheet::Milestones, Some(milestones)) => {
                let all = (0..milestones.num() as u32).map(MilestoneId);
                let central =
                    all.map(|number| Ok(([cleansed.name(number)?], Some(milestones.centrality(number)?))));
                export.table(sheet, central)
            }
            (Sheet::PageMilestones, Some(_)) => {
                let milestone = |&number: &MilestoneId| cleansed.name(number);
                export
                    .table(sheet, pages().flat_map(|page| pairs(title(&page), cleansed.of(page), milestone)))
            }
            (Sheet::CategoryMilestones, Some(milestones)) => {
                let moved = move_rows(corpus, |category| {
                    let milestone = milestones.milestone(category)?;
                    milestone.map(|(number, levels)| Ok((milestones.category(number)?, levels))).transpose()
                });
                export.table(sheet, moved)
            }
            (_, None) => Ok(()),
        }?;
    }
    export.finish()
}

/// An exported table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sheet {
    /// A table that `import table` reads.
    Table(Table),
    /// The milestones with their centrality.
    Milestones,
    /// The milestones of the pages.
    PageMilestones,
    /// The milestones of the categories.
    CategoryMilestones,
}

impl Sheet {
    const TEXT: Sheet = Sheet::Table(Table::Text);

    fn all() -> impl Iterator<Item = Sheet> {
        let tables = [Table::Pages, Table::Links, Table::Categories, Table::CategoryTree, Table::Redirects];
        let of_cleansing = [Sheet::Milestones, Sheet::PageMilestones, Sheet::CategoryMilestones];
        tables.into_iter().map(Sheet::Table).chain(of_cleansing).chain([Sheet::TEXT])
    }

    fn name(self) -> &'static str {
        match self {
            Sheet::Table(table) => table.name(),
            Sheet::Milestones => "milestones",
            Sheet::PageMilestones => "page-milestones",
            Sheet::CategoryMilestones => "category-milestones",
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Sheet::Table(table) => table.columns(),
            Sheet::Milestones => &["category"],
            Sheet::PageMilestones => &["page", "milestone"],
            Sheet::CategoryMilestones => &MOVE_COLUMNS.0,
        }
    }

    /// Returns the name of the last column, if it has numbers.
    fn numbers(self) -> Option<&'static str> {
        match self {
            Sheet::Milestones => Some("centrality"),
            Sheet::CategoryMilestones => Some(MOVE_COLUMNS.1),
            _ => None,
        }
    }
}

/// Returns whether the corpus has data for a table.
fn has(cleansed: &Categories, sheet: Sheet) -> bool {
    let corpus = cleansed.corpus();
    match sheet {
        Sheet::Table(Table::CategoryTree) => corpus.manifest().counts.tree_edges > 0,
        Sheet::Table(Table::Text) => corpus.has_text(),
        Sheet::Table(Table::Redirects) => corpus.num_redirects() > 0,
        Sheet::Table(_) => true,
        Sheet::Milestones | Sheet::PageMilestones | Sheet::CategoryMilestones => {
            cleansed.milestones().is_some()
        }
    }
}

/// The texts of a row, and its number, if any.
type Row<'a, const N: usize> = Result<([&'a str; N], Option<f64>), Error>;

/// Returns a row for each item of a list, with the list's owner in front.
fn pairs<'a, Id>(
    owner: Result<&'a str, Error>,
    list: Result<&'a [Id], Error>,
    name: impl Fn(&Id) -> Result<&'a str, Error>,
) -> Vec<Row<'a, 2>> {
    let both = owner.and_then(|owner| Ok((owner, list?)));
    match both {
        Ok((owner, list)) => list.iter().map(|item| Ok(([owner, name(item)?], None))).collect(),
        Err(error) => vec![Err(error)],
    }
}

struct Export<'a> {
    args: &'a ExportArgs,
    progress: &'a mut dyn Progress,
    /// The finished tables; they are renamed when all are finished.
    files: Vec<(String, AtomicFile)>,
}

impl Export<'_> {
    fn file_name(&self, table: Sheet) -> String {
        let extension = match (self.args.format, table) {
            (TableFormat::Parquet, _) => "parquet",
            (TableFormat::Tsv, Sheet::TEXT) => "jsonl",
            (TableFormat::Tsv, _) => "tsv",
        };
        format!("{}.{extension}", table.name())
    }

    fn start(&mut self, table: Sheet) -> PathBuf {
        let file = self.file_name(table);
        self.progress.start(Task::WriteTable { name: file.clone() }, None);
        self.args.out.join(&file)
    }

    fn end(&mut self, table: Sheet, file: AtomicFile) {
        self.progress.finish();
        self.files.push((self.file_name(table), file));
    }

    fn table<'r, const N: usize>(
        &mut self,
        table: Sheet,
        rows: impl Iterator<Item = Row<'r, N>>,
    ) -> Result<()> {
        let path = self.start(table);
        let mut rows = rows.peekable();
        // A first row that the import would take for a header or a comment needs a header in front of it.
        let misread = match (table, rows.peek()) {
            (Sheet::Table(table), Some(Ok((first, _)))) => table::needs_header(table, first),
            _ => false,
        };
        let kind = match self.args.format {
            TableFormat::Tsv => TableFile::Tsv { header: self.args.header || misread },
            TableFormat::Parquet => parquet_file()?,
        };
        let mut sink = Sink::create(&path, kind, table.columns(), table.numbers().as_slice())?;
        while rows.peek().is_some() {
            let (mut texts, mut numbers) = (vec![Vec::new(); N], Vec::new());
            for row in rows.by_ref().take(ROWS_AT_A_TIME) {
                let (fields, number) = row?;
                texts.iter_mut().zip(fields).for_each(|(column, field)| column.push(field));
                numbers.push(number);
            }
            self.progress.advance(texts[0].len() as u64);
            sink.write(texts, table.numbers().map(|_| numbers).into_iter().collect())?;
        }
        self.end(table, sink.close()?);
        Ok(())
    }

    fn text(&mut self, corpus: &Corpus) -> Result<()> {
        let path = self.start(Sheet::TEXT);
        let pages = (0..corpus.num_pages() as u32).map(PageId);
        let texts = pages.filter_map(|page| match corpus.text(page) {
            Ok(text) => text.map(|text| Ok((page, text))),
            Err(error) => Some(Err(error)),
        });
        let file = match self.args.format {
            TableFormat::Parquet => {
                let mut sink = Sink::create(&path, parquet_file()?, Table::Text.columns(), &[])?;
                for text in texts {
                    let (page, text) = text?;
                    sink.write(vec![vec![corpus.title(page)?], vec![&text]], Vec::new())?;
                    self.progress.advance(1);
                }
                sink.close()?
            }
            TableFormat::Tsv => {
                let mut file = AtomicFile::create(&path, BLOCK)?;
                for text in texts {
                    let (page, text) = text?;
                    let object = serde_json::json!({ "page": corpus.title(page)?, "text": text });
                    writeln!(file, "{object}").with_context(|| path.display().to_string())?;
                    self.progress.advance(1);
                }
                file.flush().with_context(|| path.display().to_string())?;
                file
            }
        };
        self.end(Sheet::TEXT, file);
        Ok(())
    }

    /// Renames the tables to their final names.
    fn finish(self) -> Result<()> {
        let mut names = Vec::new();
        for (name, file) in self.files {
            file.finish()?;
            names.push(name);
        }
        say(&format!("{}: {}", self.args.out.display(), names.join(", ")));
        Ok(())
    }
}
