//! Where the links of a page are.

use super::snippet::Place;

/// A link and where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlacedLink {
    /// What it is in.
    pub place: Place,
    /// Before or after the first heading.
    pub section: Section,
    /// How far down the page, from 0 to 1.
    pub depth: f64,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// What is before the first heading.
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

    /// Where those links to articles are whose titles `is_wanted`, in the page's order.
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
        assert_eq!(places, [Infobox, Caption, Body, Reference, Heading, List, Table, Body]);
        assert_eq!(sections.iter().filter(|section| **section == Section::Lead).count(), 4);
        assert!(found.is_sorted_by(|a, b| a.depth < b.depth) && found.iter().all(|link| link.depth < 1.0));
    }

    proptest! {
        #[test]
        fn a_snippet_stands_where_its_link_does(page in random_wikitext(40)) {
            let titles = Titles::new(&Site::default());
            let found = places(&page, &titles, &mut |_| true);
            let snippet = snippet(&page, &titles, &mut |_| true);
            prop_assert_eq!(found.is_empty(), snippet.is_none());
            if let Some(snippet) = snippet {
                prop_assert!(found.iter().any(|link| link.place == snippet.place));
            }
        }
    }
}
