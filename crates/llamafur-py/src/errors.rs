//! Errors of the libraries as Python's own exceptions, and remedies as calls and arguments.

use llamafur::{Error, Remedy, Step};
use llamafur_eval::judgments::JudgmentError;
use llamafur_import::input::InputError;
use llamafur_import::table::ImportError;
use llamafur_import::wiki::WikiError;
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyMemoryError, PyOSError, PyPermissionError, PyValueError,
};
use pyo3::prelude::*;
use std::io;

/// What went wrong in the libraries, or an exception of the caller's own.
pub(crate) enum Failure {
    /// Of the core.
    Core(Error),
    /// Of an import, judgments and the like: what Python raises, the text, and what to do.
    Other(Kind, String, Option<Remedy>),
    /// An argument, in the words of the binding.
    Argument(String),
    /// An exception that Python raised.
    Python(PyErr),
}

/// Which exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Value,
    NoFile,
    Exists,
    Permission,
    System,
    Memory,
}

impl Kind {
    fn of_io(error: &io::Error) -> Kind {
        match error.kind() {
            io::ErrorKind::NotFound => Kind::NoFile,
            io::ErrorKind::AlreadyExists => Kind::Exists,
            io::ErrorKind::PermissionDenied => Kind::Permission,
            _ => Kind::System,
        }
    }

    fn raise(self, text: String) -> PyErr {
        match self {
            Kind::Value => PyValueError::new_err(text),
            Kind::NoFile => PyFileNotFoundError::new_err(text),
            Kind::Exists => PyFileExistsError::new_err(text),
            Kind::Permission => PyPermissionError::new_err(text),
            Kind::System => PyOSError::new_err(text),
            Kind::Memory => PyMemoryError::new_err(text),
        }
    }
}

impl Failure {
    /// A problem with an argument.
    pub(crate) fn argument(text: impl Into<String>) -> Failure {
        Failure::Argument(text.into())
    }

    /// The exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Core(error) => raise(py, &error),
            Failure::Other(kind, text, remedy) => kind.raise(with_remedy(text, remedy.as_ref())),
            Failure::Argument(text) => PyValueError::new_err(text),
            Failure::Python(error) => error,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

fn kind_of_input(error: &InputError) -> Kind {
    match error {
        InputError::NotFound { .. } => Kind::NoFile,
        InputError::Unreadable { cause, .. } => Kind::of_io(cause),
        _ => Kind::Value,
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        Failure::Other(kind_of_input(&error), error.to_string(), error.remedy())
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Failure {
        match error {
            ImportError::Corpus(error) => Failure::Core(error),
            ImportError::Input(error) => error.into(),
            other => Failure::Other(Kind::Value, other.to_string(), other.remedy()),
        }
    }
}

impl From<WikiError> for Failure {
    fn from(error: WikiError) -> Failure {
        match error {
            WikiError::Corpus(error) => Failure::Core(error),
            WikiError::Input(error) => error.into(),
            other => Failure::Other(Kind::Value, other.to_string(), other.remedy()),
        }
    }
}

impl From<JudgmentError> for Failure {
    fn from(error: JudgmentError) -> Failure {
        let kind = match &error {
            JudgmentError::Io { cause, .. } => Kind::of_io(cause),
            _ => Kind::Value,
        };
        Failure::Other(kind, error.to_string(), error.remedy())
    }
}

/// An error of the core as an exception.
fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let remedy = error.remedy();
    let kind = match error {
        Error::NotNamed { similar, .. } | Error::Ambiguous { matching: similar, .. } => {
            return not_found(py, with_remedy(error.to_string(), remedy.as_ref()), similar);
        }
        Error::NotFound { there_are, .. } => {
            return not_found(py, with_remedy(error.to_string(), remedy.as_ref()), there_are);
        }
        Error::DroppedCategory { .. } => {
            return not_found(py, with_remedy(error.to_string(), remedy.as_ref()), &[]);
        }
        Error::Setting { setting, rule, got } => {
            // The text of the library has the words of a name with hyphens between them.
            return PyValueError::new_err(format!("{setting} must be {rule}, got {got}"));
        }
        Error::NotACorpus { path, .. } if !path.exists() => Kind::NoFile,
        Error::Place { path, .. } if path.exists() => Kind::Exists,
        Error::NotOurs { .. } => Kind::Exists,
        Error::Io { cause, .. } => Kind::of_io(cause),
        Error::Memory { .. } => Kind::Memory,
        _ => Kind::Value,
    };
    kind.raise(with_remedy(error.to_string(), remedy.as_ref()))
}

/// A `KeyError` whose text reads as it is written, with the names that may have been meant.
fn not_found(py: Python<'_>, text: String, similar: &[String]) -> PyErr {
    let made = py
        .import("llamafur._errors")
        .and_then(|module| module.getattr("NotFoundError"))
        .and_then(|class| class.call1((text, similar)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A text and what to do, in one line.
pub(crate) fn with_remedy(text: String, remedy: Option<&Remedy>) -> String {
    match remedy {
        Some(remedy) => format!("{text}; {}", words(remedy)),
        None => text,
    }
}

/// A remedy as a clause in the imperative.
fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Run { step, settings } => {
            // A value that only the user knows, a file, is not made up: the argument is named beside the call.
            let (unknown, known): (Vec<_>, Vec<_>) = settings.iter().partition(|(_, value)| value.is_empty());
            let known: Vec<String> = known.iter().map(|(setting, value)| argument(setting, value)).collect();
            let call = format!("`{}({})`", call(*step), known.join(", "));
            let unknown: Vec<String> = unknown.iter().map(|(setting, _)| format!("`{setting}`")).collect();
            match unknown.is_empty() {
                true => format!("call {call}"),
                false => format!("call {call} with the argument {}", unknown.join(" and ")),
            }
        }
        Remedy::Set { setting, to } => match &to[..] {
            [] => format!("choose another `{setting}`"),
            [one] => format!("pass `{}`", argument(setting, one)),
            several => format!("pass `{setting}` with one of: {}", several.join(", ")),
        },
        Remedy::Lower { setting } => format!("lower `{setting}`"),
        Remedy::Omit { setting } => format!("leave out `{setting}`"),
        Remedy::Advice { words } => words.to_string(),
        Remedy::Either { remedies } => remedies.iter().map(words).collect::<Vec<_>>().join(", or "),
        other => format!("{other:?}"),
    }
}

/// An argument as it is written in a call.
fn argument(setting: &str, value: &str) -> String {
    if value.is_empty() {
        return format!("{setting}=True");
    }
    if let (true, Some((table, columns))) = (setting == "columns", value.split_once('=')) {
        // Numbers of columns are counted from 1.
        let column = |name: &str| if name.parse::<u32>().is_ok() { name.to_owned() } else { quoted(name) };
        let columns: Vec<String> = columns.split(',').map(column).collect();
        return format!("columns={{{}: [{}]}}", quoted(table), columns.join(", "));
    }
    match value.parse::<f64>() {
        Ok(_) => format!("{setting}={value}"),
        Err(_) => format!("{setting}={}", quoted(value)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"))
}

fn call(step: Step) -> &'static str {
    match step {
        Step::ImportWiki => "llamafur.import_wiki",
        Step::ImportTable | Step::Import => "llamafur.import_table",
        Step::Cleanse => "corpus.cleanse",
        Step::Train => "corpus.train",
        Step::Words => "corpus.count_words",
        Step::AddVectors => "corpus.add_vectors",
        _ => "llamafur.import_table",
    }
}
