//! Tables over the whole graph: the scores of all links, and predictions for all pages. Titles are stored once and viewed by every
//! row that names them.

use crate::frame::Frame;
use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema};
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, PredictConf, PredictedPair};
use llamafur::graph::PageId;
use llamafur::progress::{Progress, Task};
use llamafur::{Error, Score};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Links of a part, which one thread scores.
const LINKS_IN_PART: usize = 1 << 15;

/// The scores of all links.
pub(crate) fn score_all(
    corpus: &Corpus,
    scorer: &dyn Score,
    progress: &mut dyn Progress,
) -> Result<Frame, Error> {
    let table = LinkTable::of(corpus, vec![("unexpectedness", DataType::Float64)])?;
    progress.start(Task::Score, Some(corpus.num_links() as u64));
    let mut batches = Vec::new();
    for round in parts(corpus)?.chunks(4 * rayon::current_num_threads()) {
        let score = |pages: &Range<u32>| -> Result<RecordBatch, Error> {
            let (mut links, mut scores): (Vec<(PageId, PageId)>, Vec<Option<f64>>) = Default::default();
            for page in pages.clone().map(PageId) {
                let targets = corpus.links(page)?;
                links.extend(targets.iter().map(|&target| (page, target)));
                if !targets.is_empty() {
                    scores.extend(scorer.score(page, targets)?);
                }
            }
            Ok(table.batch(links.into_iter(), vec![Arc::new(Float64Array::from(scores))]))
        };
        let scored = round.par_iter().map(score).collect::<Result<Vec<_>, Error>>()?;
        progress.advance(scored.iter().map(|batch| batch.num_rows() as u64).sum());
        batches.extend(scored);
    }
    progress.finish();
    Ok(table.frame(batches))
}

/// The links that every page lacks.
pub(crate) fn predict_all(
    engine: &Engine,
    conf: &PredictConf,
    progress: &mut dyn Progress,
) -> Result<Frame, Error> {
    let further = vec![("words", DataType::Utf8), ("expectedness", DataType::Float64)];
    let table = LinkTable::of(engine.corpus(), further)?;
    let mut batches = Vec::new();
    engine.predict_all::<Error>(conf, progress, |pairs| {
        let words: StringArray = pairs.iter().map(|pair| pair.words.as_deref()).collect();
        let expectedness: Float64Array = pairs.iter().map(|pair| Some(pair.expectedness)).collect();
        let links = pairs.iter().map(|&PredictedPair { source, target, .. }| (source, target));
        batches.push(table.batch(links, vec![Arc::new(words), Arc::new(expectedness)]));
        Ok(())
    })?;
    Ok(table.frame(batches))
}

/// A table of links: the titles of their ends, and further columns.
struct LinkTable {
    titles: Titles,
    schema: Arc<Schema>,
}

impl LinkTable {
    fn of(corpus: &Corpus, further: Vec<(&str, DataType)>) -> Result<LinkTable, Error> {
        let ends = ["source", "target"].map(|name| (name, DataType::Utf8View));
        let fields = ends.into_iter().chain(further).map(|(name, kind)| Field::new(name, kind, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(LinkTable { titles: Titles::of(corpus)?, schema })
    }

    /// Some rows: links, and as many values of each further column.
    fn batch(&self, links: impl Iterator<Item = (PageId, PageId)>, further: Vec<ArrayRef>) -> RecordBatch {
        let [mut sources, mut targets] = [self.titles.builder(), self.titles.builder()];
        for (source, target) in links {
            self.titles.append(&mut sources, source);
            self.titles.append(&mut targets, target);
        }
        let ends: [ArrayRef; 2] = [Arc::new(sources.finish()), Arc::new(targets.finish())];
        RecordBatch::try_new(self.schema.clone(), ends.into_iter().chain(further).collect())
            .expect("columns of one length, as in the schema")
    }

    /// All rows.
    fn frame(self, batches: Vec<RecordBatch>) -> Frame {
        let some = batches.into_iter().filter(|batch| batch.num_rows() > 0);
        Frame::of_batches(self.schema, some.collect())
    }
}

/// Pages whose links are a part, one after the other.
fn parts(corpus: &Corpus) -> Result<Vec<Range<u32>>, Error> {
    let (mut parts, mut start, mut links) = (Vec::new(), 0, 0);
    for page in 0..corpus.num_pages() as u32 {
        links += corpus.links(PageId(page))?.len();
        if links >= LINKS_IN_PART {
            parts.push(start..page + 1);
            (start, links) = (page + 1, 0);
        }
    }
    parts.push(start..corpus.num_pages() as u32);
    Ok(parts)
}

/// The titles of all pages, end to end in blocks that views can point into.
struct Titles {
    blocks: Vec<Buffer>,
    /// Of each page: the block, the place in it, the length.
    places: Vec<(u32, u32, u32)>,
}

/// Bytes of a block.
const BLOCK: usize = 1 << 28;

impl Titles {
    fn of(corpus: &Corpus) -> Result<Titles, Error> {
        let (mut blocks, mut block, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for page in 0..corpus.num_pages() as u32 {
            let title = corpus.title(PageId(page))?.as_bytes();
            if block.len() + title.len() > BLOCK {
                blocks.push(Buffer::from(std::mem::take(&mut block)));
            }
            places.push((blocks.len() as u32, block.len() as u32, title.len() as u32));
            block.extend_from_slice(title);
        }
        blocks.push(Buffer::from(block));
        Ok(Titles { blocks, places })
    }

    /// A column that can view all blocks.
    fn builder(&self) -> StringViewBuilder {
        let mut builder = StringViewBuilder::new();
        for block in &self.blocks {
            builder.append_block(block.clone());
        }
        builder
    }

    fn append(&self, builder: &mut StringViewBuilder, page: PageId) {
        let (block, place, length) = self.places[page.index()];
        builder.try_append_view(block, place, length).expect("titles are UTF-8, and these are their places");
    }
}
