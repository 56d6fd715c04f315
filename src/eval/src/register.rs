//! The compiler's table of resources: adding and finding by title, alias and composite key (that part of
//! Puppet::Resource::Catalog).
//!
//! In: finished entries. Out: their ids; an error for duplicates. Must not: evaluate.

use std::path::Path;
use std::sync::Arc;

use crate::Evaluator;
use crate::Limits;
use crate::Res;
use crate::ScopeId;
use crate::Stop;
use crate::resource::flatten;
use crate::state::Entry;
use crate::state::Key;
use crate::state::KeyValues;
use crate::state::ResourceDefinition;
use crate::state::TitleKey;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_world::worker::restricted;

impl<'c> Evaluator<'c> {
    /// Adds a resource to the compiler and the catalog (Puppet::Parser::Compiler#add_resource).
    pub(crate) fn add_resource(&mut self, scope: ScopeId, entry: Entry<'c>) -> Res<ResourceId> {
        let is_class = entry.is_class();
        let type_name = entry.type_name;
        let id = self.add_to_catalog(entry)?;
        self.state.resources.by_type.entry(type_name).or_default().push(id);
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(id) };
        if !entry.is_builtin() {
            self.state.pending.push(id);
            if restricted::is_for_script(self.world) {
                self.state.declared_for_script.insert(id);
            }
        }
        if !is_class && entry.get(catwalk_base::name!("stage")).is_some() {
            let text = format!("normal resources like {} cannot change run stage", entry.reference());
            return Err(Stop::runtime(format!("Only classes can set 'stage'; {text}")));
        }
        if !is_class
            && type_name != "Stage"
            && let Some(container) = self.scope_resource(scope)
        {
            self.state.resources.containment.add(container, id);
        }
        Ok(id)
    }

    /// Adds a resource to the catalog's table under its title and aliases (Puppet::Resource::Catalog#add_one_resource).
    pub(crate) fn add_to_catalog(&mut self, entry: Entry<'c>) -> Res<ResourceId> {
        // The memory of a resource without its parameters.
        meter::charge(1024);
        let limit = self.settings.limits.resources;
        if self.state.resources.entries.len() >= limit {
            let reason = Reason::new(Code::CATALOG_TOO_LARGE, format!("the catalog has more than {limit} resources"));
            return Err(reason
                .help(format!("is there a loop that declares without end? Else {}", Limits::hint("resources")))
                .into());
        }
        let id = ResourceId(u32::try_from(self.state.resources.entries.len()).unwrap_or(u32::MAX));
        let key = Key { type_name: entry.type_name, values: KeyValues::Single(Value::from(entry.title.clone())) };
        if let Some(existing) = self.state.resources.table.get(&key) {
            return self.duplicate_error(&entry, *existing);
        }
        self.state.resources.table.insert(key, id);
        let aliases = aliases_of(&entry);
        let unique = match &entry.declared {
            ResourceDefinition::Builtin(builtin) if !builtin.isomorphic => None,
            declared if title_is_key(declared, &entry) => None,
            declared => Some(uniqueness_key(declared, &entry.title, &|name| entry.get(name).cloned())?),
        };
        let title = entry.title.clone();
        self.state.resources.entries.push(entry);
        for alias in aliases {
            self.add_alias(id, KeyValues::Single(alias))?;
        }
        match unique {
            Some(KeyValues::Single(value)) if value.as_str() == Some(&title) || !value.truthy() => {}
            Some(KeyValues::Composite(values)) if values.iter().all(|value| !value.truthy()) => {}
            Some(key) => self.add_alias(id, key)?,
            None => {}
        }
        Ok(id)
    }

    pub(crate) fn duplicate_error<T>(&self, entry: &Entry<'c>, existing: ResourceId) -> Res<T> {
        let existing_location =
            self.state.resources.entries.get(existing.0 as usize).and_then(|existing| self.declared_at(existing));
        let existing_location =
            existing_location.map_or_else(String::new, |existing_location| format!(" at {existing_location}"));
        let location = self.declared_at(entry).map_or_else(String::new, |location| format!(" {location}"));
        let reference = entry.reference();
        let text = format!(
            "Duplicate declaration: {reference} is already declared{existing_location}; cannot redeclare{location}"
        );
        let first = self.state.resources.entries.get(existing.0 as usize).and_then(|existing| existing.span);
        let first = first.and_then(|span| {
            let source = self.program.sources.get(span.file)?;
            let start = usize::try_from(span.start).ok()?;
            let location = DataLocation::at_byte(Path::new(&*source.name), source.text.as_bytes(), start);
            Some(location.note("first declared here"))
        });
        let reason = Reason::new(Code::DUPLICATE_RESOURCE, text);
        Err(Reason { locations: first.into_iter().collect(), ..reason }.into())
    }

    fn add_alias(&mut self, id: ResourceId, values: KeyValues) -> Res<()> {
        let Some(entry) = self.state.resources.entries.get(id.0 as usize) else { return Ok(()) };
        let explicit = matches!(&values, KeyValues::Single(Value::Str(_)));
        let same = matches!(&values, KeyValues::Single(value) if value.as_str() == Some(&entry.title));
        if explicit && same {
            return Ok(());
        }
        // An array in a name attribute has the same key as its items (Puppet::Resource::Catalog#alias).
        let key = Key { type_name: entry.alias_type(), values: flatten_key(&values) };
        match self.state.resources.table.get(&key) {
            None => {
                self.state.resources.table.insert(key, id);
                Ok(())
            }
            Some(existing) if *existing == id => Ok(()),
            Some(existing) => {
                let explicit = matches!(&values, KeyValues::Single(value) if aliases_of(entry).contains(value));
                Err(self.cannot_alias(entry, &values, explicit, *existing))
            }
        }
    }

    /// The error for an alias that another resource has. One of the metaparameter is printed without
    /// brackets.
    pub(crate) fn cannot_alias(
        &self,
        entry: &Entry<'c>,
        values: &KeyValues,
        explicit: bool,
        existing: ResourceId,
    ) -> Stop {
        let existing = self.state.resources.entries.get(existing.0 as usize);
        let existing_location = existing.and_then(|entry| self.declared_at(entry));
        let existing_location =
            existing_location.map_or_else(String::new, |existing_location| format!(" {existing_location}"));
        let location = self.declared_at(entry).map_or_else(String::new, |location| format!(" at {location}"));
        let names = match values {
            KeyValues::Single(value) => std::slice::from_ref(value),
            KeyValues::Composite(values) => values.as_slice(),
        };
        if let Err(message) = names.iter().try_for_each(catwalk_value::ruby::check_printable) {
            return Stop::runtime(message);
        }
        // Ruby flattens the whole array.
        let mut flat = Vec::new();
        names.iter().for_each(|value| flatten(value, &mut flat));
        let alias_type = Value::from(entry.alias_type().shared());
        let flat = std::iter::once(&alias_type).chain(&flat).map(ruby::inspect).collect::<Vec<_>>().join(", ");
        let names = names.iter().map(ruby::inspect).collect::<Vec<_>>().join(", ");
        let names = if explicit { names } else { format!("[{names}]") };
        let reference = entry.reference();
        Stop::runtime(format!(
            "Cannot alias {reference} to {names}{location}; resource [{flat}] already declared{existing_location}"
        ))
    }

    /// The resource of this type (capitalized) and title, by title, alias or name attributes. The name of the class `main` is not
    /// capitalized, and references to it never find it (`Resource.type_and_title` uses a symbol as its title).
    ///
    /// # Errors
    ///
    /// The title does not match the type.
    pub fn find_resource(&self, type_name: Name, title: &str) -> Res<Option<ResourceId>> {
        if title == "main" && type_name == catwalk_base::name!("Class") {
            return Ok(None);
        }
        if let Some(id) = self.state.resources.table.get(&TitleKey { type_name, title }) {
            return Ok(Some(*id));
        }
        let Some(builtin) = self.builtin(type_name)? else { return Ok(None) };
        let declared = ResourceDefinition::Builtin(builtin);
        let values = uniqueness_key(&declared, title, &|_| None)?;
        Ok(self.state.resources.table.get(&Key { type_name, values }).copied())
    }

    /// The class that contains everything; only a lookup of the class without a name finds it.
    pub fn main_class(&self) -> Option<ResourceId> {
        self.state.resources.table.get(&TitleKey { type_name: catwalk_base::name!("Class"), title: "main" }).copied()
    }

    /// The resource that a string such as `File[/x]` names.
    ///
    /// # Errors
    ///
    /// The string is not a reference.
    pub fn find_reference(&self, text: &str) -> Res<Option<ResourceId>> {
        match split_reference(text) {
            Some((type_name, title)) => {
                let type_name = Name::new(type_name).capitalized();
                if type_name == "Class" {
                    return self.find_resource(type_name, Name::new(title).capitalized().as_str());
                }
                self.find_resource(type_name, title)
            }
            None => {
                let quoted = catwalk_value::ruby::inspect_string(text);
                Err(Stop::runtime(format!("No title provided and {quoted} is not a valid resource reference")))
            }
        }
    }

    /// The built-in or defined type of this name.
    ///
    /// # Errors
    /// A file that might define it does not parse.
    pub fn find_resource_type(&mut self, name: Name) -> Res<Option<ResourceDefinition<'c>>> {
        let found = self.loaded_resource_type(name);
        self.type_loaded_definitions()?;
        found
    }

    /// Finds a resource type without checking the other definitions of the file that was loaded for it.
    ///
    /// # Errors
    ///
    /// As [`Evaluator::find_resource_type`].
    pub(crate) fn loaded_resource_type(&self, name: Name) -> Res<Option<ResourceDefinition<'c>>> {
        if let Some(builtin) = self.builtin(name)? {
            return Ok(Some(ResourceDefinition::Builtin(builtin)));
        }
        let Some(definition) = self.program.define(name)? else { return Ok(None) };
        self.check_parameter_names(definition)?;
        Ok(Some(ResourceDefinition::Define(definition)))
    }
}

/// The values of the `alias` metaparameter.
pub(crate) fn aliases_of(entry: &Entry<'_>) -> Vec<Value> {
    let mut flat = Vec::new();
    if let Some(value) = entry.get(catwalk_base::name!("alias")) {
        flatten(value, &mut flat);
        flat.retain(|value| !value.is_undef());
    }
    flat
}

/// Whether a resource's name is its title, as for most resources, so that it needs no other key.
fn title_is_key(declared: &ResourceDefinition<'_>, entry: &Entry<'_>) -> bool {
    entry.get(catwalk_base::name!("name")).is_none()
        && match declared {
            ResourceDefinition::Builtin(builtin) => {
                builtin.is_named_by(&entry.title).is_some_and(|namevar| entry.get(namevar).is_none())
            }
            _ => true,
        }
}

/// A key as the catalog's table stores it: Ruby flattens type, name attributes and arrays in them into one array.
fn flatten_key(values: &KeyValues) -> KeyValues {
    let items = match values {
        KeyValues::Single(value) => std::slice::from_ref(value),
        KeyValues::Composite(values) => values.as_slice(),
    };
    if !items.iter().any(|value| matches!(value, Value::Array(_))) {
        return values.clone();
    }
    let mut flat = Vec::new();
    items.iter().for_each(|value| flatten(value, &mut flat));
    match (flat.pop(), flat.is_empty()) {
        (Some(only), true) => KeyValues::Single(only),
        (last, _) => KeyValues::Composite(flat.into_iter().chain(last).collect()),
    }
}

/// The name attributes' values, for finding a resource under another title (Puppet::Resource#uniqueness_key).
pub(crate) fn uniqueness_key(
    declared: &ResourceDefinition<'_>,
    title: &str,
    get: &dyn Fn(Name) -> Option<Value>,
) -> Res<KeyValues> {
    let name = catwalk_base::name!("name");
    let ResourceDefinition::Builtin(builtin) = declared else {
        return Ok(KeyValues::Single(get(name).unwrap_or_else(|| Value::str(title))));
    };
    let parsed = builtin.parse_title(&Arc::from(title))?;
    let attribute = |key: Name| {
        get(key).or_else(|| {
            parsed
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.clone())
                .filter(|value| !value.is_undef())
        })
    };
    let namevar = builtin.namevar();
    let fallback = attribute(namevar).or_else(|| attribute(name)).unwrap_or_else(|| Value::str(title));
    let mut values = builtin.key_attributes.iter().map(|key| {
        let value = attribute(*key);
        if *key == namevar || *key == name {
            value.unwrap_or_else(|| fallback.clone())
        } else {
            value.unwrap_or(Value::Undef)
        }
    });
    if builtin.key_attributes.len() == 1 {
        return Ok(KeyValues::Single(values.next().unwrap_or(Value::Undef)));
    }
    Ok(KeyValues::Composite(values.collect()))
}

/// Refuses a string that names a missing resource if its type is not a valid tag: to look for aliases, Puppet creates a resource,
/// which is tagged with the type. (Puppet::Resource::Catalog#resource)
///
/// # Errors
///
/// `Invalid tag '…'`
pub fn check_reference_tag(reference: &str) -> Res<()> {
    let Some((type_name, _)) = split_reference(reference) else { return Ok(()) };
    Tags::default().add(type_name).map_err(|bad| Stop::runtime(format!("Invalid tag '{bad}'")))
}

/// `Type[title]` in parts.
pub(crate) fn split_reference(text: &str) -> Option<(&str, &str)> {
    let open = text.find('[')?;
    let title = text.get(open + 1..)?.strip_suffix(']')?;
    let type_name = text.get(..open)?;
    (!type_name.is_empty() && !type_name.contains(']') && !title.is_empty()).then_some((type_name, title))
}
