//! An import under way: tables are read one after another, then the corpus is written.

use super::account::Account;
use super::conf::{Mode, Table, TableConf};
use super::error::ImportError;
use super::overlap::{self, Seen};
use super::rows::{self, Read};
use super::{Imported, TableAccount};
use crate::gather::names::{Batch, Names};
use crate::gather::pairs::Pairs;
use crate::gather::texts::Texts;
use llamafur::corpus::{CorpusWriter, Input, Provenance};
use llamafur::progress::{Progress, Task};
use std::collections::BTreeMap;

pub(super) struct Job<'a> {
    conf: &'a TableConf,
    writer: CorpusWriter,
    pages: Names,
    categories: Names,
    links: Pairs,
    page_categories: Pairs,
    parents: Pairs,
    texts: Option<Texts>,
    /// How many pages appear in the links; their numbers are the first.
    linked: usize,
    account: Account,
    inputs: Vec<Input>,
    warnings: Vec<String>,
}

impl<'a> Job<'a> {
    pub(super) fn new(conf: &'a TableConf, writer: CorpusWriter) -> Self {
        let pairs = || Pairs::new(writer.scratch(), conf.buffer_bytes);
        Job {
            conf,
            pages: Names::default(),
            categories: Names::default(),
            links: pairs(),
            page_categories: pairs(),
            parents: pairs(),
            texts: None,
            linked: 0,
            account: Account::default(),
            inputs: Vec::new(),
            warnings: Vec::new(),
            writer,
        }
    }

    pub(super) fn read_links(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages, links) = (self.conf, &mut self.pages, &mut self.links);
        let mut self_loops = 0;
        let intern = |sources: &mut Batch, targets: &mut Batch| {
            pages.intern_all(sources)?;
            pages.intern_all(targets)
        };
        let read = read_pairs(Table::Links, conf, progress, intern, |source, target| {
            if source == target {
                self_loops += 1;
                return Ok(());
            }
            Ok(links.push(source, target)?)
        })?;
        self.linked = self.pages.len();
        self.note(read, |account| account.self_loops = self_loops);
        match conf.file_of(Table::Links) {
            Some(file) if self.linked == 0 => {
                Err(ImportError::NoRow { file: file.into(), way_out: "a graph needs at least one link" })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn read_categories(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages, categories) = (self.conf, &mut self.pages, &mut self.categories);
        let pairs = &mut self.page_categories;
        let mut categorised = Seen::default();
        let intern = |titles: &mut Batch, names: &mut Batch| {
            pages.intern_all(titles)?;
            categories.intern_all(names)
        };
        let read = read_pairs(Table::Categories, conf, progress, intern, |page, category| {
            categorised.insert(page);
            Ok(pairs.push(page, category)?)
        })?;
        self.note(read, |_| {});
        if self.page_categories.len() == 0 {
            self.warnings.push("no page has a category: nothing can be learnt from links alone".into());
        }
        let few = overlap::check(conf, &self.pages, self.linked, &categorised, &self.categories)?;
        self.warnings.extend(few);
        Ok(())
    }

    pub(super) fn read_pages(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages) = (self.conf, &mut self.pages);
        let (mut listed, mut duplicates) = (Seen::default(), 0);
        let read = rows::read(Table::Pages, conf, progress, |[title]| {
            let page = pages.intern(title).ok_or_else(|| too_many(Table::Pages, conf))?;
            duplicates += u64::from(!listed.insert(page));
            Ok(())
        })?;
        self.note(read, |account| account.duplicates = duplicates);
        Ok(())
    }

    pub(super) fn read_tree(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, categories, parents) = (self.conf, &mut self.categories, &mut self.parents);
        let carried = categories.len();
        let (mut self_loops, mut known) = (0, 0u64);
        let intern = |children: &mut Batch, parents: &mut Batch| {
            categories.intern_all(children)?;
            categories.intern_all(parents)
        };
        let read = read_pairs(Table::CategoryTree, conf, progress, intern, |child, parent| {
            known += u64::from((child as usize) < carried);
            if child == parent {
                self_loops += 1;
                return Ok(());
            }
            Ok(parents.push(child, parent)?)
        })?;
        if carried > 0 && known == 0 && read.as_ref().is_some_and(|read| read.account.rows > 0) {
            let warning =
                "no category of a page is a child in the category tree: do both files spell names alike?";
            self.warnings.push(warning.into());
        }
        self.note(read, |account| account.self_loops = self_loops);
        Ok(())
    }

    pub(super) fn read_text(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        if self.conf.file_of(Table::Text).is_none() {
            return Ok(());
        }
        let pages = &self.pages;
        let mut texts = Texts::new(self.writer.scratch())?;
        let (mut unknown, mut duplicates) = (0, 0);
        let read = rows::read(Table::Text, self.conf, progress, |[title, text]| {
            match pages.find(title) {
                Some(page) => duplicates += u64::from(!texts.push(page, text, page, pages)?),
                None => unknown += 1,
            }
            Ok(())
        })?;
        self.texts = Some(texts);
        self.note(read, |account| (account.unknown, account.duplicates) = (unknown, duplicates));
        Ok(())
    }

    pub(super) fn write(mut self, progress: &mut dyn Progress) -> Result<Imported, ImportError> {
        let pairs = self.links.len() + self.page_categories.len() + self.parents.len();
        progress.start(Task::Sort, Some(pairs));
        self.pages.forget_look_up();
        self.categories.forget_look_up();
        let pages = self.pages.ranked()?;
        let categories = self.categories.ranked()?;
        let mut advance = |pairs| progress.advance(pairs);
        let page = |number: u32| pages.ranks[number as usize];
        let category = |number: u32| categories.ranks[number as usize];
        let (num_links, num_carried, num_edges) =
            (self.links.len(), self.page_categories.len(), self.parents.len());
        let links =
            self.links.into_lists::<0>(pages.ranks.len(), |s, t| Ok((page(s), page(t))), &mut advance)?;
        let page_categories = self.page_categories.into_lists::<0>(
            pages.ranks.len(),
            |p, c| Ok((page(p), category(c))),
            &mut advance,
        )?;
        let parents = self.parents.into_lists::<0>(
            categories.ranks.len(),
            |child, parent| Ok((category(child), category(parent))),
            &mut advance,
        )?;
        let linked_twice = num_links - links.distinct;
        let carried_twice = num_carried - page_categories.distinct;
        let nested_twice = num_edges - parents.distinct;
        progress.finish();

        for entry in &mut self.account.tables {
            match entry.table {
                Table::Links => entry.duplicates = linked_twice,
                Table::Categories => entry.duplicates = carried_twice,
                Table::CategoryTree => entry.duplicates = nested_twice,
                Table::Pages | Table::Text => {}
            }
            entry.kept = entry.rows - entry.bad - entry.self_loops - entry.unknown - entry.duplicates;
            self.warnings.extend(warnings(entry));
        }
        let steps = 2 + self.texts.as_ref().map_or(0, |_| pages.order.len() as u64);
        progress.start(Task::WriteCorpus, Some(steps));
        self.writer.write_pages(pages.names, links.lists, page_categories.lists)?;
        progress.advance(1);
        self.writer.write_categories(categories.names, parents.lists)?;
        progress.advance(1);
        if let Some(texts) = self.texts {
            let (mut texts, mut file) = (texts.in_order(&self.pages)?, self.writer.start_text()?);
            for page in pages.order {
                file.push(texts.get(page)?)?;
                progress.advance(1);
            }
            self.writer.finish_text(file)?;
        }
        let manifest = self.writer.finish(Provenance {
            command: "import table".into(),
            inputs: self.inputs,
            options: options(self.conf),
            account: self.account.counts(),
        })?;
        progress.finish();
        Ok(Imported { manifest, account: self.account, warnings: self.warnings })
    }

    fn note(&mut self, read: Option<Read>, fill: impl FnOnce(&mut TableAccount)) {
        if let Some(mut read) = read {
            fill(&mut read.account);
            self.account.tables.push(read.account);
            self.inputs.push(read.input);
        }
    }
}

/// Reads a table of two names a row, numbers them with `intern`, and calls `each` with the numbers.
fn read_pairs(
    table: Table,
    conf: &TableConf,
    progress: &mut dyn Progress,
    mut intern: impl FnMut(&mut Batch, &mut Batch) -> Option<()>,
    mut each: impl FnMut(u32, u32) -> Result<(), ImportError>,
) -> Result<Option<Read>, ImportError> {
    let (mut left, mut right) = (Batch::default(), Batch::default());
    let mut flush = |left: &mut Batch, right: &mut Batch| {
        intern(left, right).ok_or_else(|| too_many(table, conf))?;
        left.numbers().zip(right.numbers()).try_for_each(|(left, right)| each(left, right))?;
        left.clear();
        right.clear();
        Ok(())
    };
    let read = rows::read(table, conf, progress, |[first, second]| {
        left.push(first);
        right.push(second);
        if left.is_full() { flush(&mut left, &mut right) } else { Ok(()) }
    })?;
    flush(&mut left, &mut right)?;
    Ok(read)
}

fn too_many(table: Table, conf: &TableConf) -> ImportError {
    ImportError::TooManyNames { file: conf.file_of(table).map(Into::into).unwrap_or_default() }
}

/// The options that shape the corpus.
fn options(conf: &TableConf) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    for columns in Table::ALL.into_iter().filter_map(|table| conf.columns_of(table)) {
        let names = columns.names.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        options.insert(format!("columns.{}", columns.table.name()), names);
    }
    if conf.mode == Mode::Strict {
        options.insert("strict".into(), "true".into());
    }
    options
}

/// What is remarkable about a table.
fn warnings(entry: &TableAccount) -> Vec<String> {
    let mut warnings = Vec::new();
    let file = &entry.file;
    match entry.comments {
        0 => {}
        1 => warnings.push(format!("{file}: the first line starts with # and was taken for a comment")),
        n => warnings.push(format!("{file}: the first {n} lines that start with # were taken for comments")),
    }
    if entry.bad > 0 {
        let (bad, rows, reasons) = (entry.bad, entry.rows, entry.reasons());
        warnings.push(format!("{file}: skipped {bad} of {rows} rows ({reasons})"));
    }
    if entry.unknown > 0 {
        let (unknown, rows) = (entry.unknown, entry.rows);
        warnings.push(format!("{file}: {unknown} of {rows} texts belong to no page and were left out"));
    }
    warnings
}
