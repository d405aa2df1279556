//! A corpus with so many categories that a dense matrix of them fits into no machine here.

use crate::common::{Desk, IMPORT};

/// 20,000 pages that carry ten of 200,000 categories each and link to the next.
fn desk() -> Desk {
    let desk = Desk::new();
    let title = |page: u32| format!("Page {:05}", page % 20_000);
    let links: String = (0..20_000).map(|page| format!("{}\t{}\n", title(page), title(page + 1))).collect();
    let categories: String =
        (0..200_000).map(|id| format!("{}\tCategory {id:06}\n", title(id / 10))).collect();
    desk.write("links.tsv", links);
    desk.write("categories.tsv", categories);
    desk.llamafur(IMPORT).fine();
    desk
}

#[test]
fn a_matrix_that_would_not_fit_is_kept_sparse_and_used_like_any_other() {
    let desk = desk();
    for method in ["paper", "original", "averaged", "naive"] {
        // A dense one would take 160 GB, or 320 with the averages.
        let train = ["train", "c", "--method", method, "--name", method];
        let run = desk.llamafur_with_progress("plain", [&train[..], &["--format", "json"]].concat()).fine();
        let dense = if method == "averaged" { "320.0 GB" } else { "160.0 GB" };
        assert!(
            run.stderr.contains(&format!("a dense matrix would take {dense}: a sparse one takes ")),
            "{run}"
        );
        // Ten rows of ten columns for each link, and for each non-link, of which a few fall together.
        let cells = run.json()["cells"].as_u64().unwrap();
        let links = if method == "naive" { 1 } else { 2 };
        assert!(cells > links * 1_990_000 && cells <= links * 2_000_000, "{method}: {cells}");
        let info = desk.llamafur(["info", "c"]).fine();
        assert!(info.stdout.contains(&format!("{method}, sparse, ")), "{info}");

        let by = format!("llamafur:{method}");
        let rank = desk.llamafur(["rank", "c", "Page 00007", "--scorer", &by, "--format", "json"]).fine();
        let score = rank.json()["links"][0]["unexpectedness"].as_f64().unwrap();
        let pairs =
            desk.llamafur(["explain", "c", "Page 00007", "Page 00008", "--scorer", &by, "--format", "json"]);
        assert_eq!(pairs.fine().json()["unexpectedness"].as_f64().unwrap(), score, "{method}");
        if method != "naive" {
            assert!(score < 0.0, "{method}: a link that was learnt is expected: {score}");
        }
        desk.llamafur(["category", "c", "Category 000070", "--model", method, "--min-weight", "0"]).fine();
    }
    // The weights of a page's ten categories and those of the next share one step of length 1, as 1/100 each.
    let category = ["category", "c", "Category 000070", "--model", "original", "--min-weight", "0.05"];
    assert!(desk.llamafur(category).fine().stdout.contains("Category 000080"));
    desk.llamafur(["score", "c", "--out", "scores.tsv", "--model", "paper"]).fine();
    assert_eq!(desk.read("scores.tsv").iter().filter(|&&byte| byte == b'\n').count(), 20_000);
    assert_eq!(desk.llamafur(["verify", "c"]).fine().stdout.matches("model\t").count(), 4);
}

#[test]
fn a_sparse_model_is_the_same_bytes_whatever_the_threads() {
    let desk = desk();
    let train = |threads| {
        desk.llamafur(["train", "c", "--method", "averaged", "--threads", threads]).fine();
        desk.read("c/models/llamafur.safetensors")
    };
    assert!(train("1") == train("3"));
}
