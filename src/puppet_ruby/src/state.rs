//! What the Ruby programs of a compile share beyond the state of the language.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::data_type::Implementation;
use crate::function::RubyFunction;
use crate::function_precedence::FunctionModule;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_eval::Strict;
use catwalk_eval::state::Params;
use catwalk_ruby::Rv;
use catwalk_ruby::Tables;

/// The state that all Ruby programs of a compile share.
#[derive(Clone, Default)]
pub(crate) struct State {
    /// The state of the language.
    pub(crate) language: LanguageState,
    /// Functions of modules by name, after their lookup.
    pub(crate) functions: NameMap<Option<Rc<RubyFunction>>>,
    /// Functions that several modules define, by the module whose definition was looked up.
    pub(crate) functions_by_module: FxHashMap<(Name, Name), Option<Rc<RubyFunction>>>,
    /// Names of functions with the modules that define them; `None` unless several do.
    pub(crate) defining_modules: NameMap<Option<Rc<[FunctionModule]>>>,
    /// The module whose definition of a 3.x function was loaded first, if several define it.
    pub(crate) first_legacy_module: NameMap<Name>,
    /// 3.x functions that Ruby code called as `function_NAME` because another function has the same name.
    pub(crate) legacy_functions: NameMap<Option<Rc<RubyFunction>>>,
    /// Implementations of data types that modules write in Ruby, by their names in lower case.
    pub(crate) data_types: NameMap<Rc<Implementation>>,
    /// 3.x functions that Ruby code loaded (`Puppet::Parser::Functions.function`).
    pub(crate) autoloaded_functions: FxHashSet<Name>,
    /// Results of the blocks of `cached_file_data`, by path.
    pub(crate) file_data: FxHashMap<String, Rv>,
    /// Names of top-scope variables that are not valid in Ruby, by their spelling in Ruby code.
    pub(crate) variables_by_ruby_name: Option<FxHashMap<String, Name>>,
    /// The setting `strict` as set by Ruby code.
    pub(crate) strict: Option<Strict>,
    /// Methods that a program defined on the catalog, with the definitions that they use.
    pub(crate) catalog: Option<Rc<CatalogMethods>>,
    /// The parameters that the built-in `lookupdefaults` returned to each running redefinition of it, the innermost last.
    pub(crate) builtin_defaults: Vec<Params>,
    /// The last exception that became a failure of the Puppet language.
    pub(crate) last_exception: Option<ExceptionOrigin>,
}

/// The state of the language, which a copy does not share.
#[derive(Default)]
pub(crate) struct LanguageState(pub(crate) Rc<RefCell<catwalk_ruby::State>>);

impl Clone for LanguageState {
    fn clone(&self) -> LanguageState {
        LanguageState(Rc::new(RefCell::clone(&self.0)))
    }
}

/// The methods and variables that a program defined on the catalog, for later programs.
pub(crate) struct CatalogMethods {
    pub(crate) tables: Rc<Tables>,
    pub(crate) variables: FxHashMap<Name, Rv>,
    pub(crate) next_id: u64,
}

/// The origin of an exception.
#[derive(Clone)]
pub(crate) struct ExceptionOrigin {
    pub(crate) class: Name,
    /// Whether its class is `Puppet::Error` or a subclass.
    pub(crate) is_puppet_error: bool,
    pub(crate) message: String,
    pub(crate) file: Rc<str>,
    pub(crate) line: u32,
}
