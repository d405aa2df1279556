//! Metrics for Prometheus.

use crate::app::Work;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

/// The server's metrics.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
    /// Number of requests being answered.
    pub(crate) in_flight: Gauge,
    /// Number of open connections.
    pub(crate) connections: Gauge,
    working: [Gauge; Work::ALL.len()],
}

/// One unit of a gauge, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Counted {
    pub(crate) fn new(gauge: &Gauge) -> Counted {
        gauge.inc();
        Counted(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("llamafur");
        let requests = Family::<RequestLabels, Counter>::default();
        registry.register("requests", "Requests answered, by route and status", requests.clone());
        // 0.5 ms to 16 s.
        let buckets = || Histogram::new(exponential_buckets(0.0005, 2.0, 16));
        let seconds = Family::<RouteLabels, Histogram>::new_with_constructor(buckets);
        registry.register("request_seconds", "Time to answer a request, by route", seconds.clone());
        let (in_flight, connections) = (Gauge::default(), Gauge::default());
        registry.register("requests_in_flight", "Requests that are being answered", in_flight.clone());
        registry.register("connections", "Open connections", connections.clone());
        let kinds = Family::<KindLabels, Gauge>::default();
        let working = Work::ALL.map(|work| kinds.get_or_create_owned(&KindLabels { kind: work.name() }));
        registry.register("working", "Places taken by work, by its kind", kinds);
        Metrics { registry, requests, seconds, in_flight, connections, working }
    }

    /// Returns the gauge of running work of a kind.
    pub(crate) fn working(&self, work: Work) -> &Gauge {
        &self.working[work as usize]
    }

    /// Counts an answer. The route is its pattern, never the requested address, so that there are few of them.
    pub(crate) fn count(&self, route: &str, status: u16, took: Duration) {
        self.requests.get_or_create(&RequestLabels { route: route.to_owned(), status }).inc();
        self.seconds.get_or_create(&RouteLabels { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// Returns all metrics in the text format of OpenMetrics.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
