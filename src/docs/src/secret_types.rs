//! The types whose values are secret: `Sensitive`, and each alias that leads to it.
//!
//! In: an environment and a world. Out: names of types. Must not: evaluate; a type is recognised by the names in its text.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::site;
use catwalk_program::Environment;
use catwalk_world::World;

/// The names of the aliases in an environment that lead to `Sensitive`.
#[derive(Default)]
pub(super) struct SecretTypes {
    aliases: BTreeSet<String>,
}

impl SecretTypes {
    /// The aliases of all modules and of the manifests of the environment.
    pub(super) fn collect(environment: &Environment, world: &dyn World) -> SecretTypes {
        SecretTypes::from_aliases(&site::type_aliases(environment, world))
    }

    /// Finds the secret ones of aliases, each with its name and its type as text.
    fn from_aliases(aliases: &[(String, String)]) -> SecretTypes {
        // For each name of a type the aliases that mention it.
        let mut mentions: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (alias, target) in aliases {
            for name in type_names(target) {
                mentions.entry(name).or_default().push(alias);
            }
        }
        let mut secret = SecretTypes::default();
        let mut found = vec!["sensitive".to_owned()];
        while let Some(name) = found.pop() {
            for alias in mentions.get(&name).into_iter().flatten() {
                let alias = alias.to_ascii_lowercase();
                if secret.aliases.insert(alias.clone()) {
                    found.push(alias);
                }
            }
        }
        secret
    }

    /// Whether an expression, given as text, contains the name of one of these types or `Sensitive`.
    pub(super) fn are_in(&self, text: &str) -> bool {
        type_names(text).any(|name| name == "sensitive" || self.aliases.contains(&name))
    }
}

/// The words of an expression that may be names of types, in lower case: Puppet compares them without case.
fn type_names(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ':' | '_'));
    words.filter(|word| !word.is_empty()).map(|word| word.trim_start_matches("::").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::SecretTypes;

    #[test]
    fn aliases_of_secret_types_are_secret() {
        let aliases = [
            ("Acme::Token", "Variant[Acme::Secret, Undef]"),
            ("Acme::Secret", "Sensitive[String]"),
            ("Acme::Port", "Integer[1, 65535]"),
            ("Acme::Loop", "Array[Acme::Loop]"),
        ];
        let secret = SecretTypes::from_aliases(&aliases.map(|(name, target)| (name.to_owned(), target.to_owned())));
        for (text, is_secret) in [
            ("Optional[Acme::Token]", true),
            ("Hash[String, ::Acme::Secret]", true),
            ("Sensitive('x')", true),
            ("Acme::Port", false),
            ("Acme::Loop", false),
            ("'insensitive'", false),
        ] {
            assert_eq!(secret.are_in(text), is_secret, "{text}");
        }
    }
}
