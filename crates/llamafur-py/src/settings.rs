//! Arguments of Python's methods as settings of the libraries.

use crate::errors::Failure;
use llamafur::engine::{ExplainConf, Lookup, Order, PlaceSet, PredictConf};
use llamafur::learn::{LearnConf, Method};
use llamafur::score::{Normalise, ScoreConf, Studentise};
use llamafur::storage::Existing;
use llamafur::{Error, RankConf};
use pyo3::prelude::*;
use std::path::Path;

/// Settings that are set only where an argument is given.
pub(crate) trait With: Sized {
    /// Sets the value, if there is one.
    fn with<T>(self, value: Option<T>, set: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => set(self, value),
            None => self,
        }
    }
}

impl<Conf> With for Conf {}

/// Which scorer, how it scores, and what of its rankings is wanted.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Scoring {
    scorer: Option<String>,
    model: Option<String>,
    normalise: Option<String>,
    studentise: Option<String>,
    #[pyo3(item("where"))]
    places: Option<String>,
    order: Option<String>,
}

impl Scoring {
    /// The scorer's name.
    pub(crate) fn name(&self) -> &str {
        self.scorer.as_deref().unwrap_or("blend")
    }

    /// How it scores.
    pub(crate) fn conf(&self) -> Result<ScoreConf, Failure> {
        let normalise = self.normalise.as_deref().map(str::parse::<Normalise>).transpose()?;
        let studentise = self.studentise.as_deref().map(str::parse::<Studentise>).transpose()?;
        Ok(ScoreConf {
            model: self.model.clone(),
            normalise: normalise.unwrap_or_default(),
            studentise: studentise.unwrap_or_default(),
            ..ScoreConf::default()
        })
    }

    /// The places whose links are ranked.
    pub(crate) fn places(&self) -> Result<PlaceSet, Failure> {
        Ok(self.places.as_deref().map(str::parse).transpose()?.unwrap_or_default())
    }

    /// What comes first: unless asked otherwise, of a scorer that was asked for by its name, what it finds most unexpected.
    fn order(&self) -> Result<Order, Failure> {
        let usual = if self.scorer.is_some() { Order::Oddity } else { Order::Worth };
        Ok(self.order.as_deref().map(str::parse).transpose()?.unwrap_or(usual))
    }

    /// A ranking by it.
    pub(crate) fn rank_conf(&self) -> Result<RankConf, Failure> {
        let conf = RankConf::default().scorer(self.name()).score(self.conf()?);
        Ok(conf.places(self.places()?).order(self.order()?))
    }

    /// An explanation of its ranking.
    pub(crate) fn explain_conf(&self) -> Result<ExplainConf, Failure> {
        let conf = ExplainConf::default().scorer(self.name()).score(self.conf()?);
        Ok(conf.places(self.places()?).order(self.order()?))
    }

    /// Predictions by it: where pages are looked for by its name.
    pub(crate) fn predict_conf(&self, lookup: Option<&str>) -> Result<PredictConf, Failure> {
        let lookup = lookup.map(str::parse::<Lookup>).transpose()?;
        let conf = PredictConf::default().scorer(self.name()).score(self.conf()?);
        Ok(conf.with(lookup, PredictConf::lookup))
    }
}

/// How a learner learns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Learning {
    pub(crate) method: Option<String>,
    rank: Option<usize>,
    ensemble: Option<usize>,
    seed: Option<u64>,
    passes: Option<usize>,
    aggressiveness: Option<f64>,
    held_out: Option<f64>,
}

impl Learning {
    /// The settings, where they are given in the place of those that there are. The method is left to the caller.
    pub(crate) fn apply(&self, conf: LearnConf) -> Result<LearnConf, Error> {
        let conf = conf
            .with(self.rank, LearnConf::rank)
            .with(self.ensemble, LearnConf::ensemble)
            .with(self.seed, LearnConf::seed)
            .with(self.passes, LearnConf::passes)
            .with(self.aggressiveness, LearnConf::aggressiveness)
            .with(self.held_out, LearnConf::held_out);
        conf.check()?;
        Ok(conf)
    }
}

/// A learner by its name; `rule` says what there is.
pub(crate) fn method(name: &str, rule: &'static str) -> Result<Method, Error> {
    name.parse().map_err(|_: Error| Error::setting("method", rule, name))
}

/// What to do with what is at the place to write to.
pub(crate) fn existing(overwrite: bool) -> Existing {
    if overwrite { Existing::Replace } else { Existing::Refuse }
}

/// Refuses a place that is taken, unless it may be overwritten.
pub(crate) fn expect_free(path: &Path, overwrite: bool) -> Result<(), Failure> {
    if !overwrite && path.exists() {
        let text = format!("{}: there is a file; pass `overwrite=True`, or choose another", path.display());
        return Err(Failure::Other(crate::errors::Kind::Exists, text, None));
    }
    Ok(())
}
