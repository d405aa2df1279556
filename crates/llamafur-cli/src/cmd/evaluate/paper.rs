//! The report of `evaluate`: the sections that need a corpus and its model, and all of them in the paper's order.

use super::super::category::drawing;
use super::super::cross_validate::series;
use super::super::rank::reasons;
use super::EvaluateArgs;
use crate::output::{counted, signed, thousands};
use anyhow::{Context, Result};
use llamafur::Error;
use llamafur::categories::{Categories, Goal};
use llamafur::corpus::Corpus;
use llamafur::engine::{CategoryConf, CategoryNeighbourhood, Engine, EngineConf, RankConf, RankingRow};
use llamafur::graph::MilestoneId;
use llamafur::learn::Model;
use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate};
use llamafur::learn::{LearnConf, Method};
use llamafur::progress::Progress;
use llamafur::score::{LeftOut, Score};
use llamafur_eval::by_milestones::default_goals;
use llamafur_eval::evaluation::{Evaluation, PageFigures, by_page_table, qrels, run, sections};
use llamafur_eval::judgments::{Judgments, Query};
use llamafur_eval::report::{Cell, Figure, HtmlReport, Section, Table, Text, slug};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Links shown at each end of a page's ranking.
const LINKS: usize = 4;

/// Neighbours of a category, and the weight that their arcs must have, as in the paper's figure.
const NEIGHBOURS: usize = 18;
const MIN_WEIGHT: f64 = 1.0;

/// Categories whose neighbourhoods are drawn where none are asked for.
const CATEGORIES: usize = 2;

/// The pages, categories and model that the options of a report name. They are looked up first, so that a wrong name is
/// reported before the work. Empty without a report.
#[derive(Default)]
pub(super) struct Asked {
    engine: Option<Engine>,
    /// The model whose matrix is shown, if the corpus has one.
    model: Option<Arc<Model>>,
    categories: Vec<CategoryNeighbourhood>,
}

impl Asked {
    pub(super) fn new(args: &EvaluateArgs, corpus: &Corpus) -> Result<Asked> {
        let Some(folder) = &args.report else { return Ok(Asked::default()) };
        HtmlReport::check(folder, args.existing())?;
        if args.folds > 0 {
            CrossValidateConf::new(LearnConf::default()).folds(args.folds).validate()?;
        }
        let engine = Engine::new(corpus, EngineConf::default());
        args.page.iter().try_for_each(|title| engine.page(title).map(|_| ()))?;
        let model = match engine.inputs().model(Model::default_name(Method::default())) {
            Ok(model) => Some(model),
            Err(error) if args.category.is_empty() && error.is_lack() => None,
            Err(error) => return Err(error.into()),
        };
        let conf = CategoryConf::default().neighbours(NEIGHBOURS).min_weight(MIN_WEIGHT);
        let categories = args.category.iter().map(|name| engine.category(name, &conf));
        let categories = categories.collect::<Result<_, Error>>()?;
        Ok(Asked { engine: Some(engine), model, categories })
    }
}

/// A report in the making.
pub(super) struct Work<'a> {
    pub(super) args: &'a EvaluateArgs,
    pub(super) asked: Asked,
    pub(super) corpus: &'a Corpus,
    pub(super) judgments: &'a Judgments,
}

/// What was measured: the figures, the scorers, and those that were left out.
type Measured<'a> = (&'a Evaluation, &'a [Arc<dyn Score>], &'a [LeftOut]);

impl Work<'_> {
    /// Writes the report and its files; `index.html` comes last.
    pub(super) fn write(
        &self,
        folder: &Path,
        queries: &[&Query],
        measured: Measured<'_>,
        pages: &[PageFigures],
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let (evaluation, ..) = measured;
        let mut report = HtmlReport::new(&self.title());
        if let Some(text) = lede(evaluation) {
            report = report.lede(text);
        }
        let mut sections = vec![self.corpus_section()?];
        if self.args.folds > 0 && self.has_categories() {
            let of_corpus = || self.args.corpus.display().to_string();
            sections.extend(self.validate(progress).with_context(of_corpus)?);
        }
        sections.extend(self.neighbourhoods(queries)?);
        sections.extend(self.pages(measured.1)?);
        report = sections
            .into_iter()
            .fold(report, HtmlReport::section)
            .section(sections::judgments(self.judgments))
            .section(sections::averages(evaluation))
            .section(sections::curves(evaluation))
            .section(sections::classes(evaluation))
            .section(self.provenance(measured)?)
            .file("tables/by-page.tsv", by_page_table(pages))
            .file("trec/qrels", qrels(self.corpus, queries)?);
        for scorer in &evaluation.scorers {
            let name = format!("trec/{}.run", slug(&scorer.name));
            report = report.file(&name, run(self.corpus, &evaluation.pages, scorer)?);
        }
        Ok(report.write(folder, self.args.existing())?)
    }

    fn has_categories(&self) -> bool {
        self.corpus.manifest().counts.page_categories > 0
    }

    fn title(&self) -> String {
        let wiki = self.corpus.manifest().site.as_ref().map(|site| site.name.clone());
        let folder = || self.args.corpus.file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = wiki.filter(|name| !name.is_empty()).or_else(folder);
        format!("Unexpected links of {}", name.unwrap_or_else(|| "a corpus".into()))
    }

    fn corpus_section(&self) -> Result<Section> {
        let counts = &self.corpus.manifest().counts;
        let categories = self.args.cleansing.open(self.corpus)?;
        let mut entries = vec![
            ("pages", thousands(counts.pages)),
            ("links", thousands(counts.links)),
            ("categories", thousands(counts.categories)),
        ];
        if let Some(milestones) = categories.milestones() {
            entries.push(("milestones, after cleansing", thousands(milestones.num() as u64)));
        }
        if self.has_categories() {
            let graph = categories.graph()?;
            let a_page = graph.categories.num_values() as f64 / graph.num_pages().max(1) as f64;
            entries.push(("categories of a page, on average", format!("{a_page:.2}")));
        }
        if let Some(model) = &self.asked.model {
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

    /// The cross-validation of the model's learner, and by the number of categories.
    fn validate(&self, progress: &mut dyn Progress) -> Result<Vec<Section>> {
        let learner = self.asked.model.as_ref().map(|model| LearnConf::of(model.settings()));
        let learner = learner.unwrap_or_default().seed(self.args.seed);
        let conf = CrossValidateConf::new(learner).folds(self.args.folds);
        let categories = self.args.cleansing.open(self.corpus)?;
        let (goals, ends_here) = self.goals(&categories)?;
        let steps = series(&categories, &goals, std::slice::from_ref(&conf), progress)?;
        let last = steps.last().and_then(|step| step.validations.first()).filter(|_| ends_here);
        let validation = match last {
            Some(validation) => validation.clone(),
            None => cross_validate(&categories.graph()?, &conf, progress)?,
        };
        Ok(vec![sections::cross_validation(&[validation]), sections::by_categories(&steps)])
    }

    /// The numbers of milestones of the figure, and whether the last of them are the categories in use: by default no more
    /// than these, which are known to fit.
    fn goals(&self, categories: &Categories) -> Result<(Vec<Goal>, bool)> {
        if !self.args.milestones.is_empty() {
            return Ok((self.args.milestones.clone(), false));
        }
        let Some(milestones) = categories.milestones() else {
            return Ok((default_goals(self.num_carried()?), false));
        };
        let mut goals = default_goals(milestones.num());
        goals.pop();
        goals.push(milestones.settings().goal.parse()?);
        Ok((goals, true))
    }

    /// How many categories have a page.
    fn num_carried(&self) -> Result<usize> {
        let mut is_carried = vec![false; self.corpus.num_categories()];
        self.corpus
            .all_categories()?
            .values()
            .iter()
            .for_each(|category| is_carried[category.index()] = true);
        Ok(is_carried.into_iter().filter(|carried| *carried).count())
    }

    fn neighbourhoods(&self, queries: &[&Query]) -> Result<Option<Section>> {
        let (Some(model), Some(engine)) = (&self.asked.model, &self.asked.engine) else { return Ok(None) };
        let categories = model.categories();
        // The neighbourhoods are those of categories; the first matrix may be over words.
        if categories.feature() != llamafur::categories::Feature::Categories {
            return Ok(None);
        }
        let conf = CategoryConf::default().neighbours(NEIGHBOURS).min_weight(MIN_WEIGHT);
        let mut found = self.asked.categories.clone();
        if found.is_empty() {
            for category in most_carried(categories, queries)? {
                found.push(engine.category(categories.name(category)?, &conf)?);
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
            let graph = drawing(&found);
            section = section
                .figure(Figure::new(&format!("category {name}"), &name[..], |width| graph.draw(width)));
        }
        Ok(Some(section))
    }

    /// The most and the least expected links of the pages asked for, by the first scorer.
    fn pages(&self, scorers: &[Arc<dyn Score>]) -> Result<Option<Section>> {
        let (Some(scorer), Some(engine)) = (scorers.first(), &self.asked.engine) else { return Ok(None) };
        if self.args.page.is_empty() {
            return Ok(None);
        }
        let mut section = Section::new("Most and least expected links")
            .paragraph(Text::from("By ").code(scorer.name()).plain(", each with the sentence behind it."));
        let conf = RankConf::default().scorer(scorer.name()).score(self.args.how.conf()?);
        for page in &self.args.page {
            let mut ranking = engine.rank(page, &conf.clone().snippets(self.corpus.has_text()))?;
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

    fn provenance(&self, (evaluation, scorers, left_out): Measured<'_>) -> Result<Section> {
        let args = self.args;
        let how = args.how.conf()?;
        let manifest = self.corpus.manifest();
        let file =
            |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        let mut entries = vec![
            ("program", format!("llamafur {}", env!("CARGO_PKG_VERSION"))),
            ("corpus", format!("{}, graph {}", file(&args.corpus), &manifest.graph_checksum()[..16])),
        ];
        for input in &manifest.provenance.inputs {
            entries.push(("made from", format!("{}, {}", input.name, counted(input.bytes, "byte"))));
        }
        entries.push(("judgments", file(&self.judgments.path)));
        entries.push(("normalisation", how.normalise.to_string()));
        entries.push(("sums studentised by", how.studentise.to_string()));
        for model in scorers.iter().filter_map(|scorer| scorer.model()) {
            let conf = LearnConf::of(model.settings());
            entries.push(("model", format!("{} ({conf})", model.name())));
        }
        for LeftOut { name, reason } in left_out {
            entries.push(("left out", format!("{name}: {reason}")));
        }
        entries.push(("seed", args.seed.to_string()));
        entries.push(("resamples", thousands(llamafur_eval::statistics::RESAMPLES as u64)));
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
        Ok(Section::new("Settings and provenance").settings(entries).paragraph(text))
    }
}

/// A link as a row of a table.
fn link_row(link: &RankingRow) -> Vec<Cell> {
    let score = link.unexpectedness.unwrap_or(f64::NAN);
    let sentence = link.snippet.as_deref().unwrap_or_default();
    vec![
        Cell::new(&link.target[..]),
        Cell::new(Text::marked(sentence, "[[", "]]")),
        Cell::new(signed(score)).exactly(score.to_string()),
        Cell::new(reasons(link)),
    ]
}

/// What the report comes to.
fn lede(evaluation: &Evaluation) -> Option<Text> {
    let chance = format!("chance gives {:.3} ± {:.3}", evaluation.chance.bpref, evaluation.chance.bpref_sd);
    let best = evaluation.scorers.iter().max_by(|a, b| a.bpref.total_cmp(&b.bpref))?;
    let ends = best.ci95.map(|[low, high]| format!(" [{low:.3}, {high:.3}]")).unwrap_or_default();
    let text = Text::from("On ")
        .plain(&counted(evaluation.queries as u64, "page"))
        .plain(&format!(" with {} judged links, ", thousands(evaluation.judged as u64)))
        .plain(&format!("{} of them unexpected, ", thousands(evaluation.relevant as u64)))
        .code(&best.name)
        .plain(&format!(" ranks best of {}: ", counted(evaluation.scorers.len() as u64, "scorer")))
        .plain(&format!("average bpref {:.3}{ends}; {chance}.", best.bpref));
    Some(text)
}

/// The most frequent categories of the judged pages.
fn most_carried(categories: &Categories, queries: &[&Query]) -> Result<Vec<MilestoneId>> {
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
