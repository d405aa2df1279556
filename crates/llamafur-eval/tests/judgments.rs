//! Judgments of real pages: the authors' own file, and those of a corpus.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::corpus::Corpus;
use llamafur::storage::Existing;
use llamafur_eval::judgments::{Class, Form, JudgmentError, Judgments, Pages};
use llamafur_eval::measures::chance;
use llamafur_eval::statistics::{RESAMPLES, Resamples, chance_spread, mean};
use llamafur_eval::synth::{SynthConf, synth};
use std::fs::File;
use std::io::Write;

include!("common/numbered.rs");

/// The authors' file, if it is there.
fn authors_file() -> Option<PathBuf> {
    let path =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/human-evaluation.tsv"));
    if path.is_file() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {} is not there", path.display());
    None
}

#[test]
fn the_authors_file_has_the_papers_numbers() {
    let Some(path) = authors_file() else { return };
    let (judgments, _) = alone(File::open(&path).unwrap(), path, Form::Auto).unwrap();
    let counts = judgments.counts();
    assert_eq!((counts.records, counts.pairs, counts.queries), (3_697, 3_696, 237));
    assert_eq!(counts.with_both_kinds, 117);
    assert_eq!(format!("{:.2} of {:.2}", counts.mean_relevant, counts.mean_judged), "3.48 of 20.87");
    let shares = Class::ALL.map(|class| format!("{:.1}%", 100.0 * counts.share(class)));
    assert_eq!(shares, ["58.1%", "30.9%", "8.8%", "2.2%"]);
    let twice = &judgments.account.duplicates;
    assert_eq!((twice.records, twice.examples[0].target.as_str()), (1, "Bonțida"));
    assert_eq!(judgments.account.found, 3_696);
    let single = judgments.with_both_kinds().filter(|query| query.num_relevant() == 1).count();
    assert_eq!(single, 45);
}

#[test]
fn chance_on_the_authors_file_is_0_173_with_a_spread_of_0_024() {
    let Some(path) = authors_file() else { return };
    let (judgments, _) = alone(File::open(&path).unwrap(), path, Form::Auto).unwrap();
    let queries = judgments.expect_queries().unwrap();
    let bprefs: Vec<f64> = queries
        .iter()
        .map(|query| {
            let judged: Vec<_> = query.links.iter().map(|link| link.class).enumerate().collect();
            chance(query.links.len(), &judged).unwrap().bpref
        })
        .collect();
    let exact = mean(&bprefs);
    assert_eq!(format!("{exact:.4}"), "0.1729");
    let kinds: Vec<_> = queries.iter().map(|query| (query.num_relevant(), query.num_irrelevant())).collect();
    let (drawn, sd) = chance_spread(&kinds, 4_000, 1);
    // The deviation of a deviation found in 4,000 runs is 0.0003.
    assert!((sd - 0.0236).abs() < 0.0011, "{sd}");
    assert!((drawn - exact).abs() < 4.0 * sd / 4_000f64.sqrt(), "{drawn}");
    // The interval of chance has room for the expectation, and it is narrow: queries, not rankings, differ here.
    let [low, high] = Resamples::new(bprefs.len(), RESAMPLES, 1).mean(&bprefs).ci95.unwrap();
    assert!(low < exact && exact < high && high - low < 0.06, "{low} {high}");
}

#[test]
fn titles_are_found_as_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made.corpus");
    let conf = SynthConf::default().pages(300).links(3_000).categories(20);
    synth(&conf, &out, Existing::Refuse, &mut Silent).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    let source = (0..300).map(PageId).find(|page| corpus.links(*page).unwrap().len() >= 3).unwrap();
    let links = corpus.links(source).unwrap();
    let other = (0..300).map(PageId).find(|page| links.binary_search(page).is_err()).unwrap();
    let title = |page: PageId| corpus.title(page).unwrap();
    let text = format!(
        "{a}\t{b}\tTE\n{upper}\t{c}\tTU\n{a}\t{d}\tE\n{a}\tNo such page\tU\n{a}\t{e}\tU\n",
        a = title(source),
        upper = title(source).to_uppercase().replace(' ', "_"),
        b = title(links[0]),
        c = title(links[1]),
        d = title(links[2]).replace(' ', "_"),
        e = title(other),
    );
    let judgments =
        Judgments::read(text.as_bytes(), "judged.tsv", Form::Auto, &mut &corpus, &mut Silent).unwrap();
    let queries = judgments.expect_queries().unwrap();
    let found: Vec<_> = queries[0].links.iter().map(|link| (link.target, link.class)).collect();
    assert_eq!(queries[0].page, source);
    assert_eq!(found, [(links[0], Class::TE), (links[1], Class::TU), (links[2], Class::E)]);
    let account = &judgments.account;
    assert_eq!((account.page_missing.records, account.link_missing.records, account.found), (1, 1, 3));
}
