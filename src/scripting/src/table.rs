//! The table of the script API: one entry for each function, method and property.
//!
//! In: entries from [`crate::api`]. Out: registration, the generated definitions file and reference page, and the table of
//! `script check`. Must not: contain the entries.

use crate::natives::Natives;

/// When scripts run: bits of [`Item::phases`].
pub(super) mod phase {
    /// The top of a file, once, when it is loaded.
    pub(crate) const LOAD: u8 = 1;
    /// Classification of a node: `classify`, rules of groups.
    pub(crate) const CLASSIFY: u8 = 2;
    /// A function called by a catalog's compile.
    pub(crate) const FUNCTION: u8 = 4;
    /// A backend called by a lookup.
    pub(crate) const HIERA: u8 = 8;
    /// A policy, on a finished catalog.
    pub(crate) const POLICY: u8 = 16;
    /// Tests of scripts.
    pub(crate) const TEST: u8 = 32;
    /// A provider or a transport, while a catalog is applied.
    pub(crate) const PROVIDER: u8 = 64;
    /// Whenever there is a running compile or an evaluator for it.
    pub(crate) const COMPILING: u8 = FUNCTION | HIERA | POLICY | TEST;
    /// Always.
    pub(crate) const ANY: u8 = 127;

    /// The names of the phases, for messages and documentation.
    pub(crate) const NAMES: [(u8, &str); 7] = [
        (LOAD, "loading"),
        (CLASSIFY, "classifier"),
        (FUNCTION, "function"),
        (HIERA, "Hiera backend"),
        (POLICY, "policy"),
        (TEST, "test"),
        (PROVIDER, "provider"),
    ];
}

/// The syntax in which an entry is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `name(…)`
    Function,
    /// `value.name(…)`
    Method,
    /// `value.name`
    Property,
    /// `value.name`, and `value.name = …`
    Variable,
    /// `value[key]`
    Index,
}

/// An entry.
pub(super) struct Item {
    /// The type of the receiver; empty for functions.
    pub(super) receiver: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Parameters as `name: Type`; a final `...` means up to eight further parameters of any type.
    pub(super) params: &'static [&'static str],
    /// Its return type; empty: nothing.
    pub(super) returns: &'static str,
    /// The phases in which it is available.
    pub(super) phases: u8,
    pub(super) doc: &'static str,
    pub(super) register: fn(&mut Natives, &'static str),
}

impl Item {
    /// The minimum and maximum number of arguments of a call, without the receiver.
    pub(super) fn arity(&self) -> (usize, usize) {
        match self.params.split_last() {
            Some((&"...", before)) => (before.len(), before.len() + 8),
            _ => (self.params.len(), self.params.len()),
        }
    }

    /// The signature: `Hash.get(path: String, default: Any) -> Any`.
    pub(super) fn signature(&self) -> String {
        let params = self.params.join(", ");
        let returns = if self.returns.is_empty() { String::new() } else { format!(" -> {}", self.returns) };
        match self.kind {
            Kind::Function => format!("{}({params}){returns}", self.name),
            Kind::Method => format!("{}.{}({params}){returns}", self.receiver, self.name),
            Kind::Property | Kind::Variable => format!("{}.{}: {}", self.receiver, self.name, self.returns),
            Kind::Index => format!("{}[{params}]: {}", self.receiver, self.returns),
        }
    }

    /// When it is available, in words; `None`: always.
    pub(super) fn phases(&self) -> Option<String> {
        if self.phases == phase::ANY {
            return None;
        }
        let names = phase::NAMES.iter().filter(|(bit, _)| self.phases & bit != 0).map(|(_, name)| *name);
        Some(names.collect::<Vec<_>>().join(", "))
    }
}

/// A function.
pub(super) const fn function(
    name: &'static str,
    params: &'static [&'static str],
    returns: &'static str,
    phases: u8,
    doc: &'static str,
    register: fn(&mut Natives, &'static str),
) -> Item {
    Item { receiver: "", name, kind: Kind::Function, params, returns, phases, doc, register }
}

/// A method, which is available in every phase.
pub(super) const fn method(
    receiver: &'static str,
    name: &'static str,
    params: &'static [&'static str],
    returns: &'static str,
    doc: &'static str,
    register: fn(&mut Natives, &'static str),
) -> Item {
    Item { receiver, name, kind: Kind::Method, params, returns, phases: phase::ANY, doc, register }
}

/// A property that is read.
pub(super) const fn property(
    receiver: &'static str,
    name: &'static str,
    returns: &'static str,
    doc: &'static str,
    register: fn(&mut Natives, &'static str),
) -> Item {
    Item { receiver, name, kind: Kind::Property, params: &[], returns, phases: phase::ANY, doc, register }
}

/// A description of each type.
pub(super) const TYPES: &[(&str, &str)] = &[
    (
        "Hash",
        "A Puppet hash: ordered, with keys of any type. Passing it on copies nothing; writing to it copies it if it is shared.",
    ),
    ("Node", "The node to classify."),
    ("Classification", "The result of a classifier: classes, variables and the environment of a node."),
    (
        "Context",
        "The `context` of a Hiera backend: interpolation, cache and explanation of a lookup. The cache belongs to the hierarchy level and its path.",
    ),
    (
        "ProviderContext",
        "The `context` of a provider: logs changes and has the type, the device and the options of the run. It is valid while the provider runs.",
    ),
    ("ResourceType", "The type that a provider manages: `context.type`."),
    ("Provider", "A provider in a test: `provider(\"thing\")`."),
    ("Catalog", "The finished catalog, as a policy sees it."),
    ("Resource", "A resource of a catalog."),
    (
        "PuppetValue",
        "A value without a type in Rhai: a data type, a reference, a regular expression, a time, `default`. It can be compared, printed and returned.",
    ),
    ("Sensitive", "A secret: printing it yields a placeholder."),
    ("Error", "The error of a Puppet function, as `try … catch(e)` catches it."),
];

/// All entries as a file of definitions (`.d.rhai`), for editors and readers.
pub(super) fn definitions(items: &[&Item]) -> String {
    let mut text = String::from(
        "// What Catwalk adds to Rhai. Generated by `catwalk script definitions`; a method's first parameter is its receiver.\n\nmodule static;\n",
    );
    for (name, doc) in TYPES {
        text.push_str(&format!("\n/// {doc}\ntype {name};\n"));
    }
    for item in items {
        text.push('\n');
        for line in item.doc.lines() {
            text.push_str(&format!("/// {line}\n"));
        }
        if let Some(phases) = item.phases() {
            text.push_str(&format!("///\n/// Only in: {phases}.\n"));
        }
        let this = if item.receiver.is_empty() { None } else { Some(format!("this: {}", item.receiver)) };
        let params: Vec<String> = this.into_iter().chain(item.params.iter().map(|p| (*p).to_owned())).collect();
        let params = params.join(", ");
        let returns = if item.returns.is_empty() { "()" } else { item.returns };
        text.push_str(&match item.kind {
            Kind::Function | Kind::Method => format!("fn {}({params}) -> {returns};\n", item.name),
            Kind::Property => format!("fn get {}({params}) -> {returns};\n", item.name),
            Kind::Variable => format!(
                "fn get {}({params}) -> {returns};\nfn set {}({params}, value: {returns}) -> ();\n",
                item.name, item.name
            ),
            Kind::Index => format!("fn index get({params}) -> {returns};\n"),
        });
    }
    text
}

/// All entries as a page in Markdown.
pub(super) fn reference_page(items: &[&Item]) -> String {
    let mut text = String::from(
        "# Script API\n\nThe functions and types that scripts can use beside [Rhai's own](https://rhai.rs/book/lib/); [scripts.md](scripts.md) shows how. Generated by\n`catwalk script definitions --format markdown`.\n\n## Functions\n",
    );
    let list = |text: &mut String, receiver: &str| {
        for item in items.iter().filter(|item| item.receiver == receiver) {
            let phases = item.phases().map(|phases| format!(" *In: {phases}.*")).unwrap_or_default();
            text.push_str(&format!("\n- `{}`<br>{}{phases}", item.signature(), item.doc.replace('\n', " ")));
        }
        text.push('\n');
    };
    list(&mut text, "");
    for (name, doc) in TYPES {
        text.push_str(&format!("\n## {name}\n\n{doc}\n"));
        if items.iter().any(|item| item.receiver == *name) {
            list(&mut text, name);
        }
    }
    text
}
