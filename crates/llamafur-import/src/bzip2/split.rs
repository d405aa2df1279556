//! Cuts a file at every place that looks like the beginning of a block or the end of a stream.
//!
//! Only reading has to be in order; the pieces are then decoded on any thread.

use std::collections::VecDeque;
use std::io::{self, Read};

use super::block::{Block, BlockDecoder, BlockError};
use super::magic::{Finder, MARK_BITS, Mark};

/// Number of bytes read at once.
const READ: usize = 256 << 10;
/// Length at which a piece is cut, well beyond the largest block, so that a file of another format does not fill the
/// memory.
const LONGEST: usize = 4 << 20;

/// Upper bound of the decoded length of most blocks.
const USUAL: usize = 1 << 20;

/// The kinds of beginning that a piece of a file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// No mark: the beginning of the file, normally a stream's header, or the rest of a piece that was cut
    /// since it was too long.
    Unmarked,
    /// The mark of a block.
    Block,
    /// The mark of a stream's end.
    End,
}

/// The bytes from one mark to the next one; the marks may have occurred by chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The kind of mark at the beginning.
    pub kind: CandidateKind,
    /// The bit of the file at which the candidate begins, counted from 0.
    pub start_bit: u64,
    /// The bit of the file before which the candidate ends.
    pub end_bit: u64,
    /// All bytes that contain these bits.
    pub bytes: Vec<u8>,
}

/// The result of decoding a candidate, for [`Joiner::push`](super::Joiner::push).
#[derive(Clone, Debug)]
pub struct Decoded {
    /// `None` if the candidate is no block, or was not decoded yet.
    pub(super) outcome: Option<Result<Block, BlockError>>,
    pub(super) bytes: Vec<u8>,
}

impl Decoded {
    /// Creates a result that leaves decoding to the joiner.
    pub(super) fn later() -> Self {
        Decoded { outcome: None, bytes: Vec::new() }
    }
}

impl Candidate {
    /// Decodes the candidate if it is a block; errors are kept for the joiner, which can interpret them.
    pub fn decode(&self, decoder: &mut BlockDecoder) -> Decoded {
        let mut decoded = Decoded::later();
        if self.kind == CandidateKind::Block {
            // The usual block, with some room before or after it for the caller.
            decoded.bytes.reserve(USUAL);
            let first_bit = (self.start_bit % 8) as u32;
            let outcome = decoder.decode(&self.bytes, first_bit, &mut decoded.bytes);
            decoded.outcome = Some(match outcome {
                // It continues in the bits of the last byte that belong to the next candidate.
                Ok(block) if block.bits > self.end_bit - self.start_bit => {
                    decoded.bytes.clear();
                    Err(BlockError::CutOff)
                }
                other => other,
            });
        }
        decoded
    }
}

/// A reader that cuts a file into candidates, which follow each other without gaps.
pub struct Splitter<R> {
    reader: R,
    finder: Finder,
    /// The bytes read, of which those before `first` were already returned.
    bytes: Vec<u8>,
    /// Index in `bytes` of the byte in which the current candidate begins.
    first: usize,
    /// The offset of `bytes` in the file.
    offset: u64,
    /// Byte of the file before which all marks have been found.
    searched: u64,
    /// The marks in `bytes`, by the bit of the file they begin at.
    marks: VecDeque<(u64, Mark)>,
    kind: CandidateKind,
    start_bit: u64,
    at_end: bool,
}

impl<R: Read> Splitter<R> {
    /// Creates a splitter that reads to the end of the reader, in large pieces.
    pub fn new(reader: R) -> Self {
        Splitter {
            reader,
            finder: Finder::new(),
            bytes: Vec::new(),
            first: 0,
            offset: 0,
            searched: 0,
            marks: VecDeque::new(),
            kind: CandidateKind::Unmarked,
            start_bit: 0,
            at_end: false,
        }
    }

    /// Returns the next piece of the file, or `None` at the end.
    pub fn next_piece(&mut self) -> io::Result<Option<Candidate>> {
        loop {
            if let Some((bit, mark)) = self.marks.pop_front() {
                let candidate = self
                    .cut(bit, if mark == Mark::Block { CandidateKind::Block } else { CandidateKind::End });
                // At the beginning of a file that begins with a mark there is nothing to hand out.
                if candidate.start_bit < candidate.end_bit {
                    return Ok(Some(candidate));
                }
            } else if self.bytes.len() - self.first > LONGEST {
                // What has not been searched stays, since a mark may begin there.
                return Ok(Some(self.cut(self.searched * 8, CandidateKind::Unmarked)));
            } else if self.at_end {
                let end = (self.offset + self.bytes.len() as u64) * 8;
                let candidate = self.cut(end, CandidateKind::Unmarked);
                return Ok((candidate.start_bit < end).then_some(candidate));
            } else {
                self.read()?;
            }
        }
    }

    /// Ends the current candidate at a bit, where the next one begins.
    fn cut(&mut self, end_bit: u64, next: CandidateKind) -> Candidate {
        let end = (end_bit.div_ceil(8) - self.offset) as usize;
        let bytes = self.bytes[self.first..end].to_vec();
        self.first = (end_bit / 8 - self.offset) as usize;
        let candidate = Candidate { kind: self.kind, start_bit: self.start_bit, end_bit, bytes };
        (self.kind, self.start_bit) = (next, end_bit);
        candidate
    }

    /// Reads some more and searches it.
    fn read(&mut self) -> io::Result<()> {
        self.bytes.drain(..self.first);
        self.offset += self.first as u64;
        self.first = 0;
        let got = self.reader.by_ref().take(READ as u64).read_to_end(&mut self.bytes)?;
        self.at_end = got < READ;
        let (offset, marks) = (self.offset, &mut self.marks);
        let from = (self.searched - offset) as usize;
        // A mark covers up to seven bytes, so those that begin in the last six are left for the next time.
        let to = if self.at_end { self.bytes.len() } else { self.bytes.len() - MARK_BITS as usize / 8 };
        self.finder.find(&self.bytes, from, |bit, mark| {
            if bit < to as u64 * 8 {
                marks.push_back((offset * 8 + bit, mark));
            }
        });
        self.searched = offset + to as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(file: impl Read) -> Vec<Candidate> {
        let mut splitter = Splitter::new(file);
        std::iter::from_fn(|| splitter.next_piece().unwrap()).collect()
    }

    /// Returns a file of this length with block marks at these bits.
    fn file(length: usize, marks: &[usize]) -> Vec<u8> {
        let mut bytes = vec![0; length];
        for &mark in marks {
            for bit in (0..48).filter(|bit| Mark::Block.magic() >> (47 - bit) & 1 == 1) {
                bytes[(mark + bit) / 8] |= 128 >> ((mark + bit) % 8);
            }
        }
        bytes
    }

    #[test]
    fn pieces_go_from_mark_to_mark_and_miss_nothing() {
        // Marks on and near the borders of what is read at once.
        for at in (READ - 9) * 8..(READ + 2) * 8 {
            let bytes = file(READ + 1000, &[32, at, at + 48 + 13]);
            let pieces = pieces(&bytes[..]);
            let starts: Vec<u64> = pieces.iter().map(|piece| piece.start_bit).collect();
            assert_eq!(starts, [0, 32, at as u64, at as u64 + 61]);
            let kinds: Vec<CandidateKind> = pieces.iter().map(|piece| piece.kind).collect();
            assert_eq!(
                kinds,
                [CandidateKind::Unmarked, CandidateKind::Block, CandidateKind::Block, CandidateKind::Block]
            );
            for piece in &pieces {
                let range = piece.start_bit as usize / 8..piece.end_bit.div_ceil(8) as usize;
                assert_eq!(piece.bytes, bytes[range]);
            }
            assert_eq!(pieces[3].end_bit, bytes.len() as u64 * 8);
        }
    }

    #[test]
    fn a_file_without_marks_comes_in_pieces_of_bounded_size() {
        let pieces = pieces(io::repeat(1).take(3 * LONGEST as u64));
        assert!(
            pieces
                .iter()
                .all(|piece| piece.kind == CandidateKind::Unmarked && piece.bytes.len() <= LONGEST + READ)
        );
        assert!(pieces.windows(2).all(|two| two[0].end_bit == two[1].start_bit));
        assert_eq!(pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>(), 3 * LONGEST);
    }

    #[test]
    fn an_empty_file_has_no_pieces_and_one_that_begins_with_a_mark_no_loose_one() {
        assert_eq!(pieces(io::empty()), []);
        assert_eq!(pieces(&file(6, &[0])[..])[0].kind, CandidateKind::Block);
    }
}
