//! A running import: tables are read one after another, then the corpus is written.

use super::account::Account;
use super::conf::{Mode, Table, TableConf};
use super::error::{ImportError, nowhere, quoted};
use super::overlap::{self, Seen};
use super::rows::{self, Read};
use super::{Imported, TableAccount, Warning};
use crate::gather::names::{Batch, Names};
use crate::gather::pairs::Pairs;
use crate::gather::texts::Texts;
use crate::redirects::{LOOP, follow};
use llamafur::Remedy;
use llamafur::corpus::{CorpusWriter, Input, Provenance};
use llamafur::progress::{Progress, Task};
use std::collections::BTreeMap;

/// The target of a title without redirect.
const NONE: u32 = u32::MAX;

pub(super) struct Job<'a> {
    conf: &'a TableConf,
    writer: CorpusWriter,
    pages: Names,
    categories: Names,
    links: Pairs,
    page_categories: Pairs,
    parents: Pairs,
    texts: Option<Texts>,
    /// Number of names in the links; they are numbered first.
    linked: usize,
    /// Number of category rows of each name that is not in the links.
    rows_of_others: Vec<u32>,
    /// The names in the table of pages.
    listed: Seen,
    /// The names that have categories.
    categorised: Seen,
    /// The direct target of each redirect title, or [`NONE`].
    redirects: Vec<u32>,
    /// The final target of each name.
    ends: Vec<u32>,
    /// The names that are pages.
    is_page: Seen,
    first_link: FirstRow,
    first_category: FirstRow,
    account: Account,
    inputs: Vec<Input>,
    warnings: Vec<Warning>,
}

/// The names of a table's first row, which may be a header with unknown words.
#[derive(Default)]
struct FirstRow {
    names: Option<[u32; 2]>,
    /// True if one of them occurs again.
    occurs_again: bool,
}

impl FirstRow {
    #[inline]
    fn see(&mut self, row: [u32; 2], same: impl Fn([u32; 2]) -> bool) {
        match self.names {
            None => self.names = Some(row),
            Some(first) => self.occurs_again |= same(first),
        }
    }

    #[inline]
    fn see_name(&mut self, name: u32) {
        self.occurs_again |= self.names.is_some_and(|first| first.contains(&name));
    }
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
            rows_of_others: Vec::new(),
            listed: Seen::default(),
            categorised: Seen::default(),
            redirects: Vec::new(),
            ends: Vec::new(),
            is_page: Seen::default(),
            first_link: FirstRow::default(),
            first_category: FirstRow::default(),
            account: Account::default(),
            inputs: Vec::new(),
            warnings: Vec::new(),
            writer,
        }
    }

    pub(super) fn read_links(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages, links, first) = (self.conf, &mut self.pages, &mut self.links, &mut self.first_link);
        let read = read_pairs(Table::Links, conf, progress, (pages, None), |source, target| {
            first.see([source, target], |first| first.contains(&source) || first.contains(&target));
            Ok(links.push(source, target)?)
        })?;
        self.linked = self.pages.len();
        self.note(read, |_| {});
        match conf.file_of(Table::Links) {
            Some(file) if self.linked == 0 => Err(ImportError::NoRow { file: file.into() }),
            _ => Ok(()),
        }
    }

    pub(super) fn read_categories(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pairs, categorised) = (self.conf, &mut self.page_categories, &mut self.categorised);
        let (pages, categories) = (&mut self.pages, &mut self.categories);
        let (first_link, first) = (&mut self.first_link, &mut self.first_category);
        let (linked, rows_of_others) = (self.linked, &mut self.rows_of_others);
        let names = (pages, Some(categories));
        let read = read_pairs(Table::Categories, conf, progress, names, |page, category| {
            categorised.insert(page);
            if let Some(other) = (page as usize).checked_sub(linked) {
                if rows_of_others.len() <= other {
                    rows_of_others.resize(other + 1, 0);
                }
                rows_of_others[other] = rows_of_others[other].saturating_add(1);
            }
            first_link.see_name(page);
            first.see([page, category], |first| first[0] == page || first[1] == category);
            Ok(pairs.push(page, category)?)
        })?;
        first.occurs_again |= first.names.is_some_and(|first| (first[0] as usize) < linked);
        self.note(read, |_| {});
        if self.page_categories.len() == 0 && conf.file_of(Table::Text).is_none() {
            let problem = "no page has a category: nothing can be learnt from links alone";
            self.warnings.push(problem.to_owned().into());
        }
        Ok(())
    }

    pub(super) fn read_pages(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages) = (self.conf, &mut self.pages);
        let (first, first_category) = (&mut self.first_link, &mut self.first_category);
        let (listed, mut duplicates) = (&mut self.listed, 0);
        let read = rows::read(Table::Pages, conf, progress, |[title]| {
            let page = pages.intern(title).ok_or_else(|| too_many(Table::Pages, conf))?;
            first.see_name(page);
            first_category.occurs_again |= first_category.names.is_some_and(|[owner, _]| owner == page);
            duplicates += u64::from(!listed.insert(page));
            Ok(())
        })?;
        self.note(read, |account| account.duplicates = duplicates);
        Ok(())
    }

    pub(super) fn read_tree(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, categories, parents) = (self.conf, &mut self.categories, &mut self.parents);
        let carried = categories.len();
        let mut known = 0u64;
        let first = &mut self.first_category;
        let read = read_pairs(Table::CategoryTree, conf, progress, (categories, None), |child, parent| {
            known += u64::from((child as usize) < carried);
            first.occurs_again |= first.names.is_some_and(|[_, name]| name == child || name == parent);
            Ok(parents.push(child, parent)?)
        })?;
        if carried > 0 && known == 0 && read.as_ref().is_some_and(|read| read.account.rows > 0) {
            self.warnings.push(Warning {
                problem: "no category of a page is a child in the category tree".into(),
                remedy: Some(Remedy::advice("check that both files spell names alike")),
            });
        }
        self.note(read, |_| {});
        Ok(())
    }

    /// Reads the redirects, and resolves every name to its final target.
    pub(super) fn read_redirects(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        let (conf, pages, first) = (self.conf, &mut self.pages, &mut self.first_link);
        let known = pages.len() as u32;
        let (redirects, mut self_loops, mut duplicates) = (&mut self.redirects, 0, 0);
        let read = read_pairs(Table::Redirects, conf, progress, (pages, None), |title, page| {
            first.see_name(title);
            first.see_name(page);
            if title == page {
                self_loops += 1;
                return Ok(());
            }
            if redirects.len() <= title as usize {
                redirects.resize(title as usize + 1, NONE);
            }
            let to = &mut redirects[title as usize];
            duplicates += u64::from(*to != NONE);
            *to = if *to == NONE { page } else { *to };
            Ok(())
        })?;
        let to = |title: u32| self.redirects.get(title as usize).copied().filter(|&to| to != NONE);
        self.ends = follow(self.pages.len(), to);
        let mut looping = Vec::new();
        for (name, end) in (0u32..).zip(&mut self.ends) {
            if *end == LOOP {
                looping.push(name);
                *end = name;
            }
            if name < known {
                self.is_page.insert(*end);
            }
        }
        let titles = (0u32..).zip(&self.redirects).filter(|(_, to)| **to != NONE).map(|(title, _)| title);
        let leads_nowhere = |&title: &u32| !self.is_page.contains(self.ends[title as usize]);
        let unknown =
            titles.filter(|title| self.ends[*title as usize] != *title).filter(leads_nowhere).count();
        if !looping.is_empty() {
            let examples = self.pages.examples(looping.iter().copied()).join(", ");
            let count = looping.len();
            let problem =
                format!("redirects: {count} titles lead back to themselves and were left out ({examples})");
            self.warnings.push(problem.into());
        }
        self.note(read, |account| {
            account.self_loops = self_loops + looping.len() as u64;
            (account.duplicates, account.unknown) = (duplicates, unknown as u64);
        });
        Ok(())
    }

    /// Checks that the tables belong together, and looks for headers that were read as data.
    pub(super) fn check(&mut self) -> Result<(), ImportError> {
        let end = |name: u32| self.ends[name as usize];
        let (mut linked, mut categorised) = (Seen::default(), Seen::default());
        (0..self.linked as u32).for_each(|name| _ = linked.insert(end(name)));
        self.categorised.iter().for_each(|name| _ = categorised.insert(end(name)));
        // Tables of a wiki come from one dump, where a category may well have the name of an article.
        if self.conf.site.is_none() {
            let found = overlap::check(self.conf, &self.pages, &linked, &categorised, &self.categories)?;
            self.warnings.extend(found);
            self.check_pages(&linked)?;
        }
        let tables = [
            (Table::Links, &self.first_link, [&self.pages, &self.pages]),
            (Table::Categories, &self.first_category, [&self.pages, &self.categories]),
        ];
        for (table, first, names) in tables {
            let (Some(account), Some(first), false) =
                (self.account.table(table), first.names, first.occurs_again)
            else {
                continue;
            };
            if account.header.is_some() || account.rows < 2 {
                continue;
            }
            let [a, b] = [0, 1].map(|i| String::from_utf8_lossy(names[i].get(first[i])));
            let problem = format!(
                "{}: its first row ({a}, {b}) was read as data, but may be a header: these names occur nowhere else",
                account.file
            );
            let remedy = Some(Remedy::set("columns", format!("{}={a},{b}", table.name())));
            self.warnings.push(Warning { problem, remedy });
        }
        Ok(())
    }

    /// Counts the category rows whose pages are neither in a link nor in the table of pages: probably misspelt.
    fn check_pages(&mut self, linked: &Seen) -> Result<(), ImportError> {
        let (first, mut unknown) = (self.linked as u32, Vec::new());
        let mut listed = Seen::default();
        self.listed.iter().for_each(|name| _ = listed.insert(self.ends[name as usize]));
        let mut num_rows = 0;
        for (name, &rows) in (first..).zip(&self.rows_of_others) {
            let end = self.ends[name as usize];
            if rows > 0 && !linked.contains(end) && !listed.contains(end) {
                num_rows += u64::from(rows);
                unknown.push(name);
            }
        }
        let examples = self.pages.examples(unknown.into_iter());
        let warning = self.unknown_pages(Table::Categories, num_rows, examples)?;
        self.warnings.extend(warning);
        Ok(())
    }

    /// Warns that rows of a table name pages that occur nowhere else; an error in strict mode.
    fn unknown_pages(
        &self,
        table: Table,
        unknown: u64,
        examples: Vec<String>,
    ) -> Result<Option<Warning>, ImportError> {
        let (Some(account), Some(file)) = (self.account.table(table), self.conf.file_of(table)) else {
            return Ok(None);
        };
        let rows = account.rows;
        match (unknown, self.conf.mode) {
            (0, _) => Ok(None),
            (_, Mode::Strict) => {
                Err(ImportError::UnknownPages { file: file.into(), table, unknown, rows, examples })
            }
            (_, Mode::Lenient) => {
                let (name, examples) = (&account.file, quoted(&examples));
                let problem = format!(
                    "{name}: {unknown} of {rows} rows name pages that {}, e.g. {examples}",
                    nowhere(table)
                );
                let remedy = match table {
                    Table::Categories => Remedy::either([
                        Remedy::advice("check that both files spell names alike"),
                        Remedy::set("pages", ""),
                    ]),
                    _ => Remedy::advice("check that the files spell names alike"),
                };
                Ok(Some(Warning { problem, remedy: Some(remedy) }))
            }
        }
    }

    pub(super) fn read_text(&mut self, progress: &mut dyn Progress) -> Result<(), ImportError> {
        if self.conf.file_of(Table::Text).is_none() {
            return Ok(());
        }
        let (pages, ends, is_page) = (&self.pages, &self.ends, &self.is_page);
        let mut texts = Texts::new(self.writer.scratch())?;
        let (mut unknown, mut duplicates, mut examples) = (0, 0, Vec::new());
        let read = rows::read(Table::Text, self.conf, progress, |[title, text]| {
            let page = pages.find(title).map(|name| ends[name as usize]);
            match page.filter(|&page| is_page.contains(page)) {
                Some(page) => {
                    texts.hold(text.to_owned(), pages)?;
                    duplicates += u64::from(!texts.push(page, 0..text.len(), page, pages)?);
                }
                None => {
                    unknown += 1;
                    if examples.len() < 3 {
                        examples.push(title.to_owned());
                    }
                }
            }
            Ok(())
        })?;
        self.texts = Some(texts);
        self.note(read, |account| (account.unknown, account.duplicates) = (unknown, duplicates));
        let warning = self.unknown_pages(Table::Text, unknown, examples)?;
        self.warnings.extend(warning.map(|warning| {
            let problem = format!("{}, and were left out", warning.problem);
            Warning { problem, ..warning }
        }));
        Ok(())
    }

    pub(super) fn write(mut self, progress: &mut dyn Progress) -> Result<Imported, ImportError> {
        let (num_links, num_carried, num_edges) =
            (self.links.len(), self.page_categories.len(), self.parents.len());
        progress.start(Task::Sort, Some(num_links + num_carried + num_edges));
        self.pages.forget_look_up();
        self.categories.forget_look_up();
        let (ends, is_page) = (&self.ends, &self.is_page);
        let pages = self.pages.ranked_where(|name| is_page.contains(name))?;
        let categories = self.categories.ranked()?;
        let mut advance = |pairs| progress.advance(pairs);
        let page = |name: u32| pages.ranks[ends[name as usize] as usize];
        let category = |name: u32| categories.ranks[name as usize];
        let different = |a: u32, b: u32| if a == b { Err(0) } else { Ok((a, b)) };
        let num_pages = pages.order.len();
        let links =
            self.links.into_lists::<1>(num_pages, |s, t| different(page(s), page(t)), &mut advance)?;
        if let (0, Some(file)) = (links.distinct, self.conf.file_of(Table::Links)) {
            return Err(ImportError::NoLink { file: file.into(), rows: num_links });
        }
        let page_categories = self.page_categories.into_lists::<0>(
            num_pages,
            |p, c| Ok((page(p), category(c))),
            &mut advance,
        )?;
        let parents = self.parents.into_lists::<1>(
            categories.order.len(),
            |child, parent| different(category(child), category(parent)),
            &mut advance,
        )?;
        let redirects = self.pages.ranked_where(|name| {
            let end = ends[name as usize];
            end != name && is_page.contains(end)
        })?;
        let targets: Vec<u32> = redirects.order.iter().map(|&name| page(name)).collect();
        progress.finish();

        for entry in &mut self.account.tables {
            let (rows, distinct) = match entry.table {
                Table::Links => (num_links, links.distinct),
                Table::Categories => (num_carried, page_categories.distinct),
                Table::CategoryTree => (num_edges, parents.distinct),
                Table::Pages | Table::Redirects | Table::Text => (0, 0),
            };
            match entry.table {
                Table::Links => entry.self_loops = links.unwanted[0],
                Table::CategoryTree => entry.self_loops = parents.unwanted[0],
                _ => {}
            }
            if rows > 0 {
                entry.duplicates = rows - distinct - entry.self_loops;
            }
            entry.kept = entry.rows - entry.bad - entry.self_loops - entry.unknown - entry.duplicates;
            self.warnings.extend(warnings(entry));
        }
        let steps = 2 + self.texts.as_ref().map_or(0, |_| num_pages as u64);
        progress.start(Task::WriteCorpus, Some(steps));
        self.writer.write_pages(pages.names, links.lists, page_categories.lists)?;
        progress.advance(1);
        self.writer.write_categories(categories.names, parents.lists)?;
        if self.conf.file_of(Table::Redirects).is_some() {
            self.writer.write_redirects(redirects.names, targets)?;
        }
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

/// Reads a table of two names a row and calls `each` with their numbers. The first is from `names.0`, the second from
/// `names.1` if present.
fn read_pairs(
    table: Table,
    conf: &TableConf,
    progress: &mut dyn Progress,
    mut names: (&mut Names, Option<&mut Names>),
    mut each: impl FnMut(u32, u32) -> Result<(), ImportError>,
) -> Result<Option<Read>, ImportError> {
    let (mut left, mut right) = (Batch::default(), Batch::default());
    let mut flush = |left: &mut Batch, right: &mut Batch| {
        let interned = names.0.intern_all(left).and_then(|()| match &mut names.1 {
            Some(others) => others.intern_all(right),
            None => names.0.intern_all(right),
        });
        interned.ok_or_else(|| too_many(table, conf))?;
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

/// Returns the options that shape the corpus.
fn options(conf: &TableConf) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    for columns in Table::ALL.into_iter().filter_map(|table| conf.columns_of(table)) {
        let names = columns.names.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        options.insert(format!("columns.{}", columns.table.name()), names);
    }
    if let Some(delimiter) = conf.delimiter {
        options.insert("delimiter".into(), char::from(delimiter.byte()).to_string());
    }
    if conf.mode == Mode::Strict {
        options.insert("strict".into(), "true".into());
    }
    options
}

/// Returns the warnings about a table.
fn warnings(entry: &TableAccount) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let file = &entry.file;
    match entry.comments {
        0 => {}
        1 => {
            warnings.push(format!("{file}: the first line starts with # and was taken for a comment").into())
        }
        n => warnings
            .push(format!("{file}: the first {n} lines that start with # were taken for comments").into()),
    }
    if let (true, Some(header)) = (entry.is_other_header, &entry.header) {
        let problem = format!("{file}: its first row ({}) was taken for a header", header.join(", "));
        let remedy = Some(Remedy::set("columns", format!("{}=1,2", entry.table.name())));
        warnings.push(Warning { problem, remedy });
    }
    if entry.bad > 0 {
        let (bad, rows, reasons) = (entry.bad, entry.rows, entry.reasons());
        warnings.push(format!("{file}: skipped {bad} of {rows} rows ({reasons})").into());
    }
    if entry.unknown > 0 && entry.table == Table::Redirects {
        let (unknown, rows) = (entry.unknown, entry.rows);
        warnings
            .push(format!("{file}: {unknown} of {rows} redirects lead to no page and were left out").into());
    }
    warnings
}
