//! Files that are whole are decoded to the very bytes that the reference decoder gives, without gaps.

use std::sync::mpsc;

use crate::common::*;
use crate::shared::shared_data;
use llamafur_import::bzip2::{BlockDecoder, BlockError, Joiner, Piece, Splitter};
use proptest::prelude::*;

fn assert_same(original: &[u8], packed: &[u8]) {
    let pieces = unpack(packed);
    assert_eq!(gaps(&pieces), []);
    assert!(data(&pieces) == original);
}

#[test]
fn empty_streams_hold_nothing_and_are_no_gap() {
    let empty = pack(b"", 9);
    assert_eq!(unpack(&empty), []);
    let several = [empty.clone(), pack(b"x", 1), empty.clone(), empty.clone(), pack(b"y", 5), empty].concat();
    assert_same(b"xy", &several);
}

#[test]
fn short_texts_come_back() {
    for length in 0..70 {
        let original = text(length as u64, length);
        assert_same(&original, &pack(&original, 9));
    }
}

#[test]
fn equal_bytes_come_back() {
    for length in [3, 4, 5, 254, 255, 256, 258, 259, 260, 518, 519, 1_000_000, 3_000_000] {
        assert_same(&vec![b'z'; length], &pack(&vec![b'z'; length], 9));
    }
}

#[test]
fn periodic_texts_come_back() {
    for period in [2, 3, 5, 7, 8, 100, 1000, 4096, 30_000] {
        let original: Vec<u8> = noise(period as u64, period).into_iter().cycle().take(120_000).collect();
        assert_same(&original, &pack(&original, 1));
        let whole: Vec<u8> =
            original[..period].iter().copied().cycle().take(period * (60_000 / period)).collect();
        assert_same(&whole, &pack(&whole, 1));
    }
}

#[test]
fn every_level_comes_back() {
    for level in 1..=9 {
        let mut original = text(u64::from(level), 250_000);
        original.extend(noise(3, 40_000));
        assert_same(&original, &pack(&original, level));
    }
}

#[test]
fn blocks_of_full_size_come_back() {
    let original = [text(7, 1_700_000), noise(8, 950_000)].concat();
    assert_same(&original, &pack(&original, 9));
}

#[test]
fn zeros_after_the_last_stream_are_ignored() {
    let mut file = pack(b"some text", 9);
    file.extend(vec![0; 5_000_000]);
    assert_same(b"some text", &file);
}

#[test]
fn pieces_tell_where_their_block_begins() {
    let (one, two) = (pack(b"one", 9), pack(b"two", 9));
    let at = one.len() as u64 + 4;
    let pieces = unpack(&[one, two].concat());
    assert_eq!(
        pieces,
        [Piece::Data { bytes: b"one".to_vec(), at: 4 }, Piece::Data { bytes: b"two".to_vec(), at }]
    );
}

#[test]
fn a_block_is_appended_and_its_length_told() {
    let packed = pack(b"block", 9);
    let mut out = b"before ".to_vec();
    let block = BlockDecoder::new().decode(&packed[4..], 0, &mut out).unwrap();
    assert_eq!(out, b"before block");
    // After the block come the 80 bits that end the stream and up to 7 bits that fill the last byte.
    assert_eq!((32 + block.bits + 80).div_ceil(8), packed.len() as u64);
    for shift in 1..8 {
        let shifted: Vec<u8> =
            (4..packed.len()).map(|i| packed[i - 1] << (8 - shift) | packed[i] >> shift).collect();
        let mut again = Vec::new();
        assert_eq!(BlockDecoder::new().decode(&shifted, shift, &mut again), Ok(block));
        assert_eq!(again, b"block");
    }
}

#[test]
fn an_error_leaves_the_output_as_it_was() {
    let mut packed = pack(&text(1, 5000), 9);
    packed[12] ^= 1;
    let mut out = b"before".to_vec();
    let mut decoder = BlockDecoder::new();
    assert!(matches!(decoder.decode(&packed[4..], 0, &mut out), Err(BlockError::Checksum { .. })));
    assert_eq!(decoder.decode(&packed[5..], 0, &mut out), Err(BlockError::NoBlock));
    assert_eq!(decoder.decode(&packed[4..100], 0, &mut out), Err(BlockError::CutOff));
    assert_eq!(decoder.decode(&[], 0, &mut out), Err(BlockError::CutOff));
    packed[14] |= 128;
    assert_eq!(decoder.decode(&packed[4..], 0, &mut out), Err(BlockError::Randomised));
    assert_eq!(out, b"before");
}

#[test]
fn every_beginning_of_a_good_block_is_cut_off_and_not_damaged() {
    for original in [text(1, 900), noise(2, 300), vec![b'a'; 5000]] {
        let packed = pack(&original, 9);
        let mut decoder = BlockDecoder::new();
        let mut out = Vec::new();
        let bits = decoder.decode(&packed[4..], 0, &mut out).unwrap().bits;
        for length in 0..bits / 8 {
            let beginning = &packed[4..4 + length as usize];
            assert_eq!(decoder.decode(beginning, 0, &mut out), Err(BlockError::CutOff));
        }
    }
}

#[test]
fn blocks_can_be_decoded_on_other_threads() {
    let original = text(5, 700_000);
    let packed = pack(&original, 1);
    let mut splitter = Splitter::new(&packed[..]);
    let mut joiner = Joiner::new();
    let mut pieces = Vec::new();
    std::thread::scope(|scope| {
        let (results, decoded) = mpsc::sync_channel(4);
        scope.spawn(move || {
            let mut decoder = BlockDecoder::new();
            while let Some(candidate) = splitter.next_piece().unwrap() {
                let decoded = candidate.decode(&mut decoder);
                results.send((candidate, decoded)).unwrap();
            }
        });
        for (candidate, decoded) in decoded {
            pieces.extend(joiner.push(candidate, decoded));
        }
    });
    pieces.extend(joiner.finish());
    assert_eq!(gaps(&pieces), []);
    assert!(data(&pieces) == original);
}

#[test]
fn real_dumps_agree_with_the_reference_decoder() {
    for name in ["wiki-mhr/mhrwiki", "wiki-pam/pamwiki", "wikispeedia/wikispeedia"] {
        let Some(path) = shared_data(&format!("{name}-pages-articles.xml.bz2")) else { continue };
        let file = std::fs::read(&path).unwrap();
        // The whole takes too long for every run of the tests.
        let stretch = &file[..file.len().min(3_000_000)];
        let pieces = unpack(stretch);
        let ours = data(&pieces);
        let mut theirs = vec![0; ours.len()];
        std::io::Read::read_exact(&mut bzip2::read::MultiBzDecoder::new(stretch), &mut theirs).unwrap();
        assert!(ours == theirs, "{}", path.display());
        assert!(ours.len() > 5_000_000);
        assert_eq!(gaps(&pieces).len(), usize::from(stretch.len() < file.len()));
    }
}

/// Bytes of many kinds: runs, texts, noise of few and of many letters, periods.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part =
        (any::<u64>(), 0_usize..6000, 0..6, 1_usize..50).prop_map(|(seed, length, kind, n)| match kind {
            0 => vec![seed as u8; length],
            1 => text(seed, length),
            2 => noise(seed, length),
            3 => noise(seed, length).into_iter().map(|byte| byte % n as u8).collect(),
            4 => noise(seed, n).into_iter().cycle().take(length * 4).collect(),
            _ => noise(seed, length / 8)
                .into_iter()
                .flat_map(|byte| vec![byte; usize::from(byte) % n])
                .collect(),
        });
    prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_was_packed_comes_back(original in bytes(), level in 1_u32..=9) {
        let pieces = unpack(&pack(&original, level));
        prop_assert_eq!(gaps(&pieces), []);
        prop_assert!(data(&pieces) == original);
    }

    #[test]
    fn streams_one_after_the_other_come_back(parts in prop::collection::vec((bytes(), 1_u32..=9), 0..4)) {
        let mut file = pack(b"", 9);
        file.extend(parts.iter().flat_map(|(part, level)| pack(part, *level)));
        let pieces = unpack(&file);
        prop_assert_eq!(gaps(&pieces), []);
        prop_assert!(data(&pieces) == reference(&file));
    }
}
