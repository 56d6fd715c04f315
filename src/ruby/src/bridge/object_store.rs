//! Ruby objects that pass through the Puppet language. Each has a number, by which Ruby code gets the object back.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::object::definitions::Tables;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::RubyObject;
use catwalk_value::Value;

/// The objects of a compile.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    /// Each object with the methods and constants of the program that created it.
    objects: Vec<(Rv, Rc<Tables>)>,
    /// Numbers by the addresses of objects.
    numbers: FxHashMap<usize, u32>,
}

impl Objects {
    /// The number of an object, which is stored unless it has been before.
    fn number_of(&mut self, object: &Rv, tables: &Rc<Tables>) -> u32 {
        let address = object_address(object);
        if let Some(number) = address.and_then(|address| self.numbers.get(&address)) {
            return *number;
        }
        let number = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        self.objects.push((object.clone(), tables.clone()));
        if let Some(address) = address {
            self.numbers.insert(address, number);
        }
        number
    }
}

/// The address of an object with an identity.
fn object_address(object: &Rv) -> Option<usize> {
    match object {
        Rv::Object(object) => Some(Rc::as_ptr(object).addr()),
        Rv::Exception(exception) => Some(Rc::as_ptr(exception).addr()),
        Rv::Set(set) => Some(Rc::as_ptr(set).addr()),
        Rv::Proc(callable) => Some(Rc::as_ptr(callable).cast::<()>().addr()),
        Rv::Enumerator(enumerator) => Some(Rc::as_ptr(enumerator).addr()),
        _ => None,
    }
}

/// Whether objects of the kind are equal if their contents are.
fn is_by_value(object: &Rv) -> bool {
    match object {
        Rv::Set(_) | Rv::Range(_) | Rv::Time(_) | Rv::Ip(_) | Rv::Match(_) | Rv::Exception(_) => true,
        Rv::Object(object) => matches!(object.class.as_str(), "Date" | "DateTime" | "Pathname"),
        _ => false,
    }
}

impl Interp<'_> {
    /// The Puppet value of an object that has no other Puppet representation.
    pub(crate) fn object_value(&mut self, object: &Rv) -> Value {
        let class = self.class_name(object);
        // The string may be used much later or never, so a failure of `to_s` is not reported.
        let string = self.to_s(object).unwrap_or_else(|_| format!("#<{class}>"));
        let inspected = self.inspect(object).unwrap_or_else(|_| string.clone());
        let tables = self.tables.clone();
        self.host.object_stored();
        Value::Ruby(Arc::new(RubyObject {
            number: self.state().objects.number_of(object, &tables),
            class: Name::new(&class),
            text: Arc::from(string),
            inspected: Arc::from(inspected),
            by_value: is_by_value(object),
        }))
    }

    /// The object itself, with the parts of its program that it needs.
    pub(crate) fn stored_object(&mut self, value: &RubyObject) -> Rv {
        let number = usize::try_from(value.number).unwrap_or(usize::MAX);
        let stored = self.state_ref().objects.objects.get(number).cloned();
        let Some((object, tables)) = stored else {
            return Rv::Puppet(Rc::new(Value::from(value.text.clone())));
        };
        self.adopt_program(&tables);
        object
    }

    /// Adds the methods and constants of a program whose objects this program received.
    pub(crate) fn adopt_program(&mut self, tables: &Rc<Tables>) {
        let address = Rc::as_ptr(tables).addr();
        if !Rc::ptr_eq(tables, &self.tables) && !self.adopted_programs.contains(&address) {
            self.adopted_programs.push(address);
            self.adopt_tables(tables);
        }
        self.continue_ids();
    }
}
