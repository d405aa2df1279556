//! Small corpora that checks ask, made once: a wiki of a few pages, and a graph with plain texts.

use super::scratch;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, train};
use llamafur::{Engine, Silent};
use llamafur_import::table::{self, TableConf};
use llamafur_import::wiki::{self, WikiConf};
use llamafur_serve::ServeConf;
use llamafur_serve::fuzzing::Site;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Characters of the longest sentence that is shown.
pub const LONGEST_SENTENCE: usize = 2_000;

const PAGES: [(&str, &str); 9] = [
    ("Sun", "The Sun is a [[star]]. [[Moon|The Moon]] and [[Earth]] go round it.\n\n[[Category:Stars]]"),
    (
        "Moon",
        "The Moon goes round [[Earth]], as [[Io]] does round [[Jupiter]].\n* [[Sun]]\n[[Category:Moons]]",
    ),
    ("Earth", "{{Box|a=[[Sun]]}}Earth has one [[Moon]], and [[fish]].\n[[Category:Planets]]"),
    (
        "Jupiter",
        "Jupiter's moons are [[Io]] and others; see [[Sun]].<ref>[[Earth]]</ref> [[Category:Planets]]",
    ),
    ("Io", "Io is a moon of [[Jupiter]]; [[Galileo Galilei|Galileo]] saw it. [[Category:Moons]]"),
    ("Fish", "{|\n| Fish live on [[Earth]] || and swim.\n|}\n[[Category:Animals|Fish]]"),
    ("Star", "Stars such as the [[Sun]]. [[Category:Stars]]"),
    ("Galileo Galilei", "He saw [[Io]], the [[Moon]] and the [[Sun]]. He ate [[fish]]. [[Category:People]]"),
    ("École", "An école is a school. [[Category:People]] [[ Earth ]]"),
];

/// The dump of the wiki.
pub fn dump() -> String {
    let page = |title: &str, of: u8, text: &str, redirect: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "<page><title>{title}</title><ns>{of}</ns>{redirect}<revision><text>{text}</text></revision></page>\n"
        )
    };
    let pages: String = PAGES.iter().map(|(title, text)| page(title, 0, text, "")).collect();
    let tree: String = ["Stars", "Planets", "Moons"]
        .map(|name| page(&format!("Category:{name}"), 14, "[[Category:Sky]]", ""))
        .concat();
    let redirect = page("Luna", 0, "#REDIRECT [[Moon]]", "<redirect title=\"Moon\" />");
    format!(
        "<mediawiki><siteinfo><sitename>Sample</sitename><dbname>samplewiki</dbname><namespaces>\
         <namespace key=\"0\" /><namespace key=\"14\">Category</namespace></namespaces></siteinfo>\n\
         {pages}{tree}{redirect}</mediawiki>\n"
    )
}

/// Makes the corpus of the wiki there, with a model and all that answers need.
pub fn make(folder: &Path) -> PathBuf {
    // What is made must be the same each time, and on one thread: the fuzzer counts the code that each input runs.
    let (file, place) = (folder.join("sample.xml"), folder.join("sample.corpus"));
    std::fs::write(&file, dump()).unwrap();
    wiki::import(&WikiConf::new([file]), &place, &mut Silent).unwrap();
    prepare(&place);
    place
}

fn prepare(place: &Path) {
    let corpus = Corpus::open(place).unwrap();
    let conf = LearnConf::default().held_out(0.0).ensemble(1);
    train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    Engine::new(&corpus, Default::default()).prepare_all(&Default::default(), &mut Silent).unwrap();
}

/// The folder of everything here, which lives as long as the program.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(scratch::folder)
}

/// The wiki.
pub fn corpus() -> &'static Corpus {
    wiki_engine().corpus()
}

pub fn wiki_engine() -> &'static Engine {
    static WIKI: OnceLock<Engine> = OnceLock::new();
    WIKI.get_or_init(|| Engine::open(make(folder()), Default::default()).unwrap())
}

/// The graph with plain texts.
pub fn plain_engine() -> &'static Engine {
    static PLAIN: OnceLock<Engine> = OnceLock::new();
    PLAIN.get_or_init(|| {
        let place = folder().join("plain.corpus");
        let tables = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/")).ancestors();
        let tables = tables.map(|folder| folder.join("data/toy")).find(|folder| folder.is_dir()).unwrap();
        let conf = TableConf::new(tables.join("links.tsv"))
            .categories(tables.join("categories.tsv"))
            .text(tables.join("text.tsv"));
        table::import(&conf, &place, &mut Silent).unwrap();
        prepare(&place);
        Engine::open(place, Default::default()).unwrap()
    })
}

/// The server of the wiki, with judging.
pub fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(|| {
        let place = folder().join("served");
        std::fs::create_dir_all(&place).unwrap();
        Site::open(ServeConf::new([make(&place)]).judge(true)).unwrap()
    })
}
