//! Unused data for people and as JSON.

use std::path::Path;

use crate::session::data_use::Finding;
use crate::session::data_use::Kind;
use crate::session::data_use::Report;
use catwalk_base::source::path::shown;

fn describe(finding: &Finding) -> String {
    match (finding.kind, &finding.nearest, finding.key.rsplit_once("::")) {
        (Kind::Typo, Some(near), _) => format!("no such parameter; did you mean '{near}'?"),
        (Kind::Typo, None, Some((class, _))) => format!("class '{class}' has no such parameter"),
        (Kind::Overridden, ..) => "every node that looks it up finds another value first".to_owned(),
        _ => "no node looks it up".to_owned(),
    }
}

impl Report {
    /// The unused keys for people, with paths relative to a site.
    #[must_use]
    pub fn render_human(&self, root: Option<&Path>) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let path = shown(&finding.path, root);
            text.push_str(&format!("{path}:{}: {}: {}\n", finding.line, finding.key, describe(finding)));
        }
        let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
        text.push_str(&format!(
            "{} of {} in {} not used by {}",
            self.findings.len(),
            count(self.keys, "key"),
            count(self.files, "file"),
            count(self.nodes, "node")
        ));
        if !self.failed.is_empty() {
            text.push_str(&format!("; {} failed: their lookups after the failure are unknown", self.failed.len()));
        }
        text
    }

    /// The unused keys as JSON.
    #[must_use]
    pub fn render_json(&self, root: Option<&Path>) -> String {
        let findings: Vec<serde_json::Value> = self
            .findings
            .iter()
            .map(|finding| {
                serde_json::json!({
                    "kind": finding.kind.as_str(),
                    "key": finding.key,
                    "file": shown(&finding.path, root),
                    "line": finding.line,
                    "layer": &*finding.layer,
                    "nearest": finding.nearest,
                })
            })
            .collect();
        let failed: Vec<&str> = self.failed.iter().map(|(name, _)| name.as_ref()).collect();
        let document = serde_json::json!({
            "unused": findings,
            "keys": self.keys,
            "files": self.files,
            "nodes": self.nodes,
            "failed": failed,
        });
        serde_json::to_string_pretty(&document).unwrap_or_default()
    }
}
