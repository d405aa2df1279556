//! Tests of snippets.

use super::*;
use crate::text::wikitext::Site;

/// The marked snippet and its place.
fn found(page: &str, target: &str) -> (String, Place) {
    let titles = Titles::new(&Site::default());
    let snippet =
        snippet(page, &titles, &mut |title| title == target).unwrap_or_else(|| panic!("no {target}"));
    (snippet.marked(), snippet.place)
}

fn check(page: &str, target: &str, marked: &str, place: Place) {
    assert_eq!(found(page, target), (marked.to_owned(), place), "{target}");
}

const JUPITER: &str = "{{Infobox planet
| name = Jupiter
| image = [[File:Jupiter.jpg|250px|A view [[telescope|by telescope]]]]
| moons = [[Io (moon)|Io]], [[Europa (moon)|Europa]]<br>{{nowrap|[[Ganymede (moon)|Ganymede]]}}
| discovered_by = {{plainlist|
* [[Galileo Galilei]]
* [[Simon Marius]]
}}
}}
{{main|[[Jovian system]]}}
[[File:Jup.jpg|thumb|right|alt=x|The [[Great Red Spot]] (see [http://x.org map [1]]). It turns.]]
'''Jupiter''' ({{lang-la|Iovis}}) is the fifth [[planet]]<ref>See {{cite book|title=The [[Almagest]]|year=150}}.</ref> \
from the [[Sun]]. ''[[Marduk|Its old name]]''
was given by E. E. [[Barnard]]'s friends; {{lang|la|[[Jove]]}} is newer. Its clouds might carry [[life]]
like that of <small>[[plankton]]</small> and [[fish]]es<ref name=x>Carl [[Sagan]], 1980. It is a [[film]].</ref>.

== Moons and [[ring]]s ==
* [[Thebe (moon)|Thebe]], small
{| class=\"wikitable\"
! Name !! style=\"x\" | Found by
|-
| rowspan=2 | [[Amalthea (moon)|Amalthea]] || [[Edward Barnard|E. Barnard]]
| 1892
|-
| [[Metis (moon)|Metis]] {{sort|x|[[Voyager 1]]}}
* [[NASA]]
|}
<gallery>
File:a.jpg|The [[pole]]. It is cold.
</gallery>
";

#[test]
fn sentences_of_paragraphs_are_found() {
    check(JUPITER, "Planet", "Jupiter is the fifth [[planet]] from the Sun.", Place::Prose);
    check(JUPITER, "Sun", "Jupiter is the fifth planet from the [[Sun]].", Place::Prose);
    let old = "[[Its old name]] was given by E. E. Barnard's friends; Jove is newer.";
    check(JUPITER, "Marduk", old, Place::Prose);
    check(JUPITER, "Fish", "Its clouds might carry life like that of plankton and [[fishes]].", Place::Prose);
    check(
        JUPITER,
        "Plankton",
        "Its clouds might carry life like that of [[plankton]] and fishes.",
        Place::Prose,
    );
}

#[test]
fn a_template_that_only_dresses_a_link_is_part_of_the_sentence() {
    check(
        JUPITER,
        "Jove",
        "Its old name was given by E. E. Barnard's friends; [[Jove]] is newer.",
        Place::Prose,
    );
}

#[test]
fn arguments_of_templates_have_their_names() {
    check(JUPITER, "Europa (moon)", "moons: Io, [[Europa]], Ganymede", Place::Template);
    check(JUPITER, "Ganymede (moon)", "moons: Io, Europa, [[Ganymede]]", Place::Template);
    check(JUPITER, "Simon Marius", "discovered by: Galileo Galilei, [[Simon Marius]]", Place::Template);
    check(JUPITER, "Jovian system", "[[Jovian system]]", Place::Hatnote);
}

#[test]
fn captions_are_cut_to_the_sentence() {
    check(JUPITER, "Great Red Spot", "The [[Great Red Spot]] (see map [1]).", Place::Caption);
    check(JUPITER, "Telescope", "A view [[by telescope]]", Place::Caption);
    check(JUPITER, "Pole", "The [[pole]].", Place::Caption);
}

#[test]
fn references_are_shown_whole() {
    check(JUPITER, "Sagan", "Carl [[Sagan]], 1980. It is a film.", Place::Reference);
    check(JUPITER, "Almagest", "title: The [[Almagest]]", Place::Reference);
}

#[test]
fn headings_and_items_are_lines() {
    check(JUPITER, "Ring", "Moons and [[rings]]", Place::Heading);
    check(JUPITER, "Thebe (moon)", "[[Thebe]], small", Place::List);
    check("{{columns|\n* [[a]]\n* b [[c]]\n* d\n}}", "C", "b [[c]]", Place::List);
}

#[test]
fn rows_of_tables_have_bars_and_no_attributes() {
    check(JUPITER, "Amalthea (moon)", "[[Amalthea]] | E. Barnard | 1892", Place::Table);
    check(JUPITER, "Edward Barnard", "Amalthea | [[E. Barnard]] | 1892", Place::Table);
    check(JUPITER, "Voyager 1", "Metis [[Voyager 1]], NASA", Place::Table);
    check("{|\n! [[a]] !! b || c\n|}", "A", "[[a]] | b | c", Place::Table);
    check("{|\n| [[x]] | y || | z\n|}", "X", "[[x]] | y | z", Place::Table);
    check("{|\n|+ [[a]]\n|-\n| b\n|}", "A", "[[a]]", Place::Table);
    check("{|\n| a\n{|\n| [[b]] || c\n|}\n| d\n|}", "B", "[[b]] | c", Place::Table);
}

#[test]
fn prose_comes_before_all_else_and_then_the_first() {
    check(
        "{{Box|moon=[[Io]]}}\n* [[Io]]\n\nThe moon [[Io]] is. [[Io]]!",
        "Io",
        "The moon [[Io]] is.",
        Place::Prose,
    );
    check("* a [[Io]]\n{{Box|moon=[[Io]]}}", "Io", "a [[Io]]", Place::List);
}

#[test]
fn sentences_do_not_end_in_links_italics_or_abbreviations() {
    check(
        "A. See [[Dr. No (film)|Dr. No? Yes. It]] by ''Who? What! When.'' and [[X]].",
        "X",
        "A. See Dr. No? Yes. It by Who? What! When. and [[X]].",
        Place::Prose,
    );
    check("One. [[X|Yes. No. Maybe]] it is. Two.", "X", "[[Yes. No. Maybe]] it is.", Place::Prose);
    check("He met Mr. [[X]] in St. Ives. Then.", "X", "He met Mr. [[X]] in St. Ives.", Place::Prose);
}

#[test]
fn entities_trails_and_titles_are_read() {
    check("It plays [[R&amp;B]]. No.", "R&B", "It plays [[R&B]].", Place::Prose);
    check("The [[planet]]s' [[Moon|moons]]x.", "Planet", "The [[planets]]' moonsx.", Place::Prose);
    check("A [[x_y]] b.", "X y", "A [[x y]] b.", Place::Prose);
    check("[[Paris (Texas)|]] [[Germany|{{flag}}]].", "Paris (Texas)", "[[Paris]].", Place::Prose);
    check("In [[Germany|{{flag}}]].", "Germany", "In [[Germany]].", Place::Prose);
}

#[test]
fn marks_left_by_templates_are_tidied() {
    check("Jupiter {{x}}, the ({{y}}) [[X]]{{z}} .", "X", "Jupiter, the [[X]].", Place::Prose);
}

#[test]
fn other_scripts_have_sentences_too() {
    check("木星是[[行星]]。它的[[衛星]]很多。", "衛星", "它的[[衛星]]很多。", Place::Prose);
    check(
        "Ола кугу. [[Йошкар-Ола|Йошкар-Олаш]]те илат. Тыге.",
        "Йошкар-Ола",
        "[[Йошкар-Олаште]] илат.",
        Place::Prose,
    );
}

#[test]
fn block_tags_end_paragraphs_and_line_breaks_do_not() {
    check("One<div>two [[X]]\nthree</div>four", "X", "two [[X]] three", Place::Prose);
}

#[test]
fn long_texts_are_cut_around_the_link() {
    let page = format!("{} [[X]] {}", "word ".repeat(100_000), "other ".repeat(100_000));
    let (marked, _) = found(&page, "X");
    assert!(marked.starts_with("… word ") && marked.ends_with(" other …"), "{marked}");
    assert!(marked.contains(" word [[X]] other ") && (350..420).contains(&marked.chars().count()));
    let (marked, _) = found(&format!("{}[[X]]{}", "字".repeat(5000), "字".repeat(50)), "X");
    assert!((390..420).contains(&marked.chars().count()) && marked.ends_with("字字"), "{marked}");
    let item = format!("* {} First. A [[fish]]. {}", "word ".repeat(50), "Other ".repeat(50));
    check(&item, "Fish", "A [[fish]].", Place::List);
}

#[test]
fn links_in_odd_places_are_found_and_others_are_not() {
    check("{| class=[[x]]\n| a\n|}", "X", "[[x]]", Place::Table);
    check("{{[[x]]}}", "X", "[[x]]", Place::Template);
    let titles = Titles::new(&Site::default());
    for page in ["", "x", "[[y]]", "<!-- [[x]] -->", "[[:Category:X]]", "[[de:X]]", "[[x"] {
        assert_eq!(snippet(page, &titles, &mut |title| title == "X"), None, "{page}");
    }
}

#[test]
fn the_target_of_an_image_speaks_for_itself() {
    check("A [[File:x.svg|20px|link=Io (moon)]] b.", "Io (moon)", "[[Io (moon)]]", Place::Caption);
    check("<gallery>\nFile:x.svg|A moon.|link=Io\n</gallery>", "Io", "[[Io]]", Place::Caption);
}

#[test]
fn a_reference_in_the_text_of_a_link_is_no_part_of_it() {
    let page = "The [[moon|moons<ref>See [[Io]].</ref>]] are.";
    check(page, "Moon", "The [[moons]] are.", Place::Prose);
    check(page, "Io", "See [[Io]].", Place::Reference);
}

/// A page with many links in one unit.
fn crowded(num: usize, before: &str, link: &dyn Fn(usize) -> String, after: &str) -> String {
    let links: Vec<String> = (0..num).map(link).collect();
    format!("{before}{}{after}", links.join(" and "))
}

#[test]
fn a_unit_of_many_links_is_written_once_and_cut_around_each() {
    let num = 3000;
    let link = |number| format!("[[page {number}]]");
    let titles = Titles::new(&Site::default());
    for (before, after) in [
        ("", ""),
        ("* ", ""),
        ("{{Box|moons=", "}}"),
        ("<ref>", "</ref>"),
        ("{|\n| ", "\n|}"),
        ("== ", " =="),
    ] {
        let text = crowded(num, before, &link, after);
        let page = ParsedPage::new(&text, &titles);
        let mut shown = 0;
        for number in 0..num {
            let snippet = page.snippet(&[number]).unwrap();
            assert_eq!(&snippet.text[snippet.anchor.clone()], format!("page {number}"));
            assert!(snippet.text.chars().count() < 420);
            shown += snippet.text.len();
        }
        assert!(page.passages.num_bytes() <= text.len() && shown > 300 * num, "{before}");
    }
}

#[test]
fn a_link_in_a_template_of_a_long_paragraph_has_its_argument() {
    let page = crowded(1000, "", &|number| format!("{{{{tip|a [[page {number}]] b}}}}"), "");
    check(&page, "Page 7", "a [[page 7]] b", Place::Prose);
    let short = crowded(3, "", &|number| format!("{{{{tip|a [[page {number}]] b}}}}"), "");
    check(&short, "Page 1", "and a [[page 1]] b and", Place::Prose);
    let large = crowded(1000, "One {{tip|", &|number| format!("[[page {number}]]"), "}} two");
    let (marked, _) = found(&large, "Page 500");
    assert!(marked.contains(" and page 499 and [[page 500]] and page 501 and "), "{marked}");
}

#[test]
fn a_link_that_the_long_paragraph_lacks_speaks_for_itself() {
    let page = crowded(1000, "", &|number| format!("[[page {number}|{{{{x}}}}]]"), "");
    check(&page, "Page 7", "[[page 7]]", Place::Prose);
}

#[test]
fn the_place_of_each_of_many_links_is_found_at_once() {
    // Deep nesting, and templates, tables and paragraphs of a hundred thousand links: each finds its place without the others.
    let titles = Titles::new(&Site::default());
    let link = |number| format!("[[page {number}]]");
    for (before, after) in [
        ("{{a|".repeat(50_000), "}}".repeat(50_000)),
        ("{{Box|moons=".to_owned(), "}}".to_owned()),
        (format!("{{{{Box|{}moons =", " ".repeat(500_000)), "}}".to_owned()),
        ("<gallery>\nFile:a.jpg|".to_owned(), "\n</gallery>".to_owned()),
        ("{|\n|a\n".repeat(20_000), String::new()),
    ] {
        let page = ParsedPage::new(&crowded(50_000, &before, &link, &after), &titles);
        let num = page.links().len();
        assert!((0..num).all(|number| page.placed(number).depth < 1.0));
        assert!((0..num).step_by(10).all(|number| page.snippet(&[number]).is_some()));
    }
}

#[test]
fn lines_that_follow_one_another_are_one_paragraph_however_many() {
    let titles = Titles::new(&Site::default());
    for before in ["", "| "] {
        let table = if before.is_empty() { "" } else { "{|\n" };
        let lines: Vec<String> =
            (0..30_000).map(|number| format!("{before}A [[page {number}]].\n")).collect();
        let page = ParsedPage::new(&format!("{table}{}", lines.concat()), &titles);
        let marked = page.snippet(&[15_000]).unwrap().marked();
        assert!(marked.contains("A [[page 15000]]."), "{marked}");
        assert!((0..30_000).all(|number| page.snippet(&[number]).is_some()));
    }
}

/// Returns the context of the first link to each of some pages.
fn contexts<const N: usize>(page: &str, targets: [&str; N]) -> [LinkContext; N] {
    let page = ParsedPage::new(page, &Titles::new(&Site::default()));
    targets.map(|target| {
        let links: Vec<usize> =
            (0..page.links().len()).filter(|number| page.links()[*number].name == target).collect();
        page.link_context(&links).unwrap()
    })
}

#[test]
fn links_of_one_sentence_share_its_number() {
    let page = "A [[b]] and [[c|B]] and [[b]] too. It {{nowrap|[[d]]}} is [[e]].\n\n[[f]] is it.\n\
                == ''On'' g ==\n* [[h]], [[i]]\n* [[j]]";
    let [b, c, d, e, f, h, i, j] = contexts(page, ["B", "C", "D", "E", "F", "H", "I", "J"]);
    assert!(b.sentence == c.sentence && d.sentence == e.sentence && h.sentence == i.sentence);
    let numbers = [&b, &d, &f, &h, &j].map(|context| context.sentence);
    assert_eq!(numbers.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
    assert_eq!([&b, &c, &f, &h, &j].map(|context| context.num_links), [2, 2, 1, 2, 1]);
    // Links of a template that is dress are counted as well.
    assert_eq!([&d, &e].map(|context| context.num_links), [2, 2]);
    assert_eq!([&f, &h].map(|context| context.section.as_deref()), [None, Some("On g")]);
    assert_eq!(e.before.as_deref(), Some("A b and B and b too."));
    assert_eq!((b.before, f.before, j.before), (None, None, None));
}

#[test]
fn a_sentence_is_shown_with_the_one_before_as_far_as_there_is_room() {
    assert!(needs_before("It is.", false) && needs_before("木星。", false));
    let long = format!("This is {}", "long ".repeat(20));
    assert!(needs_before(&long, true) && !needs_before(&long, false));
    assert!(
        !needs_before(&format!("… {long}"), true) && !needs_before(&long.replace("This", "Thisbe"), true)
    );
    assert_eq!(with_sentence_before("It is.", Some("A b.")), "A b. It is.");
    assert_eq!(with_sentence_before("It is.", None), "It is.");
    let shown = with_sentence_before("It is.", Some(&"word ".repeat(200)));
    assert!(shown.starts_with("… word ") && shown.ends_with(" It is."), "{shown}");
    assert!((480..=500).contains(&shown.chars().count()), "{shown}");
    let full = "字".repeat(480);
    assert_eq!(with_sentence_before(&full, Some(&full)), full);
}

#[test]
fn the_links_of_a_sentence_are_counted_once_for_all() {
    let text = crowded(25_000, "One. ", &|number| format!("[[page {}]]", number % 5000), ". Two [[x]] is.");
    let page = ParsedPage::new(&text, &Titles::new(&Site::default()));
    assert!((0..25_000).all(|number| page.link_context(&[number]).unwrap().num_links == 5000));
    assert_eq!(page.link_context(&[25_000]).unwrap().num_links, 1);
}
