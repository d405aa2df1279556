//! Which page a link of a text leads to.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use hashbrown::HashTable;
use rapidhash::v3::rapidhash_v3;

/// The titles of some pages at hand. A link mostly leads to one of those that a page is known to link to, and these are
/// found without a search among all titles.
pub(super) struct TitleCache<'a, 't> {
    corpus: &'a Corpus,
    targets: &'t [PageId],
    titles: Vec<&'a str>,
    table: HashTable<u32>,
}

impl<'a, 't> TitleCache<'a, 't> {
    pub(super) fn new(corpus: &'a Corpus, targets: &'t [PageId]) -> Result<TitleCache<'a, 't>, Error> {
        let titles = targets.iter().map(|&target| corpus.title(target)).collect::<Result<Vec<_>, _>>()?;
        let hash = |at: &u32| rapidhash_v3(titles[*at as usize].as_bytes());
        let mut table = HashTable::with_capacity(titles.len());
        for at in 0..titles.len() as u32 {
            table.insert_unique(hash(&at), at, hash);
        }
        Ok(TitleCache { corpus, targets, titles, table })
    }

    /// The titles of the pages, in their order.
    pub(super) fn titles(&self) -> &[&'a str] {
        &self.titles
    }

    /// What [`Corpus::resolve`] says.
    pub(super) fn resolve(&self, title: &str) -> Result<Option<PageId>, Error> {
        let is_it = |at: &u32| self.titles[*at as usize] == title;
        match self.table.find(rapidhash_v3(title.as_bytes()), is_it) {
            Some(&at) => Ok(Some(self.targets[at as usize])),
            None => self.corpus.resolve(title),
        }
    }
}
