//! Headers of files that are made after the manifest: JSON that says what it is, and carries a checksum of itself.

use crate::Error;
use crate::error::Artifact;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A header without its checksum.
#[derive(Serialize, Deserialize)]
struct Header<T> {
    format: String,
    version: u32,
    program: String,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize, Deserialize)]
struct Signed<T> {
    #[serde(flatten)]
    header: Header<T>,
    checksum: String,
}

/// As much of a header as every version has.
#[derive(Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    program: String,
}

impl<T: Serialize> Header<T> {
    fn checksum(&self) -> String {
        let text = serde_json::to_vec(self).expect("strings and numbers can always be written");
        blake3::hash(&text).to_hex().to_string()
    }
}

/// The text of a header, and its checksum.
pub(crate) fn sign<T: Serialize>(format: &str, version: u32, body: T) -> (String, String) {
    let program = concat!("llamafur ", env!("CARGO_PKG_VERSION")).into();
    let header = Header { format: format.into(), version, program, body };
    let checksum = header.checksum();
    let signed = Signed { header, checksum: checksum.clone() };
    let text = serde_json::to_string(&signed).expect("strings and numbers can always be written");
    (text, checksum)
}

/// The entry of a file's metadata that has the header.
pub(super) const METADATA_KEY: &str = "llamafur";

/// What a file is of.
pub(crate) struct Format {
    /// Its name, as the header has it.
    pub(crate) name: &'static str,
    /// The version that this program writes and reads.
    pub(crate) version: u32,
    /// What the header says, for errors.
    pub(crate) what: &'static str,
}

/// Why a header was not believed.
pub(crate) enum Refused {
    /// It is of another version, written by this program.
    Version(u32, String),
    /// It is damaged, or of something else.
    Damaged(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused::Damaged(error)
    }
}

impl Refused {
    /// The error of a file that must be of the version of `format`.
    pub(crate) fn into_error(self, path: &Path, what: Artifact, format: &Format) -> Error {
        match self {
            Refused::Version(found, program) => {
                Error::Version { path: path.into(), what, found, expected: format.version, program }
            }
            Refused::Damaged(error) => error,
        }
    }
}

/// What a header says, and its checksum; `what` names what it should be of.
pub(crate) fn parse<T: Serialize + DeserializeOwned>(
    path: &Path,
    text: &str,
    (format, version): (&str, u32),
    what: &str,
) -> Result<(T, String), Refused> {
    let damaged = |found: String, expected: &str| Refused::Damaged(Error::damaged(path, found, expected));
    let unreadable = |e: serde_json::Error| damaged(format!("unreadable settings ({e})"), what);
    let envelope: Envelope = serde_json::from_str(text).map_err(unreadable)?;
    if envelope.format != format {
        return Err(damaged(format!("settings of a “{}”", envelope.format), what));
    }
    if envelope.version != version {
        return Err(Refused::Version(envelope.version, envelope.program));
    }
    let Signed { header, checksum } = serde_json::from_str::<Signed<T>>(text).map_err(unreadable)?;
    if header.checksum() != checksum {
        return Err(damaged("changed settings".into(), &format!("checksum {checksum}")));
    }
    Ok((header.body, checksum))
}

/// Block sums as they are written in a header.
pub(crate) fn sums_to_text(sums: &[u64]) -> Vec<String> {
    sums.iter().map(|sum| format!("{sum:016x}")).collect()
}

/// Block sums as they stand in a header.
pub(crate) fn sums_from_text(path: &Path, texts: &[String]) -> Result<Vec<u64>, Error> {
    let sums = texts.iter().map(|text| u64::from_str_radix(text, 16));
    sums.collect::<Result<_, _>>().map_err(|e| Error::damaged(path, e.to_string(), "block sums"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, generator, unit};

    /// A checksum is taken over the numbers that were read, so they must be those that were written.
    #[test]
    fn any_number_is_read_as_it_was_written() {
        let mut random = generator(1, Purpose::RandomScore, 0);
        for _ in 0..2000 {
            let number = unit(&mut random) / 3.0;
            let (text, _) = sign("numbers", 1, Numbers::from([("number".into(), number)]));
            let Ok((read, _)) = parse::<Numbers>(Path::new("file"), &text, ("numbers", 1), "numbers") else {
                panic!("{number:e} is refused");
            };
            assert_eq!(read["number"].to_bits(), number.to_bits());
        }
    }

    type Numbers = std::collections::BTreeMap<String, f64>;
}
