//! `import "x"` and `import "module::x"`: only `scripts/lib/` of a module, never a path.

use rhai::AST;
use rhai::Engine;
use rhai::EvalAltResult;
use rhai::Module;
use rhai::ModuleResolver;
use rhai::Position;
use rhai::Scope;
use rhai::Shared;

use crate::callers;
use crate::groups;
use crate::host;
use crate::register;
use crate::state;

pub(super) struct Resolver;

/// `[a-z][a-z0-9_]*` parts joined by `/`.
fn is_valid_name(name: &str) -> bool {
    name.split('/').all(|part| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    })
}

fn refuse<T>(path: &str, why: &str, at: Position) -> Result<T, Box<EvalAltResult>> {
    Err(Box::new(EvalAltResult::ErrorRuntime(format!("cannot import \"{path}\": {why}").into(), at)))
}

impl ModuleResolver for Resolver {
    fn resolve(
        &self,
        engine: &Engine,
        source: Option<&str>,
        path: &str,
        at: Position,
    ) -> Result<Shared<Module>, Box<EvalAltResult>> {
        let resolved = callers::loading(|loading| {
            let importing_module =
                source.and_then(|file| loading.environment.module_of_path(std::path::Path::new(file)));
            let (module, name) = match path.split_once("::") {
                Some((module, name)) => (module.to_owned(), name),
                None => (importing_module.map_or("environment".to_owned(), |module| module.name.to_string()), path),
            };
            if !is_valid_name(name) || !is_valid_name(&module) {
                return refuse(path, "a name is \"x\" or \"module::x\", with x below scripts/lib", at);
            }
            let Some(file) = host::library_path(loading.environment, &module, name) else {
                return refuse(path, &format!("there is no module '{module}'"), at);
            };
            let key = file.to_string_lossy().into_owned();
            if state::call(|call| call.imports.contains(&key)) {
                return refuse(path, "it imports itself", at);
            }
            let script = match loading.scripts.load(&file, loading.environment, loading.world) {
                Ok(script) => script,
                Err(diagnostic) => return refuse(path, &diagnostic.message, at),
            };
            groups::record_import(&file);
            register::record_import(&file);
            state::call(|call| call.imports.push(key));
            let ast: &AST = &script.runnable;
            let module = Module::eval_ast_as_new(Scope::new(), ast, engine);
            let file = state::call(|call| call.imports.pop()).unwrap_or_default();
            module.map(Shared::new).map_err(|error| Box::new(EvalAltResult::ErrorInModule(file, error, at)))
        });
        resolved.unwrap_or_else(|| refuse(path, "imports are not available here", at))
    }
}
