//! What the tools answer: the engine's answers without what an assistant has no use for.

use llamafur::engine::{
    CategoryNeighbourhood, Evidence, LinkExplanation, Mends, PredictedLink, Predictions, Ranking, RankingRow,
    Suggestion, SuspiciousLink,
};
use llamafur::score::{Reason, Scorer, Side};
use llamafur::text::wikitext::Place;
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

/// Pages whose titles fit, or categories whose names do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pages {
    /// The best first.
    pages: Vec<Page>,
    /// The exact names of categories, the best first, where these were looked for.
    categories: Vec<String>,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
struct Page {
    /// Its exact title.
    title: String,
    /// The other title that fits, where it is not the page's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect: Option<String>,
}

/// Why a signal finds a link odd or expected.
#[derive(Debug, Serialize, JsonSchema)]
struct Why {
    /// The signal by its name.
    signal: String,
    /// What that signal looks at.
    meaning: &'static str,
    /// The pair of categories, or of words, that says most, where the signal is a matrix over them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<Pair>,
}

/// Two categories or two words, and how much pages with the first link to pages with the second.
#[derive(Debug, Serialize, JsonSchema)]
struct Pair {
    /// Of the page that links.
    source: String,
    /// Of the page that it links to.
    target: String,
    /// Below 0: they seldom link. Above 0: often.
    weight: f64,
}

impl Why {
    fn all(reasons: Vec<Reason>) -> Vec<Why> {
        reasons.into_iter().map(Why::of).collect()
    }

    fn of(reason: Reason) -> Why {
        let meaning = Scorer::parse(&reason.signal).map_or("", |(scorer, _)| scorer.about);
        let pair =
            reason.pair.map(|pair| Pair { source: pair.source, target: pair.target, weight: pair.weight });
        Why { signal: reason.signal, meaning, pair }
    }
}

/// What was counted in the corpus, the link itself left out, that makes the link odd or expected.
#[derive(Debug, Serialize, JsonSchema)]
struct Fact {
    /// What is counted.
    kind: &'static str,
    /// It in a sentence, which quotes titles, categories or words.
    text: String,
    /// The category of the pages that links come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The category of the pages that links lead to.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    /// How many links or pages there are.
    links: u64,
    /// How many there could have been.
    of: u64,
    /// How many chance would give.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    /// Titles of some of the pages, or the words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
}

impl Fact {
    fn all(evidence: Vec<Evidence>) -> Vec<Fact> {
        evidence.into_iter().map(Fact::of).collect()
    }

    fn of(evidence: Evidence) -> Fact {
        let Evidence { kind, text, from, to, links, of, expected, names } = evidence;
        Fact { kind: kind.name(), text, from, to, links, of, expected, names }
    }
}

/// Links of a page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unexpected {
    /// The exact title of the page.
    page: String,
    /// How many links it has.
    num_links: usize,
    /// How many rows of the whole list are surprising; where none is, nothing on the page is.
    num_surprising: usize,
    /// This part of the rows: those that are surprising first, then the others. Links of one sentence are one row.
    links: Vec<UnexpectedLink>,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Signals that have no part in it, since the corpus lacks something.
    left_out: Vec<String>,
}

/// A link of a page.
#[derive(Debug, Serialize, JsonSchema)]
struct UnexpectedLink {
    /// Its place, from 1.
    rank: usize,
    /// The title of the page that it leads to.
    target: String,
    /// How unexpected it is; null where nothing is known of it.
    unexpectedness: Option<f64>,
    /// The percentage of the corpus's links that are less unexpected; null where nothing is known of it.
    odder_than: Option<f64>,
    /// Whether it is worth telling somebody.
    surprising: bool,
    /// What makes it odd, the most convincing first; of a link that is less odd than half of the corpus's links what makes it expected.
    reasons: Vec<Fact>,
    #[serde(flatten)]
    context: Context,
}

/// Where a page has a link.
#[derive(Debug, Serialize, JsonSchema)]
struct Context {
    /// The place: prose, caption, list, table and others; null where the text does not say.
    #[serde(rename = "where")]
    place: Option<&'static str>,
    /// The heading of its section, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    /// The sentence that has it, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
    /// Other pages that the sentence links to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    also: Vec<String>,
}

impl From<RankingRow> for UnexpectedLink {
    fn from(link: RankingRow) -> UnexpectedLink {
        UnexpectedLink {
            rank: link.rank,
            target: link.target,
            unexpectedness: link.unexpectedness,
            odder_than: link.odder_than,
            surprising: link.surprising,
            reasons: Fact::all(link.reasons),
            context: Context {
                place: link.place.map(Place::name),
                section: link.section,
                sentence: link.snippet,
                also: link.also,
            },
        }
    }
}

/// Why a link is where the ranking has it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Explained {
    /// The page that links.
    source: String,
    /// The page that it links to.
    target: String,
    /// Whether the link exists; if not, it is looked at as if it did.
    linked: bool,
    /// How unexpected it is; null where nothing is known of it.
    unexpectedness: Option<f64>,
    /// The percentage of the corpus's links that are less unexpected; null where nothing is known of it.
    odder_than: Option<f64>,
    /// Whether it is worth telling somebody.
    surprising: bool,
    /// Its row among those of the page, as `unexpected_links` lists them.
    rank: usize,
    /// How many rows there are, with this one.
    of: usize,
    /// `surprising`, `odd` if it is odder than half of the corpus's links, or else `expected`; null where nothing is known of it.
    verdict: Option<&'static str>,
    /// What makes it odd, the most convincing first.
    odd: Vec<Fact>,
    /// What makes it expected, the most convincing first.
    expected: Vec<Fact>,
    #[serde(flatten)]
    context: Context,
    /// All numbers, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Numbers>,
}

/// What the score of a link is made of.
#[derive(Debug, Serialize, JsonSchema)]
struct Numbers {
    /// Signals that make it odd, the strongest first.
    odd: Vec<Why>,
    /// Signals that make it expected, the strongest first.
    expected: Vec<Why>,
    /// What the learnt matrices say.
    matrices: Vec<MatrixSays>,
}

/// What a matrix says of a link.
#[derive(Debug, Serialize, JsonSchema)]
struct MatrixSays {
    /// `categories`, `words`, or `lead`: words at the beginning of the pages.
    over: String,
    /// How unexpected the link is to it; null where a page carries nothing.
    unexpectedness: Option<f64>,
    /// The pairs that say most.
    pairs: Vec<CountedPair>,
}

/// A pair and the links behind it.
#[derive(Debug, Serialize, JsonSchema)]
struct CountedPair {
    /// Of the page that links.
    source: String,
    /// Of the page that it links to.
    target: String,
    /// Below 0: they seldom link. Above 0: often.
    weight: f64,
    /// How many links of the corpus join the two.
    links: u64,
}

impl Explained {
    /// The explanation of a link, with all numbers or without.
    pub(super) fn of(link: LinkExplanation, all: bool) -> Explained {
        let matrices = link.matrices.into_iter().map(|matrix| MatrixSays {
            over: matrix.over.to_string(),
            unexpectedness: matrix.unexpectedness,
            pairs: matrix
                .pairs
                .into_iter()
                .map(|pair| CountedPair {
                    source: pair.source,
                    target: pair.target,
                    weight: pair.weight,
                    links: pair.links,
                })
                .collect(),
        });
        let numbers = all.then(|| Numbers {
            odd: Why::all(link.odd_signals),
            expected: Why::all(link.expected_signals),
            matrices: matrices.collect(),
        });
        let verdict = link.verdict.map(|side| match side {
            _ if link.surprising => "surprising",
            Side::Odd => "odd",
            Side::Expected => "expected",
        });
        Explained {
            source: link.source,
            target: link.target,
            linked: link.linked,
            unexpectedness: link.unexpectedness,
            odder_than: link.odder_than,
            surprising: link.surprising,
            rank: link.rank,
            of: link.of,
            verdict,
            odd: Fact::all(link.odd),
            expected: Fact::all(link.expected),
            context: Context {
                place: link.place.map(Place::name),
                section: link.section,
                sentence: link.snippet,
                also: link.also,
            },
            numbers,
        }
    }
}

/// Links that a page lacks.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Predicted {
    /// The exact title of the page.
    page: String,
    /// Where pages were looked for: `named` among those that the text names without a link, `anywhere` in the whole graph.
    lookup: String,
    /// How many pages were compared.
    num_candidates: usize,
    /// This part of them, the most expected first.
    links: Vec<Missing>,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// A link that is not there.
#[derive(Debug, Serialize, JsonSchema)]
struct Missing {
    /// Its place, from 1.
    rank: usize,
    /// The title of the page that it would lead to.
    target: String,
    /// How expected it is.
    expectedness: f64,
    /// What makes it expected, the strongest first.
    reasons: Vec<Why>,
    /// The words of the text that could be linked, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    /// Their sentence, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
}

impl From<PredictedLink> for Missing {
    fn from(link: PredictedLink) -> Missing {
        Missing {
            rank: link.rank,
            target: link.target,
            expectedness: link.expectedness,
            reasons: Why::all(link.reasons),
            words: link.words,
            sentence: link.snippet,
        }
    }
}

/// Links that probably lead to the wrong page.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Suspicious {
    /// `ready`, or `working` while the corpus is being gone through for the first time: ask again later.
    state: &'static str,
    /// Pages that were gone through, and how many there are, while working.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<[u64; 2]>,
    /// How many suspicious links the corpus has; the most suspicious 1,000 of them are listed.
    num_suspicious: u64,
    /// This part of them, the most suspicious first.
    links: Vec<Wrong>,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// A link that probably leads to the wrong page.
#[derive(Debug, Serialize, JsonSchema)]
struct Wrong {
    /// Its place in the corpus, from 1.
    rank: usize,
    /// The page that links.
    source: String,
    /// The page that it leads to.
    target: String,
    /// The page that was probably meant.
    better: String,
    /// How much more expected a link to that page would be.
    gain: f64,
    /// What makes a link to that page expected, the strongest first.
    reasons: Vec<Why>,
    /// The sentence that has it, quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
}

impl From<SuspiciousLink> for Wrong {
    fn from(link: SuspiciousLink) -> Wrong {
        Wrong {
            rank: link.rank,
            source: link.source,
            target: link.target,
            better: link.better,
            gain: link.gain,
            reasons: Why::all(link.reasons),
            sentence: link.snippet,
        }
    }
}

/// The categories next to one.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Neighbours {
    /// The category; where the corpus was cleansed, the one that it became.
    category: String,
    /// How much the pages of the category link to one another.
    with_itself: f64,
    /// This part of its neighbours, the closest first.
    neighbours: Vec<Neighbour>,
    /// Where the next part begins; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// A category next to another one.
#[derive(Debug, Serialize, JsonSchema)]
struct Neighbour {
    /// Its name.
    category: String,
    /// The weight of links to it.
    to: f64,
    /// The weight of links from it.
    from: f64,
    /// How many links lead to it.
    links_to: u64,
    /// How many lead from it.
    links_from: u64,
}

/// A part of a list that has its beginning up to one more than are wanted: the part, and where the next begins.
fn part<T, U: From<T>>(all: Vec<T>, offset: usize, limit: usize) -> (Vec<U>, Option<usize>) {
    let next = (all.len() > offset + limit).then_some(offset + limit);
    (all.into_iter().skip(offset).take(limit).map(U::from).collect(), next)
}

impl From<Suggestion> for Page {
    fn from(found: Suggestion) -> Page {
        Page { title: found.title, redirect: found.redirect }
    }
}

impl Pages {
    pub(super) fn part(found: Vec<Suggestion>, offset: usize, limit: usize) -> Pages {
        let (pages, next_offset) = part(found, offset, limit);
        Pages { pages, categories: Vec::new(), next_offset }
    }

    pub(super) fn categories(found: Vec<Suggestion>, offset: usize, limit: usize) -> Pages {
        let names = found.into_iter().map(|found| found.title).collect();
        let (categories, next_offset) = part(names, offset, limit);
        Pages { pages: Vec::new(), categories, next_offset }
    }
}

impl Unexpected {
    pub(super) fn part(ranking: Ranking, offset: usize, limit: usize) -> Unexpected {
        let (links, next_offset) = part(ranking.links, offset, limit);
        let left_out = ranking.left_out.into_iter().map(|signal| signal.name).collect();
        let Ranking { page, num_links, num_surprising, .. } = ranking;
        Unexpected { page, num_links, num_surprising, links, next_offset, left_out }
    }
}

impl Predicted {
    pub(super) fn part(found: Predictions, offset: usize, limit: usize) -> Predicted {
        let (links, next_offset) = part(found.links, offset, limit);
        let (page, lookup, num_candidates) = (found.page, found.lookup.to_string(), found.num_candidates);
        Predicted { page, lookup, num_candidates, links, next_offset }
    }
}

impl Suspicious {
    pub(super) fn working(done: u64, of: u64) -> Suspicious {
        let (state, progress) = ("working", Some([done, of]));
        Suspicious { state, progress, num_suspicious: 0, links: Vec::new(), next_offset: None }
    }

    pub(super) fn part(mends: &Mends, offset: usize, limit: usize) -> Suspicious {
        let wanted = mends.links.iter().take(offset + limit + 1).cloned().collect();
        let (links, next_offset) = part(wanted, offset, limit);
        let num_suspicious = mends.num_suspicious;
        Suspicious { state: "ready", progress: None, num_suspicious, links, next_offset }
    }
}

impl Neighbours {
    pub(super) fn part(found: CategoryNeighbourhood, offset: usize, limit: usize) -> Neighbours {
        let (neighbours, next_offset) = part(found.neighbours, offset, limit);
        Neighbours { category: found.category, with_itself: found.with_itself, neighbours, next_offset }
    }
}

impl From<llamafur::engine::CategoryNeighbour> for Neighbour {
    fn from(found: llamafur::engine::CategoryNeighbour) -> Neighbour {
        Neighbour {
            category: found.category,
            to: found.to,
            from: found.from,
            links_to: found.links_to,
            links_from: found.links_from,
        }
    }
}
