//! Which methods of the program calls reached, by the places of the calls; which constants it named.
//!
//! In: the place of a call, its receiver, a name. Out: the method, looked for only where the receiver is of another class than
//! last time or something was defined since. Must not: run anything.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::machine::definitions::Found;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::inline_cache::MethodCache;

/// What is remembered at a place has this bit, beside the number here, where it is of a method of the program.
const OF_PROGRAM: u32 = 1 << 31;

/// So many places are remembered at once.
const MOST: usize = 1 << 12;

thread_local! {
    /// How often programs of this thread defined something.
    static DEFINED: Cell<u64> = const { Cell::new(0) };
}

/// Notes that something is being defined: calls may reach other methods from now on.
pub(crate) fn forget() {
    DEFINED.set(DEFINED.get() + 1);
}

/// Constants by the class in which code names them, and their name.
type Constants = FxHashMap<(Option<Name>, Name), Rv>;

/// The methods that calls of a program reached, and the constants that it named.
#[derive(Default)]
pub(crate) struct Sites {
    methods: Vec<Site>,
    constants: Constants,
    /// How often something had been defined.
    defined: u64,
    /// Where the tables of the program lay.
    tables: usize,
    /// Whether objects have methods of their own.
    any_own: bool,
}

/// A method that a call reached; nothing when the program has none.
struct Site {
    of_class: bool,
    class: Name,
    name: Name,
    found: Option<Rc<Found>>,
}

impl Interp<'_, '_> {
    /// The constants that are known since something was defined last.
    pub(crate) fn known_constants(&mut self) -> &mut Constants {
        self.renew_sites();
        &mut self.state.sites.constants
    }

    /// Forgets all when something was defined since.
    #[inline]
    fn renew_sites(&mut self) {
        let (defined, tables) = (DEFINED.get(), Rc::as_ptr(&self.tables).addr());
        if self.sites.defined != defined || self.sites.tables != tables {
            let any_own = self.shared().marks.any_own;
            self.sites = Sites { defined, tables, any_own, ..Sites::default() };
        }
    }

    /// As [`Interp::find_method`]; the place of the call remembers which method it reached.
    #[inline]
    pub(crate) fn method_at(&mut self, reached: &MethodCache, this: &Rv, name: Name) -> Option<Rc<Found>> {
        let (of_class, class) = match this {
            Rv::Object(object) => (false, object.class),
            Rv::Exception(exception) => (false, exception.class),
            Rv::Class(class) => (true, *class),
            _ => return self.find_method(this, name),
        };
        self.renew_sites();
        if self.state.sites.any_own {
            return self.find_method(this, name);
        }
        if let Some(last) = reached.get()
            && last & OF_PROGRAM != 0
            && let Some(site) = self.state.sites.methods.get((last & !OF_PROGRAM) as usize)
            && site.class == class
            && site.name == name
            && site.of_class == of_class
        {
            return site.found.clone();
        }
        let found = self.find_method(this, name);
        let methods = &mut self.state.sites.methods;
        if methods.len() >= MOST {
            methods.clear();
        }
        if let Ok(at) = u32::try_from(methods.len()) {
            reached.remember(OF_PROGRAM | at);
        }
        methods.push(Site { of_class, class, name, found: found.clone() });
        found
    }
}
