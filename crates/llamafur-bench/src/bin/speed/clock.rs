//! Time by the clock and by the processor, and medians.

use llamafur::progress::Progress;
use std::time::Instant;

/// How long something took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seconds {
    pub wall: f64,
    /// What all threads together have run, outside the system: on a machine that others use, the steadier of the two.
    /// Time spent in the system, giving us memory, is left out of it.
    pub processor: f64,
    /// By the clock until the last example was seen: without what is then done to the whole matrix.
    pub to_last_example: f64,
}

/// A clock that stops when the matrix is there: counting what it explains comes after.
pub(crate) struct Clock {
    start: (Instant, f64),
    pub seconds: Seconds,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { start: (Instant::now(), processor_seconds()), seconds: Seconds::default() }
    }

    pub(crate) fn stop(mut self) -> Seconds {
        self.finish();
        self.seconds
    }
}

impl Progress for Clock {
    fn advance(&mut self, by: u64) {
        if by > 0 {
            self.seconds.to_last_example = self.start.0.elapsed().as_secs_f64();
        }
    }

    fn finish(&mut self) {
        let wall = self.start.0.elapsed().as_secs_f64();
        let to_last_example =
            if self.seconds.to_last_example > 0.0 { self.seconds.to_last_example } else { wall };
        self.seconds = Seconds { wall, processor: processor_seconds() - self.start.1, to_last_example };
    }
}

/// Seconds that all threads have run, outside the system.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok());
    ticks.unwrap_or(f64::NAN) / 100.0
}

/// The middle one, or of an even number the upper of the two; NaN of none.
pub(crate) fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs on so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    pool.install(work)
}
