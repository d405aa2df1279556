//! Any bytes may be called a bzip2 file: what is given out is in order, and every gap lies within the file.

use llamafur_import::bzip2::{BlockDecoder, Joiner, Piece, Splitter};
use std::cell::RefCell;

pub fn check(bytes: &[u8]) {
    let mut splitter = Splitter::new(bytes);
    // One for all files, as it is one for all blocks: its tables are megabytes.
    thread_local!(static DECODER: RefCell<BlockDecoder> = RefCell::new(BlockDecoder::new()));
    let mut joiner = Joiner::new();
    let mut pieces = Vec::new();
    while let Ok(Some(candidate)) = splitter.next_piece() {
        let decoded = DECODER.with_borrow_mut(|decoder| candidate.decode(decoder));
        pieces.extend(joiner.push(candidate, decoded));
    }
    pieces.extend(joiner.finish());
    let mut last = 0;
    for piece in pieces {
        let (from, to) = match piece {
            Piece::Data { at, .. } => (at, at),
            Piece::Gap { from, to, why } => {
                assert!(!why.is_empty());
                (from, to)
            }
        };
        assert!(last <= from && from <= to && to <= bytes.len() as u64, "{last}, then {from} to {to}");
        last = from;
    }
}
