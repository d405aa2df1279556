//! Tests of plain texts.

use super::*;
use crate::text::wikitext::Site;

fn plain(text: &str) -> String {
    plain_text(text, &Titles::new(&Site::default()))
}

#[test]
fn links_leave_their_texts() {
    assert_eq!(
        plain("[[a|b]]s [[c]]s [[#x|y]] [[:Category:Gas giants]] [[d e]]"),
        "bs cs y Category:Gas giants d e"
    );
    assert_eq!(plain("[[Mercury (planet)|]] [[a|''b'' <small>c</small>]] [[R&amp;B]]"), "Mercury b c R&B");
}

#[test]
fn images_categories_and_other_languages_are_dropped() {
    assert_eq!(plain("[[File:x.jpg|thumb|A [[b]] [[Image:y.png]] c.]]Jupiter"), "Jupiter");
    assert_eq!(plain("a [[Category:X|y]] [[de:Jupiter]]"), "a");
    assert_eq!(plain("a [[wikt:planet|planet]]"), "a planet");
}

#[test]
fn external_links_leave_their_texts() {
    assert_eq!(
        plain("See [http://x.org the site] and [http://y.org], or [https://z.org [[a]] b]."),
        "See the site and, or a b."
    );
    assert_eq!(plain("a[1] [http://x.org open\nline"), "a[1] [http://x.org open line");
}

#[test]
fn templates_tables_and_references_are_dropped() {
    let page = "{{Infobox\n| a = {{b|{{c}}}}\n| d = [[e]]\n}}\n'''Jupiter'''<ref name=\"x\">{{cite|y}}</ref> is \
                {{{big|}}} big<ref name=x />.\n{| class=\"wikitable\"\n|-\n| a || b\n{|\n|nested\n|}\n|}\nIt is.\n\
                <references/>\n<references>\n<ref name=y>z</ref>\n</references>";
    assert_eq!(plain(page), "Jupiter is big.\n\nIt is.");
}

#[test]
fn headings_items_and_rules_have_lines_of_their_own() {
    let page = "a\nb\n== Moons ==\n* [[Io]]\n** [[Europa]]\n----\n; term : definition\n\n\n\nc<br>d\n# one<!-- x\n-->\n";
    assert_eq!(plain(page), "a b\n\nMoons\nIo\nEuropa\nterm : definition\n\nc d\n\none");
}

#[test]
fn quotes_are_markup_and_apostrophes_are_not() {
    assert_eq!(
        plain("''a'' '''b''' '''''c''''' ''''d'''' it's l'''Étranger'' '''A'''nd"),
        "a b c 'd' it's l'Étranger And"
    );
}

#[test]
fn regions_are_dropped_but_literal_text_is_kept() {
    assert_eq!(
        plain("a<!-- b --> <math>x^2</math> <nowiki>[[c]] ''d''</nowiki> <pre>e\n {{f}}</pre>"),
        "a [[c]] ''d'' e {{f}}"
    );
    assert_eq!(plain("<syntaxhighlight lang=c>int</syntaxhighlight>a<nowiki/>b"), "ab");
    assert_eq!(plain("<gallery>\nFile:x.jpg|y\n</gallery><style>p {}</style>a"), "a");
}

#[test]
fn tags_go_and_their_content_stays() {
    assert_eq!(
        plain("H<sub>2</sub>O <span style=\"x\">is</span> 1<2 x<y and z>w<div>water</div>"),
        "H2O is 1<2 x<y and z>w\n\nwater"
    );
}

#[test]
fn magic_words_and_entities_are_read() {
    assert_eq!(
        plain("__NOTOC__a&nbsp;b &amp;amp; &lt;ref&gt; __init__ __VERSTECKTE_KATEGORIE__"),
        "a b &amp; <ref> __init__"
    );
}

#[test]
fn brackets_emptied_by_templates_are_tidied() {
    assert_eq!(plain("Rome ({{lang-la|Roma}}) is"), "Rome is");
    assert_eq!(plain("Rome ({{lang-la|Roma}}, {{IPA|x}}), is"), "Rome, is");
    assert_eq!(plain("He ({{x}}; born 1900) met {{y}}, too {{z}}."), "He (born 1900) met, too.");
}

#[test]
fn templates_that_change_the_look_only_leave_their_texts() {
    assert_eq!(
        plain("{{lang|la|''ius''|italic=no}}, {{nowrap|5 {{small|km}} [[a|b]]}} {{Nowrap}}"),
        "ius, 5 km b"
    );
}

#[test]
fn what_is_never_closed_is_text_without_its_brackets() {
    assert_eq!(plain("a {{b\n\nc [[d\n\n<ref>e"), "a b\n\nc d\n\ne");
    assert_eq!(plain("a\n{|\n| b\n== c ==\nd"), "a\n\nc\nd");
    assert_eq!(plain("[[a|b [[c]] d]]"), "a|b c d");
}

#[test]
fn redirects_are_empty() {
    assert_eq!(plain("#REDIRECT [[Jupiter]]"), "");
}

#[test]
fn other_scripts_are_read_as_well() {
    assert_eq!(plain("'''木星'''（{{lang-en|Jupiter}}）是[[太陽系]]的[[行星]]。"), "木星是太陽系的行星。");
    assert_eq!(plain("'''Ола''' — [[кугу]] ''илем''."), "Ола — кугу илем.");
}

#[test]
fn measures_in_a_sentence_are_kept() {
    assert_eq!(
        plain("With an area of {{convert|2381741|km2}}, [[Algeria]] is the largest{{citation needed}}."),
        "With an area of 2381741 km², Algeria is the largest."
    );
}

#[test]
fn images_are_dropped_by_every_name_of_their_namespace() {
    let plain = |language: &str, text: &str| {
        plain_text(text, &Titles::new(&Site { language: language.into(), ..Site::default() }))
    };
    assert_eq!(plain("de", "[[Bild:Foo.jpg|thumb|250px|A caption.]]A text."), "A text.");
    assert_eq!(plain("nds-NL", "[[Ofbeelding:Foo.jpg|thumb|250px|A [[b]].]]A text."), "A text.");
}

#[test]
fn an_image_with_a_table_and_a_stray_end_of_a_table_leave_nothing() {
    assert_eq!(plain("a\n[[File:x.jpg|thumb|\n{|\n| [[b]] || c\n|}\n]]\nd"), "a d");
    assert_eq!(plain("a\n|}\nb"), "a\n\nb");
}
