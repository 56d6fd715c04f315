//! An interpreter for a subset of Ruby that runs inside another program, its [`Host`].
//!
//! In: trees ([`catwalk_ruby_syntax::ast`]) or source, values of the host. Out: values ([`Rv`]), or what was thrown. Must not:
//! know the Puppet language; access files, processes, the clock or randomness except through the world of the host. Unsupported
//! code fails with `not supported yet: …` and its location, and this failure cannot be rescued.
//!
//! | folder | content |
//! |---|---|
//! | `machine` | evaluation: expressions, calls, blocks, constants; which method a call reaches; construction of objects |
//! | `bridge` | values from and to those of the host ([`catwalk_value::Value`]), objects that both share |
//! | `library` | Ruby's standard library (`File`, `YAML`, `OpenSSL` …), `require`; libraries written in Ruby (`prelude`) |
//! | `core` | the classes of Ruby, with a table of methods each (`string`, `array`, `regexp` …); `Kernel`, equality, `inspect` |
//! | `object` | what classes, methods, frames and exceptions are; definitions of a program; names of Ruby's methods |
//! | `value` | values |
//!
//! A folder uses only those below it in this table. `README.md` shows how to embed the interpreter.

mod bridge;
mod core;
mod embed;
mod host;
mod library;
mod machine;
mod object;
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

pub use core::big_integer;
pub use core::enumerator::enumerator;
pub use core::random::deterministic_rand;
pub use core::string_helpers::string_bytes;
pub use host::Dialect;
pub use host::Host;
pub use host::ParsedFile;
pub use host::Setup;
pub use library::prelude::Library;
pub use object::builtin_classes::is_builtin_class;
pub use object::definitions::Method;
pub use object::definitions::MethodEntry;
pub use object::definitions::Tables;
pub use object::exception::Flow;
pub use object::exception::Raise;
pub use object::exception::Thrown;
pub use object::frame::Frame;
pub use object::method_names::OBJECT_METHODS;
pub use object::method_names::is_ruby_method;
pub use value::Array;
pub use value::Callable;
pub use value::Enumerator;
pub use value::EnumeratorItems;
pub use value::Exception;
pub use value::Failure;
pub use value::HashObject;
pub use value::Instance;
pub use value::IpValue;
pub use value::Key;
pub use value::Map;
pub use value::MatchValue;
pub use value::Range;
pub use value::Real;
pub use value::RegexpValue;
pub use value::Rv;
pub use value::Set;
pub use value::Shared;
pub use value::Str;
pub use value::TimeValue;
pub use value::object;
pub use value::string_object::StringObject;

use object::frame::FrameParts;
use object::frame::MethodContext;

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
pub type Blk<'b> = Option<&'b Rc<Callable>>;

/// The state that programs share, such as all those of a compile.
#[derive(Clone, Default)]
pub struct State {
    /// The tags of the running blocks of `catch`.
    caught_tags: Vec<Rv>,
    /// The Ruby objects of arrays and hashes of the host: all programs share one object for each. Templates change a hash of
    /// the manifest to pass values to the templates they include.
    shared_collections: bridge::shared_collections::SharedCollections,
    /// Properties of individual objects.
    flags: object::object_flags::ObjectFlags,
    /// Global variables; objects with the methods and constants of the program that set them.
    global_variables: FxHashMap<Name, (Rv, Option<Rc<object::definitions::Tables>>)>,
    /// Methods of [`Setup::shared_class`].
    shared_methods: catwalk_base::names::NameMap<Rc<object::definitions::MethodEntry>>,
    /// Files written by Ruby code.
    written_files: library::written_files::WrittenFiles,
    /// Environment variables set by Ruby code; `None` for removed ones.
    env: BTreeMap<Arc<str>, Option<Arc<str>>>,
    /// The definitions of programs that loaded other files: all later programs have their constants.
    pub libraries: Vec<Rc<object::definitions::Tables>>,
    generators: core::random::Generators,
    /// Objects passed to the host.
    objects: bridge::object_store::Objects,
    /// The highest object number so far: objects that functions pass to each other have unique numbers.
    last_id: u64,
}

impl State {
    /// Whether a block of `catch` with this tag is running.
    #[must_use]
    pub fn catches(&self, tag: &str) -> bool {
        self.caught_tags.iter().any(|caught| core::compare::equal(caught, &Rv::sym(tag)))
    }
}

/// A running Ruby program: its state, and the host that it runs in.
///
/// The fields of [`ProgramState`] are read and written as if they were fields of this type (it derefs to them).
pub struct Interp<'e> {
    /// The host.
    pub host: &'e mut dyn Host,
    /// The state of the program.
    pub state: &'e mut ProgramState,
}

/// The state of a running Ruby program, without the host.
///
/// It is a single value, so that a block can take over the whole program while a function of the host runs.
pub struct ProgramState {
    /// The position of the call that started the program.
    pub span: Span,
    /// The path of its source in messages.
    pub file: Rc<str>,
    /// The line being evaluated.
    pub line: u32,
    setup: Setup,
    shared: Rc<RefCell<State>>,
    steps: u64,
    /// Calls and iterations until the next check of the limits.
    calls_until_check: u32,
    depth: u32,
    /// The output of the template so far.
    pub out: String,
    /// The definitions of the program.
    pub tables: Rc<object::definitions::Tables>,
    /// Global variables that Ruby sets (`$?`, `$!`, `$LOAD_PATH`), and instance variables of objects without their own.
    pub globals: FxHashMap<Name, Rv>,
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
    pub loaded_files: Vec<std::path::PathBuf>,
    /// Whether a loaded file is running.
    is_loading: bool,
    /// Whether symbols remain symbols when they are converted for the host, as for YAML.
    keeps_symbols: bool,
    /// Whether conversions for the host record the identity of arrays and hashes.
    records_identity: bool,
    /// The number of the last object.
    pub next_id: u64,
    /// The addresses of definitions of other programs, received with their objects.
    adopted_programs: Vec<usize>,
    /// Collections of the host that were changed.
    changed_collections: Vec<Rv>,
}

impl ProgramState {
    /// The initial state of a program; `shared` is common to all programs of a compile.
    #[must_use]
    pub fn new(setup: Setup, shared: Rc<RefCell<State>>, span: Span, file: Rc<str>) -> Self {
        ProgramState {
            span,
            file,
            setup,
            shared,
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
            keeps_symbols: false,
            records_identity: false,
            next_id: 1,
            adopted_programs: Vec::new(),
            changed_collections: Vec::new(),
        }
    }
}

impl Deref for Interp<'_> {
    type Target = ProgramState;

    #[inline]
    fn deref(&self) -> &ProgramState {
        self.state
    }
}

impl DerefMut for Interp<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut ProgramState {
        self.state
    }
}

impl<'e> Interp<'e> {
    /// Starts or continues a program.
    pub fn new(host: &'e mut dyn Host, state: &'e mut ProgramState) -> Interp<'e> {
        Interp { host, state }
    }

    /// The state that Ruby code shares during a compile. It is borrowed from this program, so no other program can run
    /// meanwhile.
    pub fn state(&mut self) -> RefMut<'_, State> {
        self.state.shared.borrow_mut()
    }

    /// Borrows the state of [`Interp::state`] for reading.
    fn state_ref(&self) -> Ref<'_, State> {
        self.state.shared.borrow()
    }

    /// Adds the definitions of another program.
    pub fn adopt_tables(&mut self, tables: &object::definitions::Tables) {
        let own_class = self.setup.own_class;
        self.tables_mut().adopt(tables, own_class);
    }

    /// Continues numbering objects after those of the compile's earlier programs.
    pub fn continue_ids(&mut self) {
        let last = self.state_ref().last_id;
        self.next_id = self.next_id.max(last);
    }

    /// Stores the last object number for later programs.
    pub fn store_last_id(&mut self) {
        let next = self.next_id;
        let mut state = self.state();
        state.last_id = state.last_id.max(next);
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A frame for a whole program.
    pub fn top_frame(&mut self, this: Rv) -> Rc<Frame> {
        self.class_frame(this, None)
    }

    /// A frame for the body of a class.
    pub fn frame_in(&mut self, this: Rv, class: &str) -> Rc<Frame> {
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
