//! The server as its clients see it: over sockets of this machine.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod api;
mod client;
mod connections;
mod corpora;
mod document;
mod fuzz;
mod judging;
#[cfg(feature = "mcp")]
mod mcp;
mod security;
