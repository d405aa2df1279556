//! Files that are not whole: all good blocks are given, nothing else is, and all that is wrong is told.

use crate::common::*;
use llamafur_import::bzip2::{BlockDecoder, Candidate, CandidateKind, Piece, Splitter};
use proptest::prelude::*;

/// Takes an intact file apart: its pieces, and for each the offset of the byte in which its block ends.
fn blocks_with_ends(file: &[u8]) -> Vec<(Vec<u8>, u64)> {
    let mut decoder = BlockDecoder::new();
    split(file)
        .into_iter()
        .filter(|candidate| candidate.kind == CandidateKind::Block)
        .map(|candidate| {
            let pieces = unpack_block(&candidate, &mut decoder);
            (pieces, candidate.end_bit.div_ceil(8))
        })
        .collect()
}

fn blocks_of(file: &[u8]) -> Vec<Candidate> {
    split(file).into_iter().filter(|piece| piece.kind == CandidateKind::Block).collect()
}

fn unpack_block(candidate: &Candidate, decoder: &mut BlockDecoder) -> Vec<u8> {
    let mut out = Vec::new();
    decoder.decode(&candidate.bytes, (candidate.start_bit % 8) as u32, &mut out).unwrap();
    out
}

/// Three streams of several blocks, the second one empty.
fn sample() -> Vec<u8> {
    [pack(&vec![b'q'; 9_000_000], 1), pack(b"", 1), pack(&text(9, 240_000), 1)].concat()
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_blocks_and_a_gap() {
    let file = sample();
    let blocks = blocks_with_ends(&file);
    assert!(blocks.len() >= 5);
    let borders =
        [pack(&vec![b'q'; 9_000_000], 1).len(), pack(&vec![b'q'; 9_000_000], 1).len() + 14, file.len()];
    let mut decoder = BlockDecoder::new();
    // All of the short streams at the beginning and of the end, and some positions between.
    let near_end = file.len() - 60;
    let cuts = (0..300).chain((300..near_end).step_by(997)).chain(near_end..file.len());
    for cut in cuts {
        let pieces = unpack_with(&file[..cut], &mut decoder);
        let expected: Vec<&[u8]> =
            blocks.iter().filter(|(_, end)| *end <= cut as u64).map(|(bytes, _)| &bytes[..]).collect();
        let given: Vec<&[u8]> = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Data { bytes, .. } => Some(&bytes[..]),
                Piece::Gap { .. } => None,
            })
            .collect();
        // A block that ends in the byte of a cut may be whole before the mark after it is.
        assert!(given.len() >= expected.len() && given.len() <= expected.len() + 1, "cut at {cut}");
        assert!(given.iter().zip(&blocks).all(|(given, (bytes, _))| given == bytes), "cut at {cut}");
        let gaps = gaps(&pieces);
        assert_eq!(gaps.len(), usize::from(!borders.contains(&cut)), "cut at {cut}: {gaps:?}");
        if let [(_, to, _)] = gaps[..] {
            assert_eq!(to, cut as u64);
        }
    }
}

#[test]
fn every_flipped_bit_leaves_the_data_as_it_was_or_makes_a_gap() {
    let original = text(4, 700);
    let parts = [&original[..300], &original[300..]];
    let mut file = [pack(parts[0], 9), pack(parts[1], 3)].concat();
    let mut decoder = BlockDecoder::new();
    let mut told = 0;
    for bit in 0..file.len() * 8 {
        file[bit / 8] ^= 128 >> (bit % 8);
        let pieces = unpack_with(&file, &mut decoder);
        for piece in &pieces {
            if let Piece::Data { bytes, .. } = piece {
                assert!(parts.contains(&&bytes[..]), "bit {bit}");
            }
        }
        let gaps = gaps(&pieces);
        assert!(!gaps.is_empty() || data(&pieces) == original, "bit {bit}");
        assert!(gaps.iter().all(|(from, to, _)| from <= to && *to <= file.len() as u64), "bit {bit}");
        told += usize::from(!gaps.is_empty());
        file[bit / 8] ^= 128 >> (bit % 8);
    }
    assert!(told > file.len() * 8 * 9 / 10);
}

#[test]
fn a_damaged_block_is_left_out_and_the_others_are_given() {
    let original = text(2, 480_000);
    let file = pack(&original, 1);
    let blocks = blocks_with_ends(&file);
    let starts: Vec<u64> = split(&file)
        .iter()
        .filter(|piece| piece.kind == CandidateKind::Block)
        .map(|piece| piece.start_bit)
        .collect();
    let mut decoder = BlockDecoder::new();
    for damaged in 0..blocks.len() {
        // The magic itself, the checksum, the codes, and the symbols.
        for byte in [2, 8, 60, 4000] {
            let mut file = file.clone();
            file[starts[damaged] as usize / 8 + byte] ^= 16;
            let pieces = unpack_with(&file, &mut decoder);
            let expected: Vec<&[u8]> = (0..blocks.len())
                .filter(|block| *block != damaged)
                .map(|block| &blocks[block].0[..])
                .collect();
            assert!(data(&pieces) == expected.concat(), "byte {byte} of block {damaged}");
            let gaps = gaps(&pieces);
            assert_eq!(gaps.len(), 1, "{gaps:?}");
            assert_eq!((gaps[0].0, gaps[0].1), (starts[damaged] / 8, blocks[damaged].1), "{gaps:?}");
        }
    }
}

#[test]
fn the_reason_of_a_gap_is_told() {
    let why =
        |file: &[u8]| gaps(&unpack(file)).into_iter().map(|(_, _, why)| why).collect::<Vec<_>>().join("; ");
    let good = pack(b"hello hello hello", 9);
    let end = good.len();
    assert_eq!(why(b""), "the file is empty");
    assert_eq!(why(b"PK\x03\x04 something else"), "this is no bzip2 file");
    assert_eq!(why(&[0; 100]), "this is no bzip2 file");
    assert_eq!(why(b"BZ"), "the file ends at the beginning of a stream");
    assert_eq!(why(b"BZh9"), "the file ends at the beginning of a stream");
    assert_eq!(why(b"BZh9 and then nothing of the kind"), "a stream begins here, but has no block");
    assert_eq!(why(&good[..20]), "the file ends in the middle of a block");
    assert_eq!(why(&good[..end - 1]), "the file ends in the middle of the mark that ends a stream");
    assert_eq!(why(&good[..end - 9]), "the file ends in the middle of a stream");
    assert_eq!(why(&good[4..]), "the header of a stream is missing before a block");
    assert_eq!(
        why(&[&good[..], b"more"].concat()),
        "these bytes come after the last stream and belong to none"
    );
    assert_eq!(
        why(&[&good[..], b"more", &good[..]].concat()),
        "these bytes are between two streams and belong to none"
    );
    assert_eq!(why(&[b"x", &good[..]].concat()), "the file does not begin with the header of a bzip2 stream");
    let mut damaged = good.clone();
    damaged[10] ^= 0xFF;
    let stored = u32::from_be_bytes(damaged[10..14].try_into().unwrap());
    let right = u32::from_be_bytes(good[10..14].try_into().unwrap());
    assert_eq!(why(&damaged), format!("the block's checksum is {right:08X} where {stored:08X} was stored"));
    let mut damaged = good.clone();
    damaged[end - 3] ^= 0xFF;
    assert!(why(&damaged).starts_with(&format!("the stream's checksum is {right:08X} where")));
}

#[test]
fn a_stream_without_its_end_does_not_spoil_the_next_one() {
    let (one, two) = (pack(b"one", 9), pack(b"two two", 9));
    // The mark of the first stream's end is damaged, then is left out altogether together with its checksum.
    let mut damaged = [&one[..], &two[..]].concat();
    damaged[one.len() - 6] ^= 0x40;
    let pieces = unpack(&damaged);
    assert_eq!(data(&pieces), b"onetwo two");
    assert_eq!(gaps(&pieces).len(), 1, "{pieces:?}");
    assert!(gaps(&pieces)[0].1 <= one.len() as u64);
}

/// Cuts candidates at further bits, as if there were marks.
fn cut_more(candidates: Vec<Candidate>, cuts: &[u64], kind: CandidateKind) -> Vec<Candidate> {
    let mut result = Vec::new();
    for mut rest in candidates {
        for &cut in cuts {
            if cut > rest.start_bit && cut < rest.end_bit {
                let offset = rest.start_bit / 8;
                result.push(Candidate {
                    kind: rest.kind,
                    start_bit: rest.start_bit,
                    end_bit: cut,
                    bytes: rest.bytes[..(cut.div_ceil(8) - offset) as usize].to_vec(),
                });
                rest.bytes.drain(..(cut / 8 - offset) as usize);
                (rest.kind, rest.start_bit) = (kind, cut);
            }
        }
        result.push(rest);
    }
    result
}

#[test]
fn a_mark_by_chance_at_any_bit_of_a_block_does_no_harm() {
    let original = text(3, 200);
    let file = pack(&original, 9);
    let block = split(&file).into_iter().find(|piece| piece.kind == CandidateKind::Block).unwrap();
    let mut decoder = BlockDecoder::new();
    for cut in block.start_bit + 1..block.end_bit {
        for kind in [CandidateKind::Block, CandidateKind::End] {
            let pieces = join(cut_more(split(&file), &[cut], kind), &mut decoder);
            assert_eq!(gaps(&pieces), [], "cut at {cut}");
            assert_eq!(data(&pieces), original, "cut at {cut}");
        }
    }
    let all: Vec<u64> = (block.start_bit + 1..block.end_bit).step_by(13).collect();
    let pieces = join(cut_more(split(&file), &all, CandidateKind::Block), &mut decoder);
    assert_eq!((gaps(&pieces), data(&pieces)), (vec![], original));
}

#[test]
fn a_long_file_of_nothing_is_one_gap() {
    let mut file = pack(b"x", 9);
    let good = file.len() as u64;
    file.extend(vec![7; 13 << 20]);
    let pieces = unpack(&file);
    assert_eq!(data(&pieces), b"x");
    assert!(matches!(gaps(&pieces)[..], [(from, to, _)] if from == good && to == file.len() as u64));
}

#[test]
fn what_is_decoded_while_a_block_waits_is_given_in_the_end_however_much_it_is() {
    // The first block is cut off and waits up to the end of the file; 92 MB come after it in a few bytes.
    let cut_off = pack(&noise(1, 200_000), 9);
    let many = pack(&vec![0; 92_000_000], 9);
    let pieces = unpack(&[&cut_off[..100_000], &many[..]].concat());
    assert_eq!(gaps(&pieces).len(), 1);
    assert!(gaps(&pieces)[0].2.contains("damaged"), "{:?}", gaps(&pieces));
    let data = data(&pieces);
    assert!(data.len() == 92_000_000 && data.iter().all(|byte| *byte == 0));
}

#[test]
fn a_file_of_nothing_but_marks_ends() {
    for mark in [&[0x31_u8, 0x41, 0x59, 0x26, 0x53, 0x59][..], &[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]] {
        let pieces = unpack(&mark.repeat(20_000));
        assert!(data(&pieces).is_empty() && !gaps(&pieces).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn marks_by_chance_in_several_blocks_do_no_harm(
        seed in any::<u64>(),
        mut cuts in prop::collection::vec(100_u64..400_000, 1..12),
    ) {
        let original = [text(seed, 130_000), noise(seed, 30_000)].concat();
        let file = pack(&original, 1);
        cuts.sort_unstable();
        // Only inside blocks: elsewhere a cut is damage.
        let blocks: Vec<Candidate> = blocks_of(&file);
        cuts.retain(|cut| blocks.iter().any(|block| block.start_bit < *cut && *cut < block.end_bit));
        let pieces = join(cut_more(split(&file), &cuts, CandidateKind::Block), &mut BlockDecoder::new());
        prop_assert_eq!(gaps(&pieces), []);
        prop_assert!(data(&pieces) == original);
    }

    #[test]
    fn garbage_is_never_data(garbage in prop::collection::vec(any::<u8>(), 0..2000), seed in any::<u64>()) {
        // Garbage alone, as a block, and in the place of a part of a good file.
        prop_assert!(data(&unpack(&garbage)).is_empty());
        let block = [b"BZh91AY&SY", &garbage[..]].concat();
        prop_assert!(data(&unpack(&block)).is_empty());
        let original = text(seed, 20_000);
        let mut file = pack(&original, 9);
        let at = seed as usize % file.len();
        let length = garbage.len().min(file.len() - at);
        file[at..at + length].copy_from_slice(&garbage[..length]);
        let pieces = unpack(&file);
        prop_assert!(data(&pieces).is_empty() || data(&pieces) == original);
    }

    #[test]
    fn a_reader_that_gives_little_at_a_time_changes_nothing(seed in any::<u64>(), most in 1_usize..5000) {
        struct Slow<'a>(&'a [u8], usize);
        impl std::io::Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let length = buffer.len().min(self.1);
                self.0.read(&mut buffer[..length])
            }
        }
        let file = [pack(&text(seed, 3000), 9), pack(&noise(seed, 3000), 9)].concat();
        let mut splitter = Splitter::new(Slow(&file, most));
        let candidates: Vec<Candidate> = std::iter::from_fn(|| splitter.next_piece().unwrap()).collect();
        prop_assert_eq!(candidates, split(&file));
    }

    #[test]
    fn blocks_that_no_damage_touches_are_all_given_and_nothing_else_is(
        damage in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..2000, 0..4, any::<u64>()),
            1..4,
        ),
    ) {
        let mut file = [pack(&text(11, 250_000), 1), pack(&noise(5, 30_000), 1)].concat();
        let good = unpack(&file);
        let blocks: Vec<Candidate> = blocks_of(&file);
        let mut touched = vec![false; blocks.len()];
        for (at, length, kind, seed) in damage {
            let at = at.index(file.len());
            let new = match kind {
                0 => vec![file[at] ^ 1 << (seed % 8)],
                1 => noise(seed, length),
                2 => vec![0; length],
                _ if seed % 2 == 0 => vec![0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
                _ => vec![0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
            };
            let end = file.len().min(at + new.len());
            file[at..end].copy_from_slice(&new[..end - at]);
            for (block, touched) in blocks.iter().zip(&mut touched) {
                *touched |= block.start_bit / 8 < end as u64 && block.end_bit.div_ceil(8) > at as u64;
            }
        }
        let pieces = unpack(&file);
        for piece in pieces.iter().filter(|piece| matches!(piece, Piece::Data { .. })) {
            prop_assert!(good.contains(piece));
        }
        for (block, _) in good.iter().zip(touched).filter(|(_, touched)| !touched) {
            prop_assert!(pieces.contains(block));
        }
        prop_assert!(!gaps(&pieces).is_empty() || pieces == good);
    }
}
