//! The name that a message of Puppet reports as unknown.
//!
//! In: a message. Out: the name and its kind, the module that should define it. Must not: search for similar names.

/// A name that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnknownName<'m> {
    Class(&'m str),
    /// A resource type in a declaration: `role::server { 'a': }`.
    ResourceType(&'m str),
    /// A resource type or data type in a reference: `Role::Server['a']`.
    TypeReference(&'m str),
    Function(&'m str),
    /// A parameter of a class, a defined type or a resource type: the reference and the name.
    Parameter(&'m str, &'m str),
    /// A key of Hiera data.
    Key(&'m str),
}

/// The beginnings of Puppet's messages before a name, and what follows the name; empty if the name ends before the first character that
/// cannot be part of it.
const MESSAGES: [(&str, &str, for<'m> fn(&'m str) -> UnknownName<'m>); 9] = [
    ("Could not find class ::", " for ", |name| UnknownName::Class(name)),
    ("Could not find class ", " for ", |name| UnknownName::Class(name)),
    ("Could not find declared class ", "", |name| UnknownName::Class(name)),
    ("Unknown resource type: '", "'", |name| UnknownName::ResourceType(name)),
    ("Resource type not found: ", "", |name| UnknownName::TypeReference(name)),
    ("references an unresolved type '", "'", |name| UnknownName::TypeReference(name)),
    ("Unknown function: '", "'", |name| UnknownName::Function(name)),
    ("Unknown function '", "'", |name| UnknownName::Function(name)),
    ("did not find a value for the name '", "'", |name| UnknownName::Key(name)),
];

impl<'m> UnknownName<'m> {
    pub(super) fn find(message: &'m str) -> Option<UnknownName<'m>> {
        if let Some((before, name)) = between(message, "no parameter named '", "'") {
            let reference = match before.strip_suffix(": has ") {
                Some(before) => before.rsplit(' ').next()?,
                None => message.rsplit_once(" on ").map(|(_, reference)| reference)?,
            };
            return Some(UnknownName::Parameter(reference.split(" (").next()?, name));
        }
        MESSAGES.iter().find_map(|(before, after, kind)| between(message, before, after).map(|(_, name)| kind(name)))
    }

    /// The command that lists the names that exist.
    pub(super) fn next_command(self, certname: &str) -> String {
        match self {
            UnknownName::Class(_) => "`catwalk docs classes` lists the classes of the site".to_owned(),
            UnknownName::ResourceType(_) => "`catwalk docs types` lists all resource types and defined types".to_owned(),
            UnknownName::TypeReference(_) => {
                "`catwalk docs types` lists all resource types and defined types, `catwalk docs datatypes` all data types"
                    .to_owned()
            }
            UnknownName::Function(_) => "`catwalk docs functions` lists all functions".to_owned(),
            UnknownName::Parameter(reference, _) => match reference.split_once('[') {
                Some(("Class", title)) => {
                    let class = title.trim_end_matches(']').to_lowercase();
                    format!("`catwalk docs classes {class}` lists its parameters")
                }
                Some((name, _)) => format!("`catwalk docs types {}` lists its attributes", name.to_lowercase()),
                None => "`catwalk docs types TYPE` lists the attributes of a type".to_owned(),
            },
            UnknownName::Key(key) => {
                format!("`catwalk lookup {key} --node {certname} --explain` shows where it was searched")
            }
        }
    }

    /// The name in lower case if a module that is not installed may define it.
    pub(super) fn definition(self) -> Option<String> {
        match self {
            UnknownName::Class(name)
            | UnknownName::ResourceType(name)
            | UnknownName::TypeReference(name)
            | UnknownName::Function(name) => Some(name.trim_matches(':').to_lowercase()),
            UnknownName::Parameter(..) | UnknownName::Key(_) => None,
        }
    }

    /// Whether the name can belong to any module: that of a resource type or function without `::`.
    pub(super) fn is_global(self) -> bool {
        !matches!(self, UnknownName::Class(_)) && self.definition().is_some_and(|name| !name.contains("::"))
    }

    /// Whether this module should define the name. A resource type that came with Puppet once is in a module that is named after it:
    /// `yumrepo` in `yumrepo_core`.
    pub(super) fn is_defined_by(self, module: &str) -> bool {
        let Some(name) = self.definition() else { return false };
        match name.split_once("::") {
            Some((namespace, _)) => module == namespace,
            None => module.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest == "_core"),
        }
    }
}

/// The parts of the message before `begin` and between `begin` and `end`.
fn between<'m>(message: &'m str, begin: &str, end: &str) -> Option<(&'m str, &'m str)> {
    let (before, rest) = message.split_once(begin)?;
    let name = match end {
        "" => rest.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':'))).next()?,
        end => rest.split_once(end)?.0,
    };
    Some((before, name))
}

#[cfg(test)]
mod tests {
    use super::UnknownName;

    #[test]
    fn a_message_contains_the_unknown_name() {
        let find = |message| UnknownName::find(message);
        let messages = [
            ("Evaluation Error: Resource type not found: Stdlib::Port", UnknownName::TypeReference("Stdlib::Port")),
            (
                "Error while evaluating a Resource Statement, Unknown resource type: 'file_line'",
                UnknownName::ResourceType("file_line"),
            ),
            (
                "Class[M]: parameter 'p' references an unresolved type 'Stdlib::Port'",
                UnknownName::TypeReference("Stdlib::Port"),
            ),
            ("Could not find class ::concat for web1.example.com", UnknownName::Class("concat")),
            ("Could not find declared class concat", UnknownName::Class("concat")),
            ("Unknown function: 'stdlib::ensure'.", UnknownName::Function("stdlib::ensure")),
        ];
        for (message, name) in messages {
            assert_eq!(find(message), Some(name), "{message}");
        }
        assert_eq!(find("Unknown variable: 'x'."), None);
    }

    #[test]
    fn a_module_defines_the_names_of_its_namespace() {
        assert!(UnknownName::TypeReference("Stdlib::Port").is_defined_by("stdlib"));
        assert!(UnknownName::ResourceType("yumrepo").is_defined_by("yumrepo_core"));
        assert!(!UnknownName::ResourceType("yumrepo").is_defined_by("yum"));
        assert!(UnknownName::Function("merge").is_global() && !UnknownName::Class("merge").is_global());
    }
}
