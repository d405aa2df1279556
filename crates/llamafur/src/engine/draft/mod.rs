//! Rankings of a page that is not in the corpus, or of a new version of one that is, as if the corpus had it.
//!
//! The page is laid over the corpus ([`PageOverlay`]): its links, categories, words and vectors are those of the draft.
//! Its links make it a neighbour of their targets, and those that a new version lacks are gone. The matrices, the
//! dictionary with the rarity of its words, and the means and deviations of the scores stay those of the corpus. So a
//! draft that has the text of a page of the corpus, under its title, gets the scores that the page has.
//!
//! # Quirks
//! A corpus does not keep all that an import knows: a hidden or renamed category counts as one that the corpus lacks,
//! though the import would have left it out or renamed it. A corpus of dumps of tables or of a search index has links
//! that templates make; a draft has only those in its text. Vectors from elsewhere stay those of the page, and a new
//! page has none.

mod read;

use super::ranked_page::RankedPage;
use super::{Engine, RankConf, Ranking};
use crate::Error;
use crate::progress::Silent;
use crate::remedy::Remedy;
use crate::score::open;
use serde::{Deserialize, Serialize};

/// The text of a page that a corpus lacks, or of a new version of one.
///
/// For a corpus of a wiki it is wikitext. For others it is plain text in which `[[Title]]` and `[[Title|words]]` are links, and
/// `[[Category:Name]]` is a category. `[[Title|]]` is a link without words.
///
/// ```
/// use llamafur::engine::Draft;
/// let draft = Draft::new("Io", "A moon of [[Jupiter]]. [[Category:Moons]]".as_bytes())?;
/// assert_eq!(draft.title(), "Io");
/// assert!(Draft::new("Io", &[0xFF, 0xFE]).is_err());
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    title: String,
    text: String,
}

impl Draft {
    /// The largest number of bytes of a draft: four times as many as MediaWiki allows a page.
    pub const MOST_BYTES: usize = 8 << 20;

    /// Creates a draft of UTF-8 bytes. A byte order mark and whitespace at the end are dropped, as MediaWiki does when
    /// a page is saved; lines end as on Unix.
    ///
    /// # Errors
    /// If there is no title or no text, or the bytes are too many or not text.
    pub fn new(title: impl Into<String>, bytes: &[u8]) -> Result<Draft, Error> {
        let title = title.into();
        let refuse = |found: String, advice: &'static str| Error::Draft {
            title: title.clone(),
            found,
            remedy: Remedy::advice(advice),
        };
        if title.trim().is_empty() {
            return Err(Error::setting("title", "a title that is not empty", "an empty one"));
        }
        if bytes.len() > Draft::MOST_BYTES {
            let most = Draft::MOST_BYTES >> 20;
            return Err(refuse(format!("has more than {most} MiB"), "give the text of one page"));
        }
        if bytes.contains(&0) {
            return Err(refuse("is no text: it has bytes of 0".into(), "give a text file in UTF-8"));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            refuse(format!("is not UTF-8 from byte {at} on"), "save it as UTF-8")
        })?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim_end().replace("\r\n", "\n");
        if text.is_empty() {
            return Err(refuse("is empty".into(), "give a text with links: [[Title]]"));
        }
        Ok(Draft { title, text })
    }

    /// Returns its title, as given.
    pub fn title(&self) -> &str {
        &self.title
    }
}

/// An account of the categories and links of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DraftAccount {
    /// True if the corpus has a page of that title, which the draft replaces.
    pub is_revision: bool,
    /// The categories of the draft that the corpus has.
    pub categories: Vec<String>,
    /// The categories that it lacks: new ones, or, on a wiki, hidden or renamed ones.
    pub unknown_categories: Vec<String>,
    /// The titles of links that lead to no page of the corpus, each once, in the order of the text.
    pub unknown_links: Vec<String>,
    /// The titles of pages that the draft links to more than once, by whatever title; they count once.
    pub repeated_links: Vec<String>,
    /// Number of links that lead to the page itself; they are not counted.
    pub own_links: usize,
    /// Number of links that lead to other namespaces, to other wikis, or to no title; they are not in the graph.
    pub other_links: usize,
}

/// The links of a draft, the most unexpected first, and an account of the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftRanking {
    /// The ranking.
    #[serde(flatten)]
    pub ranking: Ranking,
    /// The account of the draft's categories and links.
    pub draft: DraftAccount,
}

impl Engine {
    /// Returns which categories and links of a draft the corpus knows, without ranking anything.
    ///
    /// # Errors
    /// If the draft has no link to a page of the corpus, or is a redirect.
    pub fn read_draft(&self, draft: &Draft) -> Result<DraftAccount, Error> {
        self.whole(|| self.read_draft_unwatched(draft))
    }

    fn read_draft_unwatched(&self, draft: &Draft) -> Result<DraftAccount, Error> {
        Ok(read::page(self.corpus(), draft)?.1)
    }

    /// Ranks the links of a draft, the most unexpected first, as if the corpus had the page.
    ///
    /// ```no_run
    /// use llamafur::engine::Draft;
    /// use llamafur::{Engine, EngineConf, RankConf};
    ///
    /// let engine = Engine::open("my.corpus", EngineConf::default())?;
    /// let draft = Draft::new("Io", "A moon of [[Jupiter]], named by [[Simon Marius]].".as_bytes())?;
    /// let ranked = engine.rank_draft(&draft, &RankConf::default())?;
    /// println!("{:?} {:?}", ranked.ranking.links, ranked.draft.unknown_links);
    /// # Ok::<(), llamafur::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the draft has no link to a page of the corpus, or is a redirect; if there is no such scorer, it is not one of
    /// this library, or the corpus lacks what it needs.
    pub fn rank_draft(&self, draft: &Draft, conf: &RankConf) -> Result<DraftRanking, Error> {
        self.whole(|| self.rank_draft_unwatched(draft, conf))
    }

    fn rank_draft_unwatched(&self, draft: &Draft, conf: &RankConf) -> Result<DraftRanking, Error> {
        let (overlay, account) = read::page(self.corpus(), draft)?;
        let base = self.inputs();
        if base.asks_for_own(&conf.scorer) {
            let rule = "a scorer of the library: others know nothing of a draft";
            return Err(Error::setting("scorer", rule, &conf.scorer));
        }
        // What the corpus lacks is made for its own pages first.
        let of_corpus = self.scorer(&conf.scorer, &conf.score)?;
        self.scale_of(&*of_corpus, &mut Silent)?;
        let page = overlay.page;
        let inputs = self.0.inputs.with_page(overlay);
        let scorer = open(&conf.scorer, &inputs, &conf.score, &mut Silent)?;
        let ranked = RankedPage::new(self, &inputs, &*scorer, page, conf.places)?;
        let ranking = self.ranking(&ranked, conf)?;
        Ok(DraftRanking { ranking, draft: account })
    }
}
