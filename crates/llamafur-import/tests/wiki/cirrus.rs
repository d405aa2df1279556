//! Wikis from dumps of the search index.

use crate::common::{Contents, Desk};
use crate::dump::{Dump, bz2, error, import_files};
use flate2::Compression;
use flate2::write::GzEncoder;
use llamafur_import::wiki::{Damage, LinkAccount, Text, WikiConf};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

fn lines(documents: &[Value]) -> String {
    let pair = |(number, document): (usize, &Value)| {
        format!("{}\n{document}\n", json!({"index": {"_type": "_doc", "_id": number.to_string()}}))
    };
    documents.iter().enumerate().map(pair).collect()
}

/// The documents of a wiki's articles, and of its categories.
fn documents(contents: &Contents) -> [Vec<Value>; 2] {
    let of = |pairs: &BTreeSet<(String, String)>, page: &str| -> Vec<String> {
        pairs.iter().filter(|(from, _)| from == page).map(|(_, to)| to.clone()).collect()
    };
    let document = |namespace: i32,
                    title: String,
                    links: Vec<String>,
                    categories: Vec<String>,
                    name: &str| {
        let leads = contents.redirects.iter().filter(|(_, to)| namespace == 0 && *to == name);
        let redirects: Vec<Value> = leads.map(|(from, _)| json!({"namespace": 0, "title": from})).collect();
        json!({
            "version": 7, "wiki": "testwiki", "language": "en", "namespace": namespace, "title": title,
            "namespace_text": "", "outgoing_link": links, "category": categories, "redirect": redirects,
            "text": contents.texts.get(name), "opening_text": null, "incoming_links": 3, "template": ["Template:X"],
            "heading": [], "popularity_score": 1.5e-7, "timestamp": "2026-01-01T00:00:00Z"
        })
    };
    let article = |page: &String| {
        let links = of(&contents.links, page).iter().map(|to| to.replace(' ', "_")).collect();
        document(0, page.clone(), links, of(&contents.categories, page), page)
    };
    let names: BTreeSet<&String> = contents
        .categories
        .iter()
        .map(|(_, name)| name)
        .chain(contents.parents.iter().map(|(_, to)| to))
        .collect();
    let category =
        |name: &&String| document(14, format!("Category:{name}"), vec![], of(&contents.parents, name), name);
    [contents.pages.iter().map(article).collect(), names.iter().map(category).collect()]
}

fn small() -> Contents {
    let made = Dump::new()
        .page("Jupiter", "A [[planet]] beside [[Saturn]]. [[Category:Planets]]")
        .page("Saturn", "Has \"rings\". [[Jupiter]] [[Category:Planets]] [[Category:Ringed things]]")
        .page("Planet", "Moves.")
        .redirect("The ringed one", "Saturn")
        .category("Planets", "[[Category:Things]]")
        .category("Ringed things", "")
        .category("Things", "")
        .import();
    let texts =
        made.contents.pages.iter().map(|page| (page.clone(), format!("The text of {page}.\nIt has lines.")));
    Contents { texts: texts.collect(), ..made.contents }
}

fn write(desk: &Desk, parts: &[Vec<Value>]) -> Vec<PathBuf> {
    let file = |(number, documents): (usize, &Vec<Value>)| {
        desk.file(&format!("testwiki-{number}-cirrussearch.json.bz2"), bz2(lines(documents).as_bytes(), 1))
    };
    parts.iter().enumerate().map(file).collect()
}

#[test]
fn documents_of_articles_and_categories_give_the_wiki_back() {
    let desk = Desk::new();
    let files = write(&desk, &documents(&small()));
    let made = import_files(&desk, WikiConf::new(files.clone())).unwrap();
    assert_eq!(made.contents, small());
    // The text is plain: brackets in it would be no links.
    assert!(made.imported.manifest.site.is_none());
    let made = import_files(&desk, WikiConf::new(files[..1].to_vec()).text(Text::LeaveOut)).unwrap();
    let expected = Contents { texts: BTreeMap::new(), parents: BTreeSet::new(), ..small() };
    assert_eq!(made.contents, expected);
}

#[test]
fn links_are_told_by_their_namespaces_and_go_through_redirects() {
    let desk = Desk::new();
    let file = desk.file(
        "a.json",
        lines(&[
            json!({"title": "A", "namespace": 0, "wiki": "mhrwiki", "language": "mhr", "outgoing_link":
                ["B_c", "Alias", "Категорий:X", "Template:Y", "2001:_A_Space_Odyssey", "No_such_page", "A", "B c"]}),
            json!({"title": "B c", "namespace": 0, "redirect":
                [{"namespace": 0, "title": "Alias"}, {"namespace": 4, "title": "Elsewhere"}]}),
            json!({"title": "2001: A Space Odyssey", "namespace": 0, "redirect": [{"namespace": 0, "title": "A"}]}),
            json!({"title": "Template:Y", "namespace": 10, "outgoing_link": ["A"]}),
        ]),
    );
    let made = import_files(&desk, WikiConf::new([file])).unwrap();
    assert_eq!(made.links("A"), ["2001: A Space Odyssey", "B c"]);
    let account = &made.imported.account;
    let expected =
        LinkAccount { kept: 2, repeated: 2, red: 1, own: 1, elsewhere: 2, ..LinkAccount::default() };
    assert_eq!(account.links, expected);
    assert_eq!(account.namespaces, BTreeMap::from([(0, 5), (4, 1), (10, 1)]));
    assert_eq!(made.redirects, BTreeMap::from([("Alias".to_owned(), "B c".to_owned())]));
}

#[test]
fn a_document_may_stand_under_its_source() {
    let desk = Desk::new();
    let [articles, _] = documents(&small());
    let hits: String =
        articles.iter().map(|one| format!("{}\n", json!({"_id": "1", "_source": one}))).collect();
    let made = import_files(&desk, WikiConf::new([desk.file("hits.json", hits)])).unwrap();
    assert_eq!(made.contents, Contents { parents: BTreeSet::new(), ..small() });
}

#[test]
fn bad_lines_are_counted_and_other_wikis_refused() {
    let desk = Desk::new();
    let [articles, categories] = documents(&small());
    let content = format!("{}{{\"title\": \n{{\"x\": 1}}\n\n", lines(&articles));
    let made = import_files(&desk, WikiConf::new([desk.file("a.json", content)])).unwrap();
    assert_eq!((made.contents.pages.len(), made.imported.account.pages.bad), (3, 2));
    assert!(made.imported.warnings[0].contains("skipped 2 of 6 pages"), "{:?}", made.imported.warnings);
    let other: Vec<Value> = categories
        .into_iter()
        .map(|mut one| {
            one["wiki"] = "otherwiki".into();
            one
        })
        .collect();
    let message = error(&desk, WikiConf::new(write(&desk, &[articles, other])));
    assert!(message.contains("otherwiki") && message.contains("testwiki"), "{message}");
}

#[test]
fn of_a_file_that_was_cut_off_the_pages_before_can_be_kept() {
    let desk = Desk::new();
    let [articles, _] = documents(&small());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(lines(&articles).as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    // In the middle of the last page.
    let file = desk.file("a.json.gz", &whole[..whole.len() - 40]);
    let message = error(&desk, WikiConf::new([&file]));
    for part in ["a.json.gz: bytes", "ends early", "the last good page is \"Planet\"", "nothing was written"]
    {
        assert!(message.contains(part), "{message}");
    }
    let made = import_files(&desk, WikiConf::new([file]).damage(Damage::KeepGoing)).unwrap();
    assert_eq!(made.contents.pages, ["Jupiter", "Planet"].map(String::from).into());
    let files = write(&desk, &documents(&small()));
    let whole = std::fs::read(&files[0]).unwrap();
    std::fs::write(&files[0], &whole[..whole.len() - 20]).unwrap();
    let message = error(&desk, WikiConf::new(files));
    assert!(message.contains("testwiki-0-cirrussearch.json.bz2: bytes"), "{message}");
}
