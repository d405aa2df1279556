//! The built-in scorers by name, and how each is opened for a corpus.
//!
//! A scorer is named `NAME`, or, where it uses a model, `NAME:MODEL`, or, where it uses vectors, `NAME:VECTORS`.
//! [`SCORERS`] lists the recommended ones; four more, for comparisons, are opened only by name. A new built-in scorer
//! is a file of its own and a line there.

use super::{Blend, Inputs, Normalise, Score, Studentise, blend, graph, llamafur, random, text, vectors};
use crate::Error;
use crate::progress::Progress;
use std::fmt;
use std::sync::Arc;

/// The scorers shown in lists.
pub const SCORERS: &[Scorer] = &[
    blend::BLEND,
    llamafur::LLAMAFUR,
    llamafur::CATEGORIES,
    llamafur::WORDS,
    llamafur::LEAD,
    llamafur::NAIVE,
    graph::shared_neighbours::ADAMIC_ADAR,
    graph::shared_neighbours::RESOURCE_ALLOCATION,
    graph::reciprocity::RECIPROCITY,
    graph::in_degree::IN_DEGREE,
    text::M2,
    text::M4,
    text::COSINE,
    text::MENTIONS,
    text::DEPTH,
    vectors::COMPANY,
    vectors::PEERS,
    random::RANDOM,
];

/// Scorers that lists leave out: others of their kind are better.
const BY_NAME: &[Scorer] =
    &[graph::shared_neighbours::COMMON_NEIGHBOURS, graph::shared_neighbours::JACCARD, text::M1, text::PLACE];

/// Returns all scorers, also those that lists leave out.
pub(super) fn all() -> impl Iterator<Item = &'static Scorer> {
    SCORERS.iter().chain(BY_NAME)
}

/// Meaning of the text after a scorer's name and a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suffix {
    /// Nothing.
    None,
    /// The name of a model.
    Model,
    /// The name of vectors from elsewhere.
    Vectors,
}

/// A built-in scorer.
#[derive(Debug, Clone, Copy)]
pub struct Scorer {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The parts of a corpus that it reads, as in the paper's table 4; empty if it reads none.
    pub inputs: &'static str,
    /// The source of the idea: names and year; empty if there is none in particular.
    pub cites: &'static str,
    /// The model that it uses by default; `None` where it needs none.
    pub model: Option<&'static str>,
    /// The meaning of a suffix after its name and a colon.
    pub suffix: Suffix,
    /// True if it reads the link itself in the text of its page, and so has no data on one that was added to the graph
    /// alone.
    pub reads_link: bool,
    pub(super) open: fn(&Inputs, &ScoreConf, &mut dyn Progress) -> Opened,
}

impl ScoreConf {
    /// Rejects settings that the scorer does not use.
    pub fn expect_used(&self, scorer: &str) -> Result<(), Error> {
        let unused = |setting| Err(Error::UnusedSetting { scorer: scorer.to_owned(), setting });
        let parts = || scorer.split('+').map(|part| part.split(':').next().unwrap_or(part));
        let any =
            |is: fn(&Scorer) -> bool| parts().any(|part| all().any(|known| known.name == part && is(known)));
        if self.model.is_some() && !any(|scorer| scorer.model.is_some()) {
            return unused("model");
        }
        // Vectors of a model are the same however its sums are normalised.
        if self.normalise != Normalise::default() && !any(|scorer| scorer.suffix == Suffix::Model) {
            return unused("normalise");
        }
        let is_blend = parts().any(|part| part == blend::BLEND.name);
        if self.studentise != Studentise::default() && !is_blend && !scorer.contains('+') {
            return unused("studentise");
        }
        Ok(())
    }
}

/// An opened scorer.
pub(super) type Opened = Result<Arc<dyn Score>, Error>;

/// Settings of scorers.
#[derive(Debug, Clone, Default)]
pub struct ScoreConf {
    /// The model of scorers that use one. Default: the one with the scorer's name.
    pub model: Option<String>,
    /// Normalisation of a sum over category pairs. Default: the mean.
    pub normalise: Normalise,
    /// The links over which a sum studentises. Default: all of the graph.
    pub studentise: Studentise,
    /// Leaves signals that read the link in the source's text out of the blend, for links that do not exist. Default:
    /// no.
    pub without_text_of_links: bool,
    /// The name of the vectors of scorers that use some. Default: those of the model.
    pub vectors: Option<String>,
    /// The sum that the blend is. Default: that of rankings.
    pub blend: Blend,
}

/// Opens a scorer by its name: `NAME`, `NAME:MODEL`, `NAME:VECTORS`, or a sum of such, `NAME+NAME`.
///
/// # Errors
/// If there is no such scorer, or the corpus lacks what it needs.
pub fn open(
    name: &str,
    inputs: &Inputs,
    conf: &ScoreConf,
    progress: &mut dyn Progress,
) -> Result<Arc<dyn Score>, Error> {
    if let Some(own) = inputs.own(name) {
        return Ok(own.clone());
    }
    if name.contains('+') {
        check_name_in(name, inputs)?;
        return Ok(Arc::new(blend::Sum::of(name, inputs, conf, progress)?));
    }
    let (scorer, suffix) = Scorer::parse(name).map_err(|error| error.with_names(inputs.own_names()))?;
    let conf = match (scorer.suffix, suffix.map(str::to_owned)) {
        (Suffix::Model, Some(model)) => ScoreConf { model: Some(model), ..conf.clone() },
        (_, vectors) => ScoreConf { vectors, ..conf.clone() },
    };
    (scorer.open)(inputs, &conf, progress)
}

/// Checks that a name is that of a built-in scorer or of a sum of such.
pub fn check_name(name: &str) -> Result<(), Error> {
    expect_few_parts(name)?;
    name.split('+').try_for_each(|part| Scorer::parse(part).map(|_| ()))
}

/// Checks a name like [`check_name`], with registered scorers allowed.
pub(crate) fn check_name_in(name: &str, inputs: &Inputs) -> Result<(), Error> {
    expect_few_parts(name)?;
    let mut parts = name.split('+').filter(|part| inputs.own(part).is_none());
    parts.try_for_each(|part| match Scorer::parse(part) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.with_names(inputs.own_names())),
    })
}

/// Largest number of parts of a sum: more than there are scorers, so that each can be used with several models.
const MOST_PARTS: usize = 32;

/// Rejects sums that would take too long to open.
fn expect_few_parts(name: &str) -> Result<(), Error> {
    let mut parts: Vec<&str> = name.split('+').take(MOST_PARTS + 1).collect();
    let num = parts.len();
    parts.sort_unstable();
    parts.dedup();
    match num > MOST_PARTS || parts.len() < num {
        true => {
            let beginning: String = name.chars().take(60).collect();
            Err(Error::setting(
                "scorer",
                format!("a sum of at most {MOST_PARTS} scorers, each once"),
                beginning,
            ))
        }
        false => Ok(()),
    }
}

/// Returns the parts of a corpus that a scorer reads: `graph, categories`. For a sum, those of its parts.
pub fn inputs_of(name: &str) -> String {
    let of = |part| Scorer::parse(part).map_or("", |(scorer, _)| scorer.inputs);
    let mut all: Vec<&str> =
        name.split('+').flat_map(|part| of(part).split(", ")).filter(|x| !x.is_empty()).collect();
    all.sort_by_key(|input| ["graph", "categories", "text"].iter().position(|known| known == input));
    all.dedup();
    all.join(", ")
}

fn unknown(name: &str) -> Error {
    let there_are = SCORERS.iter().map(|scorer| scorer.name.to_owned()).collect();
    Error::UnknownScorer { name: name.into(), there_are }
}

impl Scorer {
    /// Parses the name of a scorer, and of its model or vectors if given: `llamafur`, `llamafur:paper`.
    ///
    /// # Errors
    /// If there is no such scorer, or it uses neither.
    pub fn parse(text: &str) -> Result<(Scorer, Option<&str>), Error> {
        let (name, suffix) = text.split_once(':').map_or((text, None), |(name, suffix)| (name, Some(suffix)));
        let known = all().find(|scorer| scorer.name == name);
        let scorer = *known.ok_or_else(|| unknown(name))?;
        match suffix {
            Some(_) if scorer.suffix == Suffix::None => {
                Err(Error::UnusedSetting { scorer: scorer.name.into(), setting: "model" })
            }
            _ => Ok((scorer, suffix)),
        }
    }
}

impl fmt::Display for Scorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scorer_is_found_by_its_name() {
        for scorer in all() {
            assert_eq!(Scorer::parse(scorer.name).unwrap().0.name, scorer.name);
        }
        let (scorer, model) = Scorer::parse("llamafur:paper").unwrap();
        assert_eq!((scorer.name, model), ("llamafur", Some("paper")));
    }

    #[test]
    fn others_are_refused_with_what_there_is() {
        let refused = |text| Scorer::parse(text).unwrap_err().to_string();
        let unknown = refused("lama");
        assert!(
            unknown.starts_with("there is no scorer “lama”: there are blend, llamafur, categories, "),
            "{unknown}"
        );
        assert!(unknown.ends_with(" and random"), "{unknown}");
        assert_eq!(refused("aa:paper"), "the scorer aa does not use the setting “model”");
        let model = ScoreConf { model: Some("paper".into()), ..ScoreConf::default() };
        let normalise = ScoreConf { normalise: Normalise::Sum, ..ScoreConf::default() };
        for (scorer, uses) in [("words", [true, true]), ("peers", [true, false]), ("cosine", [false, false])]
        {
            assert_eq!([&model, &normalise].map(|conf| conf.expect_used(scorer).is_ok()), uses, "{scorer}");
        }
    }
}
