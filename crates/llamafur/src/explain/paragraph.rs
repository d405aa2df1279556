//! What a page is about, in its own words: its first paragraph.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::text::wikitext::sentences;

/// Letters that a paragraph worth the name has; what is shorter is a caption, a heading or an item.
const SHORTEST: usize = 60;

/// Letters after which a paragraph is cut, at the end of a sentence if it can be.
const LONGEST: usize = 600;

/// The first paragraph of a page; `None` where the page, or the whole corpus, has no text.
///
/// # Errors
/// If a file is damaged.
pub fn first_paragraph(corpus: &Corpus, page: PageId) -> Result<Option<String>, Error> {
    Ok(corpus.text(page)?.and_then(|text| paragraph(&text)))
}

/// The first block between empty lines that is long enough and ends as a sentence does, or else the first of all.
fn paragraph(text: &str) -> Option<String> {
    let blocks = || text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
    let is_prose = |block: &&str| block.chars().count() >= SHORTEST && ends_as_a_sentence(block);
    let block = blocks().find(is_prose).or_else(|| blocks().next())?;
    let words = block.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(shortened(&words))
}

fn ends_as_a_sentence(block: &str) -> bool {
    let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']');
    block.trim_end_matches(closing).ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟'])
}

/// The text, or as many of its sentences as there is room for; of a single long one, as many words.
fn shortened(text: &str) -> String {
    let fits = |bytes: usize| text[..bytes].chars().count() <= LONGEST;
    if fits(text.len()) {
        return text.to_owned();
    }
    let ends = |part: &&str| part.as_ptr() as usize + part.len() - text.as_ptr() as usize;
    let whole = sentences(text).iter().map(ends).take_while(|&end| fits(end)).last();
    if let Some(end) = whole {
        return text[..end].trim_end().to_owned();
    }
    let words = text.split(' ').map(|word| ends(&word)).take_while(|&end| fits(end)).last();
    let letters = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    format!("{}…", &text[..words.unwrap_or(letters)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_and_headings_are_passed_over() {
        let prose = "Fish are water animals that have gills and scales, and most of them have fins too.";
        let text = format!("A giant grouper\n\nClassification\n\n{prose}\n\nThey swim.");
        assert_eq!(paragraph(&text).as_deref(), Some(prose));
        assert_eq!(paragraph("\n\nOnly a word\n\n").as_deref(), Some("Only a word"));
        assert_eq!(paragraph(" \n\n "), None);
    }

    #[test]
    fn a_long_one_is_cut_at_the_end_of_a_sentence_or_else_of_a_word() {
        let sentence = format!("A {}. ", "word ".repeat(40).trim_end());
        let cut = paragraph(&sentence.repeat(9)).unwrap();
        assert_eq!(cut, sentence.repeat(2).trim_end());
        let cut = paragraph(&"слово ".repeat(500)).unwrap();
        assert!(cut.ends_with("слово…") && cut.chars().count() <= LONGEST + 1, "{cut}");
        let cut = paragraph(&"語".repeat(5000)).unwrap();
        assert_eq!(cut.chars().count(), LONGEST + 1);
    }
}
