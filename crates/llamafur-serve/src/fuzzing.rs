//! A server without sockets, for fuzzers.

use crate::connections::router;
use crate::{ServeConf, ServeError, Server};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use llamafur::Silent;
use tokio::runtime::Runtime;

/// Limit of an answer's bytes; more is a fault.
const LARGEST_ANSWER: usize = 32 << 20;

/// A server that is called directly.
#[derive(Debug)]
pub struct Site {
    router: axum::Router,
    runtime: Runtime,
}

/// An HTTP answer.
#[derive(Debug)]
pub struct Answer {
    /// The status; 599 if the body has no end.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

impl Site {
    /// Opens the corpora, like a server.
    pub fn open(conf: ServeConf) -> Result<Site, ServeError> {
        let server = Server::open(conf.bind(([127, 0, 0, 1], 0).into()), &mut Silent)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let router = runtime.block_on(async { router(server.app.clone(), server.callers.clone()) });
        Ok(Site { router, runtime })
    }

    /// Answers a request; returns `None` if it is invalid.
    pub fn answer(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Option<Answer> {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_vec())).ok()?;
        let answer = TowerToHyperService::new(self.router.clone()).call(request);
        Some(self.runtime.block_on(async {
            let Ok(answer) = answer.await;
            let status = answer.status().as_u16();
            match to_bytes(answer.into_body(), LARGEST_ANSWER).await {
                Ok(body) => Answer { status, body: body.into() },
                Err(error) => Answer { status: 599, body: error.to_string().into_bytes() },
            }
        }))
    }
}
