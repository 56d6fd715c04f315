//! The classification of a node by a classifier service: `catwalk serve`, or Puppet Enterprise.
//!
//! In: a node, an address, certificates. Out: the service's document as it would be printed offline. Must not: read groups.

use serde_json::Value;
use serde_json::json;

use crate::classification::ClassifyOptions;
use crate::classification::Failure;
use crate::classification::Format;
use crate::classification::Service;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_classifier::Subject;
use catwalk_value::Value as PuppetValue;
use catwalk_value::json::to_json;
use catwalk_world::HttpRequest;
use catwalk_world::World;
use catwalk_world::excerpt;
use catwalk_world::status_reason;
use catwalk_world::url_component;

/// Asks a service about a node. The exit code is 1 if its groups conflict.
pub(crate) fn run(
    args: &ClassifyOptions,
    service: &Service,
    node: &Subject,
    world: &dyn World,
) -> Result<(String, u8), Failure> {
    if args.format == Some(Format::Human) {
        let text = "--format human needs the groups, and --server has only the service's documents";
        return Err(Failure::Usage(Reason::usage(text)));
    }
    let [fact, trusted] = [node.facts(), node.trusted()].map(|hash| to_json(&PuppetValue::Hash(hash)));
    let explanation = if args.explain { "/explanation" } else { "" };
    let request = HttpRequest {
        url: format!(
            "{}/v1/classified/nodes/{}{explanation}",
            service.url.trim_end_matches('/'),
            url_component(node.name())
        ),
        post: Some(json!({ "fact": fact, "trusted": trusted }).to_string()),
        identity: service.identity.clone(),
        ..HttpRequest::default()
    };
    let failed = |text: String| Failure::Failed(Box::from(Reason::new(Code::CLASSIFIER, text)));
    let response = world.fetch(&request).map_err(|refused| failed(refused.to_string()))?;
    let document: Option<Value> = serde_json::from_slice(&response.body).ok();
    let printed = |document: &Value| serde_json::to_string_pretty(document).unwrap_or_default();
    match (response.status, document) {
        (200, Some(document)) => Ok((printed(&document), u8::from(document.get("conflicts").is_some()))),
        (500, Some(document)) if document["kind"] == "classification-conflict" => Ok((printed(&document), 1)),
        (status, document) => {
            let body = String::from_utf8_lossy(&response.body);
            let problem = document.as_ref().and_then(|document| {
                Some(format!("{}: {}", document.get("kind")?.as_str()?, document.get("msg")?.as_str()?))
            });
            let problem = problem.unwrap_or_else(|| excerpt(body.trim()).into_owned());
            Err(failed(format!("{} answered {status} {}: {problem}", request.url, status_reason(status))))
        }
    }
}
