//! Truncated singular value decomposition by random projection.
//!
//! With l = k + 10 columns, Y = A·Ω for a random Ω is, after a few turns of Y ← A·(AᵀY), nearly the span of the first l left
//! singular vectors; Q is an orthonormal basis of it. Then (AᵀQ)ᵀ(AᵀQ) = W·Σ²·Wᵀ is a small symmetric matrix, and U ≈ Q·W:
//! N. Halko, P. G. Martinsson & J. A. Tropp, “Finding Structure with Randomness”, SIAM Review 53(2), 2011, algorithms 4.4 and 5.1,
//! <https://doi.org/10.1137/090771806>. Bases are made orthonormal after every product, twice by Cholesky's factors of
//! YᵀY (CholeskyQR2), which is a sum over rows and a product row by row.
//!
//! # Threads
//! Rows of a product are independent; sums over rows go by blocks of fixed size, added in order. So the bits do not depend
//! on the number of threads.

use crate::random::{Purpose, generator, unit};
use nalgebra::{Cholesky, DMatrix, SymmetricEigen};
use rayon::prelude::*;

/// Columns beyond the rank, and turns: enough that the angle to the true vectors hardly shows.
const MORE: usize = 10;
const TURNS: usize = 4;

/// Rows that are summed at a time.
const BLOCK: usize = 1024;

/// A matrix whose rows can be gone through.
pub(super) trait Matrix: Sync {
    fn num_rows(&self) -> usize;
    fn num_columns(&self) -> usize;
    /// Calls `entry` with the column and value of each entry of a row.
    fn row(&self, row: usize, entry: &mut dyn FnMut(usize, f32));

    /// A·X, with as many numbers in a row of X as `width`.
    fn times(&self, x: &[f32], width: usize) -> Vec<f32> {
        let mut product = vec![0f32; self.num_rows() * width];
        product.par_chunks_exact_mut(width).enumerate().for_each(|(row, sums)| {
            self.row(row, &mut |column, value| add(sums, value, &x[column * width..][..width]));
        });
        product
    }

    /// Aᵀ·X. Every thread goes through all rows for some of the columns of X, so that each sum is in the order of the rows.
    fn transposed_times(&self, x: &[f32], width: usize) -> Vec<f32> {
        let share = width.div_ceil(rayon::current_num_threads()).max(MORE);
        let parts: Vec<(usize, Vec<f32>)> = (0..width)
            .into_par_iter()
            .step_by(share)
            .map(|first| {
                let share = share.min(width - first);
                let mut part = vec![0f32; self.num_columns() * share];
                for row in 0..self.num_rows() {
                    let x = &x[row * width + first..][..share];
                    self.row(row, &mut |column, value| add(&mut part[column * share..][..share], value, x));
                }
                (share, part)
            })
            .collect();
        let mut product = vec![0f32; self.num_columns() * width];
        product.par_chunks_exact_mut(width).enumerate().for_each(|(column, sums)| {
            let mut first = 0;
            for (share, part) in &parts {
                sums[first..first + share].copy_from_slice(&part[column * share..][..*share]);
                first += share;
            }
        });
        product
    }
}

#[inline]
fn add(sums: &mut [f32], factor: f32, row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// How many products a decomposition takes.
pub(super) fn num_products() -> usize {
    2 * TURNS + 2
}

/// U·Σ of rank k, row after row; columns beyond the rank of the matrix are 0.
pub(super) fn left_vectors(matrix: &impl Matrix, rank: usize, after_product: &mut dyn FnMut()) -> Vec<f32> {
    let width = rank + MORE;
    let mut told = |product: Vec<f32>| {
        after_product();
        product
    };
    let start = random(matrix.num_columns(), width);
    let mut basis = orthonormal(told(matrix.times(&start, width)), width);
    for _ in 0..TURNS {
        let back = orthonormal(told(matrix.transposed_times(&basis, width)), width);
        basis = orthonormal(told(matrix.times(&back, width)), width);
    }
    let small = gram(&told(matrix.transposed_times(&basis, width)), width);
    let SymmetricEigen { eigenvalues, eigenvectors } = SymmetricEigen::new(small);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|a, b| eigenvalues[*b].total_cmp(&eigenvalues[*a]));
    // A vector and its opposite are as good: the one whose largest entry is positive is taken.
    let turn = DMatrix::from_fn(width, rank, |row, column| {
        let vector = eigenvectors.column(order[column]);
        let largest = vector.iter().fold(0f64, |most, x| if x.abs() > most.abs() { *x } else { most });
        vector[row] * largest.signum() * eigenvalues[order[column]].max(0.0).sqrt()
    });
    turned(&basis, width, &turn)
}

/// Numbers from −√3 to √3, uniform: of mean 0 and variance 1.
fn random(rows: usize, width: usize) -> Vec<f32> {
    let mut numbers = vec![0f32; rows * width];
    numbers.par_chunks_exact_mut(width).enumerate().for_each(|(row, numbers)| {
        let mut draw = generator(1, Purpose::Projection, row as u64);
        let scale = 3f64.sqrt();
        numbers.iter_mut().for_each(|x| *x = ((2.0 * unit(&mut draw) - 1.0) * scale) as f32);
    });
    numbers
}

/// XᵀX.
fn gram(x: &[f32], width: usize) -> DMatrix<f64> {
    let of_block = |rows: &[f32]| {
        let mut sums = vec![0f64; width * width];
        for row in rows.chunks_exact(width) {
            for (a, sums) in row.iter().zip(sums.chunks_exact_mut(width)) {
                let a = f64::from(*a);
                sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * f64::from(*b));
            }
        }
        sums
    };
    let blocks: Vec<Vec<f64>> = x.par_chunks(BLOCK * width).map(of_block).collect();
    let mut all = vec![0f64; width * width];
    for block in blocks {
        all.iter_mut().zip(block).for_each(|(sum, x)| *sum += x);
    }
    DMatrix::from_row_slice(width, width, &all)
}

/// X·T, row by row.
fn turned(x: &[f32], width: usize, turn: &DMatrix<f64>) -> Vec<f32> {
    let columns = turn.ncols();
    // Row by row of T, so that the sums go along memory.
    let by_rows: Vec<f64> = turn.transpose().as_slice().to_vec();
    let mut product = vec![0f32; x.len() / width * columns];
    product.par_chunks_exact_mut(columns).zip(x.par_chunks_exact(width)).for_each(|(out, row)| {
        let mut sums = vec![0f64; columns];
        for (x, turn) in row.iter().zip(by_rows.chunks_exact(columns)) {
            let x = f64::from(*x);
            sums.iter_mut().zip(turn).for_each(|(sum, t)| *sum += x * t);
        }
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f32);
    });
    product
}

/// An orthonormal basis of the columns' span; of columns that depend on others, next to nothing.
fn orthonormal(x: Vec<f32>, width: usize) -> Vec<f32> {
    let mut basis = x;
    for _ in 0..2 {
        let mut gram = gram(&basis, width);
        let size = gram.trace().max(f64::MIN_POSITIVE);
        // A little on the diagonal keeps the factors finite where columns depend on one another.
        let mut shift = 1e-12 * size;
        let factors = loop {
            (0..width).for_each(|i| gram[(i, i)] += shift);
            if let Some(factors) = Cholesky::new(gram.clone()) {
                break factors;
            }
            shift *= 100.0;
        };
        // X·R⁻¹ with R = Lᵀ.
        let identity = DMatrix::identity(width, width);
        let inverse = factors.l().solve_lower_triangular(&identity).unwrap_or(identity).transpose();
        basis = turned(&basis, width, &inverse);
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dense(DMatrix<f64>);

    impl Matrix for Dense {
        fn num_rows(&self) -> usize {
            self.0.nrows()
        }
        fn num_columns(&self) -> usize {
            self.0.ncols()
        }
        fn row(&self, row: usize, entry: &mut dyn FnMut(usize, f32)) {
            self.0.row(row).iter().enumerate().for_each(|(column, value)| entry(column, *value as f32));
        }
    }

    fn random_matrix(rows: usize, columns: usize, rank: usize) -> DMatrix<f64> {
        let mut draw = generator(7, Purpose::Projection, 3);
        let mut fill = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| unit(&mut draw) - 0.5);
        let (left, right) = (fill(rows, rank), fill(rank, columns));
        // Falling singular values.
        let fall = DMatrix::from_fn(rank, rank, |i, j| if i == j { 0.7f64.powi(i as i32) } else { 0.0 });
        left * fall * right
    }

    #[test]
    fn it_is_the_decomposition_that_nalgebra_finds() {
        for (rows, columns, of) in [(120, 80, 60), (50, 300, 50), (90, 90, 12)] {
            let matrix = random_matrix(rows, columns, of);
            let found = left_vectors(&Dense(matrix.clone()), 6, &mut || ());
            let svd = matrix.clone().svd(true, false);
            let (u, values) = (svd.u.unwrap(), svd.singular_values);
            for column in 0..6 {
                let length =
                    (0..rows).map(|row| f64::from(found[row * 6 + column]).powi(2)).sum::<f64>().sqrt();
                assert!((length / values[column] - 1.0).abs() < 1e-3, "{length} {}", values[column]);
                let product: f64 =
                    (0..rows).map(|row| f64::from(found[row * 6 + column]) * u[(row, column)]).sum();
                assert!((product.abs() / values[column] - 1.0).abs() < 1e-3, "column {column}: {product}");
            }
        }
    }

    #[test]
    fn what_is_beyond_the_rank_is_nothing() {
        let matrix = random_matrix(40, 30, 3);
        let found = left_vectors(&Dense(matrix), 8, &mut || ());
        for (row, column) in (0..40).flat_map(|row| (3..8).map(move |column| (row, column))) {
            assert!(found[row * 8 + column].abs() < 1e-4, "{row} {column}: {}", found[row * 8 + column]);
        }
        assert!(left_vectors(&Dense(DMatrix::zeros(5, 4)), 3, &mut || ()).iter().all(|x| x.abs() < 1e-6));
    }

    #[test]
    fn threads_make_no_difference() {
        let matrix = Dense(random_matrix(3000, 40, 20));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| left_vectors(&matrix, 7, &mut || ()))
        };
        let first = run(1);
        assert!([2, 3, 8].into_iter().all(|threads| run(threads) == first));
    }
}
