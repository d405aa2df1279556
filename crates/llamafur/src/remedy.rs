//! Remedies for errors, as data.
//!
//! A library does not know how it is used, so it does not name flags or commands. The command line words a
//! [`Remedy`] as a command, Python as a call, HTTP as a field of its answer.

use serde::Serialize;
use std::borrow::Cow;

/// What a user can do about an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Run a step of the pipeline, with these settings.
    Run {
        /// The step.
        step: Step,
        /// Names and values of settings; a value may be empty where only the caller knows it (a file).
        settings: Vec<(&'static str, String)>,
    },
    /// Give a setting of this call a value, or one of several. Without values: choose another one.
    Set {
        /// The setting, in snake case.
        setting: &'static str,
        /// What it may be.
        to: Vec<String>,
    },
    /// Make a setting of this call smaller.
    Lower {
        /// The setting, in snake case.
        setting: &'static str,
    },
    /// Leave a setting of this call out.
    Omit {
        /// The setting, in snake case.
        setting: &'static str,
    },
    /// Words that are the same everywhere: `restore the file from a copy`.
    Advice {
        /// The words: a clause in the imperative, lower case, without a full stop.
        words: Cow<'static, str>,
    },
    /// One of several.
    Either {
        /// The best first.
        #[cfg_attr(feature = "openapi", schema(no_recursion))]
        remedies: Vec<Remedy>,
    },
}

/// A step of the pipeline. The command line has a command of each name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// Make a corpus, of whatever.
    Import,
    /// Make a corpus of a dump.
    ImportWiki,
    /// Make a corpus of tables.
    ImportTable,
    /// Cleanse the categories.
    Cleanse,
    /// Learn a model.
    Train,
    /// Count words.
    Words,
    /// Bring vectors of the pages.
    AddVectors,
    /// Make a corpus from a known matrix.
    Synth,
}

impl Remedy {
    /// Creates [`Remedy::Run`] without settings.
    pub fn run(step: Step) -> Remedy {
        Remedy::Run { step, settings: Vec::new() }
    }

    /// Creates [`Remedy::Run`] with one setting.
    pub fn run_with(step: Step, setting: &'static str, value: impl Into<String>) -> Remedy {
        Remedy::Run { step, settings: vec![(setting, value.into())] }
    }

    /// Creates [`Remedy::Set`] to one value.
    pub fn set(setting: &'static str, to: impl Into<String>) -> Remedy {
        Remedy::Set { setting, to: vec![to.into()] }
    }

    /// Creates [`Remedy::Set`] to any other value.
    pub fn another(setting: &'static str) -> Remedy {
        Remedy::Set { setting, to: Vec::new() }
    }

    /// Creates [`Remedy::Advice`].
    pub fn advice(words: impl Into<Cow<'static, str>>) -> Remedy {
        Remedy::Advice { words: words.into() }
    }

    /// Creates [`Remedy::Either`].
    pub fn either(remedies: impl IntoIterator<Item = Remedy>) -> Remedy {
        Remedy::Either { remedies: remedies.into_iter().collect() }
    }
}
