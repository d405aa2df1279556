//! Draws by weight in constant time: Vose's alias method.
//!
//! Every number has a cell of equal chance; in its cell it shares with one other number at most. So a draw
//! reads one cell of eight bytes. Vose, “A Linear Algorithm for Generating Random Numbers with a Given
//! Distribution”, IEEE Transactions on Software Engineering 17(9), 1991, <https://doi.org/10.1109/32.92917>.

use std::hint::select_unpredictable;

#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Bound of 2³² below which the cell's own number is drawn.
    own: u32,
    /// The number that is drawn otherwise.
    other: u32,
}

/// Numbers with weights for random draws.
#[derive(Debug)]
pub(super) struct Alias {
    cells: Vec<Cell>,
}

impl Alias {
    /// Builds the table for the numbers from 0 on with these weights, which must be positive and finite, and fewer than
    /// 2³².
    pub(super) fn new(weights: &[f64]) -> Alias {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        let mut shares: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut cells: Vec<Cell> =
            (0..weights.len() as u32).map(|own| Cell { own: u32::MAX, other: own }).collect();
        let (mut poor, mut rich): (Vec<u32>, Vec<u32>) =
            (0..weights.len() as u32).partition(|&number| shares[number as usize] < 1.0);
        while let (Some(&giver), Some(taker)) = (rich.last(), poor.pop()) {
            let share = shares[taker as usize];
            cells[taker as usize] = Cell { own: (share * 2f64.powi(32)) as u32, other: giver };
            let left = shares[giver as usize] - (1.0 - share);
            shares[giver as usize] = left;
            if left < 1.0 {
                rich.pop();
                poor.push(giver);
            }
        }
        // What is left over has a share of 1 but for rounding, and keeps its whole cell.
        Alias { cells }
    }

    /// Draws a number by its weight, from random bits.
    #[inline]
    pub(super) fn draw(&self, bits: u64) -> u32 {
        let own = (((bits >> 32) * self.cells.len() as u64) >> 32) as u32;
        let cell = self.cells[own as usize];
        // A branch would be guessed wrong, and known to be only when the cell has come from memory.
        select_unpredictable(bits as u32 <= cell.own, own, cell.other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Stream, bits, stream};
    use super::*;

    #[test]
    fn numbers_come_by_their_weights() {
        let weights = [8.0, 1.0, 0.5, 4.0, 2.5];
        let alias = Alias::new(&weights);
        let mut draw = stream(1, Stream::Links, 0);
        let mut counts = [0u32; 5];
        (0..160_000).for_each(|_| counts[alias.draw(bits(&mut draw)) as usize] += 1);
        for (count, weight) in counts.iter().zip(weights) {
            let expected = 10_000.0 * weight;
            assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{counts:?}");
        }
    }

    #[test]
    fn equal_weights_keep_their_cells() {
        let alias = Alias::new(&[1.0; 8]);
        assert_eq!((alias.draw(0), alias.draw(u64::MAX)), (0, 7));
    }
}
