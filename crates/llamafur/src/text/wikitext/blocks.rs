//! A page as an article to read: its lines as blocks, with the links in their places.
//!
//! What [`plain_text`](super::plain_text) leaves out is left out here: templates, tables, references, images. The text of
//! the blocks is the same, but for the lines of `<pre>`.

use super::entities::decode_entities;
use super::lines::{Line, LineKind};
use super::parsed::ArticleLink;
use super::plain::without_marks;
use super::render::{Parts, Renderer};
use super::spans::Kind;
use super::writer::Writer;
use crate::text::blocks::add_span;
use crate::text::{Block, Marker, Span};

/// The depth of the deepest list shown.
const DEEPEST: usize = 10;

/// Returns the blocks of a page, given the titles that its links lead to.
pub(super) fn blocks(parts: &Parts<'_>, links: &[ArticleLink], targets: &[Option<&str>]) -> Vec<Block> {
    let (wikitext, renderer) = (&*parts.text, Renderer::with_links(parts, links));
    let mut blocks = Vec::new();
    let mut paragraph = Writer::styled();
    let mut open_quotes = 0usize;
    for line in &parts.lines {
        let code = preformatted(parts, line);
        if line.kind != LineKind::Text || line.table.is_some() || code.is_some() {
            let spans = spans(std::mem::replace(&mut paragraph, Writer::styled()), targets);
            push_paragraph(&mut blocks, spans, open_quotes > 0);
        }
        if line.table.is_some() {
            continue;
        }
        let whole = &wikitext[line.range.clone()];
        let marked = || {
            let mut writer = Writer::styled();
            renderer.render(without_marks(wikitext, line), &mut writer);
            spans(writer, targets)
        };
        match line.kind {
            LineKind::Text => match code {
                Some(text) if text.is_empty() => {}
                Some(text) => blocks.push(Block::Code { spans: vec![Span { text, ..Span::default() }] }),
                None => {
                    paragraph.end_line();
                    paragraph.blank();
                    renderer.render(line.range.clone(), &mut paragraph);
                }
            },
            LineKind::Heading => {
                // A quotation that someone forgot to close ends here.
                open_quotes = 0;
                let row = |text: &str| whole.len() - text.len();
                let level = row(whole.trim_start_matches('=')).min(row(whole.trim_end_matches('=')));
                let spans = marked();
                if !spans.is_empty() {
                    blocks.push(Block::Heading { level: level.clamp(2, 6) as u8, spans });
                }
            }
            LineKind::Item => {
                let marks = &whole[..whole.len() - whole.trim_start_matches(['*', '#', ':', ';']).len()];
                let marker = match marks.chars().next_back() {
                    Some('*') => Marker::Bullet,
                    Some('#') => Marker::Number,
                    Some(';') => Marker::Term,
                    _ => Marker::Definition,
                };
                let spans = marked();
                if !spans.is_empty() {
                    blocks.push(Block::Item { depth: marks.len().clamp(1, DEEPEST) as u8, marker, spans });
                }
            }
            LineKind::Blank if is_blockquote(whole) && whole.starts_with("</") => {
                open_quotes = open_quotes.saturating_sub(1);
            }
            LineKind::Blank if is_blockquote(whole) => open_quotes += 1,
            _ => {}
        }
    }
    push_paragraph(&mut blocks, spans(paragraph, targets), open_quotes > 0);
    blocks
}

fn push_paragraph(blocks: &mut Vec<Block>, spans: Vec<Span>, is_quoted: bool) {
    match (spans.is_empty(), is_quoted) {
        (true, _) => {}
        (false, true) => blocks.push(Block::Quote { spans }),
        (false, false) => blocks.push(Block::Paragraph { spans }),
    }
}

/// Returns the written text, cut where its style changes.
fn spans(writer: Writer, targets: &[Option<&str>]) -> Vec<Span> {
    let (text, styles) = writer.finish_styled();
    let mut spans = Vec::new();
    let ends = styles.iter().skip(1).map(|&(start, _)| start).chain([text.len()]);
    let first = styles.first().map_or(text.len(), |&(start, _)| start);
    add_span(&mut spans, &text[..first], Span::default());
    for (&(start, style), end) in styles.iter().zip(ends) {
        let target = style.link.and_then(|link| targets.get(link).copied().flatten());
        let style = Span {
            text: String::new(),
            bold: style.bold,
            italic: style.italic,
            target: target.map(str::to_owned),
        };
        add_span(&mut spans, &text[start..end], style);
    }
    spans
}

/// Returns the text of a line that is nothing but `<pre>…</pre>`, as it is.
fn preformatted(parts: &Parts<'_>, line: &Line) -> Option<String> {
    let whole = &parts.text[line.range.clone()];
    if line.kind != LineKind::Text || !begins_with(whole, "<pre") {
        return None;
    }
    let span = parts.spans.get(parts.span_at(line.range.start))?;
    let text = decode_entities(&parts.text[span.inside.clone()]);
    (span.kind == Kind::Literal && span.outer == line.range)
        .then(|| text.trim_matches(['\n', '\r']).trim_end().to_owned())
}

fn is_blockquote(tag: &str) -> bool {
    begins_with(tag, "<blockquote") || begins_with(tag, "</blockquote")
}

fn begins_with(text: &str, beginning: &str) -> bool {
    text.as_bytes().get(..beginning.len()).is_some_and(|text| text.eq_ignore_ascii_case(beginning.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wikitext::fuzz_tests::random_wikitext;
    use crate::text::wikitext::{ParsedPage, Site, Titles, plain_text};
    use proptest::prelude::*;

    fn read(page: &str) -> Vec<Block> {
        let titles = Titles::new(&Site::default());
        let parsed = ParsedPage::new(page, &titles);
        let targets: Vec<Option<&str>> =
            parsed.links().iter().map(|link| (link.name != "Nowhere").then_some(&link.name[..])).collect();
        parsed.blocks(&titles, &targets)
    }

    /// Blocks as short texts: `**` around bold, `//` around italic text, `[text>target]` for links.
    fn shown(page: &str) -> Vec<String> {
        let span = |span: &Span| {
            let mut text = span.text.clone();
            for (is_on, mark) in [(span.italic, "//"), (span.bold, "**")] {
                if is_on {
                    text = format!("{mark}{text}{mark}");
                }
            }
            span.target.as_ref().map_or(text.clone(), |target| format!("[{text}>{target}]"))
        };
        let block = |block: &Block| {
            let text: String = block.spans().iter().map(span).collect();
            match block {
                Block::Heading { level, .. } => format!("h{level} {text}"),
                Block::Paragraph { .. } => format!("p {text}"),
                Block::Item { depth, marker, .. } => format!("{marker:?}{depth} {text}"),
                Block::Quote { .. } => format!("q {text}"),
                Block::Code { .. } => format!("c {text}"),
            }
        };
        read(page).iter().map(block).collect()
    }

    #[test]
    fn blocks_are_those_that_a_reader_sees() {
        let page = "{{Infobox|a=[[b]]}}\n'''Jupiter''' is a\n[[planet]].<ref>[[C]]</ref>\n\nIt is ''big''.\n\
                    == [[Moon]]s ==\n* [[Io (moon)|Io]]\n*# one\n; term\n: [[a]]\n{|\n| [[d]]\n|}\n\
                    <blockquote>Said\n\nhe.</blockquote>\n===x==\n<pre>\n a &lt; b\n  c</pre>";
        assert_eq!(
            shown(page),
            [
                "p **Jupiter** is a [planet>Planet].",
                "p It is //big//.",
                "h2 [Moons>Moon]",
                "Bullet1 [Io>Io (moon)]",
                "Number2 one",
                "Term1 term",
                "Definition1 [a>A]",
                "q Said",
                "q he.",
                "h2 x",
                "c  a < b\n  c"
            ]
        );
    }

    #[test]
    fn spaces_belong_to_no_link_and_endings_do() {
        assert_eq!(shown("a [[b]] c, [[d]]s [[e|f g]]h"), ["p a [b>B] c, [ds>D] [f gh>E]"]);
        assert_eq!(shown("'''a [[b]]''' ''c''"), ["p **a **[**b**>B] //c//"]);
        assert_eq!(shown("({{x}}[[b]], {{y}}), c (''{{z}}'') d"), ["p ([b>B]), c d"]);
    }

    #[test]
    fn links_that_lead_nowhere_are_text() {
        assert_eq!(shown("a [[nowhere|b]] c [[:Category:X]] [[wikt:d|d]]"), ["p a b c Category:X d"]);
        assert_eq!(shown("#REDIRECT [[a]]"), [""; 0]);
        assert_eq!(shown("[[a|{{b}}]] [[c]]"), ["p [c>C]"]);
    }

    #[test]
    fn styles_end_with_their_line_or_tag() {
        assert_eq!(shown("''a\nb '''''c''' d''"), ["p //a// b **//c//**// d//"]);
        assert_eq!(shown("<b>a</b> <i>b <em>c</em> d</i><br>e"), ["p **a** //b c// d e"]);
        assert_eq!(shown("[[a|b ''c'' d]]"), ["p [b >A][//c//>A][ d>A]"]);
    }

    #[test]
    fn deep_lists_are_no_harm() {
        let page = format!("{} a\n{} b ==", "*".repeat(100_000), "=".repeat(100_000));
        assert_eq!(shown(&page), ["Bullet10 a", "h2 b"]);
    }

    /// The words of a page's blocks.
    fn words(page: &str) -> String {
        let blocks: Vec<String> = read(page).iter().map(Block::text).collect();
        blocks.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn blocks_have_the_plain_text_of_the_page(page in random_wikitext(60)) {
            let plain = plain_text(&page, &Titles::new(&Site::default()));
            prop_assert_eq!(words(&page), plain.split_whitespace().collect::<Vec<_>>().join(" "));
            for block in read(&page) {
                prop_assert!(!block.spans().is_empty() && block.spans().iter().all(|span| !span.text.is_empty()));
                let text = block.text();
                prop_assert!(text == text.trim() || matches!(block, Block::Code { .. }), "{:?}", text);
            }
        }
    }
}
