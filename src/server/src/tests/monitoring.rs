//! Figures for Prometheus, the status service, announcements of deploys.

use serde_json::json;

use super::support::RunningServer;

/// The value of a sample in Prometheus' format.
fn sample(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[test]
fn prometheus_gets_the_figures_of_requests_queues_and_certificates() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    assert_eq!(node.get("/puppet/v3/catalog/a.example.com?environment=production").status, 200);
    assert_eq!(node.get("/puppet/v3/catalog/a.example.com?environment=failing").status, 500);
    assert_eq!(node.get("/nothing").status, 404);
    let answer = node.get("/metrics");
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let text = answer.text();
    assert!(text.ends_with("# EOF\n"), "{text}");
    let catalog = r#"route="puppet-v3-catalog-/*/""#;
    for (name, value) in [
        (format!(r#"catwalk_requests_total{{{catalog},method="GET",status="200"}}"#), 1.0),
        (format!(r#"catwalk_requests_total{{{catalog},method="GET",status="500"}}"#), 1.0),
        (format!(r#"catwalk_request_seconds_count{{{catalog}}}"#), 2.0),
        (r#"catwalk_requests_total{route="other",method="GET",status="404"}"#.to_owned(), 1.0),
        (r#"catwalk_waiting_requests{queue="compiles"}"#.to_owned(), 0.0),
    ] {
        assert_eq!(sample(&text, &name), Some(value), "{name}: {text}");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    for kind in ["ca", "server", "crl"] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!(r#"catwalk_certificate_expiry_seconds{{kind="{kind}""#)));
        let end: f64 = line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_default();
        assert!(end > now, "{kind}: {text}");
    }
    assert_eq!(server.stranger().get("/metrics").status, 403);
}

#[test]
fn the_status_service_has_the_levels_of_puppetserver() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    assert_eq!(node.get("/puppet/v3/catalog/a.example.com?environment=production").status, 200);
    let status = node.get("/status/v1/services").json();
    let names: Vec<&String> = status.as_object().unwrap().keys().collect();
    assert_eq!(names, ["ca", "jruby-metrics", "server", "status-service"]);
    for level in ["critical", "info"] {
        let status = node.get(&format!("/status/v1/services/server?level={level}")).json();
        assert_eq!(
            (&status["state"], &status["detail_level"], &status["status"], &status["service_name"]),
            (&json!("running"), &json!(level), &json!({}), &json!("server"))
        );
    }
    let debug = node.get("/status/v1/services?level=debug").json();
    let routes = debug["server"]["status"]["experimental"]["http-metrics"].as_array().unwrap();
    assert_eq!(routes[0]["route-id"], "total");
    let catalog = routes.iter().find(|route| route["route-id"] == "puppet-v3-catalog-/*/").unwrap();
    assert_eq!(catalog["count"], 1);
    assert!(debug["jruby-metrics"]["status"]["experimental"]["metrics"]["num-jrubies"].as_u64().unwrap() > 0);
    assert!(debug["status-service"]["status"]["experimental"]["jvm-metrics"]["up-time-ms"].is_u64());
    assert_eq!(node.get("/status/v1/services?level=all").status, 400);
    assert_eq!(node.get("/status/v1/services/nothing").status, 404);
}

#[test]
fn deploys_are_announced_by_the_clients_that_may() {
    let server = RunningServer::start();
    let cache = "/puppet-admin-api/v1/environment-cache";
    let mut deployer = server.node("deployer.example.com");
    let mut ask = |target: &str| deployer.send("DELETE", target, &[], b"");
    assert_eq!(ask(cache).status, 204);
    assert_eq!(ask(&format!("{cache}?environment=production")).status, 204);
    assert_eq!(ask("/puppet-admin-api/v1/jruby-pool").status, 204);
    let busy = ask(&format!("{cache}?environment=changing"));
    assert_eq!(busy.status, 503);
    assert!(busy.header("retry-after").is_some(), "{busy:?}");
    assert_eq!(server.node("a.example.com").send("DELETE", cache, &[], b"").status, 403);
}
