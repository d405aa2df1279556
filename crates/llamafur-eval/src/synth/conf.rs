//! Settings of a synthetic corpus: its size, its truth and its seed.

use super::error::SynthError;
use llamafur::corpus::Provenance;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The command that a synthetic corpus's manifest names.
pub(super) const COMMAND: &str = "synth";

/// Version of the model, changed whenever the same settings would give another corpus.
pub(super) const MODEL: &str = "1";

/// Largest number of categories of a page.
pub(super) const MOST_CATEGORIES: usize = 12;

/// The form of the true matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruthKind {
    /// w*(c, c') = ⟨u_c, v_c'⟩ with Gaussian vectors of this many numbers, 1 to 256.
    LowRank {
        /// Numbers in a vector.
        rank: usize,
    },
    /// Every w*(c, c') is drawn on its own.
    FullRank,
}

impl Default for TruthKind {
    /// Returns low rank, of rank 8.
    fn default() -> Self {
        TruthKind::LowRank { rank: 8 }
    }
}

impl fmt::Display for TruthKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TruthKind::LowRank { rank } => write!(f, "rank {rank}"),
            TruthKind::FullRank => write!(f, "full rank"),
        }
    }
}

impl FromStr for TruthKind {
    type Err = ();

    fn from_str(text: &str) -> Result<TruthKind, ()> {
        match text.strip_prefix("rank ") {
            Some(rank) => rank.parse().map(|rank| TruthKind::LowRank { rank }).map_err(|_| ()),
            None if text == "full rank" => Ok(TruthKind::FullRank),
            None => Err(()),
        }
    }
}

/// The settings of a synthetic corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct SynthConf {
    pub(super) pages: usize,
    pub(super) links: usize,
    pub(super) categories: usize,
    pub(super) categories_per_page: Option<f64>,
    pub(super) kind: TruthKind,
    pub(super) planted: Option<usize>,
    pub(super) seed: u64,
}

impl Default for SynthConf {
    fn default() -> Self {
        SynthConf {
            pages: 10_000,
            links: 240_000,
            categories: 500,
            categories_per_page: None,
            kind: TruthKind::default(),
            planted: None,
            seed: 1,
        }
    }
}

impl SynthConf {
    /// Sets the number of pages. Default: 10,000. From 2 to 2³² − 1.
    pub fn pages(mut self, pages: usize) -> Self {
        self.pages = pages;
        self
    }

    /// Sets the exact number of links. Default: 240,000. From 1 to a quarter of the pairs of pages: beyond that links
    /// would hardly depend on the truth.
    pub fn links(mut self, links: usize) -> Self {
        self.links = links;
        self
    }

    /// Sets the number of categories. Default: 500. From 2 to 2³² − 1.
    pub fn categories(mut self, categories: usize) -> Self {
        self.categories = categories;
        self
    }

    /// Sets the mean number of categories of a page. Default: 4, or half of the categories if that is less. From 1 to
    /// 12, or to the number of categories.
    pub fn categories_per_page(mut self, mean: f64) -> Self {
        self.categories_per_page = Some(mean);
        self
    }

    /// Sets the form of the true matrix. Default: low rank, of rank 8.
    pub fn kind(mut self, kind: TruthKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the number of links that are planted against the truth, at most one a page. Default: a thousandth of the
    /// links, or one a page if that is less. From 0 to the number of pages or of links.
    pub fn planted(mut self, planted: usize) -> Self {
        self.planted = Some(planted);
        self
    }

    /// Sets the seed of all random choices. Default: 1. Any number.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Returns the number of links to plant: the one set, or the default.
    pub fn num_planted(&self) -> usize {
        self.planted.unwrap_or((self.links / 1000).min(self.pages))
    }

    /// Returns the mean number of categories of a page: the one set, or the default.
    pub fn mean_categories(&self) -> f64 {
        self.categories_per_page.unwrap_or((self.categories as f64 / 2.0).min(4.0))
    }

    /// Returns the largest number of categories of a page.
    pub(super) fn most_categories(&self) -> usize {
        self.categories.min(MOST_CATEGORIES)
    }

    /// Returns the largest number of links of a page: half of the other pages, so that another target is always left.
    pub(super) fn most_links(&self) -> usize {
        (self.pages - 1).div_ceil(2)
    }

    pub(super) fn check(&self) -> Result<(), SynthError> {
        let wrong = |setting, rule, got| Err(SynthError::Setting { setting, rule, got });
        for (setting, number) in [("pages", self.pages), ("categories", self.categories)] {
            if number < 2 {
                return wrong(setting, "2 or more".into(), number.to_string());
            }
            if u32::try_from(number).is_err() {
                return wrong(setting, "below 2³²".into(), number.to_string());
            }
        }
        let most = (self.pages as u64 * (self.pages as u64 - 1) / 4).max(1);
        if self.links == 0 || self.links as u64 > most {
            let rule = format!("between 1 and {most} (a quarter of the pairs of {} pages)", self.pages);
            return wrong("links", rule, self.links.to_string());
        }
        let (mean, most) = (self.mean_categories(), self.most_categories());
        if !(1.0..=most as f64).contains(&mean) {
            return wrong("categories per page", format!("between 1 and {most}"), mean.to_string());
        }
        if let TruthKind::LowRank { rank } = self.kind
            && !(1..=256).contains(&rank)
        {
            return wrong("true rank", "between 1 and 256".into(), rank.to_string());
        }
        let most = self.pages.min(self.links);
        if self.num_planted() > most {
            let rule = format!("at most {most} (one a page, and no more than there are links)");
            return wrong("planted", rule, self.num_planted().to_string());
        }
        Ok(())
    }

    /// Returns the settings for the manifest, which [`SynthConf::read`] parses.
    pub(super) fn write(&self) -> BTreeMap<String, String> {
        let settings = [
            ("model", MODEL.to_owned()),
            ("pages", self.pages.to_string()),
            ("links", self.links.to_string()),
            ("categories", self.categories.to_string()),
            ("categories_per_page", self.mean_categories().to_string()),
            ("truth", self.kind.to_string()),
            ("planted", self.num_planted().to_string()),
            ("seed", self.seed.to_string()),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Reads the settings in a manifest; the error names the first invalid one, with its value.
    pub(super) fn read(provenance: &Provenance) -> Result<SynthConf, (&'static str, String)> {
        fn value<T: FromStr>(
            provenance: &Provenance,
            name: &'static str,
        ) -> Result<T, (&'static str, String)> {
            let text = provenance.options.get(name).map_or("", String::as_str);
            text.parse().map_err(|_| (name, text.to_owned()))
        }
        let model: String = value(provenance, "model")?;
        if model != MODEL {
            return Err(("model", model));
        }
        let conf = SynthConf {
            pages: value(provenance, "pages")?,
            links: value(provenance, "links")?,
            categories: value(provenance, "categories")?,
            categories_per_page: Some(value(provenance, "categories_per_page")?),
            kind: value(provenance, "truth")?,
            planted: Some(value(provenance, "planted")?),
            seed: value(provenance, "seed")?,
        };
        match conf.check() {
            Err(SynthError::Setting { setting, got, .. }) => Err((setting, got)),
            _ => Ok(conf),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(conf: SynthConf) -> String {
        conf.check().unwrap_err().to_string()
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let conf = SynthConf::default;
        conf().check().unwrap();
        assert_eq!(refusal(conf().pages(1)), "pages must be 2 or more, got 1");
        assert_eq!(refusal(conf().categories(0)), "categories must be 2 or more, got 0");
        assert!(refusal(conf().pages(1 << 32)).starts_with("pages must be below 2³²"));
        let most = "links must be between 1 and 25043 (a quarter of the pairs of 317 pages), got ";
        assert_eq!(refusal(conf().pages(317).links(0)), format!("{most}0"));
        assert_eq!(refusal(conf().pages(317).links(25_044)), format!("{most}25044"));
        for mean in [0.5, 12.5, f64::NAN, f64::INFINITY, -1.0] {
            let expected = format!("categories per page must be between 1 and 12, got {mean}");
            assert_eq!(refusal(conf().categories_per_page(mean)), expected);
        }
        assert_eq!(
            refusal(conf().categories(3).categories_per_page(4.0)),
            "categories per page must be between 1 and 3, got 4"
        );
        for rank in [0, 257] {
            let expected = format!("true rank must be between 1 and 256, got {rank}");
            assert_eq!(refusal(conf().kind(TruthKind::LowRank { rank })), expected);
        }
        assert!(refusal(conf().planted(10_001)).starts_with("planted must be at most 10000 "));
        assert!(refusal(conf().links(5).planted(6)).starts_with("planted must be at most 5 "));
    }

    #[test]
    fn the_smallest_graphs_are_allowed() {
        let conf = SynthConf::default().pages(2).links(1).categories(2);
        conf.check().unwrap();
        assert_eq!((conf.mean_categories(), conf.num_planted(), conf.most_links()), (1.0, 0, 1));
        conf.planted(1).check().unwrap();
    }

    #[test]
    fn settings_come_back_from_a_manifest() {
        for conf in [
            SynthConf::default().categories_per_page(2.7).planted(3).seed(u64::MAX),
            SynthConf::default().kind(TruthKind::FullRank).planted(0).categories_per_page(1.0),
        ] {
            let mut provenance = Provenance { options: conf.write(), ..Provenance::default() };
            assert_eq!(SynthConf::read(&provenance), Ok(conf));
            provenance.options.insert("truth".into(), "rank many".into());
            assert_eq!(SynthConf::read(&provenance), Err(("truth", "rank many".into())));
            provenance.options.insert("truth".into(), "rank 0".into());
            assert_eq!(SynthConf::read(&provenance), Err(("true rank", "0".into())));
            provenance.options.remove("model");
            assert_eq!(SynthConf::read(&provenance), Err(("model", String::new())));
        }
    }
}
