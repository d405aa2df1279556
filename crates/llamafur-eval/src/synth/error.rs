//! Errors of synthetic corpora.

use llamafur::Error;

use llamafur::{Remedy, Step};
use std::path::PathBuf;

/// The reason why a corpus was not made, or its truth not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// A setting is out of range.
    #[error("{setting} must be {rule}, got {got}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// The allowed values.
        rule: String,
        /// The value.
        got: String,
    },
    /// The corpus was not made by `synth`.
    #[error("{}: made by “{command}”, so its true matrix is not known", path.display())]
    NotSynthetic {
        /// The corpus.
        path: PathBuf,
        /// The command that made it.
        command: String,
    },
    /// The corpus was made from another model, or its settings cannot be read.
    #[error("{}: made by {program} with {option} “{got}”, which this program does not know", path.display())]
    OtherModel {
        /// The corpus.
        path: PathBuf,
        /// The setting.
        option: &'static str,
        /// The setting's value, empty if missing.
        got: String,
        /// The program that made the corpus.
        program: String,
    },
    /// The disk is full or missing, or a file is damaged.
    #[error(transparent)]
    Corpus(#[from] Error),
}

impl SynthError {
    /// Returns the user's options to fix the problem.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            SynthError::NotSynthetic { .. } => Some(Remedy::run(Step::Synth)),
            SynthError::OtherModel { .. } => {
                let program = Remedy::advice("use the program that made the corpus");
                Some(Remedy::either([Remedy::run(Step::Synth), program]))
            }
            SynthError::Corpus(error) => error.remedy(),
            SynthError::Setting { .. } => None,
        }
    }
}
