//! Follows redirects to their end, through chains, and detects loops.

/// The end of a redirect that leads to itself.
pub(crate) const LOOP: u32 = u32::MAX;

/// Returns the final target of every number, where `next` returns the direct one; [`LOOP`] if the chain never ends.
pub(crate) fn follow(count: usize, next: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX - 1;
    const ON_THE_WAY: u32 = u32::MAX - 2;
    let mut ends = vec![UNKNOWN; count];
    let mut way = Vec::new();
    for start in 0..count as u32 {
        let mut at = start;
        let end = loop {
            match ends[at as usize] {
                ON_THE_WAY => break LOOP,
                UNKNOWN => {}
                end => break end,
            }
            let Some(to) = next(at) else { break at };
            ends[at as usize] = ON_THE_WAY;
            way.push(at);
            at = to;
        };
        ends[at as usize] = end;
        way.drain(..).for_each(|passed| ends[passed as usize] = end);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chains_end_and_loops_do_not() {
        // 0 → 1 → 2; 3 → 4 → 3; 5 → 3; 6 → 6
        let next = [Some(1), Some(2), None, Some(4), Some(3), Some(3), Some(6)];
        assert_eq!(follow(7, |n| next[n as usize]), [2, 2, 2, LOOP, LOOP, LOOP, LOOP]);
    }

    proptest! {
        #[test]
        fn equals_walking_step_by_step(next in prop::collection::vec(prop::option::weighted(0.7, 0u32..12), 12)) {
            let walk = |start: u32| {
                let mut at = start;
                for _ in 0..=12 {
                    match next[at as usize] {
                        Some(to) => at = to,
                        None => return at,
                    }
                }
                LOOP
            };
            let expected: Vec<u32> = (0..12).map(walk).collect();
            prop_assert_eq!(follow(12, |n| next[n as usize]), expected);
        }
    }
}
