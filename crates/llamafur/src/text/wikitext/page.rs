//! What a page is besides its links: a redirect, a hidden category, a category that moved.

use super::links::links;
use super::magic_words;
use super::regions::visible;
use super::site::CATEGORIES;
use super::title::{Target, Titles};
use memchr::memmem;

/// The raw target of the page that a page redirects to, where its text says so: `#REDIRECT [[target]]`.
pub fn redirect_target(text: &str) -> Option<String> {
    let rest = text.trim_start().strip_prefix('#')?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ':' | '[' | '：'))?;
    let (word, rest) = rest.split_at(end);
    let target = rest.trim_start().trim_start_matches([':', '：']).trim_start();
    (target.starts_with("[[") && magic_words::is_redirect(word)).then(|| first_target(target)).flatten()
}

/// The raw target of the first link.
pub fn first_target(text: &str) -> Option<String> {
    links(text).next().map(|link| link.target.into_owned())
}

/// Whether the page of a category hides it: `__HIDDENCAT__`, in any language.
pub fn is_hidden(text: &str) -> bool {
    // Most pages have no magic word at all.
    memmem::find(text.as_bytes(), b"__").is_some()
        && visible(text).any(|part| magic_words::hidden_words().any(|word| part.contains(word)))
}

/// The category that a category's page sends its pages to, by a template: `{{Category redirect|Gas giants}}`.
pub fn category_redirect(text: &str, titles: &Titles) -> Option<String> {
    let mut buffer = String::new();
    for part in visible(text) {
        for call in part.split("{{").skip(1) {
            let Some((name, arguments)) = call.split_once('|') else { continue };
            if !magic_words::is_category_redirect(name) {
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

    #[test]
    fn redirects_are_known_in_many_languages() {
        let target = |text| redirect_target(text);
        assert_eq!(target("#REDIRECT [[Jupiter]]").as_deref(), Some("Jupiter"));
        assert_eq!(target(" \n#redirect:[[Jupiter#Moons|x]] {{R from x}}").as_deref(), Some("Jupiter#Moons"));
        assert_eq!(target("#перенаправление [[Ола]]").as_deref(), Some("Ола"));
        assert_eq!(target("# [[Jupiter]]"), None);
        assert_eq!(target("#First [[Jupiter]]"), None);
        assert_eq!(target("REDIRECT [[Jupiter]]"), None);
        assert_eq!(target("#REDIRECT Jupiter [[Moon]]"), None);
    }

    #[test]
    fn hidden_categories_say_so() {
        assert!(is_hidden("x\n__HIDDENCAT__"));
        assert!(is_hidden("__СКРЫТАЯКАТЕГОРИЯ__"));
        assert!(!is_hidden("<nowiki>__HIDDENCAT__</nowiki> __TOC__"));
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
}
