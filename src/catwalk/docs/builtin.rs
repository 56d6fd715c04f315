//! Built-in documentation: Puppet's functions, resource types and data types, stdlib's functions, error codes.
//!
//! In: the tables beside the code. Out: pages, sorted by name. Must not: read files.

use crate::docs::Attribute;
use crate::docs::Example;
use crate::docs::Page;
use crate::docs::Topic;
use catwalk_base::diag::codes;
use catwalk_eval::Function;
use catwalk_functions as functions;
use catwalk_program::resource_types::docs as types;
use catwalk_value::types::docs as data_types;

/// The pages of a topic, sorted by name; error codes by area.
#[must_use]
pub fn pages(topic: Topic) -> Vec<Page> {
    let mut pages = match topic {
        Topic::Functions => {
            let puppet = functions::ALL.iter().map(|function| of_function(function, "Puppet"));
            puppet.chain(functions::of_stdlib().iter().map(|function| of_function(function, "stdlib"))).collect()
        }
        Topic::Types => types::all().into_iter().map(of_type).collect(),
        Topic::Classes => Vec::new(),
        Topic::Datatypes => data_types::ALL.iter().map(of_data_type).collect::<Vec<_>>(),
        Topic::Errors => return codes::AREAS.iter().flat_map(of_area).collect(),
    };
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn of_area(area: &codes::Area) -> impl Iterator<Item = Page> {
    area.entries.iter().map(|entry| Page {
        name: entry.code.to_string(),
        kind: "error code",
        origin: area.title.to_owned(),
        doc: entry.text(),
        ..Page::default()
    })
}

fn examples(table: &[(&str, &str)]) -> Vec<Example> {
    let example = |(code, gives): &(&str, &str)| Example {
        title: String::new(),
        code: (*code).to_owned(),
        gives: Some((*gives).to_owned()),
    };
    table.iter().map(example).collect()
}

fn of_function(function: &Function, origin: &str) -> Page {
    // Signatures that begin with `!` only serve error messages.
    let signatures = function.signatures.iter().map(|(text, _)| *text).filter(|text| !text.starts_with('!'));
    Page {
        name: function.name.to_owned(),
        kind: "function",
        origin: origin.to_owned(),
        signatures: signatures.map(|text| signature(function.name, text)).collect(),
        doc: function.doc.to_owned(),
        examples: examples(function.examples),
        ..Page::default()
    }
}

/// `f(String $a) >> String` of the parameter list of a function.
fn signature(name: &str, text: &str) -> String {
    match text.strip_prefix(">> ").map(|returns| ("", returns)).or_else(|| text.rsplit_once(" >> ")) {
        Some((parameters, returns)) => format!("{name}({parameters}) >> {returns}"),
        None => format!("{name}({text})"),
    }
}

fn of_type(found: types::TypeDoc) -> Page {
    let mut notes = found.relations;
    if !found.providers.is_empty() {
        notes.push(("providers".to_owned(), found.providers.join(", ")));
    }
    if !found.features.is_empty() {
        notes.push(("features".to_owned(), found.features.join(", ")));
    }
    let example = Example { code: found.example.trim_end().to_owned(), ..Example::default() };
    Page {
        name: found.name,
        kind: "resource type",
        origin: found.module.map_or_else(|| "Puppet".to_owned(), |module| format!("module {module}")),
        doc: found.doc,
        attributes: found.attributes.into_iter().map(of_attribute).collect(),
        notes,
        examples: if example.code.is_empty() { Vec::new() } else { vec![example] },
        ..Page::default()
    }
}

fn of_attribute(found: types::AttributeDoc) -> Attribute {
    Attribute {
        name: found.name,
        kind: found.kind,
        data_type: String::new(),
        values: found.values,
        feature: found.feature,
        default: found.default,
        doc: found.doc,
    }
}

/// The page of the attributes that every resource has.
#[must_use]
pub fn metaparameters() -> Page {
    Page {
        name: "metaparameters".to_owned(),
        kind: "resource type",
        origin: "Puppet".to_owned(),
        doc: "Attributes that every resource has: of a resource type, a class or a defined type.".to_owned(),
        attributes: types::metaparameters().into_iter().map(of_attribute).collect(),
        ..Page::default()
    }
}

fn of_data_type(found: &data_types::DataType) -> Page {
    let forms = found.forms.iter().chain(found.constructors);
    Page {
        name: found.name.to_owned(),
        kind: "data type",
        origin: "Puppet".to_owned(),
        signatures: forms.map(|form| (*form).to_owned()).collect(),
        doc: found.doc.to_owned(),
        examples: examples(found.examples),
        ..Page::default()
    }
}
