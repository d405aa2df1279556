//! What the pages of a dump mean.

use crate::common::Desk;
use crate::dump::{Dump, import_files};
use llamafur_import::wiki::{Hidden, RedirectAccount, Text, WikiConf};

#[test]
fn links_count_wherever_they_stand_but_not_where_markup_means_nothing() {
    let made = Dump::new()
        .page(
            "A",
            "{{Infobox|moon=[[b]]}} [[C|text]]s\n{|\n| [[D]] || [[E#part]]\n|}\n[[File:x.jpg|thumb|with [[F_g]]]]\n\
             <ref>[[G%26H]]</ref> [[:I]] [[J &amp; K]] <nowiki>[[L]]</nowiki> <!-- [[L]] --> <math>[[L]]</math> \
             [[:Category:L]] [[de:L]] [[User:L]] [[#L]] [[nothing]] [[A]] [[b]]",
        )
        .page("B", "")
        .page("C", "")
        .page("D", "")
        .page("E", "")
        .page("F g", "")
        .page("G&H", "")
        .page("I", "")
        .page("J & K", "")
        .page("L", "")
        .import();
    assert_eq!(made.links("A"), ["B", "C", "D", "E", "F g", "G&H", "I", "J & K"]);
    let links = made.imported.account.links;
    assert_eq!((links.kept, links.repeated, links.own, links.red), (8, 1, 1, 1));
    assert_eq!((links.sections, links.elsewhere, links.interwiki, links.invalid), (1, 2, 1, 0));
    assert_eq!(made.imported.account.all_links(), 15);
}

#[test]
fn redirects_are_followed_through_chains_and_loops_are_noticed() {
    let made = Dump::new()
        .page("A", "[[one]] [[two]] [[three]] [[b]] [[ring]] [[nowhere]] [[away]] [[self]]")
        .page("B", "[[four]]")
        .redirect("One", "Two")
        .redirect("Two", "Three#part")
        .redirect("Three", "B")
        .redirect("Four", "a")
        .redirect("Ring", "Ring 2")
        .redirect("Ring 2", "Ring")
        .redirect("Self", "Self")
        .redirect("Nowhere", "Not there")
        .redirect("Away", "Category:X")
        .import();
    assert_eq!(made.links("A"), ["B"]);
    assert_eq!(made.links("B"), ["A"]);
    let expected = [("Four", "A"), ("One", "B"), ("Three", "B"), ("Two", "B")];
    assert!(
        made.redirects.iter().map(|(a, b)| (a.as_str(), b.as_str())).eq(expected),
        "{:?}",
        made.redirects
    );
    let counts = RedirectAccount { all: 9, followed: 2, chained: 2, looping: 3, broken: 1, elsewhere: 1 };
    assert_eq!(made.imported.account.redirects, counts);
    let links = made.imported.account.links;
    assert_eq!((links.kept, links.repeated, links.dead, links.red), (2, 3, 4, 0));
}

#[test]
fn a_redirect_of_an_old_schema_is_known_by_its_text() {
    let made = Dump::new()
        .raw("<page><title>A</title><id>1</id><revision><text>#redirect [[b|x]]</text></revision></page>")
        .raw("<page><title>B</title><id>2</id><revision><text>[[a]] [[C]]</text></revision></page>")
        .raw(
            "<page><title>C</title><redirect /><revision><text>#ΑΝΑΚΑΤΕΥΘΥΝΣΗ [[B]]</text></revision></page>",
        )
        .raw("<page><title>Category:D</title><revision><text>[[Category:E]]</text></revision></page>")
        .import();
    assert_eq!(made.contents.pages.len(), 1);
    assert_eq!(made.imported.account.links.own, 2);
    assert_eq!(made.contents.parents.len(), 1);
}

#[test]
fn categories_have_many_spellings_a_tree_and_hidden_ones() {
    let dump = Dump::new()
        .page("A", "[[Category:one]] [[category:Two|key]] [[ CATEGORY : Three_x ]] [[:Category:Four]] [[Category:Secret]]")
        .page("B", "[[Category:Old name]] [[Category:Older]] <!-- [[Category:One]] -->")
        .page("C", "")
        .category("One", "[[Category:Two]] [[Category:One]] [[Category:Secret]]")
        .category("Two", "[[Category:One]]")
        .category("Secret", "__HIDDENCAT__ [[Category:One]]")
        .category("Old name", "{{Category redirect|Two}}")
        .raw("<page><title>Category:Older</title><ns>14</ns><redirect title=\"Category:Old name\"/></page>");
    let made = dump.import();
    assert_eq!(made.categories("A"), ["One", "Three x", "Two"]);
    assert_eq!(made.categories("B"), ["Two"]);
    let account = made.imported.account.categories;
    assert_eq!((account.kept, account.described, account.hidden, account.moved), (3, 5, 1, 2));
    assert_eq!((account.carried, account.carried_hidden), (4, 1));
    assert_eq!(account.tree_edges, 2);
    assert_eq!(made.imported.account.pages.uncategorised, 1);

    let desk = Desk::new();
    let file = desk.file("dump.xml", dump.xml());
    let made = import_files(&desk, WikiConf::new([file]).hidden(Hidden::Keep)).unwrap();
    assert_eq!(made.categories("A"), ["One", "Secret", "Three x", "Two"]);
    assert_eq!(made.imported.account.categories.tree_edges, 4);
}

#[test]
fn the_namespace_is_what_the_dump_says() {
    let made = Dump::new()
        .revision(0, "Category:Not one", 1, "[[Talk page]]")
        .revision(14, "Anything:X", 2, "[[Category:Y]]")
        .revision(1, "Talk page", 3, "")
        .page("B", "[[Category:X]]")
        .import();
    assert!(made.contents.pages.contains("Category:Not one"));
    assert_eq!(made.categories("B"), ["X"]);
    assert!(made.contents.parents.contains(&("X".into(), "Y".into())));
    let spaces: Vec<_> = made.imported.account.namespaces.into_iter().collect();
    assert_eq!(spaces, [(0, 2), (1, 1), (14, 1)]);
}

#[test]
fn the_newest_revision_counts_wherever_it_stands() {
    let parts = [
        Dump::new().revision(0, "A", 5, "[[new]]").page("New", "").page("Old", ""),
        Dump::new().revision(0, "A", 3, "[[old]]").revision(0, "B", 9, "[[A]] [[Category:X]]"),
    ];
    let desk = Desk::new();
    let files = [desk.file("1.xml", parts[0].xml()), desk.file("2.xml", parts[1].xml())];
    let forward = import_files(&desk, WikiConf::new(files.clone())).unwrap();
    let backward = import_files(&desk, WikiConf::new([&files[1], &files[0]])).unwrap();
    assert_eq!(forward.links("A"), ["New"]);
    assert_eq!(forward.wikitext["A"], "[[new]]");
    assert_eq!(forward.imported.manifest, backward.imported.manifest);
    assert_eq!((forward.imported.account.pages.repeated, forward.imported.account.links.superseded), (1, 1));
}

#[test]
fn odd_pages_are_counted_and_the_rest_comes_in() {
    let made = Dump::new()
        .page("A", "[[B]]")
        .page("B", "")
        .raw("<page><title>C</title><ns>0</ns><revision><text deleted=\"deleted\" /></revision></page>")
        .raw("<page><title></title><ns>0</ns><revision><text>x</text></revision></page>")
        .raw("<page><title>D</title><ns>0</ns><revision><model>javascript</model><text>[[A]]</text></revision></page>")
        .import();
    assert_eq!(made.contents.pages.len(), 4);
    assert_eq!(made.links("D"), [""; 0]);
    let pages = made.imported.account.pages;
    assert_eq!((pages.articles, pages.bad, pages.deleted), (4, 1, 1));
    assert!(made.imported.warnings[0].contains("without a title"), "{:?}", made.imported.warnings);
    assert!(!made.wikitext["D"].is_empty() && made.wikitext["C"].is_empty());
}

#[test]
fn text_is_plain_to_readers_and_can_be_left_out() {
    let dump = Dump::new().page("A", "'''A''' is [[B|bee]].\n{{x}} [[Category:X]]").page("B", "");
    assert_eq!(dump.import().contents.texts["A"].trim(), "A is bee.");
    let desk = Desk::new();
    let file = desk.file("dump.xml", dump.xml());
    let made = import_files(&desk, WikiConf::new([file]).text(Text::LeaveOut)).unwrap();
    assert!(made.wikitext.is_empty() && made.imported.manifest.counts.texts == 0);
    assert_eq!(made.links("A"), ["B"]);
}

#[test]
fn hostile_pages_are_read_like_others() {
    let hostile = ["{{", "[[", "{|", "<!--", "<ref>", "[[a|", "{{x|", "'''", "[[File:x|", "<nowiki>"];
    let dump = hostile.iter().enumerate().fold(Dump::new().page("A", "[[B]]"), |dump, (i, piece)| {
        dump.page(&format!("Hostile {i}"), &format!("[[A]] {}", piece.repeat(100_000)))
    });
    let nested = format!("{}[[A]]{}", "{{x|".repeat(100_000), "}}".repeat(100_000));
    let line = format!("[[A]] {}[[B]]", "word ".repeat(4_000_000));
    let made = dump.page("Nested", &nested).page("Long line", &line).page("B", "").import();
    assert_eq!(made.links("Nested"), ["A"]);
    assert_eq!(made.links("Long line"), ["A", "B"]);
    for i in 0..hostile.len() {
        assert_eq!(made.links(&format!("Hostile {i}")), ["A"]);
    }
}
