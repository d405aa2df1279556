//! The page: the files built by Vite, embedded in the program.

use crate::api::{Caller, weak_etag};
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The files of the page: name and content, ordered by name.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

fn file(name: &str) -> Option<&'static [u8]> {
    FILES.binary_search_by_key(&name, |(name, _)| name).ok().map(|at| FILES[at].1)
}

/// Answers requests without a route: returns a file of the page, or the page itself, which shows the view of the
/// address.
pub(crate) async fn serve(caller: Caller, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address can only be read");
        return ([(header::ALLOW, "GET, HEAD")], problem).into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    if let Some(content) = file(path) {
        return respond(path, content, &caller);
    }
    if path.starts_with("assets/") || path.starts_with("api/") {
        return Problem::new(StatusCode::NOT_FOUND, "there is nothing at this address").into_response();
    }
    match file("index.html") {
        Some(content) => respond("index.html", content, &caller),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn respond(path: &str, content: &'static [u8], caller: &Caller) -> Response {
    let etag = weak_etag(content);
    let mut response = match caller.has(&etag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => content.into_response(),
    };
    let headers = response.headers_mut();
    // Vite puts a hash into the names of assets.
    let kept = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind = match kind.type_() {
        mime_guess::mime::TEXT => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    };
    for (name, value) in [(header::CONTENT_TYPE, kind), (header::ETAG, etag)] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    response
}
