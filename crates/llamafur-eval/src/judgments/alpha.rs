//! How far any number of judges agree, whichever links each of them judged: Krippendorff's α for ordinal data.
//!
//! α = 1 − D_o/D_e, the disagreement found over that expected by chance. A link that m ≥ 2 judges put in classes counts with all
//! its ordered pairs of judgments, each by 1/(m − 1); o_cd is the sum over the links for the pair of classes c and d, n_c = Σ_d o_cd
//! and n = Σ_c n_c, the number of judgments that can be paired. Then
//!
//! D_o = (1/n)·Σ_cd o_cd·δ²_cd, D_e = 1/(n·(n − 1))·Σ_cd n_c·n_d·δ²_cd,
//!
//! with δ_cd = n_c/2 + n_d/2 + Σ n_g over the classes g between c and d: two classes are as far apart as there are judgments
//! between them. 1 is full agreement, 0 that of chance, less than 0 is worse than chance.
//!
//! K. Krippendorff, “Content Analysis: An Introduction to Its Methodology”, 3rd edition, Sage, 2013, chapter 12; the example of the
//! test is in “Computing Krippendorff's Alpha-Reliability”, 2011. <https://repository.upenn.edu/asc_papers/43>

/// Krippendorff's α for classes in order. For each link it takes how many judges put it in each class; links with fewer than two
/// judgments do not count. `None` where nobody can disagree: no link has two judgments, or all are of one class.
///
/// ```
/// use llamafur_eval::judgments::krippendorff_alpha;
/// // Two judges agree on an expected and on a totally unexpected link.
/// assert_eq!(krippendorff_alpha(&[[0, 2, 0, 0], [0, 0, 0, 2]]), Some(1.0));
/// ```
pub fn krippendorff_alpha<const N: usize>(links: &[[u64; N]]) -> Option<f64> {
    let mut pairs = [[0.0; N]; N];
    for classes in links {
        let judgments: u64 = classes.iter().sum();
        if judgments < 2 {
            continue;
        }
        for c in 0..N {
            for d in 0..N {
                let others = if c == d { classes[d].saturating_sub(1) } else { classes[d] };
                pairs[c][d] += (classes[c] * others) as f64 / (judgments - 1) as f64;
            }
        }
    }
    let of_class: [f64; N] = std::array::from_fn(|c| pairs[c].iter().sum());
    let all: f64 = of_class.iter().sum();
    let distance = |c: usize, d: usize| {
        let (low, high) = (c.min(d), c.max(d));
        let through: f64 = of_class[low..=high].iter().sum();
        through - (of_class[low] + of_class[high]) / 2.0
    };
    let (mut found, mut expected) = (0.0, 0.0);
    for c in 0..N {
        for d in (0..N).filter(|&d| d != c) {
            let square = distance(c, d).powi(2);
            found += pairs[c][d] * square / all;
            expected += of_class[c] * of_class[d] * square / (all * (all - 1.0));
        }
    }
    (expected > 0.0).then(|| 1.0 - found / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_author() {
        // Four judges, twelve links, five classes, 0 where a judge did not judge: ordinal α is 0.815 there.
        let judges = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ];
        let mut links = [[0; 5]; 12];
        for judge in judges {
            for (link, class) in judge.into_iter().enumerate().filter(|(_, class)| *class > 0) {
                links[link][class - 1] += 1;
            }
        }
        let alpha = krippendorff_alpha(&links).unwrap();
        assert!((alpha - 0.815).abs() < 0.0005, "{alpha}");
    }

    #[test]
    fn two_judges_by_hand() {
        // On one link E and U, on the other both TU. o_EU = o_UE = 1, o_TUTU = 2: n_E = n_U = 1, n_TU = 2, n = 4.
        // δ_EU = 1, δ_ETU = ½ + 1 + 1 = 2.5, δ_UTU = 1.5. D_o = 2·1/4 = ½.
        // D_e = 2·(1·1·1 + 1·2·6.25 + 1·2·2.25)/(4·3) = 36/12 = 3. α = 1 − ⅙.
        let alpha = krippendorff_alpha(&[[0, 1, 1, 0], [0, 0, 0, 2]]).unwrap();
        assert!((alpha - 5.0 / 6.0).abs() < 1e-12, "{alpha}");
        // What only one judged changes nothing.
        assert_eq!(krippendorff_alpha(&[[0, 1, 1, 0], [0, 0, 0, 2], [1, 0, 0, 0]]), Some(alpha));
    }

    #[test]
    fn who_cannot_disagree_has_no_alpha() {
        assert_eq!(krippendorff_alpha::<4>(&[]), None);
        assert_eq!(krippendorff_alpha(&[[1, 0, 0, 0], [0, 0, 0, 1]]), None);
        assert_eq!(krippendorff_alpha(&[[0, 2, 0, 0], [0, 3, 0, 0]]), None);
    }
}
