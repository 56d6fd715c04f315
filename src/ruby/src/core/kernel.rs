//! `Kernel`: functions that are called without a receiver, such as `raise`, `format`, `lambda`, `loop`, `require`.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use std::rc::Rc;
use std::sync::Arc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::core::random;
use crate::object::Function;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::RubyObject;
use catwalk_value::Value;

/// A function that is not supported.
macro_rules! unsupported {
    ($name:literal) => {
        Function::at_least($name, 0, |rt, _, _, _| rt.unsupported(concat!("method ", $name)))
    };
    ($name:literal, $count:literal) => {
        Function::new($name, $count, |rt, _, _, _| rt.unsupported(concat!("method ", $name)))
    };
}

/// The functions of `Kernel`.
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("Array", 1, |rt, args, _, _| rt.kernel_array(argument(args))),
    Function::between("Float", 1, 2, |rt, args, _, _| rt.kernel_float_or_nil(args)),
    Function::new("Hash", 1, |rt, args, _, _| rt.kernel_hash(argument(args))),
    Function::between("Integer", 1, 3, |rt, args, _, _| rt.kernel_integer_or_nil(args)),
    Function::new("Pathname", 1, |rt, args, _, _| rt.kernel_object("Pathname", "new", args)),
    Function::between("Rational", 1, 3, |rt, args, _, _| rt.kernel_object("Rational", "convert", args)),
    Function::new("String", 1, |rt, args, _, _| rt.kernel_string(argument(args))),
    Function::new("URI", 1, |rt, args, _, _| rt.kernel_uri(argument(args))),
    // Messages are never translated.
    Function::at_least("_", 1, |_, args, _, _| Ok(argument(args).clone())),
    Function::new("__dir__", 0, |rt, _, _, _| Ok(directory_of_file(rt))),
    Function::new("__method__", 0, |rt, _, _, f| Ok(name_of_method(rt, f))),
    Function::new("`", 1, backticks),
    unsupported!("abort"),
    unsupported!("at_exit", 0),
    Function::new("binding", 0, |_, _, _, f| Ok(f.this.clone())),
    Function::new("block_given?", 0, |_, _, _, f| Ok(Rv::bool(f.block().is_some()))),
    unsupported!("caller"),
    Function::at_least("catch", 0, |rt, args, block, _| rt.kernel_catch(argument(args), block)),
    Function::at_least("eval", 1, evaluate),
    unsupported!("exec"),
    unsupported!("exit"),
    Function::at_least("fail", 0, |rt, args, _, _| rt.kernel_raise(args)),
    unsupported!("fork", 0),
    Function::at_least("format", 0, |rt, args, _, _| rt.sprintf(args).map(Rv::str)),
    Function::at_least("gem", 1, |rt, args, _, _| require(rt, "gem", args)),
    unsupported!("gets"),
    Function::new("lambda", 0, make_proc),
    Function::at_least("load", 1, |rt, args, _, _| require(rt, "load", args)),
    unsupported!("local_variables", 0),
    Function::new("loop", 0, |rt, _, block, _| rt.kernel_loop(block)),
    Function::at_least("n_", 1, plural),
    unsupported!("open"),
    Function::at_least("p", 0, |_, args, _, _| Ok(printed(args))),
    Function::at_least("pp", 0, |_, args, _, _| Ok(printed(args))),
    // The compiler's output on the console is not part of the result.
    Function::at_least("print", 0, |_, _, _, _| Ok(Rv::Nil)),
    Function::new("proc", 0, make_proc),
    Function::at_least("puts", 0, |_, _, _, _| Ok(Rv::Nil)),
    Function::at_least("raise", 0, |rt, args, _, _| rt.kernel_raise(args)),
    Function::between("rand", 0, 1, |rt, args, _, _| random::rand(rt, argument(args))),
    Function::new("require", 1, |rt, args, _, _| require(rt, "require", args)),
    Function::new("require_relative", 1, |rt, args, _, _| require(rt, "require_relative", args)),
    unsupported!("select"),
    unsupported!("sleep"),
    unsupported!("spawn"),
    Function::at_least("sprintf", 0, |rt, args, _, _| rt.sprintf(args).map(Rv::str)),
    Function::between("srand", 0, 1, |rt, args, _, _| random::set_seed(rt, argument(args))),
    Function::at_least("system", 0, |rt, args, _, _| rt.system(args)),
    unsupported!("test"),
    Function::between("throw", 1, 2, throw),
    unsupported!("trap"),
    Function::at_least("warn", 0, |_, _, _, _| Ok(Rv::Nil)),
];

/// Whether `Kernel` has a function of this name.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.name == name)
}

fn argument(args: &[Rv]) -> &Rv {
    args.first().unwrap_or(&Rv::Nil)
}

/// `n_(one, several, count)`: the message for a number.
fn plural(_: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, _: &Rc<Frame>) -> Raise<Rv> {
    let at = usize::from(!matches!(args.get(2), Some(Rv::Int(1))));
    Ok(args.get(at).cloned().unwrap_or(Rv::Nil))
}

fn directory_of_file(rt: &Interp<'_>) -> Rv {
    Rv::str(rt.file.rsplit_once('/').map_or(".", |(dir, _)| dir))
}

/// The name of the current method. The body of a template runs in a method of Puppet.
fn name_of_method(rt: &Interp<'_>, f: &Rc<Frame>) -> Rv {
    match (f.method_name(), &f.this) {
        (Some(name), _) => Rv::sym(name.as_str()),
        (None, Rv::Object(object)) if Some(object.class) == rt.setup.shared_class => Rv::sym("result"),
        _ => Rv::Nil,
    }
}

fn backticks(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, _: &Rc<Frame>) -> Raise<Rv> {
    let line = rt.expect_str(argument(args))?;
    rt.backticks(&line)
}

/// `eval(source, binding, file)`
fn evaluate(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, f: &Rc<Frame>) -> Raise<Rv> {
    let source = rt.expect_str(argument(args))?;
    let file = args.get(2).and_then(Rv::string_or_symbol);
    rt.eval_string(&source, file, f)
}

fn require(rt: &mut Interp<'_>, method: &str, args: &[Rv]) -> Raise<Rv> {
    let library = argument(args).string_or_symbol().unwrap_or_default();
    rt.require(method, &library)
}

/// `lambda { … }`, `proc { … }`
fn make_proc(rt: &mut Interp<'_>, _: &[Rv], block: Blk<'_>, _: &Rc<Frame>) -> Raise<Rv> {
    match block {
        Some(block) => Ok(Rv::Proc(block.clone())),
        None => rt.raise("ArgumentError", "tried to create Proc object without a block"),
    }
}

/// The value that `p` returns.
fn printed(args: &[Rv]) -> Rv {
    match args {
        [] => Rv::Nil,
        [value] => value.clone(),
        values => Rv::array(values.to_vec()),
    }
}

fn throw(rt: &mut Interp<'_>, args: &[Rv], _: Blk<'_>, _: &Rc<Frame>) -> Raise<Rv> {
    let value = args.get(1).cloned().unwrap_or(Rv::Nil);
    Err(rt.throw(Flow::Throw(argument(args).clone(), value)))
}

impl Interp<'_> {
    /// `raise Class, "text"`, `raise "text"`, `raise exception`.
    fn kernel_raise<T>(&mut self, args: &[Rv]) -> Raise<T> {
        match args {
            [] => match self.globals.get(&Name::new("!")).cloned() {
                Some(Rv::Exception(exception)) => Err(self.throw(Flow::Raise(exception))),
                _ => self.raise("RuntimeError", "unhandled exception"),
            },
            [Rv::Str(string), ..] => {
                let string = string.borrow().clone();
                self.raise("RuntimeError", string)
            }
            [Rv::Exception(exception), ..] => Err(self.throw(Flow::Raise(exception.clone()))),
            [Rv::Class(class), rest @ ..] => {
                if !self.inherits_from(*class, "Exception") {
                    return self.raise("TypeError", "exception class/object expected");
                }
                let message = rest.get(..rest.len().min(1)).unwrap_or_default();
                match self.call_method(&Rv::Class(*class), "new", message, None)? {
                    Rv::Exception(exception) => {
                        exception.raised_at(&self.file.clone(), self.line);
                        Err(self.throw(Flow::Raise(exception)))
                    }
                    _ => self.raise("TypeError", "exception object expected"),
                }
            }
            _ => self.raise("TypeError", "exception class/object expected"),
        }
    }

    fn kernel_loop(&mut self, block: Blk<'_>) -> Raise<Rv> {
        let Some(block) = block else {
            return Ok(crate::core::enumerator::enumerator(&Rv::Class(Name::new("Kernel")), "loop", &[]));
        };
        loop {
            let result = self.yield_values(block, &[]);
            match self.catch_result(result) {
                Ok(_) => {}
                Err(Flow::Raise(exception)) if exception.class.as_str() == "StopIteration" => {
                    return Ok(exception
                        .ivars
                        .borrow()
                        .get(&Name::new(crate::object::exception::RESULT))
                        .cloned()
                        .unwrap_or(Rv::Nil));
                }
                Err(flow) => return Err(self.throw(flow)),
            }
        }
    }

    fn kernel_catch(&mut self, tag: &Rv, block: Blk<'_>) -> Raise<Rv> {
        let Some(block) = block else { return Ok(Rv::Nil) };
        self.state().caught_tags.push(tag.clone());
        let result = self.yield_value(block, tag.clone());
        self.state().caught_tags.pop();
        match self.catch_result(result) {
            Err(Flow::Throw(thrown, value)) if crate::core::compare::equal(&thrown, tag) => Ok(value),
            Err(flow) => Err(self.throw(flow)),
            Ok(value) => Ok(value),
        }
    }

    /// `format(text, …)`
    pub fn sprintf(&mut self, args: &[Rv]) -> Raise<String> {
        let Some((format, values)) = args.split_first() else {
            return self.raise("ArgumentError", "too few arguments");
        };
        let format = self.expect_str(format)?;
        if let Some(string) = crate::core::string::format::simple(&format, values) {
            return Ok(string);
        }
        let mut converted = Vec::with_capacity(values.len());
        for value in values {
            converted.push(match value {
                Rv::Nil
                | Rv::True
                | Rv::False
                | Rv::Array(_)
                | Rv::Int(_)
                | Rv::Big(_)
                | Rv::Float(_)
                | Rv::Hash(_)
                | Rv::Str(_) => self.to_puppet(value)?,
                Rv::Object(object) if object.class.as_str() == "Rational" => {
                    let float = self.call_method(value, "to_f", &[], None)?;
                    self.to_puppet(&float)?
                }
                other => self.format_argument(other, &format)?,
            });
        }
        match catwalk_value::sprintf::sprintf(&format, &converted) {
            Ok(string) => Ok(string),
            Err(message) => {
                let class = match message.as_str() {
                    string if string.starts_with("can't convert") => "TypeError",
                    string if string.starts_with("key") => "KeyError",
                    _ => "ArgumentError",
                };
                self.raise(class, message)
            }
        }
    }

    /// An argument of `format` that is not data: values of Puppet unchanged, objects as strings.
    fn format_argument(&mut self, value: &Rv, format: &str) -> Raise<Value> {
        match value {
            Rv::Sym(name) => return Ok(Value::Symbol(Arc::from(&**name))),
            Rv::Puppet(value) if !matches!(**value, Value::Type(_)) => return Ok(Value::clone(value)),
            _ => {}
        }
        let text = Arc::from(self.to_s(value)?);
        let inspected = if format.contains('p') { Arc::from(self.inspect(value)?) } else { Arc::clone(&text) };
        let class = Name::new(&self.class_name(value));
        Ok(Value::Ruby(Arc::new(RubyObject { number: 0, class, text, inspected, by_value: true })))
    }

    /// The string of a string argument.
    pub fn expect_str(&mut self, value: &Rv) -> Raise<String> {
        match value {
            Rv::Str(string) => Ok(string.borrow().clone()),
            other => self.type_error(other, "String"),
        }
    }

    /// The number of an integer argument.
    pub(crate) fn expect_int(&mut self, value: &Rv) -> Raise<i64> {
        match value {
            Rv::Int(n) => Ok(*n),
            Rv::Big(_) => self.raise("RangeError", "bignum too big to convert into `long'"),
            Rv::Float(f) if f.get().abs() < 9_223_372_036_854_775_808.0 => Ok(f.get().trunc() as i64),
            Rv::Float(f) => {
                let f = f.get();
                let formatted = catwalk_value::sprintf::sprintf("%-.10g", &[catwalk_value::Value::Float(f)]);
                self.raise("RangeError", format!("float {} out of range of integer", formatted.unwrap_or_default()))
            }
            Rv::Nil => self.raise("TypeError", "no implicit conversion from nil to integer"),
            other => self.type_error(other, "Integer"),
        }
    }
}
