//! Labels in a row: moved apart if they would overlap, as little as possible.

/// Returns positions at least `steps[k]` apart (k + 1 positions have k steps), and between `low` and `high` if there is
/// room: the nearest ones to `wanted` in least squares.
pub(crate) fn spread(wanted: &[f64], steps: &[f64], low: f64, high: f64) -> Vec<f64> {
    // Without the steps, what remains must only ascend.
    let mut taken = vec![0.0];
    for (k, step) in steps.iter().enumerate() {
        taken.push(taken[k] + step);
    }
    let high = high - taken[taken.len() - 1];
    let free: Vec<f64> = wanted.iter().zip(&taken).map(|(wanted, taken)| wanted - taken).collect();
    ascending(&free).into_iter().zip(taken).map(|(place, taken)| place.min(high).max(low) + taken).collect()
}

/// Returns the ascending sequence nearest to `values` in least squares, by pooling adjacent violators.
fn ascending(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut pool = (value, 1);
        while let Some(&(mean, size)) = pools.last().filter(|&&(mean, _)| mean > pool.0) {
            pools.pop();
            pool = ((mean * size as f64 + pool.0 * pool.1 as f64) / (size + pool.1) as f64, size + pool.1);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, size)| std::iter::repeat_n(mean, size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let spread = |wanted: &[f64]| spread(wanted, &vec![14.0; wanted.len() - 1], 0.0, 100.0);
        for wanted in
            [&[10.0, 11.0, 12.0, 90.0][..], &[0.0, 0.0, 0.0], &[99.0, 100.0], &[50.0], &[0.0, 20.0, 21.0]]
        {
            let places = spread(wanted);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 14.0 - 1e-9), "{wanted:?}: {places:?}");
            let is_inside = |place: &f64| (-1e-9..=100.0 + 1e-9).contains(place);
            assert!(places.iter().all(is_inside), "{wanted:?}: {places:?}");
        }
        assert_eq!(spread(&[10.0, 60.0]), [10.0, 60.0]);
        assert_eq!(spread(&[50.0, 52.0]), [44.0, 58.0]);
    }

    #[test]
    fn ascending_pools_what_descends() {
        assert_eq!(ascending(&[1.0, 4.0, 2.0, 3.0, 9.0]), [1.0, 3.0, 3.0, 3.0, 9.0]);
        assert!(ascending(&[]).is_empty());
    }
}
