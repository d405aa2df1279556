//! A corpus that can be asked questions.

use crate::errors::Failure;
use crate::frame::{Columns, Frame};
use crate::scorer::PyScorer;
use crate::settings::{Scoring, With};
use crate::watch::run;
use crate::whole_graph::score_all;
use arrow_array::{Float64Array, StringArray};
use llamafur::engine::{
    CategoryConf, Draft, DraftAccount, DraftRanking, Engine as Inner, EngineConf, RankConf,
    Ranking as Answer, RankingRow, TopConf, repair,
};
use llamafur::graph::PageId;
use llamafur::progress::Progress;
use llamafur::{CategoryId, Error, Score};
use llamafur_eval::report::category_graph;
use llamafur_figures::WIDE;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// An open corpus.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct Engine {
    pub(crate) inner: Inner,
    scorers: Vec<Arc<PyScorer>>,
}

/// The JSON of an answer.
pub(crate) fn json(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(|error| Failure::argument(error.to_string()))
}

impl Engine {
    /// Does work without the interpreter's lock. An exception of one of the caller's own scorers is raised as it was.
    pub(crate) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        display: Option<Py<PyAny>>,
        work: impl FnOnce(&Inner, &mut dyn Progress) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        run(py, display, |watch| {
            let answer = self.inner.corpus().watch().whole(|| work(&self.inner, watch));
            answer.map_err(|failure| match &failure {
                Failure::Core(Error::Scorer { name, .. }) => {
                    let mut named = self.scorers.iter().filter(|scorer| scorer.name() == name);
                    named.find_map(|scorer| scorer.take_raised()).map_or(failure, Failure::Python)
                }
                _ => failure,
            })
        })
    }
}

#[pymethods]
impl Engine {
    /// Opens the corpus in a folder, with scorers of one's own: name, version, function.
    #[staticmethod]
    #[pyo3(signature = (path, scorers = Vec::new(), memory = None))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        scorers: Vec<(String, String, Py<PyAny>)>,
        memory: Option<u64>,
    ) -> PyResult<Engine> {
        let scorers: Vec<Arc<PyScorer>> = scorers
            .into_iter()
            .map(|(name, version, function)| Arc::new(PyScorer::new(name, version, function)))
            .collect();
        let conf = EngineConf::default().with(memory, EngineConf::memory);
        let conf = scorers.iter().fold(conf, |conf, scorer| conf.scorer(scorer.clone()));
        let inner = run(py, None, |_| Inner::open(path, conf))?;
        Ok(Engine { inner, scorers })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.inner.corpus().path().into()
    }

    #[getter]
    fn num_pages(&self) -> usize {
        self.inner.corpus().num_pages()
    }

    #[getter]
    fn num_links(&self) -> usize {
        self.inner.corpus().num_links()
    }

    #[getter]
    fn num_categories(&self) -> usize {
        self.inner.corpus().num_categories()
    }

    #[getter]
    fn has_text(&self) -> bool {
        self.inner.corpus().has_text()
    }

    /// The manifest as JSON.
    fn manifest(&self, py: Python<'_>) -> PyResult<String> {
        json(self.inner.corpus().manifest()).map_err(|failure| failure.raise(py))
    }

    /// The number of the page with that title.
    fn page(&self, py: Python<'_>, title: &str) -> PyResult<u32> {
        self.ask(py, None, |engine, _| Ok(engine.page(title)?.0))
    }

    /// The title of a page.
    fn title(&self, py: Python<'_>, page: u32) -> PyResult<String> {
        self.expect(page)?;
        self.ask(py, None, |engine, _| Ok(engine.corpus().title(PageId(page))?.to_owned()))
    }

    /// The numbers of the pages that a page links to, as bytes of `u32`.
    fn links<'py>(&self, py: Python<'py>, page: u32) -> PyResult<Bound<'py, PyBytes>> {
        self.expect(page)?;
        let links = self.ask(py, None, |engine, _| {
            let links = engine.corpus().links(PageId(page))?;
            Ok(links.iter().flat_map(|target| target.0.to_ne_bytes()).collect::<Vec<u8>>())
        })?;
        Ok(PyBytes::new(py, &links))
    }

    /// The names of a page's categories.
    fn categories(&self, py: Python<'_>, page: u32) -> PyResult<Vec<String>> {
        self.expect(page)?;
        self.ask(py, None, |engine, _| {
            let corpus = engine.corpus();
            let names = corpus.categories(PageId(page))?.iter().map(|&id| corpus.category_name(id));
            Ok(names.map(|name| name.map(str::to_owned)).collect::<Result<_, Error>>()?)
        })
    }

    /// The names of all categories.
    fn category_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, None, |engine, _| {
            let corpus = engine.corpus();
            let names = (0..corpus.num_categories() as u32).map(|id| corpus.category_name(CategoryId(id)));
            Ok(names.map(|name| name.map(str::to_owned)).collect::<Result<_, Error>>()?)
        })
    }

    fn rank(
        &self,
        py: Python<'_>,
        page: &str,
        scoring: Scoring,
        top: Option<usize>,
        snippets: bool,
        display: Option<Py<PyAny>>,
    ) -> PyResult<Ranking> {
        self.ask(py, display, |engine, progress| {
            // A wrong title should come to light before the work.
            engine.page(page)?;
            let conf = scoring.rank_conf()?.with(top, RankConf::top).snippets(snippets);
            engine.prepare_ranking(scoring.name(), &scoring.conf()?, progress)?;
            let started = Instant::now();
            let answer = engine.rank(page, &conf)?;
            Ok(Ranking { answer, draft: None, seconds: started.elapsed().as_secs_f64() })
        })
    }

    /// The links of a page that is not in the corpus, or not as it is there: its title, and the bytes of its text.
    #[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
    fn rank_draft(
        &self,
        py: Python<'_>,
        title: &str,
        text: &[u8],
        scoring: Scoring,
        top: Option<usize>,
        snippets: bool,
        display: Option<Py<PyAny>>,
    ) -> PyResult<Ranking> {
        self.ask(py, display, |engine, progress| {
            let draft = Draft::new(title, text)?;
            // One that cannot be ranked should come to light before the work.
            engine.read_draft(&draft)?;
            let conf = scoring.rank_conf()?.with(top, RankConf::top).snippets(snippets);
            engine.prepare_ranking(scoring.name(), &scoring.conf()?, progress)?;
            let started = Instant::now();
            let DraftRanking { ranking, draft } = engine.rank_draft(&draft, &conf)?;
            let seconds = started.elapsed().as_secs_f64();
            Ok(Ranking { answer: ranking, draft: Some(draft), seconds })
        })
    }

    /// Why a link is where the ranking has it: the answer as JSON, and whether it is in a place that is ranked.
    fn explain(
        &self,
        py: Python<'_>,
        link: (String, String),
        scoring: Scoring,
        pairs: usize,
        grid: bool,
        display: Option<Py<PyAny>>,
    ) -> PyResult<(String, bool)> {
        let (source, target) = link;
        self.ask(py, display, |engine, progress| {
            engine.page(&source)?;
            engine.page(&target)?;
            let conf = scoring.explain_conf()?.pairs(pairs).grid(grid);
            engine.prepare_ranking(scoring.name(), &scoring.conf()?, progress)?;
            let explanation = engine.explain(&source, &target, &conf)?;
            Ok((json(&explanation)?, explanation.ranked))
        })
    }

    /// A category's neighbourhood as JSON, as SVG, and its neighbours as a table.
    fn category(
        &self,
        py: Python<'_>,
        name: &str,
        model: Option<String>,
        neighbours: usize,
        min_weight: f64,
        min_links: u64,
    ) -> PyResult<(String, String, Frame)> {
        let (found, json, svg) = self.ask(py, None, |engine, _| {
            let conf = CategoryConf::default()
                .neighbours(neighbours)
                .min_weight(min_weight)
                .min_links(min_links)
                .with(model, CategoryConf::model);
            let found = engine.category(name, &conf)?;
            let (json, svg) = (json(&found)?, category_graph(&found).draw(WIDE).svg());
            Ok((found, json, svg))
        })?;
        let frame = Columns::of(&found.neighbours)
            .text("category", |neighbour| Some(&neighbour.category))
            .number("to", |neighbour| Some(neighbour.to))
            .number("from", |neighbour| Some(neighbour.from))
            .count("links_to", |neighbour| neighbour.links_to)
            .count("links_from", |neighbour| neighbour.links_from)
            .frame()?;
        Ok((json, svg, frame))
    }

    fn suggest(&self, py: Python<'_>, typed: &str, most: usize) -> PyResult<String> {
        self.ask(py, None, |engine, _| json(&engine.suggest(typed, most)?))
    }

    fn article(&self, py: Python<'_>, title: &str) -> PyResult<String> {
        self.ask(py, None, |engine, _| json(&engine.article(title)?))
    }

    fn prepare(&self, py: Python<'_>, scoring: Scoring, display: Option<Py<PyAny>>) -> PyResult<String> {
        self.ask(py, display, |engine, progress| {
            repair(engine.corpus(), progress)?;
            json(&engine.prepare_all(&scoring.conf()?, progress)?)
        })
    }

    /// The most unexpected links of the graph: the answer as JSON, and its links as a table.
    #[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
    fn top(
        &self,
        py: Python<'_>,
        scoring: Scoring,
        top: usize,
        snippets: bool,
        min_links: usize,
        per_page: usize,
        between: (Option<String>, Option<String>),
        display: Option<Py<PyAny>>,
    ) -> PyResult<(String, Frame)> {
        let (from, to) = between;
        let (json, links) = self.ask(py, display, |engine, progress| {
            let rank = scoring.rank_conf()?.top(top).snippets(snippets);
            let conf = TopConf::default()
                .rank(rank)
                .min_links(min_links)
                .per_page(per_page)
                .with(from, TopConf::from_category)
                .with(to, TopConf::to_category);
            engine.prepare_ranking(scoring.name(), &scoring.conf()?, progress)?;
            let found = engine.top(&conf, progress)?;
            Ok((json(&found)?, found.links))
        })?;
        let columns = Columns::of(&links).rank(|top| top.link.rank).text("source", |top| Some(&top.source));
        Ok((json, with_link(columns, |top| &top.link).frame()?))
    }

    /// The unexpectedness of every link.
    fn score(&self, py: Python<'_>, scoring: Scoring, display: Option<Py<PyAny>>) -> PyResult<Frame> {
        self.ask(py, display, |engine, progress| {
            let scorer = engine.prepare(scoring.name(), &scoring.conf()?, progress)?;
            Ok(score_all(engine.corpus(), &*scorer, progress)?)
        })
    }

    /// The unexpectedness of some pairs of pages, given as their numbers.
    fn score_pairs(
        &self,
        py: Python<'_>,
        pairs: Vec<(u32, u32)>,
        scoring: Scoring,
        display: Option<Py<PyAny>>,
    ) -> PyResult<Frame> {
        pairs.iter().try_for_each(|&(source, target)| {
            self.expect(source)?;
            self.expect(target)
        })?;
        let scored = self.ask(py, display, |engine, progress| {
            let scorer = engine.prepare(scoring.name(), &scoring.conf()?, progress)?;
            let runs: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
            let score = |run: &&[(u32, u32)]| {
                let targets: Vec<PageId> = run.iter().map(|&(_, target)| PageId(target)).collect();
                scorer.score(PageId(run[0].0), &targets)
            };
            let scores = runs.par_iter().map(score).collect::<Result<Vec<_>, Error>>()?;
            let title = |page: u32| engine.corpus().title(PageId(page)).map(str::to_owned);
            let titles =
                |pages: Vec<u32>| pages.into_iter().map(title).collect::<Result<Vec<String>, Error>>();
            let (sources, targets) = pairs.into_iter().unzip();
            Ok((titles(sources)?, titles(targets)?, scores.into_iter().flatten().collect::<Vec<_>>()))
        })?;
        let (sources, targets, scores) = scored;
        Frame::of_columns(vec![
            ("source".into(), Arc::new(StringArray::from(sources))),
            ("target".into(), Arc::new(StringArray::from(targets))),
            ("unexpectedness".into(), Arc::new(Float64Array::from(scores))),
        ])
    }
}

impl Engine {
    /// Refuses a number that is no page's.
    fn expect(&self, page: u32) -> PyResult<()> {
        let pages = self.inner.corpus().num_pages();
        match (page as usize) < pages {
            true => Ok(()),
            false => Err(PyIndexError::new_err(format!("page {page}, but there are {pages} pages"))),
        }
    }
}

/// A ranking, of a page or of a draft.
#[pyclass(frozen, module = "llamafur._llamafur")]
#[derive(Serialize)]
pub(crate) struct Ranking {
    #[serde(flatten)]
    answer: Answer,
    /// What became of what a draft has.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<DraftAccount>,
    /// How long the engine took, for benchmarks.
    #[pyo3(get)]
    #[serde(skip)]
    seconds: f64,
}

#[pymethods]
impl Ranking {
    #[getter]
    fn page(&self) -> &str {
        &self.answer.page
    }

    #[getter]
    fn scorer(&self) -> &str {
        &self.answer.scorer
    }

    #[getter]
    fn order(&self) -> &'static str {
        self.answer.order.name()
    }

    #[getter]
    fn num_links(&self) -> usize {
        self.answer.num_links
    }

    #[getter]
    fn num_ranked(&self) -> usize {
        self.answer.num_ranked
    }

    #[getter]
    fn num_surprising(&self) -> usize {
        self.answer.num_surprising
    }

    fn __len__(&self) -> usize {
        self.answer.links.len()
    }

    /// The answer as JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        json(self).map_err(|failure| failure.raise(py))
    }

    /// Its links as a table.
    fn frame(&self, signals: bool) -> PyResult<Frame> {
        let links = &self.answer.links;
        let mut columns = with_link(Columns::of(links).rank(|link| link.rank), |link| link);
        if signals {
            let mut names: Vec<&String> = Vec::new();
            for name in links.iter().flat_map(|link| link.signals.keys()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            for name in names {
                columns = columns.number(name, |link| link.signals.get(name).copied());
            }
        }
        columns.frame()
    }
}

/// Several texts in one.
pub(crate) fn in_one<'a>(texts: impl Iterator<Item = &'a str>, separator: &str) -> String {
    texts.collect::<Vec<_>>().join(separator)
}

/// Adds the columns of a link, as all interfaces name them.
fn with_link<'a, Row>(columns: Columns<'a, Row>, link: fn(&'a Row) -> &'a RankingRow) -> Columns<'a, Row> {
    let [
        target,
        unexpectedness,
        odder_than,
        surprising,
        place,
        also,
        section,
        snippet,
        reason,
        kind,
        explained,
    ] = RankingRow::COLUMNS;
    columns
        .text(target, |row| Some(&link(row).target))
        .number(unexpectedness, |row| link(row).unexpectedness)
        .number(odder_than, |row| link(row).odder_than)
        .flag(surprising, |row| Some(link(row).surprising))
        .text(place, |row| Some(link(row).place?.name()))
        .texts(also, |row| &link(row).also)
        .text(section, |row| link(row).section.as_ref())
        .text(snippet, |row| link(row).snippet.as_ref())
        .text(reason, |row| Some(in_one(link(row).reasons.iter().map(|reason| &reason.text[..]), " ")))
        .text(kind, |row| Some(in_one(link(row).reasons.iter().map(|reason| reason.kind.name()), "; ")))
        .flag(explained, |row| link(row).explained)
}
