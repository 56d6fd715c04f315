//! Builds the engine of all scripts: limits, hooks, and the removal of parts of Rhai.

use rhai::Engine;
use rhai::OptimizationLevel;

use crate::api;
use crate::chain;
use crate::host;
use crate::limits;
use crate::parse;
use crate::reserved_words;
use crate::resolver::Resolver;

/// Builds the engine. Every limit is set: Rhai's defaults differ between debug and release builds.
pub(super) fn build(with_tests: bool) -> Engine {
    let mut engine = Engine::new();
    engine
        .set_max_call_levels(48)
        .set_max_expr_depths(64, 64)
        // Steps are counted by `limits::progress`.
        .set_max_operations(0)
        .set_max_variables(4096)
        .set_max_functions(2048)
        .set_max_modules(256)
        .set_max_string_size(limits::MAX_STRING)
        .set_max_array_size(limits::MAX_ITEMS)
        .set_max_map_size(limits::MAX_ITEMS)
        // The interner has one lock for all threads, which makes two threads slower than one.
        .set_max_strings_interned(0)
        .set_module_resolver(Resolver)
        // `Scripts` optimizes those trees for which that is safe.
        .set_optimization_level(OptimizationLevel::None)
        .disable_symbol("eval");
    parse::limit(&mut engine);
    engine.on_progress(limits::progress);
    chain::register(&mut engine);
    variables(&mut engine);
    engine.on_print(|text| {
        if text != reserved_words::LOGGED {
            host::log(host::PRINTED, text);
        }
    });
    engine.on_debug(|text, source, at| {
        if text != reserved_words::LOGGED {
            host::log_output("debug", text, source, at);
        }
    });
    api::register(&mut engine, with_tests);
    engine
}

/// Resolves the variable `context` to the context of the running call. Each block that captures `context` gets its own handle, since
/// sharing the variable would be a data race in `context.updating(name, || context.notice("x"))`.
#[allow(deprecated, reason = "volatile upstream: the exact version is pinned")]
fn variables(engine: &mut Engine) {
    engine.on_var(|name, _, ctx| if name == "context" { Ok(api::context_of(ctx.scope())) } else { Ok(None) });
}
