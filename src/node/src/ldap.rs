//! The terminus `ldap`: node objects from an LDAP directory, as Puppet up to version 5 reads them (Puppet::Node::Ldap).
//!
//! In: Puppet's settings for LDAP; the entry of a node and those of its parents. Out: classifications. Must not: use sockets; searches go
//! through [`World`].
//!
//! Differences from Puppet 5.5 with the library ruby-ldap:
//!
//! - A name is escaped before it is put into the filter.
//! - Names of attributes are compared without case; that library compares them with case, others do not.
//! - An attribute has priority over a stacked variable (`puppetvar`) of the same name; Puppet fails with "Cannot reassign variable".
//! - The variable of the parent's attribute is its value; in Puppet it is an empty array, since the value was taken out of it.
//! - More than one environment is an error.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::classify::Classification;
use crate::classify::ClassificationPart;
use crate::classify::Classifier;
use crate::classify::Request;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_value::Value;
use catwalk_world::Identity;
use catwalk_world::LdapEntry;
use catwalk_world::LdapScope;
use catwalk_world::LdapSearch;
use catwalk_world::Password;
use catwalk_world::World;
use catwalk_world::escape_filter_value;

/// The most parents of a node.
const MAX_PARENTS: usize = 100;

/// A directory of nodes: Puppet's settings `ldap…`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LdapSettings {
    /// The server (`ldapserver`, `ldapport`, `ldapssl`): `ldap://ldap.example.com:389`.
    pub url: String,
    /// Whether the connection continues with TLS (`ldaptls`).
    pub start_tls: bool,
    /// The DN and password to log in with (`ldapuser`, `ldappassword`).
    pub login: Option<(String, Password)>,
    /// Certificates in PEM.
    pub identity: Identity,
    /// Where nodes are searched (`ldapbase`).
    pub base: String,
    /// The filter that finds a node (`ldapstring`); `%s` is its name.
    pub filter: String,
    /// The attributes with names of classes (`ldapclassattrs`).
    pub class_attributes: Vec<String>,
    /// The attributes with variables, `name=value` (`ldapstackedattrs`).
    pub stacked_attributes: Vec<String>,
    /// The attributes that become variables; `None`: all (`ldapattrs`).
    pub attributes: Option<Vec<String>>,
    /// The attribute with the name of the parent (`ldapparentattr`).
    pub parent_attribute: Option<String>,
    /// The time limit of a search.
    pub timeout: Option<Duration>,
}

/// Puppet's defaults.
impl Default for LdapSettings {
    fn default() -> LdapSettings {
        LdapSettings {
            url: "ldap://ldap:389".to_owned(),
            start_tls: false,
            login: None,
            identity: Identity::default(),
            base: String::new(),
            filter: "(&(objectclass=puppetClient)(cn=%s))".to_owned(),
            class_attributes: vec!["puppetclass".to_owned()],
            stacked_attributes: vec!["puppetvar".to_owned()],
            attributes: None,
            parent_attribute: Some("parentnode".to_owned()),
            timeout: None,
        }
    }
}

/// Reads node objects from a directory.
#[derive(Clone, Debug)]
pub struct Ldap {
    /// The directory.
    pub settings: LdapSettings,
}

/// What the entries of a node and of its parents assign.
#[derive(Default)]
struct NodeEntry {
    /// The `cn` of the DN.
    name: Option<String>,
    parent: Option<String>,
    classification: Classification,
}

impl Classifier for Ldap {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        if let Some((_, Password::Text(password))) = &self.settings.login {
            world.secrets().report(password);
        }
        let name = &*request.certname;
        let failed = |reason: Reason| {
            let text = format!("Failed when searching for node {name}: {}", reason.message);
            Box::from(Reason { message: text.into(), ..reason })
        };
        let names = names(name);
        for candidate in &names {
            if let Some(entry) = self.find(candidate, world).map_err(failed)? {
                return self.with_parents(entry, world).map_err(failed);
            }
        }
        let text = format!("Could not find node '{name}'; cannot compile");
        let LdapSettings { url, base, filter, .. } = &self.settings;
        let help = format!("{url} has no entry below '{base}' that matches {filter} for {}", names.join(", "));
        Err(Box::from(Reason::new(Code::ENC_FAILED, text).help(help)))
    }
}

/// The names under which a node is searched: its own, its host name, `default`.
fn names(certname: &str) -> Vec<&str> {
    let host = match certname.split_once('.') {
        Some((host, domain)) if !domain.is_empty() => Some(host),
        // Puppet's pattern `\..+` does not match, and the name is searched twice.
        Some(_) | None => None,
    };
    [Some(certname), host, Some("default")].into_iter().flatten().collect()
}

impl Ldap {
    /// The last entry that the filter finds for a name, as in Puppet.
    fn find(&self, name: &str, world: &dyn World) -> Result<Option<NodeEntry>, Reason> {
        let LdapSettings { url, start_tls, login, identity, base, filter, timeout, .. } = &self.settings;
        let search = LdapSearch {
            url: url.clone(),
            start_tls: *start_tls,
            login: login.clone(),
            identity: identity.clone(),
            base: base.clone(),
            scope: LdapScope::Sub,
            filter: filter.replace("%s", &escape_filter_value(name)),
            attributes: self.requested_attributes(),
            timeout: *timeout,
        };
        let entries = world.search_ldap(&search, world.secrets()).map_err(|refused| {
            let text = format!("LDAP Search failed: {refused}");
            Reason::new(Code::ENC_FAILED, text).because(refused.cause())
        })?;
        entries.last().map(|entry| self.read(entry)).transpose()
    }

    /// The attributes to ask for; none for all.
    fn requested_attributes(&self) -> Vec<String> {
        let LdapSettings { attributes, class_attributes, parent_attribute, .. } = &self.settings;
        match attributes {
            None => Vec::new(),
            Some(named) => class_attributes.iter().chain(named).chain(parent_attribute).cloned().collect(),
        }
    }

    /// Reads the entry of a node or parent.
    fn read(&self, entry: &LdapEntry) -> Result<NodeEntry, Reason> {
        let LdapSettings { class_attributes, stacked_attributes, parent_attribute, .. } = &self.settings;
        let mut result = NodeEntry { name: common_name(&entry.dn), ..NodeEntry::default() };
        let strings = |name: &String| {
            let values = entry.values(name).into_iter().flatten();
            values.map(|value| String::from_utf8_lossy(value).into_owned())
        };
        if let Some(attribute) = parent_attribute {
            let mut parents: Vec<String> = strings(attribute).collect();
            if parents.len() > 1 {
                // Puppet raises this while it reads the answer, so that its error is the one of a failed search.
                let dn = &entry.dn;
                let text = format!("LDAP Search failed: Node entry {dn} specifies more than one parent: {parents:?}");
                return Err(Reason::new(Code::ENC_FAILED, text));
            }
            result.parent = parents.pop();
        }
        let classification = &mut result.classification;
        for class in class_attributes.iter().flat_map(strings) {
            classification.classes.insert(Arc::from(class), None);
        }
        let mut variables = variables(entry);
        if let Some(environment) = variables.shift_remove("environment") {
            let Value::Str(name) = &environment else {
                let text = format!("Node entry {} specifies more than one environment", entry.dn);
                return Err(Reason::new(Code::ENC_FAILED, text));
            };
            classification.environment = Some(name.to_shared());
        }
        // Of several values of one variable in an entry the last one is used.
        let mut stacked = IndexMap::new();
        for value in stacked_attributes.iter().flat_map(strings) {
            let (name, value) = match value.split_once('=') {
                Some((name, value)) => (name, Value::str(value)),
                None => (value.as_str(), Value::Undef),
            };
            stacked.insert(Arc::from(name), value);
        }
        for (name, value) in stacked {
            variables.entry(name).or_insert(value);
        }
        // The compile sets `$environment` itself.
        variables.shift_remove("environment");
        classification.parameters = variables.into_iter().map(|(name, value)| (name, convert(value))).collect();
        add_origins(classification, &entry.dn);
        Ok(result)
    }

    /// Adds what the parents of an entry assign. Nearer entries win.
    fn with_parents(&self, entry: NodeEntry, world: &dyn World) -> Result<Classification, Reason> {
        let NodeEntry { name, mut parent, mut classification } = entry;
        let mut known: Vec<String> = name.into_iter().collect();
        while let Some(name) = parent {
            let failed = |text: String| Err(Reason::new(Code::ENC_FAILED, text));
            if known.contains(&name) {
                return failed(format!("Found loop in LDAP node parents; {name} appears twice"));
            }
            if known.len() > MAX_PARENTS {
                return failed(format!("the node has more than {MAX_PARENTS} parents"));
            }
            let Some(found) = self.find(&name, world)? else {
                return failed(format!("Could not find parent node '{name}'"));
            };
            known.push(name);
            inherit(&mut classification, found.classification);
            parent = found.parent;
        }
        Ok(classification)
    }
}

/// Adds the values of a parent that a classification does not have.
fn inherit(classification: &mut Classification, parent: Classification) {
    for class in parent.classes.into_keys() {
        classification.classes.entry(class).or_insert(None);
    }
    for (name, value) in parent.parameters {
        classification.parameters.entry(name).or_insert(value);
    }
    classification.environment = classification.environment.take().or(parent.environment);
    for (part, origin) in parent.origins {
        classification.origins.entry(part).or_insert(origin);
    }
}

/// The attributes of an entry as variables: names in lower case, one value as itself, several as an array; and the DN.
fn variables(entry: &LdapEntry) -> IndexMap<Arc<str>, Value> {
    let string = |bytes: &Arc<[u8]>| match std::str::from_utf8(bytes) {
        Ok(text) => Value::str(text),
        Err(_) => Value::Binary(bytes.clone()),
    };
    let attribute = |(name, values): &(String, Vec<Arc<[u8]>>)| {
        let value = match values.as_slice() {
            [value] => string(value),
            values => Value::array(values.iter().map(string).collect()),
        };
        (Arc::from(name.to_ascii_lowercase()), value)
    };
    let mut variables: IndexMap<Arc<str>, Value> = entry.attributes.iter().map(attribute).collect();
    variables.insert(Arc::from("dn"), Value::str(&entry.dn));
    variables
}

/// Strings that name booleans become booleans.
fn convert(value: Value) -> Value {
    match &value {
        Value::Str(text) => match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => value,
        },
        Value::Array(items) => Value::array(items.iter().cloned().map(convert).collect()),
        _ => value,
    }
}

/// Sets the DN as the origin of all values.
fn add_origins(classification: &mut Classification, dn: &str) {
    let dn: Arc<str> = Arc::from(dn);
    let classes = classification.classes.keys().cloned().map(ClassificationPart::Class);
    let variables = classification.parameters.keys().cloned().map(ClassificationPart::Variable);
    let environment = classification.environment.is_some().then_some(ClassificationPart::Environment);
    classification.origins = classes.chain(variables).chain(environment).map(|part| (part, dn.clone())).collect();
}

/// The first `cn` of a DN, found as by Puppet's pattern `/cn\s*=\s*([^,\s]+)/i`.
fn common_name(dn: &str) -> Option<String> {
    let lower = dn.to_ascii_lowercase();
    lower.match_indices("cn").find_map(|(at, _)| {
        let value = dn.get(at + 2..)?.trim_start().strip_prefix('=')?.trim_start();
        let end = value.find(|character: char| character == ',' || character.is_ascii_whitespace());
        value.get(..end.unwrap_or(value.len())).filter(|name| !name.is_empty()).map(str::to_owned)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests;
