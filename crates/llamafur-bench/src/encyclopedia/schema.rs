//! The vocabulary in which the kinds of pages are declared.

/// How running text names the pages of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// As the title: "Albert Einstein".
    Proper,
    /// With the definite article: "the Nile".
    The,
    /// In lower case, as a common noun: "helium".
    Common,
    /// In lower case with the definite article: "the lion".
    TheCommon,
}

/// A sentence on the page that a column names, listing the rows that name it.
#[derive(Debug)]
pub(super) struct Backlink {
    /// The column whose values are the pages that get the sentence.
    pub column: &'static str,
    /// How many pages are listed at most.
    pub limit: usize,
    /// The template; `{others}` are the pages listed.
    pub sentence: &'static str,
}

/// A sentence that lists pages of the same kind with the same value in a column.
#[derive(Debug)]
pub(super) struct Sibling {
    /// The column that must agree.
    pub column: &'static str,
    /// How many pages are listed at most.
    pub limit: usize,
    /// The template; `{others}` are the pages listed, `{value}` what they share.
    pub sentence: &'static str,
}

/// A category computed from columns, with its parent in the category tree.
#[derive(Debug)]
pub(super) struct Rule {
    /// Template of the category's name.
    pub category: &'static str,
    /// Template of its parent's name, over the same columns.
    pub parent: &'static str,
}

/// A kind of page: its fact table and how the facts are told.
#[derive(Debug)]
pub(super) struct Kind {
    /// The file of the table, for messages.
    pub file: &'static str,
    /// The table itself.
    pub table: &'static str,
    /// What the pages are called together; `{kinds}` in templates.
    pub plural: &'static str,
    /// How running text names a page without a `mention` of its own.
    pub naming: Naming,
    /// Columns that hold both ways, whichever row states the fact.
    pub symmetric: &'static [&'static str],
    /// Groups of templates about the page's own row.
    pub sentences: &'static [&'static [&'static str]],
    /// Groups of sentences for the pages that the row names.
    pub backlinks: &'static [&'static [Backlink]],
    /// Sentences that lead to pages of the same kind.
    pub siblings: &'static [Sibling],
    /// The categories of a page.
    pub categories: &'static [Rule],
}

/// Declares a [`Backlink`] in one line.
pub(super) const fn back(column: &'static str, limit: usize, sentence: &'static str) -> Backlink {
    Backlink { column, limit, sentence }
}

/// Declares a [`Sibling`] in one line.
pub(super) const fn alike(column: &'static str, limit: usize, sentence: &'static str) -> Sibling {
    Sibling { column, limit, sentence }
}

/// Declares a [`Rule`] in one line.
pub(super) const fn rule(category: &'static str, parent: &'static str) -> Rule {
    Rule { category, parent }
}

/// Starts a [`Kind`] from the name of its table in `encyclopedia/`.
macro_rules! kind_of {
    ($file:literal) => {
        Kind::bare($file, include_str!(concat!("../../../encyclopedia/", $file)))
    };
}
pub(super) use kind_of;

impl Kind {
    /// A kind with a table and nothing said about it yet.
    pub(super) const fn bare(file: &'static str, table: &'static str) -> Kind {
        Kind {
            file,
            table,
            plural: "",
            naming: Naming::Proper,
            symmetric: &[],
            sentences: &[],
            backlinks: &[],
            siblings: &[],
            categories: &[],
        }
    }
}
