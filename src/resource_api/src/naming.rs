//! Names of resources: namevars from titles, identity, automatic relations.

use std::sync::Arc;

use crate::Definition;
use crate::Relation;
use crate::RelationTarget;
use crate::State;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

impl Relation {
    /// The key in a definition: `autorequire`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Relation::Require => "autorequire",
            Relation::Before => "autobefore",
            Relation::Subscribe => "autosubscribe",
            Relation::Notify => "autonotify",
        }
    }
}

impl Definition {
    /// The namevars that a title sets, in the order of the first pattern that matches. A group that did not participate is
    /// `None`.
    ///
    /// # Errors
    /// `No set of title patterns matched the title "…".`, or a regular expression that takes too long.
    pub fn parse_title(&self, title: &str) -> Result<Vec<(Name, Option<Arc<str>>)>, String> {
        if self.title_patterns.is_empty() {
            return Ok(self.namevars().next().map(|first| (first, Some(Arc::from(title)))).into_iter().collect());
        }
        for pattern in &self.title_patterns {
            let captures = pattern.regexp.captures(title).map_err(|error| error.message().to_owned())?;
            if let Some(captures) = captures {
                let value = |name: &Name| captures.name(name).flatten().map(Arc::from);
                return Ok(pattern.names.iter().map(|name| (*name, value(name))).collect());
            }
        }
        Err(format!("No set of title patterns matched the title \"{title}\"."))
    }

    /// The identity of a resource for its provider: the value of the only namevar, or a hash of all namevars (`build_title`).
    #[must_use]
    pub fn resource_name(&self, state: &State) -> Value {
        let value = |name: Name| state.get(&name).cloned().unwrap_or(Value::Undef);
        let namevars: Vec<Name> = self.namevars().collect();
        match namevars.as_slice() {
            [only] => value(*only),
            several => {
                let mut names = Hash::new();
                several.iter().for_each(|name| names.set(name, value(*name)));
                Value::hash(names)
            }
        }
    }

    /// The identity of the resource with this title, as far as the title determines the namevars.
    ///
    /// # Errors
    /// See [`Definition::parse_title`].
    pub fn resource_name_from_title(&self, title: &str) -> Result<Value, String> {
        let titled = self.parse_title(title)?.into_iter();
        Ok(self.resource_name(&titled.map(|(name, value)| (name, value.map_or(Value::Undef, Value::from))).collect()))
    }

    /// Whether a row of `get` describes the resource with these values (`namevar_match?`).
    #[must_use]
    pub fn is_same_resource(&self, desired: &State, row: &State) -> bool {
        self.namevars().all(|name| desired.get(&name).is_some() && desired.get(&name) == row.get(&name))
    }

    /// The row to assume for a resource that `get` did not return: the title, or all namevars if there are several.
    #[must_use]
    pub fn missing_row(&self, name: &Value) -> State {
        let mut state = match name {
            Value::Hash(names) => State::from(names.as_ref()),
            name => State::from_iter([(catwalk_base::name!("title"), name.clone())]),
        };
        if self.is_ensurable() {
            state.insert(catwalk_base::name!("ensure"), Value::str("absent"));
        }
        state
    }

    /// The automatic relations of a resource: relation, type and title, in the order of the definition. The related resources
    /// need not exist.
    #[must_use]
    pub fn related_resources(&self, state: &State) -> Vec<(Relation, Name, Arc<str>)> {
        let mut related = Vec::new();
        for relation in &self.auto_relations {
            let mut titles = Vec::new();
            for target in &relation.targets {
                match target {
                    RelationTarget::Title(title) => titles.push(title.clone()),
                    RelationTarget::Attribute(name) => self.add_titles(*name, state, &mut titles),
                }
            }
            related.extend(titles.into_iter().map(|title| (relation.relation, relation.resource_type, title)));
        }
        related
    }

    /// Adds the titles that an attribute contains; `$name` is the namevar if no attribute has that name.
    fn add_titles(&self, name: Name, state: &State, titles: &mut Vec<Arc<str>>) {
        let name = if name == "name" && !self.attributes.contains_key(&name) {
            self.namevars().next().unwrap_or(name)
        } else {
            name
        };
        state.get(&name).into_iter().for_each(|value| flatten(value, titles));
    }
}

fn flatten(value: &Value, titles: &mut Vec<Arc<str>>) {
    match value {
        Value::Undef => {}
        Value::Array(items) => items.iter().for_each(|item| flatten(item, titles)),
        other => titles.push(Arc::from(ruby::to_s(other))),
    }
}
