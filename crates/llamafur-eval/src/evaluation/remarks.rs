//! Remarks on the trustworthiness of figures: scorers without scores, nothing found, nothing better than chance.

use super::{Evaluated, Evaluation};
use llamafur::learn::Method;

/// Upper bound of the figures printed as 0.000.
const ZERO: f64 = 0.0005;

/// Returns remarks on an evaluation, a sentence each, without a full stop.
pub fn remarks(evaluation: &Evaluation) -> Vec<String> {
    let mut remarks = Vec::new();
    if evaluation.queries == 1 {
        remarks.push("one page only, so there are no intervals".to_owned());
    }
    let names = |is_meant: &dyn Fn(&Evaluated) -> bool| {
        let meant = evaluation.scorers.iter().filter(|scorer| is_meant(scorer));
        let names: Vec<&str> = meant.map(|scorer| &scorer.name[..]).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let has_no_score = |scorer: &Evaluated| scorer.without_score == evaluation.judged;
    if let Some(names) = names(&has_no_score) {
        remarks.push(format!("no score for any judged link, so figures are those of chance: {names}"));
    }
    if let Some(names) = names(&|scorer| !has_no_score(scorer) && scorer.bpref < ZERO) {
        remarks.push(format!("bpref 0.000, so expected links rank above all unexpected ones: {names}"));
    }
    let is_chance = |bpref: f64| bpref <= evaluation.chance.bpref;
    if !evaluation.scorers.is_empty() && evaluation.scorers.iter().all(|scorer| is_chance(scorer.bpref)) {
        remarks.push("no scorer has a larger bpref than chance".to_owned());
    }
    remarks
}

/// Returns a remark that explains an F-measure of 0.000 on held-out links.
pub fn remark_on_f(method: Method, f_measure: Option<f64>) -> Option<String> {
    f_measure.filter(|f| *f < ZERO).map(|_| {
        format!(
            "the F-measure of {method} is 0.000: no held-out link has a positive expectedness; the AUC does not depend on \
             the sign"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::Chance;
    use super::*;
    use crate::statistics::Interval;

    fn evaluated(name: &str, bpref: f64, without_score: usize) -> Evaluated {
        let interval = Interval { mean: bpref, ci95: None, queries: 2 };
        Evaluated {
            name: name.into(),
            inputs: String::new(),
            bpref,
            ci95: None,
            average_precision: interval,
            ndcg: interval,
            auc: interval,
            curve: Vec::new(),
            without_score,
            measures: Vec::new(),
            by_class: Vec::new(),
            rankings: Vec::new(),
        }
    }

    fn of(queries: usize, scorers: Vec<Evaluated>) -> Vec<String> {
        let chance = Chance {
            bpref: 0.3,
            bpref_sd: 0.1,
            average_precision: 0.3,
            ndcg: 0.3,
            auc: 0.5,
            curve: Vec::new(),
        };
        let (judged, relevant, comparisons, pages) = (8, 3, Vec::new(), Vec::new());
        remarks(&Evaluation { queries, judged, relevant, scorers, chance, comparisons, pages })
    }

    #[test]
    fn figures_that_say_nothing_are_remarked_on() {
        assert!(of(2, vec![evaluated("a", 0.5, 1), evaluated("b", 0.2, 0)]).is_empty());
        assert!(of(2, vec![]).is_empty());
        let remarks = of(1, vec![evaluated("a", 0.0, 0), evaluated("b", 0.3, 8)]);
        let parts = ["one page only", "of chance: b", "unexpected ones: a", "no scorer has a larger bpref"];
        assert_eq!(remarks.len(), parts.len());
        assert!(remarks.iter().zip(parts).all(|(remark, part)| remark.contains(part)), "{remarks:?}");
    }
}
