//! The tools: what each is called, what it takes, and how the engine is asked.

use super::answers::{Explained, Neighbours, Pages, Predicted, Suspicious, Unexpected};
use super::clean;
use super::failure::{Failure, answered};
use crate::app::{About, App, Work};
use crate::corpora::Served;
use crate::jobs::{Key, State};
use llamafur::Error;
use llamafur::corpus::Found;
use llamafur::engine::{CategoryConf, Engine, ExplainConf, Lookup, PredictConf, RankConf, Suggestion};
use llamafur::progress::{Progress, Silent};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::{self, JsonSchema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Titles among which one is looked for that has characters which nobody sees.
const SIMILAR: usize = 10;

/// Items of a part of a list, at most.
const MOST: usize = 50;

/// Items of a list that can be asked for.
const LAST: usize = 1000;

/// Suspicious links of a corpus that are listed.
const MOST_SUSPICIOUS: usize = 1000;

/// How long a call waits for a pass over the corpus that may be about to end.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// The arguments of a tool.
trait Arguments: DeserializeOwned + JsonSchema + Send + 'static {
    /// The corpus that is asked, by its name.
    fn corpus(&self) -> Option<&str>;

    /// Fails unless they are in range.
    fn check(&self) -> Result<(), Error>;
}

/// A tool: its arguments, and what it makes of them.
trait Ask: Arguments {
    type Answer: Serialize + JsonSchema + Send + 'static;
    const NAME: &'static str;
    const TITLE: &'static str;
    const ABOUT: &'static str;
    /// Whether something may have to be made first, the first time.
    const KIND: Work = Work::Light;

    /// What the question is about.
    fn about(&self) -> About {
        About::Other
    }

    fn answer(self, engine: &Engine) -> Result<Self::Answer, Error>;
}

/// Where the last part of a list begins.
const LAST_PART: usize = LAST - MOST;

fn ten() -> usize {
    10
}

/// The arguments of a tool whose answer is a part of a list. What all of them take is written here: Serde cannot refuse unknown
/// fields of a struct within a struct.
macro_rules! listed {
    ($(#[$about:meta])* $name:ident { $($fields:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $($fields)*
            /// Where the part begins.
            #[serde(default)]
            #[schemars(range(max = LAST_PART))]
            offset: usize,
            /// How many to list.
            #[serde(default = "ten")]
            #[schemars(range(min = 1, max = MOST))]
            limit: usize,
            /// The corpus by its name; the first where none is given.
            corpus: Option<String>,
        }

        impl Arguments for $name {
            fn corpus(&self) -> Option<&str> {
                self.corpus.as_deref()
            }

            fn check(&self) -> Result<(), Error> {
                if !(1..=MOST).contains(&self.limit) {
                    return Err(Error::setting("limit", format!("from 1 to {MOST}"), self.limit));
                }
                if self.offset > LAST_PART {
                    return Err(Error::setting("offset", format!("at most {LAST_PART}"), self.offset));
                }
                Ok(())
            }
        }
    };
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Pages, by their titles and redirects.
    #[default]
    Page,
    /// Categories, by their names.
    Category,
}

listed! {
    /// Finds pages by the beginning of their titles, or categories by that of their names.
    SearchPages {
        /// The beginning of a title or of one of its words; typing errors are forgiven.
        query: String,
        /// What is looked for: pages where it is not given.
        #[serde(default)]
        kind: Kind,
    }
}

/// The title of a page that was shown as this. What nobody sees was taken out, which a title may have.
fn title_of(engine: &Engine, shown: String) -> Result<String, Error> {
    let is_unknown = matches!(engine.corpus().find_page(&shown)?, Found::None);
    let similar = if is_unknown { engine.suggest(&shown, SIMILAR)? } else { Vec::new() };
    Ok(of_shown(similar, shown))
}

/// The same of the name of a category.
fn category_of(engine: &Engine, shown: String) -> Result<String, Error> {
    let is_unknown = matches!(engine.corpus().find_category(&shown)?, Found::None);
    let similar = if is_unknown { engine.suggest_categories(&shown, SIMILAR)? } else { Vec::new() };
    Ok(of_shown(similar, shown))
}

fn of_shown(similar: Vec<Suggestion>, shown: String) -> String {
    let names = similar.into_iter().map(|found| found.title);
    names.into_iter().find(|name| clean::text(name) == shown).unwrap_or(shown)
}

impl Ask for SearchPages {
    type Answer = Pages;
    const NAME: &'static str = "search_pages";
    const TITLE: &'static str = "Find pages";
    const ABOUT: &'static str = "Finds pages by the beginning of their titles, typing errors forgiven. Use it first: the other tools \
        need the title of a page. With `kind` `category` it finds categories, whose names category_neighbours needs.";

    fn answer(self, engine: &Engine) -> Result<Pages, Error> {
        let num = self.offset + self.limit + 1;
        Ok(match self.kind {
            Kind::Page => Pages::part(engine.suggest(&self.query, num)?, self.offset, self.limit),
            Kind::Category => {
                Pages::categories(engine.suggest_categories(&self.query, num)?, self.offset, self.limit)
            }
        })
    }
}

listed! {
    /// The links of a page by how unexpected they are.
    UnexpectedLinks {
        /// The title of the page.
        page: String,
    }
}

impl Ask for UnexpectedLinks {
    type Answer = Unexpected;
    const NAME: &'static str = "unexpected_links";
    const TITLE: &'static str = "Unexpected links of a page";
    const ABOUT: &'static str = "Lists the links in the text of a page: first those that are surprising, then the others. Each row has the \
        sentence, how odd the link is among all links of the corpus, and reasons with their counts. Where no row is surprising, say so; \
        what is listed then is what comes closest.";

    fn about(&self) -> About {
        About::Page(self.page.clone())
    }

    fn answer(self, engine: &Engine) -> Result<Unexpected, Error> {
        let conf = RankConf::default().top(self.offset + self.limit + 1);
        let page = title_of(engine, self.page)?;
        Ok(Unexpected::part(engine.rank(&page, &conf)?, self.offset, self.limit))
    }
}

/// One link, explained.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainLink {
    /// The title of the page that links.
    source: String,
    /// The title of the page that it links to, or might.
    target: String,
    /// Whether with all numbers: the signals of the score, the pairs of categories and of words.
    #[serde(default)]
    all: bool,
    /// The corpus by its name; the first where none is given.
    corpus: Option<String>,
}

impl Arguments for ExplainLink {
    fn corpus(&self) -> Option<&str> {
        self.corpus.as_deref()
    }

    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Pairs of each matrix.
const PAIRS: usize = 5;

impl Ask for ExplainLink {
    type Answer = Explained;
    const NAME: &'static str = "explain_link";
    const TITLE: &'static str = "Explain a link";
    const ABOUT: &'static str = "Says how unexpected a link from one page to another is, whether or not it exists, what speaks for and \
        against it, and, with `all`, the numbers behind that.";

    fn about(&self) -> About {
        About::Link(self.source.clone(), self.target.clone())
    }

    fn answer(self, engine: &Engine) -> Result<Explained, Error> {
        let (source, target) = (title_of(engine, self.source)?, title_of(engine, self.target)?);
        let link = engine.explain(&source, &target, &ExplainConf::default().pairs(PAIRS))?;
        Ok(Explained::of(link, self.all))
    }
}

/// Where pages are looked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Where {
    /// Among those that the text of the page names without a link.
    Named,
    /// In the whole graph.
    Anywhere,
}

listed! {
    /// The links that a page lacks.
    PredictLinks {
        /// The title of the page.
        page: String,
        /// Where pages are looked for; by default `named` for a wiki with texts, else `anywhere`.
        lookup: Option<Where>,
    }
}

impl Ask for PredictLinks {
    type Answer = Predicted;
    const NAME: &'static str = "predict_links";
    const TITLE: &'static str = "Links that a page lacks";
    const ABOUT: &'static str = "Lists pages that a page does not link to and that one would expect it to, the most expected first; of a \
        wiki with the words to be linked and their sentence.";
    const KIND: Work = Work::Heavy;

    fn answer(self, engine: &Engine) -> Result<Predicted, Error> {
        let conf = PredictConf::default().top(self.offset + self.limit + 1);
        let conf = match self.lookup {
            Some(Where::Named) => conf.lookup(Lookup::Named),
            Some(Where::Anywhere) => conf.lookup(Lookup::Anywhere),
            None => conf,
        };
        let page = title_of(engine, self.page)?;
        Ok(Predicted::part(engine.predict(&page, &conf)?, self.offset, self.limit))
    }
}

listed! {
    /// The categories next to one.
    CategoryNeighbours {
        /// The name of the category, without a prefix.
        category: String,
    }
}

impl Ask for CategoryNeighbours {
    type Answer = Neighbours;
    const NAME: &'static str = "category_neighbours";
    const TITLE: &'static str = "Neighbours of a category";
    const ABOUT: &'static str = "Lists the categories whose pages a category's pages link to more than chance would have it, or that \
        link to them, the closest first.";
    const KIND: Work = Work::Heavy;

    fn answer(self, engine: &Engine) -> Result<Neighbours, Error> {
        let conf = CategoryConf::default().neighbours(self.offset + self.limit + 1);
        let category = category_of(engine, self.category)?;
        Ok(Neighbours::part(engine.category(&category, &conf)?, self.offset, self.limit))
    }
}

listed! {
    /// The links that probably lead to the wrong page.
    SuspiciousLinks {
        /// Only links of this page, by its title.
        page: Option<String>,
    }
}

impl SuspiciousLinks {
    const NAME: &'static str = "suspicious_links";
    const TITLE: &'static str = "Links that probably lead to the wrong page";
    const ABOUT: &'static str = "Lists links that probably lead to the wrong page, each with the page of a similar title that was meant: \
        those of one page, or the 1,000 most suspicious of the corpus. The latter are looked for when they are first asked for, which \
        takes seconds or minutes: until that is done, `state` is `working`, and you ask again.";

    async fn call(self, app: &Arc<App>, served: Arc<Served>) -> Result<Suspicious, Failure> {
        let path = served.engine.corpus().path().to_owned();
        let failed = |error: Error| Failure::of(&error, &path, app.advice);
        self.check().map_err(failed)?;
        let (offset, limit) = (self.offset, self.limit);
        let conf = RankConf::default().top(MOST_SUSPICIOUS).snippets(served.engine.corpus().has_text());
        if let Some(page) = self.page {
            let work = move || {
                let title = title_of(&served.engine, page);
                Ok(title.and_then(|title| served.engine.mend_page(&title, &conf, &mut Silent)))
            };
            let mends = app.work(Work::Heavy, work).await;
            let mends = mends.map_err(|problem| Failure::of_problem(&problem))?.map_err(failed)?;
            return Ok(Suspicious::part(&mends, offset, limit));
        }
        // The list is made once for a corpus; until it is there, how far it is.
        let key = Key { version: served.version.clone(), question: String::new() };
        let by = app.clone();
        let work = move |progress: &mut dyn Progress| {
            served.engine.mend(&conf, progress).map_err(|error| by.problem(&error, &served))
        };
        match app.mend_jobs.ask(key, LONGEST_WAIT, work).await {
            Ok(State::Ended(mends)) => Ok(Suspicious::part(&mends, offset, limit)),
            Ok(State::Working(done, of)) => Ok(Suspicious::working(done, of)),
            Err(problem) => Err(Failure::of_problem(&problem)),
        }
    }
}

/// The definition of a tool.
fn tool<Input: JsonSchema + 'static, Output: JsonSchema + 'static>(
    name: &'static str,
    title: &'static str,
    about: &'static str,
) -> Tool {
    let reads_only = ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false);
    Tool::new(name, about, JsonObject::new())
        .with_title(title)
        .with_input_schema::<Input>()
        .with_output_schema::<Output>()
        .with_annotations(reads_only)
}

fn tool_of<A: Ask>() -> Tool {
    tool::<A, A::Answer>(A::NAME, A::TITLE, A::ABOUT)
}

/// All tools.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool_of::<SearchPages>(),
        tool_of::<UnexpectedLinks>(),
        tool_of::<ExplainLink>(),
        tool_of::<PredictLinks>(),
        tool::<SuspiciousLinks, Suspicious>(
            SuspiciousLinks::NAME,
            SuspiciousLinks::TITLE,
            SuspiciousLinks::ABOUT,
        ),
        tool_of::<CategoryNeighbours>(),
    ]
}

/// What a tool answers; `None` where there is no such tool.
pub(super) async fn call(app: &Arc<App>, name: &str, arguments: JsonObject) -> Option<CallToolResult> {
    let answer = match name {
        SearchPages::NAME => ask::<SearchPages>(app, arguments).await,
        UnexpectedLinks::NAME => ask::<UnexpectedLinks>(app, arguments).await,
        ExplainLink::NAME => ask::<ExplainLink>(app, arguments).await,
        PredictLinks::NAME => ask::<PredictLinks>(app, arguments).await,
        CategoryNeighbours::NAME => ask::<CategoryNeighbours>(app, arguments).await,
        SuspiciousLinks::NAME => suspicious(app, arguments).await,
        _ => return None,
    };
    Some(answer.map_or_else(Failure::result, answered))
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| Failure::of_arguments(&error))
}

fn written(answer: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| Failure::of_arguments(&error))
}

async fn ask<A: Ask>(app: &Arc<App>, arguments: JsonObject) -> Result<Value, Failure> {
    let asked: A = read(arguments)?;
    let served = app.corpora.get(asked.corpus()).map_err(|problem| Failure::of_problem(&problem))?;
    let (engine, path) = (served.engine.clone(), served.engine.corpus().path().to_owned());
    let (about, measured) = (asked.about(), engine.clone());
    let work = move || Ok(asked.check().and_then(|()| asked.answer(&engine)));
    let answer = app.work_about(about, measured, A::KIND, work).await;
    let answer = answer.map_err(|problem| Failure::of_problem(&problem))?;
    written(answer.map_err(|error| Failure::of(&error, &path, app.advice))?)
}

async fn suspicious(app: &Arc<App>, arguments: JsonObject) -> Result<Value, Failure> {
    let asked: SuspiciousLinks = read(arguments)?;
    let served = app.corpora.get(asked.corpus.as_deref()).map_err(|problem| Failure::of_problem(&problem))?;
    written(asked.call(app, served).await?)
}
