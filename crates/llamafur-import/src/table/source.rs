//! Opens a table's file and finds its format.
//!
//! The format is determined by the extension, or else by the content. Text is returned without byte order mark and
//! without the comments at its beginning.

use super::conf::{Delimiter, Table, TableConf};
use super::error::ImportError;
use super::sniff;
use crate::input::{Input, InputError, Packing, Raw};
use llamafur::Remedy;
use llamafur::progress::Progress;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Number of bytes examined to find the format.
const HEAD: usize = 64 << 10;

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Columns end at a tab, and quotes are ordinary characters.
    Tsv,
    /// Columns end at this character and may be quoted.
    Csv(u8),
    Json,
    Parquet,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Tsv => "TSV",
            Format::Csv(_) => "CSV",
            Format::Json => "JSON lines",
            Format::Parquet => "Parquet",
        }
    }

    fn from_extension(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let packed = [".gz", ".zst", ".zstd", ".bz2"].iter().find_map(|end| name.strip_suffix(end));
        let (_, extension) = packed.unwrap_or(&name).rsplit_once('.')?;
        match extension {
            "tsv" | "tab" | "txt" => Some(Format::Tsv),
            "csv" => Some(Format::Csv(b',')),
            "jsonl" | "ndjson" => Some(Format::Json),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }

    fn from_content(table: Table, first_line: &[u8]) -> Format {
        let separates = table.columns().len() > 1;
        match first_line {
            [b'{', ..] => Format::Json,
            line if memchr::memchr(b'\t', line).is_some() => Format::Tsv,
            line if separates && memchr::memchr(b',', line).is_some() => Format::Csv(b','),
            _ => Format::Tsv,
        }
    }
}

/// An open table.
pub(crate) enum Source<'p> {
    Text(Box<Text<'p>>),
    /// The raw file, which counts and hashes its bytes, and the progress.
    #[cfg(feature = "parquet")]
    Parquet(crate::input::Tap, &'p mut dyn Progress),
}

/// Opens a file and reads its beginning to detect the format.
pub(crate) fn open<'p>(
    table: Table,
    path: &Path,
    conf: &TableConf,
    progress: &'p mut dyn Progress,
) -> Result<Source<'p>, ImportError> {
    let raw = Raw::open(path)?;
    let foreign = |found: &str, advice: &'static str| {
        Err(ImportError::Foreign { file: path.into(), found: found.into(), remedy: Remedy::advice(advice) })
    };
    let known = Format::from_extension(path);
    let format = match (known, conf.delimiter.map(Delimiter::byte)) {
        (None | Some(Format::Tsv | Format::Csv(_)), Some(b'\t')) => Some(Format::Tsv),
        (None | Some(Format::Tsv | Format::Csv(_)), Some(delimiter)) => Some(Format::Csv(delimiter)),
        (known, _) => known,
    };
    let is_parquet = raw.magic.starts_with(b"PAR1") && matches!(known, None | Some(Format::Parquet));
    match raw.packing {
        #[cfg(not(feature = "parquet"))]
        _ if is_parquet => {
            return foreign("a Parquet file, which this build cannot read", "convert it to CSV first");
        }
        #[cfg(feature = "parquet")]
        _ if is_parquet && crate::input::size(path).is_none() => {
            return foreign("Parquet through a pipe", "save it to a file first");
        }
        #[cfg(feature = "parquet")]
        _ if is_parquet => return Ok(Source::Parquet(raw.tap, progress)),
        Packing::None if known == Some(Format::Parquet) => {
            let found = "not a Parquet file (it does not begin with PAR1)";
            return foreign(found, "rename it if it is a text table");
        }
        _ if known == Some(Format::Parquet) => {
            return foreign("a compressed Parquet file", "unpack it first: Parquet is compressed inside");
        }
        _ => {}
    }
    let mut text = Text {
        input: raw.decode()?,
        progress,
        shown: 0,
        head: Vec::new(),
        at: 0,
        pending: None,
        format: Format::Tsv,
        longest: conf.longest_row,
        lines: 0,
        comments: 0,
    };
    text.fill();
    if text.head.starts_with(&[0xFF, 0xFE]) || text.head.starts_with(&[0xFE, 0xFF]) {
        return foreign("UTF-16 text", "convert it to UTF-8 first: `iconv -f UTF-16 -t UTF-8`");
    }
    text.skip_leading();
    let first_line = text.head[text.at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    text.format = format.unwrap_or_else(|| Format::from_content(table, first_line));
    if let Some((found, remedy)) = sniff::other_kind(&text.head[text.at..], text.format) {
        return Err(ImportError::Foreign { file: path.into(), found: found.into(), remedy });
    }
    if format.is_none_or(|format| format == Format::Json) && first_line.starts_with(b"[") {
        return foreign("a JSON array", "write one object a line: `jq -c '.[]'`");
    }
    Ok(Source::Text(Box::new(text)))
}

/// Unpacked text from the first line after the comments.
pub(crate) struct Text<'p> {
    input: Input,
    progress: &'p mut dyn Progress,
    /// The progress reported so far.
    shown: u64,
    head: Vec<u8>,
    at: usize,
    /// Error that occurred after the head was read; returned when the head has been used up.
    pending: Option<io::Error>,
    pub(crate) format: Format,
    /// Largest length of a line: longer ones are mistakes, and must not fill the memory.
    pub(crate) longest: usize,
    /// Number of lines skipped at the beginning.
    pub(crate) lines: u64,
    /// Number of comments among them.
    pub(crate) comments: u64,
}

impl Text<'_> {
    fn advance(&mut self, position: u64) {
        self.progress.advance(position - self.shown);
        self.shown = position;
    }

    /// Extends the head; returns `false` at the end or when the head is longer than a line may be.
    fn fill(&mut self) -> bool {
        let before = self.head.len();
        if let Err(e) = self.input.by_ref().take(HEAD as u64).read_to_end(&mut self.head) {
            self.pending = Some(e);
        }
        self.head.len() > before && self.head.len() <= self.longest
    }

    fn skip_leading(&mut self) {
        if self.head.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
        loop {
            let rest = &self.head[self.at..];
            let more_needed = rest.is_empty() || rest == b"\r";
            let comment = rest.first() == Some(&b'#');
            let skipped = comment || rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
            if !more_needed && !skipped {
                return;
            }
            match memchr::memchr(b'\n', rest) {
                Some(end) => self.at += end + 1,
                None if self.pending.is_none() && self.fill() => continue,
                None if skipped => self.at = self.head.len(),
                None => return,
            }
            self.lines += 1;
            self.comments += u64::from(comment);
        }
    }

    /// Builds the error of a read that failed after `last_line` whole lines.
    pub(crate) fn failure(&mut self, path: &Path, last_line: u64, error: io::Error) -> ImportError {
        let file = path.into();
        match error.kind() {
            _ if !self.input.is_damaged() => InputError::unreadable(path)(error).into(),
            ErrorKind::UnexpectedEof => ImportError::CutOff { file, last_line },
            _ => ImportError::Damaged { file, last_line, detail: error.to_string() },
        }
    }

    /// Returns bytes and checksum of the whole file.
    pub(crate) fn finish(self) -> io::Result<(u64, String)> {
        let (bytes, checksum) = self.input.finish()?;
        self.progress.advance(bytes - self.shown);
        Ok((bytes, checksum))
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at < self.head.len() {
            let read = (&self.head[self.at..]).read(buffer)?;
            self.at += read;
            return Ok(read);
        }
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let read = self.input.read(buffer);
        self.advance(self.input.position());
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::progress::Silent;

    fn conf() -> TableConf {
        TableConf::new("")
    }

    fn text_of(name: &str, content: &[u8]) -> (Format, u64, u64, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut silent = Silent;
        let Source::Text(mut text) = open(Table::Links, &path, &conf(), &mut silent).unwrap() else {
            panic!("not text")
        };
        let mut rest = String::new();
        text.read_to_string(&mut rest).unwrap();
        let (format, lines, comments) = (text.format, text.lines, text.comments);
        let sums = text.finish().unwrap();
        assert_eq!(sums, (content.len() as u64, blake3::hash(content).to_hex().to_string()));
        (format, lines, comments, rest)
    }

    #[test]
    fn the_format_is_told_by_the_name_then_by_the_content() {
        assert_eq!(text_of("a.csv", b"x\ty\n").0, Format::Csv(b','));
        assert_eq!(text_of("a.TSV", b"x,y\n").0, Format::Tsv);
        assert_eq!(text_of("a.txt.gz", b"x,y\n").0, Format::Tsv);
        assert_eq!(text_of("a.ndjson", b"").0, Format::Json);
        assert_eq!(text_of("a", b"x,y\tz\n").0, Format::Tsv);
        assert_eq!(text_of("a", b"# a\tb\n\nx,y\n").0, Format::Csv(b','));
        assert_eq!(text_of("a.dat", b"{\"a\":1}\n").0, Format::Json);
    }

    #[test]
    fn marks_comments_and_blank_lines_at_the_beginning_are_left_out() {
        let (_, lines, comments, rest) = text_of("a.tsv", b"\xEF\xBB\xBF# one\r\n\r\n\n#two\nx\ty\n#z\tz\n");
        assert_eq!((lines, comments, rest.as_str()), (4, 2, "x\ty\n#z\tz\n"));
        assert_eq!(text_of("a.tsv", b"# only").3, "");
        let mut long = vec![b'#'; 3 * HEAD];
        long.extend_from_slice(b"\nx\ty\n");
        assert_eq!(text_of("a.tsv", &long).3, "x\ty\n");
    }

    #[test]
    fn what_is_not_read_here_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let said = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let error = open(Table::Links, &path, &conf(), &mut Silent).err().unwrap();
            format!("{error}; {:?}", error.remedy())
        };
        assert!(said("a.tsv", b"\xFD7zXZ\0....").contains("xz -dc"));
        assert!(said("a.tsv", b"\xFF\xFEa\0").contains("iconv"));
        assert!(said("a.json", b"[{\"a\": 1}]").contains("jq"));
        assert!(said("a.parquet", b"a\tb\n").contains("PAR1"));
        assert!(said("a.parquet.gz", b"\x1F\x8B").contains("compressed Parquet"));
        let missing = |path: &Path| open(Table::Links, path, &conf(), &mut Silent).err().unwrap().to_string();
        assert!(missing(&dir.path().join("none")).contains("no such file"));
        assert!(missing(dir.path()).contains("a folder where"));
    }
}
