//! Prepares the resources of a catalog as items. All problems are reported before the first resource is applied.

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;

use crate::ManagedResource;
use crate::ResourcePath;
use crate::Run;
use crate::item;
use crate::item::Item;
use crate::item::is_container;
use crate::path;
use crate::status::Status;
use crate::transaction::Transaction;
use catwalk_value::ruby;
use catwalk_value::secret;

impl Transaction<'_, '_> {
    /// Prepares all resources and those that `resources` generate.
    ///
    /// # Errors
    /// Returns all problems, a line each.
    pub(super) fn prepare(&mut self, catalog: &Catalog) -> Result<(), String> {
        let mut errors = Vec::new();
        let mut positions = IndexMap::new();
        for (at, resource) in catalog.resources.iter().enumerate().filter(|(_, resource)| !resource.is_virtual) {
            positions.insert(at, self.items.len());
            match self.item(resource) {
                Ok(item) => self.items.push(item),
                Err(error) => {
                    errors.push(error);
                    let name = item::reference(resource, &resource.title);
                    self.items.push(Item { is_container: true, ..self.invalid_item(resource, &name) });
                }
            }
        }
        for (container, contained) in &catalog.edges {
            if let (Some(container), Some(contained)) = (positions.get(container), positions.get(contained)) {
                let parent = &mut self.items[*contained].parent;
                parent.get_or_insert(*container);
            }
        }
        self.set_paths();
        if self.options.preprocess_deferred {
            for at in 0..self.items.len() {
                self.resolve_deferred(at).map_err(|failure| failure.message)?;
                self.items[at].is_deferred = false;
            }
        }
        for at in 0..self.items.len() {
            errors.extend(self.check_purge(at));
            if !self.items[at].is_container && !self.items[at].is_deferred {
                match self.prepare_item(at) {
                    Ok(managed) => self.set_managed(at, managed),
                    Err(more) => errors.extend(more),
                }
            }
        }
        if errors.is_empty() { self.generate() } else { Err(errors.join("\n")) }
    }

    fn item(&self, resource: &Resource) -> Result<Item, String> {
        let is_container = is_container(resource);
        let (kind, traits) = match is_container {
            true => (None, Rc::default()),
            false => {
                let (kind, traits) = self.kinds.get_with_traits(resource.type_name.normalized());
                (Some(kind), traits)
            }
        };
        let declared = item::declare(resource, traits.metaparameters);
        for (name, value) in &declared.parameters {
            match declared.sensitive.contains(name) {
                true => secret::conceal(value, self.secrets),
                false => secret::conceal_marked(value, self.secrets),
            }
        }
        let shown_name = declared.parameters.get(&catwalk_base::name!("name")).filter(|_| traits.shows_name);
        let title = shown_name.map(ruby::to_s);
        let reference = item::reference(resource, title.as_deref().unwrap_or(&resource.title));
        let name = declared.parameters.get(&resource.namevar).and_then(|name| name.as_str()).map(Arc::from);
        Ok(Item {
            meta: item::read_metaparameters(resource)?,
            is_deferred: !is_container && declared.parameters.values().any(item::is_deferred),
            name: name.filter(|_| resource.isomorphic),
            declared,
            is_container,
            kind,
            traits,
            ..self.invalid_item(resource, &reference)
        })
    }

    /// Sets the path of an item from that of its container.
    pub(super) fn set_path(&mut self, at: usize) {
        let container = self.items[at].parent.map(|parent| self.items[parent].path.clone()).unwrap_or_default();
        let item = &mut self.items[at];
        item.path = ResourcePath::new(&container, item.reference.clone());
    }

    /// Sets the paths of all items.
    fn set_paths(&mut self) {
        let resources: Vec<_> = self.items.iter().map(|item| (item.reference.clone(), item.parent)).collect();
        for (item, path) in self.items.iter_mut().zip(path::paths(&resources)) {
            item.path = path;
        }
    }

    /// Sets the managed form of an item, which may have its own, canonical title.
    fn set_managed(&mut self, at: usize, managed: Box<dyn ManagedResource>) {
        let item = &mut self.items[at];
        let title = managed.title();
        item.managed = Some(managed);
        let Some(title) = title else { return };
        let reference = format!("{}[{title}]", item.declared.type_name.capitalized());
        if *reference != *item.reference {
            item.reference = Arc::from(reference);
            self.set_path(at);
        }
    }

    pub(super) fn prepare_item(&mut self, at: usize) -> Result<Box<dyn ManagedResource>, Vec<String>> {
        let noop = self.is_noop(at);
        let item = &self.items[at];
        let Some(kind) = item.kind.clone() else { return Err(Vec::new()) };
        let mut run = Run {
            system: self.system,
            log: &mut self.recorder,
            secrets: self.secrets,
            strict: self.options.strict,
            noop,
            path: item.path.clone(),
        };
        kind.prepare(&item.declared, &mut run)
    }

    /// An item with only its names.
    fn invalid_item(&self, resource: &Resource, reference: &str) -> Item {
        Item {
            declared: item::declare(resource, &[]),
            meta: item::Metaparameters::default(),
            relations: item::relations(resource),
            reference: Arc::from(reference),
            path: ResourcePath::default(),
            tags: resource.tags.clone(),
            is_container: false,
            is_deferred: false,
            name: None,
            kind: None,
            traits: Rc::default(),
            managed: None,
            status: Status::new(self.clock.now()),
            parent: None,
            generator: None,
        }
    }
}
