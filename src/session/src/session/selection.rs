//! The nodes that the user selects: by name, by pattern, or all.

use std::sync::Arc;

use indexmap::IndexSet;

use crate::Session;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::names::did_you_mean;

/// A hint: how to configure the nodes of a site.
pub const NODES_HELP: &str = "`nodes = \"nodes\"` in catwalk.toml names a folder with a file of facts for each node, \
    nodes/CERTNAME.json, as `puppet facts` prints them; {} is enough to begin with";

/// The nodes to compile: the named nodes and those that match a pattern such as `web*`, else all nodes of the site, else the node of the facts.
///
/// # Errors
/// No node has a name or matches a pattern, or the site lists none.
pub fn select(named: &[String], session: &Session) -> Result<Vec<Arc<str>>, Reason> {
    if !named.is_empty() {
        let mut names: IndexSet<Arc<str>> = IndexSet::new();
        for name in named {
            match is_pattern(name) {
                true => names.extend(matching(name, session)?),
                false => drop(names.insert(Arc::from(name.to_lowercase()))),
            }
        }
        return Ok(names.into_iter().collect());
    }
    if !session.options.has_facts() && session.site.nodes.is_some() {
        let nodes = session.node_names()?;
        if nodes.is_empty() {
            let text = "the site has no nodes: its folder of nodes has no .json or .yaml files";
            return Err(Reason::usage(text).help("`puppet facts > CERTNAME.json` on a node writes one"));
        }
        return Ok(nodes);
    }
    match session.facts_certname()? {
        Some(name) => Ok(vec![name]),
        None if session.options.code.is_some() => Ok(vec![Arc::from("localhost")]),
        None => {
            let text = "no node to compile: name one, give --facts, or set `nodes` in catwalk.toml";
            let name = "`CERTNAME --facts debian-12` uses facts that are built in (`catwalk facts list`)";
            Err(Reason::usage(text).help(format!("{name}; {NODES_HELP}")))
        }
    }
}

/// Whether a word is a pattern: no certname contains these characters.
#[must_use]
pub fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[', '{'])
}

/// The nodes of the site that match a pattern, in the order of their names.
fn matching(pattern: &str, session: &Session) -> Result<Vec<Arc<str>>, Reason> {
    let glob = globs::matcher(pattern, true).map_err(Reason::usage)?;
    let all = match session.site.nodes {
        Some(_) => session.node_names()?,
        None => {
            return Err(Reason::usage(format!("no node is called '{pattern}': the site lists none")).help(NODES_HELP));
        }
    };
    let matching: Vec<Arc<str>> = all.iter().filter(|name| glob.is_match(&***name)).cloned().collect();
    if matching.is_empty() {
        let reason = Reason::usage(format!("no node is called '{pattern}'"));
        let suggestion = did_you_mean(pattern, all.iter().map(AsRef::as_ref));
        return Err(reason.help(suggestion.unwrap_or_else(|| "`catwalk node list` lists them".to_owned())));
    }
    Ok(matching)
}
