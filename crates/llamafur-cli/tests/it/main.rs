//! All tests of the command, in one program: each of its own would be linked with everything once more.
#![allow(clippy::unwrap_used)] // a test that fails shall panic
#![allow(clippy::print_stdout)] // the reason why a test was skipped

mod common;

mod bad_input;
mod blend;
mod cleanse;
mod cli;
mod cross_validate;
mod demo;
mod diff;
mod docs;
mod draft;
mod evaluate;
mod evaluate_rows;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod faults;
mod features;
#[cfg(target_os = "linux")]
mod full_disk;
mod fuzzing;
mod judging;
#[cfg(unix)]
mod killed;
mod manual;
#[cfg(unix)]
mod mcp;
mod memory;
mod overwrite;
mod people;
mod plant;
mod pool;
mod predict;
mod prepare;
mod remedies;
#[cfg(unix)]
mod serve;
mod synth;
mod top;
mod vectors;
mod wiki;
