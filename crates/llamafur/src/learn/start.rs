//! Continues from a model: makes further passes over the same graph, or over a newer one of the same kind.
//!
//! Categories are matched by name. One that the model does not know begins as it would without a model. What is
//! carried over:
//!
//! - `factored`, of one matrix: the rows of both tables and AdaGrad's sums of squares, so that steps stay as short as
//!   they had become. On the same graph with the same seed, *a* passes and then *b* more give the tables of *a* + *b*
//!   passes, to the last bit;
//! - `paper`, `original`: the weights, rounded as models have them;
//! - `averaged`: the weights, which were an average, as the first iterate; the new average is that of the new
//!   iterates.
//!
//! Passes are numbered on, so that the order of the pages and the non-links are new ones.

use super::{LearnConf, Method, Model};
use crate::categories::Categories;
use crate::error::Error;
use crate::graph::MilestoneId;
use crate::matrix::{FactoredMatrix, Matrix};
use crate::remedy::{Remedy, Step};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The model from which another one continued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The name of the model.
    pub model: String,
    /// The checksum of the graph that it was trained on.
    pub graph: String,
    /// The passes that it had made, with those of the models before it.
    pub passes: usize,
    /// The number of categories known from it.
    pub categories: usize,
}

/// A model from which training continues.
pub struct Start<'a> {
    model: &'a Model,
    pub(super) carried: Carried<'a>,
}

/// A matrix from which training continues.
pub(super) struct Carried<'a> {
    matrix: &'a Matrix,
    /// The number in the matrix of each category to be learnt.
    before: Vec<Option<MilestoneId>>,
    /// The number among those to be learnt of each category of the matrix.
    now: Vec<Option<MilestoneId>>,
}

impl<'a> Start<'a> {
    /// Matches the categories of a model with those to be learnt.
    ///
    /// # Errors
    /// If training cannot continue from the model, none of its categories is among those to be learnt, or a
    /// file is damaged.
    pub fn new(model: &'a Model, to_learn: &Categories) -> Result<Start<'a>, Error> {
        let refuse =
            |why: &str, remedy| Err(Error::Start { model: model.name().into(), why: why.into(), remedy });
        if model.settings().method == Method::Naive {
            return refuse("its matrix is counted, not learnt", None);
        }
        if model.settings().members() > 1 {
            return refuse(
                "it is the mean of an ensemble, which does not record how short the steps of its members had become",
                Some(Remedy::run_with(Step::Train, "ensemble", "1")),
            );
        }
        if model.matrices().count() > 1 || model.settings().feature != to_learn.feature() {
            let why = "it was learnt over other features than are to be learnt";
            return refuse(why, Some(Remedy::run_with(Step::Train, "features", to_learn.feature().name())));
        }
        // Whole, since all of it will be read.
        let matrix = model.whole()?;
        if matches!(matrix, Matrix::Factored(matrix) if matrix.squares().is_none()) {
            return refuse(
                "its file does not record how short its steps had become",
                Some(Remedy::run(Step::Train)),
            );
        }
        let known = model.categories();
        let mut numbers = HashMap::with_capacity(known.num());
        for category in (0..known.num() as u32).map(MilestoneId) {
            numbers.insert(known.name(category)?, category);
        }
        let mut now = vec![None; known.num()];
        let mut before = Vec::with_capacity(to_learn.num());
        for category in (0..to_learn.num() as u32).map(MilestoneId) {
            let number = numbers.get(to_learn.name(category)?).copied();
            if let Some(number) = number {
                now[number.index()] = Some(category);
            }
            before.push(number);
        }
        if before.iter().all(Option::is_none) {
            return refuse("none of its categories is among those to be learnt", None);
        }
        Ok(Start { model, carried: Carried { matrix, before, now } })
    }

    /// Returns the model and what is carried over from it.
    pub fn origin(&self) -> Origin {
        let settings = self.model.settings();
        Origin {
            model: self.model.name().into(),
            graph: settings.graph.clone(),
            passes: settings.passes + settings.origin.as_ref().map_or(0, |origin| origin.passes),
            categories: self.carried.before.iter().flatten().count(),
        }
    }

    /// Returns the origin, if training with these settings can continue from it.
    pub(super) fn expect(&self, conf: &LearnConf) -> Result<Origin, Error> {
        let settings = self.model.settings();
        let refuse = |why: String, remedy| Err(Error::Start { model: self.model.name().into(), why, remedy });
        if conf.method != settings.method {
            let remedy = Remedy::set("method", settings.method.name());
            return refuse(
                format!("it was learnt by {}, not by {}", settings.method, conf.method),
                Some(remedy),
            );
        }
        if conf.method == Method::Factored && conf.ensemble.is_some_and(|members| members > 1) {
            let remedy = Remedy::Omit { setting: "ensemble" };
            return refuse("the members of an ensemble always start from nothing".into(), Some(remedy));
        }
        if conf.method == Method::Factored && conf.rank != settings.rank {
            let remedy = Remedy::set("rank", settings.rank.to_string());
            return refuse(format!("its rank is {}, not {}", settings.rank, conf.rank), Some(remedy));
        }
        Ok(self.origin())
    }
}

impl<'a> Carried<'a> {
    /// Carries over a matrix of the same categories.
    pub(super) fn of(matrix: &'a Matrix) -> Carried<'a> {
        let same: Vec<_> =
            (0..matrix.matrix().num_categories() as u32).map(|c| Some(MilestoneId(c))).collect();
        Carried { matrix, before: same.clone(), now: same }
    }

    /// Returns the two tables of a factored model.
    pub(super) fn factored(&self) -> Option<&'a FactoredMatrix> {
        match self.matrix {
            Matrix::Factored(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Returns the number that a category has in the model.
    pub(super) fn before(&self, category: MilestoneId) -> Option<MilestoneId> {
        self.before[category.index()]
    }

    /// Returns the weights of a row of a dense model that are not zero.
    pub(super) fn row(&self, source: MilestoneId) -> impl Iterator<Item = (MilestoneId, f32)> + '_ {
        let cells = self.before(source).into_iter().flat_map(|source| self.matrix.cells_of_row(source));
        cells.filter_map(|(target, weight)| Some((self.now[target.index()]?, weight)))
    }
}
