//! Evaluation of a subset of Ruby: ERB templates, and functions that modules define in Ruby.
//!
//! In: trees ([`catwalk_ruby_syntax::ast`]), and the evaluator of the Puppet language for the scope. Out: strings or values.
//! Must not: access files, processes, the clock or randomness except through the world of the compile. Unsupported code fails
//! with `not supported yet: …` and its location, and this failure cannot be rescued.
//!
//! | folder | content |
//! |---|---|
//! | `machine` | evaluation: expressions, calls, blocks, frames, exceptions; the definitions of a program |
//! | `object` | classes, the lookup of methods, constants, construction of objects |
//! | `core` | the classes of Ruby, with a table of methods each (`string`, `array`, `regexp` …); `Kernel`, equality, `inspect` |
//! | `library` | Ruby's standard library (`File`, `YAML`, `OpenSSL`, `IPAddr` …), `require`; libraries written in Ruby (`prelude`) |
//! | `puppet` | the scope, functions of both APIs, templates, data types, the catalog, Puppet's own classes |
//! | `bridge` | values from and to the Puppet language; [`Interpreter`], which the evaluator of that language calls |
//! | `value` | values |

mod bridge;
mod core;
mod library;
mod machine;
mod object;
mod puppet;
mod value;

use std::cell::Ref;
use std::cell::RefCell;
use std::cell::RefMut;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::ops::DerefMut;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;

pub use bridge::interpreter::Interpreter;
pub use puppet::automatic_relations::AutomaticRelations;
pub use puppet::automatic_relations::automatic_relations;

pub(crate) use machine::exception::Flow;
pub(crate) use machine::exception::Raise;
use machine::frame::Frame;
use machine::frame::FrameParts;
use machine::frame::MethodContext;
use value::Callable;
use value::Rv;

/// Maximum number of expressions that one program may evaluate.
const MAX_STEPS: u64 = 200_000_000;

/// The number of steps that a call or an iteration of a loop is counted as.
const STEPS_PER_CALL: u64 = 4;

/// Calls and iterations between two checks of the limits.
const CALLS_PER_CHECK: u32 = 32;

/// Maximum nesting of running calls of methods and blocks. The parser limits the nesting of expressions in each of them.
const MAX_DEPTH: u32 = 1500;

/// Maximum size of a string or list in bytes.
const MAX_SIZE: usize = 64 << 20;

/// The block passed to a method.
pub(crate) type Blk<'b> = Option<&'b Rc<Callable>>;

/// The state that all Ruby programs of a compile share.
#[derive(Clone, Default)]
pub(crate) struct State {
    /// Functions of modules by name, after their lookup.
    functions: catwalk_base::names::NameMap<Option<Rc<puppet::function::RubyFunction>>>,
    /// Functions that several modules define, by the module whose definition was looked up.
    functions_by_module: FxHashMap<(Name, Name), Option<Rc<puppet::function::RubyFunction>>>,
    /// Names of functions with the modules that define them; `None` unless several do.
    defining_modules: catwalk_base::names::NameMap<Option<Rc<[puppet::function_precedence::FunctionModule]>>>,
    /// The module whose definition of a 3.x function was loaded first, if several define it.
    first_legacy_module: catwalk_base::names::NameMap<Name>,
    /// 3.x functions that Ruby code called as `function_NAME` because another function has the same name.
    legacy_functions: catwalk_base::names::NameMap<Option<Rc<puppet::function::RubyFunction>>>,
    /// Implementations of data types that modules write in Ruby, by their names in lower case.
    data_types: catwalk_base::names::NameMap<Rc<puppet::data_type::Implementation>>,
    /// 3.x functions that Ruby code loaded (`Puppet::Parser::Functions.function`).
    autoloaded_functions: FxHashSet<Name>,
    /// Results of the blocks of `cached_file_data`, by path.
    file_data: FxHashMap<String, Rv>,
    /// The number of open blocks of `catch(:undefined_variable)`: an unknown variable ends the innermost one.
    open_catches: u32,
    /// The Ruby objects of Puppet arrays and hashes: all templates of a compile share one object for each. Templates change a
    /// hash of the manifest to pass values to the templates they include.
    shared_collections: bridge::shared_collections::SharedCollections,
    /// Names of top-scope variables that are not valid in Ruby, by their spelling in Ruby code.
    variables_by_ruby_name: Option<FxHashMap<String, Name>>,
    /// Properties of individual objects.
    flags: object::object_flags::ObjectFlags,
    /// Global variables; objects with the methods and constants of the program that set them.
    global_variables: FxHashMap<Name, (Rv, Option<Rc<machine::definitions::Tables>>)>,
    /// Methods that templates defined.
    template_methods: catwalk_base::names::NameMap<Rc<machine::definitions::MethodEntry>>,
    /// Files written by Ruby code.
    written_files: library::written_files::WrittenFiles,
    /// Environment variables set by Ruby code; `None` for removed ones.
    env: BTreeMap<Arc<str>, Option<Arc<str>>>,
    /// The setting `strict` as set by Ruby code.
    strict: Option<catwalk_eval::Strict>,
    /// Methods that a program defined on the catalog, with the definitions that they use.
    catalog: Option<Rc<CatalogMethods>>,
    /// The parameters that the built-in `lookupdefaults` returned to each running redefinition of it, the innermost last.
    builtin_defaults: Vec<catwalk_eval::state::Params>,
    /// The definitions of programs that loaded other files: all later programs have their constants.
    libraries: Vec<Rc<machine::definitions::Tables>>,
    generators: core::random::Generators,
    /// Objects passed to the Puppet language.
    objects: bridge::object_store::Objects,
    /// The highest object number so far: objects that functions pass to each other have unique numbers.
    last_id: u64,
    /// The last exception that became a failure of the Puppet language.
    last_exception: Option<ExceptionOrigin>,
}

/// The methods and variables that a program defined on the catalog, for later programs.
struct CatalogMethods {
    tables: Rc<machine::definitions::Tables>,
    variables: FxHashMap<Name, Rv>,
    next_id: u64,
}

/// The origin of an exception.
#[derive(Clone)]
struct ExceptionOrigin {
    class: Name,
    /// Whether its class is `Puppet::Error` or a subclass.
    is_puppet_error: bool,
    message: String,
    file: Rc<str>,
    line: u32,
}

/// A running Ruby program: its state, and the compile that it runs in.
///
/// The fields of [`ProgramState`] are read and written as if they were fields of this type (it derefs to them).
pub(crate) struct Interp<'e, 'c> {
    /// The compile.
    pub ev: &'e mut Evaluator<'c>,
    state: ProgramState<'c>,
    compile: Rc<RefCell<State>>,
}

/// The state of a running Ruby program, without the compile.
///
/// It is a single value, so that a block can take over the whole program while a function of the Puppet language runs (see
/// `block_call`).
pub(crate) struct ProgramState<'c> {
    /// The position of the call that started the program.
    pub span: Span,
    /// The path of its source in messages.
    pub file: Rc<str>,
    /// The source of a template that is not a file.
    source: Option<Arc<str>>,
    /// The line being evaluated.
    line: u32,
    steps: u64,
    /// Calls and iterations until the next check of the limits.
    calls_until_check: u32,
    depth: u32,
    /// The output of the template so far.
    out: String,
    /// The definitions of the program.
    tables: Rc<machine::definitions::Tables>,
    /// Global variables that Ruby sets (`$?`, `$!`, `$LOAD_PATH`), and instance variables of objects without their own.
    globals: FxHashMap<Name, Rv>,
    last_match: Rv,
    /// The addresses of the collections that `inspect` is printing.
    inspected: FxHashSet<usize>,
    /// The exception or jump in progress, until it is caught.
    thrown: Option<Flow>,
    /// The frame of a call that evaluates a string: the string uses its local variables.
    caller_frame: Option<Rc<Frame>>,
    /// Unused frames for reuse.
    spare_frames: Vec<Rc<Frame>>,
    /// Unused frames of method calls for reuse.
    spare_method_frames: Vec<Rc<Frame>>,
    /// The frame of the block that ran last, for its next run.
    last_block_frame: Option<Rc<Frame>>,
    /// A cache of the methods that calls reached.
    method_cache: machine::method_cache::ProgramCache,
    /// The files that the program loaded.
    loaded_files: Vec<std::path::PathBuf>,
    /// Whether a loaded file is running.
    is_loading: bool,
    /// Whether the program is a 3.x function, in which references are resources.
    is_legacy_function: bool,
    /// The module of a function of the current API, whose calls prefer functions of this module.
    module: Option<Name>,
    /// Whether symbols remain symbols when they are converted for the Puppet language, as for YAML.
    keeps_symbols: bool,
    /// Whether conversions to the Puppet language record the identity of arrays and hashes.
    records_identity: bool,
    /// Blocks of the Puppet language passed to the program.
    blocks: Vec<catwalk_eval::Block<'c>>,
    next_id: u64,
    /// The addresses of definitions of other programs, received with their objects.
    adopted_programs: Vec<usize>,
    /// Collections of the Puppet language that were changed.
    changed_collections: Vec<Rv>,
    /// The definitions of a function's file so far.
    builder: puppet::function::Builder,
    /// The running function.
    function: Option<Name>,
}

impl ProgramState<'_> {
    /// The initial state of a program.
    fn new(span: Span, file: Rc<str>) -> Self {
        ProgramState {
            span,
            file,
            source: None,
            line: 1,
            steps: 0,
            calls_until_check: CALLS_PER_CHECK,
            depth: 0,
            out: String::new(),
            tables: Rc::default(),
            globals: FxHashMap::default(),
            last_match: Rv::Nil,
            inspected: FxHashSet::default(),
            thrown: None,
            caller_frame: None,
            spare_frames: Vec::new(),
            spare_method_frames: Vec::new(),
            last_block_frame: None,
            method_cache: machine::method_cache::ProgramCache::default(),
            loaded_files: Vec::new(),
            is_loading: false,
            is_legacy_function: false,
            module: None,
            keeps_symbols: false,
            records_identity: false,
            blocks: Vec::new(),
            next_id: 1,
            adopted_programs: Vec::new(),
            changed_collections: Vec::new(),
            builder: puppet::function::Builder::default(),
            function: None,
        }
    }
}

impl<'c> Deref for Interp<'_, 'c> {
    type Target = ProgramState<'c>;

    fn deref(&self) -> &ProgramState<'c> {
        &self.state
    }
}

impl<'c> DerefMut for Interp<'_, 'c> {
    fn deref_mut(&mut self) -> &mut ProgramState<'c> {
        &mut self.state
    }
}

impl<'e, 'c> Interp<'e, 'c> {
    pub(crate) fn new(ev: &'e mut Evaluator<'c>, span: Span, file: &str) -> Interp<'e, 'c> {
        Interp::resume(ev, ProgramState::new(span, Rc::from(file)))
    }

    /// Continues a program of a compile.
    pub(crate) fn resume(ev: &'e mut Evaluator<'c>, state: ProgramState<'c>) -> Interp<'e, 'c> {
        let compile = bridge::interpreter::state(ev);
        Interp { ev, state, compile }
    }

    /// The state that Ruby code shares during a compile. It is borrowed from this program, so no other program can run
    /// meanwhile.
    fn state(&mut self) -> RefMut<'_, State> {
        self.compile.borrow_mut()
    }

    /// Borrows the state of [`Interp::state`] for reading.
    fn state_ref(&self) -> Ref<'_, State> {
        self.compile.borrow()
    }

    /// Adds the methods that earlier programs defined on the catalog.
    fn load_catalog_methods(&mut self) {
        let catalog = self.state_ref().catalog.clone();
        if let Some(catalog) = catalog {
            self.tables_mut().adopt(&catalog.tables);
            self.globals.clone_from(&catalog.variables);
            self.next_id = catalog.next_id;
        }
    }

    /// Continues numbering objects after those of the compile's earlier programs.
    fn continue_ids(&mut self) {
        let last = self.state_ref().last_id;
        self.next_id = self.next_id.max(last);
    }

    /// Stores the last object number for later programs.
    fn store_last_id(&mut self) {
        let next = self.next_id;
        let mut state = self.state();
        state.last_id = state.last_id.max(next);
    }

    /// Stores the catalog's methods for later programs.
    fn store_catalog_methods(&mut self) {
        self.store_last_id();
        if self.tables.has_catalog_methods {
            let variables = self.globals.iter().filter(|(name, _)| name.as_str().starts_with('@'));
            self.state().catalog = Some(Rc::new(CatalogMethods {
                tables: self.tables.clone(),
                variables: variables.map(|(name, value)| (*name, value.clone())).collect(),
                next_id: self.next_id,
            }));
        }
    }

    /// Adds the methods that a called function defined on the catalog.
    fn reload_catalog_methods(&mut self) {
        let catalog = self.state_ref().catalog.clone();
        if let Some(catalog) = catalog {
            self.tables_mut().adopt(&catalog.tables);
            self.globals.extend(catalog.variables.iter().map(|(name, value)| (*name, value.clone())));
            self.next_id = self.next_id.max(catalog.next_id);
        }
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A frame for a whole program.
    pub(crate) fn top_frame(&mut self, this: Rv) -> Rc<Frame> {
        self.class_frame(this, None)
    }

    /// A frame for the body of a class.
    pub(crate) fn frame_in(&mut self, this: Rv, class: &str) -> Rc<Frame> {
        self.class_frame(this, Some(Name::new(class)))
    }

    /// Counts a call or an iteration of a loop, as an estimate of the expressions in it.
    #[inline]
    fn step(&mut self) -> Raise<()> {
        self.calls_until_check -= 1;
        meter::settle();
        if self.calls_until_check == 0 { self.check_limits() } else { Ok(()) }
    }

    /// Checks the limits, after a number of calls and iterations.
    fn check_limits(&mut self) -> Raise<()> {
        self.calls_until_check = CALLS_PER_CHECK;
        self.steps += STEPS_PER_CALL * u64::from(CALLS_PER_CHECK);
        meter::tick(32 * CALLS_PER_CHECK as usize);
        if self.steps > MAX_STEPS {
            return self.unsupported("Ruby code that runs this long");
        }
        Ok(())
    }

    /// As [`Interp::check_size`], for an existing string or list that grows by `added` bytes: only these are counted.
    pub(crate) fn check_growth(&mut self, size: usize, added: usize) -> Raise<()> {
        if size.saturating_add(added) > MAX_SIZE {
            self.check_size(size.saturating_add(added))
        } else {
            self.check_size(added)
        }
    }

    /// Refuses strings and lists beyond the size limit.
    pub(crate) fn check_size(&mut self, size: usize) -> Raise<()> {
        self.steps += (size / 64) as u64;
        meter::charge(size);
        if size > MAX_SIZE {
            return self.unsupported("Ruby values of this size");
        }
        Ok(())
    }
}
