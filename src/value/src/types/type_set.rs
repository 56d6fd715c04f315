//! Type sets: `TypeSet[{ pcore_version => …, types => { … } }]`, types with one name and version. (`PTypeSetType`)
//!
//! In: a hash of values whose types exist already. Out: the set, checked. The evaluator finds its types by name in manifests and
//! modules.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::types::object::ANNOTATIONS;
use crate::types::object::initializer;
use crate::types::parse::AliasResolver;
use crate::types::parse_type;
use crate::value::Hash;
use crate::value::SemVer;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::diag::Reason;

/// The naming authority of manifests.
pub const RUNTIME_AUTHORITY: &str = "http://puppet.com/2016.1/runtime";

/// A type set.
#[derive(Debug, Default)]
pub struct TypeSet {
    /// The qualified name, if the definition or the file has one.
    pub name: Option<Arc<str>>,
    /// The naming authority.
    pub authority: Option<Arc<str>>,
    /// The URI of the Pcore format, if the definition states it.
    pub pcore_uri: Option<Arc<str>>,
    /// The version of the Pcore format.
    pub pcore_version: Arc<str>,
    pub version: Option<SemVer>,
    /// The types by their simple names.
    pub types: Vec<(Arc<str>, Type)>,
    /// References to other type sets, by the aliases under which this set uses them.
    pub references: Vec<(Arc<str>, TypeSetReference)>,
    pub annotations: Option<Value>,
}

/// A reference from one type set to another.
#[derive(Debug)]
pub struct TypeSetReference {
    /// The name of the referenced type set.
    pub name: Arc<str>,
    /// The naming authority.
    pub authority: Option<Arc<str>>,
    /// The accepted versions.
    pub range: SemVerRange,
    /// The referenced type set, once it is loaded.
    pub loaded: OnceLock<Arc<TypeSet>>,
}

/// Sets are equal when they have the same name and version.
impl PartialEq for TypeSet {
    fn eq(&self, other: &TypeSet) -> bool {
        self.authority == other.authority && self.name == other.name && self.version == other.version
    }
}
impl Eq for TypeSet {}
impl std::hash::Hash for TypeSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

fn shape() -> &'static Type {
    static SHAPE: OnceLock<Type> = OnceLock::new();
    SHAPE.get_or_init(|| {
        let name = r"Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/]";
        let simple = r"Pattern[/\A[A-Z]\w*\z/]";
        let reference = format!(
            "Struct[{{name => {name}, version_range => Variant[String[1], SemVerRange], Optional[name_authority] => \
             {URI}, Optional[annotations] => {ANNOTATIONS}}}]"
        );
        let text = format!(
            "Struct[{{Optional[pcore_uri] => {URI}, pcore_version => Variant[String[1], SemVer], \
             Optional[name_authority] => {URI}, Optional[name] => {name}, Optional[version] => Variant[String[1], \
             SemVer], Optional[types] => Hash[{simple}, Variant[Type, Initializer], 1], Optional[references] => \
             Hash[{simple}, {reference}, 1], Optional[annotations] => {ANNOTATIONS}}}]"
        );
        // A test checks that the string is a type.
        parse_type(&text, &mut InitializerName).unwrap_or(Type::Any)
    })
}

/// A string that begins like a URI. Puppet uses the regular expression of Ruby's library. (`Pcore::TYPE_URI`)
const URI: &str = r"Pattern[/(?x-mi:[a-zA-Z][-+.a-zA-Z\d]*:[^\s])/]";

/// Resolves the names in the type of [`shape`].
struct InitializerName;

impl AliasResolver for InitializerName {
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        Ok((name == "Initializer").then(|| initializer().clone()))
    }
}

fn parse_version(value: &Value) -> Result<SemVer, String> {
    match value {
        Value::SemVer(version) => Ok((**version).clone()),
        value => SemVer::parse(value.as_str().unwrap_or("")),
    }
}

fn parse_range(value: Option<&Value>) -> Result<SemVerRange, String> {
    match value {
        Some(Value::SemVerRange(range)) => Ok((**range).clone()),
        value => SemVerRange::parse(value.and_then(Value::as_str).unwrap_or("")),
    }
}

impl TypeSet {
    /// Defines a set from a hash. The name and authority of the declaration, if there is one, override those in the hash.
    ///
    /// # Errors
    /// Returns Puppet's message about the invalid definition.
    pub fn define(declared: Option<(&str, &str)>, definition: &Hash) -> Result<TypeSet, String> {
        assert_instance("TypeSet initializer", shape(), &Value::hash(definition.clone()))
            .map_err(|reason| reason.message.to_string())?;
        let text = |key: &str| definition.get(key).and_then(Value::as_str).map(Arc::from);
        let mut set = TypeSet {
            name: declared.map(|(name, _)| Arc::from(name)).or_else(|| text("name")),
            authority: declared.map(|(_, authority)| Arc::from(authority)).or_else(|| text("name_authority")),
            pcore_uri: text("pcore_uri"),
            annotations: definition.get("annotations").cloned(),
            ..TypeSet::default()
        };
        let format = parse_version(definition.get("pcore_version").unwrap_or(&Value::Undef))?;
        let supported = SemVerRange::parse("1.x")?;
        if !supported.includes(&format) {
            return Err(format!(
                "The pcore version for TypeSet '{}' is not understood by this runtime. Expected range {supported}, got {format}",
                set.label()
            ));
        }
        set.pcore_version = Arc::from(format.to_string());
        set.version = definition.get("version").map(parse_version).transpose()?;
        if let Some(Value::Hash(types)) = definition.get("types") {
            set.types = types
                .iter()
                .filter_map(|(name, t)| match (name, t) {
                    (Value::Str(name), Value::Type(t)) => Some((name.to_shared(), t.clone())),
                    _ => None,
                })
                .collect();
        }
        if let Some(Value::Hash(references)) = definition.get("references") {
            for (alias, reference) in references.iter() {
                if let (Value::Str(alias), Value::Hash(reference)) = (alias, reference) {
                    set.add_reference(alias.characters(), reference)?;
                }
            }
        }
        Ok(set)
    }

    fn add_reference(&mut self, alias: &Arc<str>, reference: &Hash) -> Result<(), String> {
        let text = |key: &str| reference.get(key).and_then(Value::as_str).map(Arc::from);
        let added = TypeSetReference {
            name: text("name").unwrap_or_default(),
            authority: text("name_authority").or_else(|| self.authority.clone()),
            range: parse_range(reference.get("version_range"))?,
            loaded: OnceLock::new(),
        };
        let label = self.label();
        let is_duplicate = self
            .references
            .iter()
            .any(|(_, existing)| existing.name == added.name && existing.authority == added.authority);
        if is_duplicate {
            let authority = added.authority.as_deref().unwrap_or("");
            return Err(format!(
                "TypeSet '{label}' references TypeSet '{authority}/{}' more than once using overlapping version ranges",
                added.name
            ));
        }
        if self.types.iter().any(|(name, _)| name == alias) {
            return Err(format!(
                "TypeSet '{label}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
            ));
        }
        self.references.push((alias.clone(), added));
        Ok(())
    }

    /// The name in messages; empty for a set without a name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("")
    }

    /// The index of a type by its simple name, ignoring case.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|(type_name, _)| type_name.eq_ignore_ascii_case(name))
    }

    /// A type of a referenced set by its name `Alias::Type`, or the referenced set itself by its alias.
    #[must_use]
    pub fn referenced_type(&self, name: &str) -> Option<Type> {
        let (first, rest) = name.split_once("::").unwrap_or((name, ""));
        let (_, reference) = self.references.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(first))?;
        let set = reference.loaded.get()?;
        if rest.is_empty() {
            return Some(Type::TypeSet(Some(set.clone())));
        }
        match set.position(rest) {
            Some(at) => set.types.get(at).map(|(_, t)| t.clone()),
            None => set.referenced_type(rest),
        }
    }

    /// The name of a type within the set: `Type`, or `Alias::Type` for a type of a referenced set.
    #[must_use]
    pub fn name_of(&self, t: &Type) -> Option<String> {
        let is_same = |member: &Type| match (member.resolved(), t.resolved()) {
            (Type::Object(member), Type::Object(t)) => member.name.is_some() && member.name == t.name,
            _ => member == t,
        };
        if let Some((name, _)) = self.types.iter().find(|(_, member)| is_same(member)) {
            return Some(name.to_string());
        }
        self.references.iter().find_map(|(alias, reference)| {
            let name = reference.loaded.get()?.name_of(t)?;
            Some(format!("{alias}::{name}"))
        })
    }

    /// Whether the set itself defines the type, not a set that it references.
    #[must_use]
    pub fn defines(&self, t: &Type) -> bool {
        self.name_of(t).is_some_and(|name| !name.contains("::"))
    }

    /// The definition without types and references. (`_pcore_init_hash`)
    #[must_use]
    pub fn header(&self) -> Hash {
        let mut hash = Hash::new();
        let mut set = |key: &str, text: Option<String>| {
            if let Some(text) = text {
                hash.set(key, Value::from(text));
            }
        };
        set("pcore_uri", self.pcore_uri.as_deref().map(str::to_owned));
        set("pcore_version", Some(self.pcore_version.to_string()));
        set("name_authority", self.authority.as_deref().map(str::to_owned));
        hash.set("name", self.name.clone().map_or(Value::Undef, Value::from));
        if let Some(version) = &self.version {
            hash.set("version", Value::from(version.to_string()));
        }
        hash
    }

    /// The references in the form of a definition.
    #[must_use]
    pub(crate) fn references_hash(&self) -> Hash {
        let to_hash = |reference: &TypeSetReference| {
            let mut hash = Hash::new();
            if let Some(authority) = reference.authority.as_ref().filter(|_| reference.authority != self.authority) {
                hash.set("name_authority", Value::from(authority.clone()));
            }
            hash.set("name", Value::from(reference.name.clone()));
            hash.set("version_range", Value::from(reference.range.to_string()));
            Value::hash(hash)
        };
        self.references.iter().map(|(alias, reference)| (Value::from(alias.clone()), to_hash(reference))).collect()
    }

    /// The hash from which [`TypeSet::define`] creates an equal set.
    #[must_use]
    pub fn definition(&self) -> Hash {
        let mut hash = self.header();
        if !self.types.is_empty() {
            let types = self.types.iter().map(|(name, t)| (Value::from(name.clone()), Value::Type(t.clone())));
            hash.set("types", Value::hash(types.collect()));
        }
        if !self.references.is_empty() {
            hash.set("references", Value::hash(self.references_hash()));
        }
        hash
    }

    /// The set that is printed for `TypeSet` without parameters.
    #[must_use]
    pub(crate) fn default_set() -> &'static TypeSet {
        static DEFAULT: OnceLock<TypeSet> = OnceLock::new();
        DEFAULT.get_or_init(|| TypeSet {
            name: Some(Arc::from("DefaultTypeSet")),
            authority: Some(Arc::from(RUNTIME_AUTHORITY)),
            pcore_uri: Some(Arc::from("http://puppet.com/2016.1/pcore")),
            pcore_version: Arc::from("1.0.0"),
            version: SemVer::parse("0.0.0").ok(),
            ..TypeSet::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_a_valid_type() {
        assert!(*shape() != Type::Any);
    }
}
