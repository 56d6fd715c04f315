//! Calls: by name, as a method, of a type; and the interface of a function written in Rust to its call.

mod arguments;

use std::rc::Rc;
use std::sync::Arc;

use crate::Arity;
use crate::CallFrame;
use crate::Caller;
use crate::Entry;
use crate::Evaluator;
use crate::Extern;
use crate::ExternCall;
use crate::ModuleFunction;
use crate::Res;
use crate::RunningCode;
use crate::ScopeId;
use crate::Stop;
use crate::control::without_parentheses;
use crate::issues;
use crate::lambda::Types;
pub use arguments::Call;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_syntax::ast;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::label;
use catwalk_value::Object;
use catwalk_value::Value;

/// A function's code.
pub type Body = for<'a, 'c> fn(&mut Call<'a, 'c>) -> Res<Value>;

/// The class and the message of an exception of Ruby, and our message.
pub(super) type RubyError = (&'static str, String, String);

/// The code of a block that is implemented in Rust.
pub(crate) type NativeBlock<'c> = Rc<dyn Fn(&mut Evaluator<'c>, &[Value]) -> Res<Value> + 'c>;

/// A block that is passed to a call: `|$x| { … }`, or one of a script.
#[derive(Clone)]
pub enum Block<'c> {
    /// A block of a manifest with the scope it closes over.
    Lambda {
        /// The syntax tree.
        lambda: &'c ast::Lambda,
        /// The scope in which it was written.
        scope: ScopeId,
        /// The types of its parameters and result, if it has any.
        types: Option<Arc<Types>>,
    },
    /// A block that is implemented in Rust: a script closure, or a block that a function passes to another function.
    Native {
        /// The minimum and maximum number of arguments.
        arity: Arity,
        /// Its code.
        body: NativeBlock<'c>,
    },
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({:?})", self.arity())
    }
}

impl<'c> Evaluator<'c> {
    pub(super) fn eval_call(&mut self, call: &'c ast::Call, span: Span) -> Res<Value> {
        let mut args = Vec::with_capacity(call.args.len() + 1);
        let name = match &call.callee.kind {
            ExprKind::Bareword(name) => *name,
            ExprKind::TypeName(_) => {
                args.push(self.eval(&call.callee)?);
                catwalk_base::name!("new")
            }
            ExprKind::Access(access) if matches!(access.left.kind, ExprKind::TypeName(_)) => {
                args.push(self.eval(&call.callee)?);
                catwalk_base::name!("new")
            }
            ExprKind::RenderText(_) => return Err(Stop::issue(issues::illegal_epp_parameters(), span)),
            _ => {
                let reason = issues::illegal_expression(&label(&call.callee), "function name", "Function Call");
                return Err(Stop::issue(reason, call.callee.span));
            }
        };
        self.eval_list_into(&mut args, &call.args)?;
        let block = call.block.as_ref().map(|lambda| self.block(lambda)).transpose()?;
        self.call_function(name, &args, block.as_ref(), span)
    }

    pub(super) fn eval_method(&mut self, method: &'c ast::Method, span: Span) -> Res<Value> {
        let mut args = Vec::with_capacity(method.args.len() + 1);
        let receiver = without_parentheses(&method.receiver);
        match (&receiver.kind, self.eval(receiver)?) {
            (ExprKind::Unfold(_), Value::Array(several)) => args.extend(several.iter().cloned()),
            (_, value) => args.push(value),
        }
        self.eval_list_into(&mut args, &method.args)?;
        let block = method.block.as_ref().map(|lambda| self.block(lambda)).transpose()?;
        if let Some(result) = self.context_function(&args, method.name.as_str(), block.as_ref(), span) {
            return result;
        }
        if let Some(result) = self.member(&args, method.name.as_str(), block.as_ref(), span) {
            return result;
        }
        self.call_function(method.name, &args, block.as_ref(), span)
    }

    /// Calls a function by name as manifests do: those of the environment's own code, those written in Rust, those of modules
    /// in the Puppet language, those of scripts, those of modules that are written in Rust, those of modules in Ruby.
    ///
    /// # Errors
    /// The function is unknown (`UNKNOWN_FUNCTION`), does not accept the arguments, or fails.
    pub fn call_function(&mut self, name: Name, args: &[Value], block: Option<&Block<'c>>, span: Span) -> Res<Value> {
        let result = self.try_call(name, args, block, span);
        self.or_unknown_function_error(name, result, span)
    }

    /// Calls a function for Ruby code of a module (`None`: of no module). Functions of that module take precedence.
    pub fn call_function_for_module(
        &mut self,
        module: Option<Name>,
        name: Name,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Res<Value> {
        let result = self.try_call_from(Caller::Module(module), name, args, block, span);
        self.or_unknown_function_error(name, result, span)
    }

    fn or_unknown_function_error(&self, name: Name, result: Option<Res<Value>>, span: Span) -> Res<Value> {
        match result {
            Some(result) => result,
            None => {
                let mut reason = issues::unknown_function(name.as_str());
                if let Some(module) = self.native(name.normalized()).and_then(|entry| entry.module) {
                    let text = "which is not on the modulepath or does not have it in this version";
                    reason = reason.help(format!("it belongs to the module {module}, {text}"));
                }
                Err(Stop::issue(reason, span))
            }
        }
    }

    /// Calls a function; `None` if it does not exist.
    pub fn try_call(
        &mut self,
        name: Name,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        self.try_call_from(Caller::At(span), name, args, block, span)
    }

    fn try_call_from(
        &mut self,
        caller: Caller,
        name: Name,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        let normalized = name.normalized();
        let frame = CallFrame { code: RunningCode::Function(normalized), called_at: span };
        if let Some(definition) = self.program.main_manifest_function(normalized)
            && let DefinitionKind::Function(function) = &definition.kind
        {
            return Some(self.framed(frame, |ev| ev.call_defined(definition.name, function, args, block)));
        }
        let native = self.native(normalized);
        // Without PuppetDB, functions of its terminus do not exist, but a module may define one of that name.
        let puppetdb_function = native.filter(|entry| entry.puppetdb && !self.world.has_puppetdb());
        if let Some(entry) = native.filter(|entry| entry.module.is_none() && puppetdb_function.is_none()) {
            return Some(self.framed(frame, |ev| ev.call_native(entry, args, block, span)));
        }
        match self.program.function(normalized) {
            Err(diagnostic) => return Some(Err(diagnostic.into())),
            Ok(Some(definition)) => {
                if let DefinitionKind::Function(function) = &definition.kind {
                    let name = definition.name;
                    return Some(self.framed(frame, |ev| ev.call_defined(name, function, args, block)));
                }
            }
            Ok(None) => {}
        }
        let library = self.library;
        let mut call = ExternCall { name: normalized, source_name: name, module: None, args, block, span };
        if let Some(result) = library.scripts.and_then(|scripts| self.call_extern(scripts, frame, &call)) {
            return Some(result);
        }
        call.module = library.ruby.function_module(self, normalized, caller);
        if let Some(entry) = native.filter(|entry| entry.module.is_some())
            && (call.module.is_none() || call.module == entry.module)
            && let Some(found) = self.module_function(normalized)
            && let Some(result) = self.call_module_function(entry, found, frame, args, block, span)
        {
            return Some(result);
        }
        self.call_extern(library.ruby, frame, &call).or_else(|| {
            puppetdb_function.map(|entry| self.framed(frame, |ev| ev.call_native(entry, args, block, span)))
        })
    }

    fn call_extern(
        &mut self,
        functions: &dyn Extern,
        frame: CallFrame,
        call: &ExternCall<'_, 'c>,
    ) -> Option<Res<Value>> {
        self.framed(frame, |ev| functions.call(ev, call).transpose()).transpose()
    }

    /// The return type of a deferred call, if the function declares one (`get_deferred_function_return_type`); Ruby's error if
    /// there is no such function, or no signature accepts the arguments.
    ///
    /// # Errors
    ///
    /// The function cannot be loaded.
    pub(super) fn deferred_return_type(
        &mut self,
        call: &Object,
        span: Option<Span>,
    ) -> Res<Result<Option<catwalk_value::Type>, RubyError>> {
        let name = call.get("name");
        let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
        let arguments = call.get("arguments").unwrap_or(Value::Undef);
        let args = match &arguments {
            Value::Array(items) => Some(items.as_slice()),
            _ => None,
        };
        let normalized = Name::new(name).normalized();
        let native = self.native(normalized);
        let native = native.filter(|entry| {
            entry.module.is_none() || matches!(self.module_function(normalized), Some(ModuleFunction::Native))
        });
        let in_main_manifest = self.program.main_manifest_function(normalized);
        let defined = match in_main_manifest {
            Some(in_main_manifest) => Some(in_main_manifest),
            None => self.program.function(normalized)?,
        };
        let found = match (native, defined) {
            (Some(entry), None) => args.map_or(Ok(None), |args| crate::dispatch::native_return_type(entry, args))?,
            (_, Some(definition)) => match (&definition.kind, args) {
                (DefinitionKind::Function(function), Some(args)) => self.defined_return_type(function, args)?,
                _ => None,
            },
            (None, None) => {
                let mut externs = self.library.externs();
                let Some(functions) = externs.find(|functions| functions.has(self, normalized)) else {
                    let text = "undefined method `dispatcher' for NilClass:Class".to_owned();
                    let help = format!("there is no function {name}, which a `Deferred` value is to call");
                    return Ok(Err(("NoMethodError", text, help)));
                };
                match (span, args) {
                    (Some(span), Some(args)) => functions.returns(self, normalized, args, span)?,
                    _ => Some(None),
                }
            }
        };
        Ok(found.ok_or_else(|| {
            let arguments = if arguments.is_undef() { String::new() } else { catwalk_value::ruby::inspect(&arguments) };
            let text = format!("No matching arity found for {name} with arguments {arguments}");
            ("ArgumentError", text, format!("a `Deferred` value is to call {name} so"))
        }))
    }

    /// The module on the modulepath whose function a function written in Rust implements.
    pub fn implemented_module(&mut self, name: Name) -> Option<Name> {
        let module = self.native(name)?.module?;
        match self.module_function(name)? {
            ModuleFunction::Missing | ModuleFunction::ModuleSource => None,
            ModuleFunction::Native | ModuleFunction::Newer(_) | ModuleFunction::Renamed { .. } => Some(module),
        }
    }

    /// The meaning of a module's function name in that module, determined once per compile.
    fn module_function(&mut self, name: Name) -> Option<ModuleFunction> {
        if let Some(known) = self.state.types.module_functions.get(&name) {
            return *known;
        }
        let implementation = self.in_module(name);
        self.state.types.module_functions.insert(name, implementation);
        implementation
    }

    fn call_module_function(
        &mut self,
        entry: &'static Entry,
        implementation: ModuleFunction,
        frame: CallFrame,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        let entry = match implementation {
            ModuleFunction::Native => entry,
            ModuleFunction::Newer(newer) => newer,
            ModuleFunction::Missing | ModuleFunction::ModuleSource => return None,
            ModuleFunction::Renamed { to, warn } => {
                let called = self.framed(frame, |ev| {
                    if let Some(warn) = warn {
                        warn(ev, Name::new(entry.function.name), to, span)?;
                    }
                    ev.try_call(to, args, block, span).transpose()
                });
                return called.transpose();
            }
        };
        Some(self.framed(frame, |ev| ev.call_native(entry, args, block, span)))
    }

    /// A block with the scope that it closes over.
    fn block(&mut self, lambda: &'c ast::Lambda) -> Res<Block<'c>> {
        let types = self.lambda_types(lambda)?;
        Ok(Block::Lambda { lambda, scope: self.scope, types })
    }

    /// Calls a block.
    ///
    /// # Errors
    ///
    /// The block does not accept the arguments, or fails; `break` and `return` that are not caught yet.
    pub fn call_block(&mut self, block: &Block<'c>, args: &[Value]) -> Res<Value> {
        self.check_time()?;
        match block {
            Block::Lambda { lambda, scope, types } => self.call_lambda(lambda, *scope, types.as_deref(), args),
            Block::Native { body, .. } => {
                let body = body.clone();
                body(self, args)
            }
        }
    }
}
