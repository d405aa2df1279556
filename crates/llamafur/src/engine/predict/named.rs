//! Pages that the text of a page names without a link.

use crate::Error;
use crate::corpus::{NamedPlace, PageNames};
use crate::graph::PageId;
use crate::interrupt;
use crate::text::Block;
use crate::text::wikitext::Passage;
use std::collections::BTreeMap;
use std::ops::Range;

/// The pages that a text names outside of its links.
pub(super) struct Named {
    paragraphs: Vec<Passage>,
    /// For each page, the first place that names it.
    places: BTreeMap<PageId, (usize, Range<usize>)>,
}

impl Named {
    /// Finds the names in blocks in which existing links are marked. Headings and code are skipped.
    pub(super) fn in_blocks(names: &PageNames, blocks: &[Block]) -> Result<Named, Error> {
        let mut named = Named { paragraphs: Vec::new(), places: BTreeMap::new() };
        for block in
            blocks.iter().filter(|block| !matches!(block, Block::Heading { .. } | Block::Code { .. }))
        {
            interrupt::check()?;
            let (text, number) = (block.text(), named.paragraphs.len());
            for part in outside_links(block) {
                for NamedPlace { range, pages } in names.find(&text, part)? {
                    for page in pages {
                        named.places.entry(page).or_insert((number, range.clone()));
                    }
                }
            }
            named.paragraphs.push(Passage::new(text, Vec::new()));
        }
        Ok(named)
    }

    /// Returns the pages, ascending.
    pub(super) fn pages(&self) -> impl Iterator<Item = PageId> + '_ {
        self.places.keys().copied()
    }

    /// Returns the words that name a page first.
    pub(super) fn words(&self, page: PageId) -> Option<&str> {
        let (paragraph, range) = self.places.get(&page)?;
        self.paragraphs[*paragraph].text().get(range.clone())
    }

    /// Returns the sentence of these words, with the words between `[[` and `]]`.
    pub(super) fn sentence(&self, page: PageId) -> Option<String> {
        let (paragraph, range) = self.places.get(&page)?;
        Some(self.paragraphs[*paragraph].around(range.clone()).marked())
    }
}

/// Returns the parts of a block's text outside of links.
fn outside_links(block: &Block) -> Vec<Range<usize>> {
    let (mut parts, mut at, mut start): (Vec<Range<usize>>, usize, usize) = Default::default();
    for span in block.spans() {
        if span.target.is_some() {
            parts.push(start..at);
            start = at + span.text.len();
        }
        at += span.text.len();
    }
    parts.push(start..at);
    parts.retain(|part| !part.is_empty());
    parts
}
