//! Selects the module whose function is called if several modules define functions of the same name.
//!
//! In: a name, the module of the calling code. Out: the module. Follows Puppet::Pops::Loader::DependencyLoader. Must not: run
//! anything.

use std::rc::Rc;

use crate::interpreter::with_state;
use catwalk_base::names::Name;
use catwalk_eval::Caller;
use catwalk_eval::Evaluator;

/// A module that defines a function, and whether the function is one of the current API.
#[derive(Clone, Copy)]
pub(crate) struct FunctionModule {
    module: Name,
    is_current: bool,
}

/// The modules that have a function of a name, in order; `None` unless there are several and the environment has none.
fn defining_modules(ev: &mut Evaluator<'_>, name: Name) -> Option<Rc<[FunctionModule]>> {
    if name.contains("::") {
        return None;
    }
    let files = ev.program.ruby_functions(name);
    let mut modules: Vec<FunctionModule> = Vec::new();
    for (at, file) in files.0.iter().enumerate() {
        match file.module {
            // A function of the environment comes before those of all modules.
            None if at == 0 => return None,
            Some(module) if modules.iter().all(|entry| entry.module != module) => {
                modules.push(FunctionModule { module, is_current: !file.is_legacy });
            }
            _ => {}
        }
    }
    // A function in Rust may implement one of a module that has no Ruby file for it.
    if !modules.is_empty()
        && let Some(module) = ev.implemented_module(name)
        && modules.iter().all(|entry| entry.module != module)
    {
        let all_modules = &ev.program.environment.modules;
        let rank = |module: &str| all_modules.get_index_of(module);
        let at = modules.iter().position(|entry| rank(entry.module.as_str()) > rank(module.as_str()));
        modules.insert(at.unwrap_or(modules.len()), FunctionModule { module, is_current: false });
    }
    (modules.len() > 1).then(|| modules.into())
}

/// The module whose function code of the module `caller` calls, if several define it: the caller's own, else the first module
/// among its dependencies, else the first of all. An environment has one 3.x function of a name: the one that was loaded first
/// (Puppet::Pops::Loader::RubyLegacyFunctionInstantiator). `None` if there is no choice.
pub(crate) fn choose_module(ev: &mut Evaluator<'_>, name: Name, caller: Caller) -> Option<Name> {
    let modules = match with_state(ev, |state| state.defining_modules.get(&name).cloned()) {
        Some(modules) => modules,
        None => {
            let modules = defining_modules(ev, name);
            with_state(ev, |state| state.defining_modules.insert(name, modules.clone()));
            modules
        }
    }?;
    let caller = caller.module(ev);
    let dependencies = caller.map(|caller| ev.program.dependencies(caller));
    let dependencies = dependencies.iter().flat_map(|dependencies| dependencies.0.iter().copied());
    let find_module = |module: Name| modules.iter().find(|entry| entry.module == module);
    let nearest = caller.into_iter().chain(dependencies).find_map(find_module);
    let FunctionModule { module, is_current } = *nearest.or(modules.first())?;
    if is_current {
        return Some(module);
    }
    Some(with_state(ev, |state| *state.first_legacy_module.entry(name).or_insert(module)))
}
