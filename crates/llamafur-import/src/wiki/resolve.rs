//! Resolves every name once all pages are known, and writes the corpus.

use super::collect::{AllPairs, Collector, NONE, Seen, Space, What};
use super::conf::Hidden;
use super::error::WikiError;
use super::{WikiAccount, WikiConf};
use crate::gather::GatherError;
use crate::gather::names::{Names, Ranked};
use crate::gather::texts::Texts;
use crate::redirects::{LOOP, follow};
use llamafur::corpus::{CorpusWriter, TextFile};
use llamafur::progress::{Progress, Task, WhenStopped};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// The target of a title that no page has.
const RED: u32 = NONE;
/// The target of a redirect that leads to no article.
const DEAD: u32 = NONE - 1;

/// Writes the corpus without its manifest. The texts are written on a separate thread, since they need only the order
/// of the titles.
pub(super) fn resolve(
    collector: Collector,
    conf: &WikiConf,
    writer: &mut CorpusWriter,
    progress: &mut dyn Progress,
) -> Result<WikiAccount, WikiError> {
    let Collector { mut articles, mut categories, pairs, texts, mut account, .. } = collector;
    progress.start(Task::Sort, Some(pairs.len()));
    articles.names.forget_look_up();
    categories.names.forget_look_up();
    let pages = articles.names.ranked_where(|name| is_article(articles.page(name)))?;
    account.pages.articles = pages.order.len() as u64;
    if pages.order.is_empty() {
        let (pages, examples) = (account.all_pages() + account.pages.bad, account.bad_examples);
        return Err(WikiError::NoArticle { pages, examples });
    }
    // The record that has the text of each page.
    let records: Vec<u32> = pages.order.iter().map(|&name| articles.current[name as usize]).collect();
    let shared = TextProgress::default();
    let texts = texts.map(|texts| Ok::<_, WikiError>((texts, writer.start_text()?))).transpose()?;
    thread::scope(|scope| {
        let (names, shared) = (&articles.names, &shared);
        let _stopped = WhenStopped(|| shared.stop.store(true, Relaxed));
        let texts =
            texts.map(|(texts, file)| scope.spawn(|| write_texts(texts, records, names, file, shared)));
        let rest =
            write_rest(&articles, &categories, pages, pairs, conf.hidden, &mut account, writer, progress);
        if rest.is_err() {
            shared.stop.store(true, Relaxed);
        }
        if let Some(texts) = texts {
            progress.start(Task::WriteCorpus, Some(account.pages.articles));
            let file = shared.wait_for(texts, progress)?;
            rest?;
            writer.finish_text(file)?;
            progress.finish();
            return Ok(account);
        }
        rest.map(|()| account)
    })
}

/// Progress of the thread that writes the texts.
#[derive(Default)]
struct TextProgress {
    written: AtomicU64,
    /// Set when the texts are no longer needed.
    stop: AtomicBool,
}

impl TextProgress {
    /// Waits for the thread. Inside a pool, this thread works meanwhile, also on tasks that the other waits for.
    fn wait_for(
        &self,
        texts: ScopedJoinHandle<'_, Result<TextFile, GatherError>>,
        progress: &mut dyn Progress,
    ) -> Result<TextFile, WikiError> {
        let mut shown = 0;
        while !texts.is_finished() {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                thread::sleep(Duration::from_millis(5));
            }
            let written = self.written.load(Relaxed);
            progress.advance(written - shown);
            shown = written;
        }
        Ok(texts.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
    }
}

fn write_texts(
    texts: Texts,
    records: Vec<u32>,
    names: &Names,
    mut file: TextFile,
    shared: &TextProgress,
) -> Result<TextFile, GatherError> {
    let mut texts = texts.in_order(names)?;
    for record in records {
        if shared.stop.load(Relaxed) {
            break;
        }
        file.push(texts.get(record)?)?;
        shared.written.fetch_add(1, Relaxed);
    }
    Ok(file)
}

/// Writes everything except the texts.
#[expect(clippy::too_many_arguments, reason = "the second half of one function, cut where the threads part")]
fn write_rest(
    articles: &Space,
    categories: &Space,
    pages: Ranked,
    pairs: AllPairs,
    hidden: Hidden,
    account: &mut WikiAccount,
    writer: &mut CorpusWriter,
    progress: &mut dyn Progress,
) -> Result<(), WikiError> {
    let meaning = Articles::new(articles, account);
    let kept = Categories::new(categories, hidden, account);
    let ranked = categories.names.ranked_where(|name| kept.ends[name as usize] == name)?;
    account.categories.kept = ranked.order.len() as u64;

    // Which page a record is, if it is the one that counts, and which page or category a name leads to.
    let page_of_record: Vec<u32> = (0u32..)
        .zip(&articles.records)
        .map(|(record, seen)| match articles.current[seen.name as usize] == record {
            true => pages.ranks[seen.name as usize],
            false => NONE,
        })
        .collect();
    let page_of_name = meaning.pages(articles, &pages.ranks);
    let category_of: Vec<u32> =
        kept.ends.iter().map(|&end| ranked.ranks.get(end as usize).copied().unwrap_or(NONE)).collect();
    let mut advance = |pairs| progress.advance(pairs);
    let to_article = |record: u32, name: u32| {
        let (source, target) = (page_of_record[record as usize], page_of_name[name as usize]);
        match target {
            _ if source == NONE => Err(0),
            RED => Err(1),
            DEAD => Err(2),
            _ if source == target => Err(3),
            _ => Ok((source, target)),
        }
    };
    let num_links = pairs.links.len();
    let links = pairs.links.into_lists::<4>(pages.order.len(), to_article, &mut advance)?;
    let counts = &mut account.links;
    let [superseded, red, dead, own] = links.unwanted;
    (counts.superseded, counts.dead, counts.own) = (superseded, dead, own);
    counts.red += red;
    counts.kept = links.distinct;
    counts.repeated += num_links - links.distinct - links.unwanted.iter().sum::<u64>();

    let to_category = |record: u32, name: u32| {
        let (page, category) = (page_of_record[record as usize], category_of[name as usize]);
        match page {
            NONE => Err(0),
            _ if category == NONE => Err(1),
            page => Ok((page, category)),
        }
    };
    let carried = pairs.page_categories.into_lists::<2>(pages.order.len(), to_category, &mut advance)?;
    let counts = &mut account.categories;
    counts.carried = carried.distinct;
    counts.carried_hidden = carried.unwanted[1];

    let to_parent = |record: u32, name: u32| {
        let child = categories.records[record as usize].name;
        let is_current = categories.current[child as usize] == record;
        let (child, parent) = (category_of[child as usize], category_of[name as usize]);
        let is_edge = child != NONE && parent != NONE && child != parent;
        if is_current && is_edge { Ok((child, parent)) } else { Err(0) }
    };
    let parents = pairs.parents.into_lists::<1>(ranked.order.len(), to_parent, &mut advance)?;
    counts.tree_edges = parents.distinct;
    let without = carried.lists.view().rows().filter(|row| row.is_empty()).count();
    account.pages.uncategorised = without as u64;

    let redirects = articles.names.ranked_where(|name| meaning.is_alias(name))?;
    let targets: Vec<u32> = redirects.order.iter().map(|&name| page_of_name[name as usize]).collect();
    drop((meaning, kept, page_of_record, page_of_name, category_of));
    writer.write_pages(pages.names, links.lists, carried.lists)?;
    writer.write_categories(ranked.names, parents.lists)?;
    writer.write_redirects(redirects.names, targets)?;
    progress.finish();
    Ok(())
}

fn is_article(page: Option<&Seen>) -> bool {
    page.is_some_and(|seen| seen.what == What::Page)
}

/// The final targets of article titles.
struct Articles {
    /// The title of the article that each title finally leads to; [`NONE`] if there is none.
    ends: Vec<u32>,
}

impl Articles {
    fn new(articles: &Space, account: &mut WikiAccount) -> Articles {
        let mut ends = follow(articles.names.len(), |name| match articles.page(name)?.what {
            What::To(target) => Some(target),
            _ => None,
        });
        for (name, &end) in (0u32..).zip(&ends) {
            let Some(&Seen { what: what @ (What::To(_) | What::Elsewhere), .. }) = articles.page(name) else {
                continue;
            };
            let counts = &mut account.redirects;
            counts.all += 1;
            if end == LOOP {
                counts.looping += 1;
                continue;
            }
            match articles.page(end).map(|seen| seen.what) {
                None => counts.broken += 1,
                Some(What::Elsewhere) => counts.elsewhere += 1,
                Some(_) => {
                    let straight = what == What::To(end);
                    *(if straight { &mut counts.followed } else { &mut counts.chained }) += 1;
                }
            }
        }
        for end in &mut ends {
            if !is_article(articles.page(*end)) {
                *end = NONE;
            }
        }
        Articles { ends }
    }

    /// Returns the page that each title leads to, by the ranks of the titles; [`RED`] or [`DEAD`] if there is none.
    fn pages(&self, articles: &Space, ranks: &[u32]) -> Vec<u32> {
        let page = |(name, &end): (u32, &u32)| match end {
            NONE if articles.page(name).is_some() => DEAD,
            NONE => RED,
            end => ranks[end as usize],
        };
        (0u32..).zip(&self.ends).map(page).collect()
    }

    /// Returns whether a title is a redirect to an article.
    fn is_alias(&self, name: u32) -> bool {
        let end = self.ends[name as usize];
        end != NONE && end != name
    }
}

/// The final names of categories.
struct Categories {
    /// The name that each name leads to; [`NONE`] if the category is left out.
    ends: Vec<u32>,
}

impl Categories {
    fn new(categories: &Space, hidden: Hidden, account: &mut WikiAccount) -> Categories {
        let mut ends = follow(categories.names.len(), |name| match categories.page(name)?.what {
            What::To(target) => Some(target),
            _ => None,
        });
        let counts = &mut account.categories;
        for name in 0..ends.len() as u32 {
            let end = &mut ends[name as usize];
            // Of a ring of moved categories each stays where it is.
            if *end == LOOP {
                *end = name;
            }
            counts.moved += u64::from(*end != name);
            counts.described += u64::from(categories.page(name).is_some());
            let is_hidden = categories.page(*end).is_some_and(|seen| seen.what == What::Hidden);
            if is_hidden && hidden == Hidden::LeaveOut {
                counts.hidden += u64::from(*end == name);
                *end = NONE;
            }
        }
        Categories { ends }
    }
}
