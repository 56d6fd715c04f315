//! The attributes of a definition.

use super::Attributes;
use super::RESERVED;
use super::Reader;
use super::display_key;
use crate::Attribute;
use crate::Behaviour;
use catwalk_base::diag::Code;
use catwalk_base::names::Name;
use catwalk_base::names::nearest;
use catwalk_value::Hash;
use catwalk_value::NoAliases;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch::unresolved_name;
use catwalk_value::parse_type;
use catwalk_value::ruby;
use catwalk_value::ruby_class;

/// The valid keys of an attribute.
const KEYS: [&str; 6] = ["type", "desc", "default", "behaviour", "behavior", "sensitive"];

/// Puppet's own types and those of its bundled modules. Manifests set their specific states (`ensure => running`) and their
/// `provider`, so definitions with these names may have both attributes.
const PUPPET_TYPES: [&str; 16] = [
    "cron",
    "file",
    "group",
    "host",
    "mailalias",
    "maillist",
    "mount",
    "package",
    "scheduled_task",
    "selboolean",
    "selmodule",
    "service",
    "ssh_authorized_key",
    "sshkey",
    "user",
    "yumrepo",
];

/// The names of behaviours.
const BEHAVIOURS: [(&str, Behaviour); 4] = [
    ("namevar", Behaviour::Namevar),
    ("read_only", Behaviour::ReadOnly),
    ("init_only", Behaviour::InitOnly),
    ("parameter", Behaviour::Parameter),
];

/// The two spellings of the key for behaviours.
const SPELLINGS: [&str; 2] = ["behaviour", "behavior"];

impl Reader {
    /// The attributes with their types and descriptions; `section` is the key that contains them.
    pub(super) fn read_attributes(&mut self, section: &str, attribute_hashes: &Hash) -> Attributes {
        let mut attributes = Attributes::default();
        for (key, value) in attribute_hashes.iter() {
            let key = ruby::to_s(key);
            let keys = [section, &*key];
            if key == "rsapi_custom_insync_trigger" {
                self.error(
                    &keys,
                    "`rsapi_custom_insync_trigger` cannot be specified as an attribute; it is reserved for propertyless types with the custom_insync feature",
                );
            }
            let Value::Hash(hash) = value else {
                self.error(&keys, format!("`{}.{key}` must be a Hash, not a {}", self.name, ruby_class(value)));
                continue;
            };
            let data_type = self.read_data_type(section, &key, hash);
            if hash.get("behaviour").is_some_and(Value::truthy) && hash.get("behavior").is_some_and(Value::truthy) {
                let text = format!("the '{key}' attribute has both a `behavior` and a `behaviour`, only use one");
                self.error(&[section, &key, "behavior"], text);
            }
            let (data_type, source) = data_type.unwrap_or((Type::Any, "Any".into()));
            let attribute = Attribute {
                data_type,
                data_type_source: source,
                description: self.read_string(&[section, &key, "desc"], hash.get("desc")),
                default: None,
                behaviour: Behaviour::Property,
                sensitive: self.read_sensitive(section, &key, hash),
            };
            attributes.insert(Name::new(&key), attribute);
            self.report_unknown_keys(&keys, hash, &KEYS);
        }
        attributes
    }

    fn read_data_type(&mut self, section: &str, key: &str, hash: &Hash) -> Option<(Type, std::sync::Arc<str>)> {
        let value = hash.get("type").filter(|value| !value.is_undef());
        if value.is_none() {
            self.error(&[section, key], format!("`{}.{key}` has no type", self.name));
        }
        if hash.get("desc").is_none() {
            let text = format!("`{}.{key}` has no documentation, add it using a `desc` key", self.name);
            self.warning(&[section, key], text);
        }
        let keys = [section, key, "type"];
        let source: std::sync::Arc<str> = match value? {
            Value::Str(text) => text.to_shared(),
            Value::Type(data_type) => data_type.to_string().into(),
            other => {
                self.error(
                    &keys,
                    format!("{} must be a string, not `{}`", display_key(&keys, &self.name), ruby_class(other)),
                );
                return None;
            }
        };
        match parse_type(&source, &mut NoAliases) {
            Ok(data_type) => {
                if let Some(unknown) = unresolved_name(&data_type) {
                    let text = format!(
                        "The type of the `{key}` attribute `{source}` is not recognised: it references an unresolved type '{unknown}'"
                    );
                    self.mistake(&keys, text);
                    self.add_help("only Puppet's own data types can be used in definitions of resource types");
                }
                Some((data_type, source))
            }
            Err(reason) => {
                let problem =
                    if reason.code == Code::SYNTAX_ERROR { "could not be parsed" } else { "is not recognised" };
                let text = format!("The type of the `{key}` attribute `{source}` {problem}: {}", reason.message);
                self.error(&keys, text);
                None
            }
        }
    }

    fn read_sensitive(&mut self, section: &str, key: &str, hash: &Hash) -> bool {
        match hash.get("sensitive") {
            None | Some(Value::Undef) => false,
            Some(Value::Bool(is_sensitive)) => *is_sensitive,
            Some(other) => {
                let keys = [section, key, "sensitive"];
                let text =
                    format!("{} must be true or false, not `{}`", display_key(&keys, &self.name), ruby::inspect(other));
                self.mistake(&keys, text);
                true
            }
        }
    }

    /// Reports attribute names that every resource already has.
    pub(super) fn check_reserved_names(&mut self, attribute_hashes: &Hash) {
        let is_puppet_type = PUPPET_TYPES.contains(&&*self.name);
        let reserved = RESERVED.iter().filter(|name| !(is_puppet_type && **name == "provider"));
        for name in reserved.filter(|name| attribute_hashes.get(name).is_some()) {
            self.error(&["attributes", name], format!("must not define an attribute called `:{name}`"));
        }
    }

    /// `DataTypeHandling.validate_ensure`
    pub(super) fn check_ensure_type(&mut self, attribute_hashes: &Hash, attributes: &Attributes) {
        let Some(Value::Hash(hash)) = attribute_hashes.get("ensure") else { return };
        let Some(attribute) = attributes.get(&Name::new("ensure")) else { return };
        let parsed = hash.get("type").and_then(Value::as_str).is_some_and(|text| *text == *attribute.data_type_source);
        if parsed && !is_ensure_type(&attribute.data_type) && !PUPPET_TYPES.contains(&&*self.name) {
            self.error(
                &["attributes", "ensure", "type"],
                "`:ensure` attribute must have a type of: `Enum[present, absent]` or `Optional[Enum[present, absent]]`",
            );
        }
    }

    /// The roles of the attributes. Returns whether all of them are valid.
    pub(super) fn read_behaviours(
        &mut self,
        section: &str,
        attribute_hashes: &Hash,
        attributes: &mut Attributes,
    ) -> bool {
        let mut are_valid = true;
        for (key, value) in attribute_hashes.iter() {
            let key = ruby::to_s(key);
            let Value::Hash(hash) = value else { continue };
            for spelling in SPELLINGS {
                let Some(word) = hash.get(spelling).filter(|word| word.truthy()) else { continue };
                let behaviour = BEHAVIOURS.iter().find(|(name, _)| word.as_str() == Some(name));
                if let (Some((_, behaviour)), Some(attribute)) = (behaviour, attributes.get_mut(&Name::new(&key))) {
                    attribute.behaviour = *behaviour;
                    continue;
                }
                if behaviour.is_none() {
                    are_valid = false;
                    let word = ruby::to_s(word);
                    self.error(&[section, &key, spelling], format!("`{word}` is not a valid behaviour value"));
                    let names = BEHAVIOURS.iter().map(|(name, _)| *name);
                    let help = match nearest(&word, names.clone()) {
                        Some(similar) => format!("did you mean `{similar}`?"),
                        None => format!("known values: {}", names.collect::<Vec<_>>().join(", ")),
                    };
                    self.add_help(help);
                }
            }
        }
        are_valid
    }

    /// Sets the default values, which must match their attributes' types. As in Puppet, defaults of read_only attributes are
    /// ignored.
    pub(super) fn read_defaults(&mut self, attribute_hashes: &Hash, attributes: &mut Attributes) {
        for (key, value) in attribute_hashes.iter() {
            let key = ruby::to_s(key);
            let Value::Hash(hash) = value else { continue };
            let Some(attribute) = attributes.get_mut(&Name::new(&key)) else { continue };
            let Some(default) = hash.get("default").filter(|value| !value.is_undef()) else { continue };
            if attribute.behaviour == Behaviour::ReadOnly {
                continue;
            }
            // The default is checked when it is used: resources with a value do not need it.
            attribute.default = Some(default.clone());
        }
    }
}

/// Whether `ensure` may have this data type.
fn is_ensure_type(data_type: &Type) -> bool {
    let is_enum = |inner: &Type| match inner {
        Type::Enum(values) => {
            let mut words: Vec<&str> = values.values.iter().map(|value| &**value).collect();
            words.sort_unstable();
            words == ["absent", "present"]
        }
        _ => false,
    };
    match data_type {
        Type::Optional(Some(inner)) => is_enum(inner),
        Type::Variant(types) => {
            matches!(&**types, [Type::Undef, inner] | [inner, Type::Undef] if is_enum(inner))
        }
        other => is_enum(other),
    }
}
