//! Categories computed from the facts, and the tree they hang in.

use super::catalogue::{Catalogue, Entry};
use super::{table, template};
use std::collections::{BTreeMap, BTreeSet};

/// A category with fewer pages gives them to its parents.
const FEWEST_PAGES: usize = 4;

/// A page keeps at least so many categories, even small ones.
const FEWEST_CATEGORIES: usize = 2;

/// The category above all others.
pub(super) const ROOT: &str = "Everything";

const TREE_FILE: &str = "category_tree.tsv";
const TREE_TABLE: &str = include_str!("../../encyclopedia/category_tree.tsv");

/// The parents of every category.
type Parents = BTreeMap<String, BTreeSet<String>>;

/// The categories of every entry, in the catalogue's order, and the tree.
pub(super) fn classify(catalogue: &Catalogue) -> (Vec<BTreeSet<String>>, Vec<(String, String)>) {
    let mut parents = declared_tree();
    let mut carried: Vec<BTreeSet<String>> =
        catalogue.entries.iter().map(|entry| categories_of(catalogue, entry, &mut parents)).collect();
    while fold_small_categories(&mut carried, &parents) {}
    let tree = edges_above(&carried, &parents);
    (carried, tree)
}

fn declared_tree() -> Parents {
    let mut parents = Parents::new();
    for row in table::parse(TREE_FILE, TREE_TABLE) {
        let child = row.first("category").unwrap_or_else(|| panic!("{TREE_FILE}: no category"));
        let above = row.values("parents").iter().cloned();
        parents.entry(child.to_owned()).or_default().extend(above);
    }
    parents
}

fn categories_of(catalogue: &Catalogue, entry: &Entry, parents: &mut Parents) -> BTreeSet<String> {
    let plain = |value: &String| catalogue.plain(value);
    let lookup = |column: &str| entry.row.values(column).iter().map(plain).collect();
    let mut categories = BTreeSet::new();
    for rule in entry.kind.categories {
        for (category, parent) in template::expand_pair((rule.category, rule.parent), &lookup) {
            if category != parent {
                parents.entry(category.clone()).or_default().insert(parent);
            }
            categories.insert(category);
        }
    }
    categories
}

/// Moves the pages of too small categories up; whether any page moved.
fn fold_small_categories(carried: &mut [BTreeSet<String>], parents: &Parents) -> bool {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for category in carried.iter().flatten() {
        *sizes.entry(category.clone()).or_default() += 1;
    }
    let is_small = |category: &str| sizes[category] < FEWEST_PAGES;
    let mut moved = false;
    for categories in carried {
        let (small, large): (BTreeSet<_>, BTreeSet<_>) =
            categories.iter().cloned().partition(|c| is_small(c));
        let above = small.iter().flat_map(|category| &parents[category]);
        let useful = above.filter(|category| !is_general(category, parents));
        let folded: BTreeSet<String> = large.into_iter().chain(useful.cloned()).collect();
        if folded.len() >= FEWEST_CATEGORIES && folded != *categories {
            *categories = folded;
            moved = true;
        }
    }
    moved
}

/// Whether a category is too near the root to say much about a page.
fn is_general(category: &str, parents: &Parents) -> bool {
    parents.get(category).is_none_or(|above| above.contains(ROOT))
}

/// The edges of the tree on the way from the carried categories to the root.
fn edges_above(carried: &[BTreeSet<String>], parents: &Parents) -> Vec<(String, String)> {
    let mut edges = BTreeSet::new();
    let mut waiting: Vec<&String> = carried.iter().flatten().collect();
    let mut seen: BTreeSet<&String> = waiting.iter().copied().collect();
    while let Some(category) = waiting.pop() {
        for parent in parents.get(category).into_iter().flatten() {
            edges.insert((category.clone(), parent.clone()));
            if seen.insert(parent) {
                waiting.push(parent);
            }
        }
    }
    edges.into_iter().collect()
}
