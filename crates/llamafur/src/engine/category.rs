//! A category's closest neighbours in the matrix, with the links behind them.

use super::Engine;
use crate::Error;
use crate::categories::Feature;
use crate::explain::{LinksBetween, neighbourhood};
use crate::learn::features::no_matrix_over;
use crate::learn::{Method, Model};
use crate::progress::Silent;
use serde::{Deserialize, Serialize};

/// Settings of a category's neighbourhood.
#[derive(Debug, Clone)]
pub struct CategoryConf {
    model: Option<String>,
    neighbours: usize,
    min_weight: f64,
    min_links: u64,
}

impl Default for CategoryConf {
    fn default() -> CategoryConf {
        CategoryConf { model: None, neighbours: 18, min_weight: 1.0, min_links: 1 }
    }
}

impl CategoryConf {
    setters! {
        /// The model. Default: the one that is trained where none is named.
        model: impl Into<String> => Some(model.into()),
        /// Largest number of neighbours to return. Default: 18.
        neighbours: usize,
        /// The weight that an arc must exceed. Default: 1.
        min_weight: f64,
        /// Smallest number of links between the category and a neighbour, in both directions together. Default: 1.
        min_links: u64,
    }
}

/// A category and its closest neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CategoryNeighbourhood {
    /// The category; of a cleansed one the milestone that it became.
    pub category: String,
    /// The bound that arcs exceed.
    pub min_weight: f64,
    /// w(c, c): how much the category's pages link to one another.
    pub with_itself: f64,
    /// The neighbours, the closest first.
    pub neighbours: Vec<CategoryNeighbour>,
    /// The arcs among all of them, the heaviest first.
    pub arcs: Vec<CategoryArc>,
}

/// A neighbour of a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CategoryNeighbour {
    /// Its name.
    pub category: String,
    /// The weight of links from the category asked for to this one.
    pub to: f64,
    /// The weight of links from this one to the category asked for.
    pub from: f64,
    /// How many links lead from the category asked for to this one.
    pub links_to: u64,
    /// How many links lead from this one to the category asked for.
    pub links_from: u64,
}

/// An arc between two categories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CategoryArc {
    /// The category of the pages that link.
    pub source: String,
    /// The category of the pages that they link to.
    pub target: String,
    /// w(source, target).
    pub weight: f64,
}

impl Engine {
    /// Returns whether [`Engine::category`] need not make anything first; also true where there is no such model.
    pub fn is_category_ready(&self, conf: &CategoryConf) -> bool {
        let model = conf.model.as_deref().unwrap_or(Model::default_name(Method::default()));
        self.inputs().model(model).map_or(true, |model| self.has_category_pages(&model))
    }

    /// Returns the closest neighbours of a category.
    ///
    /// # Errors
    /// If there is no such category or model, or the model has no matrix over categories.
    pub fn category(&self, name: &str, conf: &CategoryConf) -> Result<CategoryNeighbourhood, Error> {
        self.whole(|| self.category_unwatched(name, conf))
    }

    fn category_unwatched(&self, name: &str, conf: &CategoryConf) -> Result<CategoryNeighbourhood, Error> {
        let model = conf.model.as_deref().unwrap_or(Model::default_name(Method::default()));
        let model = self.inputs().model(model)?;
        let categories = model.categories();
        if categories.feature() != Feature::Categories {
            return Err(no_matrix_over(self.corpus(), Feature::Categories));
        }
        let category = self.category_of(categories, name)?;
        let (matrix, index) = (model.matrix()?, self.category_pages(&model, &mut Silent)?);
        let neighbours = self.inputs().neighbours(&mut Silent)?;
        let links = LinksBetween::new(categories, &index, &neighbours, category)?;
        let mut counts = Vec::new();
        let found = neighbourhood(matrix, category, conf.neighbours, conf.min_weight, |other| {
            let with = links.with(other)?;
            let is_neighbour = with.to + with.from >= conf.min_links;
            if is_neighbour {
                counts.push(with);
            }
            Ok(is_neighbour)
        })?;
        let name = |category| Ok::<_, Error>(categories.name(category)?.to_owned());
        let neighbours = found.categories[1..].iter().zip(counts).map(|(&other, links)| {
            Ok(CategoryNeighbour {
                category: name(other)?,
                to: matrix.weight(category, other),
                from: matrix.weight(other, category),
                links_to: links.to,
                links_from: links.from,
            })
        });
        let arcs = found.arcs.iter().map(|arc| {
            Ok(CategoryArc { source: name(arc.source)?, target: name(arc.target)?, weight: arc.weight })
        });
        Ok(CategoryNeighbourhood {
            category: name(category)?,
            min_weight: conf.min_weight,
            with_itself: matrix.weight(category, category),
            neighbours: neighbours.collect::<Result<_, Error>>()?,
            arcs: arcs.collect::<Result<_, Error>>()?,
        })
    }
}
