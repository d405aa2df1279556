//! The engine: owned, shared by threads, and never at odds with itself.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::{Contents, storied};
use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, PageText, PageTexts};
use llamafur::engine::{
    CategoryConf, Engine, EngineConf, ExplainConf, LinkExplanation, RankConf, Ranking, SignalUnit, TopConf,
};
use llamafur::graph::{Neighbours, PageId};
use llamafur::learn::{LearnConf, Model, train};
use llamafur::progress::Silent;
use llamafur::score::{
    Company, Inputs, LlamaFur, Normalise, Random, Score, ScoreConf, SharedNeighbours, Side, Studentise, Sum,
    Weights,
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
    owned_and_shareable::<Company>();
    owned_and_shareable::<Sum>();
    owned_and_shareable::<PageText>();
    owned_and_shareable::<PageTexts>();
    owned_and_shareable::<Ranking>();
    owned_and_shareable::<LinkExplanation>();
    owned_and_shareable::<Error>();
}

/// Two cliques of eight pages each, each in a category of its own, joined by one link: page 0 to page 15.
fn two_cliques() -> Contents {
    let clique = |first: u32, page: u32| (first..first + 8).filter(move |&other| other != page);
    let mut links: Vec<Vec<u32>> =
        (0..16).map(|page| clique(if page < 8 { 0 } else { 8 }, page).collect()).collect();
    links[0].push(15);
    let word = |page: u32| if page < 8 { "planet orbit moon" } else { "river water fish" };
    Contents {
        titles: (0..16).map(|page| format!("Page {page:02}")).collect(),
        links,
        categories: (0..16).map(|page| vec![page / 8]).collect(),
        category_names: ["Planets", "Rivers"].map(String::from).to_vec(),
        parents: vec![vec![]; 2],
        texts: Some((0..16).map(|page| Some(format!("A {}. Page 15 too.", word(page)))).collect()),
    }
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
    let engine = engine(&two_cliques(), &dir);
    for scorer in ["blend", "llamafur", "aa", "llamafur+aa"] {
        let ranking = engine.rank("page_00", &RankConf::default().scorer(scorer).snippets(true)).unwrap();
        assert_eq!((&ranking.page[..], ranking.num_links), ("Page 00", 8));
        let first = &ranking.links[0];
        assert_eq!(first.target, "Page 15", "{scorer}");
        assert_eq!(first.snippet.as_deref(), Some("Page 15 too."));
        let unit = if scorer.contains('+') || scorer == "blend" {
            SignalUnit::StandardDeviations
        } else {
            SignalUnit::Raw
        };
        assert_eq!(ranking.signal_unit, unit);
        assert!(!first.reasons.is_empty());
        let top =
            engine.top(&TopConf::default().rank(RankConf::default().scorer(scorer).top(1)), &mut Silent);
        let top = top.unwrap();
        assert_eq!(
            (&top.links[0].source[..], &top.links[0].link.target[..]),
            ("Page 00", "Page 15"),
            "{scorer}"
        );
        assert_eq!(top.num_links, 113);
        assert_eq!(top.links[0].link.reasons, first.reasons, "{scorer}");
        let why = engine.explain("Page 00", "Page 15", &ExplainConf::default().scorer(scorer)).unwrap();
        assert_eq!((why.rank, why.of, why.linked, why.verdict), (1, 8, true, Some(Side::Odd)), "{scorer}");
        assert_eq!((&why.odd, why.unexpectedness), (&first.reasons, first.unexpectedness), "{scorer}");
    }
    let by_matrix = engine.rank("Page 00", &RankConf::default().scorer("llamafur")).unwrap();
    let pair = by_matrix.links[0].reasons[0].pair.as_ref().unwrap();
    assert_eq!((&pair.source[..], &pair.target[..]), ("Planets", "Rivers"));
    assert!(pair.weight < 0.0);
    assert_eq!(by_matrix.links[0].reasons[0].text, "pages in Planets seldom link to pages in Rivers");
    let last = by_matrix.links.last().unwrap();
    assert_eq!(last.reasons[0].text, "pages in Planets often link to pages in Planets");
    let why = engine.explain("Page 00", "Page 15", &ExplainConf::default()).unwrap();
    let matrix = why.matrices.first().unwrap();
    assert_eq!((matrix.num_pairs, matrix.pairs[0].links, matrix.explained), (1, 1, Some(false)));
}

#[test]
fn filters_of_the_top_links_are_by_category_links_and_page() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&two_cliques(), &dir);
    let top = |conf: TopConf| engine.top(&conf, &mut Silent).unwrap();
    let all = TopConf::default().rank(RankConf::default().scorer("aa"));
    assert_eq!(top(all.clone().from_category("Planets").to_category("rivers")).num_links, 1);
    assert_eq!(top(all.clone().from_category("Rivers").to_category("Planets")).links, []);
    assert_eq!(top(all.clone().min_links(8)).num_links, 8);
    assert_eq!(top(all.clone().min_links(9)).links, []);
    let one_a_page = top(all.clone().per_page(1));
    assert_eq!((one_a_page.links.len(), one_a_page.num_links), (16, 113));
    assert_eq!(top(all.rank(RankConf::default().scorer("aa").top(5))).links.len(), 5);
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

/// What a reason claims must hold, and must speak for the half of the ranking that its row is in.
fn check_reasons(engine: &Engine, scorer: &str, pages: impl Iterator<Item = u32>) -> usize {
    let conf = RankConf::default().scorer(scorer);
    let mut rows = 0;
    for page in pages {
        let title = engine.corpus().title(PageId(page)).unwrap().to_owned();
        let ranking = engine.rank(&title, &conf).unwrap();
        let scored = ranking.links.iter().filter(|link| link.unexpectedness.is_some()).count();
        for link in ranking.links.iter().take(5).filter(|link| link.unexpectedness.is_some()) {
            let is_odd = 2 * (link.rank - 1) < scored;
            assert!(!link.reasons.is_empty(), "{title} → {}", link.target);
            for reason in &link.reasons {
                if let Some(pair) = &reason.pair {
                    assert_eq!(pair.weight < 0.0, is_odd, "{title} → {}: {reason:?}", link.target);
                }
                let signal = link.signals.get(&reason.signal);
                if let (SignalUnit::StandardDeviations, Some(&signal)) = (ranking.signal_unit, signal) {
                    assert_eq!(signal > 0.0, is_odd, "{title} → {}: {reason:?} {signal}", link.target);
                }
            }
            rows += 1;
        }
    }
    rows
}

#[test]
fn no_reason_contradicts_the_rank_of_its_row() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&storied(400), &dir);
    for scorer in ["blend", "llamafur", "llamafur+aa", "ra"] {
        assert!(check_reasons(&engine, scorer, 0..400) > 300, "{scorer}");
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
                .rank(&page, &RankConf::default().scorer(scorer).top(3).snippets(true))
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
        RankConf::default().scorer("llamafur").score(score)
    });
    let page = ScoreConf { studentise: Studentise::Page, ..ScoreConf::default() };
    let by_page = RankConf::default().scorer("aa+ra").score(page);
    let by_graph = RankConf::default().scorer("aa+ra");
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
    let weights = Weights::new([("aa".to_owned(), 1.0)]);
    let model = ScoreConf { model: Some("llamafur".into()), ..ScoreConf::default() };
    let weighted = ScoreConf { weights: Some(weights), ..ScoreConf::default() };
    let by_page = ScoreConf { studentise: Studentise::Page, ..ScoreConf::default() };
    for (scorer, conf, unused) in
        [("aa", model, "model"), ("aa", weighted, "weights"), ("llamafur", by_page, "studentise")]
    {
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
fn a_scorer_of_ones_own_takes_part_in_sums_and_blends() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = trained(&storied(100), &dir);
    let engine = Engine::new(&corpus, EngineConf::default().scorer(Arc::new(Distance)));
    let alone = engine.rank("Page 0011", &RankConf::default().scorer("distance")).unwrap();
    let targets: Vec<f64> = alone.links.iter().map(|link| link.unexpectedness.unwrap()).collect();
    assert!(targets.is_sorted_by(|a, b| a >= b) && !targets.is_empty());
    assert_eq!(alone.links[0].reasons[0].signal, "distance");
    let sum = engine.rank("Page 0011", &RankConf::default().scorer("aa+distance")).unwrap();
    assert!(sum.links[0].signals.contains_key("distance") && sum.links[0].signals.contains_key("aa"));
    let weights = Weights::new([("distance".to_owned(), 2.0), ("aa".to_owned(), 1.0)]);
    let score = ScoreConf { weights: Some(weights), ..ScoreConf::default() };
    let blend = engine.rank("Page 0011", &RankConf::default().score(score)).unwrap();
    let link = &blend.links[0];
    let expected = 2.0 * link.signals["distance"] + link.signals["aa"];
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
    let error = engine.rank("Page 00", &RankConf::default().snippets(true)).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }), "{error}");
    let random = Random::new(1).score(PageId(0), &[PageId(1)]).unwrap();
    assert!(random[0].is_some());
}
