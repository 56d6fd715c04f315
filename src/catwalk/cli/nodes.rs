//! The nodes that a command compiles.

use std::sync::Arc;

use crate::cli::options;
use catwalk_base::diag::Reason;
use catwalk_session::session::Session;

/// A hint: how to configure the nodes of a site.
pub(super) const NODES_HELP: &str = "`nodes = \"nodes\"` in catwalk.toml names a folder with a file of facts for each node, \
    nodes/CERTNAME.json, as `puppet facts` prints them; {} is enough to begin with";

/// The nodes to compile: the named nodes, else all nodes of the site, else the node of the facts.
pub(super) fn select(named: &[String], session: &Session) -> Result<Vec<Arc<str>>, Reason> {
    if !named.is_empty() {
        let mut names: Vec<Arc<str>> = Vec::new();
        for name in named.iter().map(|name| name.to_lowercase()) {
            if !names.iter().any(|selected| **selected == *name) {
                names.push(Arc::from(name));
            }
        }
        return Ok(names);
    }
    if !session.options.has_facts() && session.site.nodes.is_some() {
        let nodes = session.node_names()?;
        if nodes.is_empty() {
            let text = "the site has no nodes: its folder of nodes has no .json or .yaml files";
            return Err(options::usage(text).help("`puppet facts > CERTNAME.json` on a node writes one"));
        }
        return Ok(nodes);
    }
    match session.facts_certname()? {
        Some(name) => Ok(vec![name]),
        None if session.options.code.is_some() => Ok(vec![Arc::from("localhost")]),
        None => {
            let text = "no node to compile: name one, give --facts, or set `nodes` in catwalk.toml";
            let name = "`CERTNAME --facts debian-12` uses facts that are built in (`catwalk facts list`)";
            Err(options::usage(text).help(format!("{name}; {NODES_HELP}")))
        }
    }
}
