//! How far two judges agree on the links that both judged.
//!
//! Cohen's κ = (p − p_e)/(1 − p_e): p is the share of links on which they agree, and p_e = Σ_c a_c·b_c the share on
//! which they would by chance, where one uses the class c in a share a_c of the links and the other in b_c. 1 is full
//! agreement, 0 that of chance. Weighted, κ_w = 1 − Σ w_cd·p_cd / Σ w_cd·a_c·b_d with w_cd = (c − d)²: to be one class
//! off costs a ninth of being off by three. p_cd is the share of links that the one put in c and the other in d.
//!
//! J. Cohen, “A Coefficient of Agreement for Nominal Scales”, Educational and Psychological Measurement 20(1), 1960.
//! <https://doi.org/10.1177/001316446002000104>
//! J. Cohen, “Weighted Kappa: Nominal Scale Agreement with Provision for Scaled Disagreement or Partial Credit”,
//! Psychological Bulletin 70(4), 1968. <https://doi.org/10.1037/h0026256>

use super::class::Class;
use serde::Serialize;

/// How far two judges agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Agreement {
    /// Their names.
    pub judges: [String; 2],
    /// How many links both judged.
    pub links: u64,
    /// The share of those that they put in the same class.
    pub agreed: f64,
    /// Cohen's κ of the four classes; `None` where both used one and the same class only.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub kappa: Option<f64>,
    /// The same with quadratic weights.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub weighted_kappa: Option<f64>,
    /// The share on which they agree whether the link is relevant.
    pub agreed_on_relevance: f64,
    /// Cohen's κ of relevant or not; `None` where both found all links relevant, or none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub relevance_kappa: Option<f64>,
}

/// How many links one judge put in a class and the other in another.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClassTable([[u64; 4]; 4]);

impl ClassTable {
    pub(crate) fn count(&mut self, first: Class, second: Class) {
        self.0[first.index()][second.index()] += 1;
    }
}

impl Agreement {
    pub(crate) fn new(judges: [String; 2], table: &ClassTable) -> Agreement {
        let mut relevance = [[0; 2]; 2];
        for (a, b) in Class::ALL.into_iter().flat_map(|a| Class::ALL.map(|b| (a, b))) {
            relevance[usize::from(a.is_relevant())][usize::from(b.is_relevant())] +=
                table.0[a.index()][b.index()];
        }
        let differ = |a: usize, b: usize| if a == b { 0.0 } else { 1.0 };
        Agreement {
            judges,
            links: table.0.as_flattened().iter().sum(),
            agreed: 1.0 - disagreement(&table.0, differ).0,
            kappa: kappa(&table.0, differ),
            weighted_kappa: kappa(&table.0, |a, b| a.abs_diff(b).pow(2) as f64),
            agreed_on_relevance: 1.0 - disagreement(&relevance, differ).0,
            relevance_kappa: kappa(&relevance, differ),
        }
    }
}

/// 1 − (disagreement found)/(that expected by chance); with weights 0 and 1 it is (p − p_e)/(1 − p_e).
fn kappa<const N: usize>(table: &[[u64; N]; N], weight: impl Fn(usize, usize) -> f64) -> Option<f64> {
    let (found, expected) = disagreement(table, weight);
    (expected > 0.0).then(|| 1.0 - found / expected)
}

/// The mean weight of the links, and what it would be by chance.
fn disagreement<const N: usize>(table: &[[u64; N]; N], weight: impl Fn(usize, usize) -> f64) -> (f64, f64) {
    let all = table.as_flattened().iter().sum::<u64>() as f64;
    let (mut found, mut expected) = (0.0, 0.0);
    for (a, row) in table.iter().enumerate() {
        let of_first = row.iter().sum::<u64>() as f64 / all;
        for (b, num) in row.iter().enumerate() {
            let of_second = table.iter().map(|row| row[b]).sum::<u64>() as f64 / all;
            found += weight(a, b) * *num as f64 / all;
            expected += weight(a, b) * of_first * of_second;
        }
    }
    (found, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(pairs: &[(Class, Class, u64)]) -> Agreement {
        let mut table = ClassTable::default();
        for (a, b, times) in pairs {
            (0..*times).for_each(|_| table.count(*a, *b));
        }
        Agreement::new(["a".into(), "b".into()], &table)
    }

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-12)
    }

    #[test]
    fn two_classes_by_hand() {
        // Cohen's example in textbooks: 20 and 15 of 50 agreed, p = 0.7, p_e = 0.5·0.6 + 0.5·0.4 = 0.5.
        let found = agreement(&[
            (Class::E, Class::E, 20),
            (Class::E, Class::U, 5),
            (Class::U, Class::E, 10),
            (Class::U, Class::U, 15),
        ]);
        assert_eq!((found.links, found.agreed), (50, 0.7));
        assert!(near(found.kappa, 0.4) && near(found.relevance_kappa, 0.4));
        assert!(near(found.weighted_kappa, 0.4), "one step apart, weights are those of the plain one");
    }

    #[test]
    fn four_classes_by_hand() {
        // Each judge uses each class once; the second moves TE and E one up or down, and agrees on U and TU.
        let found = agreement(&[
            (Class::TE, Class::E, 1),
            (Class::E, Class::TE, 1),
            (Class::U, Class::U, 1),
            (Class::TU, Class::TU, 1),
        ]);
        // p = ½ and p_e = ¼: κ = ⅓. Weights: found 2/4; by chance (3·2·1 + 2·2·4 + 1·2·9)/16 = 2.5: 1 − 0.2.
        assert!(near(found.kappa, 1.0 / 3.0));
        assert!(near(found.weighted_kappa, 0.8));
        assert!(near(found.relevance_kappa, 1.0) && found.agreed_on_relevance == 1.0);
    }

    #[test]
    fn one_class_only_tells_nothing() {
        let found = agreement(&[(Class::TE, Class::TE, 5)]);
        assert_eq!((found.agreed, found.kappa, found.weighted_kappa), (1.0, None, None));
        let found = agreement(&[(Class::TE, Class::E, 1), (Class::E, Class::E, 1)]);
        assert!(near(found.kappa, 0.0));
        assert_eq!((found.agreed_on_relevance, found.relevance_kappa), (1.0, None));
    }
}
