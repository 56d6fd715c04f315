//! The classes that the manifests of an environment define, with their parameters, and its modules with their versions.
//!
//! In: an environment. Out: what Puppet's `Puppet::InfoService::ClassInformationService` and puppetserver's `getModules` return. Must not:
//! evaluate anything.
//!
//! Default values are as in the source: a client that reads this list sees code.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::Source;
use catwalk_base::source::Span;
use catwalk_program::Environment;
use catwalk_syntax as syntax;
use catwalk_syntax::Placement;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::Lambda;
use catwalk_syntax::ast::Parameter;
use catwalk_value::AliasResolver;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::parse::parse_type_expr;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// The deepest expression whose parts are measured.
const MAX_DEPTH: u32 = 100;

/// A manifest with its classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestClasses {
    pub path: PathBuf,
    /// The classes in the order in which they end, or Puppet's message about a manifest that does not parse.
    pub classes: Result<Vec<ClassInformation>, String>,
}

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassInformation {
    pub name: Arc<str>,
    pub parameters: Vec<ParameterInformation>,
}

/// A parameter of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterInformation {
    pub name: Arc<str>,
    /// Its type, if it has one that is constant. Types of modules are references: `TypeReference['Stdlib::Port']`.
    pub data_type: Option<String>,
    /// Its default as in the source.
    pub default_source: Option<String>,
    /// Its default, if it is a constant that JSON can represent.
    pub default_literal: Option<Value>,
}

/// A module as its metadata names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleVersion {
    /// The name with the author: `puppetlabs/stdlib`, or only the name if it has no metadata.
    pub name: String,
    pub version: Option<String>,
}

impl Session {
    /// The manifests of the environment and of its modules with their classes, sorted by path.
    ///
    /// # Errors
    /// The environment does not exist or its settings are wrong.
    pub fn manifest_classes(&self) -> Result<Vec<ManifestClasses>, Box<Diagnostic>> {
        let environment = self.open_environment()?;
        let world = self.world.as_ref();
        let mut paths = main_manifests(&environment, world);
        for module in environment.modules.values() {
            paths.extend(manifests_below(&module.root.join("manifests"), world));
        }
        paths.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        paths.dedup();
        Ok(paths.into_iter().map(|path| self.classes_of(path, &environment)).collect())
    }

    /// The modules of the environment in the order of its modulepath.
    ///
    /// # Errors
    /// As [`Session::manifest_classes`].
    pub fn module_versions(&self) -> Result<Vec<ModuleVersion>, Box<Diagnostic>> {
        let environment = self.open_environment()?;
        let versions = environment.modules.values().map(|module| {
            let bytes = self.world.read(&module.root.join("metadata.json")).ok();
            let metadata = match bytes.and_then(|bytes| json::parse(&bytes).ok()) {
                Some(Value::Hash(metadata)) => metadata,
                _ => Arc::new(Hash::new()),
            };
            let text = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
            let name = text("name").map_or_else(|| module.name.to_string(), |name| name.replace('-', "/"));
            ModuleVersion { name, version: text("version") }
        });
        Ok(versions.collect())
    }

    fn classes_of(&self, path: PathBuf, environment: &Environment) -> ManifestClasses {
        let classes = self.parse_classes(&path, environment).map_err(|failure| failure.puppet_text(self.sources()));
        ManifestClasses { path, classes }
    }

    /// Whether a failure of a compile is that a main manifest does not parse.
    #[must_use]
    pub fn is_failure_of_main_manifest(&self, failure: &Diagnostic) -> bool {
        let Ok(environment) = self.open_environment() else { return false };
        let manifests = main_manifests(&environment, self.world.as_ref());
        manifests.iter().any(|path| match self.parse_classes(path, &environment) {
            Err(found) => found.span == failure.span && found.message == failure.message,
            Ok(_) => false,
        })
    }

    fn parse_classes(&self, path: &Path, environment: &Environment) -> Result<Vec<ClassInformation>, Box<Diagnostic>> {
        let options = || syntax::Options {
            placement: Placement::from_path(path, &environment.modulepath, environment.manifest.as_deref()),
            ..syntax::Options::default()
        };
        let parsed = self.cache.parse_file(path, self.world.as_ref(), options)?;
        if let Some(failure) = parsed.failure() {
            return Err(failure);
        }
        let Some(source) = self.sources().get(parsed.file.id) else { return Ok(Vec::new()) };
        Ok(parsed.file.definitions.iter().filter_map(|definition| class_information(definition, &source)).collect())
    }
}

/// The main manifest's files; none if it does not exist.
fn main_manifests(environment: &Environment, world: &dyn World) -> Vec<PathBuf> {
    match &environment.manifest {
        Some(manifest) if world.kind(manifest) == Kind::Directory => manifests_below(manifest, world),
        Some(manifest) if world.kind(manifest) == Kind::File => vec![manifest.clone()],
        _ => Vec::new(),
    }
}

/// The manifests below a directory, as Ruby's `Dir.glob("DIRECTORY/**/*.pp")` finds them.
fn manifests_below(directory: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(directory, world, &mut Descent::default(), &mut found);
    found
}

fn collect(directory: &Path, world: &dyn World, descent: &mut Descent, found: &mut Vec<PathBuf>) {
    let Ok(entries) = world.list(directory) else { return };
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let path = directory.join(entry.name.as_ref());
        match entry.kind {
            Kind::Directory if descent.enters_unlinked(entry) => collect(&path, world, descent, found),
            Kind::File if entry.name.ends_with(".pp") => found.push(path),
            _ => {}
        }
    }
}

fn class_information(definition: &Definition, source: &Source) -> Option<ClassInformation> {
    let DefinitionKind::Class(class) = &definition.kind else { return None };
    let parameters = class.params.iter().map(|parameter| parameter_information(parameter, source)).collect();
    Some(ClassInformation { name: Arc::from(definition.name.as_str()), parameters })
}

fn parameter_information(parameter: &Parameter, source: &Source) -> ParameterInformation {
    let data_type = parameter.data_type.as_ref();
    let data_type = data_type.and_then(|expr| parse_type_expr(expr, &source.text, &mut LanguageTypes).ok());
    let literal = parameter.default.as_ref().and_then(literal).filter(|value| *value != Value::Undef);
    ParameterInformation {
        name: Arc::from(parameter.name.as_str()),
        data_type: data_type.map(|data_type| data_type.to_string()),
        default_source: parameter.default.as_ref().map(|expr| text_of(expr, source)),
        default_literal: literal,
    }
}

/// Knows only the language's own types, as Puppet's class information service, which has no environment.
struct LanguageTypes;

impl AliasResolver for LanguageTypes {
    fn resolve(&mut self, _name: &str) -> Result<Option<Type>, catwalk_base::diag::Reason> {
        Ok(None)
    }

    fn is_static(&self) -> bool {
        true
    }

    fn has_resource_types(&self) -> bool {
        false
    }
}

/// The value of a constant that JSON can represent (Puppet::Pops::Evaluator::JsonStrictLiteralEvaluator).
fn literal(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Undef => Value::Undef,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value, _) => Value::Int(*value),
        ExprKind::Float(value) => Value::Float(*value),
        ExprKind::Str(value) => Value::from(value.clone()),
        ExprKind::Bareword(name) => Value::str(name.as_str()),
        ExprKind::Array(items) => Value::array(items.iter().map(literal).collect::<Option<_>>()?),
        ExprKind::Hash(entries) => {
            let mut hash = Hash::with_capacity(entries.len());
            for entry in entries {
                let key = literal(&entry.key).filter(|key| key.as_str().is_some())?;
                hash.insert(key, literal(&entry.value)?);
            }
            Value::hash(hash)
        }
        _ => return None,
    })
}

/// An expression as in the source, from the first of its parts to the last (`Locator#extract_tree_text`).
fn text_of(expr: &Expr, source: &Source) -> String {
    let (mut start, mut end) = (expr.span.start, expr.span.start);
    extend(expr, &mut start, &mut end, 0);
    source.text.get(start as usize..end as usize).unwrap_or_default().to_owned()
}

/// Whether Puppet does not know where an expression ends: the last bracket is missing in its text.
fn is_without_end(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Paren(_) | ExprKind::Selector(_) | ExprKind::If(_) | ExprKind::Unless(_) | ExprKind::Case(_)
    )
}

fn extend(expr: &Expr, start: &mut u32, end: &mut u32, depth: u32) {
    *start = (*start).min(expr.span.start);
    if !is_without_end(&expr.kind) {
        *end = (*end).max(expr.span.end);
    }
    if depth >= MAX_DEPTH {
        return;
    }
    expr.children(&mut |inner| extend(inner, start, end, depth + 1));
    let (name, block): (Option<Span>, Option<&Lambda>) = match &expr.kind {
        ExprKind::Call(call) => (None, call.block.as_ref()),
        ExprKind::Method(method) => (Some(method.name_span), method.block.as_ref()),
        _ => (None, None),
    };
    for span in name.into_iter().chain(block.map(|block| block.span)) {
        *end = (*end).max(span.end);
    }
}
