//! Figures of a server, for Prometheus and for the status service of puppetserver.
//!
//! In: requests, compiles and their times. Out: the text format of Prometheus; figures by route. Must not: know routes or environments, decide
//! anything.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::time::Duration;
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::EncodeLabelValue;
use prometheus_client::encoding::LabelValueEncoder;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use prometheus_client::registry::Unit;

use catwalk_world::Disk;
use catwalk_world::World;

/// The upper bounds of histograms, in seconds.
const BOUNDS: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// How many environments have figures of their own.
const MAX_ENVIRONMENTS: usize = 500;
/// The label of the others, which no environment has as its name.
const OTHERS: &str = "(others)";

/// How an attempt to compile ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileResult {
    Compiled,
    Failed,
    /// Files were newer than the version of the environment: the compile began again.
    Outdated,
    /// There was no compile: a kept catalog held.
    Kept,
}

/// The kept catalogs of one environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptFigures {
    pub catalogs: usize,
    /// Their size in memory.
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    route: &'static str,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: &'static str,
}

/// A value of a label that is not a word of this program: the library does not escape it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Value(String);

impl EncodeLabelValue for Value {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        for c in self.0.chars() {
            match c {
                '\\' => encoder.write_str("\\\\")?,
                '"' => encoder.write_str("\\\"")?,
                '\n' => encoder.write_str("\\n")?,
                // Other control characters do not belong into a line of text.
                c if c.is_control() => encoder.write_char('\u{fffd}')?,
                c => encoder.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Compile {
    environment: Value,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Phase {
    environment: Value,
    phase: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Miss {
    environment: Value,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Environment {
    environment: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Queue {
    queue: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Certificate {
    kind: &'static str,
    name: Value,
}

/// A queue of requests at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueFigures {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    pub(crate) running: usize,
    pub(crate) waiting: usize,
}

/// The end of a certificate or CRL.
#[derive(Clone, Debug)]
pub(crate) struct Expiry {
    /// `ca`, `server` or `crl`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// In seconds since 1970.
    pub(crate) end: u64,
}

/// The requests of one route.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RouteFigures {
    pub(crate) count: u64,
    pub(crate) time: Duration,
}

/// Counters and times since the start of a server.
pub struct Metrics {
    registry: Registry,
    started: Instant,
    /// Since 1970.
    start: Duration,
    routes: Mutex<BTreeMap<&'static str, RouteFigures>>,
    /// The environments with figures.
    environments: Mutex<BTreeSet<String>>,
    requests: Family<Request, Counter>,
    request_time: Family<Route, Histogram>,
    compiles: Family<Compile, Counter>,
    misses: Family<Miss, Counter>,
    kept: Family<Environment, Gauge>,
    kept_bytes: Family<Environment, Gauge>,
    phase_time: Family<Phase, Histogram>,
    refused_handshakes: Counter,
    threads: Family<Queue, Gauge>,
    running: Family<Queue, Gauge>,
    waiting: Family<Queue, Gauge>,
    expiry: Family<Certificate, Gauge>,
    memory: Gauge,
    writing: Mutex<()>,
}

fn histogram() -> Histogram {
    Histogram::new(BOUNDS)
}

fn gauge(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("catwalk"),
            started: Instant::now(),
            start: Disk::new().now(),
            routes: Mutex::default(),
            environments: Mutex::default(),
            requests: Family::default(),
            request_time: Family::new_with_constructor(histogram),
            compiles: Family::default(),
            misses: Family::default(),
            kept: Family::default(),
            kept_bytes: Family::default(),
            phase_time: Family::new_with_constructor(histogram),
            refused_handshakes: Counter::default(),
            threads: Family::default(),
            running: Family::default(),
            waiting: Family::default(),
            expiry: Family::default(),
            memory: Gauge::default(),
            writing: Mutex::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let start = Gauge::<i64>::default();
        start.set(gauge(self.start.as_secs()));
        let registry = &mut self.registry;
        registry.register("requests", "Requests by route, method and status", self.requests.clone());
        let help = "Time from the start of a request to its response";
        registry.register_with_unit("request", help, Unit::Seconds, self.request_time.clone());
        registry.register("compiles", "Attempts to compile by environment and result", self.compiles.clone());
        let help = "Compiles by the reason why no kept catalog held";
        registry.register("kept_catalog_misses", help, self.misses.clone());
        registry.register("kept_catalogs", "Kept catalogs by environment", self.kept.clone());
        let help = "Memory of kept catalogs by environment";
        registry.register_with_unit("kept_catalogs_memory", help, Unit::Bytes, self.kept_bytes.clone());
        let help = "Time of the phases of a compile: classify, compile, record, write";
        registry.register_with_unit("compile_phase", help, Unit::Seconds, self.phase_time.clone());
        registry.register("refused_handshakes", "Failed TLS handshakes", self.refused_handshakes.clone());
        registry.register("threads", "Threads for a kind of requests", self.threads.clone());
        registry.register("running_requests", "Requests that are being answered", self.running.clone());
        registry.register("waiting_requests", "Requests that wait for a thread", self.waiting.clone());
        let help = "End of certificates and revocation lists, since 1970";
        registry.register_with_unit("certificate_expiry", help, Unit::Seconds, self.expiry.clone());
        registry.register_with_unit("resident_memory", "Memory of the process", Unit::Bytes, self.memory.clone());
        registry.register_with_unit("start_time", "Start of the process, since 1970", Unit::Seconds, start);
    }

    /// A request was answered.
    pub(crate) fn request(&self, route: &'static str, method: &str, status: u16, time: Duration) {
        // A client may send any word as a method, and each label is kept.
        let known = ["DELETE", "GET", "HEAD", "POST", "PUT"].into_iter().find(|known| *known == method);
        self.requests.get_or_create(&Request { route, method: known.unwrap_or("other"), status }).inc();
        self.request_time.get_or_create(&Route { route }).observe(time.as_secs_f64());
        let mut routes = self.routes.lock();
        let figures = routes.entry(route).or_default();
        figures.count += 1;
        figures.time += time;
    }

    /// A TLS handshake has failed.
    pub(crate) fn refused_handshake(&self) {
        self.refused_handshakes.inc();
    }

    /// An attempt to compile has ended.
    pub fn compile(&self, environment: &str, result: CompileResult) {
        let result = match result {
            CompileResult::Compiled => "compiled",
            CompileResult::Failed => "failed",
            CompileResult::Outdated => "outdated",
            CompileResult::Kept => "kept",
        };
        self.compiles.get_or_create(&Compile { environment: self.label(environment), result }).inc();
    }

    /// No kept catalog held, for a reason in one word.
    pub fn miss(&self, environment: &str, reason: &'static str) {
        self.misses.get_or_create(&Miss { environment: self.label(environment), reason }).inc();
    }

    /// The kept catalogs of an environment have changed.
    pub fn kept(&self, environment: &str, figures: KeptFigures) {
        let labels = Environment { environment: self.label(environment) };
        self.kept.get_or_create(&labels).set(gauge(figures.catalogs));
        self.kept_bytes.get_or_create(&labels).set(gauge(figures.bytes));
    }

    /// A phase of a compile has ended: `classify`, `compile`, `record` or `write`.
    pub fn phase(&self, environment: &str, phase: &'static str, time: Duration) {
        let labels = Phase { environment: self.label(environment), phase };
        self.phase_time.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// The label of an environment. Each label is kept, so those after the first [`MAX_ENVIRONMENTS`] have one in common.
    fn label(&self, environment: &str) -> Value {
        let mut known = self.environments.lock();
        let has_label =
            known.contains(environment) || (known.len() < MAX_ENVIRONMENTS && known.insert(environment.to_owned()));
        Value(if has_label { environment } else { OTHERS }.to_owned())
    }

    /// The requests by route since the start.
    pub(crate) fn routes(&self) -> BTreeMap<&'static str, RouteFigures> {
        self.routes.lock().clone()
    }

    /// The time since the start of the server.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// The start of the server, since 1970.
    pub(crate) fn start(&self) -> Duration {
        self.start
    }

    /// All figures in Prometheus' text format (OpenMetrics).
    pub(crate) fn text(&self, queues: &[QueueFigures], expiries: &[Expiry]) -> String {
        // The ends of certificates are removed and added: one at a time.
        let _writing = self.writing.lock();
        for queue in queues {
            let labels = Queue { queue: queue.name };
            self.threads.get_or_create(&labels).set(gauge(queue.threads));
            self.running.get_or_create(&labels).set(gauge(queue.running));
            self.waiting.get_or_create(&labels).set(gauge(queue.waiting));
        }
        self.expiry.clear();
        for Expiry { kind, name, end } in expiries {
            self.expiry.get_or_create(&Certificate { kind, name: Value(name.clone()) }).set(gauge(*end));
        }
        self.memory.set(gauge(catwalk_world::resident_memory().unwrap_or_default()));
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the text that begin with a prefix.
    fn lines(metrics: &Metrics, prefix: &str) -> Vec<String> {
        let hostile = Expiry { kind: "ca", name: "CN=a\"} 1\ncatwalk_forged 1\r\u{1b}\\".to_owned(), end: 7 };
        let text = metrics.text(&[], &[hostile]);
        assert!(text.ends_with("# EOF\n"), "{text}");
        text.lines().filter(|line| line.starts_with(prefix)).map(str::to_owned).collect()
    }

    #[test]
    fn names_forge_no_figures_and_are_limited() {
        let metrics = Metrics::default();
        for name in ["a\"b", "a\\b", "a\nb", "a\rb", "ä"] {
            metrics.compile(name, CompileResult::Compiled);
        }
        let line = |value: &str| format!(r#"catwalk_compiles_total{{environment="{value}",result="compiled"}} 1"#);
        let mut expected: Vec<String> = [r#"a\"b"#, r"a\\b", r"a\nb", "a\u{fffd}b", "ä"].map(line).to_vec();
        let mut found = lines(&metrics, "catwalk_compiles_total");
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        let expiry = r#"catwalk_certificate_expiry_seconds{kind="ca",name="CN=a\"} 1\ncatwalk_forged 1��\\"} 7"#;
        assert_eq!(lines(&metrics, "catwalk_certificate"), [expiry]);
        assert!(lines(&metrics, "catwalk_forged").is_empty());
        for number in 0..2 * MAX_ENVIRONMENTS {
            metrics.compile(&format!("environment{number}"), CompileResult::Failed);
            metrics.phase(&format!("environment{number}"), "compile", Duration::from_millis(1));
            metrics.miss(&format!("environment{number}"), "new");
            metrics.kept(&format!("environment{number}"), KeptFigures::default());
        }
        let found = lines(&metrics, "catwalk_compiles_total");
        assert_eq!(found.len(), MAX_ENVIRONMENTS + 1);
        for figure in ["catwalk_kept_catalog_misses_total", "catwalk_kept_catalogs{"] {
            assert_eq!(lines(&metrics, figure).len(), MAX_ENVIRONMENTS - 4, "{figure}");
        }
        let others = (MAX_ENVIRONMENTS + 5).to_string();
        let is_others = |line: &&String| line.contains(OTHERS) && line.ends_with(&format!(" {others}"));
        assert_eq!(found.iter().filter(is_others).count(), 1);
    }
}
