//! The visibility of methods and constants of the program: `private`, `protected`, `private_class_method`, `private_constant`.
//!
//! In: these calls, and calls with a receiver. Out: the call, or Ruby's `NoMethodError`. Must not: handle built-in methods.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::definitions::Tables;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Where a method may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// From everywhere.
    #[default]
    Public,
    /// If `self` is an instance of its class.
    Protected,
    /// Without a receiver, or with `self`.
    Private,
}

impl Visibility {
    fn word(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Protected => "protected",
            Visibility::Private => "private",
        }
    }
}

impl Tables {
    /// The visibility of a method of an object, and the class that sets it.
    pub(crate) fn visibility(&self, this: &Rv, singleton: Option<Name>, name: Name) -> (Visibility, Option<Name>) {
        let mut found = (Visibility::Public, None);
        if self.visibilities.is_empty() {
            return found;
        }
        self.visit_ancestors(this, singleton, &mut |class| {
            if let Some(visibility) = self.visibilities.get(&(class, name)) {
                found = (*visibility, Some(class));
                return true;
            }
            self.methods.contains_key(&(class, name))
        });
        found
    }

    /// The visibility of a method that objects of a class have.
    pub(crate) fn visibility_in(&self, class: Name, name: Name) -> Visibility {
        let mut found = Visibility::Public;
        if self.visibilities.is_empty() {
            return found;
        }
        self.visit_superclasses(class, &mut |at| {
            if let Some(visibility) = self.visibilities.get(&(at, name)) {
                found = *visibility;
                return true;
            }
            self.methods.contains_key(&(at, name))
        });
        found
    }
}

impl Interp<'_> {
    /// `private :a, :b`, `private [:a]`; returns its argument.
    pub(crate) fn set_visibility(&mut self, class: Name, names: &[Rv], visibility: Visibility) -> Rv {
        for name in names {
            match name {
                Rv::Array(items) => {
                    let items = items.borrow().clone();
                    self.set_visibility(class, &items, visibility);
                }
                other => self.set_method_visibility(
                    class,
                    Name::new(&other.string_or_symbol().unwrap_or_default()),
                    visibility,
                ),
            }
        }
        match names {
            [] => Rv::Nil,
            [one] => one.clone(),
            several => Rv::array(several.to_vec()),
        }
    }

    /// Sets the visibility of a method when it is defined or changed.
    pub(crate) fn set_method_visibility(&mut self, class: Name, name: Name, visibility: Visibility) {
        if visibility != Visibility::Public || !self.tables.visibilities.is_empty() {
            self.tables_mut().visibilities.insert((class, name), visibility);
        }
    }

    /// `private_constant :A`
    pub(crate) fn hide_constants(&mut self, class: Name, names: &[Rv]) {
        for name in names.iter().filter_map(Rv::string_or_symbol) {
            self.tables_mut().private_constants.insert(Name::new(&format!("{class}::{name}")));
        }
    }

    /// Calls a method with a receiver that is not `self`; `caller` is the `self` of the caller.
    ///
    /// # Errors
    ///
    /// `NoMethodError` if the method is not visible.
    pub(crate) fn call_public(
        &mut self,
        receiver: &Rv,
        name: &str,
        args: &[Rv],
        block: Blk<'_>,
        caller: Option<&Rv>,
    ) -> Raise<Rv> {
        if self.tables.visibilities.is_empty() {
            return self.call_method(receiver, name, args, block);
        }
        let (visibility, owner) = self.tables.visibility(receiver, self.singleton_class(receiver), Name::new(name));
        let is_allowed = match visibility {
            Visibility::Public => true,
            Visibility::Protected => match (caller, owner) {
                (Some(caller), Some(owner)) => self.is_a(caller, owner),
                _ => false,
            },
            Visibility::Private => false,
        };
        if is_allowed {
            return self.call_method(receiver, name, args, block);
        }
        if let Some(entry) = self.find_method(receiver, catwalk_base::name!("method_missing")) {
            return self.call_missing(&entry, receiver, name, args, block);
        }
        let receiver_name = self.display_object(receiver);
        self.raise("NoMethodError", format!("{} method `{name}' called for {receiver_name}", visibility.word()))
    }
}
