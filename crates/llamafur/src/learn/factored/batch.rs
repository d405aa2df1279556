//! One thread's part of a batch: its examples, drawn and gathered so that learning from them meets no memory that is
//! far away.

use super::lanes::Lanes;
use super::table::Places;
use crate::graph::{Graph, PageId};
use crate::learn::LearnConf;
use crate::learn::progress::Counted;
use crate::learn::records::Records;
use crate::learn::sampler::NonLinks;

/// A page, and some of its links.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) page: PageId,
    /// The number of the run among those of the page.
    pub(super) piece: usize,
}

/// Links of a page that make a run.
pub(super) const RUN: usize = 64;

/// Returns the number of runs of a page.
pub(super) fn pieces(num_links: usize) -> usize {
    num_links.div_ceil(RUN)
}

/// Returns the number of links in a run of a page.
pub(super) fn piece_links(num_links: usize, piece: usize) -> usize {
    RUN.min(num_links - piece * RUN)
}

/// Returns the non-links of a run in a pass.
pub(super) fn non_links_of<'a>(
    graph: &Graph<'a>,
    page: PageId,
    piece: usize,
    conf: &LearnConf,
    pass: u64,
) -> impl Iterator<Item = PageId> + use<'a> {
    // No number of passes reaches 2²⁰, so that every piece has draws of its own.
    let non_links = NonLinks::new(graph, page, conf.seed, pass + ((piece as u64) << 20));
    #[cfg(any(test, feature = "oracle"))]
    let non_links = non_links.drawn(conf.tuning.non_links, *graph);
    non_links
}

/// The ends of a run's lists; each begins where that of the run before ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ends {
    pub(super) sources: usize,
    pub(super) examples: usize,
}

/// A row, and the number of the example or run that moves it.
pub(super) type Step = (u32, u32);

/// The work of one owner for a part of a batch.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// A row of its target table, and the example that moves it.
    pub(super) targets: Vec<Step>,
    /// The end of each run in `targets`.
    pub(super) target_ends: Vec<usize>,
    /// A row of its source table, and the run that moves it.
    pub(super) sources: Vec<Step>,
}

/// A thread's part of a batch.
#[derive(Debug, Default)]
pub(super) struct BatchShare {
    pub(super) runs: Vec<Ends>,
    pub(super) source_places: Vec<u32>,
    pub(super) target_places: Vec<u32>,
    /// The end of each example's target places, and its σ·ρ.
    pub(super) place_ends: Vec<u32>,
    pub(super) scales: Vec<f32>,
    /// The steps of each owner.
    pub(super) steps: Vec<Steps>,
    /// g of each example; u and the sum of g·v of each run.
    pub(super) slopes: Vec<f32>,
    pub(super) sums: Vec<Lanes>,
    pub(super) gradients: Vec<Lanes>,
    /// The squared lengths of u and of the sum of g·v, for each run.
    pub(super) norms: Vec<[f32; 2]>,
    /// v of the examples of the run at hand.
    pub(super) target_sums: Vec<Lanes>,
    pub(super) counted: Counted,
    /// The targets of the run at hand, each with σ.
    targets: Vec<(PageId, f32)>,
}

impl BatchShare {
    pub(super) fn new(owners: usize) -> BatchShare {
        BatchShare { steps: (0..owners).map(|_| Steps::default()).collect(), ..BatchShare::default() }
    }

    fn clear(&mut self) {
        self.runs.clear();
        self.source_places.clear();
        self.target_places.clear();
        self.place_ends.clear();
        self.scales.clear();
        for steps in &mut self.steps {
            steps.targets.clear();
            steps.target_ends.clear();
            steps.sources.clear();
        }
        self.counted = Counted::default();
    }

    /// Draws the examples of these runs, and gathers where the rows of their categories are.
    pub(super) fn prepare(
        &mut self,
        graph: &Graph<'_>,
        records: &Records,
        runs: impl Iterator<Item = Run>,
        conf: &LearnConf,
        pass: u64,
    ) {
        self.clear();
        for Run { page, piece } in runs {
            let links = graph.links(page);
            let num = piece_links(links.len(), piece);
            let links = &links[piece * RUN..][..num];
            let mut non_links = non_links_of(graph, page, piece, conf, pass);
            let sources = records.of(page);
            if sources.is_empty() {
                let examples = num as u64 + non_links.take(num * conf.tuning.ratio).count() as u64;
                self.counted.examples += examples;
                self.counted.without_categories += examples;
                continue;
            }
            // Turn and turn about, so that whatever is cut short has both kinds.
            self.targets.clear();
            for &target in links {
                records.prefetch(target);
                self.targets.push((target, 1.0));
                for target in non_links.by_ref().take(conf.tuning.ratio) {
                    records.prefetch(target);
                    self.targets.push((target, -1.0));
                }
            }
            self.gather(records, sources);
        }
        self.counted.guesses = self.scales.len() as u64;
    }

    /// Adds a run of the targets that were drawn.
    fn gather(&mut self, records: &Records, sources: &[u32]) {
        let run = self.runs.len() as u32;
        for &place in sources {
            self.source_places.push(place);
            self.steps[Places::owner(place)].sources.push((Places::row(place) as u32, run));
        }
        for &(target, sigma) in &self.targets {
            let list = records.of(target);
            if list.is_empty() {
                self.counted.without_categories += 1;
                continue;
            }
            let example = self.scales.len() as u32;
            self.target_places.extend_from_slice(list);
            for &place in list {
                self.steps[Places::owner(place)].targets.push((Places::row(place) as u32, example));
            }
            self.scales.push(sigma / ((sources.len() * list.len()) as f32).sqrt());
            self.place_ends.push(self.target_places.len() as u32);
        }
        self.counted.examples += self.targets.len() as u64;
        self.runs.push(Ends { sources: self.source_places.len(), examples: self.scales.len() });
        for steps in &mut self.steps {
            steps.target_ends.push(steps.targets.len());
        }
    }
}
