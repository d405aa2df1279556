//! When all pages are known: what every name means, and the corpus that comes of it.

use super::collect::{Collector, NONE, Seen, Space, What};
use super::conf::Hidden;
use super::cycles;
use super::error::WikiError;
use super::follow::{LOOP, follow};
use super::{WikiAccount, WikiConf};
use crate::gather::GatherError;
use llamafur::corpus::CorpusWriter;
use llamafur::progress::Progress;

/// Writes the corpus, all but its manifest.
pub(super) fn settle(
    collector: Collector,
    conf: &WikiConf,
    writer: &mut CorpusWriter,
    progress: &mut dyn Progress,
) -> Result<WikiAccount, WikiError> {
    let Collector {
        mut articles, mut categories, links, page_categories, parents, texts, mut account, ..
    } = collector;
    progress.start("sorting", Some(links.len() + page_categories.len() + parents.len()));
    articles.names.forget_look_up();
    categories.names.forget_look_up();

    let meaning = Articles::new(&articles, &mut account);
    let pages = articles.names.ranked_where(|name| is_article(articles.page(name)))?;
    account.pages.articles = pages.order.len() as u64;
    if pages.order.is_empty() {
        return Err(WikiError::NoArticle { pages: account.all_pages() });
    }
    let kept = Categories::new(&categories, conf.hidden, &mut account);
    let ranked = categories.names.ranked_where(|name| kept.ends[name as usize] == name)?;
    account.categories.kept = ranked.order.len() as u64;

    // Which page a record is, if it is the one that counts.
    let page_of = |record: u32| {
        let name = articles.records[record as usize].name;
        (articles.current[name as usize] == record).then(|| pages.ranks[name as usize])
    };
    let category_of = |name: u32| match kept.ends[name as usize] {
        NONE => None,
        end => Some(ranked.ranks[end as usize]),
    };
    let mut advance = |pairs| progress.advance(pairs);
    let counts = &mut account.links;
    let (links, linked_twice) = links.into_lists(
        pages.order.len(),
        |record, name| {
            let Some(source) = page_of(record) else {
                counts.superseded += 1;
                return None;
            };
            let Some(target) = meaning.article(name) else {
                let counter = if articles.page(name).is_some() { &mut counts.dead } else { &mut counts.red };
                *counter += 1;
                return None;
            };
            let target = pages.ranks[target as usize];
            counts.own += u64::from(source == target);
            counts.kept += u64::from(source != target);
            (source != target).then_some((source, target))
        },
        &mut advance,
    )?;
    counts.kept -= linked_twice;
    counts.repeated += linked_twice;

    let counts = &mut account.categories;
    let (page_categories, carried_twice) = page_categories.into_lists(
        pages.order.len(),
        |record, name| {
            let page = page_of(record)?;
            let category = category_of(name);
            counts.carried += u64::from(category.is_some());
            counts.carried_hidden += u64::from(category.is_none());
            Some((page, category?))
        },
        &mut advance,
    )?;
    counts.carried -= carried_twice;

    let (parents, _) = parents.into_lists(
        ranked.order.len(),
        |record, name| {
            let child = categories.records[record as usize].name;
            let child = (categories.current[child as usize] == record).then(|| category_of(child))??;
            let parent = category_of(name)?;
            (child != parent).then_some((child, parent))
        },
        &mut advance,
    )?;
    counts.tree_edges = parents.view().num_values() as u64;
    (counts.cycles, counts.in_cycles) = cycles::count(parents.view());
    account.pages.uncategorised = page_categories.view().rows().filter(|row| row.is_empty()).count() as u64;
    progress.finish();

    let redirects = articles.names.ranked_where(|name| meaning.is_alias(&articles, name))?;
    let targets = redirects.order.iter().filter_map(|&name| meaning.article(name));
    let targets: Vec<u32> = targets.map(|target| pages.ranks[target as usize]).collect();
    // Where the text of each page lies.
    let records: Vec<u32> = pages.order.iter().map(|&name| articles.current[name as usize]).collect();
    drop((categories, meaning, kept));

    progress.start("writing", Some(records.len() as u64));
    writer.write_pages(pages.names, links, page_categories)?;
    writer.write_categories(ranked.names, parents)?;
    writer.write_redirects(redirects.names, targets)?;
    match texts {
        Some(texts) => {
            let texts = texts.in_order(records, &articles.names)?.inspect(|_| progress.advance(1));
            writer.write_text::<GatherError>(texts)?;
        }
        None => progress.advance(records.len() as u64),
    }
    progress.finish();
    Ok(account)
}

fn is_article(page: Option<&Seen>) -> bool {
    page.is_some_and(|seen| seen.what == What::Page)
}

/// What the titles of articles mean.
struct Articles {
    /// The title of the article that each title leads to in the end; [`NONE`] where that is none.
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

    /// The title of the article that a title leads to.
    fn article(&self, name: u32) -> Option<u32> {
        self.ends.get(name as usize).copied().filter(|&end| end != NONE)
    }

    /// Whether a title is a redirect to an article.
    fn is_alias(&self, articles: &Space, name: u32) -> bool {
        self.article(name).is_some_and(|end| end != name) && !is_article(articles.page(name))
    }
}

/// Which categories there are.
struct Categories {
    /// The name that each name leads to; [`NONE`] where the category is left out.
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
