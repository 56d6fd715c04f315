//! Objects of the program that have built-in methods: those of a superclass of Ruby's own (`class Range < IPAddr`), of
//! `Enumerable` and of `Comparable`.
//!
//! In: a call for which the program has no method. Out: the result of Ruby's class for the value inside the object.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Callable;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;

/// A method of `Enumerable`, `Comparable`, or of the value inside an object.
pub(crate) fn call(
    rt: &mut Interp<'_>,
    this: &Rv,
    object: &Rc<Instance>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let native = object.native.borrow().clone();
    if let Some(native) = native {
        if crate::object::method_names::OBJECT_METHODS.contains(&name) {
            return Ok(None);
        }
        let args: Vec<Rv> = args.iter().map(Rv::inner_value).collect();
        let Some(result) = rt.try_native(&native, name, &args, block)? else { return Ok(None) };
        // A method that returns its receiver returns the object; a copy is an object of its class.
        if crate::core::object::is_identical(&native, &result) && is_shared(&result) && !name.starts_with("to_") {
            return Ok(Some(this.clone()));
        }
        if matches!(name, "dup" | "clone") || (name == "merge" && matches!(native, Rv::Hash(_))) {
            let copy = rt.copy_object(this, name, &args);
            if let Rv::Object(copy) = &copy {
                *copy.native.borrow_mut() = Some(result);
            }
            return Ok(Some(copy));
        }
        return Ok(Some(result));
    }
    if rt.tables.includes(object.class, "Comparable") {
        if let Some(method) = rt.builtin_method(&crate::core::comparable::CLASS, Name::new(name)) {
            return rt.call_builtin(method, this, args, block).map(Some);
        }
        if let ("==", [other]) = (name, args) {
            return equals_by_order(rt, this, other).map(Some);
        }
    }
    if let Some(method) = rt.builtin_method(&crate::core::enumerable::MODULE, Name::new(name))
        && rt.is_enumerable(this, object.class)
        && rt.has_method(this, catwalk_base::name!("each"))
    {
        return rt.call_builtin(method, this, args, block).map(Some);
    }
    Ok(None)
}

/// Whether a value is an object with an identity, which variables may share.
fn is_shared(value: &Rv) -> bool {
    matches!(value, Rv::Str(_) | Rv::Bytes(_) | Rv::Array(_) | Rv::Hash(_) | Rv::Set(_))
}

/// Methods of Ruby's own values for which an object of a subclass is replaced by the value inside it; others keep the object.
pub(crate) fn takes_inner_value(receiver: &Rv, name: &str) -> bool {
    match receiver {
        Rv::Hash(_) => {
            matches!(name, "merge" | "merge!" | "update" | "replace" | "==" | "eql?" | ">=" | "<=" | ">" | "<")
        }
        Rv::Array(_) => matches!(
            name,
            "+" | "-"
                | "&"
                | "|"
                | "concat"
                | "zip"
                | "product"
                | "=="
                | "<=>"
                | "replace"
                | "union"
                | "difference"
                | "join"
        ),
        Rv::Str(_) => !matches!(name, "equal?" | "instance_of?" | "is_a?" | "kind_of?"),
        Rv::Set(_) => matches!(name, "|" | "&" | "-" | "+" | "merge" | "union" | "=="),
        _ => false,
    }
}

/// `==` of `Comparable`
fn equals_by_order(rt: &mut Interp<'_>, this: &Rv, other: &Rv) -> Raise<Rv> {
    if crate::core::object::is_identical(this, other) {
        return Ok(Rv::True);
    }
    let order = rt.call_method(this, "<=>", std::slice::from_ref(other), None)?;
    Ok(Rv::bool(matches!(order, Rv::Int(0))))
}

impl Interp<'_> {
    /// Whether an object includes `Enumerable`, or was extended by it.
    fn is_enumerable(&self, this: &Rv, class: Name) -> bool {
        self.tables.includes(class, "Enumerable")
            || self.singleton_class(this).is_some_and(|singleton| self.tables.includes(singleton, "Enumerable"))
    }

    /// The items that the method `each` of an object passes to its block.
    pub(crate) fn collect_each(&mut self, this: &Rv) -> Raise<Vec<Rv>> {
        let collected = Rc::new(std::cell::RefCell::new(Vec::new()));
        let block_items = collected.clone();
        let block = Rc::new(Callable::Native(Box::new(move |rt: &mut Interp<'_>, args: &[Rv]| {
            let item = if let [item] = args { item.clone() } else { Rv::array(args.to_vec()) };
            block_items.borrow_mut().push(item);
            let size = block_items.borrow().len();
            rt.check_growth(size * 16, 16)?;
            Ok(Rv::Nil)
        })));
        self.call_method(this, "each", &[], Some(&block))?;
        let items = collected.borrow().clone();
        Ok(items)
    }

    /// Sets the value inside an object of a class that inherits from one of Ruby's own.
    pub(crate) fn set_inner_value(
        &mut self,
        object: &Rc<Instance>,
        base: Name,
        args: &[Rv],
        block: Blk<'_>,
    ) -> Raise<()> {
        let has_no_inner_value = matches!(base.as_str(), "Object" | "BasicObject" | "Struct");
        if has_no_inner_value || self.tables.constants.contains_key(&base) {
            return Ok(());
        }
        let value = match base.as_str() {
            "Integer" | "Float" | "Numeric" => args.first().cloned(),
            _ => crate::machine::construct::construct_builtin(self, base, "new", args, block)?,
        };
        *object.native.borrow_mut() = value;
        Ok(())
    }
}
