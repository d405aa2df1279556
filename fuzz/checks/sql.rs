//! Any bytes may be called an SQL dump: reading them comes to an end, and does not depend on how they come in.

use llamafur_import::wiki::count_rows;

pub fn check(bytes: &[u8]) {
    let whole = count_rows(bytes, usize::MAX);
    let cut = bytes.first().map_or(1, |&first| usize::from(first % 61) + 1);
    assert_eq!(count_rows(bytes, cut), whole, "in pieces of {cut}");
    // A row takes at least three bytes, `(1,`.
    assert!(whole.1 <= bytes.len() as u64 / 3, "{whole:?}");
}
