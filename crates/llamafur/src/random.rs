//! Seeded random streams: the same numbers for the same seed, purpose and page, on any thread.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of every random choice.
pub type Generator = Xoshiro256PlusPlus;

/// Returns a generator seeded by the run's seed, the purpose, and the page or pass: the same on any thread at any time.
pub fn generator(seed: u64, purpose: Purpose, of: u64) -> Generator {
    // Odd multipliers spread neighbouring numbers apart; `seed_from_u64` does the mixing.
    let mixed = seed
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add((purpose as u64).wrapping_mul(0xD1B5_4A32_D192_ED03))
        .rotate_left(32)
        .wrapping_add(of.wrapping_mul(0x8CB9_2BA7_2F3D_8DD7));
    Generator::seed_from_u64(mixed)
}

/// The purpose of random numbers: each has a stream of its own.
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
    /// The links that are held out.
    HeldOut = 5,
    /// The scores of the random scorer.
    RandomScore = 6,
    /// A corpus made from a known model.
    Synth = 7,
    /// The queries of a resample of the bootstrap.
    Bootstrap = 8,
    /// The differences whose sign a permutation test flips.
    Permutation = 9,
    /// Rankings by chance alone.
    Chance = 10,
    /// The links to be judged.
    Pool = 11,
    /// A random projection.
    Projection = 12,
    /// The links over which scores are studentised.
    Standard = 13,
    /// The links that are planted.
    Planted = 15,
    /// The pages that are drawn for a surprise.
    Surprise = 16,
}

/// Returns a number below `limit`, uniform but for a bias of limit/2⁶⁴.
#[inline]
pub fn below(generator: &mut Generator, limit: u64) -> u64 {
    ((u128::from(generator.next_u64()) * u128::from(limit)) >> 64) as u64
}

/// Returns a number in [0, 1).
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

/// Hashes a number with the finaliser of SplitMix64.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}
