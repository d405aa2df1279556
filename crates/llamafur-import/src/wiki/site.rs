//! Identifies the wiki of a dump: all parts must name the same one.

use super::error::WikiError;
use super::header::read_site;
use crate::input::name;
use llamafur::text::wikitext::{Site, Titles};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The wiki of the files read so far.
#[derive(Default)]
pub(super) struct Wiki {
    first: Option<First>,
    /// True if a dump's head contained the site.
    has_head: bool,
}

/// The site of the first file, read from its head or assumed.
struct First {
    site: Site,
    titles: Arc<Titles>,
    file: PathBuf,
}

impl First {
    fn new(site: Site, file: &Path) -> First {
        First { titles: Arc::new(Titles::new(&site)), site, file: file.into() }
    }
}

impl Wiki {
    /// Creates a known wiki; messages name `file` as its source.
    #[cfg(feature = "arrow")]
    pub(super) fn known(site: Site, file: &Path) -> Wiki {
        Wiki { first: Some(First::new(site, file)), has_head: true }
    }

    /// Reads the head of a file, and rejects that of another wiki.
    pub(super) fn head(&mut self, head: &str, file: &Path) -> Result<(), WikiError> {
        let header = |detail| WikiError::Header { file: file.into(), detail };
        let Some(site) = read_site(head).map_err(header)? else { return Ok(()) };
        match &self.first {
            Some(first) if identity(&first.site) != identity(&site) => Err(WikiError::OtherWiki {
                file: file.into(),
                found: identity(&site).into(),
                first: first.file.clone(),
                expected: identity(&first.site).into(),
            }),
            Some(_) => Ok(()),
            None => {
                self.has_head = true;
                self.first = Some(First::new(site, file));
                Ok(())
            }
        }
    }

    /// Returns the titles' rules for a file: those of the dump, or else of an English wiki.
    pub(super) fn titles(&mut self, file: &Path) -> Arc<Titles> {
        self.first.get_or_insert_with(|| First::new(Site::default(), file)).titles.clone()
    }

    /// Returns the wiki, and a note for the user if no file identified it.
    pub(super) fn finish(self) -> (Site, Option<String>) {
        let note = (!self.has_head).then(|| {
            let file = self.first.as_ref().map(|first| name(&first.file)).unwrap_or_default();
            format!(
                "{file}: the wiki's language and namespaces are not said, as in the middle of a dump: it is read as \
                 English, and categories of other languages are not found"
            )
        });
        (self.first.map(|first| first.site).unwrap_or_default(), note)
    }
}

/// Returns the name that identifies a wiki: old dumps lack the name of the database.
fn identity(site: &Site) -> &str {
    if site.database.is_empty() { &site.name } else { &site.database }
}
