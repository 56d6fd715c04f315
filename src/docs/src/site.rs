//! Documentation of the definitions of an environment and its modules: functions in Puppet, Ruby and Rhai, resource types, defined types,
//! classes, type aliases.
//!
//! In: an environment and a world. Out: pages with the comments of the files, sorted by name. Must not: evaluate; a file
//! that cannot be read or parsed has no page.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::comment;
use crate::page::Attribute;
use crate::page::Page;
use crate::page::Topic;
use crate::ruby;
use crate::secret_types::SecretTypes;
use catwalk_base::names::Name;
use catwalk_base::source::Source;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_program::AttributeKind;
use catwalk_program::Environment;
use catwalk_program::Registry;
use catwalk_program::ResourceType;
use catwalk_resource_api::Behaviour;
use catwalk_scripting::RhaiTypes;
use catwalk_scripting::Scripts;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::Parameter;
use catwalk_value::to_program;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

/// A file of a module or of the environment.
struct SourceFile {
    path: PathBuf,
    /// Its path below the folder of its kind, without the ending: `b/c` of `functions/b/c.pp`.
    inner: String,
    /// The name of its module; `None`: the environment itself.
    module: Option<Arc<str>>,
    /// `module x: functions/b/c.pp`
    origin: String,
}

/// The pages of a topic.
#[must_use]
pub fn pages(environment: &Environment, world: &dyn World, topic: Topic) -> Vec<Page> {
    let secret_types = match topic {
        Topic::Functions | Topic::Types | Topic::Classes => SecretTypes::collect(environment, world),
        Topic::Datatypes | Topic::Errors | Topic::Guides => SecretTypes::default(),
    };
    let mut pages = match topic {
        Topic::Functions => {
            let puppet = files(environment, world, "functions", "pp");
            let mut pages = puppet_pages(&puppet, world, topic, &secret_types);
            let ruby = files(environment, world, "lib/puppet/functions", "rb");
            pages.par_extend(ruby.par_iter().filter_map(|file| {
                let page = ruby::function(&file.inner.replace('/', "::"), &text(&file.path, world)?);
                Some(Page { origin: file.origin.clone(), ..page })
            }));
            let old = files(environment, world, "lib/puppet/parser/functions", "rb");
            pages.par_extend(old.par_iter().filter_map(|file| {
                let page = ruby::function(&file.inner, &text(&file.path, world)?);
                Some(Page { origin: file.origin.clone(), ..page })
            }));
            let rhai = files(environment, world, "scripts/functions", "rhai");
            pages.extend(rhai.iter().filter_map(|file| rhai_function_page(file, &text(&file.path, world)?)));
            pages
        }
        Topic::Types => {
            let ruby = files(environment, world, "lib/puppet/type", "rb");
            let types = Arc::new(RhaiTypes { scripts: Arc::new(Scripts::new(SourceMap::new())) });
            let registry = Registry::with_scripts(environment.modulepath.clone(), environment.root.clone(), types);
            let find = |name: &str| registry.lookup(environment, world, name).ok().flatten();
            let rhai = files(environment, world, "scripts/types", "rhai");
            let mut pages: Vec<Page> =
                rhai.iter().filter_map(|file| Some(script_type_page(file, find(&file.inner)?.as_ref()))).collect();
            // If both define a type, the script is used.
            let ruby = ruby.par_iter().filter(|file| rhai.iter().all(|script| script.inner != file.inner));
            pages.par_extend(ruby.filter_map(|file| {
                let resource_type = find(&file.inner);
                type_page(file, &text(&file.path, world)?, resource_type.as_deref())
            }));
            pages.extend(puppet_pages(&manifests(environment, world), world, topic, &secret_types));
            pages
        }
        Topic::Classes => puppet_pages(&manifests(environment, world), world, topic, &secret_types),
        Topic::Datatypes => puppet_pages(&files(environment, world, "types", "pp"), world, topic, &secret_types),
        Topic::Errors | Topic::Guides => Vec::new(),
    };
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn text(path: &Path, world: &dyn World) -> Option<String> {
    Some(String::from_utf8_lossy(&world.read(path).ok()?).into_owned())
}

/// Files of a kind in all modules and in the environment.
fn files(environment: &Environment, world: &dyn World, folder: &str, ending: &str) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let modules = environment.modules.values().map(|module| (Some(module.name.clone()), module.root.as_path()));
    for (module, root) in modules.chain(environment.root.iter().map(|root| (None, root.as_path()))) {
        let base = root.join(folder);
        let mut paths = Vec::new();
        collect_files(&base, world, ending, &mut paths, &mut Descent::default());
        for path in paths {
            let inner = path.strip_prefix(&base).unwrap_or(&path).with_extension("");
            let relative = path.strip_prefix(root).unwrap_or(&path).display();
            let origin = match &module {
                Some(name) => format!("module {name}: {relative}"),
                None => format!("this site: {relative}"),
            };
            files.push(SourceFile {
                inner: inner.to_string_lossy().into_owned(),
                module: module.clone(),
                origin,
                path,
            });
        }
    }
    files
}

fn manifests(environment: &Environment, world: &dyn World) -> Vec<SourceFile> {
    let mut manifests = files(environment, world, "manifests", "pp");
    for path in environment.manifest_files(world).unwrap_or_default() {
        if manifests.iter().all(|file| file.path != path) {
            let origin = format!("this site: {}", path.display());
            manifests.push(SourceFile { inner: String::new(), module: None, origin, path });
        }
    }
    manifests
}

/// The type aliases of all modules and of the environment: the name of each and its type as text.
pub(super) fn type_aliases(environment: &Environment, world: &dyn World) -> Vec<(String, String)> {
    let mut found = files(environment, world, "types", "pp");
    found.extend(manifests(environment, world));
    let aliases = |tree: &syntax::ast::File, source: &Source| -> Vec<(String, String)> {
        let alias = |definition: &Definition| match &definition.kind {
            DefinitionKind::TypeAlias(target) => {
                slice(target, source).map(|text| (definition.name.as_str().to_owned(), text))
            }
            _ => None,
        };
        tree.definitions.iter().filter_map(|definition| alias(definition)).collect()
    };
    let in_file = |file: &SourceFile| parsed(file, world, |tree, source, _| aliases(tree, source)).unwrap_or_default();
    found.par_iter().flat_map_iter(in_file).collect()
}

/// Parses a file in the Puppet language, and returns what `read` finds in it.
fn parsed<T>(
    file: &SourceFile,
    world: &dyn World,
    read: impl FnOnce(&syntax::ast::File, &Source, &SourceMap) -> T,
) -> Option<T> {
    let text = text(&file.path, world)?;
    let sources = SourceMap::new();
    let id = sources.add(Some(&file.path), &file.path.to_string_lossy(), Arc::from(text.as_str()));
    let (tree, _) = syntax::parse_only(&sources, id, false);
    let source = sources.get(id)?;
    Some(read(&tree, &source, &sources))
}

fn collect_files(folder: &Path, world: &dyn World, ending: &str, found: &mut Vec<PathBuf>, descent: &mut Descent) {
    if world.kind(folder) != Kind::Directory {
        return;
    }
    let Ok(entries) = world.list(folder) else { return };
    for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
        let path = folder.join(&*entry.name);
        match entry.kind {
            Kind::Directory if descent.enters(world, &path, entry) => {
                collect_files(&path, world, ending, found, descent)
            }
            Kind::File if path.extension().is_some_and(|end| end == ending) => found.push(path),
            _ => {}
        }
    }
}

/// The definitions of files in the Puppet language that belong to a topic.
fn puppet_pages(files: &[SourceFile], world: &dyn World, topic: Topic, secret_types: &SecretTypes) -> Vec<Page> {
    let pages = |tree: &syntax::ast::File, source: &Source, sources: &SourceMap, origin: &str| -> Vec<Page> {
        let code = Code { source, secret_types };
        let pages = tree.definitions.iter().filter_map(|definition| definition_page(definition, code, topic));
        let hidden = |text: &mut String| *text = sources.hide(text).into_owned();
        pages
            .map(|mut page| {
                page.signatures.iter_mut().for_each(hidden);
                hidden(&mut page.doc);
                page.examples.iter_mut().for_each(|example| hidden(&mut example.code));
                Page { origin: origin.to_owned(), ..page }
            })
            .collect()
    };
    let one = |file: &SourceFile| {
        parsed(file, world, |tree, source, sources| pages(tree, source, sources, &file.origin)).unwrap_or_default()
    };
    files.par_iter().flat_map_iter(one).collect()
}

fn definition_page(definition: &Definition, code: Code<'_>, topic: Topic) -> Option<Page> {
    let source = code.source;
    let kind = match (&definition.kind, topic) {
        (DefinitionKind::Function(_), Topic::Functions) => "function",
        (DefinitionKind::Define(_), Topic::Types) => "defined type",
        (DefinitionKind::Class(_), Topic::Classes) => "class",
        (DefinitionKind::TypeAlias(_), Topic::Datatypes) => "type alias",
        _ => return None,
    };
    let mut page = Page { name: definition.name.as_str().to_owned(), kind, ..Page::default() };
    let line = source.line(definition.span.start) as usize;
    let comment = comment::parse(&comment::above(&source.text, line, &["#"]));
    page.doc = comment.doc();
    page.notes = comment.notes();
    let params: &[Parameter] = match &definition.kind {
        DefinitionKind::Function(function) => {
            let list: Vec<String> = function.params.iter().map(|param| signature_parameter(param, code)).collect();
            let returns = function.return_type.as_ref().and_then(|expr| slice(expr, source));
            let returns = returns.map(|text| format!(" >> {text}")).unwrap_or_default();
            page.signatures.push(format!("{}({}){returns}", page.name, list.join(", ")));
            &function.params
        }
        DefinitionKind::Define(define) => &define.params,
        DefinitionKind::Class(class) => {
            if let Some((parent, _)) = &class.parent {
                page.notes.push(("inherits".to_owned(), parent.as_str().to_owned()));
            }
            &class.params
        }
        DefinitionKind::TypeAlias(alias) => {
            page.signatures.extend(slice(alias, source).map(|text| format!("{} = {text}", definition.name.as_str())));
            &[]
        }
        _ => &[],
    };
    for param in params {
        let name = param.name.as_str();
        let documented = comment.param(name);
        let declared_type = param.data_type.as_ref().and_then(|expr| slice(expr, source));
        page.attributes.push(Attribute {
            name: name.to_owned(),
            kind: "parameter".to_owned(),
            data_type: declared_type
                .or_else(|| documented.map(|(_, data_type, _)| data_type.clone()))
                .unwrap_or_default(),
            default: code.default(param),
            doc: documented.map(|(.., doc)| doc.clone()).unwrap_or_default(),
            ..Attribute::default()
        });
    }
    page.examples = comment.examples;
    Some(page)
}

/// A parameter such as `Integer $port = 80`, as in the source.
fn signature_parameter(param: &Parameter, code: Code<'_>) -> String {
    let data_type = param.data_type.as_ref().and_then(|expr| slice(expr, code.source));
    let data_type = data_type.map(|text| format!("{text} ")).unwrap_or_default();
    let default = code.default(param).map(|text| format!(" = {text}")).unwrap_or_default();
    format!("{data_type}{}${}{default}", if param.captures_rest { "*" } else { "" }, param.name.as_str())
}

/// A file of Puppet code, and what is known of its site.
#[derive(Clone, Copy)]
struct Code<'a> {
    source: &'a Source,
    secret_types: &'a SecretTypes,
}

impl Code<'_> {
    /// The default of a parameter as in the source, unless it or its type is secret.
    fn default(self, param: &Parameter) -> Option<String> {
        let expr = param.default.as_ref()?;
        let default = slice(expr, self.source)?;
        let data_type = param.data_type.as_ref().and_then(|expr| slice(expr, self.source));
        let is_secret = data_type.iter().chain([&default]).any(|text| self.secret_types.are_in(text));
        let is_shown = matches!(expr.kind, ExprKind::Undef | ExprKind::Default | ExprKind::Var(_));
        match is_secret && !is_shown {
            true => Some("<Sensitive>".to_owned()),
            false => Some(default),
        }
    }
}

/// An expression as code on one line.
fn slice(expr: &Expr, source: &Source) -> Option<String> {
    let Span { start, end, .. } = expr.span;
    let text = source.text.get(start as usize..end as usize)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A function in Rhai: its header, the comment above its function, its `dispatch` lines.
fn rhai_function_page(file: &SourceFile, text: &str) -> Option<Page> {
    let module = file.module.as_deref().unwrap_or("environment");
    let name = format!("{module}::{}", file.inner.replace('/', "::"));
    let mut page = Page { name, kind: "function", origin: file.origin.clone(), ..Page::default() };
    let header: Vec<String> = text
        .lines()
        .map_while(|line| line.trim_start().strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned())
        .collect();
    let mut comment = comment::parse(&header);
    let entry = file.inner.rsplit('/').next().unwrap_or(&file.inner);
    let is_definition_of =
        |line: &str, name: &str| line.trim_start().trim_start_matches("private ").starts_with(&format!("fn {name}("));
    let start = |line: &str| is_definition_of(line, entry);
    // The function of the file's name, and those that `dispatch` names.
    let dispatched = text.lines().filter(|line| line.trim_start().starts_with("dispatch("));
    let named = dispatched.filter_map(|line| line.trim_end().strip_suffix(");")?.rsplit([',', ' ']).next());
    let mut entries: Vec<&str> = std::iter::once(entry).chain(named).collect();
    entries.dedup();
    for name in entries {
        if let Some(at) = text.lines().position(|line| is_definition_of(line, name)) {
            comment.add(comment::parse(&comment::above(text, at + 1, &["///"])));
        }
    }
    ruby::fill(&mut page, comment);
    for line in text.lines() {
        let Some(rest) = line.trim_start().strip_prefix("dispatch(") else { continue };
        let Some(signature) = rest.trim_start().strip_prefix(['"', '`']) else { continue };
        let end = signature.rfind(['"', '`']).unwrap_or(signature.len());
        let signature = signature.get(..end).unwrap_or(signature).replace("\\\\", "\\").replace("\\\"", "\"");
        page.signatures.push(format!("{}{signature}", page.name));
    }
    if page.signatures.is_empty() {
        let params = text.lines().find(|line| start(line)).and_then(|line| {
            let (_, rest) = line.split_once('(')?;
            rest.split_once(')').map(|(inner, _)| inner.to_owned())
        });
        page.signatures.push(format!("{}({})", page.name, params.unwrap_or_default()));
    }
    Some(page)
}

/// A resource type of a module: attributes as the compiler reads them, descriptions from the file.
fn type_page(file: &SourceFile, text: &str, resource_type: Option<&ResourceType>) -> Option<Page> {
    if file.inner.contains('/') {
        return None;
    }
    let mut page = ruby::resource_type(&file.inner, text);
    page.origin.clone_from(&file.origin);
    let Some(resource_type) = resource_type else { return Some(page) };
    let mut attributes = Vec::new();
    for (name, kind) in &resource_type.attributes {
        let documented = page.attributes.iter().position(|attribute| attribute.name == name.as_str());
        let mut attribute = documented.map(|at| page.attributes.swap_remove(at)).unwrap_or_default();
        attribute.name = name.as_str().to_owned();
        attribute_kind(resource_type, *name, *kind).clone_into(&mut attribute.kind);
        describe(&mut attribute, resource_type, *name);
        if attribute.doc.is_empty() && attribute.name == "provider" {
            "The backend. Chosen by the platform unless given.".clone_into(&mut attribute.doc);
        }
        attributes.push(attribute);
    }
    attributes.sort_by_key(|attribute| attribute.kind != "namevar");
    page.attributes = attributes;
    Some(page)
}

fn attribute_kind(resource_type: &ResourceType, name: Name, kind: AttributeKind) -> &'static str {
    match kind {
        _ if resource_type.key_attributes.contains(&name) => "namevar",
        AttributeKind::Property => "property",
        AttributeKind::Parameter => "parameter",
        AttributeKind::Metaparameter => "metaparameter",
    }
}

/// Adds the details of an attribute in a Resource API definition.
fn describe(attribute: &mut Attribute, resource_type: &ResourceType, name: Name) {
    let definition = resource_type.definition.as_ref();
    let Some(defined) = definition.and_then(|definition| definition.attributes.get(&name)) else { return };
    attribute.data_type = defined.data_type_source.to_string();
    attribute.default = defined.default.as_ref().map(|value| match defined.sensitive {
        true => "Sensitive [value redacted]".to_owned(),
        false => to_program(value),
    });
    if attribute.doc.is_empty() {
        attribute.doc = defined.description.as_deref().map(unindented).unwrap_or_default();
    }
    match defined.behaviour {
        Behaviour::ReadOnly => "read only".clone_into(&mut attribute.kind),
        Behaviour::InitOnly => "init only".clone_into(&mut attribute.kind),
        Behaviour::Property | Behaviour::Namevar | Behaviour::Parameter => {}
    }
}

/// A description without the indentation that all its lines have.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let strip = |line: &str| line.get(common.min(indent(line))..).unwrap_or(line).trim_end().to_owned();
    text.lines().map(strip).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// A resource type that a script defines.
fn script_type_page(file: &SourceFile, resource_type: &ResourceType) -> Page {
    let mut page = Page { name: file.inner.clone(), kind: "resource type", ..Page::default() };
    page.origin.clone_from(&file.origin);
    let Some(definition) = &resource_type.definition else { return page };
    page.doc = definition.description.as_deref().map(unindented).unwrap_or_default();
    for (name, kind) in &resource_type.attributes {
        let mut attribute = Attribute { name: name.as_str().to_owned(), ..Attribute::default() };
        attribute_kind(resource_type, *name, *kind).clone_into(&mut attribute.kind);
        describe(&mut attribute, resource_type, *name);
        page.attributes.push(attribute);
    }
    page.attributes.sort_by_key(|attribute| attribute.kind != "namevar");
    if !definition.features.is_empty() {
        page.notes.push(("features".to_owned(), definition.features.join(", ")));
    }
    page
}
