//! How long work tells of itself: the library calls a [`Progress`], whoever runs it decides what to show.

/// Receives what long work has to say. Every method does nothing unless overridden.
pub trait Progress {
    /// A phase begins: what is being done and, where known, how many units there are.
    fn start(&mut self, _what: &str, _total: Option<u64>) {}
    /// A phase begins whose units are bytes.
    fn start_bytes(&mut self, what: &str, total: Option<u64>) {
        self.start(what, total);
    }
    /// So many further units are done.
    fn advance(&mut self, _by: u64) {}
    /// The phase is over.
    fn finish(&mut self) {}
    /// A line worth reading: settings, a checkpoint, a warning.
    fn note(&mut self, _line: &str) {}
}

/// Shows nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}
