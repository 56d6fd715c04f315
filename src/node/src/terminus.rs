//! Where node objects come from: which termini a site has, and several of them as one.
//!
//! In: the classifier table of a site. Out: [`Terminus`]es; [`Chain`], which merges what they assign. Must not: open anything:
//! the session does.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::classify::Classification;
use crate::classify::ClassificationPart;
use crate::classify::Classifier;
use crate::classify::Request;
use catwalk_base::diag::Diagnostic;
use catwalk_value::value::Hash;
use catwalk_world::Identity;
use catwalk_world::World;

/// An external node classifier is killed after this time, unless the site says otherwise.
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
        /// How long it may take.
        limit: Duration,
    },
    /// A Rhai script with `classify(node)`.
    Script(PathBuf),
    /// Node groups in a file, or in the files of a directory.
    Groups(PathBuf),
    /// A classifier service.
    Http {
        /// Its address up to the version.
        url: String,
        /// The client's identity.
        identity: Identity,
    },
}

impl Terminus {
    /// What an item of a chain stands for: an address, or a path below a directory.
    #[must_use]
    pub fn of_text(text: &str, root: &Path) -> Terminus {
        if text.starts_with("https://") || text.starts_with("http://") {
            return Terminus::Http { url: text.to_owned(), identity: Identity::default() };
        }
        Terminus::of_path(root.join(text))
    }

    /// What a path stands for, by its ending: `.rhai` a script, `.json`, `.yaml`, `.yml` groups, else an executable.
    #[must_use]
    pub fn of_path(path: PathBuf) -> Terminus {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rhai") => Terminus::Script(path),
            Some("json" | "yaml" | "yml") => Terminus::Groups(path),
            _ => Terminus::Exec { path, arguments: Vec::new(), limit: EXEC_LIMIT },
        }
    }

    /// The terminus with its path shown relative to a directory where it lies below it.
    #[must_use]
    pub fn display(&self, root: Option<&Path>) -> String {
        let below = |path: &Path| {
            let path = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
            path.display().to_string()
        };
        match self {
            Terminus::Exec { path, .. } => format!("exec {}", below(path)),
            Terminus::Script(path) => format!("script {}", below(path)),
            Terminus::Groups(path) => format!("groups {}", below(path)),
            Terminus::Http { url, .. } => format!("http {url}"),
        }
    }
}

/// Shows the terminus with its full path.
impl fmt::Display for Terminus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(None))
    }
}

/// Several termini, queried in order; values of a later one win.
///
/// Classes are united, parameters of a class are merged one by one, top-scope variables and configuration data likewise; the
/// environment is that of the last that assigns one.
pub struct Chain {
    /// The termini, each with its name as an origin.
    pub links: Vec<(Arc<str>, Box<dyn Classifier>)>,
}

impl Classifier for Chain {
    fn classify(&self, request: &Request, world: &dyn World) -> Result<Classification, Box<Diagnostic>> {
        let mut all = Classification::default();
        for (name, link) in &self.links {
            let mut given = link.classify(request, world)?;
            given.originate(name);
            all.overlay(given);
        }
        Ok(all)
    }
}

impl Classification {
    /// Sets the origin of all values that have no more exact one.
    pub(crate) fn originate(&mut self, terminus: &Arc<str>) {
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

    /// Lays another classification over this one.
    pub fn overlay(&mut self, over: Classification) {
        for (class, parameters) in over.classes {
            let known = self.classes.entry(class).or_insert(None);
            if let Some(parameters) = parameters {
                match known {
                    None => *known = Some(parameters),
                    Some(known) => merge(Arc::make_mut(known), &parameters),
                }
            }
        }
        self.parameters.extend(over.parameters);
        self.data.extend(over.data);
        self.environment = over.environment.or(self.environment.take());
        self.origins.extend(over.origins);
        self.locations.extend(over.locations);
        self.warnings.extend(over.warnings);
    }
}

fn merge(known: &mut Hash, over: &Hash) {
    for (name, value) in over.iter() {
        known.insert(name.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;
    use catwalk_value::data::json;
    use catwalk_value::value::Value;
    use catwalk_world::Memory;

    struct Fixed(&'static str);

    impl Classifier for Fixed {
        fn classify(&self, _: &Request, _: &dyn World) -> Result<Classification, Box<Diagnostic>> {
            Ok(Classification::from_value(&json::parse(self.0.as_bytes()).unwrap()).unwrap())
        }
    }

    #[test]
    fn a_later_link_wins() {
        let links: Vec<(Arc<str>, Box<dyn Classifier>)> = vec![
            (
                Arc::from("a"),
                Box::new(Fixed(
                    r#"{"classes": {"x": {"p": 1, "q": 1}, "y": null}, "parameters": {"v": 1, "w": 1}, "environment": "one"}"#,
                )),
            ),
            (
                Arc::from("b"),
                Box::new(Fixed(r#"{"classes": {"z": {}, "x": {"q": 2}, "y": {"r": 2}}, "parameters": {"w": 2}}"#)),
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
