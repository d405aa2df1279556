//! Sentence templates: text with slots in braces.
//!
//! | slot | what it becomes |
//! |---|---|
//! | `{column}` | the values as a list: "a, b and c" |
//! | `{a column}` | the same with the indefinite article |
//! | `{column?one\|many}` | `one` or `many`, by the number of values |
//! | `{column!}` | nothing; it only demands a value |
//!
//! A sentence with a slot that has no value is left out altogether.

/// How a sentence ends when its last name has a stop of its own.
const STOPPED_TWICE: [&str; 6] = ["..", "?.", "!.", ".]].", "?]].", "!]]."];

/// Fills the slots of `template` with what `lookup` knows of each name.
pub(super) fn fill(template: &str, lookup: &dyn Fn(&str) -> Vec<String>) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}').expect("every slot is closed");
        filled.push_str(&rest[..open]);
        filled.push_str(&fill_slot(&rest[open + 1..close], lookup)?);
        rest = &rest[close + 1..];
    }
    filled.push_str(rest);
    // A name such as "Washington, D.C." ends the sentence by itself.
    if STOPPED_TWICE.iter().any(|end| filled.ends_with(end)) {
        filled.pop();
    }
    Some(capitalised(&filled))
}

fn fill_slot(slot: &str, lookup: &dyn Fn(&str) -> Vec<String>) -> Option<String> {
    let demanded = |name: &str| Some(lookup(name)).filter(|values| !values.is_empty());
    if let Some((name, forms)) = slot.split_once('?') {
        let (one, many) = forms.split_once('|').expect("two forms in a slot");
        let form = if demanded(name)?.len() == 1 { one } else { many };
        return Some(form.to_owned());
    }
    if let Some(name) = slot.strip_suffix('!') {
        return demanded(name).map(|_| String::new());
    }
    if let Some(name) = slot.strip_prefix("a ") {
        return demanded(name).map(|values| with_article(&list(&values)));
    }
    demanded(slot).map(|values| list(&values))
}

/// Every way to fill the slots of a pair of templates with one value a slot.
///
/// Both templates get the same values, so that a category and its parent
/// named from the same columns belong together.
pub(super) fn expand_pair(pair: (&str, &str), lookup: &dyn Fn(&str) -> Vec<String>) -> Vec<(String, String)> {
    let Some(slot) = first_slot(pair.0).or_else(|| first_slot(pair.1)) else {
        return vec![(capitalised(pair.0), capitalised(pair.1))];
    };
    let name = slot.trim_matches(['{', '}']);
    let guard = name.strip_suffix('!');
    let values = lookup(guard.unwrap_or(name));
    let fillings = match guard {
        Some(_) => values.iter().take(1).map(|_| "").collect(),
        None => values.iter().map(String::as_str).collect::<Vec<_>>(),
    };
    let replaced = |filling| (pair.0.replace(slot, filling), pair.1.replace(slot, filling));
    fillings
        .into_iter()
        .map(replaced)
        .flat_map(|(child, parent)| expand_pair((&child, &parent), lookup))
        .collect()
}

fn first_slot(template: &str) -> Option<&str> {
    let open = template.find('{')?;
    let close = open + template[open..].find('}').expect("every slot is closed");
    Some(&template[open..=close])
}

/// Joins values as running text does: "a", "a and b", "a, b and c".
pub(super) fn list(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Makes the first visible letter a capital, inside a link too.
pub(super) fn capitalised(text: &str) -> String {
    let Some((target, rest)) = text.strip_prefix("[[").and_then(|link| link.split_once("]]")) else {
        return capital_first(text);
    };
    match target.split_once('|') {
        Some((title, anchor)) if title == capital_first(anchor) => format!("[[{title}]]{rest}"),
        Some((title, anchor)) => format!("[[{title}|{}]]{rest}", capital_first(anchor)),
        None => text.to_owned(),
    }
}

fn capital_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn with_article(text: &str) -> String {
    let bare = text.trim_start_matches("[[");
    let visible = match (bare.find('|'), bare.find("]]")) {
        (Some(bar), Some(end)) if bar < end => &bare[bar + 1..],
        _ => bare,
    };
    let article = if sounds_like_vowel(visible) { "an" } else { "a" };
    format!("{article} {text}")
}

fn sounds_like_vowel(word: &str) -> bool {
    const CONSONANT_SOUNDS: [&str; 6] = ["eu", "uni", "ukr", "ural", "uru", "one"];
    let lower = word.to_lowercase();
    lower.starts_with(['a', 'e', 'i', 'o', 'u'])
        && !CONSONANT_SOUNDS.iter().any(|start| lower.starts_with(start))
}
