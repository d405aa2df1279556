//! What to import from a wiki's dump, and how.

use llamafur::storage::Existing;
use std::path::PathBuf;

/// What to do with damage in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Damage {
    /// Stop, and write nothing.
    #[default]
    Stop,
    /// Import what is whole, and say what was lost.
    KeepGoing,
}

/// Which categories to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hidden {
    /// Leave out the hidden ones, which are for the wiki's housekeeping.
    #[default]
    LeaveOut,
    /// Take all.
    Keep,
}

/// Whether to store the pages' wikitext.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Text {
    /// Store it, for snippets and for scorers that read.
    #[default]
    Keep,
    /// Only links and categories.
    LeaveOut,
}

/// Settings of an import from a wiki's dump.
///
/// ```
/// use llamafur_import::wiki::{Damage, WikiConf};
/// let conf = WikiConf::new(["simplewiki-pages-articles.xml.bz2"]).damage(Damage::KeepGoing);
/// ```
#[derive(Debug, Clone)]
pub struct WikiConf {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) existing: Existing,
    pub(crate) damage: Damage,
    pub(crate) hidden: Hidden,
    pub(crate) text: Text,
    pub(crate) buffer_bytes: usize,
    pub(crate) longest_page: usize,
}

/// Pages and documents of more bytes are passed over.
pub(super) const LONGEST_PAGE: usize = 64 << 20;

impl WikiConf {
    /// An import from the parts of one dump, in any order; `-` is the standard input.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> WikiConf {
        WikiConf {
            files: files.into_iter().map(Into::into).collect(),
            existing: Existing::default(),
            damage: Damage::default(),
            hidden: Hidden::default(),
            text: Text::default(),
            buffer_bytes: 256 << 20,
            longest_page: LONGEST_PAGE,
        }
    }

    /// What to do if there is a corpus already; by default it is an error.
    pub fn existing(mut self, existing: Existing) -> WikiConf {
        self.existing = existing;
        self
    }

    /// What to do with damage; by default the import stops.
    pub fn damage(mut self, damage: Damage) -> WikiConf {
        self.damage = damage;
        self
    }

    /// Whether hidden categories are taken; by default they are left out.
    pub fn hidden(mut self, hidden: Hidden) -> WikiConf {
        self.hidden = hidden;
        self
    }

    /// Whether the wikitext is stored; by default it is.
    pub fn text(mut self, text: Text) -> WikiConf {
        self.text = text;
        self
    }

    /// How many bytes of links wait in memory before they go to disk; 256 MiB by default.
    pub fn buffer_bytes(mut self, bytes: usize) -> WikiConf {
        self.buffer_bytes = bytes;
        self
    }

    /// How many bytes of XML or JSON a page may have; longer ones are passed over and counted. Default: 64 MiB, of which MediaWiki
    /// fills no more than some 2 MiB by itself.
    pub fn longest_page(mut self, bytes: usize) -> WikiConf {
        self.longest_page = bytes;
        self
    }
}
