//! Names beside the ends of lines, pushed apart where they would overlap.

/// From one name to the next.
const APART: f64 = 14.0;

/// Places near those wanted, which ascend, at least [`APART`] from each other, within bounds if there is room.
pub(super) fn apart(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut places: Vec<f64> = wanted.to_vec();
    // Groups that touch move together, so that none strays further than it must.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &place in wanted {
        groups.push((place, 1));
        while let [.., (a, n), (b, m)] = groups[..] {
            let room = (n + m) as f64 / 2.0 * APART;
            if b - a >= room {
                break;
            }
            let all = n + m;
            // The middle of a group is the mean of what its members want.
            let middle = (a * n as f64 + b * m as f64) / all as f64;
            groups.truncate(groups.len() - 2);
            groups.push((middle, all));
        }
    }
    let mut at = 0;
    for (middle, num) in groups {
        let reach = (num - 1) as f64 / 2.0 * APART;
        let middle = middle.min(high - reach).max(low + reach);
        for (member, place) in places[at..at + num].iter_mut().enumerate() {
            *place = middle - reach + member as f64 * APART;
        }
        at += num;
    }
    // Groups that a bound pushed into each other.
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + APART);
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
            let places = apart(wanted, 0.0, 100.0);
            assert!(
                places.windows(2).all(|pair| pair[1] - pair[0] >= APART - 1e-9),
                "{wanted:?}: {places:?}"
            );
            assert!(
                places.iter().all(|place| (-1e-9..=100.0 + 1e-9).contains(place)),
                "{wanted:?}: {places:?}"
            );
        }
        assert_eq!(apart(&[10.0, 60.0], 0.0, 100.0), [10.0, 60.0]);
        assert_eq!(apart(&[50.0, 52.0], 0.0, 100.0), [44.0, 58.0]);
    }
}
