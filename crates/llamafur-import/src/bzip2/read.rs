//! Reads a bzip2 file as one stream of bytes, decoding many blocks at a time on all threads.

use super::block::BlockDecoder;
use super::join::{Joiner, Piece};
use super::split::{Candidate, Decoded, Splitter};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Blocks decoded at a time for each thread.
const BLOCKS_PER_THREAD: usize = 4;

/// Decoded bytes that may wait for each block that is decoded at the same time. Blocks hold some 900 kB; those that
/// repeat one byte 46 MB.
const BYTES_PER_BLOCK: usize = 4 << 20;

/// Count and limit of the decoded bytes that wait, of blocks decoded in parallel.
pub(crate) struct Waiting {
    bytes: AtomicUsize,
    most: usize,
}

impl Waiting {
    /// Creates an empty count for `blocks` blocks.
    pub(crate) fn of(blocks: usize) -> Waiting {
        Waiting { bytes: AtomicUsize::new(0), most: blocks.max(1) * BYTES_PER_BLOCK }
    }
}

/// A pool of reusable decoders.
#[derive(Default)]
pub struct DecoderPool(Mutex<Vec<BlockDecoder>>);

impl DecoderPool {
    /// Decodes a candidate with a decoder that is free, or a new one.
    pub fn decode(&self, candidate: &Candidate) -> Decoded {
        let idle = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = idle().pop();
        let mut decoder = free.unwrap_or_default();
        let decoded = candidate.decode(&mut decoder);
        idle().push(decoder);
        decoded
    }

    /// Decodes a candidate, or leaves that to the joiner if too many bytes already wait.
    pub(crate) fn decode_within(&self, candidate: &Candidate, waiting: &Waiting) -> Decoded {
        if waiting.bytes.load(Relaxed) > waiting.most {
            return Decoded::later();
        }
        let decoded = self.decode(candidate);
        waiting.bytes.fetch_add(decoded.bytes.len(), Relaxed);
        decoded
    }
}

/// A reader that unpacks a bzip2 file. Damage is an error of kind [`io::ErrorKind::InvalidData`].
pub struct Reader<R> {
    splitter: Splitter<R>,
    joiner: Joiner,
    decoders: DecoderPool,
    /// Blocks for the joiner.
    decoded: VecDeque<(Candidate, Decoded)>,
    /// True at the end of the file.
    is_last: bool,
    block: Vec<u8>,
    at: usize,
}

impl<R: Read> Reader<R> {
    /// Creates a reader at the beginning of a bzip2 file.
    pub fn new(reader: R) -> Self {
        Reader {
            splitter: Splitter::new(reader),
            joiner: Joiner::new(),
            decoders: DecoderPool::default(),
            decoded: VecDeque::new(),
            is_last: false,
            block: Vec::new(),
            at: 0,
        }
    }

    /// Returns the next piece; `None` at the end.
    fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        loop {
            if let Some(piece) = self.joiner.next_piece() {
                return Ok(Some(piece));
            }
            match self.decoded.pop_front() {
                Some((candidate, decoded)) => self.joiner.add(candidate, decoded),
                None if self.joiner.has_ended() => return Ok(None),
                None if self.is_last => self.joiner.end(),
                None => self.fill()?,
            }
        }
    }

    /// Decodes the next blocks.
    fn fill(&mut self) -> io::Result<()> {
        let wanted = BLOCKS_PER_THREAD * rayon::current_num_threads();
        let mut candidates = Vec::with_capacity(wanted);
        while candidates.len() < wanted {
            let Some(candidate) = self.splitter.next_piece()? else { break };
            candidates.push(candidate);
        }
        self.is_last = candidates.len() < wanted;
        let waiting = Waiting::of(wanted);
        let decode = |candidate: &Candidate| self.decoders.decode_within(candidate, &waiting);
        let decoded: Vec<_> = candidates.par_iter().map(decode).collect();
        self.decoded.extend(candidates.into_iter().zip(decoded));
        Ok(())
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() {
            match self.next_piece()? {
                Some(Piece::Data { bytes, .. }) => (self.block, self.at) = (bytes, 0),
                Some(Piece::Gap { from, to, why }) => {
                    let why = format!("bytes {from} to {to}: {why}");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
                None => return Ok(0),
            }
        }
        let read = (&self.block[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
