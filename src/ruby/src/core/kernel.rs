//! Methods without a receiver: `raise`, `format`, `lambda`, `loop`, `require`.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use std::rc::Rc;
use std::sync::Arc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::object::visibility::Visibility;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::RubyObject;
use catwalk_value::Value;

/// The methods of [`Interp::kernel`], for `defined?`.
pub(crate) const METHODS: &[&str] = &[
    "Array",
    "Integer",
    "Float",
    "String",
    "Hash",
    "raise",
    "fail",
    "format",
    "sprintf",
    "lambda",
    "proc",
    "loop",
    "require",
    "block_given?",
    "catch",
    "throw",
    "rand",
    "srand",
    "puts",
    "print",
    "p",
    "binding",
    "caller",
    "sleep",
    "exit",
    "warn",
];

impl Interp<'_> {
    /// A method of `Kernel`; `None` if it has none of this name.
    pub fn kernel(&mut self, name: &str, args: &[Rv], block: Blk<'_>, f: &Rc<Frame>) -> Raise<Option<Rv>> {
        let arg = args.first().cloned().unwrap_or(Rv::Nil);
        Ok(Some(match name {
            "Array" | "String" | "URI" | "Rational" | "Pathname" | "Integer" | "Float" | "Hash" => {
                self.kernel_conversion(name, arg, args)?
            }
            // Messages are never translated.
            "_" => arg,
            "n_" => {
                if matches!(args.get(2), Some(Rv::Int(1))) {
                    arg
                } else {
                    args.get(1).cloned().unwrap_or(Rv::Nil)
                }
            }
            "raise" | "fail" => return self.kernel_raise(args),
            "format" | "sprintf" => Rv::str(self.sprintf(args)?),
            "lambda" | "proc" => match block {
                Some(block) => Rv::Proc(block.clone()),
                None => return self.raise("ArgumentError", "tried to create Proc object without a block"),
            },
            "loop" => self.kernel_loop(block)?,
            "block_given?" => Rv::bool(f.block().is_some()),
            "binding" => f.this.clone(),
            "__dir__" => {
                let file = self.file.clone();
                Rv::str(file.rsplit_once('/').map_or(".", |(dir, _)| dir))
            }
            // The body of a template runs in a method of Puppet.
            "__method__"
                if f.method_name().is_none()
                    && matches!(&f.this, Rv::Object(object) if Some(object.class) == self.setup.shared_class) =>
            {
                Rv::sym("result")
            }
            "__method__" => f.method_name().map_or(Rv::Nil, |name| Rv::sym(name.as_str())),
            "require" | "require_relative" | "load" | "gem" => {
                let library = arg.string_or_symbol().unwrap_or_default();
                self.require(name, &library)?
            }
            "catch" => self.kernel_catch(&arg, block)?,
            "throw" => {
                let value = args.get(1).cloned().unwrap_or(Rv::Nil);
                return Err(self.throw(Flow::Throw(arg, value)));
            }
            "rand" | "srand" => crate::core::random::kernel(self, name, &arg)?,
            // The compiler's output on the console is not part of the result.
            "p" | "pp" if args.len() > 1 => Rv::array(args.to_vec()),
            "p" | "pp" => arg,
            "puts" | "print" | "warn" => Rv::Nil,
            "system" => self.system(args)?,
            "`" => {
                let line = self.expect_str(&arg)?;
                self.backticks(&line)?
            }
            "exec"
            | "fork"
            | "spawn"
            | "open"
            | "exit"
            | "abort"
            | "sleep"
            | "caller"
            | "at_exit"
            | "gets"
            | "local_variables"
            | "instance_variable_names"
            | "trap"
            | "select"
            | "test" => {
                return self.unsupported(&format!("method {name}"));
            }
            "eval" => {
                let source = self.expect_str(&arg)?;
                let file = args.get(2).and_then(Rv::string_or_symbol);
                self.eval_string(&source, file, f)?
            }
            _ => return self.kernel_definition(name, args, block, f),
        }))
    }

    /// Methods in the body of a class or at top level that change its definitions; `None` for other methods.
    fn kernel_definition(&mut self, name: &str, args: &[Rv], block: Blk<'_>, f: &Rc<Frame>) -> Raise<Option<Rv>> {
        Ok(Some(match name {
            "attr_reader" | "attr_accessor" | "attr_writer" | "attr" => {
                let home = self.module_of_self(f);
                let methods = self.define_accessors(name, args, home)?;
                self.set_visibility(home, std::slice::from_ref(&methods), f.visibility.get())
            }
            "include" | "prepend" if matches!(f.this, Rv::Class(_)) => {
                let home = self.module_of_self(f);
                self.include(home, name, args)?;
                Rv::Nil
            }
            "extend" if matches!(f.this, Rv::Class(_) | Rv::Object(_)) => {
                self.reflect(&f.this, name, args, block)?.unwrap_or(Rv::Nil)
            }
            "define_method" => {
                let home = self.module_of_self(f);
                let name = self.define_from_block(home, args, block)?;
                self.set_visibility(home, &[name], f.visibility.get())
            }
            "alias_method" => {
                let home = self.module_of_self(f);
                let name_at = |at: usize| Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default());
                self.alias(home, name_at(0), name_at(1));
                Rv::Nil
            }
            "private" | "public" | "protected" => {
                let home = self.module_of_self(f);
                let to = Visibility::from_word(name).unwrap_or_default();
                if args.is_empty() {
                    f.visibility.set(to);
                }
                self.set_visibility(home, args, to)
            }
            "private_class_method" | "private_constant" if !matches!(f.this, Rv::Class(_)) => Rv::Nil,
            "module_function" | "include" | "extend" | "using" => Rv::Nil,
            _ => return Ok(None),
        }))
    }

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
        let of_variables = crate::core::compare::equal(tag, &Rv::sym("undefined_variable"));
        self.state().open_catches += u32::from(of_variables);
        let result = self.yield_value(block, tag.clone());
        self.state().open_catches -= u32::from(of_variables);
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
