//! Writes a synthetic corpus: chunks of pages on all threads, in order.

use super::affinity::Affinity;
use super::conf::{COMMAND, SynthConf};
use super::degrees::degrees;
use super::error::SynthError;
use super::links::{Account, Drawn, Links};
use super::pages::PageCategories;
use super::plant::{Popular, planted_links, planted_pages};
use super::tree::Tree;
use super::truth::Truth;
use llamafur::Error;
use llamafur::corpus::{CorpusWriter, ListColumn, ListSpool, Manifest, Provenance, StringColumn};
use llamafur::progress::{Progress, Task};
use llamafur::storage::Existing;
use rayon::prelude::*;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Pages in a chunk, and chunks at a time: enough work for many threads, little enough for memory.
const CHUNK: usize = 1 << 10;
const CHUNKS: usize = 1 << 6;

/// Generates a corpus from a known model.
///
/// # Errors
/// Returns an error if a setting is out of range, the place is taken (see [`Existing`]), or the disk is full.
pub fn synth(
    conf: &SynthConf,
    out: &Path,
    existing: Existing,
    progress: &mut dyn Progress,
) -> Result<Manifest, SynthError> {
    let truth = Truth::new(conf)?;
    let mut writer = CorpusWriter::create(out, existing)?;
    writer.note_replaced(progress);
    let tree = Tree::new(conf.categories, conf.seed);
    let parents = tree.parents().rows().map(|row| row.iter().copied()).collect();
    writer.write_categories(names("Category", conf.categories, 5)?, parents)?;
    let categories = draw_categories(conf, &tree, writer.scratch(), progress)?;
    let (links, account) = draw_links(&truth, &categories, writer.scratch(), progress)?;
    progress.start(Task::WriteCorpus, None);
    writer.write_pages(names("Page", conf.pages, 7)?, links, categories)?;
    let account =
        [("planted", conf.num_planted() as u64), ("proposed", account.proposed), ("chosen", account.chosen)];
    let manifest = writer.finish(Provenance {
        command: COMMAND.into(),
        inputs: Vec::new(),
        options: conf.write(),
        account: account.map(|(name, number)| (name.to_owned(), number)).into(),
    })?;
    progress.finish();
    Ok(manifest)
}

fn draw_categories(
    conf: &SynthConf,
    tree: &Tree,
    scratch: &Path,
    progress: &mut dyn Progress,
) -> Result<ListColumn, Error> {
    let pages = PageCategories::new(conf, tree);
    let draw = |range: Range<usize>| {
        let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(range.len()));
        range.for_each(|page| lengths.push(pages.draw(page as u32, &mut values) as u32));
        (values, lengths)
    };
    let mut spool = ListSpool::create(scratch)?;
    progress.start(Task::DrawCategories, Some(conf.pages as u64));
    for chunks in chunks(conf.pages) {
        for (values, lengths) in chunks.into_par_iter().map(draw).collect::<Vec<_>>() {
            push_rows(&mut spool, &values, &lengths)?;
            progress.advance(lengths.len() as u64);
        }
    }
    progress.finish();
    spool.finish()
}

fn draw_links(
    truth: &Truth,
    categories: &ListColumn,
    scratch: &Path,
    progress: &mut dyn Progress,
) -> Result<(ListColumn, Account), Error> {
    let conf = truth.conf();
    let affinity = Affinity::new(&truth.weights, categories.view().cast());
    let popular = Popular::new(conf);
    let planted = planted_links(conf, &popular, &affinity);
    let degrees = degrees(conf, &planted_pages(conf));
    let links = Links {
        seed: conf.seed,
        affinity: &affinity,
        popular: &popular,
        degrees: &degrees,
        planted: &planted,
    };
    let mut spool = ListSpool::create(scratch)?;
    let mut account = Account::default();
    progress.start(Task::DrawLinks, Some(conf.links as u64));
    for chunks in chunks(conf.pages) {
        let drawn: Vec<Drawn> = chunks.par_iter().map(|range| links.draw(range.clone())).collect();
        for (range, drawn) in chunks.into_iter().zip(drawn) {
            push_rows(&mut spool, &drawn.targets, &degrees[range])?;
            account.add(drawn.account);
            progress.advance(drawn.targets.len() as u64);
        }
    }
    progress.finish();
    Ok((spool.finish()?, account))
}

/// Splits all pages into chunks, some chunks at a time.
fn chunks(pages: usize) -> impl Iterator<Item = Vec<Range<usize>>> {
    let chunk = move |first: usize| first..(first + CHUNK).min(pages);
    (0..pages).step_by(CHUNK * CHUNKS).map(move |first| {
        let end = (first + CHUNK * CHUNKS).min(pages);
        (first..end).step_by(CHUNK).map(chunk).collect()
    })
}

fn push_rows(spool: &mut ListSpool, mut values: &[u32], lengths: &[u32]) -> Result<(), Error> {
    for &length in lengths {
        let (row, rest) = values.split_at(length as usize);
        row.iter().try_for_each(|&value| spool.push(value))?;
        spool.end_row();
        values = rest;
    }
    Ok(())
}

/// Returns names in the order of their numbers: `Page 0000123`.
fn names(what: &str, num: usize, least_digits: usize) -> Result<StringColumn, Error> {
    let digits = (num - 1).to_string().len().max(least_digits);
    let mut offsets = Vec::with_capacity(num + 1);
    offsets.push(0);
    let mut bytes = Vec::with_capacity(num * (what.len() + 1 + digits));
    for number in 0..num {
        write!(bytes, "{what} {number:0digits$}").expect("a vector takes all that is written");
        offsets.push(bytes.len() as i64);
    }
    StringColumn::from_parts(offsets, bytes)
}
