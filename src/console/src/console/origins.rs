//! The origins of the parameters of a resource: a manifest, a default, data, a classifier, an override, a collector.
//!
//! In: an open node, compiled. Out: for each parameter a short description with its file and line. Must not: change declarations.

use std::path::Path;

use crate::console::Console;
use crate::console::lookup::Explain;
use crate::console::lookup::LookupRequest;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_base::source::path::shown;
use catwalk_catalog::Catalog;
use catwalk_eval::Evaluator;
use catwalk_eval::state::Entry;
use catwalk_eval::state::Param;
use catwalk_eval::state::ResourceDefinition;
use catwalk_node::classify::ClassificationPart;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::Value;
use catwalk_value::data::positions;

/// A node's catalog, and the origins of the parameters of one resource.
#[derive(Debug)]
pub struct ResourceOrigins {
    /// The catalog.
    pub catalog: Catalog,
    /// The messages logged while the catalog was finished.
    pub logs: Vec<Diagnostic>,
    /// The requested resource, by its index in the catalog, with the origin of each of its parameters.
    pub resource: Option<(usize, Vec<(Name, String)>)>,
}

impl Console<'_> {
    /// The catalog of the node, and the resource at the index that `choose` returns.
    ///
    /// # Errors
    /// The compile fails.
    pub fn describe(
        &mut self,
        choose: impl FnOnce(&Catalog) -> Option<usize>,
        root: Option<&Path>,
    ) -> Result<ResourceOrigins, Box<Diagnostic>> {
        let (copy, catalog, logs) = self.complete_catalog()?;
        let Some((at, resource)) = choose(&catalog).and_then(|at| Some((at, catalog.resources.get(at)?))) else {
            return Ok(ResourceOrigins { catalog, logs, resource: None });
        };
        let reference = resource.reference();
        let names: Vec<Name> = resource.parameters.keys().copied().collect();
        let entry = copy.state.resources.entries.iter().find(|entry| entry.reference() == reference);
        let mut origins = Vec::new();
        for name in names {
            let param = entry.and_then(|entry| Some((entry, entry.params.get(&name)?)));
            let origin = match param {
                Some((entry, param)) => self.origin(&copy, entry, name, param, root),
                None => String::new(),
            };
            origins.push((name, origin));
        }
        Ok(ResourceOrigins { catalog, logs, resource: Some((at, origins)) })
    }

    fn origin(
        &mut self,
        ev: &Evaluator<'_>,
        entry: &Entry<'_>,
        name: Name,
        param: &Param,
        root: Option<&Path>,
    ) -> String {
        let position = |span: Span| location(ev, span, root);
        if let Some(span) = param.span {
            let kind = match entry.span {
                Some(own) if own.file == span.file && own.start <= span.start && span.end <= own.end => "",
                _ => statement(ev, span),
            };
            return format!("{kind}{}", position(span));
        }
        let definition = match &entry.declared {
            ResourceDefinition::Class(Some(definition)) => {
                let class = definition.name.as_str();
                let part = ClassificationPart::Parameter(class.into(), name.as_str().into());
                if let Some(origin) = ev.node.origins.get(&part) {
                    return origin.to_string();
                }
                if let Some(origin) = self.data_origin(&format!("{class}::{name}"), root) {
                    return origin;
                }
                Some(*definition)
            }
            ResourceDefinition::Define(definition) => Some(*definition),
            _ => None,
        };
        match definition.and_then(|definition| default_span(definition, name)) {
            Some(span) => format!("default, {}", position(span)),
            None => String::new(),
        }
    }

    /// The file, line and level of data that has a key.
    fn data_origin(&mut self, key: &str, root: Option<&Path>) -> Option<String> {
        let keys = [key.to_owned()];
        let request = LookupRequest {
            keys: &keys,
            merge: &Value::Undef,
            value_type: None,
            default: None,
            explain: Explain::Lookup,
            show_secrets: false,
        };
        let found = self.look_up(&request).ok()?;
        found.value.ok()?;
        let mut descriptions = Vec::new();
        for origin in found.explanation?.found_in() {
            let line = self.ev.world.read(Path::new(&origin.path)).ok().and_then(|bytes| {
                let text = std::str::from_utf8(&bytes).ok()?;
                positions::find(text, &[key]).map(|(line, _)| format!(":{line}"))
            });
            let path = shown(Path::new(&origin.path), root);
            descriptions.push(format!("{path}{} (Hiera, {})", line.unwrap_or_default(), origin.level));
        }
        (!descriptions.is_empty()).then(|| descriptions.join(", "))
    }
}

/// The kind of statement that set a parameter outside of its resource's declaration, according to the source around it.
fn statement(ev: &Evaluator<'_>, span: Span) -> &'static str {
    let Some(source) = ev.program.sources.get(span.file) else { return "" };
    let before = source.text.get(..span.start as usize).unwrap_or_default();
    let mut depth = 0_usize;
    let open = before.char_indices().rev().find(|(_, c)| match c {
        '}' => {
            depth += 1;
            false
        }
        '{' if depth == 0 => true,
        '{' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    let head = open.and_then(|(at, _)| before.get(..at)).unwrap_or_default().trim_end();
    let word = head.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':')).next().unwrap_or_default();
    match head.chars().next_back() {
        Some('>') => "collector, ",
        Some(']') => "override, ",
        _ if word.trim_start_matches("::").starts_with(char::is_uppercase) => "resource default, ",
        _ => "",
    }
}

/// The position of a parameter's default.
fn default_span(definition: &Definition, name: Name) -> Option<Span> {
    let parameters = match &definition.kind {
        DefinitionKind::Class(class) => &class.params,
        DefinitionKind::Define(define) => &define.params,
        _ => return None,
    };
    let parameter = parameters.iter().find(|parameter| parameter.name == name)?;
    parameter.default.as_ref().map(|default| default.span)
}

fn location(ev: &Evaluator<'_>, span: Span, root: Option<&Path>) -> String {
    match ev.program.sources.locate(span) {
        Some((source, line, _)) => format!("{}:{line}", shown(Path::new(&*source.name), root)),
        None => String::new(),
    }
}
