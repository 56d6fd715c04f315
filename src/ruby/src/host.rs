//! The interface to the program that embeds the interpreter.
//!
//! In: what Ruby code asks for and the language does not have: files, processes and the clock, methods of the host's own
//! classes, variables of its scope. Out: values of Ruby, or what was thrown. Each method gets the state of the running program
//! ([`ProgramState`]), so that the host can run Ruby code itself: [`Interp::new`] continues the program.

use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::Blk;
use crate::ProgramState;
use crate::Raise;
use crate::library::prelude::Library;
use crate::object::definitions::Tables;
use crate::object::frame::Frame;
use crate::value::Exception;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::parser::ParseError;
use catwalk_value::Value;
use catwalk_value::data::yaml_cache::YamlCache;
use catwalk_world::World;

/// The syntax tree of a file.
pub type ParsedFile = Arc<Result<Node, ParseError>>;

/// The differences between versions of Ruby and its libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Whether it has PSON.
    pub has_pson: bool,
    /// Whether `inspect` of hashes has the form of Ruby 3.4, `{"a" => 1, b: 2}` in place of `{"a"=>1, :b=>2}`.
    pub has_spaced_hashes: bool,
}

/// What a host determines for each program.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The version of Ruby.
    pub dialect: Dialect,
    /// The class whose methods all programs share, such as that of templates. Methods that a program adds to it last as long as
    /// [`crate::State`].
    pub shared_class: Option<Name>,
    /// The class whose methods no other program receives with the objects of a program.
    pub own_class: Option<Name>,
    /// Whether a name without receiver and arguments may be a variable of the host ([`Host::bare_name`]). Each call without a
    /// receiver checks it.
    pub may_be_variable: fn(&str) -> bool,
    /// Whether a path is a class or module of the host.
    pub is_class: fn(&str) -> bool,
    /// The superclass of a class of exceptions of the host.
    pub superclass: fn(&str) -> Option<&'static str>,
    /// Whether a path, at which there is no class, is one of the host that it does not support.
    pub is_unsupported_class: fn(&str) -> bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            dialect: Dialect::default(),
            shared_class: None,
            own_class: None,
            may_be_variable: |_| false,
            is_class: |_| false,
            superclass: |_| None,
            is_unsupported_class: |_| false,
        }
    }
}

/// The program that embeds the interpreter. All methods but one have a default: a host without
/// classes of its own.
#[allow(unused_variables, reason = "the defaults use no argument")]
pub trait Host {
    /// Files, processes, environment, clock.
    fn world(&self) -> &dyn World;

    /// A cache of documents that were read as YAML.
    fn yaml(&self) -> Option<&YamlCache> {
        None
    }

    /// The syntax tree of a file, if the host has a cache of these; `None`: the file is read from [`Host::world`].
    ///
    /// # Errors
    /// The file cannot be read.
    fn parse_file(&mut self, program: &mut ProgramState, path: &Path) -> Raise<Option<ParsedFile>> {
        Ok(None)
    }

    /// The paths at which a file of a library may be, in order; `relative` begins with `lib/`.
    fn library_paths(&self, relative: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether the host itself has what a file defines that `require` does not find; `file` has no extension.
    fn has_library(&self, file: &str) -> bool {
        false
    }

    /// The file, without extension, that defines a constant of the host which no code has required.
    fn file_of_constant(&self, path: &str) -> Option<String> {
        None
    }

    /// The library that defines a constant of the host.
    fn library_of_constant(&self, path: &str) -> Option<&'static Library> {
        None
    }

    /// The value of a constant of the host that is not a class.
    fn constant(&self, path: &str) -> Option<Rv> {
        None
    }

    /// The class or module in the messages of constants that are unknown in a class of the host.
    fn displayed_class(&self, class: &str) -> Option<&'static str> {
        None
    }

    /// Calls a method of a class of the host that comes before the methods that all classes have.
    ///
    /// # Errors
    /// What the method throws.
    fn call_definition(
        &mut self,
        program: &mut ProgramState,
        class: Name,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a method of a class or module of the host; `None` if it has none of this name.
    ///
    /// # Errors
    /// What the method throws.
    fn call_class(
        &mut self,
        program: &mut ProgramState,
        class: Name,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a method of an object of a class of the host; `None` if it has none of this name.
    ///
    /// # Errors
    /// What the method throws.
    fn call_object(
        &mut self,
        program: &mut ProgramState,
        object: &Rc<Instance>,
        name: &str,
        args: &[Rv],
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Sets the message and variables of a new exception of a class of the host, whose message is the first argument so far.
    ///
    /// # Errors
    /// What `initialize` throws.
    fn initialize_exception(
        &mut self,
        program: &mut ProgramState,
        exception: &Rc<Exception>,
        args: &[Rv],
    ) -> Raise<()> {
        Ok(())
    }

    /// Calls a method of an exception of a class of the host; `None` if it has none of this name.
    ///
    /// # Errors
    /// What the method throws.
    fn call_exception(
        &mut self,
        program: &mut ProgramState,
        exception: &Rc<Exception>,
        name: &str,
        args: &[Rv],
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a method that comes before those of all objects, such as one of `self` in a template.
    ///
    /// # Errors
    /// What the method throws.
    fn call_self(
        &mut self,
        program: &mut ProgramState,
        this: &Rv,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Whether [`Host::call_self`] has a method of this name in templates.
    fn has_self_method(&self, name: &str) -> bool {
        false
    }

    /// Calls a method of [`Rv::Scope`].
    ///
    /// # Errors
    /// What the method throws.
    fn call_scope(&mut self, program: &mut ProgramState, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a method of a value that has no equivalent in Ruby ([`Rv::Puppet`]).
    ///
    /// # Errors
    /// What the method throws.
    fn call_value(
        &mut self,
        program: &mut ProgramState,
        value: &Rc<Value>,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a function of the host.
    ///
    /// # Errors
    /// What the function throws.
    fn call_function(
        &mut self,
        program: &mut ProgramState,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// Calls a block of the host by its number.
    ///
    /// # Errors
    /// What the block throws.
    fn call_block(&mut self, program: &mut ProgramState, number: usize, args: &[Rv]) -> Raise<Rv> {
        Ok(Rv::Nil)
    }

    /// The number of parameters of a block of the host; negative if it accepts more arguments.
    fn block_arity(&self, number: usize) -> i64 {
        -1
    }

    /// Whether a call of this function of a module has no effect now, so that its argument need not be evaluated.
    fn ignores(&self, module: Name, name: &str) -> bool {
        false
    }

    /// Whether a value or class of the host responds to a method.
    fn responds_to(&mut self, program: &mut ProgramState, value: &Rv, name: &str) -> bool {
        false
    }

    /// Whether a class of the host is complete, so that a method that it does not have is a mistake of the program.
    fn is_known_missing(&self, class: &str, name: &str) -> bool {
        false
    }

    /// Whether [`Rv::Scope`] has no method of this name.
    fn is_missing_in_scope(&self, name: &str) -> bool {
        false
    }

    /// [`Rv::Scope`] in messages.
    fn scope_label(&self) -> String {
        "#<Scope>".to_owned()
    }

    /// The class of the methods that a program defines on [`Rv::Scope`] itself, whichever scope is current.
    fn scope_class(&self) -> Name {
        Name::new("#<Class:Scope>")
    }

    /// The singleton class of the current [`Rv::Scope`].
    fn scope_singleton(&self) -> Name {
        Name::new("#<Class:#<Scope>>")
    }

    /// An instance variable of [`Rv::Scope`].
    fn scope_variable(&mut self, program: &mut ProgramState, name: Name) -> Option<Rv> {
        None
    }

    /// A variable of the host that a name without receiver and arguments denotes ([`Setup::may_be_variable`]).
    ///
    /// # Errors
    /// What reading it throws.
    fn bare_name(&mut self, program: &mut ProgramState, name: &str, frame: &Frame) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// An instance variable that an object of this class does not have itself.
    ///
    /// # Errors
    /// What reading it throws.
    fn instance_variable(&mut self, program: &mut ProgramState, class: Name, name: Name) -> Raise<Option<Rv>> {
        Ok(None)
    }

    /// The names of further instance variables of the objects of a class, each with its `@`.
    fn instance_variables(&self, program: &ProgramState, class: Name) -> Vec<String> {
        Vec::new()
    }

    /// A value as a string, if the host prints it differently from [`catwalk_value::ruby`].
    ///
    /// # Errors
    /// What printing throws.
    fn value_to_s(&mut self, program: &mut ProgramState, value: &Value) -> Raise<Option<String>> {
        Ok(None)
    }

    /// A value as `inspect` shows it, if the host shows it differently from [`catwalk_value::ruby`].
    fn inspect_value(&self, value: &Value) -> Option<String> {
        None
    }

    /// A value as the message of `NoMethodError` names it, if the host names it differently from [`catwalk_value::ruby`].
    fn display_value(&self, value: &Value) -> Option<String> {
        None
    }

    /// The class of a value, if it differs from that of [`catwalk_value::ruby`].
    fn value_class(&self, value: &Value) -> Option<&'static str> {
        None
    }

    /// A method was added to a class.
    fn method_added(&mut self, tables: &mut Tables, class: Name, name: Name) {}

    /// An object was stored, whose number is in a value.
    fn object_stored(&mut self) {}

    /// Ruby code changed collections that variables of the host contain: `new_value` returns the new value for an old one.
    /// `references` is the number of references to old values.
    fn replace_values<'v>(&mut self, new_value: &dyn Fn(&Value) -> Option<&'v Value>, references: usize) {}
}
