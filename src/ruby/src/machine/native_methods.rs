//! Objects of the program that have built-in methods: those of a superclass of Ruby's own (`class Range < IPAddr`), of
//! `Enumerable` and of `Comparable`; and classes created while the program runs.
//!
//! In: a call for which the program has no method. Out: the result of Ruby's class for the value inside the object.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::object::definitions::Method;
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
    if matches!(name, "<" | ">" | "<=" | ">=" | "==" | "between?" | "clamp")
        && rt.tables.includes(object.class, "Comparable")
    {
        return call_comparable(rt, this, name, args);
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

fn call_comparable(rt: &mut Interp<'_>, this: &Rv, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    if name == "==" {
        if let (Rv::Object(a), Rv::Object(b)) = (this, &arg)
            && Rc::ptr_eq(a, b)
        {
            return Ok(Some(Rv::True));
        }
        let order = rt.call_method(this, "<=>", &[arg], None)?;
        return Ok(Some(Rv::bool(matches!(order, Rv::Int(0)))));
    }
    let order = rt.compare(this, &arg)?;
    Ok(Some(match name {
        "<" => Rv::bool(order.is_lt()),
        ">" => Rv::bool(order.is_gt()),
        "<=" => Rv::bool(order.is_le()),
        ">=" => Rv::bool(order.is_ge()),
        "between?" => {
            let high = args.get(1).cloned().unwrap_or(Rv::Nil);
            Rv::bool(order.is_ge() && rt.compare(this, &high)?.is_le())
        }
        _ if order.is_lt() => arg,
        _ => match args.get(1) {
            Some(high) if rt.compare(this, high)?.is_gt() => high.clone(),
            _ => this.clone(),
        },
    }))
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
        let has_no_inner_value =
            matches!(base.as_str(), "Object" | "BasicObject" | "Struct") || base.as_str().starts_with("Puppet");
        if has_no_inner_value || self.tables.constants.contains_key(&base) {
            return Ok(());
        }
        let value = match base.as_str() {
            "Integer" | "Float" | "Numeric" => args.first().cloned(),
            _ => crate::machine::construct::construct(self, base, "new", args, block)?,
        };
        *object.native.borrow_mut() = value;
        Ok(())
    }

    /// Methods that define methods or run blocks with another `self`.
    pub(crate) fn reflect(&mut self, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
        let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol);
        Ok(Some(match (name, this) {
            ("instance_eval" | "instance_exec" | "class_eval" | "module_eval" | "class_exec" | "module_exec", _) => {
                let class = match this {
                    Rv::Class(class) if !name.starts_with("instance") => Some(*class),
                    _ => self.ensure_singleton_class(this),
                };
                match (block, string(0)) {
                    (Some(block), _) => {
                        let body = self.rebind(block, this.clone(), class, false, None);
                        let block_args = if name.ends_with("exec") { args.to_vec() } else { vec![this.clone()] };
                        self.yield_values(&body, &block_args)?
                    }
                    (None, Some(source)) => {
                        let outer = self.caller_frame.take();
                        let method = Some(crate::MethodContext::outside_method(self.fresh_id()));
                        let frame = Frame::new(crate::FrameParts { outer, this: this.clone(), method, tag: 0, class });
                        self.eval_string(&source, string(1), &frame)?
                    }
                    _ => return self.raise("ArgumentError", "wrong number of arguments (given 0, expected 1..3)"),
                }
            }
            ("define_singleton_method", _) => {
                let Some(class) = self.ensure_singleton_class(this) else {
                    return self.raise("TypeError", "can't define singleton");
                };
                self.define_from_block(class, args, block)?
            }
            ("define_method", Rv::Class(class)) => self.define_from_block(*class, args, block)?,
            ("singleton_methods", _) => {
                let singleton = match this {
                    Rv::Class(class) => Some(crate::object::definitions::singleton_name(*class)),
                    other => self.singleton_class(other),
                };
                let methods = self.tables.methods.keys().filter(|(owner, _)| Some(*owner) == singleton);
                let mut names: Vec<&str> = methods.map(|(_, name)| name.as_str()).collect();
                names.sort_unstable();
                Rv::array(names.into_iter().map(Rv::sym).collect())
            }
            ("singleton_class", _) => match self.ensure_singleton_class(this) {
                Some(class) => Rv::Class(class),
                None => return self.raise("TypeError", "can't define singleton"),
            },
            ("extend", _) if args.iter().all(|arg| matches!(arg, Rv::Class(_))) => {
                // Built-in values have no singleton methods here, but the module may redefine their methods.
                if let Some(class) = self.ensure_singleton_class(this) {
                    self.mix_in(class, "include", args);
                }
                for module in args {
                    if self.has_method(module, catwalk_base::name!("extended")) {
                        self.call_method(module, "extended", std::slice::from_ref(this), None)?;
                    }
                }
                this.clone()
            }
            _ => return Ok(None),
        }))
    }

    /// `define_method(name) { … }`
    pub(crate) fn define_from_block(&mut self, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
        let name = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
        let body = match (args.get(1), block) {
            (Some(Rv::Proc(body)), _) => body.clone(),
            (_, Some(body)) => body.clone(),
            _ => return self.raise("ArgumentError", "tried to create Proc object without a block"),
        };
        self.add_method(class, Name::new(&name), Method::Block(body));
        Ok(Rv::sym(&name))
    }

    /// `Class.new(Parent) { … }`, `Module.new { … }`
    pub(crate) fn new_class(&mut self, parent: Option<Name>, block: Blk<'_>) -> Raise<Rv> {
        let class = self.new_anonymous_class(parent.unwrap_or_else(|| Name::new("Object")));
        let this = Rv::Class(class);
        if let Some(parent) = parent {
            self.call_inherited(parent, class)?;
        }
        if let Some(block) = block {
            let body = self.rebind(block, this.clone(), Some(class), false, None);
            self.yield_values(&body, std::slice::from_ref(&this))?;
        }
        Ok(this)
    }

    /// Calls the hook `inherited` of a superclass.
    pub(crate) fn call_inherited(&mut self, parent: Name, class: Name) -> Raise<()> {
        let parent = Rv::Class(parent);
        if self.has_method(&parent, catwalk_base::name!("inherited")) {
            self.call_method(&parent, "inherited", &[Rv::Class(class)], None)?;
        }
        Ok(())
    }

    /// A frame for the body of a class, or for code about an object.
    pub(crate) fn class_frame(&mut self, this: Rv, class: Option<Name>) -> Rc<Frame> {
        let method = Some(crate::MethodContext::outside_method(self.fresh_id()));
        Frame::new(crate::FrameParts { outer: None, this, method, tag: 0, class })
    }

    /// Runs code in a string.
    pub(crate) fn eval_string(&mut self, source: &str, file: Option<String>, frame: &Rc<Frame>) -> Raise<Rv> {
        self.check_size(source.len())?;
        let node = match catwalk_ruby_syntax::parser::parse_inside(source, false, &frame.names()) {
            Ok(node) => node,
            Err(error) if error.is_unsupported => return self.unsupported(&error.message),
            Err(error) => return self.raise("SyntaxError", format!("(eval):{}: {}", error.line, error.message)),
        };
        let file: Rc<str> = Rc::from(file.unwrap_or_else(|| "(eval)".to_owned()));
        let outer = (std::mem::replace(&mut self.file, file), self.line);
        let result = self.eval_in(&node, frame);
        (self.file, self.line) = outer;
        result
    }
}
