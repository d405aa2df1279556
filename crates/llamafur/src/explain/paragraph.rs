//! The first paragraph of a page, as a summary in its own words.

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::text::wikitext::{plain_text, sentences};

/// Smallest number of letters of a paragraph; anything shorter is a caption, a heading or an item of a list.
const SHORTEST: usize = 60;

/// Number of letters after which a paragraph is cut, at the end of a sentence if possible.
const LONGEST: usize = 600;

/// Returns the first paragraph of a page; `None` where the page, or the whole corpus, has no text.
pub fn first_paragraph(corpus: &Corpus, page: PageId) -> Result<Option<String>, Error> {
    let Some(stored) = corpus.stored_text(page)? else { return Ok(None) };
    let Some(titles) = corpus.wiki_titles() else { return Ok(paragraph(&stored)) };
    let wikitext = without_hatnotes(&stored);
    let lead = lead(&wikitext).and_then(|lead| first_block(&plain_text(lead, titles)));
    Ok(lead.or_else(|| paragraph(&plain_text(&wikitext, titles))))
}

/// Returns the wikitext before the first heading, from the first line with words in bold, which name the subject of the
/// page; captions may come before it.
fn lead(wikitext: &str) -> Option<&str> {
    let (mut start, mut depth) = (0, 0);
    for line in wikitext.split_inclusive('\n').take_while(|line| !line.starts_with("==")) {
        // Within templates and tables bold words are names of fields.
        if depth == 0 && !line.starts_with(['{', '|', '!', '*', '#', ':', ';']) && line.contains("'''") {
            let lead = &wikitext[start..];
            return Some(&lead[..lead.find("\n==").unwrap_or(lead.len())]);
        }
        let num = |brace: char| line.matches(brace).count();
        depth = (depth + num('{')).saturating_sub(num('}'));
        start += line.len();
    }
    None
}

/// Returns the first block between empty lines, if it is a sentence or as long as one.
fn first_block(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).collect();
    let block = joined(&lines);
    (ends_as_a_sentence(&block) || block.chars().count() >= SHORTEST).then(|| shortened(&block))
}

/// Returns the wikitext without indented lines in italics: `:''For other uses, see …''`.
fn without_hatnotes(wikitext: &str) -> String {
    let is_hatnote = |line: &str| {
        let rest = line.trim_start_matches([':', ' ']);
        line.starts_with(':') && rest.starts_with("''") && !rest.starts_with("'''")
    };
    let lines = wikitext.split_inclusive('\n');
    lines.filter(|line| !is_hatnote(line)).collect()
}

/// Returns the first paragraph that is long enough and ends as a sentence does, or else the first block between empty
/// lines.
fn paragraph(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_prose = |text: &String| text.chars().count() >= SHORTEST && ends_as_a_sentence(text);
    let by_lines = || lines.chunk_by(|line, next| !next.is_empty() && is_continued(line));
    let by_blocks = || lines.split(|line| line.is_empty()).filter(|block| !block.is_empty());
    let found = by_lines().map(joined).find(is_prose);
    let found = found.or_else(|| by_blocks().map(joined).find(is_prose));
    found.or_else(|| by_blocks().map(joined).next()).map(|text| shortened(&text))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ")
}

/// Returns whether a paragraph continues on the next line: the line is too long for a heading and does not end a
/// sentence.
fn is_continued(line: &str) -> bool {
    line.chars().count() >= SHORTEST && !ends_as_a_sentence(line)
}

/// Returns whether a text ends as a sentence does, or before a list; quotes, brackets and marks of notes such as `[1]`
/// may follow.
fn ends_as_a_sentence(text: &str) -> bool {
    let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | ' ');
    let mut text = text.trim_end_matches(closing);
    while let Some((before, mark)) = text.rsplit_once('[')
        && mark.chars().count() <= 12
        && mark.chars().all(|c| c.is_alphanumeric() || " ]:".contains(c))
    {
        text = before.trim_end_matches(closing);
    }
    text.ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟', ':', '：'])
}

/// Returns the text, or as many of its sentences as fit; of a single long one, as many words.
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

    const PROSE: &str = "Fish are water animals that have gills and scales, and most of them have fins too.";

    #[test]
    fn captions_and_headings_are_skipped() {
        let text = format!("A giant grouper\n\nClassification\n\n{PROSE}\n\nThey swim.");
        assert_eq!(paragraph(&text).as_deref(), Some(PROSE));
        assert_eq!(paragraph("\n\nOnly a word\n\n").as_deref(), Some("Only a word"));
        assert_eq!(paragraph(" \n\n "), None);
    }

    #[test]
    fn paragraphs_may_be_separated_by_single_newlines() {
        let text = format!("Fish\nA giant grouper\n{PROSE}\n{}", PROSE.replace("Fish", "Whales"));
        assert_eq!(paragraph(&text).as_deref(), Some(PROSE));
    }

    #[test]
    fn wrapped_lines_are_one_paragraph() {
        let (first, rest) =
            ("Fish are water animals that have gills and scales, and also most", "of them have fins too.");
        let text = format!("Fish\n\n{first}\n{rest}\n\nThey swim.");
        assert_eq!(paragraph(&text), Some(format!("{first} {rest}")));
        // Wrapped so narrowly that no line is longer than a heading.
        let narrow = "Fish are water animals\nthat have gills and scales,\nand most of them have\nfins too.";
        assert_eq!(paragraph(&format!("Fish\n\n{narrow}")), Some(narrow.replace('\n', " ")));
    }

    #[test]
    fn notes_and_colons_end_a_paragraph_too() {
        for end in [".[1]", ".[1][note 2]", ".[ 3 ] [4]", ":", ".\" [12]"] {
            let prose = format!("{}{end}", PROSE.trim_end_matches('.'));
            let text = format!("Caption\n\n{prose}\n\n{}", PROSE.replace("Fish", "Whales"));
            assert_eq!(paragraph(&text), Some(prose));
        }
        assert!(!ends_as_a_sentence("see [the list of fish that have gills and scales]"));
    }

    #[test]
    fn hatnotes_are_skipped() {
        let lead =
            "'''Jupiter''' is the fifth [[planet]] from the Sun and the largest in the Solar System.\n";
        let hatnotes = [
            ":''This page is about the planet. For the god, see [[Jupiter (god)]] and other pages.''\n",
            ": ''For other uses of the name Jupiter, see the page [[Jupiter (disambiguation)]].''\n",
        ];
        for hatnote in hatnotes {
            assert_eq!(without_hatnotes(&format!("{hatnote}{lead}")), lead);
        }
        let bold = ":'''Note''' that this stays\n";
        assert_eq!(without_hatnotes(bold), bold);
    }

    #[test]
    fn the_lead_of_a_wiki_has_words_in_bold() {
        let caption = "A nuclear power station. Fog rises from the hyperboloid shaped cooling towers.\n\n";
        let lead = "The '''Pochard''' is a duck.\n\nMore.";
        let table = "{|\n! '''Pochard'''\n|-\n|}\n{{box\nname = '''Pochard'''\n}}\n";
        assert_eq!(self::lead(&format!("{table}{caption}{lead}")), Some(lead));
        assert_eq!(self::lead(&format!("{caption}== Notes ==\n{lead}")), None);
        assert_eq!(first_block("The Pochard is a duck.\n\nMore.").as_deref(), Some("The Pochard is a duck."));
        assert_eq!(first_block("Pochard\n\nMore."), None);
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
