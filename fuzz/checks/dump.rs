//! Any bytes may be called a dump: reading them comes to an end, and does not depend on how they come in.

use llamafur_import::wiki::count_pages;

pub fn check(bytes: &[u8]) {
    let whole = count_pages(bytes, usize::MAX);
    let cut = bytes.first().map_or(1, |&first| usize::from(first % 61) + 1);
    // Encodings are told by the first piece, which must hold the mark.
    assert_eq!(count_pages(bytes, cut.max(4)), whole, "in pieces of {cut}");
}
