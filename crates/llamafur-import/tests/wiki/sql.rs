//! Wikis from SQL dumps: what is written as tables comes back, in the schemas of several years.

use crate::common::{Contents, Desk, shared_data};
use crate::dump::{Dump, error, import_files};
use flate2::Compression;
use flate2::write::GzEncoder;
use llamafur_import::wiki::{Damage, Hidden, LinkAccount, RedirectAccount, Text, WikiConf, import};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// The schema of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Year {
    /// Titles in both tables of links.
    Y2023,
    /// Link targets in `pagelinks`.
    Y2024,
    /// The same, and `categorylinks` in transition, with both columns.
    Early2025,
    /// Link targets in both.
    Y2026,
}

const YEARS: [Year; 4] = [Year::Y2023, Year::Y2024, Year::Early2025, Year::Y2026];

const PAGE: &str = "  `page_id` int(8) unsigned NOT NULL AUTO_INCREMENT,\n  `page_namespace` int(11) NOT NULL DEFAULT 0,\n\
    \x20 `page_title` varbinary(255) NOT NULL DEFAULT '',\n  `page_is_redirect` tinyint(1) unsigned NOT NULL DEFAULT 0,\n\
    \x20 `page_is_new` tinyint(1) unsigned NOT NULL DEFAULT 0,\n  `page_random` double unsigned NOT NULL DEFAULT 0,\n\
    \x20 `page_touched` binary(14) NOT NULL,\n  `page_links_updated` varbinary(14) DEFAULT NULL,\n\
    \x20 `page_latest` int(8) unsigned NOT NULL DEFAULT 0,\n  `page_len` int(8) unsigned NOT NULL DEFAULT 0,\n\
    \x20 `page_content_model` varbinary(32) DEFAULT NULL,\n  `page_lang` varbinary(35) DEFAULT NULL,\n\
    \x20 PRIMARY KEY (`page_id`),\n  UNIQUE KEY `page_name_title` (`page_namespace`,`page_title`)\n";
const PROPS: &str = "  `pp_page` int(8) unsigned NOT NULL,\n  `pp_propname` varbinary(60) NOT NULL,\n  `pp_value` blob NOT NULL,\n\
    \x20 `pp_sortkey` float DEFAULT NULL,\n  PRIMARY KEY (`pp_page`,`pp_propname`)\n";
const REDIRECT: &str = "  `rd_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `rd_namespace` int(11) NOT NULL DEFAULT 0,\n\
    \x20 `rd_title` varbinary(255) NOT NULL DEFAULT '',\n  `rd_interwiki` varbinary(32) DEFAULT NULL,\n\
    \x20 `rd_fragment` varbinary(255) DEFAULT NULL,\n  PRIMARY KEY (`rd_from`)\n";
const TARGET: &str = "  `lt_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,\n  `lt_namespace` int(11) NOT NULL,\n\
    \x20 `lt_title` varbinary(255) NOT NULL,\n  PRIMARY KEY (`lt_id`)\n";

fn link_columns(year: Year) -> &'static str {
    match year {
        Year::Y2023 => {
            "  `pl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `pl_namespace` int(11) NOT NULL DEFAULT 0,\n\
             \x20 `pl_title` varbinary(255) NOT NULL DEFAULT '',\n  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,\n\
             \x20 PRIMARY KEY (`pl_from`,`pl_namespace`,`pl_title`)\n"
        }
        _ => {
            "  `pl_from` int(10) unsigned NOT NULL DEFAULT 0,\n  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,\n\
             \x20 `pl_target_id` bigint(20) unsigned NOT NULL,\n  PRIMARY KEY (`pl_from`,`pl_target_id`)\n"
        }
    }
}

fn category_columns(year: Year) -> &'static str {
    match year {
        Year::Y2026 => {
            "  `cl_from` int(10) unsigned NOT NULL DEFAULT 0,\n  `cl_sortkey` varbinary(230) NOT NULL DEFAULT '',\n\
             \x20 `cl_timestamp` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),\n\
             \x20 `cl_sortkey_prefix` varbinary(255) NOT NULL DEFAULT '',\n\
             \x20 `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page',\n\
             \x20 `cl_collation_id` smallint(5) unsigned NOT NULL DEFAULT 0,\n  `cl_target_id` bigint(20) unsigned NOT NULL,\n\
             \x20 PRIMARY KEY (`cl_from`,`cl_target_id`)\n"
        }
        Year::Early2025 => {
            "  `cl_from` int(10) unsigned NOT NULL DEFAULT 0,\n  `cl_to` varbinary(255) NOT NULL DEFAULT '',\n\
             \x20 `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page',\n\
             \x20 `cl_target_id` bigint(20) unsigned DEFAULT NULL,\n  PRIMARY KEY (`cl_from`,`cl_to`)\n"
        }
        _ => {
            "  `cl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `cl_to` varbinary(255) NOT NULL DEFAULT '',\n\
             \x20 `cl_sortkey` varbinary(230) NOT NULL DEFAULT '',\n  `cl_timestamp` timestamp NOT NULL,\n\
             \x20 `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page',\n  PRIMARY KEY (`cl_from`,`cl_to`)\n"
        }
    }
}

/// A title as `mysqldump` writes it.
fn quoted(title: &str) -> String {
    let title = title.replace(' ', "_").replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"");
    format!("'{}'", title.replace('\n', "\\n").replace('\0', "\\0"))
}

/// A table as `mysqldump` writes it.
fn dump(table: &str, columns: &str, rows: &[String]) -> String {
    let mut sql = format!(
        "-- MariaDB dump 10.19  Distrib 10.5.23-MariaDB, for debian-linux-gnu (x86_64)\n--\n-- Host: db1166    Database: testwiki\n\
         /*!40101 SET NAMES utf8mb4 */;\n\nDROP TABLE IF EXISTS `{table}`;\nCREATE TABLE `{table}` (\n{columns}) ENGINE=InnoDB \
         DEFAULT CHARSET=binary;\n/*!40000 ALTER TABLE `{table}` DISABLE KEYS */;\n"
    );
    for rows in rows.chunks(1000) {
        writeln!(sql, "INSERT INTO `{table}` VALUES {};", rows.join(",")).unwrap();
    }
    sql + "/*!40000 ALTER TABLE `page` ENABLE KEYS */;\n-- Dump completed on 2026-01-01  1:02:03\n"
}

fn gz(sql: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(sql.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Ids of titles in the order in which they are first asked for, with gaps.
struct Ids(BTreeMap<(i32, String), u64>, u64);

impl Ids {
    fn of(&mut self, namespace: i32, title: &str) -> u64 {
        let next = self.1 * (self.0.len() as u64 + 2) + 1;
        *self.0.entry((namespace, title.to_owned())).or_insert(next)
    }
}

/// The tables of a wiki with these contents: every page links through a redirect where there is one. There are other
/// pages, too, which do not count.
fn tables(contents: &Contents, year: Year) -> Vec<(&'static str, String)> {
    let (mut ids, mut targets) = (Ids(BTreeMap::new(), 3), Ids(BTreeMap::new(), 7));
    let page = |id: u64, namespace: i32, title: &str, is_redirect: bool| {
        let flag = u8::from(is_redirect);
        format!(
            "({id},{namespace},{},{flag},0,0.33,'20260101000000',NULL,{},5,'wikitext',NULL)",
            quoted(title),
            id + 1
        )
    };
    let names: BTreeSet<&String> = contents
        .categories
        .iter()
        .map(|(_, name)| name)
        .chain(contents.parents.iter().flat_map(|(a, b)| [a, b]))
        .collect();
    let mut pages = vec![page(1, 1, "A talk page", false), page(2, 10, "A template", false)];
    pages.extend(contents.pages.iter().map(|title| page(ids.of(0, title), 0, title, false)));
    pages.extend(names.iter().map(|title| page(ids.of(14, title), 14, title, false)));
    pages.extend(contents.redirects.keys().map(|title| page(ids.of(0, title), 0, title, true)));
    let redirects: Vec<String> = contents
        .redirects
        .iter()
        .map(|(from, to)| format!("({},0,{},NULL,'part')", ids.of(0, from), quoted(to)))
        .collect();
    let mut links = Vec::new();
    let mut link = |from: u64, from_namespace: i32, namespace: i32, title: &str| {
        links.push(match year {
            Year::Y2023 => format!("({from},{namespace},{},{from_namespace})", quoted(title)),
            _ => format!("({from},{from_namespace},{})", targets.of(namespace, title)),
        });
    };
    let alias: BTreeMap<&String, &String> = contents.redirects.iter().map(|(from, to)| (to, from)).collect();
    for (source, target) in &contents.links {
        link(ids.of(0, source), 0, 0, alias.get(target).copied().unwrap_or(target));
    }
    for (from, to) in &contents.redirects {
        link(ids.of(0, from), 0, 0, to);
    }
    if let Some(first) = contents.pages.first() {
        link(1, 1, 0, first);
        link(ids.of(0, first), 0, 0, "No such page");
        link(ids.of(0, first), 0, 10, "A template");
        link(ids.of(0, first), 0, 0, first);
    }
    let mut filed = Vec::new();
    let mut file = |from: u64, kind: &str, name: &str| {
        let (to, id) = (quoted(name), targets.of(14, name));
        filed.push(match year {
            Year::Y2026 => format!("({from},'\\0\u{1}SORT','2026-01-01 00:00:00','','{kind}',1,{id})"),
            Year::Early2025 => format!("({from},{to},'{kind}',NULL)"),
            _ => format!("({from},{to},'SORT','2026-01-01 00:00:00','{kind}')"),
        });
    };
    contents.categories.iter().for_each(|(page, name)| file(ids.of(0, page), "page", name));
    contents.parents.iter().for_each(|(child, name)| file(ids.of(14, child), "subcat", name));
    file(1, "page", "Of talk pages");
    targets.of(14, "Linked to but empty");
    let target =
        |((namespace, title), id): (&(i32, String), &u64)| format!("({id},{namespace},{})", quoted(title));
    let targets: Vec<String> = targets.0.iter().map(target).collect();
    vec![
        ("pagelinks", dump("pagelinks", link_columns(year), &links)),
        ("categorylinks", dump("categorylinks", category_columns(year), &filed)),
        ("linktarget", dump("linktarget", TARGET, &targets)),
        ("redirect", dump("redirect", REDIRECT, &redirects)),
        ("page", dump("page", PAGE, &pages)),
    ]
}

fn write(desk: &Desk, tables: &[(&str, String)]) -> Vec<PathBuf> {
    tables.iter().map(|(name, sql)| desk.file(&format!("testwiki-20260101-{name}.sql.gz"), gz(sql))).collect()
}

/// Imports tables and reads the corpus.
fn import_tables(tables: &[(&str, String)]) -> Contents {
    let desk = Desk::new();
    let files = write(&desk, tables);
    import_files(&desk, WikiConf::new(files)).unwrap().contents
}

fn small() -> Contents {
    let made = Dump::new()
        .page("Jupiter", "A [[planet]], [[Saturn]] and [[the ringed one]]. [[Category:Planets]]")
        .page("Saturn", "[[Jupiter]] [[Category:Planets]] [[Category:O'Neill's \"rings\"]]")
        .page("Planet", "[[AC\\DC]]")
        .page("AC\\DC", "")
        .redirect("The ringed one", "Saturn")
        .category("Planets", "[[Category:Things]]")
        .category("Things", "")
        .import();
    Contents { texts: BTreeMap::new(), ..made.contents }
}

#[test]
fn tables_of_every_year_give_the_wiki_back() {
    for year in YEARS {
        assert_eq!(import_tables(&tables(&small(), year)), small(), "{year:?}");
    }
}

#[test]
fn everything_in_the_tables_is_accounted_for() {
    let desk = Desk::new();
    let files = write(&desk, &tables(&small(), Year::Y2026));
    let imported =
        import(&WikiConf::new(files), &desk.path("a.corpus"), &mut llamafur::progress::Silent).unwrap();
    let account = &imported.account;
    // Four articles, three categories, a redirect, a talk page and a template.
    assert_eq!(account.namespaces, BTreeMap::from([(0, 5), (1, 1), (10, 1), (14, 3)]));
    assert_eq!((account.pages.articles, account.pages.uncategorised), (4, 2));
    assert_eq!(account.redirects, RedirectAccount { all: 1, followed: 1, ..RedirectAccount::default() });
    let expected = LinkAccount { kept: 4, red: 1, own: 1, elsewhere: 1, ..LinkAccount::default() };
    assert_eq!(account.links, expected);
    assert_eq!((account.categories.kept, account.categories.described), (3, 3));
    let roles: Vec<&str> = imported.manifest.provenance.inputs.iter().map(|input| &input.role[..]).collect();
    assert_eq!(roles, ["categorylinks", "linktarget", "page", "pagelinks", "redirect"]);
    assert_eq!(imported.manifest.site.as_ref().unwrap().database, "testwiki");
    assert!(!imported.manifest.files.contains_key("text.arrow"));
}

#[test]
fn hidden_categories_are_left_out_unless_wanted() {
    let desk = Desk::new();
    let mut all = tables(&small(), Year::Y2026);
    // The third id of a category, after four articles.
    let props = ["(1,'hiddencat','',NULL)", "(22,'displaytitle','x',NULL)", "(19,'hiddencat','',NULL)"]
        .map(String::from);
    all.push(("page_props", dump("page_props", PROPS, &props)));
    let files = write(&desk, &all);
    let names = |hidden| {
        let made = import_files(&desk, WikiConf::new(files.clone()).hidden(hidden)).unwrap();
        (made.imported.account.categories.hidden, made.contents.categories.len())
    };
    assert_eq!(names(Hidden::Keep), (0, 3));
    assert_eq!(names(Hidden::LeaveOut), (1, 2));
}

#[test]
fn redirects_are_settled_as_in_the_xml() {
    let page = |id: u32, namespace: i32, title: &str, flag: u8| {
        format!("({id},{namespace},'{title}',{flag},0,0,'',NULL,{id},5,NULL,NULL)")
    };
    let pages =
        [page(1, 0, "A", 0), page(2, 0, "B", 0), page(3, 0, "One", 1), page(4, 0, "Two", 1)].into_iter();
    let others =
        [page(5, 0, "Ring", 1), page(6, 0, "Nowhere", 1), page(7, 0, "Away", 1), page(8, 14, "Old", 1)];
    let pages: Vec<String> = pages.chain(others).collect();
    let redirects = [
        "(3,0,'Two','','')",
        "(4,0,'B',NULL,'part')",
        "(5,0,'Ring',NULL,NULL)",
        "(6,0,'Not_there',NULL,NULL)",
        "(7,0,'B','de',NULL)",
        "(8,14,'New','',NULL)",
        // Left over of a page that is none any more, and of one that was deleted.
        "(2,0,'A','',NULL)",
        "(99,0,'A','',NULL)",
    ];
    let links = ["(1,0,'One',0)", "(1,0,'Ring',0)", "(1,0,'Nowhere',0)", "(1,0,'Away',0)", "(3,0,'Two',0)"];
    let desk = Desk::new();
    let files = write(
        &desk,
        &[
            ("page", dump("page", PAGE, &pages)),
            ("redirect", dump("redirect", REDIRECT, &redirects.map(String::from))),
            ("pagelinks", dump("pagelinks", link_columns(Year::Y2023), &links.map(String::from))),
            (
                "categorylinks",
                dump("categorylinks", category_columns(Year::Y2023), &["(1,'Old','','','page')".to_owned()]),
            ),
        ],
    );
    let made = import_files(&desk, WikiConf::new(files)).unwrap();
    assert_eq!(made.links("A"), ["B"]);
    assert_eq!(made.categories("A"), ["New"]);
    let expected = [("One", "B"), ("Two", "B")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(made.redirects, expected.into());
    let counts = RedirectAccount { all: 5, followed: 1, chained: 1, looping: 1, broken: 1, elsewhere: 1 };
    assert_eq!(made.imported.account.redirects, counts);
    assert_eq!(made.imported.account.links.dead, 3);
}

#[test]
fn a_file_that_is_missing_is_named() {
    let desk = Desk::new();
    let all = tables(&small(), Year::Y2026);
    let without = |left_out: &[&str]| {
        let some: Vec<_> = all.iter().filter(|(name, _)| !left_out.contains(name)).cloned().collect();
        error(&desk, WikiConf::new(write(&desk, &some)))
    };
    let message = without(&["linktarget", "redirect"]);
    for part in
        ["tables redirect, linktarget are missing", "*-redirect.sql.gz, *-linktarget.sql.gz of the same dump"]
    {
        assert!(message.contains(part), "{message}");
    }
    // Old tables have the titles.
    let old: Vec<_> =
        tables(&small(), Year::Y2023).into_iter().filter(|(name, _)| *name != "linktarget").collect();
    assert_eq!(import_tables(&old), small());
    let odd = all.iter().map(|(name, sql)| (*name, sql.replace("page_title", "page_name")));
    let message = error(&desk, WikiConf::new(write(&desk, &odd.collect::<Vec<_>>())));
    assert!(message.contains("the table page has no column page_title"), "{message}");
}

#[test]
fn dumps_of_several_kinds_and_wikis_are_refused() {
    let desk = Desk::new();
    let all = tables(&small(), Year::Y2026);
    let xml = desk.file("dump.xml", Dump::new().page("A", "").xml());
    let files: Vec<PathBuf> = write(&desk, &all).into_iter().chain([xml]).collect();
    let message = error(&desk, WikiConf::new(files));
    assert!(
        message.contains("dump.xml: an XML dump, while") && message.contains("is an SQL dump"),
        "{message}"
    );
    let mut other = all.clone();
    other[4].1 = other[4].1.replace("Database: testwiki", "Database: otherwiki");
    let message = error(&desk, WikiConf::new(write(&desk, &other)));
    assert!(message.contains("otherwiki") && message.contains("testwiki"), "{message}");
}

#[test]
fn damage_is_named_by_file_and_row_and_can_be_passed_over() {
    let desk = Desk::new();
    let mut all = tables(&small(), Year::Y2026);
    let sql = &mut all[0].1;
    sql.truncate(sql.rfind("),(").unwrap() + 4);
    let files = write(&desk, &all);
    let message = error(&desk, WikiConf::new(files.clone()));
    for part in [
        "pagelinks.sql.gz",
        "the file ends in the middle of",
        "the last good row is",
        "of pagelinks",
        "nothing was written",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let made = import_files(&desk, WikiConf::new(files.clone()).damage(Damage::KeepGoing)).unwrap();
    assert_eq!(made.imported.account.losses.len(), 1);
    assert_eq!(made.contents.links, small().links);
    let packed = std::fs::read(&files[4]).unwrap();
    std::fs::write(&files[4], &packed[..packed.len() - 12]).unwrap();
    let message = error(&desk, WikiConf::new(files));
    assert!(message.contains("page.sql.gz") && message.contains("ends early"), "{message}");
    let files = write(
        &desk,
        &[("page", dump("page", PAGE, &["('x',0,'A',0,0,0,'',NULL,1,5,NULL,NULL)".into()]))]
            .into_iter()
            .chain(all[1..4].iter().cloned())
            .chain([("pagelinks", dump("pagelinks", link_columns(Year::Y2026), &[]))])
            .collect::<Vec<_>>(),
    );
    let message = error(&desk, WikiConf::new(files));
    assert!(
        message.contains("\"x\" in the column page_id of the table page, expected a whole number"),
        "{message}"
    );
}

/// Titles with everything that may need an escape.
fn titles() -> impl Strategy<Value = String> {
    "[A-Z][a-z'\"\\\\%é日(),;`#-]{0,5}( [a-z'\\\\]{1,3})?".prop_map(|title| title.replace("--", "-"))
}

fn wikis() -> impl Strategy<Value = Contents> {
    let pages = prop::collection::btree_set(titles(), 1..8);
    let names = prop::collection::btree_set(titles(), 1..5);
    let draws = prop::collection::vec((any::<usize>(), any::<usize>()), 0..30);
    (pages, names, draws, prop::collection::btree_set(titles(), 0..4)).prop_map(
        |(pages, names, draws, aliases)| {
            let of = |all: &BTreeSet<String>, n: usize| all.iter().nth(n % all.len()).unwrap().clone();
            let mut contents = Contents { pages: pages.clone(), ..Contents::default() };
            for (number, &(a, b)) in draws.iter().enumerate() {
                let (page, other) = (of(&pages, a), of(&pages, b));
                match number % 3 {
                    0 if page != other => _ = contents.links.insert((page, other)),
                    1 => _ = contents.categories.insert((page, of(&names, b))),
                    2 if of(&names, a) != of(&names, b) => {
                        _ = contents.parents.insert((of(&names, a), of(&names, b)))
                    }
                    _ => {}
                }
            }
            let aliases = aliases.into_iter().filter(|alias| !pages.contains(alias));
            contents.redirects = aliases.map(|alias| (alias.clone(), of(&pages, alias.len()))).collect();
            contents
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_exported_as_tables_is_imported(contents in wikis(), year in prop::sample::select(&YEARS[..])) {
        prop_assert_eq!(import_tables(&tables(&contents, year)), contents);
    }
}

#[test]
fn a_real_wiki_survives_its_way_through_tables() {
    let Some(dir) = shared_data("wiki-pam") else { return };
    let desk = Desk::new();
    let dump = dir.join("pamwiki-pages-articles.xml.bz2");
    let made = import_files(&desk, WikiConf::new([dump]).text(Text::LeaveOut)).unwrap();
    let again = import_tables(&tables(&made.contents, Year::Y2026));
    assert_eq!(again.pages.len(), 8_882);
    assert!(again == made.contents, "the corpora differ");
}
