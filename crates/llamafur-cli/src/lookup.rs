//! From what a person typed to a page, a category, a model.

use crate::output::say;
use anyhow::Result;
use llamafur::corpus::{CategoryId, Corpus, CorpusError, Found, PageId};

/// Nothing of that name: exit code 1.
#[derive(Debug)]
pub struct NotFound(String);

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotFound {}

/// The page of that title.
pub fn page(corpus: &Corpus, title: &str) -> Result<PageId> {
    one("page", title, corpus.find_page(title)?, |page| corpus.title(page))
}

/// The category of that name.
pub fn category(corpus: &Corpus, name: &str) -> Result<CategoryId> {
    one("category", name, corpus.find_category(name)?, |category| corpus.category_name(category))
}

fn one<'a, Id: Copy>(
    what: &str,
    asked: &str,
    found: Found<Id>,
    name: impl Fn(Id) -> Result<&'a str, CorpusError>,
) -> Result<Id> {
    let quoted = |ids: &[Id]| -> Result<String, CorpusError> {
        let names: Vec<String> =
            ids.iter().map(|id| Ok(format!("“{}”", name(*id)?))).collect::<Result<_, CorpusError>>()?;
        Ok(names.join(", "))
    };
    let message = match found {
        Found::One(id) => {
            let found = name(id)?;
            if found != asked {
                say(&format!("taking “{asked}” for “{found}”"));
            }
            return Ok(id);
        }
        Found::Several(ids) => {
            format!("several {what} names match “{asked}”: {}; give one exactly", quoted(&ids)?)
        }
        Found::None(nearest) if nearest.is_empty() => {
            format!("no {what} “{asked}”, nor one with a similar name")
        }
        Found::None(nearest) => format!("no {what} “{asked}”; did you mean {}?", quoted(&nearest)?),
    };
    Err(NotFound(message).into())
}
