//! Failures of calls as data: errors of the tool, which the assistant sees and can react to.

use super::clean;
use crate::problem::{Problem, without_folders};
use llamafur::Named;
use llamafur::{Error, Remedy};
use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// The default remedy.
const OTHERWISE: &str = "call it again with other arguments";

/// Returns the answer to a message that is no JSON.
pub(super) fn no_json() -> Value {
    message(-32700, "this is no JSON")
}

/// Returns the answer to JSON that is no message of the protocol.
pub(super) fn no_message() -> Value {
    message(-32600, "this is no message of the Model Context Protocol")
}

/// Returns an error of the protocol, for a message without a known id.
fn message(code: i32, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}})
}

const FIND_CATEGORY: &str =
    "take one of `similar`, or look for the category with search_pages and `kind` `category`";

/// A failure and its remedy.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    error: String,
    /// Existing names that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Failure {
    /// Converts the library's error about a corpus. The requested and similar names are not part of its text.
    pub(super) fn of(error: &Error, corpus: &Path, advice: fn(&Remedy) -> String) -> Failure {
        let with = |error: String, similar: &[String], remedy: &str| Failure {
            error,
            similar: similar.to_vec(),
            remedy: Some(remedy.to_owned()),
        };
        match error {
            Error::NotNamed { what: what @ Named::Category, similar, .. } => {
                with(format!("no {what} has that name"), similar, FIND_CATEGORY)
            }
            Error::NotNamed { what, similar, .. } => with(
                format!("no {what} has that name"),
                similar,
                "take one of `similar`, or look for the title with search_pages",
            ),
            Error::Ambiguous { what, matching, .. } => {
                with(format!("several {what} names match"), matching, "give one of `similar` exactly")
            }
            Error::DroppedCategory { .. } => with(
                "the cleansing dropped that category".into(),
                &[],
                "ask for a wider one; look for it with search_pages and `kind` `category`",
            ),
            error => Failure {
                error: without_folders(&error.to_string(), corpus),
                similar: Vec::new(),
                remedy: Some(error.remedy().as_ref().map_or_else(|| OTHERWISE.to_owned(), advice)),
            },
        }
    }

    /// Describes arguments that do not fit the schema.
    pub(super) fn of_arguments(error: &serde_json::Error) -> Failure {
        let remedy = Some("call it again with arguments that fit its input schema".to_owned());
        Failure { error: format!("wrong arguments: {error}"), similar: Vec::new(), remedy }
    }

    /// Converts a problem of the server: it is busy, or the corpus is unknown.
    pub(super) fn of_problem(problem: &Problem) -> Failure {
        let (error, similar, advice) = problem.parts();
        let remedy = advice.or_else(|| (!similar.is_empty()).then_some("take one of `similar`"));
        Failure { error: error.to_owned(), similar: similar.to_vec(), remedy: remedy.map(str::to_owned) }
    }

    pub(super) fn result(self) -> CallToolResult {
        let mut value =
            serde_json::to_value(self).unwrap_or_else(|error| json!({"error": error.to_string()}));
        clean::value(&mut value);
        CallToolResult::structured_error(value)
    }
}

/// Converts an answer to the result of a call.
pub(super) fn answered(mut value: Value) -> CallToolResult {
    clean::value(&mut value);
    CallToolResult::structured(value)
}
