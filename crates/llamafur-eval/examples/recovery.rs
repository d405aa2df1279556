//! How well the learners find a truth that is known: rank correlation of the weights, AUC of planted links.
//!
//! Usage: `cargo run --release -p llamafur-eval --example recovery -- PAGES LINKS CATEGORIES [full]`
#![allow(clippy::print_stdout, reason = "an example prints")]

use llamafur::corpus::{Corpus, Existing};
use llamafur::learn::{LearnConf, Method, learn};
use llamafur::matrix::CategoryMatrix;
use llamafur::progress::Silent;
use llamafur::score::Normalise;
use llamafur_eval::synth::{SynthConf, Truth, TruthKind, planted_auc, recovery, synth};

/// Links in which a pair of categories must occur.
const MIN_EXAMPLES: u64 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut number = |default: usize| args.next().map_or(Ok(default), |text| text.parse());
    let (pages, links, categories) = (number(20_000)?, number(500_000)?, number(300)?);
    let kind = if args.next().is_some() { TruthKind::FullRank } else { TruthKind::default() };
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("made.corpus");
    let conf = SynthConf::default().pages(pages).links(links).categories(categories).kind(kind);
    let manifest = synth(&conf, &out, Existing::Refuse, &mut Silent)?;
    let corpus = Corpus::open(&out)?;
    let (graph, truth) = (corpus.graph()?, Truth::of(&corpus)?);
    let proposed = manifest.provenance.account.get("proposed").copied().unwrap_or_default();
    println!("{kind}: {pages} pages, {links} links, {categories} categories, {proposed} proposals");
    let mean = |pairs: &mut dyn Iterator<Item = f64>| {
        let (sum, num) = pairs.fold((0.0, 0u32), |(sum, num), e| (sum + e, num + 1));
        sum / f64::from(num)
    };
    let e = |source, target| truth.expectedness(graph.categories(source), graph.categories(target));
    let of_links = mean(
        &mut graph
            .pages()
            .flat_map(|s| graph.links(s).iter().map(move |&t| (s, t)))
            .map(|(s, t)| e(s, t))
            .step_by(17),
    );
    let of_planted = mean(&mut truth.planted(&graph).into_iter().map(|(s, t)| e(s, t)));
    println!("mean e*: links {of_links:.3}, planted {of_planted:.3}");
    let show = |name: &str, matrix: &dyn CategoryMatrix| {
        let found = recovery(&graph, &truth, matrix, MIN_EXAMPLES);
        let auc = |normalise| planted_auc(&graph, &truth, matrix, normalise);
        println!(
            "{name:9} correlation {:.3} over {} pairs, planted AUC {:.4} (mean) {:.4} (sqrt)",
            found.correlation,
            found.pairs,
            auc(Normalise::Mean),
            auc(Normalise::Sqrt)
        );
    };
    show("truth", &truth.matrix());
    for method in Method::ALL {
        let (learnt, _) = learn(&graph, &LearnConf::default().method(method), &mut Silent)?;
        show(method.name(), learnt.matrix());
    }
    Ok(())
}
