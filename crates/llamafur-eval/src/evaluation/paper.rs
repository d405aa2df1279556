//! Reports the paper's experiments on a corpus: the sections that need the corpus and its model, and all sections in
//! the paper's order.

use super::{EvaluationReport, by_page_table, qrels, run, sections};
use crate::by_milestones::{by_milestones, default_goals};
use crate::judgments::{Judgments, Query};
use crate::report::{
    Cell, Figure, HtmlReport, Section, Table, Text, category_graph, counted, grouped, reasons, signed_by,
    slug,
};
use llamafur::categories::{Categories, Feature, Goal};
use llamafur::engine::{CategoryConf, CategoryNeighbourhood, Order, RankingRow};
use llamafur::learn::Method;
use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate};
use llamafur::progress::Progress;
use llamafur::score::LeftOut;
use llamafur::storage::Existing;
use llamafur::{Corpus, Engine, Error, LearnConf, MilestoneId, Model, RankConf, Score, ScoreConf};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Links shown at each end of a page's ranking.
const LINKS: usize = 4;

/// Limits of a category's drawn neighbourhood, as in the paper's figure: number of neighbours, least weight of an arc.
const NEIGHBOURS: usize = 18;
const MIN_WEIGHT: f64 = 1.0;

/// Default number of categories whose neighbourhoods are drawn.
const CATEGORIES: usize = 2;

/// The contents of a report and its folder.
#[derive(Debug, Clone)]
pub struct PaperConf {
    /// The folder.
    pub folder: PathBuf,
    /// The treatment of a folder that has other files.
    pub existing: Existing,
    /// The titles of pages whose most and least expected links are shown.
    pub pages: Vec<String>,
    /// The names of categories whose neighbourhoods are drawn; if empty, the two most frequent ones of the judged
    /// pages.
    pub categories: Vec<String>,
    /// Folds of the cross-validation, 2 to 100; 0 for none.
    pub folds: u32,
    /// Numbers of milestones in the figure by the number of categories; if empty, up to six, each about three times the
    /// one before.
    pub milestones: Vec<Goal>,
    /// The cleansing whose milestones are the categories, as for [`Categories::named`].
    pub cleansing: Option<String>,
    /// The seed of the cross-validation.
    pub seed: u64,
}

/// A report before it is written. Its pages, categories and model are looked up first, so that a wrong name is reported
/// before the work.
pub struct PaperReport {
    conf: PaperConf,
    engine: Engine,
    /// The displayed model, if the corpus has one.
    model: Option<Arc<Model>>,
    categories: Vec<CategoryNeighbourhood>,
}

/// The inputs and results of an evaluation.
#[derive(Clone, Copy)]
pub struct MeasuredScorers<'a> {
    /// The judged links.
    pub judgments: &'a Judgments,
    /// The measured pages.
    pub queries: &'a [&'a Query],
    /// The measures.
    pub report: &'a EvaluationReport,
    /// The scorers, in the order of the measures.
    pub scorers: &'a [Arc<dyn Score>],
    /// The settings of the scorers.
    pub conf: &'a ScoreConf,
}

impl PaperReport {
    /// Prepares a report on the corpus of an engine.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written, a setting is out of range, or a page or category does not
    /// exist.
    pub fn new(engine: &Engine, conf: PaperConf) -> Result<PaperReport, Error> {
        HtmlReport::check(&conf.folder, conf.existing)?;
        if conf.folds > 0 {
            CrossValidateConf::new(LearnConf::default()).folds(conf.folds).validate()?;
        }
        conf.pages.iter().try_for_each(|title| engine.page(title).map(|_| ()))?;
        let model = match engine.inputs().model(Model::default_name(Method::default())) {
            Ok(model) => Some(model),
            Err(error) if conf.categories.is_empty() && error.is_lack() => None,
            Err(error) => return Err(error),
        };
        let categories = conf.categories.iter().map(|name| engine.category(name, &neighbourhood()));
        let categories = categories.collect::<Result<_, Error>>()?;
        Ok(PaperReport { conf, engine: engine.clone(), model, categories })
    }

    /// Returns the path of the document.
    pub fn path(&self) -> PathBuf {
        self.conf.folder.join("index.html")
    }

    /// Cross-validates the model's learner, also by the number of categories, which takes most of the time on large
    /// corpora. Returns no sections if there are no folds or no categories.
    ///
    /// # Errors
    /// Returns an error if a goal cannot be reached, a learner fails, or a file is damaged.
    pub fn validate(&self, progress: &mut dyn Progress) -> Result<Vec<Section>, Error> {
        if self.conf.folds == 0 || !self.has_categories() {
            return Ok(Vec::new());
        }
        let learner = self.model.as_ref().map(|model| LearnConf::of(model.settings()));
        let learner = learner.unwrap_or_default().seed(self.conf.seed);
        let conf = CrossValidateConf::new(learner).folds(self.conf.folds);
        let categories = self.own_categories()?;
        let (goals, ends_here) = self.goals(&categories)?;
        let steps = by_milestones(&categories, &goals, std::slice::from_ref(&conf), progress)?;
        let last = steps.last().and_then(|step| step.validations.first()).filter(|_| ends_here);
        let validation = match last {
            Some(validation) => validation.clone(),
            None => cross_validate(&categories.graph()?, &conf, progress)?,
        };
        Ok(vec![sections::cross_validation(&[validation]), sections::by_categories(&steps)])
    }

    /// Writes the report and its files, with the sections of [`PaperReport::validate`]; `index.html` comes last.
    pub fn write(&self, measured: MeasuredScorers<'_>, validated: Vec<Section>) -> Result<(), Error> {
        let MeasuredScorers {
            judgments, queries, report: EvaluationReport { evaluation, pages, .. }, ..
        } = measured;
        let mut report = HtmlReport::new(&self.title());
        if let Some(text) = lede(evaluation) {
            report = report.lede(text);
        }
        let mut all = vec![self.corpus_section()?];
        all.extend(validated);
        all.extend(self.neighbourhoods(queries)?);
        all.extend(self.pages(measured)?);
        report = all
            .into_iter()
            .fold(report, HtmlReport::section)
            .section(sections::judgments(judgments))
            .section(sections::averages(evaluation))
            .section(sections::curves(evaluation))
            .section(sections::classes(evaluation))
            .section(self.provenance(measured))
            .file("tables/by-page.tsv", by_page_table(pages))
            .file("trec/qrels", qrels(self.corpus(), queries)?);
        for scorer in &evaluation.scorers {
            let name = format!("trec/{}.run", slug(&scorer.name));
            report = report.file(&name, run(self.corpus(), &evaluation.pages, scorer)?);
        }
        report.write(&self.conf.folder, self.conf.existing)
    }

    fn corpus(&self) -> &Corpus {
        self.engine.corpus()
    }

    fn own_categories(&self) -> Result<Categories, Error> {
        Categories::named(self.corpus(), self.conf.cleansing.as_deref())
    }

    fn has_categories(&self) -> bool {
        self.corpus().manifest().counts.page_categories > 0
    }

    fn title(&self) -> String {
        let wiki = self.corpus().manifest().site.as_ref().map(|site| site.name.clone());
        let folder = || self.corpus().path().file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = wiki.filter(|name| !name.is_empty()).or_else(folder);
        format!("Unexpected links of {}", name.unwrap_or_else(|| "a corpus".into()))
    }

    fn corpus_section(&self) -> Result<Section, Error> {
        let counts = &self.corpus().manifest().counts;
        let categories = self.own_categories()?;
        let mut entries = vec![
            ("pages", grouped(counts.pages)),
            ("links", grouped(counts.links)),
            ("categories", grouped(counts.categories)),
        ];
        if let Some(milestones) = categories.milestones() {
            entries.push(("milestones, after cleansing", grouped(milestones.num() as u64)));
        }
        if self.has_categories() {
            let graph = categories.graph()?;
            let a_page = graph.categories.num_values() as f64 / graph.num_pages().max(1) as f64;
            entries.push(("categories of a page, on average", format!("{a_page:.2}")));
        }
        if let Some(model) = &self.model {
            let settings = model.settings();
            entries.push(("model", format!("{}, learnt by {}", model.name(), settings.method)));
            if settings.method.explains() {
                let explained = settings.figures.explained.share();
                entries.push(("links explained by the model", format!("{:.1}%", 100.0 * explained)));
            }
        }
        let text = "A link is explained where its expectedness, the sum of the category matrix over the pairs of its two \
                    pages’ categories, is positive.";
        Ok(Section::new("The corpus").paragraph(text).settings(entries))
    }

    /// Returns the numbers of milestones of the figure, and whether the last one is that of the categories in use: the
    /// default never exceeds these, which are known to fit.
    fn goals(&self, categories: &Categories) -> Result<(Vec<Goal>, bool), Error> {
        if !self.conf.milestones.is_empty() {
            return Ok((self.conf.milestones.clone(), false));
        }
        let Some(milestones) = categories.milestones() else {
            return Ok((default_goals(self.num_carried()?), false));
        };
        let mut goals = default_goals(milestones.num());
        goals.pop();
        goals.push(milestones.settings().goal.parse()?);
        Ok((goals, true))
    }

    /// Counts the categories that have a page.
    fn num_carried(&self) -> Result<usize, Error> {
        let mut is_carried = vec![false; self.corpus().num_categories()];
        self.corpus()
            .all_categories()?
            .values()
            .iter()
            .for_each(|category| is_carried[category.index()] = true);
        Ok(is_carried.into_iter().filter(|carried| *carried).count())
    }

    fn neighbourhoods(&self, queries: &[&Query]) -> Result<Option<Section>, Error> {
        let Some(model) = &self.model else { return Ok(None) };
        let categories = model.categories();
        // The neighbourhoods are those of categories; the first matrix may be over words.
        if categories.feature() != Feature::Categories {
            return Ok(None);
        }
        let mut found = self.categories.clone();
        if found.is_empty() {
            for category in most_carried(categories, queries)? {
                found.push(self.engine.category(categories.name(category)?, &neighbourhood())?);
            }
        }
        let mut section = Section::new("Fragments of the category matrix").paragraph(format!(
            "Each category among its {NEIGHBOURS} closest neighbours at most; arcs with a weight up to {MIN_WEIGHT} are \
             left out."
        ));
        for found in found {
            let name = &found.category;
            if found.neighbours.is_empty() {
                section = section.paragraph(format!("{name} has no neighbour with a larger weight."));
                continue;
            }
            let graph = category_graph(&found);
            section = section
                .figure(Figure::new(&format!("category {name}"), &name[..], |width| graph.draw(width)));
        }
        Ok(Some(section))
    }

    /// Lists the most and the least expected links of the requested pages, by the first scorer.
    fn pages(&self, measured: MeasuredScorers<'_>) -> Result<Option<Section>, Error> {
        let Some(scorer) = measured.scorers.first().filter(|_| !self.conf.pages.is_empty()) else {
            return Ok(None);
        };
        let mut section = Section::new("Most and least expected links")
            .paragraph(Text::from("By ").code(scorer.name()).plain(", each with the sentence behind it."));
        let conf = RankConf::default()
            .scorer(scorer.name())
            .score(measured.conf.clone())
            .top(0)
            .order(Order::Oddity);
        for page in &self.conf.pages {
            let mut ranking = self.engine.rank(page, &conf)?;
            let title = &ranking.page;
            ranking.links.retain(|link| link.unexpectedness.is_some());
            let ranked = &ranking.links;
            if ranked.is_empty() {
                section = section.paragraph(format!("{title} has no link with a score."));
                continue;
            }
            let num = LINKS.min(ranked.len().div_ceil(2));
            let first: Vec<&RankingRow> = ranked.iter().take(num).collect();
            let last: Vec<&RankingRow> = ranked.iter().rev().take(num.min(ranked.len() - num)).collect();
            // A single link has one end only.
            let ends = [("most unexpected", first), ("most expected", last)];
            for (end, links) in ends.into_iter().filter(|(_, links)| !links.is_empty()) {
                let name = format!("{end} links of {title}");
                let mut table = Table::new(&name, format!("The {name}."))
                    .texts(["link to", "sentence"])
                    .numbers(["unexpectedness"])
                    .texts(["reason"]);
                for link in links {
                    table = table.row(link_row(link));
                }
                section = section.table(table);
            }
        }
        Ok(Some(section))
    }

    fn provenance(&self, measured: MeasuredScorers<'_>) -> Section {
        let EvaluationReport { evaluation, left_out, .. } = measured.report;
        let manifest = self.corpus().manifest();
        let file =
            |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        let mut entries = vec![
            ("program", format!("llamafur {}", env!("CARGO_PKG_VERSION"))),
            ("corpus", format!("{}, graph {}", file(self.corpus().path()), &manifest.graph_checksum()[..16])),
        ];
        for input in &manifest.provenance.inputs {
            entries.push(("made from", format!("{}, {}", input.name, counted(input.bytes, "byte"))));
        }
        entries.push(("judgments", file(&measured.judgments.path)));
        entries.push(("normalisation", measured.conf.normalise.to_string()));
        entries.push(("sums studentised by", measured.conf.studentise.to_string()));
        for model in measured.scorers.iter().filter_map(|scorer| scorer.model()) {
            let conf = LearnConf::of(model.settings());
            entries.push(("model", format!("{} ({conf})", model.name())));
        }
        for LeftOut { name, reason } in left_out {
            entries.push(("left out", format!("{name}: {reason}")));
        }
        entries.push(("seed", self.conf.seed.to_string()));
        entries.push(("resamples", grouped(crate::statistics::RESAMPLES as u64)));
        let names: Vec<&str> = evaluation.scorers.iter().map(|scorer| &scorer.name[..]).collect();
        entries.push(("scorers", names.join(", ")));
        let text = Text::from("Rankings and judgments in the formats of TREC are in the folder ")
            .code("trec")
            .plain(". The method is that of Paolo Boldi and Corrado Monti, ")
            .link(
                "“LlamaFur: Learning Latent Category Matrix to Find Unexpected Relations in Wikipedia”",
                "https://doi.org/10.1145/2908131.2908153",
            )
            .plain(", WebSci 2016.");
        Section::new("Settings and provenance").settings(entries).paragraph(text)
    }
}

/// Returns the settings of a drawn neighbourhood.
fn neighbourhood() -> CategoryConf {
    CategoryConf::default().neighbours(NEIGHBOURS).min_weight(MIN_WEIGHT)
}

/// Returns a link as a row of a table.
fn link_row(link: &RankingRow) -> Vec<Cell> {
    let score = link.unexpectedness.unwrap_or(f64::NAN);
    let sentence = link.snippet.as_deref().unwrap_or_default();
    vec![
        Cell::new(&link.target[..]),
        Cell::new(Text::marked(sentence, "[[", "]]")),
        Cell::new(signed_by(2, score)).exactly(score.to_string()),
        Cell::new(reasons(link)),
    ]
}

/// Summarises the report's result.
fn lede(evaluation: &super::Evaluation) -> Option<Text> {
    let chance = format!("chance gives {:.3} ± {:.3}", evaluation.chance.bpref, evaluation.chance.bpref_sd);
    let best = evaluation.scorers.iter().max_by(|a, b| a.bpref.total_cmp(&b.bpref))?;
    let ends = best.ci95.map(|[low, high]| format!(" [{low:.3}, {high:.3}]")).unwrap_or_default();
    let text = Text::from("On ")
        .plain(&counted(evaluation.queries as u64, "page"))
        .plain(&format!(" with {} judged links, ", grouped(evaluation.judged as u64)))
        .plain(&format!("{} of them unexpected, ", grouped(evaluation.relevant as u64)))
        .code(&best.name)
        .plain(&format!(" ranks best of {}: ", counted(evaluation.scorers.len() as u64, "scorer")))
        .plain(&format!("average bpref {:.3}{ends}; {chance}.", best.bpref));
    Some(text)
}

/// Returns the most frequent categories of the judged pages.
fn most_carried(categories: &Categories, queries: &[&Query]) -> Result<Vec<MilestoneId>, Error> {
    let mut pages: BTreeMap<MilestoneId, usize> = BTreeMap::new();
    for query in queries {
        for &category in categories.of(query.page)? {
            *pages.entry(category).or_default() += 1;
        }
    }
    let mut order: Vec<(usize, MilestoneId)> = pages.into_iter().map(|(id, pages)| (pages, id)).collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(order.into_iter().take(CATEGORIES).map(|(_, category)| category).collect())
}
