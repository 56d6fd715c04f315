//! The terminus `http`: a service with the API of Puppet Enterprise's node classifier.
//!
//! In: the address of a service. Out: classifications (`POST /v1/classified/nodes/NAME`). Must not: use sockets; requests go through
//! [`World`].

use std::sync::Arc;

use crate::classify::Classification;
use crate::classify::Classifier;
use crate::classify::Request;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_classifier::group::AGENT_SPECIFIED;
use catwalk_classifier::problem::object;
use catwalk_classifier::values::entries;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::json::to_json;
use catwalk_world::HttpRequest;
use catwalk_world::Identity;
use catwalk_world::World;
use catwalk_world::url_component;

/// A classifier service.
#[derive(Clone, Debug)]
pub struct Service {
    /// The address without the version of the API: `https://pe.example.com:4433/classifier-api`.
    pub url: String,
    /// The client's certificate, and the authority that signed the service's certificate.
    pub identity: Identity,
}

impl Classifier for Service {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let name = &request.certname;
        let fail = |text: String| -> Box<Diagnostic> {
            let text = format!("Failed when searching for node {name}: {text}");
            Box::from(Reason::new(Code::ENC_FAILED, text))
        };
        let body =
            object([("fact", Value::Hash(request.facts.clone())), ("trusted", Value::Hash(request.trusted.clone()))]);
        let fetch = HttpRequest {
            url: format!("{}/v1/classified/nodes/{}", self.url.trim_end_matches('/'), url_component(name)),
            post: Some(to_json(&body).to_string()),
            identity: self.identity.clone(),
            ..HttpRequest::default()
        };
        let response = world.fetch(&fetch).map_err(|refused| {
            let failure = *fail(refused.to_string());
            let reason = failure.into_reason().because(refused.cause());
            Box::from(reason)
        })?;
        let answer = json::parse(&response.body);
        if response.status != 200 {
            let message = match &answer {
                Ok(Value::Hash(problem)) => {
                    let text = |key: &str| problem.get(key).and_then(Value::as_str);
                    text("kind").zip(text("msg")).map(|(kind, text)| format!("{kind}: {text}"))
                }
                _ => None,
            };
            let body_excerpt = || String::from_utf8_lossy(&response.body).trim().chars().take(200).collect();
            let message = message.unwrap_or_else(body_excerpt);
            return Err(fail(format!("{} answered {}: {message}", fetch.url, response.status)));
        }
        let answer = answer.map_err(|error| fail(format!("{} returned no JSON: {}", fetch.url, error.message)))?;
        let mut classification =
            Classification::from_value(&answer).map_err(|reason| fail(format!("{}: {}", fetch.url, reason.message)))?;
        // `agent-specified` keeps the environment that the agent requests.
        classification.environment = classification.environment.filter(|environment| **environment != *AGENT_SPECIFIED);
        if let Value::Hash(answer) = &answer {
            for (class, parameters) in entries(answer.get("config_data")) {
                for (parameter, value) in entries(Some(parameters)) {
                    classification.data.insert(Arc::from(format!("{class}::{parameter}")), value.clone());
                }
            }
        }
        Ok(classification)
    }
}
