//! Names of types: the language's own, resource types, defined types, type aliases of modules.

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::issues;
use crate::type_resolver::Aliases;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::Span;
use catwalk_base::stack;
use catwalk_program::LoadResult;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Alias;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::parse;

impl<'c> Evaluator<'c> {
    /// `Integer`, `File`, `My::Alias`
    pub(super) fn eval_type_name(&mut self, name: Name, span: Span) -> Res<Value> {
        if let Some(t) = super::closed_type::closed_type_named(name) {
            return Ok(Value::Type(t));
        }
        if let Some(t) = self.state.types.named_builtins.get(&name) {
            return Ok(Value::Type(t.clone()));
        }
        if name == catwalk_base::name!("Class") {
            self.type_loaded_definitions()?;
            return Ok(Value::Type(Type::Class(None)));
        }
        let named = self.named_type(name)?;
        if let Type::Reference(name) = named {
            return Err(Stop::issue(issues::unknown_resource_type(&name), span));
        }
        self.type_loaded_definitions()?;
        if matches!(named, Type::Resource(_) | Type::Class(_)) && self.builtin(name)?.is_some() {
            self.state.types.named_builtins.insert(name, named.clone());
        }
        Ok(Value::Type(named))
    }

    /// A type by name, or a reference to an unknown type.
    pub(super) fn type_or_reference(&mut self, name: Name) -> Res<Value> {
        self.named_type(name).map(Value::Type)
    }

    fn named_type(&mut self, name: Name) -> Res<Type> {
        self.state.types.parse_error = None;
        let named = parse::resolve_name(name.as_str(), &mut Aliases { ev: self });
        // The error of a file that does not parse replaces this one.
        named.map_err(|reason| match self.state.types.parse_error.take() {
            Some(diagnostic) => Stop::Failed(diagnostic),
            None => reason.into(),
        })
    }

    /// Parses a string as a type: `File['/x']`.
    ///
    /// # Errors
    /// The string is not a type; the message is that of Puppet's type parser.
    pub fn parse_type(&mut self, text: &str) -> Res<Type> {
        self.state.types.parse_error = None;
        let parsed = parse::parse_type(text, &mut Aliases { ev: self });
        parsed.map_err(|reason| match (self.state.types.parse_error.take(), reason.code) {
            (Some(diagnostic), _) => Stop::Failed(diagnostic),
            (None, Code::RUNTIME_ERROR | Code::NOT_SUPPORTED_YET) => reason.into(),
            (None, _) => not_an_expression(text),
        })
    }

    /// `Type.new(args)`
    ///
    /// # Errors
    ///
    /// The arguments are invalid for the type, as Puppet words it.
    pub fn new_instance(&mut self, t: &Type, args: &[Value]) -> Res<Value> {
        if args.is_empty() && matches!(t.resolved(), Type::Timestamp(_)) {
            let now = i128::try_from(self.world.now().as_nanos()).unwrap_or_default();
            let instance = Value::Timestamp(std::sync::Arc::new(catwalk_value::Timestamp::new(now)));
            let fits =
                catwalk_value::mismatch::assert_instance(&format!("Converted value from {t}.new()"), t, &instance);
            return fits.map(|()| instance).map_err(|reason| Stop::runtime(reason.message));
        }
        let instance = catwalk_value::new_instance_in(t, args, &mut Aliases { ev: self });
        instance.map_err(|reason| match reason.code {
            Code::NOT_SUPPORTED_YET => reason.into(),
            Code::RUNTIME_ERROR => reason.into(),
            _ => match (t.resolved(), args) {
                (Type::Type(_), [Value::Str(text)]) if catwalk_syntax::parse_expression(text).is_err() => {
                    not_an_expression(text)
                }
                // All of these are plain errors in Puppet.
                _ => Stop::runtime(reason.message),
            },
        })
    }

    /// A type alias of a module, resolved on its first use.
    pub(super) fn alias(&mut self, name: Name) -> Result<Option<Type>, Reason> {
        if let Some(t) = self.aliases.get(&name) {
            return Ok(Some(t.clone()));
        }
        // If a module has both, the file in Ruby wins.
        if !self.program.has_alias(name)
            && let Some(path) = self.program.ruby_type(name)
        {
            return self.define_ruby_type(name, &path).map(Some);
        }
        let found = self.program.type_alias(name).map_err(|diagnostic| {
            let code = if diagnostic.code == Code::UNUSABLE_FILE { Code::RUNTIME_ERROR } else { diagnostic.code };
            let message = diagnostic.puppet_text(&self.program.sources);
            let (help, locations) = (diagnostic.help.clone(), diagnostic.locations.clone());
            let cause = diagnostic.cause.clone();
            let reason = Reason { help, locations, cause, ..Reason::new(code, message) };
            self.state.types.parse_error = diagnostic.span.is_some().then_some(diagnostic);
            reason
        })?;
        match found {
            Some(definition) if self.is_untyped(definition) => Ok(None),
            Some(definition) => self.define_alias(name, definition).map(Some),
            None => self.type_set_member(name),
        }
    }

    /// A type of a type set of a module: sets are looked for by the parts before the last, the longest name first.
    fn type_set_member(&mut self, name: Name) -> Result<Option<Type>, Reason> {
        let mut at = name.as_str();
        if at.split_once("::").is_none_or(|(first, _)| self.program.environment.module(first).is_none()) {
            return Ok(None);
        }
        while let Some((parent, _)) = at.rsplit_once("::") {
            if matches!(self.alias(Name::new(parent))?, Some(Type::TypeSet(_)))
                && let Some(found) = self.aliases.get(&name)
            {
                return Ok(Some(found.clone()));
            }
            at = parent;
        }
        Ok(None)
    }

    /// Whether a defined type hides the alias of a module: the loader of resource types is the parent of all others. Only the
    /// file with its name is looked for.
    pub(super) fn is_shadowed_alias(&self, name: Name) -> LoadResult<bool> {
        // While the main manifest is imported, the loading of other files matters (`module_of_main`).
        let importing =
            self.state.types.files_being_typed.first().is_some_and(|(file, _)| *file < self.program.main_count());
        Ok(!self.program.has_alias(name)
            && (importing || self.program.may_define(name))
            && self.program.define(name)?.is_some())
    }

    fn define_alias(&mut self, name: Name, definition: &'c Definition) -> Result<Type, Reason> {
        let DefinitionKind::TypeAlias(expr) = &definition.kind else {
            return Err(Reason::unsupported("this form of type definition"));
        };
        // A definition resolves the definitions that it refers to.
        if stack::is_low() {
            return Err(Reason::runtime("stack level too deep").help("type aliases refer to each other too deeply"));
        }
        if let Some(Some(known)) = self.program.shared_types().get(expr.span)
            && !self.state.types.compared_aliases.contains(&name)
        {
            // After an edit its types may refer to it: then all are created again.
            self.state.types.compared_aliases.push(name);
            let same = self.has_same_aliases(&known);
            self.state.types.compared_aliases.pop();
            if let Some(alias) = self.aliases.get(&name) {
                return Ok(alias.clone());
            }
            if same {
                self.aliases.insert(name, known.data_type.clone());
                return Ok(known.data_type);
            }
        }
        let alias = Alias::new(definition.name.as_str());
        let t = Type::Alias(alias.clone());
        // It is added before it is resolved, since its meaning may contain it.
        self.aliases.insert(name, t.clone());
        let source = self.program.sources.get(definition.span.file);
        let text = source.as_ref().map_or("", |source| source.text.as_ref());
        if let Some(hash) = parse::definition_hash(expr, "TypeSet") {
            return self.define_type_set(&alias, hash, text);
        }
        if let Some(hash) = parse::definition_hash(expr, "Object") {
            let object_type = self.define_object(&alias, hash, text);
            if object_type.is_err() {
                self.aliases.remove(&name);
            }
            let object_type = object_type?;
            // Only a type that contains itself needs the alias.
            if !alias.is_recursive() {
                self.aliases.insert(name, object_type.clone());
                return Ok(object_type);
            }
            return Ok(t);
        }
        let start = definition.span.start;
        let head = text.get(start as usize..).unwrap_or("");
        let gap = head.strip_prefix("type").map_or(0, |rest| head.len() - rest.trim_start().len());
        let start = start + u32::try_from(gap).unwrap_or(0);
        let meaning = parse::parse_alias_expr(expr, start, text, &mut Aliases { ev: self });
        let resolved = meaning.and_then(|meaning| alias.resolve(&meaning).map_err(Reason::runtime));
        if let Err(reason) = resolved {
            self.aliases.remove(&name);
            return Err(reason);
        }
        if !alias.is_recursive() {
            self.share_type(expr, &t);
        }
        Ok(t)
    }
}

impl<'c> Evaluator<'c> {
    /// An object type takes the name of its alias. (TypeDefinitionInstantiator.create_named_type)
    fn define_object(&mut self, alias: &std::sync::Arc<Alias>, hash: &Expr, text: &str) -> Result<Type, Reason> {
        let definition = match &hash.kind {
            ExprKind::Hash(_) => parse::parse_literal(hash, text, &mut Aliases { ev: self })?,
            // The expression itself is used as the definition.
            _ => Value::Undef,
        };
        let Value::Hash(definition) = definition else {
            let class = catwalk_syntax::model_name(hash);
            let text = format!("object initializer has wrong type, expects a Struct value, got Puppet::AST::{class}");
            return Err(Reason::runtime(text));
        };
        let object_type = catwalk_value::define_object(Some(alias.name()), &definition).map_err(Reason::runtime)?;
        let object_type = Type::Object(std::sync::Arc::new(object_type));
        alias.resolve(&object_type).map_err(Reason::runtime)?;
        Ok(object_type)
    }
}

impl Evaluator<'_> {
    /// The signature of a parameter list, with local types (`Name = Type`) besides those of the environment.
    ///
    /// # Errors
    ///
    /// A string is not a parameter list, or not a type.
    pub fn parse_signature(&mut self, text: &str, local: &[String]) -> Result<crate::Signature, Reason> {
        let mut resolver = WithLocalTypes { outer: Aliases { ev: self }, local: Vec::new() };
        for definition in local {
            let Some((name, text)) = definition.split_once('=') else { continue };
            let alias = Alias::new(name.trim());
            resolver.local.push((name.trim().to_owned(), Type::Alias(alias.clone())));
            let t = parse::parse_type(text.trim(), &mut resolver)?;
            alias.resolve(&t).map_err(Reason::runtime)?;
        }
        crate::Signature::parse_parameters(text, &mut resolver)
    }
}

impl Evaluator<'_> {
    /// Parses a parameter list as a signature, with the types of the environment; each string is parsed once in a compile.
    ///
    /// # Errors
    /// The string is not a parameter list, or names a type whose definition is wrong.
    pub fn parse_signature_once(&mut self, text: &str) -> Result<std::sync::Arc<crate::Signature>, Reason> {
        let key = Name::new(text);
        if let Some(known) = self.state.types.signatures.get(&key) {
            return Ok(known.clone());
        }
        let signature = std::sync::Arc::new(self.parse_signature(text, &[])?);
        self.state.types.signatures.insert(key, signature.clone());
        Ok(signature)
    }
}

/// Finds local types of a function before those of the environment.
struct WithLocalTypes<'e, 'c> {
    outer: Aliases<'e, 'c>,
    local: Vec<(String, Type)>,
}

impl parse::AliasResolver for WithLocalTypes<'_, '_> {
    fn now(&self) -> Option<i128> {
        self.outer.now()
    }

    fn secrets(&self) -> Option<&SecretCollection> {
        self.outer.secrets()
    }

    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        match self.local.iter().find(|(known, _)| known == name) {
            Some((_, t)) => Ok(Some(t.clone())),
            None => self.outer.resolve(name),
        }
    }
}

/// The error for a string that is not a single expression: it may be several.
fn not_an_expression(text: &str) -> Stop {
    let sources = catwalk_base::source::SourceMap::new();
    let id = sources.add(None, "<text>", text.into());
    // Parsing a type does not validate it.
    let (_, diagnostics) = catwalk_syntax::parse_only(&sources, id, false);
    match diagnostics.into_iter().find(|diagnostic| diagnostic.severity >= Severity::Error) {
        None => Stop::runtime(format!("The expression <{text}> is not a valid type specification.")),
        // The failure of Ruby itself has no position either.
        Some(error) if error.code == Code::REGEXP_ERROR => Stop::runtime(error.message),
        // In Puppet, the end of the input has no position: like all such failures it is wrapped.
        Some(error) if error.cause == Cause::EndOfInput => Stop::runtime(error.message),
        Some(mut error) => {
            // Its position is in the string, which is in no source map.
            error.message = error.puppet_text(&sources).into();
            error.span = None;
            Stop::Failed(Box::new(error))
        }
    }
}
