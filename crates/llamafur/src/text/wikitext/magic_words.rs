//! Words that MediaWiki knows and dumps do not have: names of namespaces, magic words, prefixes to other wikis.
//!
//! What depends on the language is in a table made from MediaWiki's own message files (`scripts/mediawiki_words.py`). A
//! language that lacks a word takes it from the next of its fallbacks, English being the last: a *name* of a namespace
//! from the first that has one, *aliases* and magic words from all of them.

use memchr::memmem;

/// Codes of languages that have, or had, a wiki of their own: `[[de:Jupiter]]` leads there.
const LANGUAGES: &str = "aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa \
    ay az azb ba ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs btm \
    bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp dty \
    dv dz ee egl el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo fon fr frp frr fur fy ga gag gan gcr gd gl \
    glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr hsb ht hu hy hyw hz ia iba id ie ig \
    igl ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kaj kbd kbp kcg kg kge ki kj kk kl km kn knc ko koi kr \
    krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms \
    mdf mg mh mhr mi min mk ml mn mni mnw mo mos mr mrj ms mt mus mwl my myv mzn na nah nan nap nb nds nds-nl ne \
    new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pih pl pms \
    pnb pnt ps pt pwn qu rki rm rmy rn ro roa-rup roa-tara rsk ru rue rup rw sa sah sat sc scn sco sd se sg sgs \
    sh shi shn shy si simple sk skr sl sm smn sn so sq sr srn ss st stq su sv sw syl szl szy ta tay tcy tdd te \
    tet tg th ti tig tk tl tly tn to tpi tr trv ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa \
    war wo wuu xal xh xmf yi yo yue za zea zgh zh zh-classical zh-cn zh-min-nan zh-tw zh-yue zu";

/// Short names of sister projects and of other places that Wikimedia's wikis link to.
const PROJECTS: &str = "w wikipedia wikt wiktionary n wikinews b wikibooks q wikiquote s wikisource oldwikisource \
    src v wikiversity voy wikivoyage species wikispecies c commons m meta metawikimedia metawikipedia mw \
    mediawikiwiki d wikidata f wikifunctions foundation wmf incubator outreach phab phabricator bugzilla \
    mediazilla rev svn tools toolforge toollabs ticket otrs otrswiki wikitech wikimania strategy testwiki test2wiki \
    usability wikimedia wikia wikicities fandom google doi rfc pmid imdbname imdbtitle gutenberg arxiv";

/// Templates that send the pages of a category to another one.
const CATEGORY_REDIRECTS: &str = "category redirect|categoryredirect|cat redirect|catredirect|cat-redirect|catredir|cat-red|\
    category soft redirect|soft category redirect|seecat|redirectcat|\
    переименованная категория|catégorie redirigée|redirection de catégorie|kategorieweiterleitung";

/// The words of every language; its head describes the columns.
static TABLE: &str = include_str!("words.tsv");

/// Returns whether a prefix, in small letters, is the code of a language.
pub(super) fn is_language(prefix: &str) -> bool {
    LANGUAGES.split_ascii_whitespace().any(|known| known == prefix)
}

/// Returns the prefixes, in small letters, that lead to other wikis.
pub(super) fn interwikis() -> impl Iterator<Item = &'static str> {
    LANGUAGES.split_ascii_whitespace().chain(PROJECTS.split_ascii_whitespace())
}

/// The words that a wiki of one language understands.
pub(super) struct Words {
    /// The language and its fallbacks.
    rows: Vec<Row>,
}

/// The table's line of one language.
struct Row {
    namespaces: &'static str,
    genders: &'static str,
    hidden: &'static str,
    redirects: &'static str,
    image_links: &'static str,
}

impl Words {
    /// Reads the words of a language, by any of its codes in any case; those of English where the code is not known.
    pub(super) fn new(language: &str) -> Words {
        let own = columns(&code(language));
        let fallbacks = own.as_deref().map_or("", |columns| column(columns, 1));
        let fallbacks = fallbacks.split(',').chain(["en"]).filter(|code| !code.is_empty());
        let mut rows: Vec<Row> = own.iter().map(|columns| Row::new(columns)).collect();
        rows.extend(fallbacks.filter_map(columns).map(|columns| Row::new(&columns)));
        Words { rows }
    }

    /// Returns the wiki's names for its namespaces, with the number of each: where two have the same name, the later
    /// counts. A `$1` in a name is a placeholder for the name of the project.
    pub(super) fn namespaces(&self) -> Vec<(&'static str, i32)> {
        let mut names: Vec<(&str, i32)> = Vec::new();
        let mut aliases = Vec::new();
        for row in &self.rows {
            for (key, mut words) in namespaces(row.namespaces) {
                let name = words.next().filter(|name| !name.is_empty());
                names.extend(
                    name.map(|name| (name, key)).filter(|_| !names.iter().any(|(_, known)| *known == key)),
                );
                aliases.extend(words.map(|alias| (alias, key)));
            }
        }
        aliases.reverse();
        let genders = self.rows.iter().map(|row| row.genders).find(|genders| !genders.is_empty());
        let genders = namespaces(genders.unwrap_or_default());
        let genders = genders.flat_map(|(key, words)| words.skip(1).map(move |word| (word, key)));
        names.into_iter().chain(aliases).chain(genders).collect()
    }

    /// Returns the words that make a category hidden.
    pub(super) fn hidden(&self) -> Vec<&'static str> {
        self.words(|row| row.hidden)
    }

    /// Returns the words that make a page a redirect, with their `#`; in any case.
    pub(super) fn redirects(&self) -> Vec<&'static str> {
        self.words(|row| row.redirects)
    }

    /// Returns the words before the target of an image, with their `=`.
    pub(super) fn image_links(&self) -> Vec<&'static str> {
        self.words(|row| row.image_links)
    }

    fn words(&self, of: impl Fn(&Row) -> &'static str) -> Vec<&'static str> {
        self.rows.iter().flat_map(|row| of(row).split('|')).filter(|word| !word.is_empty()).collect()
    }
}

impl Row {
    fn new(columns: &[&'static str]) -> Row {
        Row {
            namespaces: column(columns, 2),
            genders: column(columns, 3),
            hidden: column(columns, 4),
            redirects: column(columns, 5),
            image_links: column(columns, 6),
        }
    }
}

fn column(columns: &[&'static str], number: usize) -> &'static str {
    columns.get(number).copied().unwrap_or_default()
}

/// Returns the columns of a language's line in the table.
fn columns(code: &str) -> Option<Vec<&'static str>> {
    let start = memmem::find(TABLE.as_bytes(), format!("\n{code}\t").as_bytes())? + 1;
    TABLE[start..].lines().next().map(|line| line.split('\t').collect())
}

/// Parses `6=Datei|Bild;14=Kategorie` as numbers and names.
fn namespaces(text: &'static str) -> impl Iterator<Item = (i32, std::str::Split<'static, char>)> {
    let groups = text.split(';').filter_map(|group| group.split_once('='));
    groups.filter_map(|(key, names)| Some((key.parse().ok()?, names.split('|'))))
}

/// Returns the code by which MediaWiki knows a language that may be given by another: `nds-NL`, `als`, `cbk`.
pub(super) fn code(language: &str) -> String {
    let code = language.trim().to_lowercase().replace('_', "-");
    let other = columns(&code).and_then(|columns| column(&columns, 1).strip_prefix('='));
    other.map_or(code, str::to_owned)
}

/// Returns the prefix that leads to the wiki itself: its part of the name of its database, such as `fiu-vro` of
/// `fiu_vrowiki`, where that is a code of the wiki's language; else the code of the language.
pub(super) fn own_prefix(database: &str, language: &str) -> String {
    const PROJECTS: [&str; 8] = [
        "wiki",
        "wiktionary",
        "wikibooks",
        "wikiquote",
        "wikisource",
        "wikinews",
        "wikiversity",
        "wikivoyage",
    ];
    let name = PROJECTS.iter().find_map(|project| database.strip_suffix(project)).unwrap_or_default();
    let name = name.replace('_', "-");
    if is_language(&name) && code(&name) == code(language) { name } else { language.to_lowercase() }
}

/// Returns whether a template sends the pages of a category elsewhere.
pub(super) fn is_category_redirect(template: &str) -> bool {
    let name = template.trim().replace('_', " ").to_lowercase();
    CATEGORY_REDIRECTS.split('|').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(language: &str, key: i32) -> Vec<&'static str> {
        let names = Words::new(language).namespaces().into_iter();
        names.filter(|(_, known)| *known == key).map(|(name, _)| name).collect()
    }

    #[test]
    fn namespaces_have_all_names_that_the_language_and_its_fallbacks_know() {
        assert_eq!(names("de", 6), ["Datei", "Image", "Bild"]);
        assert_eq!(names("mhr", 14), ["Категорий", "Категория"]);
        assert!(names("nds-NL", 14).contains(&"Kattegerie") && names("nds-nl", 6).contains(&"Ofbeelding"));
        assert!(names("sr", 14).contains(&"Kategorija"));
        for (language, name) in [
            ("nl", "Afbeelding"),
            ("es", "Imagen"),
            ("it", "Immagine"),
            ("pt", "Imagem"),
            ("pl", "Grafika"),
            ("ru", "Изображение"),
            ("ja", "画像"),
            ("mk", "Слика"),
            ("fi", "Kuva"),
            ("tr", "Resim"),
        ] {
            assert!(names(language, 6).contains(&name), "{language}: {name}");
        }
        // A name of a fallback counts only where the language has none of its own.
        assert!(!names("bar", 14).contains(&"Категория"));
        assert_eq!(names("xx", 14), ["Category"]);
    }

    #[test]
    fn codes_of_dumps_are_those_of_mediawiki() {
        let codes = [
            "cbk",
            "jv-x-bms",
            "nrf",
            "nap-x-tara",
            "nds-NL",
            "simple",
            "als",
            "zh-min-nan",
            "fiu-vro",
            "no",
        ];
        let known = ["cbk-zam", "map-bms", "nrm", "roa-tara", "nds-nl", "en", "gsw", "nan", "vro", "nb"];
        assert_eq!(codes.map(code), known);
        assert_eq!(
            (code("sr-Cyrl"), code("zh_Hant_TW"), code("xx")),
            ("sr-ec".into(), "zh-tw".into(), "xx".into())
        );
        for language in codes {
            assert!(!names(language, 6).is_empty(), "{language}");
        }
    }

    #[test]
    fn a_wiki_knows_its_own_prefix() {
        assert_eq!(own_prefix("fiu_vrowiki", "vro"), "fiu-vro");
        assert_eq!(own_prefix("nowiki", "nb"), "no");
        assert_eq!(own_prefix("alswiki", "gsw"), "als");
        assert_eq!(own_prefix("zh_min_nanwiki", "nan"), "zh-min-nan");
        assert_eq!(own_prefix("simplewiki", "en"), "simple");
        assert_eq!(own_prefix("enwiktionary", "en"), "en");
        assert_eq!(own_prefix("mywiki", "en"), "en");
        assert_eq!(own_prefix("", "nds-NL"), "nds-nl");
    }

    #[test]
    fn every_other_code_leads_to_a_language() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<&str>> = rows.map(|line| line.split('\t').collect()).collect();
        assert!(rows.len() > 400);
        for row in &rows {
            let other = row[1].strip_prefix('=');
            assert!(
                other.is_none_or(|code| columns(code).is_some_and(|columns| !columns[1].starts_with('=')))
            );
        }
    }

    #[test]
    fn the_table_is_what_the_script_makes_of_mediawikis_files() {
        let Some(folder) = std::env::var_os("LLAMAFUR_MEDIAWIKI") else {
            return eprintln!(
                "LLAMAFUR_MEDIAWIKI names no folder with MediaWiki: its table of words is not compared"
            );
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/mediawiki_words.py");
        let made = std::process::Command::new("python3").arg(script).arg(folder).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        assert!(made.stdout == TABLE.as_bytes(), "run scripts/mediawiki_words.py again");
    }
}
