//! The shortest chain of containers and relationships by which one resource is applied before another.

use crate::graph;
use catwalk_base::diag::Reason;
use catwalk_base::diag::visible;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;

/// The chain between two resources of a catalog as lines. `Err` in the result: there is no order between them.
///
/// # Errors
/// A name is not a reference, or the catalog has no such resource.
pub fn chain(catalog: &Catalog, first: &str, second: &str) -> Result<Result<String, String>, Reason> {
    let order = Order::new(catalog);
    let (first, second) = (find(catalog, &order, first)?, find(catalog, &order, second)?);
    let found = order.path(first, second).map(|steps| (steps, second));
    let found = found.or_else(|| order.path(second, first).map(|steps| (steps, first)));
    let Some((steps, last)) = found else {
        let names = [first, second].map(|at| reference(catalog, at));
        let text = format!("no order between {} and {}", names[0], names[1]);
        return Ok(Err(catalog.secrets.redact(&text).into_owned()));
    };
    let reasons = graph::Reasons::new(catalog, &order);
    let mut lines = Vec::new();
    for (at, (from, why)) in steps.iter().enumerate() {
        let to = steps.get(at + 1).map_or(last, |(next, _)| *next);
        lines.push(step(catalog, &reasons, (*from, to), *why));
    }
    Ok(Ok(catalog.secrets.redact(&lines.join("\n")).into_owned()))
}

fn reference(catalog: &Catalog, at: usize) -> String {
    let resource = catalog.resources.get(at);
    resource.map_or_else(String::new, |resource| visible::line(&resource.reference()).into_owned())
}

/// The resource of a reference.
///
/// # Errors
/// `name` is not a reference, or the catalog has no such resource: the message names similar ones.
fn find(catalog: &Catalog, order: &Order<'_>, name: &str) -> Result<usize, Reason> {
    let parts = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let Some((type_name, title)) = parts else {
        return Err(Reason::usage(format!("'{name}' is not a resource: write it as 'File[/etc/motd]'")));
    };
    let type_name = catwalk_base::names::Name::new(type_name).capitalized();
    let title = title.trim_matches(['\'', '"']);
    if let Some(at) = order.find(type_name.as_str(), title) {
        return Ok(at);
    }
    // Titles of classes are capitalized.
    let class = catwalk_base::names::Name::new(title).capitalized();
    if let Some(at) = order.find(type_name.as_str(), class.as_str()).filter(|_| type_name.as_str() == "Class") {
        return Ok(at);
    }
    let references: Vec<String> = catalog.resources.iter().map(catwalk_catalog::Resource::reference).collect();
    let reason = Reason::usage(format!("{} has no resource {type_name}[{title}]", catalog.name));
    Err(match catwalk_base::names::nearest(&format!("{type_name}[{title}]"), references.iter().map(String::as_str)) {
        Some(similar) => reason.help(format!("did you mean {}?", catalog.secrets.redact(similar))),
        None => reason,
    })
}

/// `File[/a] before File[/b]: 'require' of File[/b] (site.pp:3)`
fn step(
    catalog: &Catalog,
    reasons: &graph::Reasons<'_>,
    (from, to): (usize, usize),
    why: catwalk_catalog::OrderReason,
) -> String {
    let (how, position) = match why {
        catwalk_catalog::OrderReason::Containment => {
            // A container begins before its contents and ends after them.
            let (outer, inner) = if catalog.edges.contains(&(from, to)) { (from, to) } else { (to, from) };
            let resource = catalog.resources.get(inner);
            let position = resource.and_then(|inner| Some(format!("{}:{}", inner.file.as_ref()?, inner.line?)));
            (format!("{} contains {}", reference(catalog, outer), reference(catalog, inner)), position)
        }
        catwalk_catalog::OrderReason::Parameter(parameter) => reasons.describe((from, to), parameter),
    };
    let position = position.map_or_else(String::new, |position| format!(" ({position})"));
    format!("{} before {}: {how}{position}", reference(catalog, from), reference(catalog, to))
}
