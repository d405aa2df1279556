//! Blocks made by hand, with all that the format allows and no encoder writes, against a plain decoder.

use crate::common::noise;
use llamafur_import::bzip2::{BlockDecoder, BlockError};
use proptest::prelude::*;

const CHECKSUM: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_BZIP2);

/// Bits in the making.
#[derive(Default)]
struct Writer(Vec<bool>);

impl Writer {
    fn put(&mut self, value: u64, width: u32) {
        self.0.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte =
            |bits: &[bool]| bits.iter().zip(0..).fold(0, |byte, (bit, at)| byte | u8::from(*bit) << (7 - at));
        self.0.chunks(8).map(byte).collect()
    }
}

/// What a block is made of.
struct Recipe {
    used: Vec<u8>,
    /// The symbols without the last one, which ends the block.
    symbols: Vec<usize>,
    first: u32,
    /// The lengths of each code.
    codes: Vec<Vec<u8>>,
    selectors: Vec<usize>,
    crc: u32,
}

impl Recipe {
    fn pack(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.put(0x3141_5926_5359, 48);
        writer.put(u64::from(self.crc), 32);
        writer.put(0, 1);
        writer.put(u64::from(self.first), 24);
        let row_used = |row: u8| self.used.iter().any(|byte| byte / 16 == row);
        (0..16).for_each(|row| writer.put(u64::from(row_used(row)), 1));
        for row in (0..16).filter(|row| row_used(*row)) {
            (0..16).for_each(|column| writer.put(u64::from(self.used.contains(&(row * 16 + column))), 1));
        }
        writer.put(self.codes.len() as u64, 3);
        writer.put(self.selectors.len() as u64, 15);
        let mut order: Vec<usize> = (0..self.codes.len()).collect();
        for selector in &self.selectors {
            let place = order.iter().position(|code| code == selector).unwrap();
            writer.put((1 << (place + 1)) - 2, place as u32 + 1);
            order.remove(place);
            order.insert(0, *selector);
        }
        for lengths in &self.codes {
            let mut length = lengths[0];
            writer.put(u64::from(length), 5);
            for &next in lengths {
                while length != next {
                    writer.put(if next > length { 0b10 } else { 0b11 }, 2);
                    length = if next > length { length + 1 } else { length - 1 };
                }
                writer.put(0, 1);
            }
        }
        let end = self.used.len() + 1;
        if self.selectors.is_empty() {
            return writer.bytes();
        }
        for (index, symbol) in self.symbols.iter().copied().chain([end]).enumerate() {
            let lengths = &self.codes[self.selectors[index / 50]];
            writer.put(code_of(lengths, symbol), u32::from(lengths[symbol]));
        }
        writer.bytes()
    }

    /// The text by the plainest way there is; nothing if its last run has no length.
    fn text(&self) -> Option<Vec<u8>> {
        let mut list = self.used.clone();
        let (mut column, mut weight) = (Vec::new(), 1);
        for &symbol in &self.symbols {
            if symbol < 2 {
                column.extend(vec![list[0]; weight << symbol]);
                weight *= 2;
            } else {
                let byte = list.remove(symbol - 1);
                list.insert(0, byte);
                column.push(byte);
                weight = 1;
            }
        }
        let mut sorted: Vec<usize> = (0..column.len()).collect();
        sorted.sort_by_key(|position| column[*position]);
        let mut position = self.first as usize;
        let mut out = Vec::new();
        let (mut equal, mut last) = (0, None);
        for _ in 0..column.len() {
            position = sorted[position];
            let byte = column[position];
            if equal == 4 {
                out.extend(vec![last?; usize::from(byte)]);
                (equal, last) = (0, None);
                continue;
            }
            equal = if last == Some(byte) { equal + 1 } else { 1 };
            last = Some(byte);
            out.push(byte);
        }
        (equal != 4).then_some(out)
    }
}

fn code_of(lengths: &[u8], wanted: usize) -> u64 {
    let mut code = 0;
    for length in 1..=20 {
        for (symbol, _) in lengths.iter().enumerate().filter(|(_, l)| **l == length) {
            if symbol == wanted {
                return code;
            }
            code += 1;
        }
        code <<= 1;
    }
    panic!("every symbol has a code");
}

/// A complete code with lengths of all kinds, by splitting leaves; `deep` makes it lopsided.
fn code(alphabet: usize, seed: u64, deep: bool) -> Vec<u8> {
    let mut leaves = vec![1, 1];
    for choice in noise(seed, 10 * alphabet) {
        if leaves.len() == alphabet {
            break;
        }
        let leaf = if deep && choice > 30 { leaves.len() - 1 } else { usize::from(choice) % leaves.len() };
        if leaves[leaf] < 20 {
            leaves[leaf] += 1;
            leaves.push(leaves[leaf]);
        }
    }
    // Whatever was not reached gets split from the shortest ones.
    while leaves.len() < alphabet {
        let shortest = leaves.iter_mut().min().unwrap();
        *shortest += 1;
        let length = *shortest;
        leaves.push(length);
    }
    leaves
}

fn decode(block: &[u8]) -> Result<Vec<u8>, BlockError> {
    let mut out = Vec::new();
    BlockDecoder::new().decode(block, 0, &mut out).map(|_| out)
}

/// One letter, and the symbols given.
fn of_one_letter(symbols: Vec<usize>, selectors: usize) -> Recipe {
    let mut recipe = Recipe {
        used: vec![b'a'],
        symbols,
        first: 0,
        codes: vec![vec![1, 2, 2], vec![2, 1, 2]],
        selectors: vec![0; selectors],
        crc: 0,
    };
    if recipe.symbols.len() < 20 {
        recipe.crc = CHECKSUM.checksum(&recipe.text().unwrap_or_default());
    }
    recipe
}

#[test]
fn surplus_selectors_are_ignored() {
    for selectors in [1, 2, 18_001, 18_002, 18_003, 32_767] {
        assert_eq!(decode(&of_one_letter(vec![0], selectors).pack()), Ok(b"a".to_vec()));
    }
}

#[test]
fn runs_longer_than_a_block_are_damage() {
    for count in [19, 20, 21, 31, 32, 33, 49, 63, 64, 65, 100, 1000, 100_000] {
        for symbol in [0, 1] {
            let recipe = of_one_letter(vec![symbol; count], count / 50 + 1);
            let result = decode(&recipe.pack());
            if count == 19 && symbol == 0 {
                assert_eq!(result.map(|text| text.len()), Ok(recipe.text().unwrap().len()));
            } else {
                assert_eq!(result, Err(BlockError::Damaged("it is longer than a block can be")));
            }
        }
    }
}

#[test]
fn rules_of_the_format_are_checked() {
    let damaged = |change: &dyn Fn(&mut Recipe)| {
        let mut recipe = of_one_letter(vec![1], 1);
        change(&mut recipe);
        match decode(&[recipe.pack(), vec![0; 8]].concat()) {
            Err(BlockError::Damaged(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(damaged(&|recipe| recipe.first = 2), "its text begins outside of it");
    assert_eq!(damaged(&|recipe| recipe.symbols.clear()), "its text begins outside of it");
    assert_eq!(damaged(&|recipe| recipe.codes.truncate(1)), "the number of its codes is not 2 to 6");
    assert_eq!(damaged(&|recipe| recipe.codes[1] = vec![1, 1, 1]), "one of its codes is impossible");
    // Codes 0, 10 and 110: what comes after the end of the symbols are ones.
    assert_eq!(damaged(&|recipe| recipe.selectors.clear()), "it has no end");
}

#[test]
fn a_code_without_meaning_is_damage() {
    let mut recipe = of_one_letter(vec![0], 1);
    recipe.codes[0] = vec![2, 2, 2];
    let mut packed = recipe.pack();
    assert_eq!(decode(&packed), Ok(b"a".to_vec()));
    // The codes are the last bits: 00 for the run and 10 for the end, and then zeros up to a whole byte.
    let last = packed.iter().rposition(|byte| *byte != 0).unwrap();
    let one = packed[last].trailing_zeros();
    packed[last] |= if one == 0 { 0 } else { 1 << (one - 1) };
    if one == 0 {
        packed[last + 1] |= 128;
    }
    packed.extend([255; 8]);
    assert_eq!(decode(&packed), Err(BlockError::Damaged("it uses a code without meaning")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_sequence_of_symbols_is_decoded_as_the_plain_decoder_does(
        seed in any::<u64>(),
        used in 1_usize..=256,
        length in 1_usize..12_000,
        small in any::<bool>(),
        deep in any::<bool>(),
        codes in 2_usize..=6,
    ) {
        let mut bytes: Vec<u8> = (0..=255).collect();
        for at in noise(seed ^ 7, 256 - used) {
            bytes.remove(usize::from(at) % bytes.len());
        }
        let mut run = 0;
        let mut symbols: Vec<usize> = Vec::new();
        for choice in noise(seed, length * 2).chunks(2) {
            let choice = usize::from(choice[0]) << if small { 0 } else { 8 } | usize::from(choice[1]);
            let symbol = choice % if small { (used + 1).min(12) } else { used + 1 };
            // Long runs are rare, and short ones keep the plain decoder fast.
            run = if symbol < 2 { run + 1 } else { 0 };
            if run <= 9 {
                symbols.push(symbol);
            }
        }
        let mut recipe = Recipe {
            symbols,
            first: 0,
            codes: (0..codes).map(|code_number| code(used + 2, seed ^ code_number as u64, deep)).collect(),
            selectors: noise(seed ^ 9, length / 50 + 2).iter().map(|at| usize::from(*at) % codes).collect(),
            used: bytes,
            crc: 0,
        };
        recipe.first = (seed % recipe.symbols.len() as u64) as u32;
        let text = recipe.text();
        recipe.crc = CHECKSUM.checksum(text.as_deref().unwrap_or_default());
        match (text, decode(&recipe.pack())) {
            (Some(text), Ok(ours)) => prop_assert!(text == ours),
            (Some(_), Err(error)) => prop_assert!(false, "{}", error),
            (None, ours) => {
                prop_assert_eq!(ours, Err(BlockError::Damaged("the length of its last run is missing")));
            }
        }
    }
}
