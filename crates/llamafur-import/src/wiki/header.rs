//! The head of a dump: name, language and namespaces of the wiki.

use super::xml::attribute;
use llamafur::text::wikitext::{LetterCase, Namespace, Site};
use quick_xml::Reader;
use quick_xml::events::Event;

/// Reads the site from the text before the first page; returns `None` if the dump has no site information.
///
/// # Errors
/// Returns the XML reader's error message.
pub(crate) fn read_site(xml: &str) -> Result<Option<Site>, String> {
    let mut reader = Reader::from_str(xml);
    let mut site = Site { namespaces: Vec::new(), ..Site::default() };
    let mut word = String::new();
    let mut has_site = false;
    loop {
        match reader.read_event().map_err(|e| e.to_string())? {
            Event::Start(start) => {
                word.clear();
                match start.name().as_ref() {
                    "mediawiki" => {
                        site.language = attribute(&start, "xml:lang").unwrap_or(site.language);
                    }
                    "siteinfo" => has_site = true,
                    "namespace" => site.namespaces.extend(namespace(&start)),
                    _ => {}
                }
            }
            Event::Empty(start) if start.name().as_ref() == "namespace" => {
                site.namespaces.extend(namespace(&start));
            }
            Event::End(end) => match end.name().as_ref() {
                "sitename" => site.name = word.trim().to_owned(),
                "dbname" => site.database = word.trim().to_owned(),
                "case" => site.case = LetterCase::from_dump(&word),
                "namespace" => {
                    if let Some(last) = site.namespaces.last_mut() {
                        last.name = word.trim().to_owned();
                    }
                }
                _ => {}
            },
            Event::Text(text) => word.push_str(&text),
            Event::GeneralRef(reference) => {
                let entity = format!("&{};", &*reference);
                word.push_str(&llamafur::text::wikitext::decode_entities(&entity));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if site.namespaces.is_empty() {
        site.namespaces = Site::default().namespaces;
    }
    Ok(has_site.then_some(site))
}

fn namespace(start: &quick_xml::events::BytesStart<'_>) -> Option<Namespace> {
    let key = attribute(start, "key")?.trim().parse().ok()?;
    let case = attribute(start, "case").map_or(LetterCase::default(), |case| LetterCase::from_dump(&case));
    Some(Namespace { key, name: String::new(), case })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_case_and_namespaces_are_read() {
        let site = read_site(
            "<?xml version='1.0'?><mediawiki version='0.10' xml:lang='bg'><siteinfo><sitename>У&amp;У</sitename>\
             <dbname>bgwiki</dbname><case>case-sensitive</case><namespaces><namespace key='0' case='case-sensitive'/>\
             <namespace key='14' case='first-letter'>Категория</namespace></namespaces></siteinfo>",
        );
        let site = site.unwrap().unwrap();
        assert_eq!(
            (site.name.as_str(), site.database.as_str(), site.language.as_str()),
            ("У&У", "bgwiki", "bg")
        );
        assert_eq!(site.case, LetterCase::CaseSensitive);
        assert_eq!(site.namespaces[1].name, "Категория");
        assert_eq!(site.namespaces[0].case, LetterCase::CaseSensitive);
    }

    #[test]
    fn a_dump_may_tell_nothing() {
        assert_eq!(read_site("<mediawiki xml:lang='en'>"), Ok(None));
        assert_eq!(read_site(""), Ok(None));
        assert!(read_site("<mediawiki xml:lang='en' <siteinfo></x>").is_err());
    }
}
