//! Tests of the nested parts of a page.

use super::*;
use crate::text::wikitext::Site;

fn shown(text: &str) -> Vec<String> {
    let spans = spans(text, &Titles::new(&Site::default()));
    spans.iter().map(|span| format!("{:?} {}", span.kind, &text[span.outer.clone()])).collect()
}

#[test]
fn templates_parameters_and_links_nest() {
    assert_eq!(
        shown("{{a|{{{b|[[c|d{{e}}]]}}}}}"),
        [
            "Template {{a|{{{b|[[c|d{{e}}]]}}}}}",
            "Template {{{b|[[c|d{{e}}]]}}}",
            "Link [[c|d{{e}}]]",
            "Template {{e}}"
        ]
    );
    assert_eq!(shown("{{{{a}}}}"), ["Template {{{a}}}"]);
    assert_eq!(shown("{{ {{a}} }} }}"), ["Template {{ {{a}} }}", "Template {{a}}"]);
}

#[test]
fn what_is_never_closed_is_no_span() {
    assert_eq!(
        shown("{{a [[b]] <ref> [http://x y\nz] [[File:a|[[c]]"),
        ["Link [[b]]", "Tag <ref>", "Link [[c]]"]
    );
    assert_eq!(shown("<ref>{{a</ref> }}"), ["Reference <ref>{{a</ref>"]);
    assert_eq!(shown("[[a|{{b]] }}"), ["Link [[a|{{b]]"]);
    assert_eq!(shown("[[a|<small>]]</small>"), ["Link [[a|<small>]]", "Tag <small>", "Tag </small>"]);
}

#[test]
fn images_hold_links_and_external_links() {
    let image = "[[File:x.jpg|thumb|A [[b]], see [http://x y]]]";
    assert_eq!(shown(image), [format!("File {image}"), "Link [[b]]".into(), "External [http://x y]".into()]);
    assert_eq!(
        shown("[[File:x.jpg|a]] [[:File:x.jpg|b]]"),
        ["Dropped [[File:x.jpg|a]]", "Link [[:File:x.jpg|b]]"]
    );
}

#[test]
fn an_image_ends_with_its_paragraph_at_the_latest() {
    assert_eq!(shown("[[File:x|[[a]]\nb\n\nc]]"), ["Link [[a]]"]);
    assert_eq!(shown("[[File:x|[[a]]\nb]]"), ["File [[File:x|[[a]]\nb]]", "Link [[a]]"]);
}

#[test]
fn references_end_with_their_first_closing_tag() {
    assert_eq!(
        shown("<ref>a<ref>b</ref>c</ref><ref name=x/>"),
        ["Reference <ref>a<ref>b</ref>", "Tag <ref>", "Tag </ref>", "Dropped <ref name=x/>"]
    );
}

#[test]
fn containers_are_known() {
    let spans = spans("{{a|[http://x [[b]]]}} [[c]]", &Titles::new(&Site::default()));
    let containers: Vec<_> = spans.iter().map(|span| span.container).collect();
    assert_eq!(containers, [None, Some(0), Some(0), None]);
}

#[test]
fn categories_and_other_languages_are_dropped_unless_a_colon_shows_them() {
    let kinds = shown("[[Category:a|b]][[:Category:c]][[de:d]][[:de:e]][[wikt:f]][[w:g|g]]");
    let kinds: Vec<_> = kinds.iter().map(|shown| &shown[..4]).collect();
    assert_eq!(kinds, ["Drop", "Link", "Drop", "Link", "Link", "Link"]);
}

#[test]
fn references_in_links_are_read_by_themselves() {
    assert_eq!(
        shown("[[a|b<ref>[[c|d]]</ref>]]"),
        ["Link [[a|b<ref>[[c|d]]</ref>]]", "Reference <ref>[[c|d]]</ref>", "Link [[c|d]]"]
    );
    assert_eq!(
        shown("[[Category:a|<ref>[[c]]</ref>]]"),
        ["Dropped [[Category:a|<ref>[[c]]</ref>]]", "Reference <ref>[[c]]</ref>", "Link [[c]]"]
    );
    // What a reference holds closes nothing outside.
    assert_eq!(shown("[[a|<ref>]]</ref>"), ["Reference <ref>]]</ref>"]);
}

#[test]
fn the_target_of_an_image_is_a_link_in_it() {
    assert_eq!(shown("[[File:x|link=a]]"), ["File [[File:x|link=a]]", "Link link=a"]);
    assert_eq!(
        shown("[[File:x|link=a|[[b]]|link=c]]"),
        ["File [[File:x|link=a|[[b]]|link=c]]", "Link link=a", "Link [[b]]", "Link link=c"]
    );
    assert_eq!(
        shown("<gallery>\nFile:x|link=a\n</gallery>"),
        ["Gallery <gallery>\nFile:x|link=a\n</gallery>", "Link link=a"]
    );
}

#[test]
fn a_tag_does_not_cross_the_end_of_a_link() {
    assert_eq!(shown("[[a|b<div name=c ]]>d</div>"), ["Link [[a|b<div name=c ]]", "Block </div>"]);
    assert_eq!(shown("[[a|b<small ]]>"), ["Link [[a|b<small ]]"]);
}
