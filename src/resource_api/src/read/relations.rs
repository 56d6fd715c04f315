//! `autorequire`, `autobefore`, `autosubscribe`, `autonotify` of a definition.

use super::Attributes;
use super::Reader;
use crate::AutoRelation;
use crate::Relation;
use crate::RelationTarget;
use catwalk_base::names::Name;
use catwalk_base::names::nearest;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby_class;

impl Reader {
    pub(super) fn read_relations(
        &mut self,
        hash: &Hash,
        relation: Relation,
        attributes: &Attributes,
    ) -> Vec<AutoRelation> {
        let key = relation.key();
        let types = match hash.get(key) {
            None | Some(Value::Undef) => return Vec::new(),
            Some(Value::Hash(types)) => types,
            Some(other) => {
                self.error(&[key], format!("`{}.{key}` must be a hash, not `{}`", self.name, ruby_class(other)));
                return Vec::new();
            }
        };
        let mut relations = Vec::new();
        for (resource_type, titles) in types.iter() {
            let resource_type = ruby::to_s(resource_type);
            let mut targets = Vec::new();
            self.add_targets(&[key, &resource_type], titles, attributes, &mut targets);
            relations.push(AutoRelation { relation, resource_type: Name::new(&resource_type.to_lowercase()), targets });
        }
        relations
    }

    /// Adds the titles in a value; arrays are flattened.
    fn add_targets(
        &mut self,
        keys: &[&str; 2],
        value: &Value,
        attributes: &Attributes,
        targets: &mut Vec<RelationTarget>,
    ) {
        match value {
            Value::Undef => {}
            Value::Array(items) => items.iter().for_each(|item| self.add_targets(keys, item, attributes, targets)),
            Value::Str(text) => match text.strip_prefix('$') {
                None => targets.push(RelationTarget::Title(text.to_shared())),
                Some(name) => {
                    let attribute = Name::new(name);
                    if !attributes.contains_key(&attribute) && name != "name" {
                        let text = format!(
                            "`{}.{}` refers to `${name}`, which is not an attribute",
                            self.name,
                            keys.join(".")
                        );
                        self.mistake(keys, text);
                        if let Some(similar) = nearest(name, attributes.keys().map(|name| name.as_str())) {
                            self.add_help(format!("did you mean `${similar}`?"));
                        }
                    }
                    targets.push(RelationTarget::Attribute(attribute));
                }
            },
            other => {
                let text = format!(
                    "`{}.{}` must be a title or `$attribute`, not `{}`",
                    self.name,
                    keys.join("."),
                    ruby_class(other)
                );
                self.mistake(keys, text);
            }
        }
    }
}
