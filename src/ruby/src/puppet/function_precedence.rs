//! Selects the module whose function is called if several modules define functions of the same name.
//!
//! In: a name, the module of the calling code. Out: the module. Follows Puppet::Pops::Loader::DependencyLoader. Must not: run
//! anything.

use std::rc::Rc;

use crate::bridge::interpreter::with_state;
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
    let mut places: Vec<FunctionModule> = Vec::new();
    for (at, file) in files.0.iter().enumerate() {
        match file.module {
            // A function of the environment comes before those of all modules.
            None if at == 0 => return None,
            Some(module) if places.iter().all(|place| place.module != module) => {
                places.push(FunctionModule { module, is_current: !file.is_legacy });
            }
            _ => {}
        }
    }
    // A function in Rust may implement one of a module that has no Ruby file for it.
    if !places.is_empty()
        && let Some(own) = ev.implemented_module(name)
        && places.iter().all(|place| place.module != own)
    {
        let modules = &ev.program.environment.modules;
        let rank = |module: &str| modules.get_index_of(module);
        let at = places.iter().position(|place| rank(place.module.as_str()) > rank(own.as_str()));
        places.insert(at.unwrap_or(places.len()), FunctionModule { module: own, is_current: false });
    }
    (places.len() > 1).then(|| places.into())
}

/// The module whose function code of the module `caller` calls, if several define it: the caller's own, else the first module
/// among its dependencies, else the first of all. An environment has one 3.x function of a name: the one that was loaded first
/// (Puppet::Pops::Loader::RubyLegacyFunctionInstantiator). `None` if there is no choice.
pub(crate) fn choose_module(ev: &mut Evaluator<'_>, name: Name, caller: Caller) -> Option<Name> {
    let places = match with_state(ev, |state| state.defining_modules.get(&name).cloned()) {
        Some(known) => known,
        None => {
            let places = defining_modules(ev, name);
            with_state(ev, |state| state.defining_modules.insert(name, places.clone()));
            places
        }
    }?;
    let caller = caller.module(ev);
    let near = caller.map(|caller| ev.program.dependencies(caller));
    let near = near.iter().flat_map(|dependencies| dependencies.0.iter().copied());
    let place = |wanted: Name| places.iter().find(|place| place.module == wanted);
    let FunctionModule { module, is_current } = *caller.into_iter().chain(near).find_map(place).or(places.first())?;
    if is_current {
        return Some(module);
    }
    Some(with_state(ev, |state| *state.first_legacy_module.entry(name).or_insert(module)))
}
