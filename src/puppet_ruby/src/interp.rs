//! A running Ruby program together with the evaluator of the Puppet language.
//!
//! The language knows only a host ([`catwalk_ruby::Host`]). Puppet's API gets its evaluator back in each call of the host, as a
//! [`PuppetInterp`], and continues the program of the language by [`PuppetInterp::ruby`].

use std::cell::Ref;
use std::cell::RefCell;
use std::cell::RefMut;
use std::ops::Deref;
use std::ops::DerefMut;
use std::rc::Rc;
use std::sync::Arc;

use crate::State;
use crate::class_names;
use crate::function::Builder;
use crate::function::FUNCTION;
use crate::interpreter;
use crate::scope;
use crate::state::CatalogMethods;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Block;
use catwalk_eval::Evaluator;
use catwalk_ruby::Dialect;
use catwalk_ruby::Interp;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Setup;

/// The host of a program: the compile that it runs in, and what Puppet's API stores for the program.
pub(crate) struct Compile<'a, 'c> {
    /// The evaluator of the Puppet language.
    pub(crate) ev: &'a mut Evaluator<'c>,
    pub(crate) own: &'a mut PuppetState<'c>,
}

/// The state of a running program that the language does not know.
pub(crate) struct PuppetState<'c> {
    /// The source of a template that is not a file.
    pub(crate) source: Option<Arc<str>>,
    /// The module of a function of the current API, whose calls prefer functions of this module.
    pub(crate) module: Option<Name>,
    /// Blocks of the Puppet language passed to the program.
    pub(crate) blocks: Vec<Block<'c>>,
    /// The definitions of a function's file so far.
    pub(crate) builder: Builder,
    /// The running function.
    pub(crate) function: Option<Name>,
    /// Whether the program is a 3.x function, in which references are resources.
    pub(crate) is_legacy_function: bool,
    shared: Rc<RefCell<State>>,
}

impl PuppetState<'_> {
    /// The initial state of a program.
    pub(crate) fn new(shared: Rc<RefCell<State>>) -> Self {
        PuppetState {
            source: None,
            module: None,
            blocks: Vec::new(),
            builder: Builder::default(),
            function: None,
            is_legacy_function: false,
            shared,
        }
    }
}

/// A program with its state; [`PuppetProgram::interp`] runs it.
pub(crate) struct PuppetProgram<'e, 'c> {
    pub(crate) ev: &'e mut Evaluator<'c>,
    pub(crate) own: PuppetState<'c>,
    pub(crate) state: ProgramState,
}

impl<'e, 'c> PuppetProgram<'e, 'c> {
    /// A program that has not run yet.
    pub(crate) fn new(ev: &'e mut Evaluator<'c>, span: Span, file: &str) -> PuppetProgram<'e, 'c> {
        let shared = interpreter::state(ev);
        let state = new_state(ev, &shared, span, Rc::from(file));
        PuppetProgram { ev, own: PuppetState::new(shared), state }
    }

    pub(crate) fn interp(&mut self) -> PuppetInterp<'_, 'c> {
        PuppetInterp { host: Compile { ev: self.ev, own: &mut self.own }, program: &mut self.state }
    }
}

/// The initial state of a program of a compile.
pub(crate) fn new_state(ev: &Evaluator<'_>, shared: &RefCell<State>, span: Span, file: Rc<str>) -> ProgramState {
    let ruby = ev.settings.ruby;
    let setup = Setup {
        dialect: Dialect { has_pson: ruby.has_pson, has_spaced_hashes: ruby.has_spaced_hashes },
        shared_class: Some(scope::template_class()),
        own_class: Some(catwalk_base::name!("Puppet::Functions::Function")),
        may_be_variable: scope::is_wrapper_variable,
        is_class: class_names::is_class,
        superclass: class_names::superclass,
        is_unsupported_class: class_names::is_unsupported,
    };
    debug_assert_eq!(setup.own_class, Some(Name::new(FUNCTION)));
    ProgramState::new(setup, shared.borrow().language.0.clone(), span, file)
}

impl<'c> Compile<'_, 'c> {
    /// Continues a program in this compile.
    pub(crate) fn interp<'s>(&'s mut self, program: &'s mut ProgramState) -> PuppetInterp<'s, 'c> {
        PuppetInterp { host: Compile { ev: self.ev, own: self.own }, program }
    }
}

/// A running program, and the compile that it runs in.
///
/// The fields of [`ProgramState`] are read and written as if they were fields of this type (it derefs to them).
pub(crate) struct PuppetInterp<'a, 'c> {
    pub(crate) host: Compile<'a, 'c>,
    pub(crate) program: &'a mut ProgramState,
}

impl Deref for PuppetInterp<'_, '_> {
    type Target = ProgramState;

    fn deref(&self) -> &ProgramState {
        self.program
    }
}

impl DerefMut for PuppetInterp<'_, '_> {
    fn deref_mut(&mut self) -> &mut ProgramState {
        self.program
    }
}

impl<'c> PuppetInterp<'_, 'c> {
    /// Takes the program out of this interpreter, which has an unused one until the program is put back.
    pub(crate) fn suspend(&mut self) -> (ProgramState, PuppetState<'c>) {
        let shared = self.host.own.shared.clone();
        let unused = new_state(self.host.ev, &shared, self.span, self.file.clone());
        (std::mem::replace(self.program, unused), std::mem::replace(self.host.own, PuppetState::new(shared)))
    }

    /// The program of the language.
    pub(crate) fn ruby(&mut self) -> Interp<'_> {
        Interp::new(&mut self.host, self.program)
    }

    /// The state that Ruby code shares during a compile. It is borrowed from this program, so no other program can run
    /// meanwhile.
    pub(crate) fn state(&mut self) -> RefMut<'_, State> {
        self.host.own.shared.borrow_mut()
    }

    /// Borrows the state of [`PuppetInterp::state`] for reading.
    pub(crate) fn state_ref(&self) -> Ref<'_, State> {
        self.host.own.shared.borrow()
    }

    /// Adds the methods that earlier programs defined on the catalog.
    pub(crate) fn load_catalog_methods(&mut self) {
        let catalog = self.state_ref().catalog.clone();
        if let Some(catalog) = catalog {
            self.ruby().adopt_tables(&catalog.tables);
            self.globals.clone_from(&catalog.variables);
            self.next_id = catalog.next_id;
        }
    }

    /// Stores the catalog's methods for later programs.
    pub(crate) fn store_catalog_methods(&mut self) {
        self.ruby().store_last_id();
        if self.tables.scope_class.is_some() {
            let variables = self.globals.iter().filter(|(name, _)| name.as_str().starts_with('@'));
            let catalog = CatalogMethods {
                tables: self.tables.clone(),
                variables: variables.map(|(name, value)| (*name, value.clone())).collect(),
                next_id: self.next_id,
            };
            self.state().catalog = Some(Rc::new(catalog));
        }
    }

    /// Adds the methods that a called function defined on the catalog.
    pub(crate) fn reload_catalog_methods(&mut self) {
        let catalog = self.state_ref().catalog.clone();
        if let Some(catalog) = catalog {
            self.ruby().adopt_tables(&catalog.tables);
            self.globals.extend(catalog.variables.iter().map(|(name, value)| (*name, value.clone())));
            self.next_id = self.next_id.max(catalog.next_id);
        }
    }
}
