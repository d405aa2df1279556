//! Decodes bzip2 files block by block, on as many threads as the caller likes.
//!
//! Wikipedia dumps are bzip2 files, and unpacking takes longer than all other steps. Each block of such a file can be
//! decoded by itself, but there is no table of the blocks: they are found by their marks, which may be at any bit and
//! may also occur by chance. So there are three parts:
//!
//! * [`Splitter`] reads the file and cuts it at all marks into [`Candidate`]s, on one thread;
//! * [`Candidate::decode`] decodes each with a [`BlockDecoder`], on any thread;
//! * [`Joiner`] takes them in order again, repairs cuts made by chance, checks all checksums, and returns
//!   the good blocks as [`Piece::Data`] and a [`Piece::Gap`] for each damaged or missing part.
//!
//! [`Reader`] combines the three for files that are read as one stream of bytes.
//!
//! The decoder itself is optimised for speed, as the modules `symbols` and `inverse_bwt` explain.
//!
//! ```
//! # use llamafur_import::bzip2;
//! use bzip2::{BlockDecoder, Joiner, Piece, Splitter};
//!
//! // An empty stream.
//! let file = [0x42, 0x5A, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];
//! let mut splitter = Splitter::new(&file[..]);
//! let mut decoder = BlockDecoder::new();
//! let mut joiner = Joiner::new();
//! let mut pieces = Vec::new();
//! while let Some(candidate) = splitter.next_piece()? {
//!     let decoded = candidate.decode(&mut decoder);
//!     pieces.extend(joiner.push(candidate, decoded));
//! }
//! pieces.extend(joiner.finish());
//! assert_eq!(pieces, []);
//! # Ok::<(), std::io::Error>(())
//! ```

mod bits;
mod block;
mod gap;
mod huffman;
mod inverse_bwt;
mod join;
mod magic;
mod read;
mod rle;
mod split;
mod symbols;

pub use block::{Block, BlockDecoder, BlockError, LARGEST_PACKED_BLOCK};
pub use join::{Joiner, Piece};
pub use magic::Mark;
pub(crate) use read::Waiting;
pub use read::{DecoderPool, Reader};
pub use split::{Candidate, CandidateKind, Decoded, Splitter};

use symbols::POSITIONS;

/// Allocates a large table on the heap without a copy on the stack.
fn table() -> Box<[u32; POSITIONS]> {
    vec![0; POSITIONS].into_boxed_slice().try_into().expect("the vector has just this length")
}
