//! Settings of an import from a wiki's dump.

use llamafur::storage::Existing;
use std::path::PathBuf;

/// The treatment of damage in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Damage {
    /// Stops, and writes nothing.
    #[default]
    Stop,
    /// Imports the readable parts, and reports the lost ones.
    KeepGoing,
}

/// The treatment of hidden categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hidden {
    /// Leaves out hidden categories, which serve the wiki's maintenance.
    #[default]
    LeaveOut,
    /// Keeps all categories.
    Keep,
}

/// The treatment of the pages' wikitext.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Text {
    /// Stores the text, for snippets and for scorers that read.
    #[default]
    Keep,
    /// Stores links and categories only.
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

/// Default of [`WikiConf::longest_page`].
pub(super) const LONGEST_PAGE: usize = 64 << 20;

impl WikiConf {
    /// Creates settings for an import from the parts of one dump, in any order; `-` is the standard input.
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

    /// Sets the treatment of an existing corpus; by default it is an error.
    pub fn existing(mut self, existing: Existing) -> WikiConf {
        self.existing = existing;
        self
    }

    /// Sets the treatment of damage; by default the import stops.
    pub fn damage(mut self, damage: Damage) -> WikiConf {
        self.damage = damage;
        self
    }

    /// Sets the treatment of hidden categories; by default they are left out.
    pub fn hidden(mut self, hidden: Hidden) -> WikiConf {
        self.hidden = hidden;
        self
    }

    /// Sets the treatment of the wikitext; by default it is stored.
    pub fn text(mut self, text: Text) -> WikiConf {
        self.text = text;
        self
    }

    /// Sets the size of the buffer of links in memory, in bytes; 256 MiB by default. Further links are on disk.
    pub fn buffer_bytes(mut self, bytes: usize) -> WikiConf {
        self.buffer_bytes = bytes;
        self
    }

    /// Sets the largest length of a page in bytes of XML or JSON; longer pages are skipped and counted. Default: 64
    /// MiB; MediaWiki itself limits pages to some 2 MiB.
    pub fn longest_page(mut self, bytes: usize) -> WikiConf {
        self.longest_page = bytes;
        self
    }
}
