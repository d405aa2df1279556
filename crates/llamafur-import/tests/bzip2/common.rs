//! What the tests of the bzip2 module share.
#![allow(dead_code)]

use std::io::{Read, Write};

use llamafur_import::bzip2::{BlockDecoder, Candidate, Joiner, Piece, Splitter};

/// Packs with the reference encoder.
pub(crate) fn pack(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Unpacks all streams with the reference decoder.
pub(crate) fn reference(packed: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    bzip2::read::MultiBzDecoder::new(packed).read_to_end(&mut out).unwrap();
    out
}

/// All candidates of a file.
pub(crate) fn split(file: &[u8]) -> Vec<Candidate> {
    let mut splitter = Splitter::new(file);
    std::iter::from_fn(|| splitter.next_piece().unwrap()).collect()
}

/// Decodes candidates and joins them.
pub(crate) fn join(candidates: Vec<Candidate>, decoder: &mut BlockDecoder) -> Vec<Piece> {
    let mut joiner = Joiner::new();
    let mut pieces = Vec::new();
    for candidate in candidates {
        let decoded = candidate.decode(decoder);
        pieces.extend(joiner.push(candidate, decoded));
    }
    pieces.extend(joiner.finish());
    pieces
}

/// What a file holds.
pub(crate) fn unpack_with(file: &[u8], decoder: &mut BlockDecoder) -> Vec<Piece> {
    join(split(file), decoder)
}

/// What a file holds.
pub(crate) fn unpack(file: &[u8]) -> Vec<Piece> {
    unpack_with(file, &mut BlockDecoder::new())
}

/// The data of all pieces together.
pub(crate) fn data(pieces: &[Piece]) -> Vec<u8> {
    let mut all = Vec::new();
    for piece in pieces {
        if let Piece::Data { bytes, .. } = piece {
            all.extend_from_slice(bytes);
        }
    }
    all
}

/// The gaps alone, each as its range and its reason.
pub(crate) fn gaps(pieces: &[Piece]) -> Vec<(u64, u64, String)> {
    let gap = |piece: &Piece| match piece {
        Piece::Gap { from, to, why } => Some((*from, *to, why.clone())),
        Piece::Data { .. } => None,
    };
    pieces.iter().filter_map(gap).collect()
}

/// Bytes that look random and are the same every time.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Something like a text: words of a small vocabulary.
pub(crate) fn text(seed: u64, length: usize) -> Vec<u8> {
    const WORDS: [&str; 12] = [
        "the ",
        "page ",
        "[[link]] ",
        "of ",
        "== ",
        "and\n",
        "    ",
        "wiki",
        "ā€ ",
        "1998",
        "<text>",
        "aaaaaaaa",
    ];
    let mut text = Vec::with_capacity(length + 16);
    for byte in noise(seed, length) {
        text.extend_from_slice(WORDS[usize::from(byte) % 12].as_bytes());
        if text.len() >= length {
            break;
        }
    }
    text.truncate(length);
    text
}
