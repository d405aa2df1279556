//! Cleansing a corpus's categories: centralities once, then milestones as often as wanted.

use super::centrality;
use super::choice::{Assignment, Choice, NONE, by_centrality, choose};
use super::conf::{Basis, CleanseConf, default_exclude};
use super::few_pages;
use super::file::{Centrality, Settings};
use super::similar::Carriers;
use super::tree::Tree;
use crate::corpus::{Corpus, fold};
use crate::error::{Error, Missing};
use crate::graph::{CategoryId, Graph, MilestoneId, PageId};
use crate::progress::{Note, Progress, Task};
use crate::storage::{Csr, CsrBuf};
use bytemuck::Pod;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The share of pages from which on a milestone further up distinguishes none of them, and none gets it.
const NEARLY_ALL: f64 = 0.95;

/// Pages whose lists one thread makes at a time.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// A corpus whose categories are ranked by how much they matter, ready to be cleansed in one way or several.
///
/// ```
/// # use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
/// # use llamafur::storage::Existing;
/// use llamafur::categories::{Categories, CleanseConf, Cleanser, Goal};
/// use llamafur::graph::{MilestoneId, PageId};
/// use llamafur::progress::Silent;
/// # let dir = tempfile::tempdir()?;
/// # let out = dir.path().join("swiss.corpus");
/// # let mut writer = CorpusWriter::create(&out, Existing::Refuse)?;
/// # writer.write_pages(
/// #     StringColumn::from_iter(["Codex Manesse", "Yodeling"]),
/// #     ListColumn::from_iter([vec![], vec![0]]),
/// #     ListColumn::from_iter([vec![1], vec![2]]),
/// # )?;
/// # writer.write_categories(
/// #     StringColumn::from_iter(["Swiss culture", "Swiss manuscripts", "Swiss music"]),
/// #     ListColumn::from_iter([vec![], vec![0], vec![0]]),
/// # )?;
/// # writer.finish(Provenance::default())?;
/// // “Swiss manuscripts” and “Swiss music” lie below “Swiss culture”.
/// let corpus = Corpus::open(&out)?;
/// let cleanser = Cleanser::new(&corpus, None, &mut Silent)?;
/// let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(1)))?;
/// cleansing.save(&corpus, "one")?;
///
/// let categories = Categories::cleansed(&corpus, "one")?;
/// assert_eq!(categories.of(PageId(0))?, [MilestoneId(0)]);
/// assert_eq!(categories.name(MilestoneId(0))?, "Swiss culture");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cleanser<'a> {
    corpus: &'a Corpus,
    page_categories: Csr<'a, CategoryId>,
    how: How<'a>,
    basis: Basis,
    centrality: Vec<f64>,
    /// The categories, the most central first.
    order: Vec<u32>,
}

enum How<'a> {
    Tree(Tree<'a>),
    Pages(Carriers<'a>),
}

impl<'a> Cleanser<'a> {
    /// Ranks the categories of a corpus by `basis`, or by the tree if there is one, else by their pages.
    ///
    /// # Errors
    /// If no page carries a category, the basis is the tree and there is none, or a file is damaged.
    pub fn new(
        corpus: &'a Corpus,
        basis: Option<Basis>,
        progress: &mut dyn Progress,
    ) -> Result<Cleanser<'a>, Error> {
        let counts = &corpus.manifest().counts;
        if counts.page_categories == 0 {
            return Err(Error::NoCategories);
        }
        let has_tree = counts.tree_edges > 0;
        let basis = basis.unwrap_or(if has_tree { Basis::Tree } else { Basis::Pages });
        if basis == Basis::Tree && !has_tree {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::CategoryTree });
        }
        let page_categories = corpus.all_categories()?;
        let (how, centrality) = match basis {
            Basis::Tree => {
                let parents = corpus.category_tree()?.cast();
                (How::Tree(Tree::new(parents)), harmonic(parents, progress))
            }
            Basis::Pages => {
                let num_categories = corpus.num_categories();
                let carriers = Carriers::new(page_categories.cast(), num_categories);
                let pages = (0..num_categories as u32).map(|category| carriers.num_pages(category) as f64);
                let pages = pages.collect();
                (How::Pages(carriers), pages)
            }
        };
        let order = by_centrality(&centrality);
        Ok(Cleanser { corpus, page_categories, how, basis, centrality, order })
    }

    /// Returns the basis of the ranking.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Returns the harmonic centrality of every category in the tree; without one, the number of its pages.
    pub fn centrality(&self) -> &[f64] {
        &self.centrality
    }

    /// Cleanses the categories.
    ///
    /// # Errors
    /// If a setting is out of range, nothing is left to be a milestone, the coverage cannot be reached, or a file is
    /// damaged.
    pub fn cleanse(&self, conf: &CleanseConf) -> Result<Cleansing, Error> {
        conf.check()?;
        let exclude = match &conf.exclude {
            Some(texts) => texts.clone(),
            None => default_exclude(self.corpus.manifest().site.as_ref()),
        };
        let allowed = self.allowed(&exclude)?;
        let page_categories: Csr<'_, u32> = self.page_categories.cast();
        let candidates = self.order.iter().copied().filter(|&category| allowed[category as usize]);
        let min_pages = conf.min_pages.unwrap_or(match self.basis {
            Basis::Tree => 0,
            Basis::Pages => 2,
        });
        let (choice, assignment, pages) = match &self.how {
            How::Tree(tree) => {
                let choice =
                    choose(candidates.collect(), conf.goal, page_categories, |c| tree.first_above(c))?;
                self.settle(tree, choice, min_pages, conf.ancestors)
            }
            How::Pages(carriers) => {
                if conf.ancestors > 0 {
                    let path = self.corpus.path().into();
                    return Err(Error::Missing { path, what: Missing::CategoryTree });
                }
                let frequent = candidates.filter(|&category| carriers.num_pages(category) >= min_pages);
                let candidates = carriers.without_duplicates(frequent.collect());
                let choice = choose(candidates, conf.goal, page_categories, |c| carriers.first_shared(c))?;
                let assignment = carriers.assign(&choice, &allowed);
                let pages = page_ranks(page_categories, &assignment, None);
                (choice, assignment, pages)
            }
        };
        let excluded = allowed.iter().filter(|allowed| !**allowed).count() as u64;
        if choice.ranked.is_empty() {
            let small = allowed.len() as u64 - excluded;
            return Err(Error::NoMilestones { excluded, small });
        }
        let settings = Settings {
            basis: self.basis,
            centrality: Centrality::Exact,
            goal: conf.goal.to_string(),
            exclude,
            min_pages,
            ancestors: conf.ancestors,
            graph: self.corpus.manifest().graph_checksum(),
            figures: Figures { excluded, ..Figures::default() },
        };
        Ok(self.in_order_of_ids(choice, assignment, pages, settings))
    }

    /// Finds the categories whose names have none of these texts.
    fn allowed(&self, exclude: &[String]) -> Result<Vec<bool>, Error> {
        let texts: Vec<String> = exclude.iter().map(|text| fold(text)).collect();
        let is_allowed = |category: u32| {
            let name = fold(self.corpus.category_name(CategoryId(category))?);
            Ok(!texts.iter().any(|text| name.contains(text.as_str())))
        };
        (0..self.corpus.num_categories() as u32).into_par_iter().map(is_allowed).collect()
    }

    /// Moves the pages to the milestones above; those that end with too few pages pass them on, the lowest first,
    /// until none is left that has too few.
    fn settle(
        &self,
        tree: &Tree<'_>,
        mut choice: Choice,
        min_pages: usize,
        ancestors: usize,
    ) -> (Choice, Assignment, CsrBuf<u32>) {
        if ancestors == 0 {
            few_pages::remove(tree, &mut choice, self.page_categories.cast(), min_pages);
        }
        loop {
            let assignment = tree.assign(&choice);
            let (pages, num_pages) = self.with_ancestors(tree, &choice, &assignment, ancestors);
            let is_small: Vec<bool> = num_pages.iter().map(|&pages| pages < min_pages).collect();
            let Some(least_central) = is_small.iter().rposition(|&small| small) else {
                return (choice, assignment, pages);
            };
            let mut goes = is_small.clone();
            for (rank, &stop) in tree.next_stops(&choice).iter().enumerate() {
                if is_small[rank] && stop != NONE {
                    goes[stop as usize] = false;
                }
            }
            if !goes.contains(&true) {
                // They pass their pages to one another in a circle: one has to begin.
                goes[least_central] = true;
            }
            let mut rank = 0..;
            choice.ranked.retain(|_| !goes[rank.next().unwrap_or_default()]);
        }
    }

    /// Returns the ranks of every page's milestones and of those further up, and the number of pages of each.
    fn with_ancestors(
        &self,
        tree: &Tree<'_>,
        choice: &Choice,
        assignment: &Assignment,
        ancestors: usize,
    ) -> (CsrBuf<u32>, Vec<usize>) {
        let count = |pages: &CsrBuf<u32>| {
            let mut num_pages = vec![0usize; choice.ranked.len()];
            pages.view().values().iter().for_each(|&rank| num_pages[rank as usize] += 1);
            num_pages
        };
        let page_categories = self.page_categories.cast();
        if ancestors == 0 {
            let pages = page_ranks(page_categories, assignment, None);
            let num_pages = count(&pages);
            return (pages, num_pages);
        }
        let above = tree.above(choice, ancestors);
        let pages = page_ranks(page_categories, assignment, Some(&above));
        let num_pages = count(&pages);
        let with_any = pages.view().rows().filter(|row| !row.is_empty()).count() as f64;
        let of_nearly_all = |rank: u32| num_pages[rank as usize] as f64 >= NEARLY_ALL * with_any;
        if !(0..choice.ranked.len() as u32).any(of_nearly_all) {
            return (pages, num_pages);
        }
        let rows = above.view().rows();
        let above = rows.map(|row| row.iter().copied().filter(|&rank| !of_nearly_all(rank))).collect();
        let pages = page_ranks(page_categories, assignment, Some(&above));
        let num_pages = count(&pages);
        (pages, num_pages)
    }

    /// Returns the cleansing with milestones numbered in the order of their ids instead of their ranks.
    fn in_order_of_ids(
        &self,
        choice: Choice,
        assignment: Assignment,
        pages: CsrBuf<u32>,
        mut settings: Settings,
    ) -> Cleansing {
        let mut by_id: Vec<(u32, usize)> = choice.ranked.iter().copied().zip(0..).collect();
        by_id.sort_unstable();
        let mut number_of = vec![0; by_id.len()];
        for (number, &(_, rank)) in by_id.iter().enumerate() {
            number_of[rank] = number as u32;
        }
        let number = |rank: u32| if rank == NONE { NONE } else { number_of[rank as usize] };
        let milestones: Vec<CategoryId> = by_id.iter().map(|&(category, _)| CategoryId(category)).collect();
        let moves: Vec<u32> = assignment.rank.iter().map(|&rank| number(rank)).collect();
        let renumbered = pages.view().rows().map(|ranks| {
            let mut numbers: Vec<MilestoneId> = ranks.iter().map(|&rank| MilestoneId(number(rank))).collect();
            numbers.sort_unstable();
            numbers
        });
        let pages: CsrBuf<MilestoneId> = renumbered.collect();
        settings.figures =
            Figures::new(self.page_categories, &milestones, &moves, &pages, settings.figures.excluded);
        Cleansing {
            settings,
            centrality: milestones.iter().map(|category| self.centrality[category.index()]).collect(),
            milestones,
            moves,
            distances: assignment.distance,
            pages,
        }
    }
}

fn harmonic(parents: Csr<'_, u32>, progress: &mut dyn Progress) -> Vec<f64> {
    progress.start(Task::Centrality, Some(parents.num_rows() as u64));
    let (centrality, is_cut) =
        centrality::harmonic_of_levels(parents, &mut |searched| progress.advance(searched));
    progress.finish();
    if is_cut {
        progress.note(Note::DeepTree { levels: centrality::MOST_LEVELS });
    }
    centrality
}

/// Returns the ranks of every page's milestones, ascending, and of those above them.
fn page_ranks(
    page_categories: Csr<'_, u32>,
    assignment: &Assignment,
    above: Option<&CsrBuf<u32>>,
) -> CsrBuf<u32> {
    let starts: Vec<usize> = (0..page_categories.num_rows()).step_by(PAGES_AT_A_TIME).collect();
    let parts = starts.into_par_iter().map(|start| {
        let mut part = CsrBuf::new();
        let mut ranks = Vec::new();
        for page in start..page_categories.num_rows().min(start + PAGES_AT_A_TIME) {
            ranks.clear();
            for &category in page_categories.row(page) {
                let rank = assignment.rank[category as usize];
                if rank != NONE {
                    ranks.push(rank);
                    ranks.extend(above.iter().flat_map(|above| above.view().row(rank as usize)));
                }
            }
            ranks.sort_unstable();
            ranks.dedup();
            part.push_row(ranks.iter().copied());
        }
        part
    });
    let mut all = CsrBuf::new();
    for part in parts.collect::<Vec<CsrBuf<u32>>>() {
        part.view().rows().for_each(|row| all.push_row(row.iter().copied()));
    }
    all
}

/// The results of a cleansing in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Categories of the corpus.
    pub categories: u64,
    /// Categories that a page carries.
    pub carried: u64,
    /// Categories whose names keep them from being milestones.
    pub excluded: u64,
    /// Milestones.
    pub milestones: u64,
    /// Milestones that a page has.
    pub used: u64,
    /// Carried categories whose pages went to another milestone.
    pub moved: u64,
    /// Carried categories without a milestone.
    pub dropped: u64,
    /// Pages.
    pub pages: u64,
    /// Pages that carry categories.
    pub pages_before: u64,
    /// Pages that have milestones.
    pub pages_after: u64,
    /// Pairs of a page and a category that it carries.
    pub page_categories: u64,
    /// Pairs of a page and a milestone that it has.
    pub page_milestones: u64,
}

impl Figures {
    fn new(
        page_categories: Csr<'_, CategoryId>,
        milestones: &[CategoryId],
        moves: &[u32],
        pages: &CsrBuf<MilestoneId>,
        excluded: u64,
    ) -> Figures {
        let mut is_carried = vec![false; moves.len()];
        page_categories.values().iter().for_each(|category| is_carried[category.index()] = true);
        let mut is_used = vec![false; milestones.len()];
        pages.view().values().iter().for_each(|milestone| is_used[milestone.index()] = true);
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        let carried = |goes: &dyn Fn(usize, u32) -> bool| {
            moves
                .iter()
                .enumerate()
                .filter(|&(category, &to)| is_carried[category] && goes(category, to))
                .count() as u64
        };
        fn filled<T: Pod>(table: Csr<'_, T>) -> u64 {
            table.rows().filter(|row| !row.is_empty()).count() as u64
        }
        Figures {
            categories: moves.len() as u64,
            carried: count(&is_carried),
            excluded,
            milestones: milestones.len() as u64,
            used: count(&is_used),
            moved: carried(&|category, to| to != NONE && milestones[to as usize].index() != category),
            dropped: carried(&|_, to| to == NONE),
            pages: page_categories.num_rows() as u64,
            pages_before: filled(page_categories),
            pages_after: filled(pages.view()),
            page_categories: page_categories.num_values() as u64,
            page_milestones: pages.view().num_values() as u64,
        }
    }

    /// Returns the number of pages that carried categories and are left without.
    pub fn left_without(&self) -> u64 {
        self.pages_before - self.pages_after
    }
}

/// A category whose pages went to a milestone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The category, as the corpus numbers it.
    pub category: CategoryId,
    /// The milestone, as the corpus numbers it.
    pub to: CategoryId,
    /// Pages that carry the category.
    pub pages: u64,
}

/// Milestones, and for every page those that replace its categories. Milestones are numbered in the order of
/// their names.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleansing {
    pub(super) settings: Settings,
    /// The milestones, as the corpus numbers them.
    pub(super) milestones: Vec<CategoryId>,
    pub(super) centrality: Vec<f64>,
    /// The milestone's number for every category of the corpus, or [`NONE`].
    pub(super) moves: Vec<u32>,
    pub(super) distances: Vec<u32>,
    pub(super) pages: CsrBuf<MilestoneId>,
}

impl Cleansing {
    /// Returns the settings of the cleansing and its figures.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the milestones, as the corpus numbers them, in order.
    pub fn milestones(&self) -> &[CategoryId] {
        &self.milestones
    }

    /// Returns the number of the milestone that a category's pages get, and the levels up to it.
    pub fn milestone(&self, category: CategoryId) -> Option<(MilestoneId, u32)> {
        let to = self.moves[category.index()];
        (to != NONE).then(|| (MilestoneId(to), self.distances[category.index()]))
    }

    /// Returns the graph with milestones for categories.
    pub fn graph<'g>(&'g self, links: Csr<'g, PageId>) -> Graph<'g> {
        Graph::new(links, self.pages.view(), self.milestones.len())
    }

    /// Counts the pages of each milestone.
    pub fn num_pages(&self) -> Vec<u64> {
        let mut pages = vec![0; self.milestones.len()];
        self.pages.view().values().iter().for_each(|milestone| pages[milestone.index()] += 1);
        pages
    }

    /// Returns the numbers of the most central milestones, the first first, with their centrality.
    pub fn most_central(&self, count: usize) -> Vec<(MilestoneId, f64)> {
        let order = by_centrality(&self.centrality).into_iter().take(count);
        order.map(|number| (MilestoneId(number), self.centrality[number as usize])).collect()
    }

    /// Returns examples of what moved where: the categories with the most pages, for each milestone one.
    pub fn example_moves(&self, page_categories: Csr<'_, CategoryId>, count: usize) -> Vec<Move> {
        let mut pages = vec![0u64; self.moves.len()];
        page_categories.values().iter().for_each(|category| pages[category.index()] += 1);
        let mut by_pages: Vec<u32> = (0..pages.len() as u32).collect();
        by_pages.sort_by_key(|&category| (std::cmp::Reverse(pages[category as usize]), category));
        let mut shown = BTreeSet::new();
        let moves = by_pages.into_iter().filter_map(|category| {
            let (category, pages) = (CategoryId(category), pages[category as usize]);
            let to = self.milestones[self.milestone(category)?.0.index()];
            (pages > 0 && to != category && shown.insert(to)).then_some(Move { category, to, pages })
        });
        moves.take(count).collect()
    }
}
