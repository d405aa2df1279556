//! Any titles can be searched for any words: what is found is among them, and memory follows the titles.

use llamafur::fuzzing::suggest;

/// The first line is what was typed, the others are titles.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let typed = lines.next().unwrap_or_default();
    let titles: Vec<&str> = lines.collect();
    let (found, index) = suggest(&titles, typed, 10).unwrap();
    assert!(found.len() <= 10 && found.iter().all(|&row| row < titles.len()), "{found:?}");
    // Letters without accents take up to three times the bytes; what repeats is kept once, what does not is a walk of its own.
    let most = 4096 + 64 * 1024 * titles.len() + 512 * text.len();
    assert!(index <= most, "an index of {index} bytes of {}", text.len());
}
