//! The body of an answer, which is bounded: nobody can have the server fill its memory with one.

use llamafur::Error;
use llamafur::interrupt::check;
use serde::Serialize;
use std::io::{self, Write};

/// A body that takes so many bytes and no more.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Vec<u8>,
    most: usize,
    is_over: bool,
}

/// Bytes after which it is checked whether somebody still waits for the answer.
const LOOK_EVERY: usize = 64 << 10;

/// Why a body was not finished.
#[derive(Debug)]
pub(crate) enum Unfinished {
    /// It would have more bytes than it may.
    TooLong,
    /// What writes it failed.
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

    /// The bytes, if all were written.
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
