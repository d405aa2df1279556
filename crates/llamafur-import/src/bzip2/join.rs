//! Joins decoded candidates, checks that they are whole streams, and reports what is missing.

use std::collections::VecDeque;
use std::iter;

use super::block::{Block, BlockDecoder, BlockError, LARGEST_PACKED_BLOCK};
use super::gap::{Gap, HEADER_BITS};
use super::magic::MARK_BITS;
use super::split::{Candidate, CandidateKind, Decoded};

/// Length of an end mark and the stream's checksum after it, in bits.
const END_BITS: u64 = MARK_BITS + 32;
/// Limit of the decoded bytes kept while a block waits for more of its compressed bytes.
const HELD: usize = 64 << 20;

/// One piece of a file's contents, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The bytes of a good block.
    Data {
        /// The decoded bytes of the block.
        bytes: Vec<u8>,
        /// The byte of the compressed file in which the block begins.
        at: u64,
    },
    /// An error; the pieces after it are good again.
    Gap {
        /// The first byte of the compressed file that cannot be used.
        from: u64,
        /// The byte after the last one; may equal `from` where something is missing.
        to: u64,
        /// The reason, for the user.
        why: String,
    },
}

/// The state between two marks: inside of a stream or not.
#[derive(Clone, Copy)]
enum Stream {
    /// A stream's header must come next, or the end of the file.
    Outside,
    /// A block or the stream's end must come next.
    Inside {
        /// The combined checksum of the blocks so far.
        crc: u32,
        /// True if all blocks so far were good, so that the combined checksum can be right.
        whole: bool,
    },
}

/// A joiner of all candidates of a file, which it takes in order with the results of their decoding.
pub struct Joiner {
    /// Unfinished candidates; more than one only while the first needs more bytes than it has.
    waiting: VecDeque<(Candidate, Decoded)>,
    /// Number of decoded bytes in `waiting`.
    held: usize,
    /// Number of bits the first one was already tried with, beyond its own.
    tried: u64,
    /// Created only when something has to be decoded again.
    decoder: Option<BlockDecoder>,
    stream: Stream,
    /// Bytes between the last block or end mark and the next mark.
    between: Gap,
    /// The end of the candidates taken from `waiting`.
    done: u64,
    /// True after the first mark.
    any: bool,
    /// True when the file has ended.
    is_last: bool,
    is_over: bool,
    pieces: VecDeque<Piece>,
}

impl Default for Joiner {
    fn default() -> Self {
        Self::new()
    }
}

impl Joiner {
    /// Creates a joiner for one file.
    pub fn new() -> Self {
        Joiner {
            waiting: VecDeque::new(),
            held: 0,
            tried: 0,
            decoder: None,
            stream: Stream::Outside,
            between: Gap::at(0),
            done: 0,
            any: false,
            is_last: false,
            is_over: false,
            pieces: VecDeque::new(),
        }
    }

    /// Takes the next candidate, which must begin where the one before ended; returns the pieces that are certain now,
    /// lazily.
    pub fn push(&mut self, candidate: Candidate, decoded: Decoded) -> impl Iterator<Item = Piece> {
        self.add(candidate, decoded);
        iter::from_fn(|| self.next_piece())
    }

    /// Ends the file; returns the remaining pieces.
    pub fn finish(mut self) -> impl Iterator<Item = Piece> {
        self.end();
        iter::from_fn(move || self.next_piece())
    }

    /// Takes the next candidate.
    pub(crate) fn add(&mut self, candidate: Candidate, mut decoded: Decoded) {
        if !self.waiting.is_empty() && self.held + decoded.bytes.len() > HELD {
            decoded = Decoded::later();
        }
        self.held += decoded.bytes.len();
        self.waiting.push_back((candidate, decoded));
    }

    /// Marks the file as ended.
    pub(crate) fn end(&mut self) {
        self.is_last = true;
    }

    /// Returns whether the file has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.is_last
    }

    /// Returns the next piece, if it is certain. One block is decoded at a time, so that memory holds one decoded block
    /// however many wait.
    pub(crate) fn next_piece(&mut self) -> Option<Piece> {
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                return Some(piece);
            }
            if self.step(self.is_last) {
                continue;
            }
            if !self.is_last || self.is_over {
                return None;
            }
            self.is_over = true;
            self.account_for_end();
        }
    }

    /// Processes the first waiting candidate; returns false if there is none or more must be known about it.
    fn step(&mut self, last: bool) -> bool {
        match self.waiting.front() {
            None => false,
            Some((candidate, _)) => match candidate.kind {
                CandidateKind::Unmarked => {
                    self.between.add(candidate);
                    self.done = candidate.end_bit;
                    self.waiting.pop_front();
                    true
                }
                CandidateKind::End => self.end_of_stream(last),
                CandidateKind::Block => self.block(last),
            },
        }
    }

    fn block(&mut self, last: bool) -> bool {
        let Some((candidate, decoded)) = self.waiting.front_mut() else {
            return false;
        };
        let (start, end) = (candidate.start_bit, candidate.end_bit);
        let mut bytes = std::mem::take(&mut decoded.bytes);
        self.held -= bytes.len();
        let outcome = match decoded.outcome.clone() {
            Some(outcome) => outcome,
            None => {
                let again = candidate.decode(self.decoder.get_or_insert_default());
                bytes = again.bytes;
                decoded.outcome = again.outcome.clone();
                again.outcome.unwrap_or(Err(BlockError::NoBlock))
            }
        };
        let outcome = match outcome {
            Err(BlockError::CutOff) => match self.decode_with_more(last, &mut bytes) {
                Some(outcome) => outcome,
                None => return false,
            },
            other => other,
        };
        self.tried = 0;
        self.account_for(start);
        match outcome {
            Ok(block) => self.good_block(block, start, bytes),
            Err(error) => {
                self.stream = Stream::Inside { crc: 0, whole: false };
                let why = match error {
                    BlockError::CutOff => "the file ends in the middle of a block".to_owned(),
                    _ => error.to_string(),
                };
                self.push_gap(start, end, why);
                self.take_to(end);
            }
        }
        true
    }

    /// Decodes a block that needs more bytes than its own, since the mark at its end may be there by chance; returns
    /// `None` if more bytes must be known first.
    fn decode_with_more(&mut self, last: bool, out: &mut Vec<u8>) -> Option<Result<Block, BlockError>> {
        let own = self.waiting.front().map_or(0, |(candidate, _)| candidate.end_bit - candidate.start_bit);
        let tried = self.tried.max(own);
        let known = self.known_bits();
        let all = last || known >= LARGEST_PACKED_BLOCK as u64 * 8;
        // Twice as many bytes each time keep the sum of all the work small even if marks are everywhere.
        if !all && known < 2 * tried {
            return None;
        }
        if known > tried {
            self.tried = known;
            match self.decode_joined(out) {
                Err(BlockError::CutOff) => {}
                other => return Some(other),
            }
        }
        match all {
            false => None,
            true if self.waiting.len() == 1 && last => Some(Err(BlockError::CutOff)),
            true => Some(Err(BlockError::Damaged("it does not end where it should"))),
        }
    }

    fn good_block(&mut self, block: Block, start: u64, bytes: Vec<u8>) {
        let (crc, whole) = match self.stream {
            Stream::Inside { crc, whole } => (crc, whole),
            Stream::Outside => {
                self.push_gap(start, start, "the header of a stream is missing before a block".to_owned());
                (0, true)
            }
        };
        self.stream = Stream::Inside { crc: crc.rotate_left(1) ^ block.crc, whole };
        self.pieces.push_back(Piece::Data { bytes, at: start / 8 });
        self.take_to(start + block.bits);
    }

    fn end_of_stream(&mut self, last: bool) -> bool {
        let Some((candidate, _)) = self.waiting.front() else {
            return false;
        };
        let (start, end) = (candidate.start_bit, candidate.end_bit);
        if self.known_bits() < END_BITS {
            if last {
                self.account_for(start);
                self.push_gap(
                    start,
                    end,
                    "the file ends in the middle of the mark that ends a stream".to_owned(),
                );
                self.stream = Stream::Inside { crc: 0, whole: false };
                self.take_to(end);
            }
            return last;
        }
        self.account_for(start);
        // The stream is filled up to a whole byte, unless a mark is found in there.
        let after = (start + END_BITS).div_ceil(8) * 8;
        let after = after.min(end.max(start + END_BITS));
        let bytes = self.joined(END_BITS);
        let eight = std::array::from_fn(|i| bytes.get(MARK_BITS as usize / 8 + i).copied().unwrap_or(0));
        let stored = (u64::from_be_bytes(eight) << (start % 8) >> 32) as u32;
        match self.stream {
            Stream::Outside => {
                self.push_gap(
                    start,
                    after,
                    "the header of a stream is missing before the stream's end".to_owned(),
                );
            }
            Stream::Inside { crc, whole: true } if crc != stored => {
                let why = format!("the stream's checksum is {crc:08X} where {stored:08X} was stored");
                self.push_gap(start, after, why);
            }
            Stream::Inside { .. } => {}
        }
        self.stream = Stream::Outside;
        self.take_to(after);
        true
    }

    /// Counts the known bits from the beginning of the first candidate on.
    fn known_bits(&self) -> u64 {
        match (self.waiting.front(), self.waiting.back()) {
            (Some((first, _)), Some((last, _))) => last.end_bit - first.start_bit,
            _ => 0,
        }
    }

    /// Concatenates the bytes of the first candidates, at least `bits` if there are as many.
    fn joined(&self, bits: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut offset = None;
        for (candidate, _) in &self.waiting {
            // A byte that two candidates share is in both.
            let first = candidate.start_bit / 8;
            let offset = *offset.get_or_insert(first);
            bytes.truncate((first - offset) as usize);
            bytes.extend_from_slice(&candidate.bytes);
            if bytes.len() as u64 * 8 >= bits + 8 {
                break;
            }
        }
        bytes
    }

    /// Decodes the first candidate as if there were no marks after it.
    fn decode_joined(&mut self, out: &mut Vec<u8>) -> Result<Block, BlockError> {
        let joined = self.joined(LARGEST_PACKED_BLOCK as u64 * 8);
        let first_bit = self.waiting.front().map_or(0, |(candidate, _)| candidate.start_bit % 8);
        let block = self.decoder.get_or_insert_default().decode(&joined, first_bit as u32, out)?;
        // It continues in bits of the last byte that have not come yet.
        if block.bits > self.known_bits() {
            out.clear();
            return Err(BlockError::CutOff);
        }
        Ok(block)
    }

    /// Drops the first candidate and all others that begin before `bit`; their bytes after it are between two marks.
    fn take_to(&mut self, bit: u64) {
        let mut first = true;
        self.between = Gap::at(bit);
        while let Some((candidate, decoded)) =
            self.waiting.pop_front_if(|(candidate, _)| first || candidate.start_bit < bit)
        {
            first = false;
            self.held -= decoded.bytes.len();
            self.done = candidate.end_bit;
            self.between.add(&candidate);
        }
    }

    /// Accounts for the bytes before a mark at `bit`.
    fn account_for(&mut self, bit: u64) {
        self.any = true;
        let between = std::mem::replace(&mut self.between, Gap::at(bit));
        let open = matches!(self.stream, Stream::Inside { .. });
        if between.ends_with_header() {
            let from = between.end() - HEADER_BITS;
            if open || from > between.start() {
                let why =
                    if from > between.start() { between.why(open) } else { "a stream has no end".to_owned() };
                self.push_gap(between.start(), from, why);
            }
            self.stream = Stream::Inside { crc: 0, whole: true };
        } else if between.end() > between.start() {
            let header = !open && between.starts_with_header();
            let from = if header { between.start() + HEADER_BITS } else { between.start() };
            self.push_gap(from, between.end(), between.why(open || header));
            self.stream = Stream::Inside { crc: 0, whole: false };
        }
    }

    /// Accounts for the bytes at the end of the file.
    fn account_for_end(&mut self) {
        let between = std::mem::replace(&mut self.between, Gap::at(self.done));
        let empty = between.end() <= between.start();
        let why = match self.stream {
            Stream::Outside if !self.any && empty => "the file is empty",
            Stream::Outside if !between.begins_like_a_header() => {
                if !self.any {
                    "this is no bzip2 file"
                } else if empty || between.is_zero() {
                    return;
                } else {
                    "these bytes come after the last stream and belong to none"
                }
            }
            Stream::Outside if between.end() - between.start() > HEADER_BITS + MARK_BITS => {
                "a stream begins here, but has no block"
            }
            Stream::Outside => "the file ends at the beginning of a stream",
            // The reason was already given.
            Stream::Inside { whole: false, .. } if empty => return,
            Stream::Inside { .. } => "the file ends in the middle of a stream",
        };
        self.push_gap(between.start(), between.end(), why.to_owned());
    }

    fn push_gap(&mut self, from_bit: u64, to_bit: u64, why: String) {
        self.pieces.push_back(Piece::Gap { from: from_bit / 8, to: to_bit.div_ceil(8), why });
    }
}
