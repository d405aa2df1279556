//! Seeded random streams: the same numbers for the same seed, purpose and page, on any thread.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of every random choice.
pub type Generator = Xoshiro256PlusPlus;

/// A generator seeded by the run's seed, by what is drawn, and for which page or pass: the same
/// on any thread at any time.
pub fn generator(seed: u64, purpose: Purpose, of: u64) -> Generator {
    // Odd multipliers spread neighbouring numbers apart; `seed_from_u64` does the mixing.
    let mixed = seed
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add((purpose as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
        .rotate_left(32)
        .wrapping_add(of.wrapping_mul(0x8CB9_2BA7_2F3D_8DD7));
    Generator::seed_from_u64(mixed)
}

/// What random numbers are drawn for: each purpose has a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The non-links of a page.
    NonLinks = 1,
    /// The order of the pages in a pass or round.
    PageOrder = 2,
    /// The order of a page's examples.
    ExampleOrder = 3,
    /// The first state of a factored matrix.
    FirstState = 4,
    /// Which links are held out.
    HeldOut = 5,
    /// The scores of the random scorer.
    RandomScore = 6,
    /// A corpus made from a known model.
    Synth = 7,
    /// Which queries a resample of the bootstrap has.
    Bootstrap = 8,
    /// Which differences a permutation test turns round.
    Permutation = 9,
    /// Rankings by chance alone.
    Chance = 10,
    /// Which links are to be judged.
    Pool = 11,
    /// A random projection.
    Projection = 12,
    /// Which links scores are studentised over.
    Standard = 13,
    /// Which links are planted.
    Planted = 15,
    /// Which pages are looked at for a surprise.
    Surprise = 16,
}

/// A number below `limit`, uniform but for a bias of limit/2⁶⁴.
#[inline]
pub fn below(generator: &mut Generator, limit: u64) -> u64 {
    ((u128::from(generator.next_u64()) * u128::from(limit)) >> 64) as u64
}

/// A number in [0, 1).
#[inline]
pub fn unit(generator: &mut Generator) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Puts the items in random order.
pub fn shuffle<T>(generator: &mut Generator, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(generator, last as u64 + 1) as usize);
    }
}

/// The finaliser of SplitMix64: a hash of a number.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}
