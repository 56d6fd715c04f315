//! Registration of the functions of the script API, so that each obeys the limits of the script that calls it.
//!
//! In: functions and closures as Rhai's engine takes them. Out: an engine that has them, each within
//! [`crate::limits::run_metered`]. Must not: depend on a particular function.

use std::any::TypeId;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::FuncRegistration;
use rhai::Module;
use rhai::NativeCallContext;
use rhai::RhaiFunc;
use rhai::RhaiNativeFunc;

use crate::limits;
use crate::limits::LimitEffect;

/// Functions to register in an engine.
pub(super) struct Natives {
    module: Module,
}

impl Natives {
    /// An empty list.
    pub(super) fn new() -> Natives {
        Natives { module: Module::new() }
    }

    /// Registers all of them in an engine. They take precedence over Rhai's own of the same name.
    pub(super) fn register_in(self, engine: &mut Engine) {
        engine.register_global_module(Arc::new(self.module));
    }

    /// Adds a function or a method.
    pub(super) fn register_fn<A: 'static, const N: usize, const X: bool, R: 'static, const F: bool, FUNC>(
        &mut self,
        name: impl AsRef<str>,
        function: FUNC,
    ) -> &mut Self
    where
        FUNC: RhaiNativeFunc<A, N, X, R, F> + Send + Sync + 'static,
    {
        let name = name.as_ref();
        // As in `Engine::register_fn`: a setter cannot be called on a constant.
        let sets = (N == 3 && name == "index$set$") || (N == 2 && name.starts_with("set$"));
        let is_pure = !sets;
        let function = metered(function.into_rhai_function(is_pure, false), LimitEffect::Fail);
        FuncRegistration::new(name).in_global_namespace().set_into_module_raw(
            &mut self.module,
            FUNC::param_types(),
            function,
        );
        self
    }

    /// Adds a function that takes its arguments without conversion.
    pub(super) fn register_raw_fn(
        &mut self,
        name: &str,
        types: impl AsRef<[TypeId]>,
        function: fn(NativeCallContext<'_>, &mut [&mut Dynamic]) -> Result<Dynamic, Box<EvalAltResult>>,
    ) -> &mut Self {
        self.register_raw(name, types, LimitEffect::Fail, function)
    }

    /// Registers a function that Rhai calls to print a value.
    pub(super) fn register_printer(
        &mut self,
        name: &str,
        types: impl AsRef<[TypeId]>,
        function: fn(NativeCallContext<'_>, &mut [&mut Dynamic]) -> Result<Dynamic, Box<EvalAltResult>>,
    ) -> &mut Self {
        self.register_raw(name, types, LimitEffect::Unwind, function)
    }

    fn register_raw(
        &mut self,
        name: &str,
        types: impl AsRef<[TypeId]>,
        effect: LimitEffect,
        function: fn(NativeCallContext<'_>, &mut [&mut Dynamic]) -> Result<Dynamic, Box<EvalAltResult>>,
    ) -> &mut Self {
        let with_context = move |ctx: Option<NativeCallContext<'_>>, args: &mut [&mut Dynamic]| match ctx {
            Some(ctx) => function(ctx, args),
            None => Ok(Dynamic::UNIT),
        };
        let function =
            RhaiFunc::Method { func: Arc::new(with_context), has_context: true, is_pure: true, is_volatile: true };
        FuncRegistration::new(name).in_global_namespace().set_into_module_raw(
            &mut self.module,
            types,
            metered(function, effect),
        );
        self
    }

    /// Adds the getter of a property.
    pub(super) fn register_get<A: 'static, const X: bool, R: 'static, const F: bool, FUNC>(
        &mut self,
        name: &str,
        get: FUNC,
    ) -> &mut Self
    where
        FUNC: RhaiNativeFunc<A, 1, X, R, F> + Send + Sync + 'static,
    {
        self.register_fn(format!("get${name}"), get)
    }

    /// Adds the setter of a property.
    pub(super) fn register_set<A: 'static, const X: bool, const F: bool, FUNC>(
        &mut self,
        name: &str,
        set: FUNC,
    ) -> &mut Self
    where
        FUNC: RhaiNativeFunc<A, 2, X, (), F> + Send + Sync + 'static,
    {
        self.register_fn(format!("set${name}"), set)
    }

    /// Adds the getter `value[index]`.
    pub(super) fn register_indexer_get<A: 'static, const X: bool, R: 'static, const F: bool, FUNC>(
        &mut self,
        get: FUNC,
    ) -> &mut Self
    where
        FUNC: RhaiNativeFunc<A, 2, X, R, F> + Send + Sync + 'static,
    {
        self.register_fn("index$get$", get)
    }

    /// Adds the setter `value[index] = item`.
    pub(super) fn register_indexer_set<A: 'static, const X: bool, const F: bool, FUNC>(
        &mut self,
        set: FUNC,
    ) -> &mut Self
    where
        FUNC: RhaiNativeFunc<A, 3, X, (), F> + Send + Sync + 'static,
    {
        self.register_fn("index$set$", set)
    }
}

/// Wraps a function in the limits of the script. It always receives its call context, since errors need the position.
fn metered(function: RhaiFunc, effect: LimitEffect) -> RhaiFunc {
    match function {
        RhaiFunc::Pure { func, is_pure, is_volatile, .. } => RhaiFunc::Pure {
            func: Arc::new(move |ctx, args: &mut [&mut Dynamic]| {
                limits::run_metered(ctx, effect, |ctx| func(ctx, args))
            }),
            has_context: true,
            is_pure,
            is_volatile,
        },
        RhaiFunc::Method { func, is_pure, is_volatile, .. } => RhaiFunc::Method {
            func: Arc::new(move |ctx, args: &mut [&mut Dynamic]| {
                limits::run_metered(ctx, effect, |ctx| func(ctx, args))
            }),
            has_context: true,
            is_pure,
            is_volatile,
        },
        other => other,
    }
}
