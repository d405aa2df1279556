//! The body of an answer, which is bounded, so that no request can fill the server's memory.

use llamafur::Error;
use llamafur::interrupt::check;
use serde::Serialize;
use std::io::{self, Write};

/// A body with a limit of its bytes.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Vec<u8>,
    most: usize,
    is_over: bool,
}

/// Number of bytes between two checks that the client still waits.
const LOOK_EVERY: usize = 64 << 10;

/// The reason why a body was not finished.
#[derive(Debug)]
pub(crate) enum Unfinished {
    /// The body would exceed its limit.
    TooLong,
    /// The writer failed.
    Failed(Error),
}

impl Body {
    pub(crate) fn new(most: usize) -> Body {
        Body { bytes: Vec::new(), most, is_over: false }
    }

    /// Writes a value as JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Error> {
        let written = serde_json::to_writer(self, value);
        written.map_err(|error| Error::Invalid { what: "an answer", rule: error.to_string() })
    }

    /// Returns the bytes, if all were written.
    pub(crate) fn finish(self, written: Result<(), Error>) -> Result<Vec<u8>, Unfinished> {
        match written {
            _ if self.is_over => Err(Unfinished::TooLong),
            Ok(()) => Ok(self.bytes),
            Err(error) => Err(Unfinished::Failed(error)),
        }
    }
}

impl Write for Body {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.bytes.len() {
            self.is_over = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let before = self.bytes.len() / LOOK_EVERY;
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() / LOOK_EVERY > before {
            check().map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_ends_at_its_bound_and_says_so() {
        let written = |most: usize| {
            let mut body = Body::new(most);
            let written = body.json(&vec![1; 100]);
            assert!(body.bytes.len() <= most);
            body.finish(written)
        };
        assert_eq!(written(201).unwrap().len(), 201);
        assert!(matches!(written(200), Err(Unfinished::TooLong)));
        assert!(matches!(written(0), Err(Unfinished::TooLong)));
    }
}
