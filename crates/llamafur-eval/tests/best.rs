//! The best learner on corpora whose truth is known: of low rank, and of full rank.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, Method, best};
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur_eval::synth::{SynthConf, TruthKind, synth};

/// Held out are a tenth of the links, so that the leads are several times their standard error.
fn tried(kind: TruthKind) -> best::Best {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made.corpus");
    let conf = SynthConf::default().pages(5_000).links(150_000).categories(200).kind(kind);
    synth(&conf, &out, Existing::Refuse, &mut Silent).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    best::choose(&Categories::whole_graph(&corpus).unwrap(), &LearnConf::default().held_out(0.1), &mut Silent)
        .unwrap()
}

#[test]
fn a_matrix_of_low_rank_is_for_factored_and_one_of_full_rank_for_averaged() {
    for (kind, expected) in
        [(TruthKind::LowRank { rank: 8 }, Method::Factored), (TruthKind::FullRank, Method::Averaged)]
    {
        let best = tried(kind);
        let lead = best.lead.unwrap();
        assert_eq!(best.winner().method, expected, "{kind}: {best:?}");
        assert!(lead.ci95[0] > 0.0, "{kind}: {lead:?}");
    }
}
