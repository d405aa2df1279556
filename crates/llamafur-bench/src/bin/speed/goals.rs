//! What the learners are meant to reach at English Wikipedia's size, beside what was found.

use llamafur::learn::Method;

/// What a learner reached.
pub(crate) struct Reached {
    /// Millions of examples a second on all threads.
    pub rate: f64,
    /// Millions of random lines a second on all threads.
    pub limit: f64,
    /// Times as fast as the reference.
    pub ratio: f64,
    /// Bytes.
    pub peak: f64,
    /// All threads to one.
    pub speed_up: f64,
}

/// One goal, and whether it was met.
#[derive(Debug)]
pub(crate) struct Goal {
    pub asked: String,
    pub found: String,
    pub is_met: bool,
}

/// The goals of a learner.
pub(crate) fn of(method: Method, reached: &Reached) -> Vec<Goal> {
    let mut goals = Vec::new();
    // A dense learner is bound by memory: its goal holds where memory gives 200 million lines a second, and in
    // proportion elsewhere.
    let rate = match method {
        Method::Factored => Some(12.0),
        Method::Averaged => Some(10.0 * reached.limit / 200.0),
        Method::Paper | Method::Original => Some(14.0 * reached.limit / 200.0),
        _ => None,
    };
    let at_least = |asked: f64, found: f64, unit: &str| Goal {
        asked: format!("≥ {asked:.1}{unit}"),
        found: format!("{found:.1}{unit}"),
        is_met: found >= asked,
    };
    goals.extend(rate.map(|rate| at_least(rate, reached.rate, " M/s")));
    if method != Method::Naive {
        goals.push(at_least(10.0, reached.ratio, "×"));
    }
    let memory = match method {
        Method::Factored => Some(2.5),
        Method::Averaged => Some(6.5),
        Method::Paper | Method::Original => Some(4.5),
        _ => None,
    };
    let found = reached.peak / 1e9;
    let memory = memory.map(|most| Goal {
        asked: format!("< {most:.1} GB"),
        found: format!("{found:.2} GB"),
        is_met: found < most,
    });
    goals.extend(memory);
    if method != Method::Naive {
        goals.push(Goal {
            asked: "speed-up ≥ 1.8".into(),
            found: format!("{:.2}", reached.speed_up),
            is_met: reached.speed_up >= 1.8,
        });
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_of_dense_learners_follow_the_limit() {
        let reached = |limit| Reached { rate: 8.0, limit, ratio: 12.0, peak: 5e9, speed_up: 1.9 };
        let met =
            |method, limit| of(method, &reached(limit)).iter().map(|goal| goal.is_met).collect::<Vec<_>>();
        assert_eq!(met(Method::Averaged, 200.0), [false, true, true, true]);
        assert_eq!(met(Method::Averaged, 150.0), [true, true, true, true]);
        assert_eq!(met(Method::Paper, 100.0), [true, true, false, true]);
        assert_eq!(met(Method::Factored, 100.0), [false, true, false, true]);
        assert!(met(Method::Naive, 200.0).is_empty());
    }
}
