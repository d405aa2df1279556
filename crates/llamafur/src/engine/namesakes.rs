//! Pages of similar titles that can be mistaken for each other.
//!
//! Two pages are namesakes if
//!
//! - a title of one of them, its own or one that redirects to it, equals a title of the other except for brackets
//!   at the end: “Mercury” and “Mercury (planet)”;
//! - or both are meanings on a disambiguation page: it links to both, and both titles have its name in them. The page itself is a
//!   namesake of its meanings.
//!
//! A disambiguation page has a title that ends in “(disambiguation)”, a category with that word in its name, or, on a wiki, a
//! template that makes it one ([`TEMPLATES`]).

use crate::Error;
use crate::corpus::{Corpus, PageNames, base_name};
use crate::graph::{CategoryId, PageId};
use crate::interrupt;
use crate::text::{count_names, lowercase};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What two namesakes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// Their titles are the same but for brackets.
    Title,
    /// A title that redirects to one of them is such a title of the other.
    Redirect,
    /// They are meanings on a disambiguation page, or one is that page.
    Disambiguation,
}

names! {
    Likeness "likeness" {
        Title = "title",
        Redirect = "redirect",
        Disambiguation = "disambiguation",
    }
}

/// Templates that make a page a disambiguation page, in lower case, on wikis of several languages; the beginning of a
/// name is enough.
const TEMPLATES: [&str; 14] = [
    "disambig",
    "dab}}",
    "dab|",
    "hndis",
    "geodis",
    "begriffsklärung",
    "homonymie",
    "desambig",
    "disambigua",
    "doorverwijspagina",
    "неоднозначность",
    "многозначность",
    "ujednoznacznienie",
    "rozcestník",
];

/// Largest number of a page's links that are searched for meanings.
const MOST_MEANINGS: usize = 300;

/// The namesakes of every page.
#[derive(Debug)]
pub(crate) struct Namesakes {
    of: Vec<Box<[(PageId, Likeness)]>>,
    disambiguation: Vec<bool>,
}

impl Namesakes {
    /// Finds the namesakes of the pages of a corpus, by their names.
    pub(crate) fn new(corpus: &Corpus, names: &PageNames) -> Result<Namesakes, Error> {
        let num_pages = corpus.num_pages();
        let disambiguation = disambiguation_pages(corpus)?;
        let mut redirects = (0..corpus.num_redirects())
            .map(|row| Ok((corpus.redirect(row)?.1, row)))
            .collect::<Result<Vec<_>, Error>>()?;
        redirects.sort_unstable();
        let of_page = |page: PageId| {
            interrupt::check()?;
            let mut found = Vec::new();
            let own = base_name(corpus.title(page)?);
            for other in names.pages(own)? {
                let is_by_title = base_name(corpus.title(other)?).to_lowercase() == own.to_lowercase();
                found.push((other, if is_by_title { Likeness::Title } else { Likeness::Redirect }));
            }
            let first = redirects.partition_point(|(target, _)| *target < page);
            for &(target, row) in &redirects[first..] {
                if target != page {
                    break;
                }
                let named = names.pages(base_name(corpus.redirect(row)?.0))?;
                found.extend(named.into_iter().map(|other| (other, Likeness::Redirect)));
            }
            Ok(found)
        };
        let carried = interrupt::carried();
        let of = (0..num_pages as u32).into_par_iter().map(|page| carried.scope(|| of_page(PageId(page))));
        let mut of = of.collect::<Result<Vec<Vec<(PageId, Likeness)>>, Error>>()?;
        for page in (0..num_pages as u32).map(PageId).filter(|page| disambiguation[page.index()]) {
            let mut all = meanings(corpus, page)?;
            all.push(page);
            for &one in &all {
                of[one.index()].extend(all.iter().map(|&other| (other, Likeness::Disambiguation)));
            }
        }
        let tidy = |(page, mut found): (usize, Vec<(PageId, Likeness)>)| {
            found.retain(|(other, _)| other.index() != page);
            found.sort_unstable();
            // The strongest likeness of each.
            found.dedup_by_key(|(other, _)| *other);
            found.into_boxed_slice()
        };
        Ok(Namesakes { of: of.into_par_iter().enumerate().map(tidy).collect(), disambiguation })
    }

    /// Returns the namesakes of a page, ascending.
    pub(crate) fn of(&self, page: PageId) -> &[(PageId, Likeness)] {
        &self.of[page.index()]
    }

    /// Returns whether a page lists the meanings of a name.
    pub(crate) fn is_disambiguation(&self, page: PageId) -> bool {
        self.disambiguation[page.index()]
    }
}

/// Returns the pages that a disambiguation page links to and whose titles contain its name.
fn meanings(corpus: &Corpus, page: PageId) -> Result<Vec<PageId>, Error> {
    let name = lowercase(base_name(corpus.title(page)?));
    let mut meanings = Vec::new();
    for &target in corpus.links(page)?.iter().take(MOST_MEANINGS) {
        if count_names(&lowercase(corpus.title(target)?), &name) > 0 {
            meanings.push(target);
        }
    }
    Ok(meanings)
}

fn disambiguation_pages(corpus: &Corpus) -> Result<Vec<bool>, Error> {
    let mut categories: BTreeSet<CategoryId> = BTreeSet::new();
    for category in (0..corpus.num_categories() as u32).map(CategoryId) {
        if lowercase(corpus.category_name(category)?).contains("disambiguation pages") {
            categories.insert(category);
        }
    }
    let pages = (0..corpus.num_pages() as u32).into_par_iter().map(|page| {
        let page = PageId(page);
        let by_title = corpus.title(page)?.ends_with(" (disambiguation)");
        Ok(by_title || corpus.categories(page)?.iter().any(|category| categories.contains(category)))
    });
    let mut pages = pages.collect::<Result<Vec<bool>, Error>>()?;
    if corpus.wiki_titles().is_none() {
        return Ok(pages);
    }
    let by_template = (0..corpus.num_text_batches()).into_par_iter().map(|batch| {
        let texts = corpus.stored_batch(batch)?;
        Ok(texts.iter().map(|text| text.is_some_and(has_template)).collect::<Vec<bool>>())
    });
    let by_template = by_template.collect::<Result<Vec<_>, Error>>()?.concat();
    pages.iter_mut().zip(by_template).for_each(|(is, by_template)| *is |= by_template);
    Ok(pages)
}

/// Returns whether a wikitext calls a template that makes it a disambiguation page.
fn has_template(wikitext: &str) -> bool {
    let calls = wikitext.split("{{").skip(1);
    calls.into_iter().any(|call| {
        let name = call.trim_start();
        let name = lowercase(&name[..name.floor_char_boundary(40)]);
        TEMPLATES.iter().any(|template| name.starts_with(template))
            && !name.starts_with("disambiguation needed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_known_at_the_beginning_of_a_call() {
        for text in ["x\n{{disambiguation|geo}}", "{{Dab}}", "{{ Hndis|Name}}", "{{Неоднозначность}}"]
        {
            assert!(has_template(text), "{text}");
        }
        for text in ["disambig", "{{Dabble}}", "[[Mercury]]{{disambiguation needed}}", "{{Infobox|dab}}", ""]
        {
            assert!(!has_template(text), "{text}");
        }
    }
}
