//! The sources of node objects (termini) of a site, and a classifier that queries several of them.
//!
//! In: the classifier table of a site. Out: [`Terminus`]es; [`Chain`], which merges their classifications. Must not: open files or
//! connections.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::classify::Classification;
use crate::classify::ClassificationPart;
use crate::classify::Classifier;
use crate::classify::Request;
use crate::groups::GroupsTerminus;
use crate::ldap::LdapSettings;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::path::shown;
use catwalk_value::Hash;
use catwalk_world::Identity;
use catwalk_world::World;

/// The default time limit of an external node classifier.
pub const EXEC_LIMIT: Duration = Duration::from_secs(30);

/// One source of node objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminus {
    /// An executable that prints YAML.
    Exec {
        /// The program.
        path: PathBuf,
        /// Arguments before the name of the node.
        arguments: Vec<String>,
        /// The time limit of the process.
        limit: Duration,
    },
    /// A Rhai script with `classify(node)`.
    Script(PathBuf),
    /// Node groups in a file, or in the files of a directory.
    Groups(PathBuf),
    /// An LDAP directory.
    Ldap(Box<LdapSettings>),
    /// A classifier service.
    Http {
        /// The address without the version of the API.
        url: String,
        /// The client's certificate.
        identity: Identity,
    },
}

impl Terminus {
    /// The terminus of an address, or of a path relative to `root`.
    #[must_use]
    pub fn parse(text: &str, root: &Path) -> Terminus {
        if text.starts_with("https://") || text.starts_with("http://") {
            return Terminus::Http { url: text.to_owned(), identity: Identity::default() };
        }
        if text.starts_with("ldap://") || text.starts_with("ldaps://") {
            return Terminus::Ldap(Box::new(LdapSettings { url: text.to_owned(), ..LdapSettings::default() }));
        }
        Terminus::from_path(root.join(text))
    }

    /// The terminus of a path by its extension: `.rhai` a script; `.json`, `.yaml` and `.yml` groups; others an executable.
    #[must_use]
    pub fn from_path(path: PathBuf) -> Terminus {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rhai") => Terminus::Script(path),
            Some("json" | "yaml" | "yml") => Terminus::Groups(path),
            _ => Terminus::Exec { path, arguments: Vec::new(), limit: EXEC_LIMIT },
        }
    }

    /// Formats the terminus; a path below `root` is relative to it.
    #[must_use]
    pub fn display(&self, root: Option<&Path>) -> String {
        let relative = |path: &Path| shown(path, root).into_owned();
        match self {
            Terminus::Exec { path, .. } => format!("exec {}", relative(path)),
            Terminus::Script(path) => format!("script {}", relative(path)),
            Terminus::Groups(path) => format!("groups {}", relative(path)),
            Terminus::Ldap(settings) => format!("ldap {}", settings.url),
            Terminus::Http { url, .. } => format!("http {url}"),
        }
    }
}

/// Formats the terminus with its full path.
impl fmt::Display for Terminus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(None))
    }
}

/// Several termini, queried in order; values of a later terminus win.
///
/// Classes, parameters of each class, top-scope variables and configuration data are merged by name. The environment is that of the
/// last terminus that assigns one.
pub struct Chain<'a> {
    /// The termini, each with the name that is the origin of its values.
    pub links: Vec<(Arc<str>, Link<'a>)>,
}

/// A classifier of a chain.
pub enum Link<'a> {
    /// Node groups, which explain their classification.
    Groups(GroupsTerminus),
    /// Any other classifier.
    Other(Box<dyn Classifier + 'a>),
}

impl Classifier for Link<'_> {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        match self {
            Link::Groups(groups) => groups.classify(request, world),
            Link::Other(classifier) => classifier.classify(request, world),
        }
    }
}

impl Classifier for Chain<'_> {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let mut all = Classification::default();
        for (name, link) in &self.links {
            let mut classification = link.classify(request, world)?;
            classification.add_origin(name);
            all.overlay(classification);
        }
        Ok(all)
    }
}

impl Classification {
    /// Adds the terminus to the origin of every value.
    pub(crate) fn add_origin(&mut self, terminus: &Arc<str>) {
        let mut parts: Vec<ClassificationPart> = self.classes.keys().cloned().map(ClassificationPart::Class).collect();
        for (class, parameters) in &self.classes {
            let names = parameters.iter().flat_map(|hash| hash.keys()).filter_map(|name| name.as_str());
            parts.extend(names.map(|name| ClassificationPart::Parameter(class.clone(), Arc::from(name))));
        }
        parts.extend(self.parameters.keys().cloned().map(ClassificationPart::Variable));
        parts.extend(self.data.keys().cloned().map(ClassificationPart::Data));
        parts.extend(self.environment.is_some().then_some(ClassificationPart::Environment));
        for part in parts {
            let origin = match self.origins.get(&part) {
                Some(inner) => Arc::from(format!("{terminus}: {inner}")),
                None => terminus.clone(),
            };
            self.origins.insert(part, origin);
        }
    }

    /// Merges a classification into this one; its values win.
    pub fn overlay(&mut self, over: Classification) {
        for (class, parameters) in over.classes {
            let merged = self.classes.entry(class).or_insert(None);
            if let Some(parameters) = parameters {
                match merged {
                    None => *merged = Some(parameters),
                    Some(merged) => merge(Arc::make_mut(merged), &parameters),
                }
            }
        }
        self.parameters.extend(over.parameters);
        self.data.extend(over.data);
        self.environment = over.environment.or(self.environment.take());
        // A value that is replaced has no location of its earlier source.
        self.locations.retain(|part, _| !over.origins.contains_key(part));
        self.origins.extend(over.origins);
        self.locations.extend(over.locations);
        self.warnings.extend(over.warnings);
    }
}

fn merge(under: &mut Hash, over: &Hash) {
    for (name, value) in over.iter() {
        under.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;
    use catwalk_value::Value;
    use catwalk_value::data::json;
    use catwalk_world::Memory;

    struct FixedTerminus(&'static str);

    impl Classifier for FixedTerminus {
        fn classify(&self, _: &Request, _: &dyn World) -> Result<Classification, Box<Diagnostic>> {
            Ok(Classification::from_value(&json::parse(self.0.as_bytes()).unwrap()).unwrap())
        }
    }

    #[test]
    fn a_later_link_wins() {
        let links: Vec<(Arc<str>, Link<'_>)> = vec![
            (
                Arc::from("a"),
                Link::Other(Box::new(FixedTerminus(
                    r#"{"classes": {"x": {"p": 1, "q": 1}, "y": null}, "parameters": {"v": 1, "w": 1}, "environment": "one"}"#,
                ))),
            ),
            (
                Arc::from("b"),
                Link::Other(Box::new(FixedTerminus(
                    r#"{"classes": {"z": {}, "x": {"q": 2}, "y": {"r": 2}}, "parameters": {"w": 2}}"#,
                ))),
            ),
        ];
        let request = Request {
            certname: Arc::from("n"),
            environment: Arc::from("production"),
            facts: Arc::default(),
            trusted: Arc::default(),
        };
        let all = Chain { links }.classify(&request, &Memory::default()).unwrap();
        assert_eq!(all.classes.keys().map(AsRef::as_ref).collect::<Vec<_>>(), ["x", "y", "z"]);
        let x = all.classes.get("x").unwrap().as_ref().unwrap();
        assert_eq!((x.get("p"), x.get("q")), (Some(&Value::Int(1)), Some(&Value::Int(2))));
        assert_eq!(all.environment.as_deref(), Some("one"));
        assert_eq!(all.parameters.get("w"), Some(&Value::Int(2)));
        let origin = |part: ClassificationPart| all.origins.get(&part).map(AsRef::as_ref);
        assert_eq!(origin(ClassificationPart::Parameter(Arc::from("x"), Arc::from("p"))), Some("a"));
        assert_eq!(origin(ClassificationPart::Parameter(Arc::from("x"), Arc::from("q"))), Some("b"));
        assert_eq!(origin(ClassificationPart::Variable(Arc::from("w"))), Some("b"));
        assert_eq!(origin(ClassificationPart::Environment), Some("a"));
    }
}
