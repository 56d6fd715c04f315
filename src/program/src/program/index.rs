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
    pub(super) fn get(&self, wanted: LookupKind, name: Name) -> Option<DefinitionId> {
        match wanted {
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

    pub(super) fn is_missing(&self, wanted: LookupKind, name: Name) -> bool {
        self.missing.contains(&(wanted as u8, name))
    }

    pub(super) fn set_missing(&mut self, wanted: LookupKind, name: Name) {
        self.missing.insert((wanted as u8, name));
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
        known: &dyn Fn(DefinitionId) -> Option<&'a Definition>,
        sources: &SourceMap,
    ) -> LoadResult<Option<Box<Diagnostic>>> {
        if matches!(definition.kind, DefinitionKind::Node(_)) {
            self.nodes.push(id);
            return Ok(None);
        }
        let Some(wanted) = LookupKind::of(&definition.kind) else { return Ok(None) };
        let name = definition.name.normalized();
        let shown = name.as_str();
        let clash = match wanted {
            LookupKind::Class => self
                .classes
                .get(&name)
                .map(|at| (at, format!("Class '{shown}' is already defined"), "; cannot redefine"))
                .or_else(|| {
                    let text = format!("Definition '{shown}' is already defined");
                    self.defines.get(&name).map(|at| (at, text, "; cannot be redefined as a class"))
                }),
            LookupKind::Define => self
                .classes
                .get(&name)
                .map(|at| (at, format!("'{shown}' is already defined"), " as a class; cannot redefine as a definition"))
                .or_else(|| {
                    let text = format!("Definition '{shown}' is already defined");
                    self.defines.get(&name).map(|at| (at, text, "; cannot be redefined"))
                }),
            LookupKind::TypeAlias => {
                if let Some(set) = known_type(shown) {
                    return Err(redefined("type", shown, &set, definition.span));
                }
                // If the other definition comes first in the file, the message is that for defines, whose names are also types.
                let define = || self.defines.get(&name).filter(|at| at.file == id.file);
                self.aliases.get(&name).or_else(define).map(|at| (at, String::new(), "; cannot be redefined"))
            }
            LookupKind::Function => self.functions.get(&name).map(|at| (at, String::new(), "; cannot be redefined")),
        };
        if let Some((at, text, end)) = clash {
            let first = known(*at).map(|first| first.span);
            let context = match first.and_then(|span| sources.locate(span)) {
                Some((source, line, _)) if source.path.is_some() => {
                    format!(" (file: {}, line: {line})", source.name)
                }
                Some((_, line, _)) => format!(" (line: {line})"),
                None => String::new(),
            };
            let registered = end == "; cannot be redefined";
            let mut diagnostic = match first.and_then(|span| sources.locate(span)) {
                Some((source, line, column)) if registered => {
                    let origin = match &source.path {
                        Some(path) => format!("file://{}", path.display()),
                        None => "string:".to_owned(),
                    };
                    let set = format!("Originally set at {origin}?line={line}&pos={column}.");
                    let kind = if wanted == LookupKind::Function { "function" } else { "type" };
                    *redefined(kind, shown, &set, definition.span)
                }
                _ => {
                    let reason = Reason::new(Code::DUPLICATE_DEFINITION, format!("{text}{context}{end}"));
                    Diagnostic::new(reason, Some(definition.span))
                }
            };
            diagnostic.hide_column = true;
            if let Some(first) = first {
                diagnostic = diagnostic.label(first, "first defined here");
            }
            let diagnostic = Box::new(diagnostic);
            return if registered { Err(diagnostic) } else { Ok(Some(diagnostic)) };
        }
        self.plain_functions |= wanted == LookupKind::Function && !shown.contains("::");
        let table = match wanted {
            LookupKind::Class => &mut self.classes,
            LookupKind::Define => &mut self.defines,
            LookupKind::Function => &mut self.functions,
            LookupKind::TypeAlias => &mut self.aliases,
        };
        table.entry(name).or_insert(id);
        Ok(None)
    }
}

/// Where a built-in type was defined, according to Puppet.
fn known_type(name: &str) -> Option<String> {
    use catwalk_value::types::Type;
    Some(match catwalk_value::types::parse::language_type(name)? {
        Type::Object(object) if object.name.is_some() => "Set at unknown location".to_owned(),
        Type::Resource(resource) if resource.type_name.is_some() => "Set at unknown location".to_owned(),
        _ => "Originally set by Puppet-Type-System/Static-Loader.".to_owned(),
    })
}

fn redefined(kind: &str, name: &str, set: &str, span: catwalk_base::source::Span) -> Box<Diagnostic> {
    let text = format!("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{kind}/{name}'. {set}");
    let reason = Reason::new(Code::DUPLICATE_DEFINITION, text);
    Box::new(Diagnostic::new(reason, None).label(span, "defined again here"))
}
