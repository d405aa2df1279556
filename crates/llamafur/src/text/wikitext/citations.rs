//! Templates that cite a work, by their names or by the names of their arguments, which look alike in all wikis.

use super::render::Parts;
use super::spans::Kind;
use std::ops::Range;

/// The kind of template that a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplateKind {
    /// No template.
    None,
    /// A template whose arguments have no names.
    Unnamed,
    /// A template whose arguments have names.
    Named,
    /// A template with the arguments of a citation.
    Citing,
    /// A citation, by its name.
    Citation,
    /// A note, by its name.
    Note,
}

impl TemplateKind {
    /// Returns whether it cites a work.
    pub(super) fn cites(self) -> bool {
        matches!(self, TemplateKind::Citing | TemplateKind::Citation)
    }
}

/// The longest name of a template or an argument that is looked at, in bytes.
const LONGEST: usize = 100;

/// Beginnings of the names of templates that cite a work.
const BEGINNINGS: &[&str] =
    &["cite ", "cite-", "cita ", "citar ", "citeer ", "citation", "internetquelle", "lien web"];

/// Names of such templates.
const NAMES: &[&str] = &[
    "cite",
    "vcite",
    "literatur",
    "ouvrage",
    "article",
    "chapitre",
    "книга",
    "статья",
    "публикация",
    "cytuj",
    "cytuj stronę",
    "cytuj książkę",
    "webbref",
    "bokref",
    "kilde www",
    "kilde bok",
];

/// Beginnings of the names of templates that make a note.
const NOTE_BEGINNINGS: &[&str] = &["harv", "sfn", "efn", "refn", "#tag:ref", "notelist", "notetag"];

/// Names of such templates.
const NOTE_NAMES: &[&str] = &["note", "fn", "anmerkung", "anm."];

/// Arguments that say where a work is found.
const FOUND_AT: &[&str] = &[
    "url",
    "isbn",
    "doi",
    "issn",
    "pmid",
    "pmc",
    "oclc",
    "jstor",
    "arxiv",
    "bibcode",
    "lccn",
    "asin",
    "access-date",
    "accessdate",
    "archive-url",
    "archiveurl",
    "archive-date",
    "chapter-url",
    "abruf",
    "zugriff",
    "consulté le",
    "fechaacceso",
    "accesso",
    "data dostępu",
    "bezochtdatum",
    "дата обращения",
    "ссылка",
    "hämtdatum",
];

/// Arguments that describe the work.
const WORK: &[&str] = &[
    "title",
    "titel",
    "titre",
    "título",
    "titulo",
    "titolo",
    "tytuł",
    "заглавие",
    "название",
    "author",
    "author1",
    "authors",
    "autor",
    "auteur",
    "auteur1",
    "autore",
    "автор",
    "last",
    "last1",
    "first",
    "first1",
    "nom1",
    "prénom1",
    "apellido",
    "apellidos",
    "cognome",
    "publisher",
    "verlag",
    "hrsg",
    "éditeur",
    "editorial",
    "editora",
    "editore",
    "wydawca",
    "издательство",
    "издание",
    "uitgever",
    "utgivare",
    "journal",
    "périodique",
    "rivista",
    "czasopismo",
    "newspaper",
    "magazine",
    "website",
    "year",
    "jahr",
    "année",
    "año",
    "anno",
    "год",
    "volume",
];

/// Arguments of a work that make a citation without one that says where it is.
const ENOUGH: usize = 4;

/// Returns of each span what template it is, given the separators of templates, which ascend.
pub(super) fn template_kinds(parts: &Parts<'_>, separators: &[(usize, u8, usize)]) -> Vec<TemplateKind> {
    let mut kinds: Vec<TemplateKind> = vec![TemplateKind::None; parts.spans.len()];
    let mut rest = separators;
    let templates = parts.spans.iter().enumerate().filter(|(_, span)| span.kind == Kind::Template);
    for (index, span) in templates {
        let skipped = rest.partition_point(|(container, ..)| *container < index);
        let of_span = rest[skipped..].partition_point(|(container, ..)| *container == index);
        let (own, after) = rest[skipped..].split_at(of_span);
        rest = after;
        kinds[index] = kind(&parts.text, &span.inside, own);
    }
    kinds
}

fn kind(text: &str, inside: &Range<usize>, separators: &[(usize, u8, usize)]) -> TemplateKind {
    let places = |byte: u8| separators.iter().filter(move |(_, of, _)| *of == byte).map(|(.., at)| *at);
    let mut pipes = places(b'|').chain([inside.end]);
    // What is before the first is the name of the template.
    let mut start = pipes.next().unwrap_or(inside.end);
    if let Some(kind) = kind_by_name(text, inside.start..start) {
        return kind;
    }
    let mut equals = places(b'=').peekable();
    let (mut found_at, mut work, mut is_named) = (0, 0, false);
    for pipe in pipes {
        while equals.next_if(|at| *at < start).is_some() {}
        if let Some(equals) = equals.peek().filter(|at| **at < pipe)
            && *equals > start
            && equals - start <= LONGEST
        {
            let name = text[start + 1..*equals].trim();
            is_named |= !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit());
            let name = name.to_lowercase();
            found_at += usize::from(FOUND_AT.contains(&&name[..]));
            work += usize::from(WORK.contains(&&name[..]));
        }
        start = pipe;
    }
    match (found_at, work) {
        (1.., 1..) | (0, ENOUGH..) => TemplateKind::Citing,
        _ if is_named => TemplateKind::Named,
        _ => TemplateKind::Unnamed,
    }
}

fn kind_by_name(text: &str, name: Range<usize>) -> Option<TemplateKind> {
    if name.len() > LONGEST {
        return None;
    }
    let name = text[name].trim().to_lowercase().replace('_', " ");
    let is_of = |names: &[&str], beginnings: &[&str]| {
        names.contains(&&name[..]) || beginnings.iter().any(|beginning| name.starts_with(beginning))
    };
    if is_of(NOTE_NAMES, NOTE_BEGINNINGS) {
        return Some(TemplateKind::Note);
    }
    is_of(NAMES, BEGINNINGS).then_some(TemplateKind::Citation)
}
