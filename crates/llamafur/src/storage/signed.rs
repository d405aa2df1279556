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

/// The part of a header that every version has.
#[derive(Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    program: String,
}

/// Returns a checksum of data: that of its JSON.
pub(crate) fn checksum_of(data: &impl Serialize) -> String {
    let text = serde_json::to_vec(data).expect("strings and numbers can always be written");
    blake3::hash(&text).to_hex().to_string()
}

/// Returns the text of a header, and its checksum.
pub(crate) fn sign<T: Serialize>(format: &Format, body: T) -> (String, String) {
    let program = concat!("llamafur ", env!("CARGO_PKG_VERSION")).into();
    let header = Header { format: format.name.into(), version: format.version, program, body };
    let checksum = checksum_of(&header);
    let signed = Signed { header, checksum: checksum.clone() };
    let text = serde_json::to_string(&signed).expect("strings and numbers can always be written");
    (text, checksum)
}

/// The entry of a file's metadata that has the header.
pub(super) const METADATA_KEY: &str = "llamafur";

/// The format of a file.
pub(crate) struct Format {
    /// The name of the format, as the header has it.
    pub(crate) name: &'static str,
    /// The version that this program writes and reads.
    pub(crate) version: u32,
    /// The kind of thing in the file.
    pub(crate) of: Artifact,
    /// The contents of the header, for errors.
    pub(crate) what: &'static str,
}

/// Parses a header and returns its body and checksum.
pub(crate) fn parse<T: Serialize + DeserializeOwned>(
    path: &Path,
    text: &str,
    format: &Format,
) -> Result<(T, String), Error> {
    let damaged = |found: String, expected: &str| Error::damaged(path, found, expected);
    let unreadable = |e: serde_json::Error| damaged(format!("unreadable settings ({e})"), format.what);
    let Envelope { format: name, version: found, program } =
        serde_json::from_str(text).map_err(unreadable)?;
    if name != format.name {
        return Err(damaged(format!("settings of a “{name}”"), format.what));
    }
    if found != format.version {
        let (path, what, expected) = (path.into(), format.of, format.version);
        return Err(Error::Version { path, what, found, expected, program });
    }
    let Signed { header, checksum } = serde_json::from_str::<Signed<T>>(text).map_err(unreadable)?;
    if checksum_of(&header) != checksum {
        return Err(damaged("changed settings".into(), &format!("checksum {checksum}")));
    }
    Ok((header.body, checksum))
}

/// Checks a header of any format against its own checksum, which is its last entry.
pub(crate) fn verify(path: &Path, text: &str) -> Result<(), Error> {
    let parts = text
        .rsplit_once(",\"checksum\":\"")
        .and_then(|(header, end)| Some((header, end.strip_suffix("\"}")?)));
    let (header, checksum) = parts.ok_or_else(|| Error::damaged(path, "no checksum", "a signed header"))?;
    if blake3::hash(format!("{header}}}").as_bytes()).to_hex().as_str() != checksum {
        return Err(Error::damaged(path, "changed settings", format!("checksum {checksum}")));
    }
    Ok(())
}

/// Formats block sums as they are written in a header.
pub(crate) fn sums_to_text(sums: &[u64]) -> Vec<String> {
    sums.iter().map(|sum| format!("{sum:016x}")).collect()
}

/// Parses block sums as a header has them.
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
            let (text, _) = sign(&FORMAT, Numbers::from([("number".into(), number)]));
            let (read, _) = parse::<Numbers>(Path::new("file"), &text, &FORMAT).unwrap();
            assert_eq!(read["number"].to_bits(), number.to_bits());
        }
    }

    type Numbers = std::collections::BTreeMap<String, f64>;

    const FORMAT: Format = Format { name: "numbers", version: 1, of: Artifact::Model, what: "numbers" };
}
