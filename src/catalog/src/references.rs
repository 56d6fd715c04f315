//! The references in relationship parameters, and the resources that they name.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::Catalog;
use crate::split_reference;
use catwalk_base::names::Name;
use catwalk_value::Type;
use catwalk_value::Value;

/// The declared relationships between resources that reach the agent: the resource that is applied first, the resource that is
/// applied later, and the metaparameter.
pub(crate) fn relationships(catalog: &Catalog) -> Vec<(usize, usize, &'static str)> {
    // An exported resource that is not collected never reaches the agent.
    let is_applied = |at: usize| catalog.resources.get(at).is_some_and(|resource| !resource.is_virtual);
    // Built for the first relationship: many catalogs have none.
    let mut known_names = None;
    let mut relationships = Vec::new();
    let parameters = [
        (catwalk_base::name!("before"), true),
        (catwalk_base::name!("notify"), true),
        (catwalk_base::name!("require"), false),
        (catwalk_base::name!("subscribe"), false),
    ];
    for (at, resource) in catalog.resources.iter().enumerate().filter(|(at, _)| is_applied(*at)) {
        for (parameter, forward) in parameters {
            let Some(value) = resource.parameters.get(&parameter) else { continue };
            let names = known_names.get_or_insert_with(|| collect_names(catalog));
            for_each_reference(value, &mut |type_name, title| {
                let Some(target) = find_resource(names, type_name, title).filter(|at| is_applied(*at)) else { return };
                let (first, then) = if forward { (at, target) } else { (target, at) };
                relationships.push((first, then, parameter.as_str()));
            });
        }
    }
    relationships
}

/// The resource to which a relationship refers by this title, alias or name. Trailing slashes of files are ignored.
pub(crate) fn find_resource(names: &Names<'_>, type_name: Name, title: &str) -> Option<usize> {
    let is_file = type_name == catwalk_base::name!("File");
    let title = if is_file && title.len() > 1 { title.trim_end_matches('/') } else { title };
    names.get(&(type_name, title)).copied()
}

/// Resources by type and by the names that relationships may use.
pub(crate) type Names<'a> = HashMap<(Name, &'a str), usize, FxBuildHasher>;

/// Collects the names that relationships may use: titles, aliases, values of name attributes. Titles win over others.
pub(crate) fn collect_names(catalog: &Catalog) -> Names<'_> {
    let mut names: Names<'_> = HashMap::with_capacity_and_hasher(catalog.resources.len() * 2, FxBuildHasher);
    for (at, resource) in catalog.resources.iter().enumerate() {
        names.insert((resource.type_name, &resource.title), at);
    }
    let alias = catwalk_base::name!("alias");
    for (at, resource) in catalog.resources.iter().enumerate() {
        let mut add = |name| add_name(&mut names, (at, resource.type_name), name);
        match resource.parameters.get(&alias) {
            Some(Value::Array(aliases)) => aliases.iter().for_each(&mut add),
            Some(alias) => add(alias),
            None => {}
        }
        if resource.isomorphic
            && let Some(name) = resource.parameters.get(&resource.namevar)
        {
            add(name);
        }
    }
    names
}

fn add_name<'a>(names: &mut Names<'a>, (at, type_name): (usize, Name), name: &'a Value) {
    if let Value::Str(name) = name {
        names.entry((type_name, name)).or_insert(at);
    }
}

/// Calls `visit` with the type and title of each reference in the value of a relationship parameter.
pub fn for_each_reference(value: &Value, visit: &mut dyn FnMut(Name, &str)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| for_each_reference(item, visit)),
        Value::Str(text) => {
            if let Some((type_name, title)) = split_reference(text) {
                visit(Name::new(type_name), title);
            }
        }
        Value::Type(Type::Resource(resource)) => {
            if let (Some(type_name), Some(title)) = (resource.type_name.as_deref(), resource.title.as_deref()) {
                visit(Name::new(type_name).capitalized(), title);
            }
        }
        Value::Type(Type::Class(Some(class))) => {
            visit(catwalk_base::name!("Class"), Name::new(class).capitalized().as_str())
        }
        _ => {}
    }
}
