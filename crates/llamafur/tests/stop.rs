//! Long work that its progress stops, and questions that nobody waits for any more: all of their threads end at once.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, kinds};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::engine::{CategoryConf, DiffConf, Draft, ExplainConf, Lookup, PredictConf, TopConf};
use llamafur::graph::PageId;
use llamafur::interrupt::Interrupt;
use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate};
use llamafur::learn::{LearnConf, Method, learn, train};
use llamafur::progress::{Progress, Silent, Stopped, stop, stoppable};
use llamafur::score::Score;
use llamafur::words::WordsConf;
use llamafur::{Engine, EngineConf, Error, RankConf};
use std::sync::{Arc, Mutex};

/// Stops after so many reports of progress.
struct Patience(usize);

impl Progress for Patience {
    fn advance(&mut self, _by: u64) {
        match self.0 {
            0 => stop(),
            _ => self.0 -= 1,
        }
    }
}

/// Work that would take many minutes.
fn endless(method: Method) -> LearnConf {
    LearnConf::default().method(method).ensemble(1).passes(100_000)
}

#[test]
fn learners_stop_at_once() {
    let small = kinds(200);
    for method in [Method::Factored, Method::Averaged, Method::Paper, Method::Original] {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let stopped =
                pool.install(|| stoppable(|| learn(&small.graph(), &endless(method), &mut Patience(5))));
            assert_eq!(stopped.err(), Some(Stopped), "{method}");
        }
    }
}

#[test]
fn a_cross_validation_stops_in_all_its_folds() {
    let small = kinds(200);
    let conf = CrossValidateConf::new(endless(Method::Averaged)).folds(4).jobs(Some(2));
    let stopped = stoppable(|| cross_validate(&small.graph(), &conf, &mut Patience(5)));
    assert_eq!(stopped.err(), Some(Stopped));
}

#[test]
fn another_panic_goes_on() {
    let panicked = std::panic::catch_unwind(|| stoppable(|| std::panic::resume_unwind(Box::new("other"))));
    assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "other");
}

/// A scorer that interrupts the question it is asked in.
#[derive(Default)]
struct Interrupting(Mutex<Option<Interrupt>>);

impl Score for Interrupting {
    fn name(&self) -> &str {
        "interrupting"
    }

    fn score(&self, _: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        self.0.lock().unwrap().iter().for_each(Interrupt::set);
        Ok(targets.iter().map(|target| Some(f64::from(target.0))).collect())
    }
}

/// Two groups of pages that link to one another.
fn groups(num: u32) -> Contents {
    let links = |page: u32| (0..num).filter(|other| other % 2 == page % 2 && *other != page).collect();
    let mut links: Vec<Vec<u32>> = (0..num).map(links).collect();
    links[0].insert(0, 1);
    Contents {
        // One has a title that another may be meant by.
        titles: (0..num)
            .map(|page| if page == 2 { "Page 001 (moon)".to_owned() } else { format!("Page {page:03}") })
            .collect(),
        links,
        categories: (0..num).map(|page| vec![page % 2]).collect(),
        category_names: ["Planets", "Rivers"].map(String::from).to_vec(),
        parents: vec![vec![]; 2],
        texts: Some((0..num).map(|page| Some(format!("Water {page}. Page 001 and Page 004."))).collect()),
    }
}

/// What is asked, and what is answered, in short.
type Question<'a> = (&'static str, Box<dyn Fn(&Engine) -> Result<String, Error> + 'a>);

/// A question of each kind, with a scorer where it takes one.
fn questions(scorer: &'static str) -> Vec<Question<'static>> {
    fn shown<T: std::fmt::Debug>(answer: Result<T, Error>) -> Result<String, Error> {
        answer.map(|answer| format!("{answer:?}"))
    }
    let rank = move || RankConf::default().scorer(scorer);
    let predict = move |lookup| PredictConf::default().scorer(scorer).lookup(lookup);
    let draft = || Draft::new("New", "[[Page 004]] and [[Page 003]].".as_bytes()).unwrap();
    let mut questions: Vec<Question<'static>> = vec![
        ("rank", Box::new(move |engine| shown(engine.rank("Page 000", &rank())))),
        ("top", Box::new(move |engine| shown(engine.top(&TopConf::default().rank(rank()), &mut Silent)))),
        ("surprise", Box::new(move |engine| shown(engine.surprise(&rank(), 1)))),
        ("distribution", Box::new(move |engine| shown(engine.distribution(&rank())))),
        (
            "explain",
            Box::new(move |engine| {
                let conf = ExplainConf::default().scorer(scorer).grid(true);
                shown(engine.explain("Page 000", "Page 001", &conf))
            }),
        ),
        ("predict", Box::new(move |engine| shown(engine.predict("Page 000", &predict(Lookup::Anywhere))))),
        ("mend", Box::new(move |engine| shown(engine.mend_page("Page 004", &rank(), &mut Silent)))),
    ];
    if scorer == "blend" {
        let all: Vec<Question<'static>> = vec![
            (
                "diff",
                Box::new(move |engine| {
                    shown(engine.diff(engine, &DiffConf::default().rank(rank()), &mut Silent))
                }),
            ),
            ("named", Box::new(move |engine| shown(engine.predict("Page 000", &predict(Lookup::Named))))),
            ("article", Box::new(|engine| shown(engine.article("Page 000")))),
            ("suggest", Box::new(|engine| shown(engine.suggest("Pagr 00", 5)))),
            ("suggest_categories", Box::new(|engine| shown(engine.suggest_categories("Rivres", 5)))),
            ("category", Box::new(|engine| shown(engine.category("Rivers", &CategoryConf::default())))),
            ("rank_draft", Box::new(move |engine| shown(engine.rank_draft(&draft(), &rank())))),
            ("read_draft", Box::new(move |engine| shown(engine.read_draft(&draft())))),
        ];
        questions.extend(all);
    }
    questions
}

fn with_model(dir: &tempfile::TempDir) -> Corpus {
    let corpus = groups(60).corpus(dir, "a.corpus");
    let conf = LearnConf::default().held_out(0.0).rank(4);
    train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    corpus
}

#[test]
fn every_question_that_is_interrupted_ends_and_leaves_nothing_half_done() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = with_model(&dir);
    let engine = |scorer: &Arc<Interrupting>| {
        let words = WordsConf::default().min_documents(1);
        Engine::new(&corpus, EngineConf::default().words(words).scorer(scorer.clone()))
    };
    // What an engine keeps beside the corpus would spare the next one the work that is interrupted.
    let forget = || drop(std::fs::remove_file(corpus.path().join("standards.json")));
    let quiet: Arc<Interrupting> = Arc::default();
    let whole = engine(&quiet);
    for (name, ask) in questions("blend") {
        // Before it begins, on an engine that holds nothing yet and on one that has answered it.
        forget();
        let (fresh, interrupt) = (engine(&quiet), Interrupt::default());
        interrupt.set();
        let stopped = interrupt.scope(|| ask(&fresh));
        assert!(matches!(stopped, Err(Error::Stopped)), "{name}: {stopped:?}");
        let expected = ask(&whole).unwrap();
        let stopped = interrupt.scope(|| ask(&whole));
        // What is kept needs no work.
        assert!(matches!(stopped, Err(Error::Stopped)) || name == "distribution", "{name}: {stopped:?}");
        assert_eq!(ask(&fresh).unwrap(), expected, "{name}");
        assert_eq!(ask(&whole).unwrap(), expected, "{name}");
    }
    for (name, ask) in questions("interrupting+aa") {
        // From within, on any thread of a pool.
        let scorer: Arc<Interrupting> = Arc::default();
        let engine = engine(&scorer);
        let expected = ask(&whole).unwrap();
        forget();
        let interrupt = Interrupt::default();
        *scorer.0.lock().unwrap() = Some(interrupt.clone());
        let stopped = interrupt.scope(|| ask(&engine));
        assert!(matches!(stopped, Err(Error::Stopped)), "{name}: {stopped:?}");
        *scorer.0.lock().unwrap() = None;
        assert_eq!(ask(&engine).unwrap(), expected, "{name}");
    }
}

#[test]
fn a_question_ends_while_another_thread_interrupts_it() {
    let dir = tempfile::tempdir().unwrap();
    let engine = Engine::new(&with_model(&dir), EngineConf::default());
    let interrupt = Interrupt::default();
    let other = interrupt.clone();
    let waits = std::thread::spawn(move || other.set());
    let answer = interrupt.scope(|| {
        loop {
            if let Err(error) = engine.rank("Page 000", &RankConf::default().scorer("aa")) {
                return error;
            }
        }
    });
    waits.join().unwrap();
    assert!(matches!(answer, Error::Stopped), "{answer}");
}
