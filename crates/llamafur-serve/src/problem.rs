//! Errors as `application/problem+json` (RFC 9457), with the library's remedy as data and in words.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use llamafur::{Error, Remedy};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// What went wrong with a request.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    r#type: &'static str,
    /// The name of the status.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// What is wrong with this request.
    detail: String,
    /// What can be done about it, as data.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<Box<Remedy>>,
    /// What can be done about it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    /// Names that are similar to the one asked for, the most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("error"),
            status: status.as_u16(),
            detail: detail.into(),
            remedy: None,
            advice: None,
            similar: Vec::new(),
        }
    }

    /// Converts the library's error about a corpus; `advice` formats its remedy.
    pub(crate) fn of(error: &Error, corpus: &Path, advice: fn(&Remedy) -> String) -> Problem {
        let remedy = error.remedy();
        let similar = match error {
            Error::NotNamed { similar: names, .. }
            | Error::Ambiguous { matching: names, .. }
            | Error::UnknownScorer { there_are: names, .. } => names.clone(),
            _ => Vec::new(),
        };
        let problem = Problem::new(status(error), without_folders(&error.to_string(), corpus));
        Problem { similar, ..problem.remedied(remedy, advice) }
    }

    /// Adds a remedy, which `advice` formats.
    pub(crate) fn remedied(self, remedy: Option<Remedy>, advice: fn(&Remedy) -> String) -> Problem {
        Problem { advice: remedy.as_ref().map(advice), remedy: remedy.map(Box::new), ..self }
    }

    /// Returns the problem, the names that may be meant, and the advice.
    #[cfg(feature = "mcp")]
    pub(crate) fn parts(&self) -> (&str, &[String], Option<&str>) {
        (&self.detail, &self.similar, self.advice.as_deref())
    }

    pub(crate) fn no_corpus(name: &str, there_are: Vec<String>) -> Problem {
        let problem = Problem::new(StatusCode::NOT_FOUND, format!("no corpus “{name}” is served here"));
        Problem { similar: there_are, ..problem }
    }

    pub(crate) fn busy() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many requests are being worked on; ask again in a moment",
        )
    }

    pub(crate) fn late() -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the answer took too long; ask again later")
    }

    pub(crate) fn unready() -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no corpus can be read")
    }

    /// Returns the problem of an answer of more bytes than this.
    pub(crate) fn too_long(most: usize) -> Problem {
        let detail = format!("the answer would have more than {} MB", most >> 20);
        let advice =
            "ask for less: for fewer links with `top` or fewer `pairs`, without `snippets`, without `grid`";
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail);
        Problem { advice: Some(advice.to_owned()), ..problem }
    }

    /// Returns the problem of a request that would start work, and that another site's page could have sent through a
    /// browser.
    pub(crate) fn starts_work() -> Problem {
        let problem = Problem::new(
            StatusCode::FORBIDDEN,
            "nobody has asked for this yet, and this request cannot start the work",
        );
        Problem {
            advice: Some("send it with the header “X-Requested-With: me”; any value will do".into()),
            ..problem
        }
    }

    pub(crate) fn cross_site() -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "this request comes from a page of another site")
    }

    pub(crate) fn panicked() -> Problem {
        Problem::internal("the program failed at this request; the log says where")
    }

    pub(crate) fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }
}

/// Removes the folders of the corpus from a text, which are hidden from clients.
pub(crate) fn without_folders(text: &str, corpus: &Path) -> String {
    match corpus.parent().map(|folder| folder.display().to_string()) {
        Some(folder) if !folder.is_empty() => text.replace(&format!("{folder}/"), ""),
        _ => text.to_owned(),
    }
}

fn status(error: &Error) -> StatusCode {
    match error {
        Error::NotNamed { .. } | Error::DroppedCategory { .. } | Error::UnknownScorer { .. } => {
            StatusCode::NOT_FOUND
        }
        Error::Ambiguous { .. } => StatusCode::CONFLICT,
        // Nobody waits for the answer.
        Error::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        // It is opened again within a second.
        Error::Changed { .. } => StatusCode::SERVICE_UNAVAILABLE,
        Error::Setting { .. } | Error::Name { .. } | Error::UnusedSetting { .. } => StatusCode::BAD_REQUEST,
        // What is asked for is well said, but this corpus cannot answer it.
        error if error.is_lack() => StatusCode::UNPROCESSABLE_ENTITY,
        Error::NoCosine { .. } | Error::NoLinks => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The problems that any route may return, for the document.
pub(crate) struct Refused;

impl IntoResponses for Refused {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let content = || ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let problem = |about: &str| {
            ResponseBuilder::new()
                .description(about)
                .content("application/problem+json", content())
                .build()
                .into()
        };
        let wrong = problem("The request is wrong, or asks for what is not there");
        let busy = problem("The server is busy; the header `retry-after` says when to ask again");
        BTreeMap::from([("4XX".to_owned(), wrong), ("503".to_owned(), busy)])
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(status = self.status, detail = self.detail, "problem");
        } else if status.is_server_error() {
            tracing::error!(status = self.status, detail = self.detail, "problem");
        }
        let is_busy = status == StatusCode::SERVICE_UNAVAILABLE;
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if is_busy {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
