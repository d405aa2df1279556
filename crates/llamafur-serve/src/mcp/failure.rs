//! What went wrong with a call, as data: an error of the tool, which the assistant sees and can do something about.

use super::clean;
use crate::problem::{Problem, without_folders};
use llamafur::Named;
use llamafur::{Error, Remedy};
use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// What can be done about an error that says all by itself.
const OTHERWISE: &str = "call it again with other arguments";

/// What a message is answered with that is no JSON.
pub(super) fn no_json() -> Value {
    message(-32700, "this is no JSON")
}

/// What JSON is answered with that is no message of the protocol.
pub(super) fn no_message() -> Value {
    message(-32600, "this is no message of the Model Context Protocol")
}

/// An error of the protocol, to a message that cannot be named.
fn message(code: i32, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": text}})
}

const FIND_CATEGORY: &str =
    "take one of `similar`, or look for the category with search_pages and `kind` `category`";

/// What went wrong, and what can be done about it.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    error: String,
    /// Names that there are and that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Failure {
    /// The library's error about a corpus. What was asked for and similar names are not written into its text.
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

    /// Arguments that do not fit the schema.
    pub(super) fn of_arguments(error: &serde_json::Error) -> Failure {
        let remedy = Some("call it again with arguments that fit its input schema".to_owned());
        Failure { error: format!("wrong arguments: {error}"), similar: Vec::new(), remedy }
    }

    /// What the server says of itself: it is busy, or there is no such corpus.
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

/// An answer as the result of a call.
pub(super) fn answered(mut value: Value) -> CallToolResult {
    clean::value(&mut value);
    CallToolResult::structured(value)
}
