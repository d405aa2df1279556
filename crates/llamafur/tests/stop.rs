//! Long work that its progress stops: all of its threads end at once.
#![allow(clippy::unwrap_used)]

mod common;

use common::kinds;
use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate};
use llamafur::learn::{LearnConf, Method, learn};
use llamafur::progress::{Progress, Stopped, stop, stoppable};

/// Stops after so many reports of progress.
struct Patience(usize);

impl Progress for Patience {
    fn advance(&mut self, _by: u64) {
        match self.0 {
            0 => stop(),
            _ => self.0 -= 1,
        }
    }
}

/// Work that would take many minutes.
fn endless(method: Method) -> LearnConf {
    LearnConf::default().method(method).ensemble(1).passes(100_000)
}

#[test]
fn learners_stop_at_once() {
    let small = kinds(200);
    for method in [Method::Factored, Method::Averaged, Method::Paper, Method::Original] {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let stopped =
                pool.install(|| stoppable(|| learn(&small.graph(), &endless(method), &mut Patience(5))));
            assert_eq!(stopped.err(), Some(Stopped), "{method}");
        }
    }
}

#[test]
fn a_cross_validation_stops_in_all_its_folds() {
    let small = kinds(200);
    let conf = CrossValidateConf::new(endless(Method::Averaged)).folds(4).jobs(Some(2));
    let stopped = stoppable(|| cross_validate(&small.graph(), &conf, &mut Patience(5)));
    assert_eq!(stopped.err(), Some(Stopped));
}

#[test]
fn another_panic_goes_on() {
    let panicked = std::panic::catch_unwind(|| stoppable(|| std::panic::resume_unwind(Box::new("other"))));
    assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "other");
}
