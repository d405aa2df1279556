//! Quality of learners by the number of categories: a cross-validation for each of several cleansings.
//!
//! Boldi & Monti, “LlamaFur”, WebSci 2016, figure 3: the F-measure of a 10-fold cross-validation by the number of
//! milestones, and beside it the size of a dense matrix, 4·C² bytes of 32-bit floats.

use llamafur::Error;
use llamafur::categories::{Categories, CleanseConf, Cleanser, Goal};
use llamafur::learn::cross_validation::{CrossValidateConf, CrossValidation, cross_validate};
use llamafur::progress::{Note, Progress};
use serde::Serialize;

/// A cleansing and the cross-validations of learners with it.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// The requested goal: a number of milestones, a coverage or all.
    pub goal: String,
    /// Number of milestones.
    pub categories: usize,
    /// Mean number of milestones per page.
    pub categories_a_page: f64,
    /// Pages without a milestone.
    pub pages_without: usize,
    /// Size of a dense matrix in bytes.
    pub dense_bytes: u64,
    /// One cross-validation per learner, in their order.
    pub validations: Vec<CrossValidation>,
}

/// Cleanses by each goal in turn, with the other settings of the categories' own cleansing if they have one, and
/// validates each learner. A goal with as many milestones as the one before is skipped.
///
/// # Errors
/// Returns an error if a goal cannot be reached or a learner fails.
pub fn by_milestones(
    categories: &Categories,
    goals: &[Goal],
    learners: &[CrossValidateConf],
    progress: &mut dyn Progress,
) -> Result<Vec<Step>, Error> {
    let settings = categories.milestones().map(|milestones| milestones.settings());
    let conf = settings.map(CleanseConf::of).transpose()?.unwrap_or_default();
    let corpus = categories.corpus();
    let cleanser = Cleanser::new(corpus, settings.map(|settings| settings.basis), progress)?;
    let links = corpus.all_links()?;
    let mut steps: Vec<Step> = Vec::with_capacity(goals.len());
    for &goal in goals {
        let cleansing = cleanser.cleanse(&conf.clone().goal(goal))?;
        let graph = cleansing.graph(links);
        if steps.last().is_some_and(|last| last.categories == graph.num_categories) {
            continue;
        }
        progress.note(Note::Milestones { goal: goal.to_string(), categories: graph.num_categories });
        let validations = learners.iter().map(|learner| cross_validate(&graph, learner, progress));
        steps.push(Step {
            goal: goal.to_string(),
            categories: graph.num_categories,
            categories_a_page: graph.categories.num_values() as f64 / graph.num_pages().max(1) as f64,
            pages_without: graph.categories.rows().filter(|row| row.is_empty()).count(),
            dense_bytes: dense_bytes(graph.num_categories),
            validations: validations.collect::<Result<_, _>>()?,
        });
    }
    Ok(steps)
}

/// Returns the size in bytes of a dense matrix over this many categories: 4·C².
pub fn dense_bytes(num_categories: usize) -> u64 {
    4 * (num_categories as u64).pow(2)
}

/// Returns the default goals of a series: at most six, each about three times the one before, up to all of the
/// categories.
///
/// ```
/// use llamafur_eval::by_milestones::default_goals;
/// let goals = |categories| default_goals(categories).iter().map(ToString::to_string).collect::<Vec<_>>();
/// assert_eq!(goals(146), ["3", "10", "30", "100", "all"]);
/// assert_eq!(goals(1_134_715), ["10000", "30000", "100000", "300000", "1000000", "all"]);
/// ```
pub fn default_goals(num_categories: usize) -> Vec<Goal> {
    let powers = (0..9).flat_map(|power| [1, 3].map(|times| times * 10usize.pow(power)));
    let below: Vec<usize> = powers.filter(|count| (3..num_categories).contains(count)).collect();
    let last = below[below.len().saturating_sub(5)..].iter().copied().map(Goal::Count);
    last.chain([Goal::All]).collect()
}
