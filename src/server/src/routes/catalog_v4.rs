//! Catalogs for other nodes: `POST /puppet/v4/catalog`.
//!
//! In: a JSON object that names a node and optionally its facts. Out: `{"catalog", "logs"}`. Errors are plain text, worded like those of
//! puppetserver's schema.

use hyper::StatusCode;

use super::agent_request::AgentRequest;
use super::code::failure_text;
use crate::facts::Facts;
use crate::facts::parse_json;
use crate::running::ServerState;
use crate::served_site::CatalogRequest;
use crate::served_site::Client;
use crate::served_site::OnBehalf;
use catwalk_base::diag::Severity;
use catwalk_http::Answer;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The type of a member of a request.
#[derive(Clone, Copy)]
enum Kind {
    String,
    Boolean,
    /// An object with these members.
    Object(&'static [Member]),
    /// An object with any members.
    AnyObject,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// The name of an environment.
    Environment,
    /// The name of a node.
    Certname,
}

/// A member of a request: its name, whether it is required, its type.
type Member = (&'static str, bool, Kind);

const VALUES: &[Member] = &[("values", true, Kind::AnyObject)];

/// puppetserver's `CatalogRequestV4`.
const REQUEST: &[Member] = &[
    ("certname", true, Kind::Certname),
    ("persistence", true, Kind::Object(&[("facts", true, Kind::Boolean), ("catalog", true, Kind::Boolean)])),
    ("environment", true, Kind::Environment),
    ("trusted_facts", false, Kind::Object(VALUES)),
    ("facts", false, Kind::Object(VALUES)),
    ("job_id", false, Kind::String),
    ("transaction_uuid", false, Kind::String),
    (
        "options",
        false,
        Kind::Object(&[
            ("capture_logs", false, Kind::Boolean),
            ("log_level", false, Kind::OneOf(&["debug", "info", "warning", "err"])),
            ("prefer_requested_environment", false, Kind::Boolean),
        ]),
    ),
];

/// The longest name of a node.
const MAX_CERTNAME: usize = 255;

/// The request for people: `the catalog of web1 in environment production, which deploy.example.com requests`.
pub(super) fn describe(request: &AgentRequest) -> String {
    let read = |name: &str| match request.document.as_ref() {
        Some(Ok(Value::Hash(document))) => document.get(name).and_then(Value::as_str).filter(|name| is_certname(name)),
        _ => None,
    };
    let (node, environment) = (read("certname").unwrap_or("a node"), read("environment").unwrap_or("an environment"));
    format!("the catalog of {node} in environment {environment}, which {} requests", request.client.certname)
}

/// Parses the body, which [`describe`] and [`catalog`] need.
pub(super) fn parse(request: &mut AgentRequest) {
    request.document = Some(parse_json(&request.body));
}

/// `POST /puppet/v4/catalog`
pub(super) fn catalog(state: &ServerState, mut request: AgentRequest) -> Result<Answer, Answer> {
    let bad_request = |message: String| Answer::text(StatusCode::BAD_REQUEST, message);
    let document = request.document.take().unwrap_or_else(|| Err("the body is empty".to_owned()));
    let document = document.map_err(|why| bad_request(format!("Error parsing JSON: {why}")))?;
    if let Some(violation) = violation(&document, Kind::Object(REQUEST)) {
        return Err(bad_request(format!("Invalid input: {violation}")));
    }
    let Value::Hash(document) = &document else { return Err(bad_request("Invalid input".to_owned())) };
    let answer = state.site.catalog(&catalog_request(document, request.body.len()));
    let document = answer.map_err(|why| failure_text(&why))?;
    super::catalogs::answer(document, "application/json", request.takes_gzip)
}

/// A request that fits [`REQUEST`].
fn catalog_request(document: &Hash, size: usize) -> CatalogRequest {
    let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
    let member = |object: &str, name: &str| match document.get(object) {
        Some(Value::Hash(object)) => object.get(name).cloned(),
        _ => None,
    };
    let values = |object: &str| match member(object, "values") {
        Some(Value::Hash(values)) => Some(values),
        _ => None,
    };
    let flag = |object: &str, name: &str| member(object, name) == Some(Value::Bool(true));
    let level = member("options", "log_level").and_then(|level| Severity::find(level.as_str()?));
    let logs = flag("options", "capture_logs").then_some(level.unwrap_or(Severity::Notice));
    CatalogRequest {
        client: Client { certname: text("certname").unwrap_or_default(), ..Client::default() },
        environment: text("environment"),
        facts: values("facts").map(|values| Facts::of(values, size)),
        transaction_uuid: text("transaction_uuid"),
        on_behalf: Some(OnBehalf {
            trusted: values("trusted_facts"),
            saves_facts: flag("persistence", "facts"),
            saves_catalog: flag("persistence", "catalog"),
            prefers_environment: flag("options", "prefer_requested_environment"),
            logs,
        }),
        ..CatalogRequest::default()
    }
}

/// Names are printed, and may be used in paths of the site.
fn is_certname(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_CERTNAME
        && !name.starts_with('.')
        && !name.contains(|c: char| c.is_control() || c == '/' || c == '\\')
}

/// Describes how a value differs from its type; `None` if it does not.
fn violation(value: &Value, kind: Kind) -> Option<String> {
    let not = |rule: &str| Some(format!("(not ({rule} {}))", shown(value)));
    match (kind, value) {
        (Kind::String, Value::Str(_)) | (Kind::Boolean, Value::Bool(_)) | (Kind::AnyObject, Value::Hash(_)) => None,
        (Kind::Environment, Value::Str(name)) => {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.is_empty() && name.chars().all(is_word) { None } else { not("valid-env-name?") }
        }
        (Kind::Certname, Value::Str(name)) => {
            if is_certname(name) {
                None
            } else {
                not("valid-certname?")
            }
        }
        (Kind::OneOf(names), Value::Str(name)) if names.contains(&&**name) => None,
        (Kind::OneOf(names), _) => not(&format!("#{{\"{}\"}}", names.join("\" \""))),
        (Kind::Object(members), Value::Hash(object)) => {
            let missing_or_wrong = members.iter().filter_map(|(name, is_required, kind)| match object.get(name) {
                None => is_required.then(|| format!("\"{name}\" missing-required-key")),
                Some(value) => violation(value, *kind).map(|why| format!("\"{name}\" {why}")),
            });
            let unknown = object.iter().filter_map(|(name, _)| {
                let name = name.as_str().unwrap_or_default();
                let is_known = members.iter().any(|(known, ..)| *known == name);
                (!is_known).then(|| format!("{} disallowed-key", shown(&Value::str(name))))
            });
            let found: Vec<String> = missing_or_wrong.chain(unknown).take(20).collect();
            if found.is_empty() { None } else { Some(format!("{{{}}}", found.join(", "))) }
        }
        (Kind::String | Kind::Environment | Kind::Certname, _) => not("instance? java.lang.String"),
        (Kind::Boolean, _) => not("instance? java.lang.Boolean"),
        (Kind::AnyObject | Kind::Object(_), _) => not("map?"),
    }
}

/// A value in a message: strings are cut, as they come from the client; objects and arrays only named.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => {
            let visible = |c: char| if c.is_control() || c == '"' { ' ' } else { c };
            format!("\"{}\"", text.chars().take(60).map(visible).collect::<String>())
        }
        Value::Undef => "nil".to_owned(),
        Value::Hash(_) => "a-map".to_owned(),
        Value::Array(_) => "a-vector".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        _ => "a-value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    /// The cases: a body, the end of the message.
    const WRONG: [(&str, &str); 10] = [
        ("[]", "(not (map? a-vector))"),
        (
            "{}",
            r#"{"certname" missing-required-key, "persistence" missing-required-key, "environment" missing-required-key}"#,
        ),
        (
            r#"{"certname": 1, "persistence": {"facts": true}, "environment": "a-b"}"#,
            r#"{"certname" (not (instance? java.lang.String 1)), "persistence" {"catalog" missing-required-key}, "environment" (not (valid-env-name? "a-b"))}"#,
        ),
        (
            r#"{"certname": "a", "persistence": {"facts": 1, "catalog": false}, "environment": "e", "x": 1}"#,
            r#"{"persistence" {"facts" (not (instance? java.lang.Boolean 1))}, "x" disallowed-key}"#,
        ),
        (
            r#"{"certname": "../a", "persistence": {"facts": true, "catalog": false}, "environment": "e"}"#,
            r#"{"certname" (not (valid-certname? "../a"))}"#,
        ),
        (
            r#"{"certname": "", "persistence": {"facts": true, "catalog": false}, "environment": ""}"#,
            r#"{"certname" (not (valid-certname? "")), "environment" (not (valid-env-name? ""))}"#,
        ),
        (
            r#"{"certname": "a\n", "persistence": {"facts": true, "catalog": false}, "environment": "e"}"#,
            r#"{"certname" (not (valid-certname? "a "))}"#,
        ),
        (
            r#"{"certname": "a", "persistence": [], "environment": "e", "facts": {"values": null}}"#,
            r#"{"persistence" (not (map? a-vector)), "facts" {"values" (not (map? nil))}}"#,
        ),
        (
            r#"{"certname": "a", "persistence": {"facts": true, "catalog": false}, "environment": "e", "options": {"log_level": "notice"}}"#,
            r##"{"options" {"log_level" (not (#{"debug" "info" "warning" "err"} "notice"))}}"##,
        ),
        (
            r#"{"certname": "a", "persistence": {"facts": true, "catalog": false}, "environment": "e", "facts": {}}"#,
            r#"{"facts" {"values" missing-required-key}}"#,
        ),
    ];

    #[test]
    fn wrong_requests_are_described() {
        for (body, message) in WRONG {
            let document = parse_json(body.as_bytes()).unwrap();
            assert_eq!(violation(&document, Kind::Object(REQUEST)).as_deref(), Some(message), "{body}");
        }
    }

    #[test]
    fn a_request_is_read() {
        let body = r#"{"certname": "a", "environment": "e", "persistence": {"facts": true, "catalog": false},
            "facts": {"values": {"x": 1}}, "trusted_facts": {"values": {"t": 2}}, "job_id": "1", "transaction_uuid": "u",
            "options": {"capture_logs": true, "log_level": "err", "prefer_requested_environment": true}}"#;
        let document = parse_json(body.as_bytes()).unwrap();
        assert_eq!(violation(&document, Kind::Object(REQUEST)), None);
        let Value::Hash(document) = document else { panic!("{document:?}") };
        let request = catalog_request(&document, body.len());
        let behalf = request.on_behalf.unwrap();
        assert_eq!(request.facts.unwrap().values().get("x"), Some(&Value::Int(1)));
        assert_eq!(behalf.trusted.unwrap().get("t"), Some(&Value::Int(2)));
        assert!(behalf.saves_facts && !behalf.saves_catalog && behalf.prefers_environment);
        assert_eq!((behalf.logs, request.transaction_uuid.as_deref()), (Some(Severity::Error), Some("u")));
    }
}
