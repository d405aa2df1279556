//! Properties of a page besides its links: a redirect, a hidden category, a category that moved.

use super::links::links;
use super::magic_words;
use super::regions::visible;
use super::site::{ARTICLES, CATEGORIES, TEMPLATES};
use super::title::{Target, Titles};
use memchr::memmem;

/// Returns the raw target of a page that redirects: `#REDIRECT [[target]]`.
pub fn redirect_target(text: &str, titles: &Titles) -> Option<String> {
    let rest = titles.after_redirect_word(text)?.trim_start();
    let target = rest.strip_prefix([':', '：']).unwrap_or(rest).trim_start();
    target.starts_with("[[").then(|| first_target(target, titles)).flatten()
}

/// Returns the raw target of the first link.
pub fn first_target(text: &str, titles: &Titles) -> Option<String> {
    links(text, titles).next().map(|link| link.target.into_owned())
}

/// Returns whether the page of a category hides it: `__HIDDENCAT__`, or the word of the wiki's language.
pub fn is_hidden(text: &str, titles: &Titles) -> bool {
    // Most pages have no magic word at all.
    memmem::find(text.as_bytes(), b"__").is_some()
        && visible(text).any(|part| titles.hidden_words().iter().any(|word| part.contains(word)))
}

/// Returns the category that a category's page sends its pages to, by a template: `{{Category redirect|Gas giants}}`.
pub fn category_redirect(text: &str, titles: &Titles) -> Option<String> {
    let mut buffer = String::new();
    for part in visible(text) {
        for call in part.split("{{").skip(1) {
            let Some((name, arguments)) = call.split_once('|') else { continue };
            let (namespace, plain) = titles.page(name.trim());
            let is_template = matches!(namespace, ARTICLES | TEMPLATES);
            if !is_template || !magic_words::is_category_redirect(plain) {
                continue;
            }
            let first = arguments.split(['|', '}']).next().unwrap_or_default().trim();
            let first = first.strip_prefix("1=").unwrap_or(first);
            let first = first.trim_start_matches("[[").trim_end_matches("]]");
            return match titles.parse(first, &mut buffer) {
                Target::Page { namespace: 0 | CATEGORIES, name, .. } => Some(name.to_owned()),
                _ => None,
            };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wikitext::Site;

    fn titles(language: &str) -> Titles {
        Titles::new(&Site { language: language.into(), ..Site::default() })
    }

    #[test]
    fn redirects_are_known_in_many_languages() {
        let target = |text| redirect_target(text, &titles("en"));
        assert_eq!(target("#REDIRECT [[Jupiter]]").as_deref(), Some("Jupiter"));
        assert_eq!(target(" \n#redirect:[[Jupiter#Moons|x]] {{R from x}}").as_deref(), Some("Jupiter#Moons"));
        assert_eq!(target("#REDIRECT[[Jupiter]]").as_deref(), Some("Jupiter"));
        assert_eq!(target("# [[Jupiter]]"), None);
        assert_eq!(target("#First [[Jupiter]]"), None);
        assert_eq!(target("REDIRECT [[Jupiter]]"), None);
        assert_eq!(target("#REDIRECT Jupiter [[Moon]]"), None);
        for (language, word) in [
            ("mhr", "#перенаправление"),
            ("et", "#SUUNA"),
            ("vro", "#saadaq"),
            ("nds-NL", "#Deurverwiezing"),
            ("ja", "＃転送"),
            ("de", "#Weiterleitung"),
            ("vi", "#đổi"),
        ] {
            let text = format!("{word} [[Ола]]");
            assert_eq!(redirect_target(&text, &titles(language)).as_deref(), Some("Ола"), "{language}");
        }
    }

    #[test]
    fn hidden_categories_say_so_in_the_words_of_their_wiki() {
        assert!(is_hidden("x\n__HIDDENCAT__", &titles("en")));
        assert!(!is_hidden("<nowiki>__HIDDENCAT__</nowiki> __TOC__", &titles("en")));
        for (language, word) in [
            ("ru", "__СКРЫТАЯ_КАТЕГОРИЯ__"),
            ("mhr", "__СКРЫТАЯ_КАТЕГОРИЯ__"),
            ("uk", "__ПРИХОВ_КАТ__"),
            ("pl", "__KATEGORIAUKRYTA__"),
            ("ja", "__隠しカテゴリ__"),
            ("sv", "__DOLDKAT__"),
            ("no", "__SKJULTKATEGORI__"),
            ("cs", "__SKRÝTKAT__"),
            ("tr", "__GİZLİKAT__"),
            ("he", "__קטגוריה_מוסתרת__"),
            ("fa", "__رده‌پنهان__"),
            ("zh", "__隐藏分类__"),
            ("pt", "__CATOCULTA__"),
        ] {
            assert!(is_hidden(word, &titles(language)), "{language}");
        }
        assert!(!is_hidden("__СКРЫТАЯКАТЕГОРИЯ__", &titles("ru")));
        assert!(!is_hidden("__DOLDKAT__", &titles("en")));
    }

    #[test]
    fn moved_categories_are_followed() {
        let titles = Titles::new(&Site::default());
        let to = |text| category_redirect(text, &titles);
        assert_eq!(to("{{Category redirect|gas giants}}").as_deref(), Some("Gas giants"));
        assert_eq!(to("{{category_redirect|1=Category:Gas giants|reason}}").as_deref(), Some("Gas giants"));
        assert_eq!(to("{{Cat redirect|:Category:Gas giants}}").as_deref(), Some("Gas giants"));
        assert_eq!(to("{{x}} {{Category redirect}}"), None);
        assert_eq!(to("<!-- {{Category redirect|x}} -->"), None);
    }

    #[test]
    fn a_template_may_be_called_by_its_full_title_and_a_documentation_box_moves_nothing() {
        let titles = Titles::new(&Site::default());
        let to = |text| category_redirect(text, &titles);
        assert_eq!(to("{{Template:Category redirect|X}}").as_deref(), Some("X"));
        assert_eq!(to("{{ template : category_redirect | X }}").as_deref(), Some("X"));
        assert_eq!(to("{{Redirect category|from=a move}}"), None);
        assert_eq!(to("{{User:Category redirect|X}}"), None);
    }
}
