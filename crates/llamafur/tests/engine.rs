//! The engine: owned, shared by threads, and never at odds with itself.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, by_oddity, storied};
use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, PageText, PageTexts};
use llamafur::engine::{
    CategoryConf, Engine, EngineConf, Evidence, EvidenceKind, ExplainConf, LinkExplanation, RankConf,
    Ranking, SignalUnit, TopConf,
};
use llamafur::graph::{Neighbours, PageId};
use llamafur::learn::{LearnConf, Model, train};
use llamafur::progress::{Progress, Silent, stop, stoppable};
use llamafur::score::{
    Inputs, LlamaFur, Normalise, Random, Score, ScoreConf, SharedNeighbours, Side, Studentise, Sum,
};
use llamafur::words::{Words, WordsConf};
use llamafur::{Error, Named};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whatever an application may hold in a static or send to a thread.
fn owned_and_shareable<T: Send + Sync + 'static>() {}

#[test]
fn everything_is_owned_and_shareable() {
    owned_and_shareable::<Engine>();
    owned_and_shareable::<Corpus>();
    owned_and_shareable::<Categories>();
    owned_and_shareable::<Model>();
    owned_and_shareable::<Words>();
    owned_and_shareable::<Neighbours>();
    owned_and_shareable::<Inputs>();
    owned_and_shareable::<Arc<dyn Score>>();
    owned_and_shareable::<LlamaFur>();
    owned_and_shareable::<SharedNeighbours>();
    owned_and_shareable::<Sum>();
    owned_and_shareable::<PageText>();
    owned_and_shareable::<PageTexts>();
    owned_and_shareable::<Ranking>();
    owned_and_shareable::<LinkExplanation>();
    owned_and_shareable::<Error>();
}

/// Two or three cliques of eight pages each, each in a category of its own, joined by one link: page 0 to page 15.
fn cliques(num: u32) -> Contents {
    let clique = |page: u32| (page / 8 * 8..page / 8 * 8 + 8).filter(move |&other| other != page);
    let mut links: Vec<Vec<u32>> = (0..8 * num).map(|page| clique(page).collect()).collect();
    links[0].push(15);
    let words = ["planet orbit moon", "river water fish", "star light sky"];
    let text = |page: u32| format!("A {}. Page 15 too.", words[page as usize / 8]);
    Contents {
        titles: (0..8 * num).map(|page| format!("Page {page:02}")).collect(),
        links,
        categories: (0..8 * num).map(|page| vec![page / 8]).collect(),
        category_names: ["Planets", "Rivers", "Stars"][..num as usize].iter().map(|&x| x.into()).collect(),
        parents: vec![vec![]; num as usize],
        texts: Some((0..8 * num).map(|page| Some(text(page))).collect()),
    }
}

fn two_cliques() -> Contents {
    cliques(2)
}

fn trained(contents: &Contents, dir: &tempfile::TempDir) -> Corpus {
    let corpus = contents.corpus(dir, "a.corpus");
    let conf = LearnConf::default().held_out(0.0).rank(4);
    train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    corpus
}

fn engine(contents: &Contents, dir: &tempfile::TempDir) -> Engine {
    Engine::new(&trained(contents, dir), EngineConf::default().words(WordsConf::default().min_documents(1)))
}

#[test]
fn the_one_odd_link_is_on_top_everywhere_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    // Of two categories each has too many pages to say something.
    let engine = engine(&cliques(3), &dir);
    for scorer in ["blend", "llamafur", "aa", "llamafur+aa"] {
        let ranking = engine.rank("page_00", &by_oddity().scorer(scorer)).unwrap();
        assert_eq!((&ranking.page[..], ranking.num_links), ("Page 00", 8));
        let first = &ranking.links[0];
        assert_eq!(first.target, "Page 15", "{scorer}");
        assert_eq!(
            first.snippet.as_deref(),
            Some("A planet orbit moon. Page 15 too."),
            "the one before it too"
        );
        let unit = if scorer.contains('+') || scorer == "blend" {
            SignalUnit::StandardDeviations
        } else {
            SignalUnit::Raw
        };
        assert_eq!(ranking.signal_unit, unit);
        let reason = &first.reasons[0];
        assert_eq!((reason.kind, reason.links, reason.of), (EvidenceKind::CategoryPair, 0, 56));
        let text = "Of 56 other links from pages in “Planets”, none leads to pages in “Rivers”; chance would give 19.";
        assert_eq!(reason.text, text);
        let top = engine.top(&TopConf::default().rank(by_oddity().scorer(scorer).top(1)), &mut Silent);
        let top = top.unwrap();
        assert_eq!(
            (&top.links[0].source[..], &top.links[0].link.target[..]),
            ("Page 00", "Page 15"),
            "{scorer}"
        );
        assert_eq!(top.num_links, 169);
        assert_eq!(top.links[0].link.reasons, first.reasons, "{scorer}");
        let why = engine.explain("Page 00", "Page 15", &ExplainConf::default().scorer(scorer)).unwrap();
        assert_eq!((why.rank, why.of, why.linked, why.verdict), (1, 8, true, Some(Side::Odd)), "{scorer}");
        assert!(why.odd.starts_with(&first.reasons), "{scorer}: {:?}", why.odd);
        assert_eq!(why.unexpectedness, first.unexpectedness, "{scorer}");
    }
    let why = engine.explain("Page 00", "Page 15", &ExplainConf::default().scorer("llamafur")).unwrap();
    let pair = why.odd_signals[0].pair.as_ref().unwrap();
    assert_eq!((&pair.source[..], &pair.target[..]), ("Planets", "Rivers"));
    assert!(pair.weight < 0.0);
    assert_eq!(why.odd_signals[0].text, "pages in Planets seldom link to pages in Rivers");
    // One among rivers is less odd than half of all links.
    let why = engine.explain("Page 08", "Page 09", &ExplainConf::default().scorer("llamafur")).unwrap();
    assert_eq!(why.expected_signals[0].text, "pages in Rivers often link to pages in Rivers");
    let why = engine.explain("Page 00", "Page 15", &ExplainConf::default()).unwrap();
    let matrix = why.matrices.first().unwrap();
    assert_eq!((matrix.num_pairs, matrix.pairs[0].links, matrix.explained), (1, 1, Some(false)));
}

#[test]
fn filters_of_the_top_links_are_by_category_links_and_page() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    let top = |conf: TopConf| engine.top(&conf, &mut Silent).unwrap();
    let all = TopConf::default().rank(by_oddity().scorer("aa"));
    assert_eq!(top(all.clone().from_category("Planets").to_category("rivers")).num_links, 1);
    assert_eq!(top(all.clone().from_category("Rivers").to_category("Planets")).links, []);
    assert_eq!(top(all.clone().min_links(8)).num_links, 8);
    assert_eq!(top(all.clone().min_links(9)).links, []);
    let one_a_page = top(all.clone().per_page(1));
    assert_eq!((one_a_page.links.len(), one_a_page.num_links), (16, 113));
    assert_eq!(top(all.rank(by_oddity().scorer("aa").top(5))).links.len(), 5);
    let missing = engine.top(&TopConf::default().from_category("Planet"), &mut Silent).unwrap_err();
    assert!(matches!(missing, Error::NotNamed { what: Named::Category, .. }), "{missing}");
}

#[test]
fn a_category_shows_the_links_behind_its_neighbours_and_asks_for_some() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = two_cliques();
    contents.links[1].push(14);
    let engine = engine(&contents, &dir);
    let conf = CategoryConf::default().min_weight(-100.0);
    let planets = engine.category("planets", &conf).unwrap();
    assert_eq!((&planets.category[..], planets.neighbours.len()), ("Planets", 1));
    assert_eq!((planets.neighbours[0].links_to, planets.neighbours[0].links_from), (2, 0));
    let rivers = engine.category("Rivers", &conf).unwrap();
    assert_eq!((rivers.neighbours[0].links_to, rivers.neighbours[0].links_from), (0, 2));
    assert_eq!(engine.category("Rivers", &conf.min_links(3)).unwrap().neighbours, []);
}

/// Returns whether what a reason counts speaks for a side.
fn speaks_for(evidence: &Evidence, side: Side) -> bool {
    let share = evidence.links as f64 / evidence.of.max(1) as f64;
    match (evidence.kind, side) {
        (EvidenceKind::CategoryPair, Side::Odd) => 2.0 * (evidence.links as f64) < evidence.expected.unwrap(),
        (EvidenceKind::CategoryPair, Side::Expected) => {
            evidence.links as f64 > 2.0 * evidence.expected.unwrap()
        }
        (EvidenceKind::Kin | EvidenceKind::Neighbours, Side::Odd) => share <= 0.05,
        (EvidenceKind::Kin | EvidenceKind::Neighbours, Side::Expected) => share >= 0.1,
        (EvidenceKind::InLinks, Side::Odd) => evidence.of == 0 || share > 0.5,
        (EvidenceKind::InLinks, Side::Expected) => share > 0.5,
        (EvidenceKind::OnlyOne, side) => side == Side::Odd && evidence.links == 0,
    }
}

/// What a reason counts must speak for what the scale of the corpus says of its row, and signals too.
fn check_reasons(engine: &Engine, scorer: &str, pages: impl Iterator<Item = u32>) -> (usize, usize) {
    let (mut rows, mut reasons) = (0, 0);
    for page in pages {
        let title = engine.corpus().title(PageId(page)).unwrap().to_owned();
        let ranking = engine.rank(&title, &by_oddity().scorer(scorer)).unwrap();
        for link in ranking.links.iter().take(5).filter(|link| link.unexpectedness.is_some()) {
            let side = if link.odder_than.unwrap() >= 50.0 { Side::Odd } else { Side::Expected };
            for reason in &link.reasons {
                assert!(speaks_for(reason, side), "{title} → {}: {side:?} {reason:?}", link.target);
                reasons += 1;
            }
            let why = engine.explain(&title, &link.target, &ExplainConf::default().scorer(scorer)).unwrap();
            assert_eq!(why.verdict, Some(side));
            assert!(
                !(why.odd_signals.is_empty() && why.expected_signals.is_empty()),
                "{title} → {}",
                link.target
            );
            for (side, signals) in [(Side::Odd, &why.odd_signals), (Side::Expected, &why.expected_signals)] {
                for said in signals {
                    if let Some(pair) = &said.pair {
                        assert_eq!(
                            pair.weight < 0.0,
                            side == Side::Odd,
                            "{title} → {}: {said:?}",
                            link.target
                        );
                    }
                    let signal = why.signals.get(&said.signal);
                    if let (SignalUnit::StandardDeviations, Some(&signal)) = (ranking.signal_unit, signal) {
                        assert_eq!(signal > 0.0, side == Side::Odd, "{title} → {}: {said:?}", link.target);
                    }
                }
            }
            rows += 1;
        }
    }
    (rows, reasons)
}

/// Ten towns of 24 pages each: every page links to the eight that follow in its town, every third to one elsewhere.
fn towns() -> Contents {
    let links = |page: u32| {
        let town = page / 24 * 24;
        let next = (1..=8).map(|step| town + (page - town + step) % 24);
        let elsewhere = page.is_multiple_of(3).then_some((page * 7 + 29) % 240);
        let all: std::collections::BTreeSet<u32> = next.chain(elsewhere).filter(|&to| to != page).collect();
        all.into_iter().collect()
    };
    let categories = |page: u32| if page % 9 == 8 { vec![] } else { vec![page / 24, 10 + page % 2] };
    let text = |page: u32| format!("Page {page:04} is a page. It is near Page {:04}.", page + 1);
    Contents {
        titles: (0..240).map(|page| format!("Page {page:04}")).collect(),
        links: (0..240).map(links).collect(),
        categories: (0..240).map(categories).collect(),
        category_names: (0..12).map(|kind| format!("Kind {kind:02}")).collect(),
        parents: vec![vec![]; 12],
        texts: Some((0..240).map(|page| Some(text(page))).collect()),
    }
}

#[test]
fn no_reason_contradicts_the_verdict_of_its_row() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&towns(), &dir);
    for scorer in ["blend", "llamafur", "llamafur+aa", "ra"] {
        let (rows, reasons) = check_reasons(&engine, scorer, 0..240);
        assert!(rows > 300 && reasons > 100, "{scorer}: {rows} rows, {reasons} reasons");
    }
}

/// What is asked of the engine, in one line each.
fn ask(engine: &Engine, number: usize) -> String {
    let page = format!("Page {:04}", number * 7 % 400);
    let other = format!("Page {:04}", number * 13 % 400);
    let scorer = ["blend", "llamafur", "aa", "llamafur+ra"][number / 5 % 4];
    let json = |value: Result<String, Error>| value.unwrap_or_else(|error| error.to_string());
    match number % 5 {
        0 => json(
            engine
                .rank(&page, &RankConf::default().scorer(scorer).top(3))
                .map(|ranking| serde_json::to_string(&ranking).unwrap()),
        ),
        1 => json(
            engine
                .explain(&page, &other, &ExplainConf::default().scorer(scorer))
                .map(|link| serde_json::to_string(&link).unwrap()),
        ),
        2 => json(
            engine
                .category("Deserts", &CategoryConf::default().min_weight(-9.0))
                .map(|found| serde_json::to_string(&found).unwrap()),
        ),
        3 => json(engine.suggest(&page[..6], 4).map(|found| serde_json::to_string(&found).unwrap())),
        _ => json(engine.rank("Pgae 00", &RankConf::default()).map(|ranking| ranking.page)),
    }
}

#[test]
fn thirty_two_threads_get_the_answers_of_one() {
    const REQUESTS: usize = 10_000;
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(400), &dir);
    let shared = engine.clone();
    let next = AtomicUsize::new(0);
    let answers: Vec<(usize, String)> = std::thread::scope(|scope| {
        let worker = || {
            let mut answers = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= REQUESTS {
                    return answers;
                }
                answers.push((number, ask(&shared, number)));
            }
        };
        let workers: Vec<_> = (0..32).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), REQUESTS);
    // One by one, by an engine that has seen nothing yet.
    let alone =
        Engine::new(engine.corpus(), EngineConf::default().words(WordsConf::default().min_documents(1)));
    for (number, answer) in answers {
        assert_eq!(answer, ask(&alone, number), "request {number}");
    }
}

#[test]
fn settings_belong_to_the_call() {
    let dir = tempfile::tempdir().unwrap();
    let contents = storied(100);
    let first = engine(&contents, &dir);
    let second =
        Engine::new(first.corpus(), EngineConf::default().words(WordsConf::default().min_documents(1)));
    let [sum, mean] = [Normalise::Sum, Normalise::Mean].map(|normalise| {
        let score = ScoreConf { normalise, ..ScoreConf::default() };
        by_oddity().scorer("llamafur").score(score)
    });
    let page = ScoreConf { studentise: Studentise::Page, ..ScoreConf::default() };
    let by_page = by_oddity().scorer("aa+ra").score(page);
    let by_graph = by_oddity().scorer("aa+ra");
    let all = [&sum, &mean, &by_page, &by_graph];
    let forwards: Vec<Ranking> = all.iter().map(|conf| first.rank("Page 0007", conf).unwrap()).collect();
    let mut backwards: Vec<Ranking> =
        all.iter().rev().map(|conf| second.rank("Page 0007", conf).unwrap()).collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
    assert_ne!(forwards[0], forwards[1]);
    assert_ne!(forwards[2], forwards[3]);
}

#[test]
fn settings_that_a_scorer_does_not_use_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(40), &dir);
    let model = ScoreConf { model: Some("llamafur".into()), ..ScoreConf::default() };
    let by_page = ScoreConf { studentise: Studentise::Page, ..ScoreConf::default() };
    for (scorer, conf, unused) in [("aa", model, "model"), ("llamafur", by_page, "studentise")] {
        let error = engine.rank("Page 0001", &RankConf::default().scorer(scorer).score(conf)).unwrap_err();
        assert!(matches!(error, Error::UnusedSetting { setting, .. } if setting == unused), "{error}");
    }
}

/// Finds links the odder the further away their pages are.
struct Distance;

impl Score for Distance {
    fn name(&self) -> &str {
        "distance"
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(targets.iter().map(|target| Some(f64::from(target.0.abs_diff(source.0)))).collect())
    }
}

#[test]
fn a_scorer_of_ones_own_takes_part_in_sums() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = trained(&storied(100), &dir);
    let engine = Engine::new(&corpus, EngineConf::default().scorer(Arc::new(Distance)));
    let alone = engine.rank("Page 0011", &by_oddity().scorer("distance")).unwrap();
    let targets: Vec<f64> = alone.links.iter().map(|link| link.unexpectedness.unwrap()).collect();
    assert!(targets.is_sorted_by(|a, b| a >= b) && !targets.is_empty());
    let why = engine.explain("Page 0011", &alone.links[0].target, &ExplainConf::default().scorer("distance"));
    let why = why.unwrap();
    let said = [why.odd_signals, why.expected_signals].concat();
    assert_eq!(said[0].signal, "distance");
    let sum = engine.rank("Page 0011", &by_oddity().scorer("aa+distance")).unwrap();
    assert!(sum.links[0].signals.contains_key("distance") && sum.links[0].signals.contains_key("aa"));
    let link = &sum.links[0];
    let expected = link.signals["distance"] + link.signals["aa"];
    assert!((link.unexpectedness.unwrap() - expected).abs() < 1e-12);
    let unknown =
        engine.rank("Page 0011", &RankConf::default().scorer("aa+distanse")).unwrap_err().to_string();
    assert!(unknown.contains("distanse") && unknown.contains("distance"), "{unknown}");
}

#[test]
fn wrong_titles_get_similar_ones_and_exact_ones_are_found_whatever_their_form() {
    let dir = tempfile::tempdir().unwrap();
    let titles = ["Café", "Jupiter", "Moons of Jupiter", "Trade and usage of saffron", "United States"];
    let corpus = Contents::titled(titles).corpus(&dir, "a.corpus");
    let engine = Engine::new(&corpus, EngineConf::default());
    let found = |title: &str| engine.page(title).map(|page| corpus.title(page).unwrap().to_owned());
    assert_eq!(found("jupiter").unwrap(), "Jupiter");
    // Decomposed.
    assert_eq!(found("Cafe\u{301}").unwrap(), "Café");
    let similar = |title: &str| match found(title) {
        Err(Error::NotNamed { similar, .. }) => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar("Jupitr"), ["Jupiter", "Moons of Jupiter"]);
    assert_eq!(similar("cafe"), ["Café"]);
    assert_eq!(similar("USA"), [""; 0]);
    let suggest = |typed: &str| -> Vec<String> {
        engine.suggest(typed, 10).unwrap().into_iter().map(|found| found.title).collect()
    };
    assert_eq!(suggest("ju"), ["Jupiter"]);
    assert_eq!(suggest("untied sta"), ["United States"]);
    assert_eq!(suggest(""), [""; 0]);
}

#[test]
fn graphs_without_categories_or_text_are_ranked_and_explained_too() {
    let dir = tempfile::tempdir().unwrap();
    let contents = Contents { categories: vec![vec![]; 16], texts: None, ..two_cliques() };
    let engine = Engine::new(&contents.corpus(&dir, "a.corpus"), EngineConf::default());
    let ranking = engine.rank("Page 00", &RankConf::default()).unwrap();
    assert_eq!(ranking.links[0].target, "Page 15");
    assert!(ranking.left_out.iter().any(|left| left.name == "categories"), "{:?}", ranking.left_out);
    let why = engine.explain("Page 00", "Page 15", &ExplainConf::default()).unwrap();
    assert_eq!((why.verdict, why.matrices.len()), (Some(Side::Odd), 0));
    assert!(ranking.links.iter().all(|link| link.snippet.is_none() && link.section.is_none()));
    let random = Random::new(1).score(PageId(0), &[PageId(1)]).unwrap();
    assert!(random[0].is_some());
}

#[test]
fn the_grid_of_pairs_adds_up_to_the_expectedness() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(60), &dir);
    let conf = ExplainConf::default().pairs(0);
    for (source, target) in [(7, 10), (1, 2), (8, 5), (20, 33)] {
        let [source, target] = [source, target].map(|page| format!("Page {page:04}"));
        let bare = engine.explain(&source, &target, &conf).unwrap();
        assert!(bare.matrices.iter().all(|matrix| matrix.grid.is_none()));
        assert!(!serde_json::to_string(&bare).unwrap().contains("grid"));
        let why = engine.explain(&source, &target, &conf.clone().grid(true)).unwrap();
        assert!(!why.matrices.is_empty());
        for matrix in &why.matrices {
            let grid = matrix.grid.as_ref().unwrap();
            assert_eq!(grid.weights.len(), grid.sources.len());
            assert!(grid.weights.iter().all(|row| row.len() == grid.targets.len()));
            assert_eq!(grid.weights.iter().flatten().sum::<f64>(), matrix.expectedness);
            assert_eq!(grid.weights.iter().flatten().count(), matrix.num_pairs);
            for pair in &matrix.pairs {
                let row = grid.sources.iter().position(|name| *name == pair.source).unwrap();
                let column = grid.targets.iter().position(|name| *name == pair.target).unwrap();
                assert_eq!(grid.weights[row][column], pair.weight);
            }
        }
    }
}

#[test]
fn a_pass_that_nobody_waits_for_is_stopped() {
    struct Impatient;
    impl Progress for Impatient {
        fn advance(&mut self, _by: u64) {
            stop()
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    assert!(stoppable(|| engine.top(&TopConf::default(), &mut Impatient)).is_err());
    // It answers as before afterwards.
    assert!(!engine.top(&TopConf::default(), &mut Silent).unwrap().links.is_empty());
}

#[test]
fn wrong_names_are_refused_before_a_pass() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    let by = |scorer: &str| engine.check_top(&TopConf::default().rank(RankConf::default().scorer(scorer)));
    assert!(by("blend").is_ok() && by("llamafur+aa").is_ok());
    assert!(matches!(by("nonsense"), Err(Error::UnknownScorer { .. })));
    assert!(engine.check_top(&TopConf::default().to_category("Planet")).is_err());
    assert!(!engine.is_open("aa+ra", &ScoreConf::default()));
    engine.rank("Page 00", &RankConf::default().scorer("aa+ra")).unwrap();
    assert!(engine.is_open("aa+ra", &ScoreConf::default()));
}

#[test]
fn the_distribution_has_the_scores_of_all_links_of_a_small_graph() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    let conf = RankConf::default();
    let found = engine.distribution(&conf).unwrap();
    assert_eq!((&found.scorer[..], found.num_links, found.quantiles.len()), ("blend", 113, 101));
    assert!(found.quantiles.is_sorted());
    let all = engine.top(&TopConf::default().rank(by_oddity()), &mut Silent).unwrap();
    let scores: Vec<f64> = all.links.iter().filter_map(|link| link.link.unexpectedness).collect();
    assert_eq!((found.quantiles[100], found.quantiles[0]), (scores[0], scores[112]));
    assert_eq!(engine.distribution(&conf).unwrap(), found);
    assert_eq!(engine.distribution(&conf.clone().scorer("aa")).unwrap().scorer, "aa");
    assert!(engine.distribution(&conf.scorer("nonsense")).is_err());
    let none = Engine::new(&Contents::titled(["A", "B"]).corpus(&dir, "b.corpus"), EngineConf::default());
    let found = none.distribution(&RankConf::default().scorer("aa")).unwrap();
    assert_eq!((found.num_links, found.quantiles.len()), (0, 0));
}

#[test]
fn a_surprise_is_the_first_link_of_its_page_and_the_same_for_the_same_seed() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    let conf = by_oddity();
    let mut sources = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let found = engine.surprise(&conf, seed).unwrap();
        assert_eq!(engine.surprise(&conf, seed).unwrap(), found);
        let ranking = engine.rank(&found.source, &conf).unwrap();
        assert_eq!(found.link, ranking.links[0]);
        sources.insert(found.source);
    }
    // Half of all pages are looked at each time.
    assert!(sources.contains("Page 00") && sources.len() > 1, "{sources:?}");
}

#[test]
fn a_surprise_is_found_in_any_graph_that_has_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let mut contents = Contents::titled(
        (0..3000).map(|page| format!("{page:04}")).collect::<Vec<_>>().iter().map(|title| &title[..]),
    );
    let conf = RankConf::default().scorer("aa");
    let none = Engine::new(&contents.corpus(&dir, "none"), EngineConf::default());
    let error = none.surprise(&conf, 1).unwrap_err();
    assert!(error.to_string().ends_with("the corpus has no links"), "{error}");
    contents.links[1234] = vec![5];
    let one = Engine::new(&contents.corpus(&dir, "one"), EngineConf::default());
    let found = one.surprise(&conf, 1).unwrap();
    assert_eq!((&found.source[..], &found.link.target[..]), ("1234", "0005"));
    contents.links[1234] = (0..1000).collect();
    let hub = Engine::new(&contents.corpus(&dir, "hub"), EngineConf::default());
    assert_eq!(hub.surprise(&conf, 1).unwrap().source, "1234");
}

#[test]
fn categories_are_suggested_as_titles_are() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(30), &dir);
    let names = |typed: &str, num| {
        let found = engine.suggest_categories(typed, num).unwrap();
        found.into_iter().map(|found| found.title).collect::<Vec<_>>()
    };
    assert_eq!(names("elit", 5), ["Élites"]);
    assert_eq!(names("Desrets", 5), ["Deserts"]);
    assert_eq!(names("", 5), [""; 0]);
    assert_eq!(names("arts", 0), [""; 0]);
}

#[test]
fn an_explanation_of_pages_with_many_categories_is_bounded_and_says_so() {
    // 150 times 150 pairs.
    let categories = |first: u32| (first..first + 150).collect::<Vec<u32>>();
    let contents = Contents {
        titles: ["A", "B", "C", "D"].map(String::from).to_vec(),
        links: vec![vec![1, 2], vec![0], vec![3], vec![2]],
        categories: vec![categories(0), categories(150), vec![0], vec![299]],
        category_names: (0..300).map(|category| format!("Category {category:03}")).collect(),
        parents: vec![vec![]; 300],
        texts: None,
    };
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&contents, &dir);
    let explained = |pairs: usize, target: &str| {
        let conf = ExplainConf::default().scorer("llamafur").pairs(pairs).grid(true);
        engine.explain("A", target, &conf).unwrap().matrices.remove(0)
    };
    let all = explained(0, "B");
    assert_eq!((all.num_pairs, all.pairs.len()), (22_500, ExplainConf::MOST_PAIRS));
    assert_eq!(explained(7, "B").pairs, all.pairs[..7]);
    let grid = all.grid.unwrap();
    assert_eq!((grid.sources.len(), grid.targets.len()), (100, 100));
    assert_eq!((grid.sources_left_out, grid.targets_left_out), (50, 50));
    assert!(grid.weights.iter().all(|row| row.len() == 100));
    // A table that fits has all of them, which add up.
    let whole = explained(5, "C");
    let grid = whole.grid.unwrap();
    assert_eq!((grid.sources.len(), grid.targets.len(), grid.sources_left_out), (150, 1, 0));
    assert_eq!(grid.weights.iter().flatten().sum::<f64>(), whole.expectedness);
}
