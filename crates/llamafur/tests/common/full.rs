//! A wiki with everything in it: texts, redirects, a cleansing, models of all kinds, words, vectors, prepared files. And all
//! questions that can be asked of it.

use super::Contents;
use llamafur::Error;
use llamafur::categories::{Categories, CleanseConf, Cleanser, Goal};
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::engine::{
    CategoryConf, DiffConf, Draft, Engine, EngineConf, ExplainConf, Lookup, PredictConf, RankConf, TopConf,
};
use llamafur::learn::{LearnConf, Method, features, train, train_features};
use llamafur::progress::Silent;
use llamafur::score::ScoreConf;
use llamafur::storage::Existing;
use llamafur::text::wikitext::Site;
use llamafur::vectors::PageVectors;
use llamafur::words::WordsConf;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Pages of the wiki.
pub const PAGES: u32 = 60;

/// The pages, their links in the texts.
fn contents() -> Contents {
    let title = |page: u32| match page % 10 {
        9 => format!("Page {:04} (song)", page - 1),
        _ => format!("Page {page:04}"),
    };
    let row = |page: u32| {
        let mut row: Vec<u32> = (1..=3 + page % 4).map(|step| (page * 7 + step * 5) % PAGES).collect();
        row.sort_unstable();
        row.dedup();
        row.retain(|&target| target != page);
        row
    };
    let text = |page: u32| {
        let links =
            row(page).into_iter().map(|target| format!("It is near [[{}|that]] page. ", title(target)));
        let words = ["planet orbit moon", "river water fish", "poem verse rhyme"][page as usize % 3];
        format!(
            "'''{}''' is of {words}. {}\n== More ==\nAlso {}.",
            title(page),
            links.collect::<String>(),
            title(page / 2)
        )
    };
    Contents {
        titles: (0..PAGES).map(title).collect(),
        links: (0..PAGES).map(row).collect(),
        categories: (0..PAGES)
            .map(|page| if page % 6 == 5 { vec![] } else { vec![page % 3, 3 + page % 2] })
            .collect(),
        category_names: ["Arts", "Beasts", "Cities", "Deserts", "Élites"].map(String::from).to_vec(),
        parents: vec![vec![3], vec![], vec![3, 4], vec![], vec![]],
        texts: Some((0..PAGES).map(|page| (page % 11 != 4).then(|| text(page))).collect()),
    }
}

/// Makes it in a folder.
pub fn made(dir: &Path) -> PathBuf {
    let (path, all) = (dir.join("full.corpus"), contents());
    let mut writer = CorpusWriter::create(&path, Existing::Refuse).unwrap();
    let lists = |rows: &Vec<Vec<u32>>| rows.iter().cloned().collect::<ListColumn>();
    let strings = |names: &Vec<String>| names.iter().collect::<StringColumn>();
    writer.set_site(Site { name: "Full".into(), language: "en".into(), ..Site::default() });
    writer.write_pages(strings(&all.titles), lists(&all.links), lists(&all.categories)).unwrap();
    writer.write_categories(strings(&all.category_names), lists(&all.parents)).unwrap();
    writer.write_redirects(["Far page", "Near page"].iter().collect(), vec![3, 8]).unwrap();
    writer.write_text(all.texts.into_iter().flatten().map(Ok::<_, Error>)).unwrap();
    writer.finish(Provenance::default()).unwrap();
    let corpus = Corpus::open(&path).unwrap();
    let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
    cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(4))).unwrap().save(&corpus, "default").unwrap();
    let engine = engine(&path).unwrap();
    engine.inputs().words(&mut Silent).unwrap();
    let cleansed = Categories::cleansed(&corpus, "default").unwrap();
    let conf = LearnConf::default().rank(3).passes(2).ensemble(1);
    let over = features::available(&corpus, cleansed, &mut Silent).unwrap();
    train_features(&over, "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    for (name, method) in [("dense", Method::Averaged), ("counted", Method::Naive)] {
        let conf = LearnConf::default().method(method);
        train(&Categories::all(&corpus), name, &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    }
    let rows = (0..PAGES * 2).map(|at| (at % 7) as f32 - 3.0).collect();
    PageVectors::from_rows(2, rows, "x".into()).save(&corpus, "mine").unwrap();
    engine.prepare_all(&ScoreConf::default(), &mut Silent).unwrap();
    ask(&engine);
    path
}

/// Opens it; words that few pages have count.
pub fn engine(path: &Path) -> Result<Engine, Error> {
    Engine::open(path, EngineConf::default().words(WordsConf::default().min_documents(1)))
}

/// What the wiki answers to each question, in JSON.
pub fn ask(engine: &Engine) -> Vec<(String, Result<String, Error>)> {
    let mut answers = Vec::new();
    let mut add = |what: String, answer: Result<String, Error>| answers.push((what, answer));
    let pages = ["Page 0000", "Page 0008 (song)", "page_0031", "Far page", "Page 0059"];
    let draft = || {
        Draft::new("A draft", b"It is near [[Page 0008]] and [[Near page]] of river water. [[Category:Arts]]")
    };
    for scorer in ["blend", "llamafur", "aa", "cosine:mine", "words", "lead", "mentions", "llamafur+jaccard"]
    {
        let conf = RankConf::default().scorer(scorer);
        for page in pages {
            add(format!("rank {page} by {scorer}"), json(engine.rank(page, &conf)));
        }
        add(format!("distribution of {scorer}"), json(engine.distribution(&conf)));
        let top = TopConf::default().rank(RankConf::default().scorer(scorer).top(20));
        add(format!("top by {scorer}"), json(engine.top(&top, &mut Silent)));
        add(format!("surprise by {scorer}"), json(engine.surprise(&conf, 3)));
        add(format!("draft by {scorer}"), json(draft().and_then(|draft| engine.rank_draft(&draft, &conf))));
    }
    for model in ["llamafur", "dense", "counted"] {
        let score = ScoreConf { model: Some(model.into()), ..ScoreConf::default() };
        let conf = ExplainConf::default().scorer("llamafur").score(score).grid(true);
        for page in pages {
            add(format!("explain {page} by {model}"), json(engine.explain(page, "Page 0012", &conf)));
        }
        for category in ["Arts", "Cities", "Élites"] {
            let conf = CategoryConf::default().model(model);
            add(format!("category {category} of {model}"), json(engine.category(category, &conf)));
        }
    }
    for page in pages {
        add(format!("explain {page}"), json(engine.explain("Page 0001", page, &ExplainConf::default())));
        add(format!("article {page}"), json(engine.article(page)));
        add(format!("lead of {page}"), json(engine.lead(page)));
        add(format!("namesakes of {page}"), json(engine.namesakes(page)));
        for lookup in [Lookup::Anywhere, Lookup::Named] {
            let conf = PredictConf::default().lookup(lookup);
            add(format!("predict {page} {lookup:?}"), json(engine.predict(page, &conf)));
        }
        add(format!("mend {page}"), json(engine.mend_page(page, &RankConf::default(), &mut Silent)));
    }
    for typed in ["Page 00", "song", "Pag 0031", "zzz"] {
        let titles = |found: Vec<llamafur::engine::Suggestion>| {
            found.into_iter().map(|one| one.title).collect::<Vec<_>>()
        };
        add(format!("suggest {typed}"), json(engine.suggest(typed, 9).map(titles)));
        add(format!("suggest categories {typed}"), json(engine.suggest_categories(typed, 9).map(titles)));
    }
    add("mend".into(), json(engine.mend(&RankConf::default(), &mut Silent)));
    add("diff".into(), json(engine.diff(engine, &DiffConf::default(), &mut Silent)));
    let contents = Contents::read(engine.corpus());
    add("contents".into(), contents.map(|contents| format!("{contents:?}")));
    answers
}

fn json<T: Serialize>(answer: Result<T, Error>) -> Result<String, Error> {
    Ok(serde_json::to_string(&answer?).unwrap())
}
