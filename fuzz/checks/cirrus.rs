//! Any bytes may be called a dump of a search index: reading them comes to an end, and does not depend on how they come in.

use llamafur_import::wiki::count_documents;

pub fn check(bytes: &[u8]) {
    let whole = count_documents(bytes, usize::MAX);
    let cut = bytes.first().map_or(1, |&first| usize::from(first % 61) + 1);
    assert_eq!(count_documents(bytes, cut), whole, "in pieces of {cut}");
}
