//! Node, catalog, facts, report, environments.

use std::path::PathBuf;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::asked::Asked;
use super::asked::CATALOGS;
use super::asked::DATA;
use super::asked::Format;
use crate::http::answer::Answer;
use crate::http::answer::Issue;
use crate::http::answer::JSON;
use crate::http::form::Parameters;
use crate::http::form::decode_form;
use crate::running::Shared;
use crate::served_site::CatalogRequest;
use crate::served_site::EnvironmentSettings;
use crate::served_site::NodeRequest;

fn bad_request(message: &str) -> Answer {
    Answer::error(StatusCode::BAD_REQUEST, Issue::RuntimeError, message)
}

fn owned(parameters: &Parameters, name: &str) -> Option<String> {
    parameters.get(name).filter(|value| !value.is_empty()).map(str::to_owned)
}

/// `GET /puppet/v3/node/NAME`
pub(super) fn node(shared: &Shared, asked: Asked) -> Result<Answer, Answer> {
    let environment = asked.existing_environment(shared)?.to_owned();
    let format = asked.format(DATA)?;
    let request = NodeRequest {
        client: asked.client.clone(),
        environment: Some(environment),
        configured_environment: owned(&asked.parameters, "configured_environment"),
        transaction_uuid: owned(&asked.parameters, "transaction_uuid"),
    };
    let body = shared.site.node(&request).map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(format.content_type(), body))
}

/// `POST /puppet/v3/catalog/NAME`, and GET, which compiles with the facts that are stored.
pub(super) fn catalog(shared: &Shared, mut asked: Asked) -> Result<Answer, Answer> {
    read_body(&mut asked)?;
    let environment = asked.environment()?.to_owned();
    let format = asked.format(CATALOGS)?;
    let facts = facts_of(&mut asked)?;
    let flag = |name: &str| asked.parameters.get(name).is_some_and(|value| value != "false" && !value.is_empty());
    let request = CatalogRequest {
        client: asked.client.clone(),
        environment: Some(environment),
        configured_environment: owned(&asked.parameters, "configured_environment"),
        check_environment: flag("check_environment"),
        facts,
        transaction_uuid: owned(&asked.parameters, "transaction_uuid"),
        rich_data: format == Format::RichJson,
    };
    let body = shared.site.catalog(&request).map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(format.content_type(), body))
}

/// Adds the parameters in the body, a form or a JSON object, to those of the query.
fn read_body(asked: &mut Asked) -> Result<(), Answer> {
    let body = std::mem::take(&mut asked.body);
    if body.is_empty() {
        return Ok(());
    }
    match asked.content_type.as_deref() {
        Some("application/x-www-form-urlencoded") => {
            let form = std::str::from_utf8(&body).ok().and_then(|body| Parameters::read(body).ok());
            asked.parameters.extend(
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
                    Value::String(value) => asked.parameters.push(&name, value),
                    value => asked.parameters.push(&name, value.to_string()),
                }
            }
            Ok(())
        }
        _ => asked.check_json(),
    }
}

/// The facts among the parameters, decoded. Agents encode them once more than a form does.
fn facts_of(asked: &mut Asked) -> Result<Option<Vec<u8>>, Answer> {
    // `puppet catalog download` sends the JSON of no facts.
    let Some(facts) = asked.parameters.take("facts").filter(|facts| facts != "null") else { return Ok(None) };
    let format = asked.parameters.get("facts_format");
    let name = &asked.client.certname;
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
    let read: Result<Named, _> = serde_json::from_str(&facts);
    let named = read.map_err(|why| Answer::server_error(&format!("Could not intern from json: {why}")))?;
    let sent = named.name.unwrap_or_default();
    if sent != *name {
        let message =
            format!("Catalog for \"{name}\" was requested with fact definition for the wrong node (\"{sent}\").");
        return Err(Answer::server_error(&message));
    }
    Ok(Some(facts.into_bytes()))
}

/// The node that facts or a report are of.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Named {
    /// In facts.
    name: Option<String>,
    /// In reports.
    host: Option<String>,
}

/// Checks that a body is JSON, and of the node that sent it (`Puppet::Indirector::Terminus#validate_key`).
fn check_body(asked: &Asked, name: fn(Named) -> Option<String>) -> Result<(), Answer> {
    asked.check_json()?;
    let read: Result<Named, _> = serde_json::from_slice(&asked.body);
    let named = read.map_err(|why| bad_request(&format!("The request body is invalid: {why}")))?;
    let (sent, own) = (name(named).unwrap_or_default(), &asked.client.certname);
    match sent == *own {
        true => Ok(()),
        false => Err(Answer::server_error(&format!("Instance name \"{sent}\" does not match requested key \"{own}\""))),
    }
}

/// `PUT /puppet/v3/facts/NAME`
pub(super) fn facts(shared: &Shared, asked: &Asked) -> Result<Answer, Answer> {
    let environment = asked.existing_environment(shared)?;
    check_body(asked, |named| named.name)?;
    shared.site.save_facts(&asked.client, environment, &asked.body).map_err(|why| Answer::failure(&why))?;
    // What PuppetDB's terminus returns of its queue; agents do not look at it.
    Ok(Answer::ok(JSON, "0"))
}

/// `PUT /puppet/v3/report/NAME`
pub(super) fn report(shared: &Shared, asked: &Asked) -> Result<Answer, Answer> {
    let environment = asked.existing_environment(shared)?;
    check_body(asked, |named| named.host)?;
    let saved = shared.site.save_report(&asked.client, environment, &asked.body);
    let processors = saved.map_err(|why| Answer::failure(&why))?;
    Ok(Answer::ok(JSON, json!(processors).to_string()))
}

/// `GET /puppet/v3/environments`
pub(super) fn environments(shared: &Shared) -> Result<Answer, Answer> {
    let settings = |environment: EnvironmentSettings| {
        let settings = json!({
            "modulepath": environment.modulepath.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "manifest": environment.manifest.to_string_lossy(),
            "environment_timeout": 0,
            "config_version": environment.config_version.unwrap_or_default(),
        });
        (environment.name, json!({ "settings": settings }))
    };
    let environments: serde_json::Map<String, Value> = shared.site.environments().into_iter().map(settings).collect();
    let url = |path: &PathBuf| format!("file://{}", path.display());
    let search_paths: Vec<String> = shared.site.search_paths().iter().map(url).collect();
    let body = json!({ "search_paths": search_paths, "environments": environments });
    Ok(Answer::ok("application/json", body.to_string()))
}
