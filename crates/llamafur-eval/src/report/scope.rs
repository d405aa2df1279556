//! SVG files inside one document: what one of them names or styles must not reach another.

/// The drawing as a part of a document: without a prolog, its ids under `scope`, its style for what is inside the
/// element with the id `scope`.
pub(super) fn scoped(svg: &str, scope: &str) -> String {
    let svg = svg.find("<svg").map_or(svg, |start| &svg[start..]).trim_end();
    let mut out = String::with_capacity(svg.len() + 1024);
    let mut rest = svg;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let end = rest[open..].find('>').map_or(rest.len(), |end| open + end + 1);
        out.push_str(&tag(&rest[open..end], scope));
        let is_style = rest[open..end].starts_with("<style") && !rest[open..end].ends_with("/>");
        rest = &rest[end..];
        if is_style {
            let close = rest.find("</style").unwrap_or(rest.len());
            out.push_str(&style(&rest[..close], scope));
            rest = &rest[close..];
        }
    }
    out + rest
}

/// A drawing without its style, for where the same style is there already.
pub(super) fn without_style(svg: &str) -> String {
    match (svg.find("<style"), svg.find("</style>")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &svg[..start], &svg[end + 8..]),
        _ => svg.to_owned(),
    }
}

/// What the style of a drawing says.
pub(super) fn style_of(svg: &str) -> &str {
    match (svg.find("<style"), svg.find("</style>")) {
        (Some(start), Some(end)) if start < end => &svg[start..end],
        _ => "",
    }
}

/// Ids, and what refers to them.
fn tag(tag: &str, scope: &str) -> String {
    tag.replace(" id=\"", &format!(" id=\"{scope}--"))
        .replace("href=\"#", &format!("href=\"#{scope}--"))
        .replace("url(#", &format!("url(#{scope}--"))
        .replace("aria-labelledby=\"", &format!("aria-labelledby=\"{scope}--"))
}

/// Each selector, put under the scope. Rules may stand in one level of `@media`.
fn style(css: &str, scope: &str) -> String {
    let mut out = String::with_capacity(css.len() + 1024);
    let mut rest = css;
    while let Some(end) = rest.find(['{', '}']) {
        let (head, brace) = (&rest[..end], &rest[end..=end]);
        if brace == "{" && !head.trim_start().starts_with('@') {
            let space = head.len() - head.trim_start().len();
            out.push_str(&head[..space]);
            let selectors = head.trim().split(',').map(|selector| format!("#{scope} {}", selector.trim()));
            out.push_str(&selectors.collect::<Vec<_>>().join(", "));
            // What is declared goes through as it is.
            let close = rest[end..].find('}').map_or(rest.len(), |close| end + close + 1);
            out.push(' ');
            out.push_str(&rest[end..close].replace("url(#", &format!("url(#{scope}--")));
            rest = &rest[close..];
        } else {
            // Paper is light, whatever the reader prefers on a screen.
            out.push_str(
                &head.replace("@media (prefers-color-scheme", "@media screen and (prefers-color-scheme"),
            );
            out.push_str(brace);
            rest = &rest[end + 1..];
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_ids_and_references_are_scoped() {
        let svg = "<?xml version=\"1.0\"?>\n<svg class=\"a\"><style>\n.a, .b { fill: red; }\n\
                   @media screen {\n .a { --x: 1; }\n}\n.c { fill: url(#g); }</style>\
                   <g id=\"g\"/><use href=\"#g\"/><text> id=\"kept\" {}</text></svg>\n";
        let expected = "<svg class=\"a\"><style>\n#f .a, #f .b { fill: red; }\n@media screen {\n #f .a { --x: 1; }\n}\n\
                        #f .c { fill: url(#f--g); }</style><g id=\"f--g\"/><use href=\"#f--g\"/>\
                        <text> id=\"kept\" {}</text></svg>";
        assert_eq!(scoped(svg, "f"), expected);
    }

    #[test]
    fn on_paper_drawings_are_light() {
        let css = "@media (prefers-color-scheme: dark) {\n.a { fill: white; }\n}";
        let expected = "@media screen and (prefers-color-scheme: dark) {\n#f .a { fill: white; }\n}";
        assert_eq!(style(css, "f"), expected);
    }

    #[test]
    fn the_style_can_be_left_out() {
        let svg = "<svg><style>a</style><g/></svg>";
        assert_eq!((without_style(svg).as_str(), style_of(svg)), ("<svg><g/></svg>", "<style>a"));
        assert_eq!((without_style("<svg/>").as_str(), style_of("<svg/>")), ("<svg/>", ""));
    }
}
