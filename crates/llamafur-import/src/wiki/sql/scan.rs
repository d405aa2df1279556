//! Scans the bytes of an SQL dump for words, names, strings and comments.

use super::rows::{RowError, syntax};
use memchr::{memchr, memchr2};
use std::io::{self, Read};

/// Number of bytes read at a time, at first and later: a small file takes little memory.
const BUFFERS: [usize; 2] = [4 << 10, 256 << 10];
/// Limit of a row's bytes. The longest rows of a wiki have a few thousand.
const LONGEST_ROW: usize = 4 << 20;
/// Limit of a name's bytes: those of MySQL have 64 characters.
const LONGEST_NAME: usize = 256;

/// A scanner of the bytes of a dump.
pub(super) struct Scanner<R> {
    pub(super) reader: R,
    buffer: Vec<u8>,
    at: usize,
    /// Number of bytes of the next read.
    next: usize,
    /// The name of the database, if a comment contains it: `-- Host: db1166    Database: enwiki`.
    pub(super) database: Option<String>,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(reader: R) -> Scanner<R> {
        Scanner { reader, buffer: Vec::new(), at: 0, next: BUFFERS[0], database: None }
    }

    /// Reads a number or a word.
    pub(super) fn bare(&mut self, bytes: &mut Vec<u8>) -> Result<(), RowError> {
        loop {
            let rest = &self.buffer[self.at..];
            let is_end =
                |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b')' | b'\'' | b'"' | b';');
            let end = rest.iter().position(is_end);
            let taken = end.unwrap_or(rest.len());
            bytes.extend_from_slice(&self.buffer[self.at..self.at + taken]);
            self.at += taken;
            expect_short(bytes)?;
            if end.is_some() || !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Reads the rest of a string, after its opening quote.
    pub(super) fn string(&mut self, quote: u8, bytes: &mut Vec<u8>) -> Result<(), RowError> {
        loop {
            let rest = &self.buffer[self.at..];
            let special = memchr2(quote, b'\\', rest);
            let taken = special.unwrap_or(rest.len());
            bytes.extend_from_slice(&rest[..taken]);
            self.at += taken;
            expect_short(bytes)?;
            if special.is_none() {
                if !self.fill()? {
                    return syntax("the file ends in the middle of a string");
                }
                continue;
            }
            if self.next()? == Some(b'\\') {
                let Some(byte) = self.next()? else {
                    return syntax("the file ends in the middle of a string");
                };
                match byte {
                    b'0' => bytes.push(0),
                    b'b' => bytes.push(8),
                    b'n' => bytes.push(b'\n'),
                    b'r' => bytes.push(b'\r'),
                    b't' => bytes.push(b'\t'),
                    b'Z' => bytes.push(26),
                    // These two keep their backslash, so that patterns can have them.
                    b'%' | b'_' => bytes.extend([b'\\', byte]),
                    other => bytes.push(other),
                }
            } else if self.peek()? == Some(quote) {
                self.at += 1;
                bytes.push(quote);
            } else {
                return Ok(());
            }
        }
    }

    /// Reads a name: in backticks or double quotes, or a bare word; of `database.table` the last part.
    pub(super) fn name(&mut self) -> Result<String, RowError> {
        loop {
            self.skip_space()?;
            let name = match self.peek()? {
                Some(quote @ (b'`' | b'"')) => {
                    self.at += 1;
                    self.quoted_name(quote)?
                }
                _ => self.word()?,
            };
            if name.is_empty() {
                return match self.peek()? {
                    Some(byte) => syntax(format!("{:?}, expected a name", byte as char)),
                    None => syntax("the file ends in the middle of a statement"),
                };
            }
            if self.peek()? != Some(b'.') {
                return Ok(name);
            }
            self.at += 1;
        }
    }

    fn quoted_name(&mut self, quote: u8) -> Result<String, RowError> {
        let mut name = Vec::new();
        loop {
            match self.next()? {
                Some(byte) if byte == quote => {
                    if self.peek()? != Some(quote) {
                        return Ok(String::from_utf8_lossy(&name).into_owned());
                    }
                    self.at += 1;
                    name.push(quote);
                }
                Some(byte) if name.len() < LONGEST_NAME => name.push(byte),
                Some(_) => return syntax("a name that is too long"),
                None => return syntax("the file ends in the middle of a name"),
            }
        }
    }

    /// Reads letters, digits and underscores; returns an empty string if there are none.
    pub(super) fn word(&mut self) -> Result<String, RowError> {
        let mut word = String::new();
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')) {
                break;
            }
            if word.len() >= LONGEST_NAME {
                return syntax("a name that is too long");
            }
            word.push(byte as char);
            self.at += 1;
        }
        Ok(word)
    }

    /// Skips whitespace and comments; returns `false` at the end of the file.
    pub(super) fn skip_space(&mut self) -> Result<bool, RowError> {
        loop {
            match self.peek()? {
                None => return Ok(false),
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'#') => self.skip_line()?,
                Some(b'-') if self.peek_second()? == Some(b'-') => self.skip_line()?,
                Some(b'/') if self.peek_second()? == Some(b'*') => self.skip_comment()?,
                Some(_) => return Ok(true),
            }
        }
    }

    fn skip_line(&mut self) -> Result<(), RowError> {
        let mut line = Vec::new();
        while let Some(byte) = self.next()? {
            if byte == b'\n' {
                break;
            }
            if line.len() < LONGEST_NAME {
                line.push(byte);
            }
        }
        let line = String::from_utf8_lossy(&line);
        if let Some((_, name)) = line.split_once("Database:") {
            self.database = name.split_whitespace().next().map(str::to_owned);
        }
        Ok(())
    }

    fn skip_comment(&mut self) -> Result<(), RowError> {
        self.at += 2;
        let mut last = 0;
        while let Some(byte) = self.next()? {
            if last == b'*' && byte == b'/' {
                return Ok(());
            }
            last = byte;
        }
        syntax("the file ends in the middle of a comment")
    }

    /// Skips the rest of a statement, with its semicolon.
    pub(super) fn skip_statement(&mut self) -> Result<(), RowError> {
        loop {
            if !self.skip_space()? {
                return Ok(());
            }
            match self.next()? {
                Some(b';') | None => return Ok(()),
                Some(quote @ (b'\'' | b'"' | b'`')) => self.skip_string(quote)?,
                Some(_) => {}
            }
        }
    }

    /// Skips the rest of a column's definition, and returns the comma or the parenthesis that ends it.
    pub(super) fn skip_until_comma_or_end(&mut self) -> Result<u8, RowError> {
        let mut depth = 0u64;
        loop {
            self.skip_space()?;
            match self.next()? {
                Some(b'(') => depth += 1,
                Some(b')') if depth > 0 => depth -= 1,
                Some(end @ (b',' | b')')) if depth == 0 => return Ok(end),
                Some(quote @ (b'\'' | b'"' | b'`')) => self.skip_string(quote)?,
                Some(_) => {}
                None => return syntax("the file ends in the middle of CREATE TABLE"),
            }
        }
    }

    /// Skips the rest of a string or a quoted name.
    fn skip_string(&mut self, quote: u8) -> Result<(), RowError> {
        loop {
            let rest = &self.buffer[self.at..];
            // Names in backticks have no escapes.
            let found = if quote == b'`' { memchr(quote, rest) } else { memchr2(quote, b'\\', rest) };
            match found {
                None => {
                    self.at = self.buffer.len();
                    if !self.fill()? {
                        return syntax("the file ends in the middle of a string");
                    }
                }
                Some(place) => {
                    self.at += place;
                    if self.next()? == Some(quote) {
                        return Ok(());
                    }
                    self.next()?;
                }
            }
        }
    }

    pub(super) fn expect(&mut self, wanted: u8) -> Result<(), RowError> {
        self.skip_space()?;
        match self.next()? {
            Some(byte) if byte == wanted => Ok(()),
            Some(byte) => syntax(format!("{:?}, expected {:?}", byte as char, wanted as char)),
            None => syntax("the file ends in the middle of a statement"),
        }
    }

    /// Reads a comma, or the end of a list, for which it returns `true`.
    pub(super) fn comma_or(&mut self, end: u8) -> Result<bool, RowError> {
        self.skip_space()?;
        match self.next()? {
            Some(b',') => Ok(false),
            Some(byte) if byte == end => Ok(true),
            Some(byte) => syntax(format!("{:?} in a list, expected a comma", byte as char)),
            None => syntax("the file ends in the middle of a row"),
        }
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, RowError> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Returns the byte after the next one.
    fn peek_second(&mut self) -> Result<Option<u8>, RowError> {
        if self.at + 1 >= self.buffer.len() {
            self.fill()?;
        }
        Ok(self.buffer.get(self.at + 1).copied())
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<u8>, RowError> {
        let byte = self.peek()?;
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    /// Reads more, and drops the bytes already scanned; returns `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, RowError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let held = self.buffer.len();
        self.buffer.resize(held + self.next, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[held..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let num = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(held + num);
        if num == self.next {
            self.next = (2 * self.next).min(BUFFERS[1]);
        }
        Ok(read? > 0)
    }
}

fn expect_short(bytes: &[u8]) -> Result<(), RowError> {
    match bytes.len() > LONGEST_ROW {
        true => syntax(format!("a row of more than {LONGEST_ROW} bytes")),
        false => Ok(()),
    }
}
