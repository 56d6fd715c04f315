//! Builds catalogs as a compiler makes them.

use std::sync::Arc;

use catwalk_base::names::Name;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_value::Value;
use catwalk_value::data::json;

/// A catalog under construction.
pub(super) struct Manifest {
    resources: Vec<Resource>,
    edges: Vec<(usize, usize)>,
    /// The container of the resources that are added.
    container: usize,
}

impl Manifest {
    /// A catalog with the stage and the class `main`.
    pub(super) fn new() -> Manifest {
        let mut manifest = Manifest { resources: Vec::new(), edges: Vec::new(), container: 0 };
        manifest.add("Stage", "main", Kind::CompilableType, "{}");
        manifest.container("Class", "main", Kind::Unknown, 0);
        manifest
    }

    /// Adds a resource to the current container. `parameters` is a JSON object; references to resources are strings.
    pub(super) fn with(mut self, type_name: &str, title: &str, parameters: &str) -> Manifest {
        self.add(type_name, title, Kind::CompilableType, parameters);
        self
    }

    /// Adds a class to the stage `main`; the resources that follow are in it.
    pub(super) fn class(mut self, title: &str) -> Manifest {
        self.container("Class", title, Kind::Unknown, 0);
        self
    }

    /// Adds a class with parameters to the stage that was added last.
    pub(super) fn class_of_last_stage(mut self, title: &str) -> Manifest {
        let stage = self.resources.iter().rposition(|resource| resource.type_name == "Stage").unwrap();
        self.container("Class", title, Kind::Class, stage);
        self
    }

    /// Adds an instance of a defined type to the class `main`; the resources that follow are in it.
    pub(super) fn defined(mut self, type_name: &str, title: &str) -> Manifest {
        self.container(type_name, title, Kind::DefinedType, 1);
        self
    }

    /// The resources that follow are in the class `main`.
    pub(super) fn main(mut self) -> Manifest {
        self.container = 1;
        self
    }

    /// Adds values to parameters of an earlier resource.
    pub(super) fn also(mut self, reference: &str, parameters: &str) -> Manifest {
        let resource = self.resources.iter_mut().find(|resource| resource.reference() == reference).unwrap();
        resource.parameters.extend(object(parameters));
        self
    }

    /// Marks parameters of the last resource as secret.
    pub(super) fn secret(mut self, names: &[&str]) -> Manifest {
        self.resources.last_mut().unwrap().sensitive = names.iter().map(|name| Name::new(name)).collect();
        self
    }

    /// The catalog.
    pub(super) fn catalog(self) -> Catalog {
        Catalog {
            name: "web1".into(),
            version: Version::Seconds(1),
            uuid: "00000000-0000-4000-8000-000000000000".into(),
            environment: "production".into(),
            tags: Tags::default(),
            classes: Vec::new(),
            resources: self.resources,
            edges: self.edges,
            origins: Vec::new(),
            automatic: Vec::new(),
            secrets: Arc::new(Secrets::default()),
        }
    }

    fn container(&mut self, type_name: &str, title: &str, kind: Kind, parent: usize) {
        self.container = parent;
        self.add(type_name, title, kind, "{}");
        self.container = self.resources.len() - 1;
    }

    fn add(&mut self, type_name: &str, title: &str, kind: Kind, parameters: &str) {
        let parameters = object(parameters);
        let mut tags = self.resources.get(self.container).map(|parent| parent.tags.clone()).unwrap_or_default();
        if type_name == "Stage" {
            tags = Tags::default();
        }
        tags.add_if_valid(&type_name.to_lowercase().into());
        tags.add_if_valid(&title.into());
        for part in title.split("::").filter(|_| type_name == "Class") {
            tags.add_if_valid(&part.into());
        }
        match parameters.iter().find(|(name, _)| *name == "tag") {
            Some((_, Value::Array(added))) => {
                added.iter().for_each(|tag| tags.add_if_valid(&tag.as_str().unwrap().into()));
            }
            Some((_, tag)) => tags.add_if_valid(&tag.as_str().unwrap().into()),
            None => {}
        }
        if type_name != "Stage" {
            self.edges.push((self.container, self.resources.len()));
        }
        self.resources.push(Resource {
            type_name: Name::new(type_name),
            title: title.into(),
            title_is_main: matches!(type_name, "Stage" | "Class") && title == "main",
            tags,
            file: Some("/site/manifests/site.pp".into()),
            line: u32::try_from(self.resources.len()).ok(),
            exported: Some(false),
            is_virtual: false,
            kind,
            namevar: Name::new("name"),
            isomorphic: !matches!(type_name, "Exec" | "Notify"),
            composite: false,
            builtin: kind == Kind::CompilableType,
            parameters: parameters.into_iter().collect(),
            sensitive: Vec::new(),
        });
    }
}

/// The members of a JSON object.
fn object(text: &str) -> Vec<(Name, Value)> {
    let Value::Hash(members) = json::parse(text.as_bytes()).unwrap() else { panic!("{text}") };
    members.iter().map(|(name, value)| (Name::new(name.as_str().unwrap()), value.clone())).collect()
}
