//! Interprets the rows of the tables: passes pages, redirects, categories and links to the collector.

use super::File;
use super::ids::IdMap;
use super::rows::{Item, RowError, SqlReader, Table};
use crate::gather::GatherError;
use crate::gather::names::Names;
use crate::input::{self, Input, InputError, name, shortened};
use crate::wiki::collect::{Collector, NONE, Seen, What};
use crate::wiki::error::{Loss, LostUnit, WikiError};
use crate::wiki::extract::{EXAMPLES, expect_short};
use llamafur::corpus::Input as Provenance;
use llamafur::progress::Progress;
use llamafur::text::wikitext::{ARTICLES, CATEGORIES, Titles};
use std::io;

/// Rows between two reports of progress.
const ROWS_A_REPORT: u64 = 1 << 16;

/// An interpreter of the tables, with the ids that later ones refer to.
pub(super) struct Tables<'a> {
    collector: &'a mut Collector,
    /// The records of articles and of categories, by the ids of their pages.
    articles: IdMap,
    categories: IdMap,
    /// Articles by the ids of link targets; [`NONE`] if no page has the title.
    article_targets: IdMap,
    /// Indices in `target_names` by the ids of link targets; a name becomes a category only when a page has it.
    category_targets: IdMap,
    target_names: Names,
    /// The category of each of `target_names`, or [`NONE`] if not known yet.
    known_categories: Vec<u32>,
    buffer: String,
}

/// The places of the needed columns in the rows of a table; [`usize::MAX`] if missing.
struct Places(Vec<usize>);

impl Places {
    fn of(table: &Table, columns: &[&str]) -> Places {
        Places(columns.iter().map(|column| table.column(column).unwrap_or(usize::MAX)).collect())
    }

    fn has(&self, number: usize) -> bool {
        self.0[number] != usize::MAX
    }
}

impl std::ops::Index<usize> for Places {
    type Output = usize;

    fn index(&self, number: usize) -> &usize {
        &self.0[number]
    }
}

/// The reason why a row could not be taken.
enum TakeError {
    Row(RowError),
    Wiki(Box<WikiError>),
}

impl From<RowError> for TakeError {
    fn from(error: RowError) -> TakeError {
        TakeError::Row(error)
    }
}

impl From<WikiError> for TakeError {
    fn from(error: WikiError) -> TakeError {
        TakeError::Wiki(Box::new(error))
    }
}

impl From<GatherError> for TakeError {
    fn from(error: GatherError) -> TakeError {
        TakeError::Wiki(Box::new(error.into()))
    }
}

impl<'a> Tables<'a> {
    pub(super) fn new(collector: &'a mut Collector) -> Tables<'a> {
        Tables {
            collector,
            articles: IdMap::default(),
            categories: IdMap::default(),
            article_targets: IdMap::default(),
            category_targets: IdMap::default(),
            target_names: Names::default(),
            known_categories: Vec::new(),
            buffer: String::new(),
        }
    }

    pub(super) fn read(&mut self, file: &File, progress: &mut dyn Progress) -> Result<Provenance, WikiError> {
        let mut rows = SqlReader::new(input::open(&file.path)?);
        let (mut shown, mut good) = (0, 0);
        let mut places = None;
        loop {
            let taken = match rows.next_item() {
                Ok(None) => break,
                Ok(Some(Item::Table)) => {
                    let is_this = rows.table().name == file.table.name;
                    places = is_this.then(|| places_in(rows.table()));
                    Ok(())
                }
                Ok(Some(Item::Row)) => places.as_ref().map_or(Ok(()), |places| self.take(&rows, places)),
                Err(error) => Err(error.into()),
            };
            match taken {
                Ok(()) => good = rows.num_rows(),
                Err(TakeError::Wiki(error)) => return Err(*error),
                Err(TakeError::Row(error)) => {
                    self.lose(file, rows.reader(), good, error)?;
                    break;
                }
            }
            if rows.num_rows().is_multiple_of(ROWS_A_REPORT) {
                progress.advance(rows.reader().position() - shown);
                shown = rows.reader().position();
            }
        }
        let (bytes, checksum) = rows.into_reader().finish().map_err(InputError::unreadable(&file.path))?;
        progress.advance(bytes - shown);
        Ok(Provenance { role: file.table.name.clone(), name: name(&file.path), bytes, checksum })
    }

    /// Records that a file cannot be read further, after `good` good rows.
    fn lose(&mut self, file: &File, input: &Input, good: u64, error: RowError) -> Result<(), WikiError> {
        let why = match error {
            RowError::Io(cause) if !input.is_damaged() => {
                return Err(InputError::unreadable(&file.path)(cause).into());
            }
            RowError::Io(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                "the compressed data ends early".to_owned()
            }
            RowError::Io(cause) => format!("the compressed data is damaged ({cause})"),
            RowError::Syntax(why) => why,
        };
        let from = input.unpacked();
        let to = input.size().unwrap_or(from).max(from);
        let last_good = (good > 0).then(|| format!("{good} of {}", file.table.name));
        let (file, next_good) = (name(&file.path), None);
        self.collector.lose(Loss { file, from, to, why, unit: LostUnit::Row, last_good, next_good })
    }

    /// Ends a table after the last of its files.
    pub(super) fn end(&mut self, table: &str) {
        match table {
            "page" => {
                self.articles.finish();
                self.categories.finish();
            }
            "linktarget" => {
                self.article_targets.finish();
                self.category_targets.finish();
                self.target_names.forget_look_up();
                self.known_categories = vec![NONE; self.target_names.len()];
            }
            _ => {}
        }
    }

    fn take(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        match &rows.table().name[..] {
            "page" => self.page(rows, places),
            "page_props" => self.property(rows, places),
            "redirect" => self.redirect(rows, places),
            "linktarget" => self.target(rows, places),
            "categorylinks" => self.category_link(rows, places),
            _ => self.link(rows, places),
        }
    }

    fn page(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        let id: u64 = rows.number(places[0])?;
        let namespace: i32 = rows.number(places[1])?;
        let account = &mut self.collector.account;
        let (space, ids) = match namespace {
            ARTICLES => (&mut self.collector.articles, &mut self.articles),
            CATEGORIES => (&mut self.collector.categories, &mut self.categories),
            _ => {
                *account.namespaces.entry(namespace).or_default() += 1;
                return Ok(());
            }
        };
        let is_redirect = rows.number::<u8>(places[3])? != 0;
        let title = title(rows, places[2], &mut self.buffer)?;
        if let Err(why) = expect_short(title) {
            account.pages.bad += 1;
            if account.bad_examples.len() < EXAMPLES {
                account.bad_examples.push(format!("page {id} ({:?}): {why}", shortened(title)));
            }
            return Ok(());
        }
        *account.namespaces.entry(namespace).or_default() += 1;
        let too_many = || WikiError::TooManyTitles;
        let name = space.names.intern(title).ok_or_else(too_many)?;
        let revision = if places.has(4) { rows.number(places[4])? } else { 0 };
        let record = space.records.len() as u32;
        if !ids.push(id, record) {
            return Err(too_many().into());
        }
        // Where a redirect leads is in another table.
        let what = if is_redirect && namespace == ARTICLES { What::Elsewhere } else { What::Page };
        let repeated = space.add(Seen { name, what, revision });
        self.collector.account.pages.repeated += u64::from(repeated);
        Ok(())
    }

    fn property(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        if rows.value(places[1]) == Some(b"hiddencat")
            && let Some(record) = self.categories.get(rows.number(places[0])?)
        {
            self.collector.categories.records[record as usize].what = What::Hidden;
        }
        Ok(())
    }

    fn redirect(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        let from: u64 = rows.number(places[0])?;
        let namespace: i32 = rows.number(places[1])?;
        let is_interwiki = places.has(3) && rows.value(places[3]).is_some_and(|prefix| !prefix.is_empty());
        let (space, record) = match (self.articles.get(from), self.categories.get(from)) {
            (Some(record), _) => (&mut self.collector.articles, record),
            (None, Some(record)) => (&mut self.collector.categories, record),
            (None, None) => return Ok(()),
        };
        let of_articles = self.articles.get(from).is_some();
        let wanted = if of_articles { ARTICLES } else { CATEGORIES };
        let seen = &mut space.records[record as usize];
        // A row may be left over of a page that is no redirect any more.
        if is_interwiki || namespace != wanted || (of_articles && seen.what != What::Elsewhere) {
            return Ok(());
        }
        let title = title(rows, places[2], &mut self.buffer)?;
        if expect_short(title).is_err() {
            return Ok(());
        }
        let target = space.names.intern(title).ok_or(WikiError::TooManyTitles)?;
        seen.what = What::To(target);
        Ok(())
    }

    fn target(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        let id: u64 = rows.number(places[0])?;
        let namespace: i32 = rows.number(places[1])?;
        let fits = match namespace {
            ARTICLES => {
                let title = title(rows, places[2], &mut self.buffer)?;
                let name = self.collector.articles.names.find(title).unwrap_or(NONE);
                self.article_targets.push(id, name)
            }
            CATEGORIES => {
                let title = title(rows, places[2], &mut self.buffer)?;
                if expect_short(title).is_err() {
                    return Ok(());
                }
                let name = self.target_names.intern(title).ok_or(WikiError::TooManyTitles)?;
                self.category_targets.push(id, name)
            }
            _ => true,
        };
        if fits { Ok(()) } else { Err(WikiError::TooManyTitles.into()) }
    }

    fn category_link(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        let from: u64 = rows.number(places[0])?;
        let article = self.articles.get(from).filter(|&record| self.is_article(record));
        let parent_of = self.categories.get(from);
        if article.is_none() && parent_of.is_none() {
            return Ok(());
        }
        let categories = &mut self.collector.categories;
        let category = match places.has(1) {
            true => {
                let name = title(rows, places[1], &mut self.buffer)?;
                if expect_short(name).is_err() {
                    return Ok(());
                }
                categories.names.intern(name).ok_or(WikiError::TooManyTitles)?
            }
            false => {
                // A target that was deleted meanwhile.
                let Some(target) = self.category_targets.get(rows.number(places[2])?) else { return Ok(()) };
                let known = &mut self.known_categories[target as usize];
                if *known == NONE {
                    let name = String::from_utf8_lossy(self.target_names.get(target));
                    *known = categories.names.intern(&name).ok_or(WikiError::TooManyTitles)?;
                }
                *known
            }
        };
        let pairs = &mut self.collector.pairs;
        match (article, parent_of) {
            (Some(record), _) => pairs.page_categories.push(record, category)?,
            (None, Some(record)) => pairs.parents.push(record, category)?,
            (None, None) => {}
        }
        Ok(())
    }

    fn link(&mut self, rows: &SqlReader<Input>, places: &Places) -> Result<(), TakeError> {
        if places.has(1) && rows.value(places[1]) != Some(b"0") {
            return Ok(());
        }
        let from = self.articles.get(rows.number(places[0])?);
        let Some(record) = from.filter(|&record| self.is_article(record)) else { return Ok(()) };
        let links = &mut self.collector.account.links;
        let target = match places.has(2) {
            true => match rows.number::<i32>(places[3])? {
                ARTICLES => {
                    let title = title(rows, places[2], &mut self.buffer)?;
                    Some(self.collector.articles.names.find(title).unwrap_or(NONE))
                }
                _ => None,
            },
            false => self.article_targets.get(rows.number(places[4])?),
        };
        match target {
            None => links.elsewhere += 1,
            Some(NONE) => links.red += 1,
            Some(name) => self.collector.pairs.links.push(record, name)?,
        }
        Ok(())
    }

    fn is_article(&self, record: u32) -> bool {
        self.collector.articles.records[record as usize].what == What::Page
    }
}

/// Returns the places of the needed columns of a table.
fn places_in(table: &Table) -> Places {
    let columns: &[&str] = match &table.name[..] {
        "page" => &["page_id", "page_namespace", "page_title", "page_is_redirect", "page_latest"],
        "page_props" => &["pp_page", "pp_propname"],
        "redirect" => &["rd_from", "rd_namespace", "rd_title", "rd_interwiki"],
        "linktarget" => &["lt_id", "lt_namespace", "lt_title"],
        "categorylinks" => &["cl_from", "cl_to", "cl_target_id"],
        _ => &["pl_from", "pl_from_namespace", "pl_title", "pl_namespace", "pl_target_id"],
    };
    Places::of(table, columns)
}

/// Returns a title of the last row, with underscores replaced by spaces.
fn title<'b>(rows: &SqlReader<Input>, column: usize, buffer: &'b mut String) -> Result<&'b str, RowError> {
    let Some(value) = rows.value(column) else {
        return Err(RowError::Syntax(format!("NULL in the table {}, expected a title", rows.table().name)));
    };
    buffer.clear();
    buffer.push_str(&Titles::composed(&String::from_utf8_lossy(value).replace('_', " ")));
    Ok(buffer)
}
