//! Labels at the ends of lines: moved away from each other where they would overlap.

/// The least distance between two labels, in pixels.
const STEP: f64 = 14.0;

/// Positions near the wanted ones (ascending), at least [`STEP`] from each other, and within the bounds if there is room.
pub(crate) fn spread(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut places: Vec<f64> = wanted.to_vec();
    // Labels that would overlap form a group around the mean of their wanted positions.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &place in wanted {
        groups.push((place, 1));
        while let [.., (a, n), (b, m)] = groups[..] {
            let room = (n + m) as f64 / 2.0 * STEP;
            if b - a >= room {
                break;
            }
            let all = n + m;
            let middle = (a * n as f64 + b * m as f64) / all as f64;
            groups.truncate(groups.len() - 2);
            groups.push((middle, all));
        }
    }
    let mut at = 0;
    for (middle, num) in groups {
        let reach = (num - 1) as f64 / 2.0 * STEP;
        let middle = middle.min(high - reach).max(low + reach);
        for (member, place) in places[at..at + num].iter_mut().enumerate() {
            *place = middle - reach + member as f64 * STEP;
        }
        at += num;
    }
    // A bound may have pushed two groups into each other.
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + STEP);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_distance_and_their_order() {
        for wanted in
            [&[10.0, 11.0, 12.0, 90.0][..], &[0.0, 0.0, 0.0], &[99.0, 100.0], &[50.0], &[0.0, 20.0, 21.0]]
        {
            let places = spread(wanted, 0.0, 100.0);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= STEP - 1e-9), "{wanted:?}: {places:?}");
            assert!(
                places.iter().all(|place| (-1e-9..=100.0 + 1e-9).contains(place)),
                "{wanted:?}: {places:?}"
            );
        }
        assert_eq!(spread(&[10.0, 60.0], 0.0, 100.0), [10.0, 60.0]);
        assert_eq!(spread(&[50.0, 52.0], 0.0, 100.0), [44.0, 58.0]);
    }
}
