//! The order of the neighbours on the ring.
//!
//! Neighbours with arcs between them should be near each other, so that arcs are short and rarely cross.
//! With s(i, j) = w(i, j) + w(j, i) and d the distance along the ring, the order is a local minimum of
//! Σ s(i, j)·d(i, j): from the order of closeness on, one neighbour at a time is moved for as long as it helps. The
//! optimum is NP-hard (it is the minimum linear arrangement on a cycle) and would look no better.

use super::{CategoryArc, CategoryGraph};

/// Limit of neighbours for refinement: with more, the moves would take seconds, and the figure is illegible anyway.
const MAX_REFINED: usize = 120;

/// Limit of passes, each of which tries every move once; a handful reaches the minimum in practice.
const MAX_PASSES: usize = 30;

/// Returns the neighbours (all names but the first) in their order around the ring, the closest one first.
pub(super) fn ring(n: &CategoryGraph) -> Vec<usize> {
    let among = n.sound_arcs().filter(|arc| arc.from != arc.to && !arc.is_own());
    let links: Vec<(&CategoryArc, f64)> = among.map(|arc| (arc, arc.magnitude())).collect();
    let mut order: Vec<usize> = (1..n.names.len()).collect();
    if order.len() <= MAX_REFINED {
        refine(&mut order, &links);
    }
    start_with_closest(&mut order);
    order
}

/// Moves one neighbour at a time to the place where the links are shortest.
fn refine(order: &mut Vec<usize>, links: &[(&CategoryArc, f64)]) {
    let mut places = vec![0; order.len() + 1];
    let mut cost = length(order, links, &mut places);
    for _ in 0..MAX_PASSES {
        let before = cost;
        for from in 0..order.len() {
            for to in 0..order.len() {
                let moved = order.remove(from);
                order.insert(to, moved);
                let tried = length(order, links, &mut places);
                if tried < cost - 1e-9 {
                    cost = tried;
                } else {
                    let moved = order.remove(to);
                    order.insert(from, moved);
                }
            }
        }
        if cost >= before {
            break;
        }
    }
}

/// Returns Σ s(i, j)·d(i, j); `places` is a buffer for the position of each neighbour.
fn length(order: &[usize], links: &[(&CategoryArc, f64)], places: &mut [usize]) -> f64 {
    for (place, &neighbour) in order.iter().enumerate() {
        places[neighbour] = place;
    }
    let distance = |arc: &CategoryArc| {
        let apart = places[arc.from].abs_diff(places[arc.to]);
        apart.min(order.len() - apart) as f64
    };
    links.iter().map(|(arc, weight)| weight * distance(arc)).sum()
}

/// Rotates and mirrors the ring, which changes no distance, so that it begins with the closest neighbour.
fn start_with_closest(order: &mut [usize]) {
    if let Some(first) = order.iter().position(|&neighbour| neighbour == 1) {
        order.rotate_left(first);
        if order.len() > 2 && order[1] > order[order.len() - 1] {
            order[1..].reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Lcg;
    use super::super::{CategoryArc, CategoryGraph};
    use super::ring;

    #[test]
    fn without_arcs_among_neighbours_the_closest_come_first() {
        assert_eq!(ring(&Lcg(1).graph(7, 0, 5)), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_category_alone_has_no_ring() {
        assert!(ring(&CategoryGraph::default()).is_empty());
        assert!(ring(&Lcg(1).graph(1, 1, 5)).is_empty());
    }

    #[test]
    fn two_cliques_are_separate() {
        let clique = |members: [usize; 4]| {
            members.map(|from| members.map(|to| CategoryArc { from, to, weight: 2.0 })).into_iter().flatten()
        };
        let arcs = clique([1, 3, 5, 7]).chain(clique([2, 4, 6, 8])).collect();
        let names = (0..9).map(|i| i.to_string()).collect();
        let order = ring(&CategoryGraph { names, arcs });
        let changes = (0..8).filter(|&i| order[i] % 2 != order[(i + 1) % 8] % 2).count();
        assert_eq!(changes, 2, "{order:?}");
    }

    #[test]
    fn every_neighbour_has_one_place() {
        let mut random = Lcg(5);
        for size in [2, 3, 19, 60] {
            let mut order = ring(&random.graph(size, 4 * size.min(30), 9));
            assert_eq!(order[0], 1);
            order.sort_unstable();
            assert_eq!(order, (1..size).collect::<Vec<_>>());
        }
    }
}
