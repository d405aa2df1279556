//! A running import: reading, decoding, scanning and collecting, all at the same time.
//!
//! The work goes in steps. In each step, side by side on all threads,
//!
//! - the results of the last step's scan are collected, in order, by one thread;
//! - the stretches of pages that were cut before are scanned, each by any thread;
//! - the blocks that were read before are decoded, each by any thread;
//! - the next blocks are read.
//!
//! Between two steps the decoded blocks are joined and cut into stretches, which is little more than copying. So no
//! queue can overflow and no order can be lost: the result does not depend on the number of threads, and memory holds
//! three steps' worth of blocks, independent of the dump's size. Blocks that unpack to far more than usual are decoded
//! when they are joined, and joined bytes over the limit wait for the next step, so that a step's worth is bounded too.

use super::assemble::{Assembler, DumpPart, Gap, INDEX, LongPage};
use super::collect::Collector;
use super::conf::{Text, WikiConf};
use super::error::{Loss, LostUnit, WikiError};
use super::extract::{Extract, extract};
use super::feed::{Feed, Unit};
use super::site::Wiki;
use crate::bzip2::{Candidate, Decoded, DecoderPool, Joiner, Piece, Waiting};
use crate::input::name;
use llamafur::corpus::Input;
use llamafur::progress::{Progress, Task};
use llamafur::text::wikitext::{Site, Titles};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// Units of a step for each thread: enough that the threads finish together, within a few per cent.
const UNITS_PER_THREAD: usize = 8;
/// Largest number of units of a step, to bound memory.
const MOST_UNITS: usize = 96;
/// Bytes of stretches in a step for each unit: a few times a unit's size.
const BYTES_PER_UNIT: usize = 4 << 20;

/// Data of a dump apart from its pages.
pub(super) struct ReadDump {
    /// `None` if the texts are no wikitext.
    pub(super) site: Option<Site>,
    pub(super) inputs: Vec<Input>,
    pub(super) notes: Vec<String>,
}

/// Reads all files into the collector.
pub(super) fn read(
    conf: &WikiConf,
    collector: &mut Collector,
    progress: &mut dyn Progress,
) -> Result<ReadDump, WikiError> {
    let mut feed = Feed::new(&conf.files)?;
    progress.start_bytes(Task::ReadDump, feed.total_bytes());
    let units_per_step = (UNITS_PER_THREAD * rayon::current_num_threads()).min(MOST_UNITS);
    let decoders = DecoderPool::default();
    let mut cutter = Cutter::new(conf.longest_page);
    let mut units = feed.next_units(units_per_step)?;
    let mut ready: VecDeque<Ready> = VecDeque::new();
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut scanned: Vec<Scanned> = Vec::new();
    let (mut shown, mut is_over) = (0, units.is_empty());
    while !(is_over && ready.is_empty() && cutter.is_idle() && stretches.is_empty() && scanned.is_empty()) {
        // More is read when all that was decoded is cut.
        let wanted = if ready.is_empty() && cutter.is_idle() { units_per_step } else { 0 };
        let waiting = Waiting::of(units_per_step);
        let mut next_units = Ok(Vec::new());
        let mut collected = Ok(());
        let mut decoded: Vec<Option<Ready>> = units.iter().map(|_| None).collect();
        let mut next_scanned: Vec<Option<Scanned>> = stretches.iter().map(|_| None).collect();
        rayon::scope(|scope| {
            // The ones that cannot be shared go first.
            scope.spawn(|_| collected = scanned.drain(..).try_for_each(|scanned| scanned.collect(collector)));
            scope.spawn(|_| next_units = feed.next_units(wanted));
            for (unit, ready) in units.drain(..).zip(&mut decoded) {
                let (decoders, waiting) = (&decoders, &waiting);
                scope.spawn(move |_| *ready = Some(Ready::new(unit, decoders, waiting)));
            }
            for (stretch, scanned) in stretches.drain(..).zip(&mut next_scanned) {
                scope.spawn(move |_| *scanned = Some(stretch.scan(conf.text)));
            }
        });
        collected?;
        for scanned in next_scanned.iter().flatten() {
            cutter.check_heads(scanned)?;
        }
        scanned.extend(next_scanned.into_iter().flatten());
        ready.extend(decoded.into_iter().flatten());
        cutter.cut(&mut ready, units_per_step * BYTES_PER_UNIT, &mut stretches)?;
        units = next_units?;
        is_over |= wanted > 0 && units.is_empty();
        progress.advance(feed.bytes_read() - shown);
        shown = feed.bytes_read();
    }
    progress.finish();
    Ok(cutter.finish())
}

/// A unit whose bytes are decoded.
enum Ready {
    Block(Candidate, Decoded),
    Other(Unit),
}

impl Ready {
    fn new(unit: Unit, decoders: &DecoderPool, waiting: &Waiting) -> Ready {
        match unit {
            Unit::Block(candidate) => {
                let decoded = decoders.decode_within(&candidate, waiting);
                Ready::Block(candidate, decoded)
            }
            other => Ready::Other(other),
        }
    }
}

/// A stretch of whole pages, a page that is too long, or a loss.
enum Stretch {
    Pages(Vec<u8>, Arc<Titles>, Arc<Path>),
    LongPage(LongPage, Arc<Path>),
    Loss(Loss),
}

impl Stretch {
    /// Counts its bytes.
    fn len(&self) -> usize {
        match self {
            Stretch::Pages(bytes, ..) => bytes.len(),
            Stretch::LongPage(..) | Stretch::Loss(_) => 0,
        }
    }

    fn scan(self, text: Text) -> Scanned {
        match self {
            Stretch::Pages(xml, titles, file) => {
                Scanned::Pages(Box::new(extract(&xml, &titles, text == Text::Keep)), file)
            }
            Stretch::LongPage(page, file) => {
                let mut extract = Extract::default();
                extract.reject(|| page.to_string());
                Scanned::Pages(Box::new(extract), file)
            }
            Stretch::Loss(loss) => Scanned::Loss(loss),
        }
    }
}

/// The contents of a stretch.
enum Scanned {
    Pages(Box<Extract>, Arc<Path>),
    Loss(Loss),
}

impl Scanned {
    fn collect(self, collector: &mut Collector) -> Result<(), WikiError> {
        match self {
            Scanned::Pages(extract, _) => collector.take(*extract),
            Scanned::Loss(loss) => collector.lose(loss),
        }
    }
}

/// A joiner of blocks and cutter of stretches, file by file.
struct Cutter {
    file: Arc<Path>,
    /// Joins the blocks of a bzip2 file.
    joiner: Option<Joiner>,
    assembler: Assembler,
    /// Largest length of a page.
    longest: usize,
    /// The file, once all its units were taken.
    closing: Option<Input>,
    wiki: Wiki,
    inputs: Vec<Input>,
    notes: Vec<String>,
}

impl Cutter {
    fn new(longest: usize) -> Cutter {
        Cutter {
            file: Path::new("").into(),
            joiner: None,
            assembler: Assembler::new(longest),
            longest,
            closing: None,
            wiki: Wiki::default(),
            inputs: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns whether all units taken have been cut.
    fn is_idle(&self) -> bool {
        self.closing.is_none()
    }

    /// Cuts the ready units into stretches of about `bytes` bytes in total; the rest stays ready.
    fn cut(
        &mut self,
        ready: &mut VecDeque<Ready>,
        bytes: usize,
        out: &mut Vec<Stretch>,
    ) -> Result<(), WikiError> {
        let (mut parts, mut cut) = (Vec::new(), 0);
        while cut < bytes && self.step(ready, &mut parts) {
            let before = out.len();
            parts.drain(..).try_for_each(|part| self.part(part, out))?;
            cut += out[before..].iter().map(Stretch::len).sum::<usize>();
        }
        Ok(())
    }

    /// Processes the next piece of a block, or else the next ready unit; returns `false` if there is nothing.
    fn step(&mut self, ready: &mut VecDeque<Ready>, parts: &mut Vec<DumpPart>) -> bool {
        match self.joiner.as_mut().and_then(Joiner::next_piece) {
            Some(Piece::Data { bytes, at }) => {
                self.assembler.push(bytes, at, parts);
                return true;
            }
            Some(Piece::Gap { from, to, why }) => {
                self.assembler.lose(Gap { from, to, why }, parts);
                return true;
            }
            None => {}
        }
        if let Some(input) = self.closing.take() {
            self.joiner = None;
            let assembler = std::mem::replace(&mut self.assembler, Assembler::new(self.longest));
            assembler.finish(input.bytes, parts);
            self.inputs.push(input);
            return true;
        }
        match ready.pop_front() {
            Some(Ready::Block(candidate, decoded)) => {
                self.joiner.get_or_insert_default().add(candidate, decoded);
            }
            Some(Ready::Other(Unit::Open(file))) => self.file = file.into(),
            Some(Ready::Other(Unit::Bytes(bytes, at))) => self.assembler.push(bytes, at, parts),
            Some(Ready::Other(Unit::Gap(gap))) => self.assembler.lose(gap, parts),
            Some(Ready::Other(Unit::Close(input))) => {
                self.joiner.iter_mut().for_each(Joiner::end);
                self.closing = Some(input);
            }
            Some(Ready::Other(Unit::Block(_))) => {}
            None => return false,
        }
        true
    }

    fn part(&mut self, part: DumpPart, out: &mut Vec<Stretch>) -> Result<(), WikiError> {
        match part {
            DumpPart::Head(head) => self.wiki.head(&head, &self.file)?,
            DumpPart::Pages(pages) => {
                out.push(Stretch::Pages(pages, self.wiki.titles(&self.file), self.file.clone()));
            }
            DumpPart::LongPage(page) => out.push(Stretch::LongPage(page, self.file.clone())),
            DumpPart::Gap(Gap { from, to, why }) => {
                let file = name(&self.file);
                out.push(Stretch::Loss(Loss {
                    file,
                    from,
                    to,
                    why,
                    unit: LostUnit::Page,
                    last_good: None,
                    next_good: None,
                }));
            }
            DumpPart::Foreign(INDEX) => {
                self.notes.push(format!("{}: {INDEX} is not needed", name(&self.file)))
            }
            DumpPart::Foreign(found) => {
                return Err(WikiError::Foreign { file: self.file.to_path_buf(), found });
            }
        }
        Ok(())
    }

    /// Rejects heads of other wikis between the pages of a file.
    fn check_heads(&mut self, scanned: &Scanned) -> Result<(), WikiError> {
        let Scanned::Pages(extract, file) = scanned else { return Ok(()) };
        extract.heads.iter().try_for_each(|head| self.wiki.head(head, file))
    }

    fn finish(mut self) -> ReadDump {
        let (site, note) = self.wiki.finish();
        self.notes.extend(note);
        ReadDump { site: Some(site), inputs: self.inputs, notes: self.notes }
    }
}
