//! The index of definitions by name (Puppet::Resource::TypeCollection), and the names that were not found.

use std::ffi::OsString;
use std::ops::Range;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::program::LoadResult;
use crate::program::LookupKind;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;

/// A definition's numbers: of its file in the program and of the definition in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DefinitionId {
    pub(super) file: usize,
    pub(super) definition: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    classes: NameMap<DefinitionId>,
    defines: NameMap<DefinitionId>,
    functions: NameMap<DefinitionId>,
    aliases: NameMap<DefinitionId>,
    /// Whether there are functions without a namespace: the main manifest may replace functions of the language.
    pub(super) plain_functions: bool,
    pub(super) nodes: Vec<DefinitionId>,
    missing: FxHashSet<(u8, Name)>,
    pub(super) tried: FxHashSet<OsString>,
    pub(super) modules: FxHashMap<FileId, Option<Name>>,
    /// The files in the program of rendered templates, by their source.
    pub(super) templates: FxHashMap<FileId, usize>,
}

impl Index {
    pub(super) fn get(&self, kind: LookupKind, name: Name) -> Option<DefinitionId> {
        match kind {
            LookupKind::Class => self.classes.get(&name).copied(),
            LookupKind::Define => self.defines.get(&name).copied(),
            LookupKind::Function => self.functions.get(&name).copied(),
            LookupKind::TypeAlias => self.aliases.get(&name).copied(),
        }
    }

    /// Names of classes, defines, functions and aliases, sorted.
    pub(super) fn names(&self) -> [Vec<Name>; 4] {
        [&self.classes, &self.defines, &self.functions, &self.aliases].map(|table| {
            let mut names: Vec<Name> = table.keys().copied().collect();
            names.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            names
        })
    }

    /// Removes the classes, defines and nodes of some files.
    pub(super) fn forget(&mut self, files: &Range<usize>) {
        for table in [&mut self.classes, &mut self.defines] {
            table.retain(|_, id| !files.contains(&id.file));
        }
        self.nodes.retain(|id| !files.contains(&id.file));
    }

    pub(super) fn is_missing(&self, kind: LookupKind, name: Name) -> bool {
        self.missing.contains(&(kind as u8, name))
    }

    pub(super) fn set_missing(&mut self, kind: LookupKind, name: Name) {
        self.missing.insert((kind as u8, name));
    }

    /// Adds a definition; a second one of the same name is an error with Puppet's message.
    ///
    /// Classes and defines with duplicate names are returned: Puppet adds the definitions of a file after it has instantiated all
    /// of them, with the types of their parameters (`AST::PopsBridge::Program#instantiate`).
    ///
    /// # Errors
    ///
    /// Two types, two functions or two defines have one name: Puppet registers these while it instantiates them.
    pub(super) fn add<'a>(
        &mut self,
        id: DefinitionId,
        definition: &Definition,
        definition_at: &dyn Fn(DefinitionId) -> Option<&'a Definition>,
        sources: &SourceMap,
    ) -> LoadResult<Option<Box<Diagnostic>>> {
        if matches!(definition.kind, DefinitionKind::Node(_)) {
            self.nodes.push(id);
            return Ok(None);
        }
        let Some(kind) = LookupKind::from_definition(&definition.kind) else { return Ok(None) };
        let name = definition.name.normalized();
        if let Some(duplicate) = self.find_duplicate(kind, id, definition)? {
            let first = definition_at(duplicate.first).map(|first| first.span);
            let is_registered = duplicate.is_registered();
            let diagnostic = Box::new(duplicate.diagnostic(definition, first, sources));
            return if is_registered { Err(diagnostic) } else { Ok(Some(diagnostic)) };
        }
        self.plain_functions |= kind == LookupKind::Function && !name.contains("::");
        let table = match kind {
            LookupKind::Class => &mut self.classes,
            LookupKind::Define => &mut self.defines,
            LookupKind::Function => &mut self.functions,
            LookupKind::TypeAlias => &mut self.aliases,
        };
        table.entry(name).or_insert(id);
        Ok(None)
    }

    /// The definition whose name a new definition has, if it may not have it, with Puppet's wording.
    ///
    /// # Errors
    ///
    /// The name is that of a built-in type.
    fn find_duplicate(
        &self,
        kind: LookupKind,
        id: DefinitionId,
        definition: &Definition,
    ) -> LoadResult<Option<Duplicate>> {
        let name = definition.name.normalized();
        let in_classes = |start: String, end| self.classes.get(&name).map(|first| (*first, start, end));
        let in_defines = |end| {
            let start = format!("Definition '{name}' is already defined");
            self.defines.get(&name).map(|first| (*first, start, end))
        };
        let found = match kind {
            LookupKind::Class => in_classes(format!("Class '{name}' is already defined"), "; cannot redefine")
                .or_else(|| in_defines("; cannot be redefined as a class")),
            LookupKind::Define => {
                in_classes(format!("'{name}' is already defined"), " as a class; cannot redefine as a definition")
                    .or_else(|| in_defines(REGISTERED))
            }
            LookupKind::TypeAlias => {
                if let Some(origin) = builtin_type_origin(&name) {
                    return Err(redefinition_error("type", &name, &origin, definition.span));
                }
                // If the other definition comes first in the file, the message is that for defines, whose names are also types.
                let define = || self.defines.get(&name).filter(|first| first.file == id.file);
                self.aliases.get(&name).or_else(define).map(|first| (*first, String::new(), REGISTERED))
            }
            LookupKind::Function => self.functions.get(&name).map(|first| (*first, String::new(), REGISTERED)),
        };
        Ok(found.map(|(first, start, end)| Duplicate { first, is_function: kind == LookupKind::Function, start, end }))
    }
}

/// The end of the message about a definition that Puppet registers while it instantiates it.
const REGISTERED: &str = "; cannot be redefined";

/// A definition with the name of an earlier one.
struct Duplicate {
    /// The earlier definition.
    first: DefinitionId,
    is_function: bool,
    /// The message before the position of the earlier definition, and after it.
    start: String,
    end: &'static str,
}

impl Duplicate {
    /// Whether Puppet registers such definitions while it instantiates them.
    fn is_registered(&self) -> bool {
        self.end == REGISTERED
    }

    /// The error for `definition`; `first` is the span of the earlier one.
    fn diagnostic(&self, definition: &Definition, first: Option<Span>, sources: &SourceMap) -> Diagnostic {
        let position = first.and_then(|span| sources.locate(span));
        let mut diagnostic = match position {
            Some((source, line, column)) if self.is_registered() => {
                let file = match &source.path {
                    Some(path) => format!("file://{}", path.display()),
                    None => "string:".to_owned(),
                };
                let origin = format!("Originally set at {file}?line={line}&pos={column}.");
                let kind = if self.is_function { "function" } else { "type" };
                *redefinition_error(kind, &definition.name.normalized(), &origin, definition.span)
            }
            position => {
                let context = match position {
                    Some((source, line, _)) if source.path.is_some() => {
                        format!(" (file: {}, line: {line})", source.name)
                    }
                    Some((_, line, _)) => format!(" (line: {line})"),
                    None => String::new(),
                };
                let text = format!("{}{context}{}", self.start, self.end);
                Diagnostic::new(Reason::new(Code::DUPLICATE_DEFINITION, text), Some(definition.span))
            }
        };
        diagnostic.hide_column = true;
        match first {
            Some(first) => diagnostic.label(first, "first defined here"),
            None => diagnostic,
        }
    }
}

/// Where a built-in type was defined, according to Puppet.
fn builtin_type_origin(name: &str) -> Option<String> {
    use catwalk_value::Type;
    Some(match catwalk_value::parse::language_type(name)? {
        Type::Object(object) if object.name.is_some() => "Set at unknown location".to_owned(),
        Type::Resource(resource) if resource.type_name.is_some() => "Set at unknown location".to_owned(),
        _ => "Originally set by Puppet-Type-System/Static-Loader.".to_owned(),
    })
}

/// Puppet's error for a second definition; `origin` is its sentence about the first.
fn redefinition_error(kind: &str, name: &str, origin: &str, span: Span) -> Box<Diagnostic> {
    let text = format!("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{kind}/{name}'. {origin}");
    let reason = Reason::new(Code::DUPLICATE_DEFINITION, text);
    Box::new(Diagnostic::new(reason, None).label(span, "defined again here"))
}
