//! Built-in documentation: Puppet's functions, resource types and data types, stdlib's functions, error codes.
//!
//! In: the tables beside the code. Out: pages, sorted by name. Must not: read files.

use crate::guides;
use crate::page::Attribute;
use crate::page::Example;
use crate::page::Page;
use crate::page::Topic;
use catwalk_base::diag::codes;
use catwalk_eval::Function;
use catwalk_functions as functions;
use catwalk_program::docs as types;
use catwalk_value::docs as data_types;

/// The pages of a topic, sorted by name; error codes by area.
#[must_use]
pub fn pages(topic: Topic) -> Vec<Page> {
    let mut pages = match topic {
        Topic::Functions => {
            let puppet = functions::ALL.iter().map(|function| function_page(function, "Puppet"));
            puppet
                .chain(functions::stdlib_functions().iter().map(|function| function_page(function, "stdlib")))
                .collect()
        }
        Topic::Types => types::all().into_iter().map(type_page).collect(),
        Topic::Classes => Vec::new(),
        Topic::Datatypes => data_types::ALL.iter().map(data_type_page).collect::<Vec<_>>(),
        Topic::Guides => guides::pages(),
        Topic::Errors => return codes::AREAS.iter().flat_map(error_pages).collect(),
    };
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn error_pages(area: &codes::Area) -> impl Iterator<Item = Page> {
    area.entries.iter().map(|entry| Page {
        name: entry.code.to_string(),
        kind: "error code",
        origin: area.title.to_owned(),
        doc: entry.text(),
        ..Page::default()
    })
}

fn examples(table: &[(&str, &str)]) -> Vec<Example> {
    let example = |(code, result): &(&str, &str)| Example {
        title: String::new(),
        code: (*code).to_owned(),
        result: Some((*result).to_owned()),
    };
    table.iter().map(example).collect()
}

fn function_page(function: &Function, origin: &str) -> Page {
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

fn type_page(doc: types::TypeDoc) -> Page {
    let mut notes = doc.relations;
    if !doc.providers.is_empty() {
        notes.push(("providers".to_owned(), doc.providers.join(", ")));
    }
    if !doc.features.is_empty() {
        notes.push(("features".to_owned(), doc.features.join(", ")));
    }
    let example = Example { code: doc.example.trim_end().to_owned(), ..Example::default() };
    Page {
        name: doc.name,
        kind: "resource type",
        origin: doc.module.map_or_else(|| "Puppet".to_owned(), |module| format!("module {module}")),
        doc: doc.doc,
        attributes: doc.attributes.into_iter().map(attribute).collect(),
        notes,
        examples: if example.code.is_empty() { Vec::new() } else { vec![example] },
        ..Page::default()
    }
}

fn attribute(doc: types::AttributeDoc) -> Attribute {
    Attribute {
        name: doc.name,
        kind: doc.kind,
        data_type: String::new(),
        values: doc.values,
        feature: doc.feature,
        default: doc.default,
        doc: doc.doc,
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
        attributes: types::metaparameters().into_iter().map(attribute).collect(),
        ..Page::default()
    }
}

fn data_type_page(doc: &data_types::DataType) -> Page {
    let forms = doc.forms.iter().chain(doc.constructors);
    Page {
        name: doc.name.to_owned(),
        kind: "data type",
        origin: "Puppet".to_owned(),
        signatures: forms.map(|form| (*form).to_owned()).collect(),
        doc: doc.doc.to_owned(),
        examples: examples(doc.examples),
        ..Page::default()
    }
}
