//! Weights of a blend, learnt from judgments, as a small JSON file.

use super::super::check_name;
use crate::Error;
use crate::storage::{AtomicFile, BLOCK};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

const FORMAT: &str = "llamafur blend";
const VERSION: u32 = 1;

/// What each signal counts in predictions: fitted by the program `predictions` of the benchmarks to links held out of pages of
/// Wikispeedia, enwiki-computing and Debian, and measured on other pages. The matrices themselves count nothing beside `peers` and
/// `company`, which use their vectors.
const OF_PREDICTIONS: [(&str, f64); 6] = [
    ("ra", 0.44),
    ("company", 0.28),
    ("peers", 0.47),
    ("cosine", 0.32),
    ("reciprocity", 0.05),
    ("in-degree", 0.46),
];

/// A signal and what it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightedSignal {
    /// The scorer.
    pub name: String,
    /// Its weight, of scores in standard deviations.
    pub weight: f64,
}

/// The weights of a blend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    format: String,
    version: u32,
    /// What is summed up.
    pub signals: Vec<WeightedSignal>,
}

impl Weights {
    /// These weights.
    pub fn new(signals: impl IntoIterator<Item = (String, f64)>) -> Weights {
        let signal = |(name, weight)| WeightedSignal { name, weight };
        Weights {
            format: FORMAT.into(),
            version: VERSION,
            signals: signals.into_iter().map(signal).collect(),
        }
    }

    /// The weights by which links that are not there are predicted.
    pub fn of_predictions() -> Weights {
        Weights::new(OF_PREDICTIONS.map(|(name, weight)| (name.to_owned(), weight)))
    }

    /// Reads weights.
    ///
    /// # Errors
    /// If the file cannot be read, is no file of weights, or names a scorer that there is not.
    pub fn open(path: &Path) -> Result<Weights, Error> {
        let text = std::fs::read_to_string(path).map_err(|cause| Error::Io { path: path.into(), cause })?;
        let refused = |what: String| Error::NotWeights { path: path.into(), found: what };
        let weights: Weights = serde_json::from_str(&text).map_err(|e| refused(e.to_string()))?;
        if (&weights.format[..], weights.version) != (FORMAT, VERSION) {
            let Weights { format, version, .. } = &weights;
            return Err(refused(format!("“{format}” {version}, expected “{FORMAT}” {VERSION}")));
        }
        for signal in &weights.signals {
            let known = if signal.name.contains(['+']) || signal.name == "blend" {
                Err(Error::UnknownScorer { name: signal.name.clone(), there_are: Vec::new() })
            } else {
                check_name(&signal.name)
            };
            known.map_err(|e| refused(e.to_string()))?;
            if !signal.weight.is_finite() {
                return Err(refused(format!("the weight of {} is no number", signal.name)));
            }
        }
        Ok(weights)
    }

    /// Writes weights, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).expect("strings and numbers can always be written");
        let mut file = AtomicFile::create(path, BLOCK)?;
        writeln!(file, "{text}").map_err(|cause| Error::Io { path: path.into(), cause })?;
        file.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_they_were_written_and_others_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("weights.json");
        let weights = Weights::new([("ra".to_owned(), 0.1 + 0.2), ("m4".to_owned(), -1.5)]);
        weights.save(&path).unwrap();
        assert_eq!(Weights::open(&path).unwrap(), weights);
        for (text, part) in [
            ("{}", "missing field"),
            (r#"{"format":"x","version":1,"signals":[]}"#, "“x” 1, expected “llamafur blend” 1"),
            (
                r#"{"format":"llamafur blend","version":1,"signals":[{"name":"lama","weight":1}]}"#,
                "no scorer “lama”",
            ),
            (
                r#"{"format":"llamafur blend","version":1,"signals":[{"name":"blend","weight":1}]}"#,
                "no scorer “blend”",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Weights::open(&path).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("weights of a blend"), "{error}");
        }
        assert!(matches!(Weights::open(&dir.path().join("none")), Err(Error::Io { .. })));
    }
}
