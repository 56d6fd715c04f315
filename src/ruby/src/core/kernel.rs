//! Methods without a receiver: conversions, `raise`, `format`, `lambda`, `loop`, `require`.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use std::rc::Rc;
use std::sync::Arc;

use crate::Blk;
use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::machine::visibility::Visibility;
use crate::puppet::type_factory;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::value::RubyObject;
use catwalk_value::value::Value;
use catwalk_value::value::big::to_float;
use catwalk_value::value::number::ruby_float;
use catwalk_value::value::number::ruby_integer;

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

impl Interp<'_, '_> {
    /// A method of `Kernel`; `None` if it has none of this name.
    pub(crate) fn kernel(&mut self, name: &str, args: &[Rv], block: Blk<'_>, f: &Rc<Frame>) -> Raise<Option<Rv>> {
        let arg = args.first().cloned().unwrap_or(Rv::Nil);
        Ok(Some(match name {
            // An argument that is an array already is returned itself.
            "Array" if matches!(arg, Rv::Array(_)) => arg,
            "String" if matches!(arg, Rv::Str(_)) => arg,
            "Array" => Rv::array(self.to_list(&arg)?),
            "String" => Rv::str(self.to_s(&arg)?),
            // Messages are never translated.
            "_" => arg,
            "n_" => {
                if matches!(args.get(2), Some(Rv::Int(1))) {
                    arg
                } else {
                    args.get(1).cloned().unwrap_or(Rv::Nil)
                }
            }
            "URI" if matches!(&arg, Rv::Object(object) if crate::library::uri::is_class(object.class.as_str())) => arg,
            "URI" => match &arg {
                Rv::Str(source) => {
                    let source = source.borrow().clone();
                    crate::library::uri::parse_uri(self, &source)?
                }
                _ => return self.raise("ArgumentError", "bad argument (expected URI object or URI string)"),
            },
            "Rational" => {
                let class = self.constant_path(None, name)?;
                self.call_method(&class, "convert", args, None)?
            }
            "Pathname" => {
                let class = self.constant_path(None, name)?;
                self.call_method(&class, "new", args, None)?
            }
            "Integer" => {
                let made = self.kernel_integer(&arg, args.get(1));
                self.nil_on_failure(made, args)?
            }
            "Float" => {
                let made = self.kernel_float(&arg);
                self.nil_on_failure(made, args)?
            }
            "Hash" => match arg {
                Rv::Nil => Rv::hash(crate::value::Map::default()),
                Rv::Hash(_) => arg,
                Rv::Array(items) if items.borrow().is_empty() => Rv::hash(crate::value::Map::default()),
                other => {
                    let class = self.class_name(&other);
                    return self.raise("TypeError", format!("can't convert {class} into Hash"));
                }
            },
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
                    && matches!(&f.this, Rv::Object(object) if object.class.as_str() == crate::puppet::scope::TEMPLATE) =>
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
            "attr_reader" | "attr_accessor" | "attr_writer" | "attr" => {
                let home = self.module_of_self(f);
                let made = self.define_accessors(name, args, home)?;
                self.set_visibility(home, std::slice::from_ref(&made), f.visibility.get())
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
                let text = |at: usize| Name::new(&args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default());
                self.alias(home, text(0), text(1));
                Rv::Nil
            }
            "eval" => {
                let source = self.expect_str(&arg)?;
                let file = args.get(2).and_then(Rv::string_or_symbol);
                self.eval_string(&source, file, f)?
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

    /// With `exception: false`, a failed conversion returns `nil`.
    fn nil_on_failure(&mut self, made: Raise<Rv>, args: &[Rv]) -> Raise<Rv> {
        let quiet = match args.last() {
            Some(Rv::Hash(options)) => matches!(options.get(&Rv::sym("exception")), Some(Rv::False)),
            _ => false,
        };
        match made {
            Err(_) if quiet && matches!(self.thrown(), Some(Flow::Raise(_))) => Ok(Rv::Nil),
            made => made,
        }
    }

    /// `Array(value)`
    pub(crate) fn to_list(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Nil => Ok(Vec::new()),
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(_) | Rv::Range(_) | Rv::Set(_) | Rv::Enumerator(_) => self.items(value),
            Rv::Time(_) => Ok(vec![value.clone()]),
            Rv::Object(object) if matches!(&*object.native.borrow(), Some(Rv::Array(_) | Rv::Hash(_) | Rv::Set(_))) => {
                let list = crate::object::native_methods::inner_value(value);
                self.items(&list)
            }
            other => Ok(vec![other.clone()]),
        }
    }

    fn kernel_integer(&mut self, value: &Rv, radix: Option<&Rv>) -> Raise<Rv> {
        match value {
            Rv::Int(_) | Rv::Big(_) => Ok(value.clone()),
            Rv::Object(object) if object.class.as_str() == "Rational" => self.call_method(value, "to_i", &[], None),
            Rv::Float(f) if f.get().is_finite() => {
                Ok(crate::core::big_integer::truncate_float(f.get()).unwrap_or(Rv::Nil))
            }
            Rv::Float(f) => {
                let f = f.get();
                let text = catwalk_value::value::number::float_text(f);
                self.raise("FloatDomainError", text)
            }
            Rv::Str(text) => {
                let radix = match radix {
                    Some(Rv::Int(n)) => u32::try_from(*n).ok().filter(|n| (2..=36).contains(n)),
                    _ => None,
                };
                let text = text.borrow().clone();
                match ruby_integer(&text, radix) {
                    Some(n) => Ok(self.to_ruby(&n)),
                    None => {
                        let shown = self.inspect(&Rv::str(text))?;
                        self.raise("ArgumentError", format!("invalid value for Integer(): {shown}"))
                    }
                }
            }
            Rv::Puppet(held) if let Some(seconds) = type_factory::seconds(held) => {
                Ok(Rv::integer(seconds.floor() as i128))
            }
            other => self.conversion_error(other, "Integer"),
        }
    }

    fn kernel_float(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Float(_) => Ok(value.clone()),
            Rv::Object(object) if object.class.as_str() == "Rational" => self.call_method(value, "to_f", &[], None),
            Rv::Int(n) => Ok(Rv::float(*n as f64)),
            Rv::Big(n) => Ok(Rv::float(to_float(n))),
            Rv::Str(text) => {
                let text = text.borrow().clone();
                match ruby_float(&text) {
                    Some(f) => Ok(Rv::float(f)),
                    None => {
                        let shown = self.inspect(&Rv::str(text))?;
                        self.raise("ArgumentError", format!("invalid value for Float(): {shown}"))
                    }
                }
            }
            Rv::Puppet(held) if let Some(seconds) = type_factory::seconds(held) => Ok(Rv::float(seconds)),
            other => self.conversion_error(other, "Float"),
        }
    }

    /// `raise Class, "text"`, `raise "text"`, `raise exception`.
    fn kernel_raise<T>(&mut self, args: &[Rv]) -> Raise<T> {
        match args {
            [] => match self.globals.get(&Name::new("!")).cloned() {
                Some(Rv::Exception(exception)) => Err(self.throw(Flow::Raise(exception))),
                _ => self.raise("RuntimeError", "unhandled exception"),
            },
            [Rv::Str(text), ..] => {
                let text = text.borrow().clone();
                self.raise("RuntimeError", text)
            }
            [Rv::Exception(exception), ..] => Err(self.throw(Flow::Raise(exception.clone()))),
            [Rv::Class(class), rest @ ..] => {
                if !self.inherits_from(*class, "Exception") {
                    return self.raise("TypeError", "exception class/object expected");
                }
                let given = rest.get(..rest.len().min(1)).unwrap_or_default();
                match self.call_method(&Rv::Class(*class), "new", given, None)? {
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
                        .get(&Name::new(crate::machine::exception::RESULT))
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
    pub(crate) fn sprintf(&mut self, args: &[Rv]) -> Raise<String> {
        let Some((format, values)) = args.split_first() else {
            return self.raise("ArgumentError", "too few arguments");
        };
        let format = self.expect_str(format)?;
        if let Some(text) = crate::core::string::format::simple(&format, values) {
            return Ok(text);
        }
        let mut given = Vec::with_capacity(values.len());
        for value in values {
            given.push(match value {
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
        match catwalk_value::value::sprintf::sprintf(&format, &given) {
            Ok(text) => Ok(text),
            Err(message) => {
                let class = match message.as_str() {
                    text if text.starts_with("can't convert") => "TypeError",
                    text if text.starts_with("key") => "KeyError",
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
            Rv::Puppet(held) if !matches!(**held, Value::Type(_)) => return Ok(Value::clone(held)),
            _ => {}
        }
        let text = Arc::from(self.to_s(value)?);
        let inspected = if format.contains('p') { Arc::from(self.inspect(value)?) } else { Arc::clone(&text) };
        let class = Name::new(&self.class_name(value));
        Ok(Value::Ruby(Arc::new(RubyObject { number: 0, class, text, inspected, by_value: true })))
    }

    /// The string of a string argument.
    pub(crate) fn expect_str(&mut self, value: &Rv) -> Raise<String> {
        match value {
            Rv::Str(text) => Ok(text.borrow().clone()),
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
                let shown = catwalk_value::value::sprintf::sprintf("%-.10g", &[catwalk_value::value::Value::Float(f)]);
                self.raise("RangeError", format!("float {} out of range of integer", shown.unwrap_or_default()))
            }
            Rv::Nil => self.raise("TypeError", "no implicit conversion from nil to integer"),
            other => self.type_error(other, "Integer"),
        }
    }
}
