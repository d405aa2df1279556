//! The inverse Burrows–Wheeler transform: a walk through the block's permutation, many segments of it at once.
//!
//! Going from one byte to the next is a load from a table of 3.6 MB whose address the load before gave, so
//! one walk waits for the memory all the time. The walk is therefore cut into [`SEGMENTS`] at positions marked
//! in the table, and [`LANES`] of the segments are walked in turn within one loop: their loads overlap. A segment
//! ends where it meets a mark, which is where another one begins. When all are walked, the segments are put
//! together in the order in which they follow each other from the first position on.
//!
//! Every walk ends: each position is written into the table exactly once for any symbols, so the
//! table is a permutation and a walk comes back to the mark it set out from, if it meets no other one before.

use super::symbols::{POSITIONS, Symbols};

/// Number of walks that run at the same time.
const LANES: usize = 16;
/// Number of segments of the walk; many more than lanes, so that few lanes are idle in the end.
const SEGMENTS: usize = 1024;
/// Length below which a block is walked as one segment.
const SHORT: usize = 4 * SEGMENTS;
/// Steps between two moves of the lanes' output to their buffers.
const TILE: usize = 64;
/// Bit of an entry at which a segment begins.
const MARKED: u32 = 1 << 31;
/// A position beyond all blocks, at which idle lanes stay.
const PARKED: u32 = POSITIONS as u32 - 1;
/// Entries written at once for a short run.
const AT_ONCE: usize = 8;

/// The place of a walked segment.
#[derive(Clone, Copy, Default)]
struct Segment {
    lane: usize,
    from: usize,
    to: usize,
    /// The position at which the segment ended, the beginning of the next one.
    next: u32,
}

/// The table of the walk and the output of the lanes.
pub(super) struct InverseBwt {
    /// For each position in sorted order its byte, in the low 8 bits, and the position that follows.
    table: Box<[u32; POSITIONS]>,
    lanes: [Vec<u8>; LANES],
    segments: Vec<Segment>,
}

impl InverseBwt {
    pub(super) fn new() -> Self {
        InverseBwt { table: super::table(), lanes: Default::default(), segments: Vec::new() }
    }

    /// Writes the bytes of the block into `text`, in the order of the text, from position `first` on.
    pub(super) fn text(&mut self, symbols: &Symbols, first: u32, text: &mut Vec<u8>) {
        self.sort(symbols);
        text.clear();
        text.reserve(symbols.total);
        if symbols.total < SHORT {
            let mut position = first;
            text.extend((0..symbols.total).map(|_| {
                let entry = self.table[position as usize % POSITIONS];
                position = entry >> 8;
                entry as u8
            }));
        } else {
            self.walk(symbols.total, first);
            self.put_together(symbols.total, first, text);
        }
    }

    /// Fills the table: distributes the runs to the places of their bytes in sorted order.
    fn sort(&mut self, symbols: &Symbols) {
        let mut sum = 0;
        let mut places = symbols.counts.map(|count| {
            let from = sum;
            sum += count;
            (from, sum)
        });
        let mut position = 0_u32;
        for &run in symbols.runs() {
            let (byte, length) = (run & 0xFF, run >> 8);
            let (place, end) = &mut places[byte as usize];
            let from = *place as usize;
            *place += length;
            // Writing a few more than needed saves an unforeseeable branch; they are overwritten later on,
            // unless they belong to the next byte.
            if length <= AT_ONCE as u32 && from + AT_ONCE <= *end as usize {
                if let Some(slots) = self.table[from..].first_chunk_mut::<AT_ONCE>() {
                    *slots = std::array::from_fn(|more| (position + more as u32) << 8 | byte);
                }
            } else {
                let to = *place as usize;
                for (slot, more) in self.table[from..to].iter_mut().zip(0..) {
                    *slot = (position + more) << 8 | byte;
                }
            }
            position += length;
        }
    }

    /// Walks all the segments, each up to the next mark.
    #[expect(clippy::needless_range_loop, reason = "a step goes across the rows of the tile")]
    fn walk(&mut self, total: usize, first: u32) {
        let distance = total / SEGMENTS;
        let regular =
            (0..SEGMENTS as u32).map(|segment| segment * distance as u32).filter(|&start| start != first);
        let mut starts = std::iter::once(first).chain(regular);
        for start in starts.clone() {
            self.table[start as usize] |= MARKED;
        }
        self.table[PARKED as usize] = PARKED << 8;
        self.segments.clear();
        self.segments.resize(SEGMENTS + 1, Segment::default());
        self.lanes.iter_mut().for_each(Vec::clear);

        let (table, segments) = (&*self.table, &mut self.segments);
        let mut begin = |lane: usize, from: usize, segments: &mut [Segment]| {
            let start = starts.next()?;
            let index = index_of(start, first, distance);
            segments[index] = Segment { lane, from, to: from, next: start };
            Some((index, table[start as usize] & !MARKED))
        };
        // The entry each lane is at, and the index of its segment, or none when nothing is left to do for it.
        let mut entries = [table[PARKED as usize]; LANES];
        let mut walked = [None; LANES];
        for lane in 0..LANES {
            if let Some((index, entry)) = begin(lane, 0, segments) {
                (walked[lane], entries[lane]) = (Some(index), entry);
            }
        }
        let mut positions = [PARKED; LANES];
        let mut tile = [[0; TILE]; LANES];
        while walked.iter().any(Option::is_some) {
            let busy = walked.map(|segment| segment.is_some());
            for step in 0..TILE {
                let mut any = 0;
                for lane in 0..LANES {
                    tile[lane][step] = entries[lane] as u8;
                    positions[lane] = entries[lane] >> 8;
                    entries[lane] = table[positions[lane] as usize % POSITIONS];
                    any |= entries[lane];
                }
                if any & MARKED == 0 {
                    continue;
                }
                for lane in 0..LANES {
                    if entries[lane] & MARKED == 0 {
                        continue;
                    }
                    let here = self.lanes[lane].len() + step + 1;
                    if let Some(index) = walked[lane] {
                        (segments[index].to, segments[index].next) = (here, positions[lane]);
                    }
                    (walked[lane], entries[lane]) = match begin(lane, here, segments) {
                        Some((index, entry)) => (Some(index), entry),
                        None => (None, table[PARKED as usize]),
                    };
                }
            }
            for lane in (0..LANES).filter(|&lane| busy[lane]) {
                self.lanes[lane].extend_from_slice(&tile[lane]);
            }
        }
    }

    fn put_together(&self, total: usize, first: u32, text: &mut Vec<u8>) {
        let distance = total / SEGMENTS;
        let mut position = first;
        // A periodic text may go round a shorter cycle several times.
        while text.len() < total {
            let segment = self.segments[index_of(position, first, distance)];
            let bytes = &self.lanes[segment.lane][segment.from..segment.to];
            text.extend_from_slice(&bytes[..bytes.len().min(total - text.len())]);
            position = segment.next;
        }
    }
}

/// Returns the number of the segment that begins at a marked position.
fn index_of(start: u32, first: u32, distance: usize) -> usize {
    if start == first { SEGMENTS } else { start as usize / distance }
}
