//! From what a person typed to a page, a category, a model.

use crate::output::say;
use anyhow::Result;
use llamafur::categories::{Categories, Sought};
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

/// The category of that name; if the cleansing moved it, the milestone that it became.
pub fn category(categories: &Categories<'_>, name: &str) -> Result<CategoryId> {
    let own_name = |sought| match sought {
        Sought::Kept(category) => categories.name(category),
        Sought::Moved(category, _) | Sought::Dropped(category) => categories.corpus().category_name(category),
    };
    let sought = one("category", name, categories.find(name)?, own_name)?;
    match sought {
        Sought::Kept(category) => Ok(category),
        Sought::Moved(_, milestone) => {
            let own = own_name(sought)?;
            say(&format!("the cleansing moved “{own}” to the milestone “{}”", categories.name(milestone)?));
            Ok(milestone)
        }
        Sought::Dropped(_) => {
            let own = own_name(sought)?;
            let way_out = "`llamafur train --cleansing none` learns from all categories";
            Err(NotFound(format!("the cleansing dropped the category “{own}”; {way_out}")).into())
        }
    }
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
