//! An article to read from plain text: its paragraphs, with links where their targets are named.
//!
//! A link of a graph has no place in a plain text. Readers expect it where the text first names its
//! target, and where two names overlap, the longer one counts: “Moon landing” is no mention of the Moon as long as the
//! Moon is named elsewhere. All names are in one automaton, so a text is read in time linear in its length times the
//! longest name.

use super::blocks::{Block, Span, add_span};
use super::names::{SpokenNames, stands_alone};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most bytes of a name that is looked for.
const LONGEST: usize = 1024;

/// Returns the paragraphs of a text, which are separated by empty lines, each target marked where it is named first.
pub(crate) fn plain_blocks(text: &str, source: &str, targets: &[&str]) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty());
    let words =
        |lines: &[&str]| lines.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ");
    let mut paragraphs: Vec<Paragraph> =
        paragraphs.filter(|lines| !lines.is_empty()).map(|lines| Paragraph::new(words(lines))).collect();
    let spoken = SpokenNames::of_page(source);
    let names: Vec<String> = targets.iter().map(|target| lower(&spoken.of(target)).0).collect();
    let is_looked_for = |target: &usize| (1..=LONGEST).contains(&names[*target].len());
    let mut left: Vec<usize> = (0..targets.len()).filter(is_looked_for).collect();
    for pass in [Pass::Longest, Pass::Rest] {
        let found = Names::new(&names, left);
        left = found.mark(&mut paragraphs, pass);
    }
    paragraphs.iter().map(|paragraph| paragraph.block(targets)).collect()
}

/// The pass in which names are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The pass in which a name hides the shorter ones in it wherever it is.
    Longest,
    /// The pass that marks names that were hidden everywhere, where nothing is marked yet.
    Rest,
}

/// A paragraph in which links are being marked.
struct Paragraph {
    text: String,
    /// The text in lower case.
    lower: String,
    /// The place in `text` that each byte of `lower` comes from.
    origin: Vec<usize>,
    /// Links by their beginnings: places in the text, and numbers of their targets.
    links: BTreeMap<usize, (usize, usize)>,
}

impl Paragraph {
    fn new(text: String) -> Paragraph {
        let (lower, origin) = lower(&text);
        Paragraph { text, lower, origin, links: BTreeMap::new() }
    }

    /// Returns whether no link is in a range.
    fn is_free(&self, range: &Range<usize>) -> bool {
        self.links.range(..range.end).next_back().is_none_or(|(_, &(end, _))| end <= range.start)
    }

    fn block(&self, targets: &[&str]) -> Block {
        let (mut spans, mut at) = (Vec::new(), 0);
        for (&start, &(end, target)) in &self.links {
            add_span(&mut spans, &self.text[at..start], Span::default());
            let target = targets.get(target).map(|&title| title.to_owned());
            add_span(&mut spans, &self.text[start..end], Span { target, ..Span::default() });
            at = end;
        }
        add_span(&mut spans, &self.text[at..], Span::default());
        Block::Paragraph { spans }
    }
}

/// Returns a text in lower case, letter by letter, with the place that each byte comes from.
fn lower(text: &str) -> (String, Vec<usize>) {
    let (mut lower, mut origin) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    for (at, c) in text.char_indices() {
        // Which of two small letters a Σ becomes depends on what is around it.
        lower.extend(c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c }));
        origin.resize(lower.len(), at);
    }
    origin.push(text.len());
    (lower, origin)
}

/// Names that are looked for, and the targets that each names.
struct Names {
    automaton: Option<fst::raw::Fst<Vec<u8>>>,
    targets: Vec<Vec<usize>>,
}

impl Names {
    fn new(names: &[String], wanted: Vec<usize>) -> Names {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for target in wanted {
            by_name.entry(&names[target]).or_default().push(target);
        }
        let numbered = by_name.keys().enumerate().map(|(number, name)| (*name, number as u64));
        let automaton = fst::raw::Fst::from_iter_map(numbered.collect::<Vec<_>>());
        // The first of several is the first to be marked.
        let targets = by_name.into_values().map(|targets| targets.into_iter().rev().collect()).collect();
        Names { automaton: automaton.ok(), targets }
    }

    /// Marks the first mention of each target; gives the targets that have none.
    fn mark(mut self, paragraphs: &mut [Paragraph], pass: Pass) -> Vec<usize> {
        for paragraph in paragraphs {
            let mut at = 0;
            while at < paragraph.lower.len() {
                at = match self.longest(paragraph, at, pass) {
                    Some((name, end)) => {
                        let range = paragraph.origin[at]..paragraph.origin[end];
                        if !range.is_empty()
                            && let Some(target) = self.targets[name].pop()
                        {
                            paragraph.links.insert(range.start, (range.end, target));
                        }
                        end
                    }
                    None => next_start(&paragraph.lower, at),
                };
            }
        }
        let mut left: Vec<usize> = self.targets.into_iter().flatten().collect();
        left.sort_unstable();
        left
    }

    /// Returns the longest name that begins at a place, and where it ends, with the ending of a plural.
    fn longest(&self, paragraph: &Paragraph, at: usize, pass: Pass) -> Option<(usize, usize)> {
        let (automaton, text) = (self.automaton.as_ref()?, &paragraph.lower);
        let (mut node, mut output) = (automaton.root(), fst::raw::Output::zero());
        let mut longest = None;
        for (length, &byte) in text.as_bytes()[at..].iter().enumerate() {
            let Some(next) = node.find_input(byte) else { break };
            let transition = node.transition(next);
            output = output.cat(transition.out);
            node = automaton.node(transition.addr);
            let end = at + length + 1;
            if node.is_final() && stands_alone(text, at, &text[at..end]) {
                let name = output.cat(node.final_output()).value() as usize;
                let after = &text[end..];
                let ending = after.strip_prefix("es").or(after.strip_prefix('s')).unwrap_or(after);
                let end = end + (after.len() - ending.len());
                // No link ends within a letter.
                if paragraph.origin[end] == paragraph.origin[end - 1] {
                    continue;
                }
                let is_wanted = || {
                    let range = paragraph.origin[at]..paragraph.origin[end];
                    !self.targets[name].is_empty() && paragraph.is_free(&range)
                };
                if pass == Pass::Longest || is_wanted() {
                    longest = Some((name, end));
                }
            }
        }
        longest
    }
}

/// Returns the next place at which a name may begin: after something that is no letter or digit, or before something
/// that is none.
fn next_start(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices();
    let first = chars.next();
    let mut inside = first.is_some_and(|(_, c)| c.is_alphanumeric());
    for (length, c) in chars {
        if !(inside && c.is_alphanumeric()) {
            return at + length;
        }
        inside = true;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The paragraphs, each link between `[` and `]` with its target.
    fn shown(text: &str, source: &str, targets: &[&str]) -> Vec<String> {
        let span = |span: &Span| match &span.target {
            Some(target) => format!("[{}>{target}]", span.text),
            None => span.text.clone(),
        };
        let blocks = plain_blocks(text, source, targets);
        blocks.iter().map(|block| block.spans().iter().map(span).collect()).collect()
    }

    #[test]
    fn links_are_at_the_first_mention_as_whole_words() {
        let text = "A pigeon is\nno pig. Pigs,\n\n \nMERCURY and gold\n\n";
        assert_eq!(
            shown(text, "Bird", &["Pig", "Mercury (planet)", "Silver"]),
            ["A pigeon is no [pig>Pig]. Pigs,", "[MERCURY>Mercury (planet)] and gold"]
        );
        assert_eq!(shown("Two Pigs. A pig.", "Bird", &["Pig"]), ["Two [Pigs>Pig]. A pig."]);
        assert_eq!(shown("Jupiter, the god", "Jupiter", &["Jupiter (god)"]), ["Jupiter, the god"]);
        assert_eq!(shown("", "Bird", &["Pig"]), [""; 0]);
        assert_eq!(shown("a .NET b", "Bird", &[".NET", ""]), ["a [.NET>.NET] b"]);
    }

    #[test]
    fn longer_names_come_first_and_nothing_overlaps() {
        let targets = ["Landing", "Moon", "Moon landing"];
        assert_eq!(
            shown("The Moon landing. Another moon landing on the Moon.", "A", &targets),
            ["The [Moon landing>Moon landing]. Another moon [landing>Landing] on the [Moon>Moon]."]
        );
        assert_eq!(shown("Moon landing", "A", &targets), ["[Moon landing>Moon landing]"]);
        let two = ["Mercury (element)", "Mercury (planet)"];
        assert_eq!(
            shown("Mercury. Mercury.", "A", &two),
            ["[Mercury>Mercury (element)]. [Mercury>Mercury (planet)]."]
        );
    }

    #[test]
    fn letters_whose_case_has_another_length_are_cut_where_they_end() {
        assert_eq!(shown("In İzmir ΟΔΟΣ ẞ", "A", &["İzmir", "Οδος"]), ["In [İzmir>İzmir] [ΟΔΟΣ>Οδος] ẞ"]);
        assert_eq!(shown("İİİ", "A", &["i\u{307}i", "İ"]), ["İİ[İ>İ]"]);
    }

    #[test]
    fn many_names_in_a_long_text_are_found_in_one_pass() {
        let titles: Vec<String> = (0..5000).map(|number| format!("List of {number}")).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let blocks = plain_blocks(&"list of 7 ".repeat(100_000), "A", &titles);
        assert_eq!(blocks[0].spans().len(), 2);
    }

    proptest! {
        #[test]
        fn the_text_stays_as_it_is(
            text in "([a-cA-C İßΣ.\n]|\n\n|\\PC){0,60}",
            targets in prop::collection::vec("[a-cA-CİΣ. ]{0,4}", 0..8),
        ) {
            let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
            let blocks = plain_blocks(&text, "A", &targets);
            let words: Vec<String> = blocks.iter().map(Block::text).collect();
            let words: Vec<&str> = words.iter().flat_map(|text| text.split_whitespace()).collect();
            prop_assert_eq!(words, text.split_whitespace().collect::<Vec<_>>());
            for target in blocks.iter().flat_map(|block| block.spans()).filter_map(|span| span.target.as_ref()) {
                prop_assert!(targets.contains(&&target[..]));
            }
        }
    }
}
