//! Differences of a node's catalog after a compile.
//!
//! In: two catalogs of a node. Out: their [`Diff`]. Must not: print. Most resources are unchanged: only changed ones become
//! documents, which are compared in detail.

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use serde_json::Value as Document;
use serde_json::json;

use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_formats::diff;
use catwalk_formats::diff::CONTAINS;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::Edge;
use catwalk_formats::diff::comparable::Form;
use catwalk_formats::wire;
use catwalk_value::Type;
use catwalk_value::Value;

/// The difference of two catalogs, as [`diff::diff`] computes it for their documents.
///
/// # Errors
///
/// A resource that differs has no document.
pub(super) fn diff_catalogs(old: &Catalog, new: &Catalog) -> Result<Diff, Reason> {
    let after = find_partners(old, new);
    let mut before = vec![None; new.resources.len()];
    for (at, partner) in after.iter().enumerate() {
        if let Some(position) = partner.and_then(|partner| before.get_mut(partner)) {
            *position = Some(at);
        }
    }
    let (mut old_resources, mut new_resources) = (Vec::new(), Vec::new());
    for (resource, partner) in old.resources.iter().zip(&after) {
        if !partner.and_then(|at| new.resources.get(at)).is_some_and(|partner| is_same_resource(resource, partner)) {
            old_resources.push(wire::native::resource(resource)?);
        }
    }
    for (resource, partner) in new.resources.iter().zip(&before) {
        if !partner.and_then(|at| old.resources.get(at)).is_some_and(|partner| is_same_resource(partner, resource)) {
            new_resources.push(wire::native::resource(resource)?);
        }
    }
    // A value that is secret in one catalog must not be shown from the other.
    let secrets = old.secrets.union(&new.secrets, new.secrets.key());
    let mut result = match old_resources.is_empty() && new_resources.is_empty() {
        true => Diff::default(),
        false => {
            let (before, after) = (document_of(old_resources), document_of(new_resources));
            diff::diff(&Redacted::new(before, &secrets), &Redacted::new(after, &secrets), Form::Native)
        }
    };
    // Only edges whose ends are in both catalogs are compared.
    let end = |positions: &[Option<usize>], at: usize| positions.get(at).copied().flatten();
    let old_edges: FxHashSet<(usize, usize)> =
        old.edges.iter().filter_map(|(from, to)| Some((end(&after, *from)?, end(&after, *to)?))).collect();
    let is_shared = |(from, to): &&(usize, usize)| end(&before, *from).is_some() && end(&before, *to).is_some();
    let new_edges: FxHashSet<(usize, usize)> = new.edges.iter().filter(is_shared).copied().collect();
    result.edges_added.extend(containment_edges(new, &secrets, (new, None), new_edges.difference(&old_edges)));
    result.edges_removed.extend(containment_edges(
        new,
        &secrets,
        (old, Some(&before)),
        old_edges.difference(&new_edges),
    ));
    result.sort_edges();
    Ok(result)
}

fn document_of(resources: Vec<Document>) -> Document {
    // The macro would copy them.
    let mut document = json!({"edges": []});
    if let Some(members) = document.as_object_mut() {
        members.insert("resources".to_owned(), Document::Array(resources));
    }
    document
}

/// Containment edges between resources of `new`. Their files and lines are those of the resources in `declaring`, at `positions`.
fn containment_edges<'a>(
    new: &Catalog,
    secrets: &Secrets,
    (declaring, positions): (&Catalog, Option<&[Option<usize>]>),
    edges: impl Iterator<Item = &'a (usize, usize)>,
) -> Vec<Edge> {
    let name = |at: usize| Some(secrets.redact(&new.resources.get(at)?.reference()).into_owned());
    let declared = |at: usize| {
        let at = positions.map_or(Some(at), |positions| positions.get(at).copied().flatten())?;
        let resource = declaring.resources.get(at)?;
        Some(format!("{}:{}", resource.file.as_ref()?, resource.line?))
    };
    let edge = |(from, to): &(usize, usize)| Some(Edge::new(&name(*from)?, CONTAINS, &name(*to)?, |_| declared(*to)));
    edges.filter_map(edge).collect()
}

/// For each resource of a catalog, the index of the resource with the same reference in another. Most are in the same order.
fn find_partners(catalog: &Catalog, other: &Catalog) -> Vec<Option<usize>> {
    let mut positions: Option<FxHashMap<(Name, &str), usize>> = None;
    let mut next = 0;
    let mut partner = |resource: &Resource| {
        let is_same =
            |candidate: &Resource| candidate.type_name == resource.type_name && candidate.title == resource.title;
        let index = match other.resources.get(next).is_some_and(is_same) {
            true => Some(next),
            false => {
                let positions = positions.get_or_insert_with(|| {
                    let resources = other.resources.iter().zip(0..);
                    resources.map(|(resource, at)| ((resource.type_name, &*resource.title), at)).collect()
                });
                positions.get(&(resource.type_name, &*resource.title)).copied()
            }
        };
        if let Some(at) = index {
            next = at + 1;
        }
        index
    };
    catalog.resources.iter().map(&mut partner).collect()
}

/// Whether two resources are certainly equal in everything that is compared.
fn is_same_resource(a: &Resource, b: &Resource) -> bool {
    let parameters = || {
        let mut pairs = a.parameters.iter().zip(b.parameters.iter());
        a.parameters.len() == b.parameters.len() && pairs.all(|((a, x), (b, y))| a == b && is_same_value(x, y))
    };
    (a.exported == Some(true)) == (b.exported == Some(true))
        && a.title_is_main == b.title_is_main
        && a.namevar == b.namevar
        && a.tags == b.tags
        && a.sensitive == b.sensitive
        && parameters()
}

fn is_same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Symbol(a), Value::Symbol(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Undef, Value::Undef) | (Value::Default, Value::Default) => true,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same_value(a, b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let pair =
                |((a, x), (b, y)): ((&Value, &Value), (&Value, &Value))| is_same_value(a, b) && is_same_value(x, y);
            a.len() == b.len() && a.iter().zip(b.iter()).all(pair)
        }
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Sensitive(a), Value::Sensitive(b)) => is_same_value(a, b),
        // Compared by spelling: types that are equal in the language may differ in case.
        (Value::Type(Type::Resource(a)), Value::Type(Type::Resource(b))) => {
            (&a.type_name, &a.title, a.resolved) == (&b.type_name, &b.title, b.resolved)
        }
        (Value::Type(Type::Class(a)), Value::Type(Type::Class(b))) => a == b,
        (Value::Ruby(a), Value::Ruby(b)) => a.text == b.text,
        _ => false,
    }
}
