//! Opens a table's file: tells its format and compression, unpacks it, and sums up what lies on disk.
//!
//! Compression is told by the first bytes, the format by the extension and else by a look at the content.
//! Text comes out without byte order mark and without the comments at its beginning.

use super::conf::Table;
use super::error::ImportError;
use blake3::Hasher;
use flate2::bufread::MultiGzDecoder;
use llamafur::progress::Progress;
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// So many bytes are read from the disk at a time when they go to a decoder.
const DISK_BUFFER: usize = 256 << 10;
/// So many bytes are looked at to tell the format.
const HEAD: usize = 64 << 10;
/// A longer line is a mistake, and must not fill the memory.
pub(crate) const LONGEST_LINE: usize = 256 << 20;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Tsv,
    Csv,
    Json,
    Parquet,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Tsv => "TSV",
            Format::Csv => "CSV",
            Format::Json => "JSON lines",
            Format::Parquet => "Parquet",
        }
    }

    fn from_extension(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let packed = [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end));
        let (_, extension) = packed.unwrap_or(&name).rsplit_once('.')?;
        match extension {
            "tsv" | "tab" | "txt" => Some(Format::Tsv),
            "csv" => Some(Format::Csv),
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
            line if separates && memchr::memchr(b',', line).is_some() => Format::Csv,
            _ => Format::Tsv,
        }
    }
}

/// An open table.
pub(crate) enum Source<'p> {
    Text(Box<Text<'p>>),
    /// The file, and the tap through which it is to be summed up.
    #[cfg(feature = "parquet")]
    Parquet(File, Box<Tap<'p>>),
}

/// What lies on disk.
#[derive(Debug, Clone)]
pub(crate) struct Sums {
    pub(crate) bytes: u64,
    pub(crate) checksum: String,
}

/// Checks that there is a file that can be read.
pub(crate) fn expect_file(path: &Path) -> Result<(), ImportError> {
    // A pipe can be opened only once.
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Ok(()),
        _ => open_file(path).map(drop),
    }
}

fn open_file(path: &Path) -> Result<File, ImportError> {
    let open = || match std::fs::metadata(path)?.is_dir() {
        true => Err(ErrorKind::IsADirectory.into()),
        false => File::open(path),
    };
    open().map_err(|cause: io::Error| match cause.kind() {
        ErrorKind::NotFound => ImportError::NotFound { file: path.into() },
        ErrorKind::IsADirectory => ImportError::Folder { file: path.into() },
        _ => ImportError::Unreadable { file: path.into(), cause },
    })
}

/// Opens a file and reads as much of it as is needed to know what it is.
pub(crate) fn open<'p>(
    table: Table,
    path: &Path,
    progress: &'p mut dyn Progress,
) -> Result<Source<'p>, ImportError> {
    let mut file = open_file(path)?;
    let unreadable = |cause| ImportError::Unreadable { file: path.into(), cause };
    let mut magic = Vec::new();
    file.by_ref().take(10).read_to_end(&mut magic).map_err(unreadable)?;
    let foreign =
        |found: &str, way_out| Err(ImportError::Foreign { file: path.into(), found: found.into(), way_out });

    let format = Format::from_extension(path);
    let packing = Packing::from_magic(&magic);
    #[cfg(feature = "parquet")]
    let file_is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let tap = Tap::new(magic.clone(), file, progress);
    let parquet_wanted = matches!(format, None | Some(Format::Parquet));
    match packing {
        #[cfg(not(feature = "parquet"))]
        _ if magic.starts_with(b"PAR1") && parquet_wanted => {
            return foreign("a Parquet file", "this build cannot read Parquet; convert it to CSV first");
        }
        #[cfg(feature = "parquet")]
        _ if magic.starts_with(b"PAR1") && parquet_wanted => {
            if !file_is_regular {
                return foreign("Parquet through a pipe", "Parquet must be read from a file");
            }
            return Ok(Source::Parquet(open_file(path)?, Box::new(tap)));
        }
        Packing::Other(found, way_out) => return foreign(found, way_out),
        Packing::None if format == Some(Format::Parquet) => {
            return foreign(
                "not a Parquet file (it does not begin with PAR1)",
                "rename it if it is a text table",
            );
        }
        _ if format == Some(Format::Parquet) => {
            return foreign("a compressed Parquet file", "unpack it first: Parquet is compressed inside");
        }
        _ => {}
    }
    let decoder = match packing {
        Packing::Gzip => {
            Decoder::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(DISK_BUFFER, tap))))
        }
        Packing::Zstd => {
            let buffered = BufReader::with_capacity(DISK_BUFFER, tap);
            Decoder::Zstd(zstd::Decoder::with_buffer(buffered).map_err(unreadable)?)
        }
        _ => Decoder::Plain(tap),
    };
    let mut text =
        Text { decoder, head: Vec::new(), at: 0, pending: None, format: Format::Tsv, lines: 0, comments: 0 };
    text.fill();
    if text.head.starts_with(&[0xFF, 0xFE]) || text.head.starts_with(&[0xFE, 0xFF]) {
        return foreign("UTF-16 text", "turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8");
    }
    text.skip_leading();
    let first_line = text.head[text.at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    text.format = format.unwrap_or_else(|| Format::from_content(table, first_line));
    if format.is_none_or(|format| format == Format::Json) && first_line.starts_with(b"[") {
        return foreign("a JSON array", "one object a line is read: jq -c '.[]'");
    }
    Ok(Source::Text(Box::new(text)))
}

enum Packing {
    None,
    Gzip,
    Zstd,
    Other(&'static str, &'static str),
}

impl Packing {
    fn from_magic(magic: &[u8]) -> Packing {
        match magic {
            [0x1F, 0x8B, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Packing::Zstd,
            // A frame that decoders skip, which some tools write first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Packing::Zstd,
            [b'B', b'Z', b'h', _, b'1', b'A', b'Y', b'&', b'S', b'Y', ..] => {
                Packing::Other("a bzip2 file", "unpack it first: bunzip2 --keep FILE")
            }
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => {
                Packing::Other("an xz file", "unpack it first: unxz --keep FILE")
            }
            [b'P', b'K', 3, 4, ..] => Packing::Other("a zip archive", "unpack it first: unzip FILE"),
            _ => Packing::None,
        }
    }
}

/// Reads a file, sums it up on the way and tells how far it is.
pub(crate) struct Tap<'p> {
    start: Cursor<Vec<u8>>,
    file: File,
    bytes: u64,
    hasher: Hasher,
    failed: bool,
    /// Whether reading is what makes progress.
    advances: bool,
    progress: &'p mut dyn Progress,
}

impl<'p> Tap<'p> {
    fn new(start: Vec<u8>, file: File, progress: &'p mut dyn Progress) -> Self {
        let start = Cursor::new(start);
        Tap { start, file, bytes: 0, hasher: Hasher::new(), failed: false, advances: true, progress }
    }

    #[cfg(feature = "parquet")]
    /// Tells of progress made with the file otherwise than by reading it here, which from now on is silent.
    pub(crate) fn advance(&mut self, bytes: u64) {
        self.advances = false;
        self.progress.advance(bytes);
    }

    /// Reads the rest and gives the sums of the whole.
    pub(crate) fn finish(mut self) -> io::Result<Sums> {
        let mut buffer = vec![0; DISK_BUFFER];
        while self.read(&mut buffer)? > 0 {}
        Ok(Sums { bytes: self.bytes, checksum: self.hasher.finalize().to_hex().to_string() })
    }
}

impl Read for Tap<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = self.start.read(buffer)?;
        if read == 0 {
            read = self.file.read(buffer).inspect_err(|_| self.failed = true)?;
        }
        self.hasher.update(&buffer[..read]);
        self.bytes += read as u64;
        if self.advances {
            self.progress.advance(read as u64);
        }
        Ok(read)
    }
}

enum Decoder<'p> {
    Plain(Tap<'p>),
    Gzip(Box<MultiGzDecoder<BufReader<Tap<'p>>>>),
    Zstd(zstd::Decoder<'static, BufReader<Tap<'p>>>),
}

impl Read for Decoder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Plain(tap) => tap.read(buffer),
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Zstd(decoder) => decoder.read(buffer),
        }
    }
}

/// Unpacked text from the first line that is no comment.
pub(crate) struct Text<'p> {
    decoder: Decoder<'p>,
    head: Vec<u8>,
    at: usize,
    /// What went wrong after the head was read; said when the head has been used up.
    pending: Option<io::Error>,
    pub(crate) format: Format,
    /// Lines left out at the beginning.
    pub(crate) lines: u64,
    /// How many of those were comments.
    pub(crate) comments: u64,
}

impl Text<'_> {
    /// Adds to the head; `false` at the end.
    fn fill(&mut self) -> bool {
        let before = self.head.len();
        if let Err(e) = self.decoder.by_ref().take(HEAD as u64).read_to_end(&mut self.head) {
            self.pending = Some(e);
        }
        self.head.len() > before && self.head.len() < LONGEST_LINE
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

    /// Says why reading failed after so many whole lines.
    pub(crate) fn failure(&mut self, path: &Path, last_line: u64, error: io::Error) -> ImportError {
        let file = path.into();
        let disk_failed = match &self.decoder {
            Decoder::Plain(_) => true,
            Decoder::Gzip(decoder) => decoder.get_ref().get_ref().failed,
            Decoder::Zstd(decoder) => decoder.get_ref().get_ref().failed,
        };
        match error.kind() {
            _ if disk_failed => ImportError::Unreadable { file, cause: error },
            ErrorKind::UnexpectedEof => ImportError::CutOff { file, last_line },
            _ => ImportError::Damaged { file, last_line, detail: error.to_string() },
        }
    }

    /// Sums up the whole file.
    pub(crate) fn finish(self) -> io::Result<Sums> {
        match self.decoder {
            Decoder::Plain(tap) => tap.finish(),
            Decoder::Gzip(decoder) => decoder.into_inner().into_inner().finish(),
            Decoder::Zstd(decoder) => decoder.finish().into_inner().finish(),
        }
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at < self.head.len() {
            let read = (&self.head[self.at..]).read(buffer)?;
            self.at += read;
            return Ok(read);
        }
        match self.pending.take() {
            Some(error) => Err(error),
            None => self.decoder.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::progress::Silent;

    fn text_of(name: &str, content: &[u8]) -> (Format, u64, u64, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut silent = Silent;
        let Source::Text(mut text) = open(Table::Links, &path, &mut silent).unwrap() else {
            panic!("not text")
        };
        let mut rest = String::new();
        text.read_to_string(&mut rest).unwrap();
        let (format, lines, comments) = (text.format, text.lines, text.comments);
        let sums = text.finish().unwrap();
        assert_eq!(sums.bytes, content.len() as u64);
        assert_eq!(sums.checksum, blake3::hash(content).to_hex().to_string());
        (format, lines, comments, rest)
    }

    #[test]
    fn the_format_is_told_by_the_name_then_by_the_content() {
        assert_eq!(text_of("a.csv", b"x\ty\n").0, Format::Csv);
        assert_eq!(text_of("a.TSV", b"x,y\n").0, Format::Tsv);
        assert_eq!(text_of("a.txt.gz", b"x,y\n").0, Format::Tsv);
        assert_eq!(text_of("a.ndjson", b"").0, Format::Json);
        assert_eq!(text_of("a", b"x,y\tz\n").0, Format::Tsv);
        assert_eq!(text_of("a", b"# a\tb\n\nx,y\n").0, Format::Csv);
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
            open(Table::Links, &path, &mut Silent).err().unwrap().to_string()
        };
        assert!(said("a.tsv", b"BZh91AY&SY....").contains("bzip2"));
        assert!(said("a.tsv", b"\xFF\xFEa\0").contains("iconv"));
        assert!(said("a.json", b"[{\"a\": 1}]").contains("jq"));
        assert!(said("a.parquet", b"a\tb\n").contains("PAR1"));
        assert!(said("a.parquet.gz", b"\x1F\x8B").contains("compressed Parquet"));
        assert!(
            open(Table::Links, &dir.path().join("none"), &mut Silent)
                .err()
                .unwrap()
                .to_string()
                .contains("no such file")
        );
        assert!(
            open(Table::Links, dir.path(), &mut Silent).err().unwrap().to_string().contains("a folder where")
        );
    }
}
