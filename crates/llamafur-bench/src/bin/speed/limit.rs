//! What memory allows: random cache lines a second that are read and written.
//!
//! A dense learner changes a number in a random line of a large matrix for every pair of an example's categories; no
//! program can do so faster than memory gives it the lines. So lines are asked for well before they are used, in
//! large pages, each thread has lines of its own, and nothing is computed but where the next one is.

use crate::clock::Clock;
use crate::machine::cores;
use crate::record::{By, Record, Row, Task};
use crate::{Args, Outcome};
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::learn::{large_buffer, prefetch};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Numbers in a cache line.
const LINE: usize = 16;
const UPDATES: u64 = 20_000_000;
/// Lines asked for ahead of their use: without, the processor sees too few ahead, and reaches half of what memory
/// allows.
const AHEAD: usize = 128;

/// Measures on one and on all threads, in turn.
pub(crate) fn measure(args: &Args, when: &str, record: &mut Record) -> Outcome<()> {
    let buffer = large_buffer(args.categories * args.categories);
    // So that the system has given us all of it.
    buffer.iter().step_by(LINE).for_each(|cell| cell.store(1, Relaxed));
    for turn in 1..=args.times {
        for threads in [1, cores()] {
            record.add(update(&buffer, threads, when, turn))?;
        }
    }
    Ok(())
}

fn update(buffer: &[AtomicU32], threads: usize, when: &str, turn: usize) -> Row {
    let lines = (buffer.len() / LINE / threads) as u64;
    let clock = Clock::start();
    std::thread::scope(|scope| {
        for (thread, lines_of) in (0..threads as u64).zip(buffer.chunks(lines as usize * LINE)) {
            scope.spawn(move || {
                let mut random = generator(9, Purpose::RandomScore, thread);
                let mut asked = [0; AHEAD];
                for update in 0..UPDATES as usize {
                    let next = below(&mut random, lines) as usize * LINE;
                    prefetch(lines_of, next);
                    let at = std::mem::replace(&mut asked[update % AHEAD], next);
                    let cell = &lines_of[at];
                    cell.store((f32::from_bits(cell.load(Relaxed)) + 1.0).to_bits(), Relaxed);
                }
            });
        }
    });
    let (units, seconds) = (threads as u64 * UPDATES, clock.stop());
    Row {
        part: Task::Limit,
        what: when.into(),
        by: By::Threads(threads),
        turn,
        units,
        seconds,
        peak: 0,
        checksum: 0,
    }
}
