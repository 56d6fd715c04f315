//! Conversion functions of `Kernel`: `Array(value)`, `Integer(value)`, `Float(value)` and others.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use crate::Flow;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;
use catwalk_value::big::to_float;
use catwalk_value::number::ruby_float;
use catwalk_value::number::ruby_integer;

impl Interp<'_> {
    /// `Array(value)`: an array is returned itself.
    pub(super) fn kernel_array(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Array(_) => Ok(value.clone()),
            other => self.to_list(other).map(Rv::array),
        }
    }

    /// `String(value)`: a string is returned itself.
    pub(super) fn kernel_string(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Str(_) => Ok(value.clone()),
            other => self.to_s(other).map(Rv::str),
        }
    }

    /// `URI(value)`
    pub(super) fn kernel_uri(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Str(source) => {
                let source = source.borrow().clone();
                self.parse_uri(&source)
            }
            uri if self.is_uri(uri) => Ok(uri.clone()),
            _ => self.raise("ArgumentError", "bad argument (expected URI object or URI string)"),
        }
    }

    /// `Rational(…)`, `Pathname(…)`: an object of a class that is written in Ruby.
    pub(super) fn kernel_object(&mut self, class: &str, method: &str, args: &[Rv]) -> Raise<Rv> {
        let class = self.constant_path(None, class)?;
        self.call_method(&class, method, args, None)
    }

    /// `Integer(value, radix, exception: …)`
    pub(super) fn kernel_integer_or_nil(&mut self, args: &[Rv]) -> Raise<Rv> {
        let converted = self.kernel_integer(args.first().unwrap_or(&Rv::Nil), args.get(1));
        self.nil_on_failure(converted, args)
    }

    /// `Float(value, exception: …)`
    pub(super) fn kernel_float_or_nil(&mut self, args: &[Rv]) -> Raise<Rv> {
        let converted = self.kernel_float(args.first().unwrap_or(&Rv::Nil));
        self.nil_on_failure(converted, args)
    }

    /// `Hash(value)`
    pub(super) fn kernel_hash(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Nil => Ok(Rv::hash(crate::value::Map::default())),
            Rv::Hash(_) => Ok(value.clone()),
            Rv::Array(items) if items.borrow().is_empty() => Ok(Rv::hash(crate::value::Map::default())),
            other => {
                let class = self.class_name(other);
                self.raise("TypeError", format!("can't convert {class} into Hash"))
            }
        }
    }

    /// With `exception: false`, a failed conversion returns `nil`.
    fn nil_on_failure(&mut self, converted: Raise<Rv>, args: &[Rv]) -> Raise<Rv> {
        let quiet = match args.last() {
            Some(Rv::Hash(options)) => matches!(options.get(&Rv::sym("exception")), Some(Rv::False)),
            _ => false,
        };
        match converted {
            Err(_) if quiet && matches!(self.thrown(), Some(Flow::Raise(_))) => Ok(Rv::Nil),
            converted => converted,
        }
    }

    /// `Array(value)`
    pub fn to_list(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Nil => Ok(Vec::new()),
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(_) | Rv::Range(_) | Rv::Set(_) | Rv::Enumerator(_) => self.items(value),
            Rv::Time(_) => Ok(vec![value.clone()]),
            Rv::Object(object) if matches!(&*object.native.borrow(), Some(Rv::Array(_) | Rv::Hash(_) | Rv::Set(_))) => {
                let list = value.inner_value();
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
            Rv::Float(f) => self.raise("FloatDomainError", catwalk_value::number::float_to_s(f.get())),
            Rv::Str(source) => {
                let radix = match radix {
                    Some(Rv::Int(n)) => u32::try_from(*n).ok().filter(|n| (2..=36).contains(n)),
                    _ => None,
                };
                let source = source.borrow().clone();
                match ruby_integer(&source, radix) {
                    Some(n) => Ok(self.to_ruby(&n)),
                    None => {
                        let inspected = self.inspect(&Rv::str(source))?;
                        self.raise("ArgumentError", format!("invalid value for Integer(): {inspected}"))
                    }
                }
            }
            Rv::Puppet(value) if let Some(seconds) = crate::value::seconds(value) => {
                Ok(Rv::integer(seconds.floor() as i128))
            }
            other => self.conversion_error(other, "Integer"),
        }
    }

    /// `Float(value)`
    pub(super) fn kernel_float(&mut self, value: &Rv) -> Raise<Rv> {
        match value {
            Rv::Float(_) => Ok(value.clone()),
            Rv::Object(object) if object.class.as_str() == "Rational" => self.call_method(value, "to_f", &[], None),
            Rv::Int(n) => Ok(Rv::float(*n as f64)),
            Rv::Big(n) => Ok(Rv::float(to_float(n))),
            Rv::Str(source) => {
                let source = source.borrow().clone();
                match ruby_float(&source) {
                    Some(f) => Ok(Rv::float(f)),
                    None => {
                        let inspected = self.inspect(&Rv::str(source))?;
                        self.raise("ArgumentError", format!("invalid value for Float(): {inspected}"))
                    }
                }
            }
            Rv::Puppet(value) if let Some(seconds) = crate::value::seconds(value) => Ok(Rv::float(seconds)),
            other => self.conversion_error(other, "Float"),
        }
    }
}
