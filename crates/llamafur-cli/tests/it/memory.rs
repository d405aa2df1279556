//! A corpus with so many categories that a dense matrix of them fits into no machine here.

use crate::common::{Desk, IMPORT};

#[test]
fn a_dense_matrix_that_does_not_fit_is_refused_with_two_ways_out() {
    let desk = Desk::new();
    // 20,000 pages that carry ten of 200,000 categories each and link to the next.
    let title = |page: u32| format!("Page {:05}", page % 20_000);
    let links: String = (0..20_000).map(|page| format!("{}\t{}\n", title(page), title(page + 1))).collect();
    let categories: String =
        (0..200_000).map(|id| format!("{}\tCategory {id:06}\n", title(id / 10))).collect();
    desk.write("links.tsv", links);
    desk.write("categories.tsv", categories);
    desk.llamafur(IMPORT).fine();
    for method in ["paper", "original", "averaged", "naive"] {
        let takes = if method == "averaged" { "320.0 GB" } else { "160.0 GB" };
        let over =
            format!("learning a dense matrix over 200000 categories by {method} takes {takes} of memory");
        let ways = ["--method factored", "run `llamafur cleanse c`"];
        desk.refused(["train", "c", "--method", method], 2, &[&over, ways[0], ways[1]]);
    }
    desk.llamafur(["train", "c", "--rank", "1", "--passes", "1", "--held-out", "0"]).fine();
    desk.llamafur(["cleanse", "c", "--milestones", "100", "--min-pages", "1"]).fine();
    desk.llamafur(["train", "c", "--method", "paper"]).fine();
}
