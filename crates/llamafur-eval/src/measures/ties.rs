//! A ranking as groups of links with equal scores.

use crate::judgments::Class;
use std::cmp::Ordering;

/// Links of the same score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Group {
    /// Number of links, judged or not.
    pub(super) links: usize,
    /// Number of judged ones among them.
    pub(super) judged: usize,
    /// Number of relevant ones among those.
    pub(super) relevant: usize,
    /// The sum of the judged links' gains.
    pub(super) gains: usize,
}

impl Group {
    /// Counts the judged links that are not relevant.
    pub(super) fn irrelevant(&self) -> usize {
        self.judged - self.relevant
    }

    fn take(&mut self, class: Option<Class>) {
        self.links += 1;
        if let Some(class) = class {
            self.judged += 1;
            self.relevant += usize::from(class.is_relevant());
            self.gains += usize::from(class.gain());
        }
    }
}

/// Returns the groups, the highest score first; links without a score are the last one, and NaN is no score.
pub(super) fn groups(links: impl IntoIterator<Item = (Option<f64>, Option<Class>)>) -> Vec<Group> {
    let mut links: Vec<(Option<f64>, Option<Class>)> =
        links.into_iter().map(|(score, class)| (score.filter(|score| !score.is_nan()), class)).collect();
    // `None` is below all numbers, and 0 is −0.
    let order = |a: Option<f64>, b: Option<f64>| b.partial_cmp(&a).unwrap_or(Ordering::Equal);
    links.sort_unstable_by(|a, b| order(a.0, b.0));
    let tied = links.chunk_by(|a, b| a.0 == b.0);
    tied.map(|links| {
        let mut group = Group::default();
        links.iter().for_each(|link| group.take(link.1));
        group
    })
    .collect()
}

/// Counts the relevant links, and the judged ones that are not relevant.
pub(super) fn kinds(groups: &[Group]) -> (usize, usize) {
    (groups.iter().map(|g| g.relevant).sum(), groups.iter().map(Group::irrelevant).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_without_a_score_come_last_and_zeros_are_one() {
        let links = [(None, Some(Class::TU)), (Some(0.0), None), (Some(f64::NEG_INFINITY), Some(Class::E))];
        let more = [(Some(-0.0), Some(Class::U)), (Some(f64::NAN), None)];
        let found = groups(links.into_iter().chain(more));
        let group = |links, judged, relevant, gains| Group { links, judged, relevant, gains };
        assert_eq!(found, [group(2, 1, 1, 1), group(1, 1, 0, 0), group(2, 1, 1, 2)]);
        assert_eq!(kinds(&found), (2, 1));
    }
}
