//! Parameters of requests: a wrong or unknown one is a problem.

use crate::app::tagged;
use crate::corpora::Served;
use crate::problem::{Problem, without_folders};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use llamafur::engine::{Engine, Order, PlaceSet, RankConf};
use llamafur::score::LeftOut;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::ops::RangeInclusive;

/// The parameters of a request.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Params<T>, Problem> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Params(params)),
            Err(rejection) => {
                let text = rejection.body_text();
                let detail = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
                Err(Problem::new(StatusCode::BAD_REQUEST, detail))
            }
        }
    }
}

/// Fails unless a parameter is in its documented range.
pub(super) fn check_range(name: &str, range: RangeInclusive<usize>, value: usize) -> Result<(), Problem> {
    if range.contains(&value) {
        return Ok(());
    }
    let detail = format!("{name} must be from {} to {}, got {value}", range.start(), range.end());
    Err(Problem::new(StatusCode::BAD_REQUEST, detail))
}

/// The request's `If-None-Match` tags, its address, and whether it may start work.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    known: Vec<String>,
    address: String,
    may_start: bool,
}

/// The header of requests that may start work, whatever its value.
pub(crate) const STARTS: HeaderName = HeaderName::from_static("x-requested-with");

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, Infallible> {
        let known = parts.headers.get_all(header::IF_NONE_MATCH).into_iter();
        let known = known.filter_map(|tags| tags.to_str().ok()).flat_map(|tags| tags.split(','));
        let address = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
        let site = parts.headers.get("sec-fetch-site");
        let is_own = site.is_some_and(|site| site == "same-origin" || site == "none");
        let may_start = is_own || parts.headers.contains_key(STARTS);
        Ok(Caller { known: known.map(|tag| tag.trim().to_owned()).collect(), address, may_start })
    }
}

impl Caller {
    /// Returns the entity tag of the answer, which follows from the corpus and the address. It is weak, since the
    /// answer may be compressed on its way.
    pub(crate) fn etag(&self, served: &Served) -> String {
        weak_etag(format!("{} {}", served.version, self.address).as_bytes())
    }

    /// Fails unless the request may start work. A page of another site can make a browser send a request of which it
    /// chooses only the address, such as for an image, and browsers report its origin only to servers with encryption
    /// or on the same machine. Before a request with a custom header they ask the server, which refuses.
    pub(crate) fn expect_start(&self) -> Result<(), Problem> {
        if self.may_start { Ok(()) } else { Err(Problem::starts_work()) }
    }

    /// Returns status 304 if the client has the answer already.
    pub(crate) fn unchanged(&self, served: &Served) -> Option<Response> {
        let etag = self.etag(served);
        self.has(&etag).then(|| tagged(StatusCode::NOT_MODIFIED.into_response(), &etag))
    }

    /// Returns the client without its entity tags.
    pub(crate) fn without_answers(self) -> Caller {
        Caller { known: Vec::new(), ..self }
    }

    /// Returns whether the client has the answer with this tag.
    pub(crate) fn has(&self, etag: &str) -> bool {
        self.known.iter().any(|known| known == etag)
    }
}

/// Returns the entity tag of some bytes.
pub(crate) fn weak_etag(bytes: &[u8]) -> String {
    format!("W/\"{}\"", &blake3::hash(bytes).to_hex()[..32])
}

/// Prefixes of the extractor's messages about a wrong body.
const PREFIXES: [&str; 2] = [
    "Failed to parse the request body as JSON: ",
    "Failed to deserialize the JSON body into the target type: ",
];

/// The body of a request, in JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Problem> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Body(body)),
            Err(rejection) => {
                let text = rejection.body_text();
                let detail = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(&text);
                Err(Problem::new(rejection.status(), detail))
            }
        }
    }
}

/// Which form a table is wanted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// JSON.
    #[default]
    Json,
    /// Tab-separated values, as the command line writes them.
    Tsv,
}

/// Returns the default number of names or links.
pub(crate) fn ten() -> usize {
    10
}

/// Returns the default of sending sentences.
pub(crate) fn yes() -> bool {
    true
}

/// Declares the parameters of a question about ranked links. The common ones are written here: Serde cannot reject
/// unknown fields of a struct within a struct.
macro_rules! ranked {
    ($(#[$about:meta])* $name:ident { $($fields:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
        #[serde(deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        pub(crate) struct $name {
            /// The corpus by its name. Default: the first.
            corpus: Option<String>,
            $($fields)*
            /// The scorer by its name, or a sum such as `llamafur+aa`.
            #[param(default = "blend")]
            scorer: Option<String>,
            /// The places whose links are ranked, on a wiki: `all`, or some of `prose`, `caption`, `list`, `hatnote`, `table`, `template`,
            /// `end-matter`, `reference` and `heading`, separated by commas.
            #[serde(default, rename = "where")]
            #[param(value_type = String, default = "prose,caption")]
            places: llamafur::engine::PlaceSet,
            /// What comes first. Default: `worth`, the rows that are surprising; of a scorer that is named `oddity`, its highest scores.
            #[param(inline)]
            order: Option<llamafur::engine::Order>,
        }

        impl $name {
            /// Returns the requested ranking.
            fn ranked(&self) -> $crate::api::query::Ranked {
                let (scorer, places) = (self.scorer.clone(), self.places);
                $crate::api::query::Ranked { scorer, places, order: self.order }
            }
        }
    };
}

pub(super) use ranked;

/// The parameters of a question that select its ranking.
pub(super) struct Ranked {
    pub(super) scorer: Option<String>,
    pub(super) places: PlaceSet,
    pub(super) order: Option<Order>,
}

impl Ranked {
    /// Returns the order of the rows: with a named scorer, by its unexpectedness.
    pub(super) fn order(&self) -> Order {
        let of_scorer = if self.scorer.is_some() { Order::Oddity } else { Order::Worth };
        self.order.unwrap_or(of_scorer)
    }

    /// Returns the settings of the ranking.
    pub(super) fn conf(self) -> RankConf {
        let order = self.order();
        with_scorer(RankConf::default().places(self.places).order(order), self.scorer)
    }
}

/// Sets the scorer of a ranking, if one was requested.
pub(super) fn with_scorer(conf: RankConf, scorer: Option<String>) -> RankConf {
    match scorer {
        Some(scorer) => conf.scorer(scorer),
        None => conf,
    }
}

/// Removes the folders of the server from the reasons why scorers were left out.
pub(crate) fn hide_folders(left_out: &mut [LeftOut], engine: &Engine) {
    for scorer in left_out {
        scorer.reason = without_folders(&scorer.reason, engine.corpus().path());
    }
}
