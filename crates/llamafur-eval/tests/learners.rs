//! The learners on corpora whose truth is known: of low rank, and of full rank.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::held_out::{HeldOut, measure};
use llamafur::learn::{LearnConf, Method};
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur_eval::synth::{SynthConf, TruthKind, synth};

const LEARNERS: [Method; 4] = [Method::Factored, Method::Averaged, Method::Paper, Method::Original];

/// Held out are a tenth of the links, so that the leads are several times their standard error.
fn measured(kind: TruthKind) -> [HeldOut; 4] {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made.corpus");
    let conf = SynthConf::default().pages(5_000).links(150_000).categories(200).kind(kind);
    synth(&conf, &out, Existing::Refuse, &mut Silent).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    let graph = Categories::whole_graph(&corpus).unwrap();
    let conf = LearnConf::default().held_out(0.1);
    LEARNERS.map(|method| measure(&graph, &conf.clone().method(method), &mut Silent).unwrap().unwrap())
}

#[test]
fn a_matrix_of_low_rank_is_for_factored_and_one_of_full_rank_for_averaged() {
    for (kind, expected) in
        [(TruthKind::LowRank { rank: 8 }, Method::Factored), (TruthKind::FullRank, Method::Averaged)]
    {
        let measured = measured(kind);
        let low = LEARNERS.iter().zip(&measured).find(|(method, _)| **method == expected);
        let [low, _] = low.unwrap().1.ci95.unwrap();
        for (method, other) in LEARNERS.iter().zip(&measured).filter(|(method, _)| **method != expected) {
            assert!(other.f_measure.unwrap() < low, "{kind}: {method}: {measured:?}");
        }
    }
}
