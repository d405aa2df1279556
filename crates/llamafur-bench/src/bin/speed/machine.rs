//! How much memory a piece of work takes in a process of its own.

use crate::Outcome;
use crate::clock::{Seconds, on_threads};
use crate::learning::{self, num_examples};
use crate::record::{By, Row, Task};
use crate::reference::Plain;
use crate::scoring;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::Method;
use llamafur_bench::machine::field;
pub(crate) use llamafur_bench::machine::{cores, describe, load};
use std::path::Path;
use std::process::Command;

/// Has a process of its own do `part` of `what` on all threads. Memory never shrinks in the system's account, so a
/// peak is that of a process which does nothing else. The corpus, which is mapped, counts as far as it was read.
pub(crate) fn alone(corpus: &Path, part: Task, what: &str) -> Outcome<Row> {
    let only = format!("{}:{what}", if part == Task::Learn { "learn" } else { "score" });
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.arg("--corpora").arg(corpus).args(["--only", &only]).output()?;
    if !output.status.success() {
        return Err(format!("{only} alone: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [units, wall, to_last_example, processor, peak] = numbers[..] else {
        return Err(format!("{only} alone: {text}").into());
    };
    let (units, peak, seconds) = (units as u64, peak as u64, Seconds { wall, processor, to_last_example });
    Ok(Row { part, what: what.into(), by: By::Alone(cores()), turn: 1, units, seconds, peak, checksum: 0 })
}

/// What such a process does: says units, seconds and the peak.
pub(crate) fn run_alone(corpus: &Corpus, only: &str) -> Outcome<()> {
    let usage = "--only needs learn:NAME, plain:NAME or score:NAME";
    let (part, what) = only.split_once(':').ok_or(usage)?;
    let (units, seconds) = if part == "plain" {
        let (graph, method) = (Categories::whole_graph(corpus)?, what.parse::<Method>()?);
        let learnt = Plain::new(&graph).learn(method, 1.0);
        // Whatever is not looked at may not be computed.
        std::hint::black_box(&learnt.matrix);
        learnt.cost
    } else if part == "learn" {
        let (graph, method) = (Categories::whole_graph(corpus)?, what.parse::<Method>()?);
        let run = on_threads(cores(), || learning::run(&graph, method));
        (num_examples(&graph, method), run.seconds)
    } else {
        let run = on_threads(cores(), || scoring::run(corpus.path(), what))?;
        (run.links, run.seconds)
    };
    let peak = field("/proc/self/status", "VmHWM:").unwrap_or(f64::NAN);
    let Seconds { wall, processor, to_last_example } = seconds;
    println!("{units} {wall} {to_last_example} {processor} {peak}");
    Ok(())
}
