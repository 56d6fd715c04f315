//! The parts of a case that do not depend on its fact set.
//!
//! In: the merged keys of a case. Out: a [`Case`] for each fact set. Must not: select fact sets.

use super::hash;
use super::list;
use super::text;
use crate::case::Case;
use crate::case::Subject;
use crate::case::file_name;
use crate::expect::Expect;
use crate::facts::FactSet;
use crate::invalid::Invalid;
use catwalk_node::facts::overrides;
use catwalk_node::facts::overrides::FactOverride;
use catwalk_node::facts::overrides::merge;
use catwalk_node::facts::overrides::merge_facts;
use catwalk_node::facts::overrides::nest_dotted;
use catwalk_session::TestNode;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::to_program;
use std::sync::Arc;

/// The file that a case is in, and the label of the case in that file.
pub(super) struct CaseOrigin<'a> {
    pub(super) stem: &'a str,
    pub(super) display_path: &'a str,
    pub(super) label: &'a str,
    /// The line of the case, from 1.
    pub(super) line: u32,
}

/// The parts of a case that are the same for all its fact sets.
pub(super) struct CaseTemplate {
    code: String,
    expect: Expect,
    snapshot: bool,
    facts: Option<Arc<Hash>>,
    trusted: Option<Arc<Hash>>,
    data: Option<Arc<Hash>>,
    variables: Arc<Hash>,
    node: Option<String>,
    classes: Vec<Arc<str>>,
}

impl CaseTemplate {
    pub(super) fn read(code: String, keys: &Hash) -> Result<CaseTemplate, Invalid> {
        let expect = keys.get("expect").map(Expect::read).transpose()?.unwrap_or_default();
        let snapshot = match keys.get("snapshot") {
            None => expect.fails.is_none(),
            Some(Value::Bool(enabled)) => *enabled,
            Some(_) => return Err(Invalid::from("`snapshot` must be true or false").within("snapshot")),
        };
        let read_hash = |key: &str| keys.get(key).map(|value| hash(value, key)).transpose();
        Ok(CaseTemplate {
            code,
            expect,
            snapshot,
            facts: read_hash("facts")?,
            trusted: read_hash("trusted")?,
            data: read_hash("data")?,
            variables: read_hash("variables")?.unwrap_or_default(),
            node: keys.get("node").map(|node| text(node, "node").map(str::to_owned)).transpose()?,
            classes: match keys.get("classes") {
                None => Vec::new(),
                Some(value) => {
                    list(value).map(|name| text(name, "classes").map(Arc::from)).collect::<Result<_, _>>()?
                }
            },
        })
    }

    /// The case with a fact set.
    pub(super) fn build_case(
        &self,
        origin: &CaseOrigin<'_>,
        set: Option<&FactSet>,
        overrides: &[FactOverride],
    ) -> Case {
        let certname = self.node.as_deref().or(set.and_then(|set| set.certname.as_deref()));
        let certname = certname.unwrap_or("test.example.com").to_lowercase();
        let base = set.map(|set| set.facts.clone()).unwrap_or_default();
        let facts = match &self.facts {
            Some(facts) => Arc::new(merge_facts(&base, &nest_dotted(facts))),
            None => base,
        };
        let layers = [set.and_then(|set| set.trusted.as_ref()), self.trusted.as_ref()];
        let trusted = layers.iter().any(Option::is_some).then(|| {
            layers.into_iter().flatten().fold(catwalk_node::trusted(&certname), |trusted, layer| merge(&trusted, layer))
        });
        let suffix = set.map(|set| format!("@{}", set.name)).unwrap_or_default();
        let name = match (origin.label, suffix.as_str()) {
            ("", "") => "default".to_owned(),
            (label, suffix) => format!("{label}{suffix}"),
        };
        let name = name.strip_prefix('@').unwrap_or(&name);
        let unique_name = format!("{}/{}", file_name(origin.stem), file_name(name));
        Case {
            name: unique_name.clone(),
            title: format!("{}: {name}", origin.display_path),
            source: origin.display_path.to_owned(),
            line: origin.line,
            subject: Subject::TestNode(Box::new(TestNode {
                certname: Arc::from(certname),
                case: Some(Arc::from(unique_name)),
                facts: overrides::apply(facts, overrides),
                trusted,
                data: self.data.clone(),
                code: Some(self.code.clone()),
                classes: self.classes.clone(),
                variables: self.variables.clone(),
                relates_automatically: self.expect.has_order(),
            })),
            expect: self.expect.clone(),
            snapshot: self.snapshot,
        }
    }
}

/// The code of a case.
pub(super) fn code(keys: &Hash) -> Result<String, Invalid> {
    let get = |key: &str| keys.get(key).filter(|value| !value.is_undef()).map(|value| text(value, key)).transpose();
    let mut code = String::new();
    if let Some(before) = get("before")? {
        code.push_str(before.trim_end());
        code.push('\n');
    }
    let parameters = keys.get("parameters").map(|value| hash(value, "parameters")).transpose()?;
    let attributes = |parameters: &Option<Arc<Hash>>| -> Result<String, Invalid> {
        let mut attributes = String::new();
        for (name, value) in parameters.iter().flat_map(|parameters| parameters.iter()) {
            let name = text(name, "parameters")?;
            attributes.push_str(&format!("\n  {name} => {},", to_program(value)));
        }
        if !attributes.is_empty() {
            attributes.push('\n');
        }
        Ok(attributes)
    };
    match (get("class")?, get("define")?, get("code")?) {
        (Some(class), None, None) => match parameters.as_ref().is_none_or(|parameters| parameters.is_empty()) {
            true => code.push_str(&format!("include {class}\n")),
            false => code.push_str(&format!("class {{ '{class}':{}}}\n", attributes(&parameters)?)),
        },
        (None, Some(define), None) => {
            let title = get("title")?.unwrap_or("test");
            let title = catwalk_value::puppet_quote(title);
            code.push_str(&format!("{define} {{ {title}:{}}}\n", attributes(&parameters)?));
        }
        (None, None, Some(text)) => {
            if parameters.is_some() {
                return Err(
                    Invalid::from("`parameters` go with `class` or `define`, not with `code`").within("parameters")
                );
            }
            code.push_str(text);
        }
        (None, None, None) if keys.get("classes").is_some() || !code.is_empty() => {}
        (None, None, None) => return Err("it needs one of `class`, `define` and `code`".into()),
        _ => return Err(Invalid::from("only one of `class`, `define` and `code` can be given").within("code")),
    }
    Ok(code)
}
