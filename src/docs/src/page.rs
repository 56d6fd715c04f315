//! The documentation of one entry, the topics, and finding an entry by its name.

use serde::Serialize;

use catwalk_base::names::similarity;

/// A topic of the documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// Functions in any language.
    Functions,
    /// Resource types and defined types.
    Types,
    /// Classes.
    Classes,
    /// Data types and type aliases.
    Datatypes,
    /// Codes of errors and warnings.
    Errors,
    /// Guides by task.
    Guides,
}

impl Topic {
    /// All topics, in the order in which they are searched.
    pub const ALL: [Topic; 6] =
        [Topic::Functions, Topic::Types, Topic::Classes, Topic::Datatypes, Topic::Errors, Topic::Guides];

    /// The topic's name on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Topic::Functions => "functions",
            Topic::Types => "types",
            Topic::Classes => "classes",
            Topic::Datatypes => "datatypes",
            Topic::Errors => "errors",
            Topic::Guides => "guides",
        }
    }

    /// The noun for one entry.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Topic::Functions => "function",
            Topic::Types => "type",
            Topic::Classes => "class",
            Topic::Datatypes => "data type",
            Topic::Errors => "error code",
            Topic::Guides => "guide",
        }
    }
}

/// The documentation of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The name as in a manifest.
    pub name: String,
    /// `function`, `resource type`, `defined type`, `class`, `data type`, `type alias`, `error code`, `guide`.
    pub kind: &'static str,
    /// Its origin: `Puppet`, `stdlib` (built in, if that module is on the modulepath), `module x: path`.
    pub origin: String,
    /// The forms of call or declaration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// The description; an empty line separates paragraphs.
    pub doc: String,
    /// Attributes or parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<Attribute>,
    /// Further facts, such as providers, with their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(String, String)>,
    /// Examples.
    pub examples: Vec<Example>,
}

/// An attribute of a type or a parameter of a function, class or define.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// `namevar`, `property`, `parameter`, `metaparameter`.
    pub kind: String,
    /// Its data type, if it has one.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub data_type: String,
    /// Values by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The provider feature that the attribute requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// Its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Its description.
    pub doc: String,
}

/// Code, with its result if that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The code.
    pub code: String,
    /// The result: a value in Puppet syntax, `error: …`, or a log line `level: …`.
    #[serde(rename = "gives", skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl Page {
    /// The first sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let paragraph = self.doc.trim().split("\n\n").next().unwrap_or_default();
        // A guide begins with its title.
        let paragraph = paragraph.strip_prefix("# ").unwrap_or(paragraph);
        let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.match_indices(". ").map(|(at, _)| at).find(|at| {
            let next = text.get(at + 2..).and_then(|rest| rest.chars().next());
            next.is_some_and(|c| !c.is_lowercase())
        });
        match end {
            Some(at) => text.get(..=at).unwrap_or(&text).to_owned(),
            None => text,
        }
    }
}

/// The pages with a name; classes, types and data types match in any case and with a leading `::`.
#[must_use]
pub fn find<'a>(pages: &'a [Page], name: &str) -> Vec<&'a Page> {
    let bare_name = name.trim_start_matches("::");
    let exact: Vec<&Page> = pages.iter().filter(|page| page.name == bare_name).collect();
    if !exact.is_empty() {
        return exact;
    }
    pages.iter().filter(|page| page.kind != "function" && page.name.eq_ignore_ascii_case(bare_name)).collect()
}

/// The names most similar to a mistyped one, best first.
#[must_use]
pub fn nearest<'a>(pages: impl Iterator<Item = &'a Page>, name: &str) -> Vec<&'a str> {
    let lowercase = name.to_lowercase();
    let mut scored: Vec<(f32, &str)> = pages
        .map(|page| {
            let known = page.name.to_lowercase();
            let last = known.rsplit("::").next().unwrap_or_default();
            let ratio = |other: &str| similarity(&lowercase, other);
            (ratio(&known).max(if last == known { 0.0 } else { ratio(last) * 0.95 }), page.name.as_str())
        })
        .filter(|(score, _)| *score > 0.65)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut names: Vec<&str> = scored.into_iter().map(|(_, name)| name).collect();
    names.dedup();
    names.truncate(3);
    names
}
