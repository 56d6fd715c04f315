//! Hints for the failure of a compile: the similar name, the missing module, the position in a classifier.
//!
//! In: a failure and the node. Out: the failure with a location and a hint. Must not: change messages. What a hint reads is
//! recorded as a dependency of the compile.

use std::collections::BTreeSet;
use std::path::Path;

use crate::session::CompileInput;
use crate::session::Session;
use crate::session::fact_hints;
use crate::session::puppetfile;
use crate::session::unknown_name::UnknownName;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Label;
use catwalk_base::names::Name;
use catwalk_base::names::did_you_mean;
use catwalk_base::source::FileId;
use catwalk_base::source::Source;
use catwalk_base::source::Span;
use catwalk_base::source::path::shown;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_node::classify::ClassificationPart;
use catwalk_program::Environment;
use catwalk_program::Registry;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_value::data::positions;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// The title of a class as it is in a reference: `Web::Server`.
fn reference(class: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    class.trim_start_matches("::").split("::").map(capital).collect::<Vec<_>>().join("::")
}

/// The modules that the Puppetfile names, that are not installed, and that one of these failures needs.
pub(super) fn needed_modules<'m>(missing: Vec<String>, messages: impl Iterator<Item = &'m str>) -> Vec<String> {
    let unknown: Vec<UnknownName<'_>> = messages.filter_map(UnknownName::find).collect();
    missing.into_iter().filter(|module| unknown.iter().any(|name| name.is_defined_by(module))).collect()
}

impl Session {
    /// Modules that the site's Puppetfile names, that are not installed, and that explain one of these failures.
    #[must_use]
    pub fn modules_that_failures_need<'m>(&self, messages: impl Iterator<Item = &'m str>) -> Vec<String> {
        needed_modules(self.missing_modules(), messages)
    }

    /// Adds hints to a failure.
    pub(super) fn explain_failure(&self, failure: &mut Diagnostic, opened: &CompileInput<'_>) {
        self.locate_in_classifier(failure, opened);
        if failure.help.is_none() {
            let hint = self.hint(&failure.message, opened).or_else(|| self.fact_hint(failure, opened));
            let hint = hint
                .or_else(|| UnknownName::find(&failure.message).map(|name| name.next_command(&opened.node.certname)));
            failure.help = hint.map(Into::into);
        }
    }

    /// A hint about a fact that the failed statement reads and the node lacks.
    fn fact_hint(&self, failure: &Diagnostic, opened: &CompileInput<'_>) -> Option<String> {
        let span = failure.span?;
        let source = self.sources().get(span.file)?;
        let code = source.text.get(span.start as usize..span.end as usize)?;
        fact_hints::hint(code, &opened.node.facts)
    }

    fn hint(&self, message: &str, opened: &CompileInput<'_>) -> Option<String> {
        let unknown = UnknownName::find(message)?;
        let environment = &*opened.program.environment;
        if let Some((module, others)) = self.missing_module_of(unknown, environment) {
            let more = match others.as_slice() {
                [] => String::new(),
                [other] => format!(", and neither is {other}"),
                others => format!(", and neither are {}", puppetfile::join_names(others)),
            };
            return Some(format!(
                "the Puppetfile names the module {module}, which is not installed{more}; {}",
                puppetfile::INSTALL_HINT
            ));
        }
        match unknown {
            UnknownName::Class(name) => self.similar(name, environment, &[MANIFESTS]),
            UnknownName::ResourceType(name) => {
                let core = core_types();
                self.similar_to(name, environment, &[MANIFESTS, TYPES], core)
            }
            UnknownName::TypeReference(name) => {
                let core = core_types();
                let names = self.defined_names(environment, &[MANIFESTS, TYPES, DATA_TYPES], core);
                let data_types = catwalk_value::docs::ALL.iter().map(|data_type| data_type.name.to_owned());
                let references: BTreeSet<String> = names.iter().map(|name| reference(name)).chain(data_types).collect();
                did_you_mean(name, references.iter().map(String::as_str))
            }
            UnknownName::Function(name) => {
                let core = catwalk_functions::ALL.iter().map(|function| function.name.to_owned()).collect();
                self.similar_to(name, environment, &FUNCTIONS, core)
            }
            UnknownName::Parameter(reference, name) => self.similar_parameter(reference, name, opened),
            UnknownName::Key(key) => {
                let files = opened.data.lookup.data_files(false, self.world.as_ref()).ok()?;
                did_you_mean(key, files.iter().flat_map(|file| file.keys.iter().map(|(key, _)| key.as_str())))
            }
        }
    }

    /// The module of the Puppetfile that should define an unknown name and is not installed, and the others that are not.
    fn missing_module_of(&self, unknown: UnknownName<'_>, environment: &Environment) -> Option<(String, Vec<String>)> {
        // Only such a name is worth reading the Puppetfile.
        unknown.definition()?;
        let mut missing = self.modules_missing_from(environment);
        let at = missing.iter().position(|module| unknown.is_defined_by(module))?;
        Some((missing.remove(at), missing))
    }

    fn similar(&self, name: &str, environment: &Environment, folders: &[Folder]) -> Option<String> {
        self.similar_to(name, environment, folders, BTreeSet::new())
    }

    fn similar_to(
        &self,
        name: &str,
        environment: &Environment,
        folders: &[Folder],
        core: BTreeSet<String>,
    ) -> Option<String> {
        let names = self.defined_names(environment, folders, core);
        did_you_mean(name, names.iter().map(String::as_str))
    }

    /// Adds the names that the site defines in these folders to `names`.
    fn defined_names(
        &self,
        environment: &Environment,
        folders: &[Folder],
        mut names: BTreeSet<String>,
    ) -> BTreeSet<String> {
        let modules = environment.modules.values().map(|module| (&*module.name, module.root.as_path()));
        let site = environment.root.as_deref().map(|root| ("environment", root));
        for (module, root) in modules.chain(site) {
            for folder in folders {
                let mut found = Vec::new();
                let base = root.join(folder.path);
                below(&base, self.world.as_ref(), folder.ending, &mut found, &mut Descent::default());
                names.extend(found.iter().filter_map(|path| (folder.name)(module, path)));
            }
        }
        names
    }

    fn similar_parameter(&self, reference: &str, name: &str, opened: &CompileInput<'_>) -> Option<String> {
        let (type_name, title) = reference.strip_suffix(']')?.split_once('[')?;
        let type_name = type_name.to_lowercase();
        let definition = match type_name.as_str() {
            "class" => opened.program.class(Name::new(&title.to_lowercase())),
            _ => opened.program.define(Name::new(&type_name)),
        };
        if let Ok(Some(definition)) = definition {
            let parameters = match &definition.kind {
                DefinitionKind::Class(class) => &class.params,
                DefinitionKind::Define(define) => &define.params,
                _ => return None,
            };
            return did_you_mean(name, parameters.iter().map(|parameter| parameter.name.as_str()));
        }
        let found = opened.registry.lookup(&opened.program.environment, self.world.as_ref(), &type_name);
        let resource_type = found.ok()??;
        did_you_mean(name, resource_type.attributes.keys().map(|name| name.as_str()))
    }

    /// Sets the location in groups or a script of the class or parameter that failed without a location.
    fn locate_in_classifier(&self, failure: &mut Diagnostic, opened: &CompileInput<'_>) {
        let node = opened.node;
        if failure.span.is_some() || failure.code == Code::NOT_SUPPORTED_YET {
            return;
        }
        let unknown = UnknownName::find(&failure.message);
        let is_about = |class: &str| {
            unknown == Some(UnknownName::Class(class.trim_start_matches("::")))
                || failure.message.contains(&format!("Class[{}]: ", reference(class)))
        };
        let Some((class, parameters)) = node.classes.iter().find(|(class, _)| is_about(class)) else { return };
        let names = parameters.iter().flat_map(|hash| hash.keys()).filter_map(|name| name.as_str());
        let mut named = names.filter(|name| failure.message.contains(&format!("'{name}'")));
        let part = match named.next() {
            Some(name) => ClassificationPart::Parameter(class.clone(), name.into()),
            None => ClassificationPart::Class(class.clone()),
        };
        let subject = match &part {
            ClassificationPart::Parameter(_, name) => format!("parameter '{name}' of class {class}"),
            _ => format!("class {class}"),
        };
        let location =
            node.locations.get(&part).or_else(|| node.locations.get(&ClassificationPart::Class(class.clone())));
        let span = location.and_then(|location| self.span_of(location));
        match (location, span) {
            // The output of a command is not a file that the message could name.
            (Some(DefinitionLocation::Output { .. }), Some(span)) => {
                failure.labels.push(Label { span, text: "the classifier printed".into() });
            }
            _ => failure.span = span,
        }
        let origin = node.origins.get(&part).map_or("the classifier", |origin| &**origin);
        let near = self.hint(&failure.message, opened).map(|near| format!("; {near}")).unwrap_or_default();
        let show = format!("`catwalk node show {} --explain` shows the classification", node.certname);
        failure.help = Some(format!("{subject} comes from {origin}{near} {show}").into());
    }

    /// The span of a location in groups or a script.
    fn span_of(&self, location: &DefinitionLocation) -> Option<Span> {
        let sources = self.sources();
        let file = match location {
            DefinitionLocation::Value { file, .. } | DefinitionLocation::Call { file, .. } => file,
            DefinitionLocation::Output { command, text, keys } => {
                let name = format!("output of {command}");
                let id = self.source_id(None, &name, text);
                let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
                return word_at(&*sources.get(id)?, id, positions::find(text, &keys)?);
            }
        };
        let name = file.to_string_lossy();
        let bytes = self.world.read(file).ok()?;
        let id = self.source_id(Some(file), &name, std::str::from_utf8(&bytes).ok()?);
        let source = sources.get(id)?;
        let (line, column) = match location {
            DefinitionLocation::Call { line, column, .. } => (*line, *column),
            DefinitionLocation::Value { keys, .. } | DefinitionLocation::Output { keys, .. } => {
                let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
                positions::find(&source.text, &keys)?
            }
        };
        word_at(&source, id, (line, column))
    }

    /// The source with this name and text. After an edit, the source of the old text may still be known under the name.
    fn source_id(&self, path: Option<&Path>, name: &str, text: &str) -> FileId {
        let sources = self.sources();
        let is_current = |id: &FileId| sources.get(*id).is_some_and(|source| *source.text == *text);
        sources.find(name).filter(is_current).unwrap_or_else(|| sources.add(path, name, text.into()))
    }

    /// Where something in groups, a script or the output of a command is, for people: `groups/web.yaml:4`, `line 3 of its output`.
    pub(super) fn location_of(&self, location: &DefinitionLocation) -> Option<String> {
        let (source, line, _) = self.sources().locate(self.span_of(location)?)?;
        let Some(path) = &source.path else { return Some(format!("line {line} of its output")) };
        Some(format!("{}:{line}", shown(path, self.options.root.as_deref())))
    }
}

/// The span of the word at a position.
fn word_at(source: &Source, id: FileId, (line, column): (usize, usize)) -> Option<Span> {
    let start = source.offset(line, column)?;
    let is_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | ':' | '"' | '\'');
    let word: usize = source.text.get(start..)?.chars().take_while(is_word).map(char::len_utf8).sum();
    let word = source.text.get(start..start + word)?.trim_end_matches(':').len();
    Some(Span::new(id, start, start + word.max(1)))
}

/// A folder of modules in which each file defines the name of its path.
#[derive(Clone, Copy)]
struct Folder {
    path: &'static str,
    ending: &'static str,
    /// The name that a file of a module defines; the path is below the folder, without the ending.
    name: fn(&str, &str) -> Option<String>,
}

const MANIFESTS: Folder =
    Folder { path: "manifests", ending: "pp", name: |module, path| Some(of_module(module, path)) };
const TYPES: Folder = Folder { path: "lib/puppet/type", ending: "rb", name: |_, path| Some(path.to_owned()) };
const DATA_TYPES: Folder = Folder { path: "types", ending: "pp", name: |module, path| Some(of_module(module, path)) };
const FUNCTIONS: [Folder; 4] = [
    Folder { path: "functions", ending: "pp", name: |module, path| Some(of_module(module, path)) },
    Folder { path: "scripts/functions", ending: "rhai", name: |module, path| Some(of_module(module, path)) },
    Folder { path: "lib/puppet/functions", ending: "rb", name: |_, path| Some(path.replace('/', "::")) },
    Folder { path: "lib/puppet/parser/functions", ending: "rb", name: |_, path| Some(path.to_owned()) },
];

/// The names of the types that exist without modules.
fn core_types() -> BTreeSet<String> {
    Registry::core_names().chain(Registry::names_in_core_modules()).map(str::to_owned).collect()
}

/// `apache::vhost` for `vhost` of apache; `init` is the module itself.
fn of_module(module: &str, path: &str) -> String {
    if path == "init" { module.to_owned() } else { format!("{module}::{}", path.replace('/', "::")) }
}

/// The files with an ending below a folder, as paths relative to the folder and without the ending.
fn below(folder: &Path, world: &dyn World, ending: &str, found: &mut Vec<String>, descent: &mut Descent) {
    fn walk(
        (folder, prefix): (&Path, &str),
        world: &dyn World,
        ending: &str,
        found: &mut Vec<String>,
        descent: &mut Descent,
    ) {
        let Ok(entries) = world.list(folder) else { return };
        for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
            let path = folder.join(&*entry.name);
            if entry.kind == Kind::Directory && descent.enters(world, &path, entry) {
                walk((&path, &format!("{prefix}{}/", entry.name)), world, ending, found, descent);
            } else if let Some(name) = entry.name.strip_suffix(ending).and_then(|name| name.strip_suffix('.')) {
                found.push(format!("{prefix}{name}"));
            }
        }
    }
    if world.kind(folder) == Kind::Directory {
        walk((folder, ""), world, ending, found, descent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_what_is_missing() {
        for (message, expected) in [
            (
                "Evaluation Error: Error while evaluating a Function Call, Could not find class ::rol::x for web1",
                Some(UnknownName::Class("rol::x")),
            ),
            ("Could not find class wbe for web1", Some(UnknownName::Class("wbe"))),
            (
                "Evaluation Error: Error while evaluating a Resource Statement, Unknown resource type: 'rol::x'",
                Some(UnknownName::ResourceType("rol::x")),
            ),
            ("Evaluation Error: Unknown function: 'inclde'.", Some(UnknownName::Function("inclde"))),
            ("Function lookup() did not find a value for the name 'a::b'", Some(UnknownName::Key("a::b"))),
            (
                "Evaluation Error: Error while evaluating a Resource Statement, Class[Web]: has no parameter named 'prot'",
                Some(UnknownName::Parameter("Class[Web]", "prot")),
            ),
            (
                "no parameter named 'contnet' (file: /a b/x.pp, line: 2) on File[/etc/motd]",
                Some(UnknownName::Parameter("File[/etc/motd]", "contnet")),
            ),
            ("no", None),
        ] {
            assert_eq!(UnknownName::find(message), expected, "{message}");
        }
    }
}
