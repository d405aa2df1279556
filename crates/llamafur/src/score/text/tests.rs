use super::mentions::Mentions;
use super::place::LinkPlace;
use super::unexpected_words::{Measure, UnexpectedWords};
use super::*;
use crate::Error;
use crate::corpus::{CorpusWriter, ListColumn, PageTexts, Provenance, StringColumn};
use crate::graph::PageId;
use crate::progress::Silent;
use crate::score::scorers::all;
use crate::score::{Inputs, Score, ScoreConf, Scorer};
use crate::storage::Existing;
use crate::text::wikitext::Site;
use crate::words::{Stemming, StopWords, Words, WordsConf};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Text<'a> = Option<&'a str>;

/// Creates a corpus of these pages: titles, which must ascend, links and texts.
fn corpus(dir: &tempfile::TempDir, site: Option<Site>, pages: &[(&str, Vec<u32>, Text<'_>)]) -> Corpus {
    let out = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let titles = pages.iter().map(|(title, ..)| title).collect::<StringColumn>();
    let links = pages.iter().map(|(_, links, _)| links.clone()).collect::<ListColumn>();
    writer.write_pages(titles, links, pages.iter().map(|_| vec![]).collect()).unwrap();
    writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[]; 0])).unwrap();
    if let Some(site) = site {
        writer.set_site(site);
    }
    if pages.iter().any(|(.., text)| text.is_some()) {
        let texts = pages.iter().map(|(.., text)| Ok::<_, Error>(text.map(str::to_owned)));
        writer.write_text(texts).unwrap();
    }
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(&out).unwrap()
}

/// Returns settings by which every word of four letters is a term.
fn conf() -> WordsConf {
    WordsConf::default().min_documents(1).stemming(Stemming::None).stop_words(StopWords::None)
}

fn words(corpus: &Corpus) -> Arc<Words> {
    Arc::new(Words::of(corpus, &conf(), &mut Silent).unwrap())
}

fn scores(scorer: &dyn Score, source: u32, targets: &[u32]) -> Vec<Option<f64>> {
    let targets: Vec<PageId> = targets.iter().map(|&page| PageId(page)).collect();
    scorer.score(PageId(source), &targets).unwrap()
}

fn expect_near(found: &[Option<f64>], expected: &[Option<f64>]) {
    let near = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
        (a, b) => a == b,
    };
    let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| near(a, b));
    assert!(same, "{found:?} but should be {expected:?}");
}

#[test]
fn by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let pages = [
        ("A", vec![1, 2, 3], Some("llama")),
        ("B", vec![], Some("llama llama alpaca")),
        ("C", vec![], Some("llama rocket")),
        ("D", vec![], None),
        ("E", vec![], Some("rocket")),
    ];
    let corpus = corpus(&dir, None, &pages);
    let words = words(&corpus);
    // R = {B, C}: llama 3, alpaca 1, rocket 1, so tf 1, 1/3 and 1/3; three terms in the dictionary.
    let third = 1.0 / 3.0;
    let m2 = UnexpectedWords::new(Measure::M2, &corpus, words.clone());
    expect_near(&scores(&m2, 0, &[1, 2, 3]), &[Some((0.5 - third) / 3.0), Some((1.0 - third) / 3.0), None]);
    let m1 = UnexpectedWords::new(Measure::M1, &corpus, words.clone());
    expect_near(
        &scores(&m1, 0, &[1, 2, 3]),
        &[Some((1.0 - third / 0.5) / 3.0), Some((1.0 - third) / 3.0), None],
    );
    let m4 = UnexpectedWords::new(Measure::M4, &corpus, words.clone());
    expect_near(&scores(&m4, 0, &[1, 2, 3]), &[Some(0.5 * 2f64.ln()), Some(2f64.ln()), None]);
    // E is looked at as if A linked to it: three documents, two of which have a rocket.
    expect_near(&scores(&m4, 0, &[4]), &[Some(1.5f64.ln())]);
    // Four pages have words; llama is in three, rocket in two, alpaca in one.
    let cosine = Cosine::new(words).unwrap();
    let (llama, rocket, alpaca) = ((4f64 / 3.0).ln(), 2f64.ln(), 4f64.ln());
    let llamas = (1.0 + 2f64.ln()) * llama;
    expect_near(
        &scores(&cosine, 0, &[1, 2, 3, 4]),
        &[Some(-llamas / llamas.hypot(alpaca)), Some(-llama / llama.hypot(rocket)), None, Some(0.0)],
    );
    assert_eq!(scores(&cosine, 3, &[0, 1]), [None, None]);
}

/// Number of occurrences of each word in each text.
type Counts = Vec<BTreeMap<String, f64>>;

fn count(texts: &[Option<String>]) -> Counts {
    let count = |text: &Option<String>| {
        let mut counts = BTreeMap::new();
        for word in text.iter().flat_map(|text| text.split_whitespace()) {
            *counts.entry(word.to_owned()).or_insert(0.0) += 1.0;
        }
        counts
    };
    texts.iter().map(count).collect()
}

/// Computes M1, M2 and M4 by their formulas, word by word.
fn plainly(counts: &Counts, links: &BTreeSet<u32>, target: u32) -> Option<[f64; 3]> {
    let documents: BTreeSet<u32> = links.iter().copied().chain([target]).collect();
    let document = &counts[target as usize];
    let dictionary: BTreeSet<&String> = counts.iter().flat_map(BTreeMap::keys).collect();
    let in_r =
        |term: &String| documents.iter().filter_map(|page| counts[*page as usize].get(term)).sum::<f64>();
    let with =
        |term: &String| documents.iter().filter(|page| counts[**page as usize].contains_key(term)).count();
    let num = documents.iter().filter(|page| !counts[**page as usize].is_empty()).count();
    let highest_r = dictionary.iter().map(|term| in_r(term)).fold(0.0, f64::max);
    let highest_d = document.values().copied().fold(0.0, f64::max);
    let (mut m1, mut m2, mut m4) = (0.0, 0.0, 0.0f64);
    for term in dictionary.iter().copied() {
        let (tf_d, tf_r) =
            (document.get(term).map_or(0.0, |count| count / highest_d), in_r(term) / highest_r);
        if tf_d > 0.0 && tf_r / tf_d <= 1.0 {
            m1 += 1.0 - tf_r / tf_d;
        }
        m2 += f64::max(0.0, tf_d - tf_r);
        if tf_d > 0.0 {
            m4 = m4.max(tf_d * (num as f64 / with(term) as f64).ln());
        }
    }
    let m = dictionary.len() as f64;
    (!document.is_empty()).then_some([m1 / m, m2 / m, m4])
}

fn plain_cosine(counts: &Counts, source: u32, target: u32) -> Option<f64> {
    let num = counts.iter().filter(|page| !page.is_empty()).count() as f64;
    let vector = |page: u32| -> BTreeMap<&String, f64> {
        let weight = |(term, count): (_, &f64)| {
            let documents = counts.iter().filter(|page| page.contains_key(term)).count() as f64;
            (term, (1.0 + count.ln()) * (num / documents).ln())
        };
        counts[page as usize].iter().map(weight).collect()
    };
    let (one, two) = (vector(source), vector(target));
    let norm =
        |vector: &BTreeMap<&String, f64>| vector.values().map(|weight| weight * weight).sum::<f64>().sqrt();
    let product: f64 = one.iter().filter_map(|(term, weight)| Some(weight * two.get(term)?)).sum();
    let norms = norm(&one) * norm(&two);
    (norms > 0.0).then(|| -product / norms)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn scores_are_what_the_formulas_say(
        pages in proptest::collection::vec(
            (proptest::collection::btree_set(0u32..12, 0..7), proptest::option::of("((llama|alpaca|rocket|moon|fish|tree|bread|[a-d]{4}) ){0,14}")), 12)
    ) {
        let dir = tempfile::tempdir().unwrap();
        let titles: Vec<String> = (0..12).map(|page| format!("Page {page:02}")).collect();
        let links: Vec<BTreeSet<u32>> = pages.iter().zip(0..).map(|((links, _), page)| links.iter().copied().filter(|&to| to != page).collect()).collect();
        let texts: Vec<Option<String>> = pages.into_iter().map(|(_, text)| text).collect();
        prop_assume!(texts.iter().any(Option::is_some));
        let rows: Vec<(&str, Vec<u32>, Text<'_>)> = titles.iter().zip(&links).zip(&texts)
            .map(|((title, links), text)| (title.as_str(), links.iter().copied().collect(), text.as_deref())).collect();
        let corpus = corpus(&dir, None, &rows);
        let (words, counts) = (words(&corpus), count(&texts));
        let scorers: [Arc<dyn Score>; 3] = [
            Arc::new(UnexpectedWords::new(Measure::M1, &corpus, words.clone())), Arc::new(UnexpectedWords::new(Measure::M2, &corpus, words.clone())), Arc::new(UnexpectedWords::new(Measure::M4, &corpus, words.clone())),
        ];
        let cosine = Cosine::new(words).unwrap();
        for source in 0..12 {
            let targets: Vec<u32> = (0..12).filter(|&page| page != source).collect();
            for (at, scorer) in scorers.iter().enumerate() {
                let expected: Vec<_> = targets.iter().map(|&target| plainly(&counts, &links[source as usize], target).map(|all| all[at])).collect();
                expect_near(&scores(&**scorer, source, &targets), &expected);
            }
            let expected: Vec<_> = targets.iter().map(|&target| plain_cosine(&counts, source, target)).collect();
            expect_near(&scores(&cosine, source, &targets), &expected);
        }
    }
}

#[test]
fn mentions_are_counted_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let pages = [
        ("Fish", vec![1, 2], Some("Fish meet foxes, a Fox, a firefox. Mercury kills them.")),
        ("Fox", vec![], None),
        ("Mercury (element)", vec![], Some("")),
    ];
    let corpus = corpus(&dir, None, &pages);
    let mentions = Mentions::new(&corpus, Arc::new(PageTexts::new(&corpus)));
    expect_near(&scores(&mentions, 0, &[1, 2]), &[Some(-3f64.ln()), Some(-2f64.ln())]);
    assert_eq!(scores(&mentions, 1, &[0]), [None]);
    let none = scores(&mentions, 2, &[0]);
    assert!(none == [Some(0.0)] && none[0].unwrap().is_sign_positive());
}

#[test]
fn in_a_wiki_links_are_mentions_and_their_texts_are_not_counted_again() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "[[Fox]]es eat, says a [[fox|hunter]]. A fox!<ref>Fox</ref>\n[[File:Fox.jpg|A fox]] [[Bear|fox]]";
    let pages = [("Bear", vec![], None), ("Fish", vec![0, 2], Some(text)), ("Fox", vec![], None)];
    let corpus = corpus(&dir, Some(Site::default()), &pages);
    let mentions = Mentions::new(&corpus, Arc::new(PageTexts::new(&corpus)));
    expect_near(&scores(&mentions, 1, &[0, 2]), &[Some(-2f64.ln()), Some(-4f64.ln())]);
}

#[test]
fn places_go_from_the_lead_to_the_references_and_then_downwards() {
    let dir = tempfile::tempdir().unwrap();
    let text = "{{Infobox|kind=[[B]]}}\nThe [[C]].<ref>In [[D]].</ref>\n\n== More ==\nWith [[E]] and [[F]], [[C]].\n* [[G]]";
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    let pages: Vec<(&str, Vec<u32>, Text<'_>)> =
        names.iter().zip(0..).map(|(name, page)| (*name, vec![], (page == 0).then_some(text))).collect();
    let corpus = corpus(&dir, Some(Site::default()), &pages);
    let place = LinkPlace::new(Arc::new(PageTexts::new(&corpus)));
    let found = scores(&place, 0, &[1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(found[6], None);
    let mut order: Vec<usize> = (0..6).collect();
    order.sort_by(|a, b| found[*a].unwrap().total_cmp(&found[*b].unwrap()));
    let order: String = order.into_iter().map(|at| names[at + 1]).collect();
    assert_eq!(order, "CBGEFD");
    assert_eq!(scores(&place, 1, &[0]), [None]);
}

#[test]
fn a_corpus_without_texts_lacks_them() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, None, &[("A", vec![1], None), ("B", vec![], None)]);
    // Those that use a model lack that first.
    let by_text = |scorer: &&Scorer| scorer.inputs.contains("text") && scorer.model.is_none();
    let by_text: Vec<_> = all().filter(by_text).collect();
    assert_eq!(by_text.len(), 7);
    for scorer in by_text {
        let Err(error) = (scorer.open)(&Inputs::new(&corpus), &ScoreConf::default(), &mut Silent) else {
            panic!("{scorer}")
        };
        let message = error.to_string();
        assert!(error.is_lack() && message.contains("no text") && error.remedy().is_some(), "{message}");
    }
}

#[test]
fn a_corpus_that_is_no_wiki_or_too_small_lacks_what_some_need() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, None, &[("A", vec![1], Some("llamas")), ("B", vec![], Some("llamas"))]);
    for (name, lack) in [("m4", "no term that occurs in 10"), ("cosine", "no term"), ("place", "wikitext")] {
        let (scorer, _) = Scorer::parse(name).unwrap();
        let Err(error) = (scorer.open)(&Inputs::new(&corpus), &ScoreConf::default(), &mut Silent) else {
            panic!("{name}")
        };
        assert!(error.is_lack() && error.to_string().contains(lack), "{error}");
    }
    let (m4, _) = Scorer::parse("m4").unwrap();
    let scorer =
        (m4.open)(&Inputs::new(&corpus).words_conf(conf()), &ScoreConf::default(), &mut Silent).unwrap();
    assert_eq!(scores(&*scorer, 0, &[1]), [Some(0.0)]);
}
