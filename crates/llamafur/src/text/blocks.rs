//! An article to read: blocks of text in which the links are in their places.

use serde::{Deserialize, Serialize};

/// A part of an article that has lines of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Block {
    /// A heading.
    Heading {
        /// Its level, from 2 for a section of the article to 6.
        level: u8,
        /// Its text.
        spans: Vec<Span>,
    },
    /// A paragraph.
    Paragraph {
        /// Its text.
        spans: Vec<Span>,
    },
    /// An item of a list.
    Item {
        /// How deep the list is nested, from 1 to 10.
        depth: u8,
        /// What is before it.
        marker: Marker,
        /// Its text.
        spans: Vec<Span>,
    },
    /// A paragraph of a quotation.
    Quote {
        /// Its text.
        spans: Vec<Span>,
    },
    /// Text whose spaces and line breaks matter.
    Code {
        /// Its text.
        spans: Vec<Span>,
    },
}

/// What is before an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Marker {
    /// A bullet.
    Bullet,
    /// A number.
    Number,
    /// Nothing: it is a term that the next items define.
    Term,
    /// A space: it defines a term, or is indented only.
    Definition,
}

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Span {
    /// The text: data, whatever it looks like, never markup.
    pub text: String,
    /// Whether it is bold.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bold: bool,
    /// Whether it is italic.
    #[serde(default, skip_serializing_if = "is_false")]
    pub italic: bool,
    /// The title of the page that it links to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Block {
    /// Returns the text of the block, piece by piece.
    pub fn spans(&self) -> &[Span] {
        match self {
            Block::Heading { spans, .. }
            | Block::Paragraph { spans }
            | Block::Item { spans, .. }
            | Block::Quote { spans }
            | Block::Code { spans } => spans,
        }
    }

    /// Returns the text of the block without styles.
    pub fn text(&self) -> String {
        self.spans().iter().map(|span| &span.text[..]).collect()
    }
}

/// Adds a span, or extends the last one if it has the same style.
pub(super) fn add_span(spans: &mut Vec<Span>, text: &str, style: Span) {
    if text.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if (last.bold, last.italic, &last.target) == (style.bold, style.italic, &style.target) => {
            last.text.push_str(text);
        }
        _ => spans.push(Span { text: text.to_owned(), ..style }),
    }
}
