//! Places of links in a page.

use serde::{Deserialize, Serialize};

/// Where in a page a link is, by what it is in.
///
/// ```
/// use llamafur::text::wikitext::Place;
/// assert_eq!(Place::ALL.map(Place::name)[..3], ["prose", "caption", "list"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In a sentence of a paragraph.
    Prose,
    /// Below an image.
    Caption,
    /// In an item of a list, or in a paragraph that is no more than links.
    List,
    /// In a note at the head of the page or of a section that says where else to read.
    Hatnote,
    /// In a row of a table.
    Table,
    /// In an argument of a template, such as an infobox.
    Template,
    /// In a list at the end of the page: see also, further reading, external links.
    EndMatter,
    /// In a reference, a citation or a footnote.
    Reference,
    /// In a heading.
    Heading,
}

impl Place {
    /// All places, those that say most of a link first.
    pub const ALL: [Place; 9] = [
        Place::Prose,
        Place::Caption,
        Place::List,
        Place::Hatnote,
        Place::Table,
        Place::Template,
        Place::EndMatter,
        Place::Reference,
        Place::Heading,
    ];

    /// Returns the name of the place, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Place::Prose => "prose",
            Place::Caption => "caption",
            Place::List => "list",
            Place::Hatnote => "hatnote",
            Place::Table => "table",
            Place::Template => "template",
            Place::EndMatter => "end-matter",
            Place::Reference => "reference",
            Place::Heading => "heading",
        }
    }

    /// Returns whether a link there is part of what the page says of its subject: a fact.
    pub fn is_fact(self) -> bool {
        matches!(self, Place::Prose | Place::Caption)
    }
}

/// A link and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlacedLink {
    /// The kind of place.
    pub place: Place,
    /// The part of the page: before or after the first heading.
    pub section: Section,
    /// The depth in the page, from 0 at its top to 1.
    pub depth: f64,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// The part before the first heading.
    Lead,
    /// The rest.
    Rest,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wikitext::fuzz_tests::random_wikitext;
    use crate::text::wikitext::{ParsedPage, Site, Titles, snippet};
    use proptest::prelude::*;

    /// Returns the places of those links to articles whose titles `is_wanted`, in the page's order.
    fn places(wikitext: &str, titles: &Titles, is_wanted: &mut dyn FnMut(&str) -> bool) -> Vec<PlacedLink> {
        let page = ParsedPage::new(wikitext, titles);
        let wanted = page.links().iter().enumerate().filter(|(_, link)| is_wanted(&link.name));
        wanted.map(|(number, _)| page.placed(number)).collect()
    }

    #[test]
    fn every_place_is_told() {
        let page = "{{Infobox|type=[[A]]}}\n[[File:x.jpg|thumb|With [[B]]]]\nThe [[C]].<ref>[[D]]</ref>\n\
                    == On [[E]] ==\n* [[F]]\n{|\n| [[G]]\n|}\nAnd {{nowrap|[[H]]}}.";
        let found = places(page, &Titles::new(&Site::default()), &mut |_| true);
        let (places, sections): (Vec<_>, Vec<_>) =
            found.iter().map(|link| (link.place, link.section)).unzip();
        use Place::*;
        assert_eq!(places, [Template, Caption, Prose, Reference, Heading, List, Table, Prose]);
        assert_eq!(sections.iter().filter(|section| **section == Section::Lead).count(), 4);
        assert!(found.is_sorted_by(|a, b| a.depth < b.depth) && found.iter().all(|link| link.depth < 1.0));
    }

    /// The places of the links, in the page's order.
    fn kinds(page: &str) -> Vec<Place> {
        let titles = Titles::new(&Site::default());
        places(page, &titles, &mut |_| true).iter().map(|link| link.place).collect()
    }

    #[test]
    fn citations_are_references_by_name_or_by_arguments() {
        use Place::*;
        assert_eq!(kinds("A.<ref>{{cite web|title=[[A]]|url=x}}</ref> {{efn|By [[B]].}}"), [Reference; 2]);
        assert_eq!(kinds("== Works ==\n* {{Cite book|author=[[A]]|title=B}}"), [Reference]);
        assert_eq!(kinds("== Works ==\n* {{Libro|autor=[[A]]|título=B|isbn=1}}"), [Reference]);
        assert_eq!(kinds("It is {{libro|a|2=[[A]]|autor={{small|[[B]]}}|isbn=1}}."), [Reference; 2]);
        // A box has the same arguments, and what is no citation has not.
        assert_eq!(
            kinds("{{Infobox book\n| author = [[A]]\n| title = B\n| isbn = 1\n}}\nIt is."),
            [Template]
        );
        assert_eq!(kinds("It is {{flag|country=[[A]]|title=x}} in {{nowrap|[[B]]}}."), [Template, Prose]);
    }

    #[test]
    fn captions_in_templates_are_captions() {
        let page = "{{multiple image|image1=a.jpg|caption1=A [[B]]. Old.|width=[[C]]}}\nIt is.";
        assert_eq!(kinds(page), [Place::Caption, Place::Template]);
    }

    #[test]
    fn hatnotes_are_at_the_head_of_the_page_or_a_section() {
        use Place::*;
        assert_eq!(kinds(":''For a film, see [[A]].''\nIt is a [[B]] of old."), [Hatnote, Prose]);
        assert_eq!(kinds("''See [[A]].''\n\nIt is a [[B]] of old."), [Hatnote, Prose]);
        assert_eq!(kinds("''[[A]]'' is a film by ''[[B]]''"), [Prose; 2]);
        let page = "{{Infobox|kind=[[A]]}}\n{{about|x|the film|[[B]]}}\nIt is a [[C]] of old.\n{{x|[[D]]}}";
        assert_eq!(kinds(page), [Template, Hatnote, Prose, Template]);
        let section = "== A ==\n[[File:a.jpg|thumb|A [[B]]]]\n{{main|[[C]]}}\nIt is old.\n: As [[D]] says.";
        assert_eq!(kinds(section), [Caption, Hatnote, List]);
        let quotation = format!("== A ==\n{{{{quote|{} [[B]].}}}}", "word ".repeat(100));
        assert_eq!(kinds(&quotation), [Template]);
    }

    #[test]
    fn end_matter_is_what_its_heading_and_its_structure_say() {
        use Place::*;
        let prose = "It is an animal of [[A]].\n\n";
        let of = |rest: &str| kinds(&format!("{prose}{rest}"))[1..].to_vec();
        assert_eq!(of("== See also ==\n* [[B]]\n== Life ==\nIt eats [[C]] every day."), [EndMatter, Prose]);
        assert_eq!(of("== Siehe auch ==\n{{columns|\n* [[B]]\n}}"), [EndMatter]);
        assert_eq!(of("== Notes ==\n=== Old ===\n* On [[B]]\n"), [EndMatter]);
        assert_eq!(of("== Notes ==\n* On [[B]]\n== Life ==\nIt eats [[C]] every day."), [List, Prose]);
        let long = "It is one of the many things that [[B]] did. ".repeat(8);
        assert_eq!(of(&format!("== Notes ==\n{long}"))[0], Prose);
        // Without a known name: only with sources, only at the end.
        assert_eq!(of("== Ҡара ==\n* [[B]] [http://x y]\n== References ==\n{{Reflist}}"), [EndMatter]);
        assert_eq!(of("== Ҡара ==\n* [[B]]\n== References ==\n{{Reflist}}"), [List]);
        assert_eq!(of("== Life ==\nIt eats [[C]].\n== References ==\n{{Reflist}}"), [Prose]);
        assert_eq!(of("== Discography ==\n* [[B]] {{cite web|url=x|title=y}}"), [List]);
        assert_eq!(of("== See also ==\n[[File:a.jpg|thumb|A [[B]]]]\n{|\n| [[C]]\n|}"), [Caption, Table]);
    }

    #[test]
    fn a_paragraph_of_links_is_a_list() {
        use Place::*;
        assert_eq!(kinds("[[A]] · [[B]] &middot; [[C]]s | '''[[D]]'''"), [List; 4]);
        assert_eq!(kinds("''see:'' [[A]], [[B]] and [[C]]"), [List; 3]);
        assert_eq!(kinds("[[A]]\n\n[[A]] eats [[B]].\n\nBy [[A]]"), [List, Prose, Prose, Prose]);
        assert_eq!(kinds("木星是[[行星]]和[[神]]"), [Prose; 2]);
        let many: Vec<String> = (0..40).map(|number| format!("[[A {number}]]")).collect();
        assert_eq!(kinds(&format!("It has been, {}.", many.join(", "))), [List; 40]);
    }

    #[test]
    fn names_of_places_are_those_of_json() {
        for place in Place::ALL {
            assert_eq!(serde_json::to_value(place).unwrap(), place.name());
        }
        assert!(Place::ALL.is_sorted());
    }

    proptest! {
        #[test]
        fn a_snippet_stands_where_its_link_does(page in random_wikitext(40)) {
            let titles = Titles::new(&Site::default());
            let found = places(&page, &titles, &mut |_| true);
            let snippet = snippet(&page, &titles, &mut |_| true);
            prop_assert_eq!(found.is_empty(), snippet.is_none());
            if let Some(snippet) = snippet {
                prop_assert_eq!(found.iter().map(|link| link.place).min(), Some(snippet.place));
            }
        }
    }
}
