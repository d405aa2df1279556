//! The first thing read of a corpus: what it holds, where it came from, and the checksums of its files.

use crate::error::{Artifact, Error};
use crate::storage::MANIFEST;
use crate::storage::signed::checksum_of;
use crate::text::wikitext::Site;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The version of the format that this program writes and reads.
const FORMAT_VERSION: u32 = 1;

const FORMAT: &str = "llamafur corpus";

/// The contents and the provenance of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The constant `llamafur corpus`.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The program that wrote the corpus, with its version.
    pub program: String,
    /// The counts of pages, links and so on.
    pub counts: Counts,
    /// The provenance of the corpus.
    pub provenance: Provenance,
    /// The wiki it was, if it was one; then the pages' texts are wikitext.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<Site>,
    /// The files of the corpus by name.
    pub files: BTreeMap<String, FileEntry>,
}

/// Counts of what a corpus holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Pages.
    pub pages: u64,
    /// Links.
    pub links: u64,
    /// Categories.
    pub categories: u64,
    /// Pairs of a page and a category it carries.
    pub page_categories: u64,
    /// Pages without a category.
    pub uncategorised: u64,
    /// Edges of the category tree.
    pub tree_edges: u64,
    /// Pages with text.
    pub texts: u64,
    /// Titles that lead to a page of another title.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redirects: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The provenance of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that made it, such as `import table`.
    pub command: String,
    /// The files it read.
    pub inputs: Vec<Input>,
    /// The options that shaped the result.
    pub options: BTreeMap<String, String>,
    /// Counts of what was read, kept and dropped, by name.
    pub account: BTreeMap<String, u64>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The role of the file: `links`, `categories` and so on.
    pub role: String,
    /// The name of the file, without folders.
    pub name: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The BLAKE3 checksum of the file.
    pub checksum: String,
}

/// A file of the corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The BLAKE3 checksum of the file.
    pub checksum: String,
}

/// The manifest as it is written: with a checksum of its own.
#[derive(Serialize, Deserialize)]
struct Signed {
    #[serde(flatten)]
    manifest: Manifest,
    checksum: String,
}

/// The part of a manifest that every version has.
#[derive(Deserialize)]
struct Envelope {
    format: String,
    version: u32,
    #[serde(default)]
    program: String,
}

/// The part of a manifest of another version that names its files.
#[derive(Deserialize)]
struct OtherVersion {
    #[serde(default)]
    files: BTreeMap<String, serde::de::IgnoredAny>,
}

/// The prefix of our programs' names.
const PROGRAM: &str = "llamafur ";

/// Bytes of a manifest that is looked at before a corpus is replaced.
const LARGEST: u64 = 64 << 20;

impl Manifest {
    pub(crate) fn new(
        counts: Counts,
        provenance: Provenance,
        site: Option<Site>,
        files: BTreeMap<String, FileEntry>,
    ) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            program: concat!("llamafur ", env!("CARGO_PKG_VERSION")).into(),
            counts,
            provenance,
            site,
            files,
        }
    }

    /// Returns a checksum of the pages, links and categories: two corpora with the same checksum hold the same graph.
    pub fn graph_checksum(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for name in [super::PAGES, super::CATEGORIES] {
            hasher.update(self.files.get(name).map_or("", |file| &file.checksum).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns the checksum of the pages' texts; empty where the corpus has none.
    pub fn text_checksum(&self) -> &str {
        self.files.get(super::TEXT).map_or("", |file| &file.checksum)
    }

    /// Returns the manifest as JSON text.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let signed = Signed { manifest: self.clone(), checksum: self.checksum() };
        let mut text = serde_json::to_vec_pretty(&signed).expect("strings and numbers can always be written");
        text.push(b'\n');
        text
    }

    /// Reads the manifest of the corpus in `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Manifest, Error> {
        let path = folder.join(MANIFEST);
        let no_corpus = |found: &str| Error::NotACorpus { path: folder.into(), found: found.into() };
        if !folder.exists() {
            return Err(no_corpus("there is no such folder"));
        }
        if !path.exists() {
            return Err(no_corpus("it has no manifest.json"));
        }
        let text = fs::read(&path).map_err(Error::io(&path))?;
        let unreadable =
            |e: serde_json::Error| Error::damaged(&path, format!("unreadable JSON ({e})"), "a manifest");
        let envelope: Envelope = serde_json::from_slice(&text).map_err(unreadable)?;
        if envelope.format != FORMAT {
            return Err(no_corpus(&format!("its manifest is of a “{}”", envelope.format)));
        }
        if envelope.version != FORMAT_VERSION {
            return Err(Error::Version {
                what: Artifact::Corpus,
                path: folder.into(),
                found: envelope.version,
                expected: FORMAT_VERSION,
                program: envelope.program,
            });
        }
        let Signed { manifest, checksum } = serde_json::from_slice(&text).map_err(unreadable)?;
        if manifest.checksum() != checksum {
            return Err(Error::damaged(&path, format!("checksum {}", manifest.checksum()), checksum));
        }
        Ok(manifest)
    }

    /// Fails unless the file in `folder` is this manifest to the last byte.
    pub(crate) fn expect_as_written(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(MANIFEST);
        match fs::read(&path).map_err(Error::io(&path))? == self.to_json() {
            true => Ok(()),
            false => {
                Err(Error::damaged(path, "other whitespace or entries", "the manifest as it was written"))
            }
        }
    }

    /// Returns whether a text is that of this manifest.
    pub(crate) fn is_text(&self, text: &[u8]) -> bool {
        serde_json::from_slice::<Signed>(text).is_ok_and(|signed| signed.manifest == *self)
    }

    /// Returns the names of the files of the corpus in `folder`; `None` if its manifest is not ours or not whole. That
    /// of another version of the format need only name the format.
    pub(crate) fn names_of_files(folder: &Path) -> Option<BTreeSet<String>> {
        let path = folder.join(MANIFEST);
        if fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        match Manifest::read(folder) {
            Ok(manifest) => Some(manifest.files.into_keys().collect()),
            Err(Error::Version { program, .. }) if program.starts_with(PROGRAM) => {
                let other: OtherVersion = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
                Some(other.files.into_keys().collect())
            }
            Err(_) => None,
        }
    }

    /// Returns a checksum of the whole corpus.
    pub fn checksum(&self) -> String {
        checksum_of(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remedy::Remedy;

    #[test]
    fn any_changed_character_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = Manifest::new(
            Counts { pages: 12, ..Counts::default() },
            Provenance::default(),
            None,
            BTreeMap::new(),
        );
        let text = manifest.to_json();
        fs::write(dir.path().join(MANIFEST), &text).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
        for at in (0..text.len()).filter(|&at| !text[at].is_ascii_whitespace()) {
            let mut changed = text.clone();
            changed[at] ^= 1;
            fs::write(dir.path().join(MANIFEST), &changed).unwrap();
            assert!(
                Manifest::read(dir.path()).is_err(),
                "byte {at} of {}",
                String::from_utf8_lossy(&changed)
            );
        }
    }

    #[test]
    fn another_version_names_the_two_ways_out() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"format": "llamafur corpus", "version": 7, "program": "llamafur 9.0"}"#;
        fs::write(dir.path().join(MANIFEST), text).unwrap();
        let error = Manifest::read(dir.path()).unwrap_err();
        assert!(error.to_string().contains("llamafur 9.0"), "{error}");
        assert!(matches!(error.remedy(), Some(Remedy::Either { remedies }) if remedies.len() == 2));
    }
}
