//! Nodes, catalogs, facts, reports, environments.

use std::path::PathBuf;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::agent_request::AgentRequest;
use super::agent_request::CATALOGS;
use super::agent_request::DATA;
use super::agent_request::Format;
use crate::http::answer::Answer;
use crate::http::answer::Issue;
use crate::http::answer::JSON;
use crate::http::form::Parameters;
use crate::http::form::decode_form;
use crate::running::ServerState;
use crate::served_site::CatalogRequest;
use crate::served_site::EnvironmentSettings;
use crate::served_site::NodeRequest;

fn bad_request(message: &str) -> Answer {
    Answer::error(StatusCode::BAD_REQUEST, Issue::RuntimeError, message)
}

fn non_empty_parameter(parameters: &Parameters, name: &str) -> Option<String> {
    parameters.get(name).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// `GET /puppet/v3/node/NAME`
pub(super) fn node(state: &ServerState, request: AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?.to_owned();
    let format = request.format(DATA)?;
    let node_request = NodeRequest {
        client: request.client.clone(),
        environment: Some(environment),
        configured_environment: non_empty_parameter(&request.parameters, "configured_environment"),
        transaction_uuid: non_empty_parameter(&request.parameters, "transaction_uuid"),
    };
    let body = state.site.node(&node_request).map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(format.content_type(), body))
}

/// `POST /puppet/v3/catalog/NAME`, or GET, which compiles with the stored facts.
pub(super) fn catalog(state: &ServerState, mut request: AgentRequest) -> Result<Answer, Answer> {
    read_body(&mut request)?;
    let environment = request.environment()?.to_owned();
    let format = request.format(CATALOGS)?;
    let facts = take_facts(&mut request)?;
    let flag = |name: &str| request.parameters.get(name).is_some_and(|value| value != "false" && !value.is_empty());
    let catalog_request = CatalogRequest {
        client: request.client.clone(),
        environment: Some(environment),
        configured_environment: non_empty_parameter(&request.parameters, "configured_environment"),
        check_environment: flag("check_environment"),
        facts,
        transaction_uuid: non_empty_parameter(&request.parameters, "transaction_uuid"),
        rich_data: format == Format::RichJson,
    };
    let body = state.site.catalog(&catalog_request).map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(format.content_type(), body))
}

/// Adds the parameters in the body, which is a form or a JSON object, to those of the query.
fn read_body(request: &mut AgentRequest) -> Result<(), Answer> {
    let body = std::mem::take(&mut request.body);
    if body.is_empty() {
        return Ok(());
    }
    match request.content_type.as_deref() {
        Some("application/x-www-form-urlencoded") => {
            let form = std::str::from_utf8(&body).ok().and_then(|body| Parameters::read(body).ok());
            request.parameters.extend(
                form.ok_or_else(|| bad_request("The request body is not a form in UTF-8, or has too many parameters"))?,
            );
            Ok(())
        }
        Some("application/json" | "text/pson") => {
            let read: Result<serde_json::Map<String, Value>, _> = serde_json::from_slice(&body);
            let fields = read.map_err(|why| bad_request(&format!("The request body is invalid: {why}")))?;
            for (name, value) in fields {
                match value {
                    Value::Null => {}
                    Value::String(value) => request.parameters.push(&name, value),
                    value => request.parameters.push(&name, value.to_string()),
                }
            }
            Ok(())
        }
        _ => request.check_json(),
    }
}

/// Removes the facts from the parameters and decodes them: agents percent-encode them twice.
fn take_facts(request: &mut AgentRequest) -> Result<Option<Vec<u8>>, Answer> {
    // `puppet catalog download` sends `null`.
    let Some(facts) = request.parameters.take("facts").filter(|facts| facts != "null") else { return Ok(None) };
    let format = request.parameters.get("facts_format");
    let name = &request.client.certname;
    match format {
        Some("application/json" | "pson") => {}
        None if facts.trim_start().starts_with('{') => {}
        None => return Err(Answer::server_error(&format!("Facts but no fact format provided for {name}"))),
        Some(_) => return Err(Answer::server_error("Unsupported facts format")),
    }
    let facts = match facts.trim_start().starts_with('{') {
        true => facts,
        false => decode_form(&facts).map_err(|_| bad_request("The facts are not percent-encoded UTF-8"))?,
    };
    let read: Result<NodeName, _> = serde_json::from_str(&facts);
    let document = read.map_err(|why| Answer::server_error(&format!("Could not intern from json: {why}")))?;
    let sent = document.name.unwrap_or_default();
    if sent != *name {
        let message =
            format!("Catalog for \"{name}\" was requested with fact definition for the wrong node (\"{sent}\").");
        return Err(Answer::server_error(&message));
    }
    Ok(Some(facts.into_bytes()))
}

/// The name of the node in facts or in a report.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct NodeName {
    /// The member in facts.
    name: Option<String>,
    /// The member in reports.
    host: Option<String>,
}

/// Checks that a body is JSON and names the node that sent it (`Puppet::Indirector::Terminus#validate_key`).
fn check_body(request: &AgentRequest, name: fn(NodeName) -> Option<String>) -> Result<(), Answer> {
    request.check_json()?;
    let read: Result<NodeName, _> = serde_json::from_slice(&request.body);
    let document = read.map_err(|why| bad_request(&format!("The request body is invalid: {why}")))?;
    let (sent, certname) = (name(document).unwrap_or_default(), &request.client.certname);
    match sent == *certname {
        true => Ok(()),
        false => {
            Err(Answer::server_error(&format!("Instance name \"{sent}\" does not match requested key \"{certname}\"")))
        }
    }
}

/// `PUT /puppet/v3/facts/NAME`
pub(super) fn facts(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    check_body(request, |facts| facts.name)?;
    state.site.save_facts(&request.client, environment, &request.body).map_err(|why| Answer::failure(&why))?;
    // PuppetDB's terminus returns a number from its queue; agents ignore it.
    Ok(Answer::ok(JSON, "0"))
}

/// `PUT /puppet/v3/report/NAME`
pub(super) fn report(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    check_body(request, |report| report.host)?;
    let saved = state.site.save_report(&request.client, environment, &request.body);
    let processors = saved.map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(JSON, json!(processors).to_string()))
}

/// `GET /puppet/v3/environments`
pub(super) fn environments(state: &ServerState) -> Result<Answer, Answer> {
    let settings = |environment: EnvironmentSettings| {
        let settings = json!({
            "modulepath": environment.modulepath.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "manifest": environment.manifest.to_string_lossy(),
            "environment_timeout": 0,
            "config_version": environment.config_version.unwrap_or_default(),
        });
        (environment.name, json!({ "settings": settings }))
    };
    let environments: serde_json::Map<String, Value> = state.site.environments().into_iter().map(settings).collect();
    let url = |path: &PathBuf| format!("file://{}", path.display());
    let search_paths: Vec<String> = state.site.search_paths().iter().map(url).collect();
    let body = json!({ "search_paths": search_paths, "environments": environments });
    Ok(Answer::ok("application/json", body.to_string()))
}
