//! Reads a bzip2 file as one stream of bytes, decoding many blocks at a time on all threads.

use super::block::BlockDecoder;
use super::join::{Joiner, Piece};
use super::split::{Candidate, Decoded, Splitter};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

/// Blocks decoded at a time for each thread.
const BLOCKS_PER_THREAD: usize = 4;

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
}

/// Unpacks a bzip2 file while it is read. Damage is an error of kind [`io::ErrorKind::InvalidData`].
pub struct Reader<R> {
    splitter: Splitter<R>,
    /// Gone at the end of the file.
    joiner: Option<Joiner>,
    decoders: DecoderPool,
    pieces: VecDeque<Piece>,
    block: Vec<u8>,
    at: usize,
}

impl<R: Read> Reader<R> {
    /// Reads from the beginning of a bzip2 file.
    pub fn new(reader: R) -> Self {
        Reader {
            splitter: Splitter::new(reader),
            joiner: Some(Joiner::new()),
            decoders: DecoderPool::default(),
            pieces: VecDeque::new(),
            block: Vec::new(),
            at: 0,
        }
    }

    /// Decodes the next blocks; `false` at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let Some(joiner) = &mut self.joiner else { return Ok(false) };
        let wanted = BLOCKS_PER_THREAD * rayon::current_num_threads();
        let mut candidates = Vec::with_capacity(wanted);
        while candidates.len() < wanted {
            let Some(candidate) = self.splitter.next_piece()? else { break };
            candidates.push(candidate);
        }
        let is_last = candidates.len() < wanted;
        let decoded: Vec<_> =
            candidates.par_iter().map(|candidate| self.decoders.decode(candidate)).collect();
        for (candidate, decoded) in candidates.into_iter().zip(decoded) {
            self.pieces.extend(joiner.push(candidate, decoded));
        }
        if is_last && let Some(joiner) = self.joiner.take() {
            self.pieces.extend(joiner.finish());
        }
        Ok(true)
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() {
            match self.pieces.pop_front() {
                Some(Piece::Data { bytes, .. }) => (self.block, self.at) = (bytes, 0),
                Some(Piece::Gap { from, to, why }) => {
                    let why = format!("bytes {from} to {to}: {why}");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
                None => {
                    if !self.fill()? {
                        return Ok(0);
                    }
                }
            }
        }
        let read = (&self.block[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
