//! The tables: medians of what was recorded, and the goals beside them.

use crate::Args;
use crate::clock::median;
use crate::corpora::Sizes;
use crate::goals::{self, Reached};
use crate::machine::{cores, describe, load};
use crate::record::{By, Row, Task, middle, of};
use llamafur::learn::Method;
use std::fmt::Write;

/// The machine, the load and what the tables hold.
pub(crate) fn heading(args: &Args) -> String {
    let commit = args.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    let scales: Vec<String> = args.scales.iter().map(f64::to_string).collect();
    format!(
        "# Learning and scoring speed\n\n{}; load {} at the start{commit}.\n\n\
         `make bench SCALES=\"{}\"`; medians of {}; every measurement with its load is in `speed.tsv`. Millions a second \
         by the clock. One pass of each learner. Same weights: on 1 thread and on {}, to the last bit. Of the limit: \
         in brackets by processor time. The reference is a plain loop over 64-bit numbers and hash sets, on {} examples \
         or links at most, scores of 20 million links at most. Peak memory: of a process that does nothing else, on {} threads, the mapped corpus \
         included.\n\n",
        describe(),
        load(),
        scales.join(" "),
        args.times,
        cores(),
        thousands(args.reference),
        cores(),
    )
}

/// What was found at one scale.
pub(crate) fn of_scale(args: &Args, sizes: &Sizes, rows: &[Row]) -> String {
    let all = cores();
    let mut text = format!("## {sizes}\n\n");
    let limit = |when, threads, rate| middle(of(rows, Task::Limit, when, By::Threads(threads)), rate);
    let both = |threads, rate: fn(&Row) -> f64| {
        median(rows.iter().filter(|row| row.part == Task::Limit && row.by == By::Threads(threads)).map(rate))
    };
    let _ = writeln!(
        text,
        "Limit: {:.1} million random lines a second on 1 thread before, {:.1} after; on {all} threads {:.1} before, {:.1} \
         after.\n",
        limit("before", 1, Row::wall_rate),
        limit("after", 1, Row::wall_rate),
        limit("before", all, Row::wall_rate),
        limit("after", all, Row::wall_rate),
    );
    let _ = writeln!(
        text,
        "| learner | 1 thread | {all} threads | speed-up | same weights | of the limit | reference | ratio | peak memory |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|---|---|");
    let mut goals = String::new();
    for &method in &args.methods {
        let found = Found::new(rows, Task::Learn, method, all);
        let (by_clock, by_processor) = (both(all, Row::wall_rate), both(all, Row::processor_rate));
        let _ = writeln!(
            text,
            "| `{method}` | {:.2} | {:.2} | {:.2} | {} | {:.1}% ({:.1}%) | {:.2} | {:.1}× | {} |",
            found.one,
            found.many,
            found.many / found.one,
            if found.is_same { "yes" } else { "**no**" },
            100.0 * found.many / by_clock,
            100.0 * found.processor / by_processor,
            found.reference,
            found.many / found.reference,
            gigabytes(found.peak),
        );
        let reached = Reached {
            rate: found.many,
            limit: by_clock,
            ratio: found.many / found.reference,
            peak: found.peak,
            speed_up: found.many / found.one,
        };
        for goal in goals::of(method, &reached) {
            let met = if goal.is_met { "met" } else { "missed" };
            let _ = writeln!(goals, "| `{method}` | {} | {} | {met} |", goal.asked, goal.found);
        }
    }
    let _ = writeln!(
        text,
        "\n| scores by a model | 1 thread | {all} threads | speed-up | same scores | reference | ratio | peak memory |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|---|");
    for (method, name) in [(Method::Factored, "factored"), (Method::Original, "dense")] {
        if args.methods.contains(&method) {
            let found = Found::new(rows, Task::Score, method, all);
            let _ = writeln!(
                text,
                "| {name} | {:.2} | {:.2} | {:.2} | {} | {:.2} | {:.1}× | {} |",
                found.one,
                found.many,
                found.many / found.one,
                if found.is_same { "yes" } else { "**no**" },
                found.reference,
                found.many / found.reference,
                gigabytes(found.peak),
            );
        }
    }
    let _ =
        writeln!(text, "\n| learner | goal, at the full size | found here | |\n|---|---|---|---|\n{goals}");
    text
}

/// Medians of one learner or model.
struct Found {
    one: f64,
    many: f64,
    /// For each second that a thread ran.
    processor: f64,
    reference: f64,
    /// Whether all runs came to the same.
    is_same: bool,
    peak: f64,
}

impl Found {
    fn new(rows: &[Row], part: Task, method: Method, all: usize) -> Found {
        let by = |by| of(rows, part, method.name(), by);
        let wall = |who| middle(by(who), Row::wall_rate);
        let mut sums = by(By::Threads(1)).chain(by(By::Threads(all))).map(|row| row.checksum);
        let first = sums.next();
        Found {
            one: wall(By::Threads(1)),
            many: wall(By::Threads(all)),
            processor: middle(by(By::Threads(all)), Row::processor_rate),
            reference: wall(By::Reference),
            is_same: sums.all(|sum| Some(sum) == first),
            peak: median(by(By::Alone(all)).map(|row| row.peak as f64)),
        }
    }
}

fn gigabytes(bytes: f64) -> String {
    format!("{:.2} GB", bytes / 1e9)
}

/// 1,234,567.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or_default());
    groups.collect::<Vec<_>>().join(",")
}
