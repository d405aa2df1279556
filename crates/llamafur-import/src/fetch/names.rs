//! Which names are taken: a wiki, a date or a file name becomes part of a path here and of a URL there, so
//! nothing goes in that could lead elsewhere.

use ureq::http::Uri;

/// Whether this may be the name of a wiki: `^[a-z][a-z0-9_]*$`, at most 64 characters.
pub(super) fn is_wiki(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether this is a date as dumps bear it: eight digits.
pub(super) fn is_date(date: &str) -> bool {
    date.len() == 8 && is_number(date)
}

/// Whether these are digits and nothing else, and at least one.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether this is a plain file name: no separators, no leading dot, nothing a shell or Windows would take
/// amiss.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 200
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
}

/// Whether dumps may lie below this address: http or https with a host, and nothing after the path.
pub(super) fn is_base_url(url: &str) -> bool {
    // A fragment would be dropped silently by the parser.
    !url.contains('#')
        && url.parse::<Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
                && uri.query().is_none()
        })
}

/// Whether this can stand in the brackets of a user agent.
pub(super) fn is_contact(contact: &str) -> bool {
    // The header is built from it without a further look, so a line break here would be a header of its own.
    !contact.trim().is_empty()
        && contact.len() <= 200
        && contact.bytes().all(|b| (b.is_ascii_graphic() || b == b' ') && !matches!(b, b'(' | b')' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_not_taken() {
        for good in ["simplewiki", "enwiki", "zh_min_nanwiki", "be_x_oldwiki", "roa_rupwiki", "wiki2"] {
            assert!(is_wiki(good), "{good}");
        }
        for bad in ["", "..", "../x", "en/wiki", "EnWiki", "2wiki", "_wiki", "en wiki", "enwiki\n", "énwiki"]
        {
            assert!(!is_wiki(bad), "{bad}");
        }
        assert!(is_plain("simplewiki-20260901-pages-articles-multistream.xml.bz2"));
        for bad in ["", "..", "../evil", ".hidden", "a/b", "a\\b", "c:d", "-rf", "a b", "a\0b"] {
            assert!(!is_plain(bad), "{bad}");
        }
    }

    #[test]
    fn base_urls_are_http_with_a_host() {
        for good in
            ["https://dumps.wikimedia.org", "http://127.0.0.1:8080/mirror/wikimedia", "http://[::1]:80"]
        {
            assert!(is_base_url(good), "{good}");
        }
        for bad in
            ["", "dumps.wikimedia.org", "ftp://x.org", "file:///etc", "http://", "http://x/?q", "http://x/#f"]
        {
            assert!(!is_base_url(bad), "{bad}");
        }
    }

    #[test]
    fn contacts_cannot_smuggle_headers() {
        assert!(is_contact("me@example.org") && is_contact("https://example.org/me"));
        for bad in ["", "  ", "a\r\nX: y", "a)(b", "mé@example.org"] {
            assert!(!is_contact(bad), "{bad}");
        }
    }
}
