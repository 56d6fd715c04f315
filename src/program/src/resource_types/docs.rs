//! Documentation of Puppet's own resource types and those of its core modules.
//!
//! In: the table `docs.txt` beside this file, read on first use. Out: [`TypeDoc`]s. Must not: be used when a catalog is compiled.
//!
//! The table: `# TYPE`, or `# TYPE (MODULE)` for a type of a module; text; lines `autorequires:` (and similar), `providers:`,
//! `features:`; an example, indented; then one line for each attribute: `- NAME KIND [=VALUE|VALUE…] [!FEATURE] [default:VALUE]
//! -- TEXT`.

const TABLE: &str = include_str!("docs.txt");

/// A resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeDoc {
    /// Its name.
    pub name: String,
    /// The module that defines it; `None` for Puppet itself.
    pub module: Option<String>,
    /// The resource that it manages, and surprising behaviour.
    pub doc: String,
    /// `autorequires` and similar relations, each with the resources it relates to.
    pub relations: Vec<(String, String)>,
    /// Names of providers.
    pub providers: Vec<String>,
    /// Names of features that providers may have.
    pub features: Vec<String>,
    /// An example of a declaration.
    pub example: String,
    /// Its attributes, the most important first.
    pub attributes: Vec<AttributeDoc>,
}

/// An attribute of a resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeDoc {
    /// Its name.
    pub name: String,
    /// `namevar`, `property`, `parameter` or `metaparameter`.
    pub kind: String,
    /// Named values, if it has any.
    pub values: Vec<String>,
    /// The feature a provider needs for it.
    pub feature: Option<String>,
    /// The value when none is given.
    pub default: Option<String>,
    /// Its description.
    pub doc: String,
}

/// The types, in the order of the table: Puppet's own by name, then those of modules.
#[must_use]
pub fn all() -> Vec<TypeDoc> {
    let mut types = parse(TABLE);
    types.retain(|found| found.name != "metaparameters");
    types
}

/// The attributes of every resource.
#[must_use]
pub fn metaparameters() -> Vec<AttributeDoc> {
    let found = parse(TABLE).into_iter().find(|found| found.name == "metaparameters");
    found.map(|found| found.attributes).unwrap_or_default()
}

fn parse(table: &str) -> Vec<TypeDoc> {
    let mut types: Vec<TypeDoc> = Vec::new();
    for line in table.lines() {
        if let Some(head) = line.strip_prefix("# ") {
            let (name, module) = match head.split_once(" (") {
                Some((name, module)) => (name, Some(module.trim_end_matches(')').to_owned())),
                None => (head, None),
            };
            types.push(TypeDoc { name: name.to_owned(), module, ..TypeDoc::default() });
            continue;
        }
        let Some(current) = types.last_mut() else { continue };
        let list = |text: &str| text.split(", ").map(str::to_owned).collect();
        if let Some(attribute) = line.strip_prefix("- ") {
            current.attributes.push(attribute_of(attribute));
        } else if let Some(code) = line.strip_prefix("    ") {
            current.example.push_str(code);
            current.example.push('\n');
        } else if let Some(names) = line.strip_prefix("providers: ") {
            current.providers = list(names);
        } else if let Some(names) = line.strip_prefix("features: ") {
            current.features = list(names);
        } else if let Some((relation, targets)) = line.split_once(": ").filter(|(name, _)| name.starts_with("auto")) {
            current.relations.push((relation.to_owned(), targets.to_owned()));
        } else if !line.is_empty() {
            current.doc.push_str(line);
        }
    }
    types
}

fn attribute_of(line: &str) -> AttributeDoc {
    let (head, doc) = line.split_once(" -- ").unwrap_or((line, ""));
    let mut words = head.split(' ');
    let mut next = || words.next().unwrap_or_default().to_owned();
    let mut found = AttributeDoc { name: next(), kind: next(), doc: doc.to_owned(), ..AttributeDoc::default() };
    for word in words {
        if let Some(values) = word.strip_prefix('=') {
            found.values = values.split('|').map(str::to_owned).collect();
        } else if let Some(feature) = word.strip_prefix('!') {
            found.feature = Some(feature.to_owned());
        } else if let Some(default) = word.strip_prefix("default:") {
            found.default = Some(default.to_owned());
        }
    }
    found
}
