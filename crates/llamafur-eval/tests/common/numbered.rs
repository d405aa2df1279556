// Judgments without a corpus: included where `Form`, `JudgmentError`, `Judgments` and `Pages` are in scope.

use llamafur::Error;
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use std::io::Read;
use std::path::PathBuf;

/// Titles numbered as they come, with underscores read as spaces; every pair is taken for a link.
#[derive(Default)]
pub(crate) struct Numbered(Vec<String>);

impl Numbered {
    /// The title of a page.
    pub(crate) fn title(&self, page: PageId) -> &str {
        &self.0[page.index()]
    }
}

impl Pages for Numbered {
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error> {
        let title = title.replace('_', " ");
        let known = self.0.iter().position(|other| *other == title);
        let number = known.unwrap_or(self.0.len());
        if known.is_none() && !title.is_empty() {
            self.0.push(title.clone());
        }
        Ok((!title.is_empty()).then_some(PageId(number as u32)))
    }

    fn has_link(&self, _: PageId, _: PageId) -> Result<bool, Error> {
        Ok(true)
    }

    fn title(&self, page: PageId) -> Result<String, Error> {
        Ok(self.title(page).to_owned())
    }
}

/// Reads judgments without a corpus.
pub(crate) fn alone(
    input: impl Read,
    path: impl Into<PathBuf>,
    form: Form,
) -> Result<(Judgments, Numbered), JudgmentError> {
    let mut titles = Numbered::default();
    Ok((Judgments::read(input, path, form, &mut titles, &mut Silent)?, titles))
}
