//! Nodes, catalogs, facts, reports, environments.

use std::path::PathBuf;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::agent_request::AgentRequest;
use super::agent_request::CATALOGS;
use super::agent_request::DATA;
use super::agent_request::Format;
use crate::facts::Facts;
use crate::facts::FactsError;
use crate::facts::parse_json;
use crate::puppet_answer::Issue;
use crate::puppet_answer::PuppetAnswer;
use crate::running::ServerState;
use crate::served_site::CatalogDocument;
use crate::served_site::CatalogRequest;
use crate::served_site::EnvironmentSettings;
use crate::served_site::NodeRequest;
use catwalk_http::Answer;
use catwalk_http::JSON;
use catwalk_http::Parameters;
use catwalk_http::decode_form;
use catwalk_value::Value;
use catwalk_value::json::to_json;

fn bad_request(message: &str) -> Answer {
    Answer::error(StatusCode::BAD_REQUEST, Issue::RuntimeError, message)
}

fn non_empty_parameter(parameters: &Parameters, name: &str) -> Option<String> {
    parameters.get(name).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// `DELETE /puppet-admin-api/v1/environment-cache`: a deploy of the environment in the parameters, or of all, is complete.
pub(super) fn deployed(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    state.site.deployed(request.parameters.get("environment")).map_err(|why| Answer::failure(&why))?;
    Ok(Answer::text(StatusCode::NO_CONTENT, ""))
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
        on_behalf: None,
    };
    let document = state.site.catalog(&catalog_request).map_err(|why| Answer::failure(&why))?;
    answer(document, format.content_type(), request.takes_gzip)
}

/// The response with a catalog. A kept one is compressed already.
pub(super) fn answer(
    document: CatalogDocument,
    content_type: &'static str,
    takes_gzip: bool,
) -> Result<Answer, Answer> {
    match document {
        CatalogDocument::Kept(beginning, end) if takes_gzip => {
            Ok(Answer { is_gzip: true, ..Answer::ok(content_type, end.gzip(&beginning)) })
        }
        document => {
            let body = document.into_bytes().map_err(|error| Answer::server_error(&error.to_string()))?;
            Ok(Answer::ok(content_type, body))
        }
    }
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
            let document = parse_json(&body).map_err(|why| invalid_body(&why))?;
            let Value::Hash(fields) = &document else { return Err(invalid_body(&"it is not an object")) };
            for (name, value) in fields.iter() {
                let name = name.as_str().unwrap_or_default();
                match value {
                    Value::Undef => {}
                    Value::Str(value) => request.parameters.push(name, value.to_string()),
                    facts @ Value::Hash(_) if name == "facts" => request.facts = Some((facts.clone(), body.len())),
                    value => request.parameters.push(name, to_json(value).to_string()),
                }
            }
            Ok(())
        }
        _ => request.check_json(),
    }
}

/// Takes the facts from the body or the parameters: agents percent-encode them twice.
fn take_facts(request: &mut AgentRequest) -> Result<Option<Facts>, Answer> {
    // `puppet catalog download` sends `null`.
    let parameter = request.parameters.take("facts").filter(|facts| facts != "null");
    if parameter.is_none() && request.facts.is_none() {
        return Ok(None);
    }
    let is_object = request.facts.is_some() || parameter.as_ref().is_some_and(|facts| is_object(facts));
    let name = &request.client.certname;
    match request.parameters.get("facts_format") {
        Some("application/json" | "pson") => {}
        None if is_object => {}
        None => return Err(Answer::server_error(&format!("Facts but no fact format provided for {name}"))),
        Some(_) => return Err(Answer::server_error("Unsupported facts format")),
    }
    let facts = match (request.facts.take(), parameter.unwrap_or_default()) {
        (Some((document, size)), _) => Facts::from_document(&document, size, name),
        (None, facts) if is_object => Facts::parse(facts.as_bytes(), name),
        (None, facts) => {
            let facts = decode_form(&facts).map_err(|_| bad_request("The facts are not percent-encoded UTF-8"))?;
            Facts::parse(facts.as_bytes(), name)
        }
    };
    facts.map(Some).map_err(|error| match error {
        FactsError::Json(why) => Answer::server_error(&format!("Could not intern from json: {why}")),
        FactsError::Structure(why) => bad_request(why),
        FactsError::OtherNode(sent) => Answer::server_error(&format!(
            "Catalog for \"{name}\" was requested with fact definition for the wrong node (\"{sent}\")."
        )),
    })
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// The name of the node in a report.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct ReportHost {
    host: Option<String>,
}

fn invalid_body(why: &dyn std::fmt::Display) -> Answer {
    bad_request(&format!("The request body is invalid: {why}"))
}

/// The error for a body that names a node other than its sender (`Puppet::Indirector::Terminus#validate_key`).
fn other_instance(sent: &str, certname: &str) -> Answer {
    Answer::server_error(&format!("Instance name \"{sent}\" does not match requested key \"{certname}\""))
}

/// `PUT /puppet/v3/facts/NAME`
pub(super) fn facts(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    request.check_json()?;
    let certname = &request.client.certname;
    let facts = Facts::parse(&request.body, certname).map_err(|error| match error {
        FactsError::OtherNode(sent) => other_instance(&sent, certname),
        error => invalid_body(&error),
    })?;
    state.site.save_facts(&request.client, environment, &facts).map_err(|why| Answer::failure(&why))?;
    // PuppetDB's terminus returns a number from its queue; agents ignore it.
    Ok(Answer::ok(JSON, "0"))
}

/// `PUT /puppet/v3/report/NAME`
pub(super) fn report(state: &ServerState, request: &AgentRequest) -> Result<Answer, Answer> {
    let environment = request.existing_environment(state)?;
    request.check_json()?;
    let read: Result<ReportHost, _> = serde_json::from_slice(&request.body);
    let (sent, certname) = (read.map_err(|why| invalid_body(&why))?.host.unwrap_or_default(), &request.client.certname);
    if sent != *certname {
        return Err(other_instance(&sent, certname));
    }
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
    let environments: serde_json::Map<String, serde_json::Value> =
        state.site.environments().into_iter().map(settings).collect();
    let url = |path: &PathBuf| format!("file://{}", path.display());
    let search_paths: Vec<String> = state.site.search_paths().iter().map(url).collect();
    let body = json!({ "search_paths": search_paths, "environments": environments });
    Ok(Answer::ok("application/json", body.to_string()))
}
