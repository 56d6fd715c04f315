//! Ruby's `Kernel#sprintf`, as the function `sprintf` and string formats use it.

mod number;

use std::borrow::Cow;
use std::sync::Arc;

use crate::types::Type;
use crate::types::capitalize_segments;
use crate::value::Value;
use crate::value::ruby;
use catwalk_base::meter;
use number::Number;
use number::format_float;
use number::to_float;
use number::to_integer;
use number::write_integer;
use number::write_number;

/// The widest field. Wider ones would exhaust the memory.
const MAX_WIDTH: usize = 1 << 20;

#[derive(Default, Clone, Debug)]
struct Spec {
    plus: bool,
    space: bool,
    minus: bool,
    zero: bool,
    alt: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Spec {
    fn set_width(&mut self, width: usize) -> Result<(), String> {
        if self.width.is_some() {
            return Err("width given twice".to_owned());
        }
        self.width = Some(limited(width)?);
        Ok(())
    }
}

/// The arguments of a format: values, or a string that is not converted again.
struct Args<'a> {
    values: &'a [Value],
    next: usize,
    style: ArgumentStyle,
}

/// How a format refers to its arguments; styles cannot be mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentStyle {
    Any,
    Unnumbered,
    Numbered,
    Named,
}

impl<'a> Args<'a> {
    fn take(&mut self) -> Result<&'a Value, String> {
        match self.style {
            ArgumentStyle::Numbered => return Err(format!("unnumbered({}) mixed with numbered", self.next + 1)),
            ArgumentStyle::Named => return Err(format!("unnumbered({}) mixed with named", self.next + 1)),
            ArgumentStyle::Any | ArgumentStyle::Unnumbered => self.style = ArgumentStyle::Unnumbered,
        }
        let value = self.values.get(self.next).ok_or("too few arguments")?;
        self.next += 1;
        Ok(value)
    }

    fn numbered(&mut self, n: usize) -> Result<&'a Value, String> {
        match self.style {
            ArgumentStyle::Unnumbered => return Err(format!("numbered({n}) after unnumbered({})", self.next)),
            ArgumentStyle::Named => return Err(format!("numbered({n}) after named")),
            ArgumentStyle::Any | ArgumentStyle::Numbered => self.style = ArgumentStyle::Numbered,
        }
        self.values.get(n.wrapping_sub(1)).ok_or_else(|| "too few arguments".to_owned())
    }

    /// `quoted` is the name with its brackets.
    fn named(&mut self, name: &str, quoted: &str) -> Result<Cow<'a, Value>, String> {
        match self.style {
            ArgumentStyle::Unnumbered => return Err(format!("named{quoted} after unnumbered({})", self.next)),
            ArgumentStyle::Numbered => return Err(format!("named{quoted} after numbered")),
            ArgumentStyle::Any | ArgumentStyle::Named => self.style = ArgumentStyle::Named,
        }
        let missing = || format!("key{quoted} not found");
        let (type_name, title) = match self.values {
            [Value::Hash(entries)] => {
                let symbol = || entries.get_value(&Value::Symbol(Arc::from(name)));
                return entries.get(name).or_else(symbol).map(Cow::Borrowed).ok_or_else(missing);
            }
            [reference @ Value::Type(Type::Resource(resource))] => {
                ruby::check_printable(reference)?;
                (resource.type_name.clone().unwrap_or_default(), resource.title.clone().unwrap_or_default())
            }
            [Value::Type(Type::Class(Some(class)))] => (Arc::from("Class"), Arc::from(&*capitalize_segments(class))),
            _ => return Err("one hash required".to_owned()),
        };
        // A resource is converted to a hash where a hash is needed.
        match ruby::title_attribute(&type_name, &title) {
            (attribute, value) if attribute == name => Ok(Cow::Owned(Value::str(value))),
            _ => Err(missing()),
        }
    }
}

/// Formats arguments.
///
/// # Errors
/// Ruby's messages: `too few arguments`, `malformed format string - %y`, `invalid value for Integer(): "x"`.
pub fn sprintf(format: &str, values: &[Value]) -> Result<String, String> {
    let mut args = Args { values, next: 0, style: ArgumentStyle::Any };
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = format_directive(rest.get(at + 1..).unwrap_or(""), &mut args, &mut out)?;
        meter::check_string(out.len());
    }
    out.push_str(rest);
    Ok(out)
}

/// Formats the directive at the start of `text`, after its `%`; returns the rest of the format.
fn format_directive<'f>(text: &'f str, args: &mut Args<'_>, out: &mut String) -> Result<&'f str, String> {
    let mut directive = Directive { text, at: 0, spec: Spec::default(), value: None };
    while let Some(c) = directive.next() {
        match c {
            ' ' => directive.spec.space = true,
            '+' => directive.spec.plus = true,
            '-' => directive.spec.minus = true,
            '0' => directive.spec.zero = true,
            '#' => directive.spec.alt = true,
            '1'..='9' => directive.parse_width(c, args)?,
            '*' => directive.parse_star_width(args)?,
            '.' => directive.parse_precision(args)?,
            '<' => directive.value = Some(directive.parse_name('<', '>', args)?),
            '{' => {
                let value = directive.parse_name('{', '}', args)?;
                pad(&to_ruby_string(&value)?, &directive.spec, out);
                return Ok(directive.rest());
            }
            '%' => {
                out.push('%');
                return Ok(directive.rest());
            }
            '\n' | '\0' => {
                out.push('%');
                return Ok(text.get(directive.at - 1..).unwrap_or(""));
            }
            _ => {
                let value = match directive.value.take() {
                    Some(value) => value,
                    None if is_directive(c) => Cow::Borrowed(args.take()?),
                    None => return Err(format!("malformed format string - %{c}")),
                };
                convert(c, &value, &directive.spec, out)?;
                return Ok(directive.rest());
            }
        }
    }
    if text.is_empty() {
        return Err("incomplete format specifier; use %% (double %) instead".to_owned());
    }
    Err("malformed format string - %*[0-9]".to_owned())
}

/// A directive that is being parsed: `-10.3s`.
struct Directive<'f, 'a> {
    text: &'f str,
    /// The position after the parsed characters.
    at: usize,
    spec: Spec,
    /// The argument that `N$` or `<name>` selects.
    value: Option<Cow<'a, Value>>,
}

impl<'f, 'a> Directive<'f, 'a> {
    fn rest(&self) -> &'f str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let is_next = self.rest().starts_with(c);
        self.at += if is_next { c.len_utf8() } else { 0 };
        is_next
    }

    /// Parses the digits of a number after its first digits, whose value is `first`.
    fn parse_number(&mut self, first: usize) -> usize {
        let mut n = first;
        while let Some(digit) = self.rest().chars().next().and_then(|c| c.to_digit(10)) {
            n = (n * 10 + digit as usize).min(MAX_WIDTH * 2);
            self.at += 1;
        }
        n
    }

    /// Parses a width, or the number of an argument: `N$`.
    fn parse_width(&mut self, first: char, args: &mut Args<'a>) -> Result<(), String> {
        let n = self.parse_number(first.to_digit(10).unwrap_or(0) as usize);
        if self.eat('$') {
            self.value = Some(Cow::Borrowed(args.numbered(n)?));
            return Ok(());
        }
        self.spec.set_width(n)
    }

    fn parse_star_width(&mut self, args: &mut Args<'a>) -> Result<(), String> {
        let n = implicit_integer(self.star_argument(args)?)?;
        self.spec.minus = self.spec.minus || n < 0;
        self.spec.set_width(n.unsigned_abs() as usize)
    }

    fn parse_precision(&mut self, args: &mut Args<'a>) -> Result<(), String> {
        self.spec.precision = if self.eat('*') {
            usize::try_from(implicit_integer(self.star_argument(args)?)?).ok().map(limited).transpose()?
        } else {
            Some(limited(self.parse_number(0))?)
        };
        Ok(())
    }

    /// The argument of `*` or `*N$`, after the star.
    fn star_argument(&mut self, args: &mut Args<'a>) -> Result<&'a Value, String> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if self.rest().as_bytes().get(digits) != Some(&b'$') {
            return args.take();
        }
        let n = self.rest().get(..digits).and_then(|n| n.parse().ok()).unwrap_or(0);
        if n == 0 {
            return Err("invalid index - 0$".to_owned());
        }
        self.at += digits + 1;
        args.numbered(n)
    }

    /// The argument of `<name>` or `{name}`, after the opening bracket.
    fn parse_name(&mut self, open: char, close: char, args: &mut Args<'a>) -> Result<Cow<'a, Value>, String> {
        let rest = self.rest();
        let end = rest.find(close).ok_or("malformed name - unmatched parenthesis")?;
        let name = rest.get(..end).unwrap_or("");
        self.at += end + 1;
        args.named(name, &format!("{open}{name}{close}"))
    }
}

fn limited(n: usize) -> Result<usize, String> {
    if n > MAX_WIDTH { Err("width too big".to_owned()) } else { Ok(n) }
}

fn is_directive(c: char) -> bool {
    "cspdiuxXobBeEfgGaA".contains(c)
}

fn convert(directive: char, value: &Value, spec: &Spec, out: &mut String) -> Result<(), String> {
    match directive {
        's' | 'p' => {
            let text = if directive == 's' { to_ruby_string(value)?.into_owned() } else { to_inspected(value)? };
            let cut = match spec.precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text,
            };
            pad(&cut, spec, out);
        }
        'c' => {
            let c = match value {
                Value::Str(text) if text.chars().count() == 1 => text.to_string(),
                Value::Str(_) => return Err("%c requires a character".to_owned()),
                other => match implicit_integer(other)? {
                    // Ruby makes invalid strings from these: 0xFF, 0xFE, halves of surrogates.
                    -2 | -1 | 0xD800..=0xDFFF => String::from(char::REPLACEMENT_CHARACTER),
                    code => u32::try_from(code)
                        .ok()
                        .and_then(char::from_u32)
                        .map(String::from)
                        .ok_or("invalid character")?,
                },
            };
            pad(&c, spec, out);
        }
        'd' | 'i' | 'u' => write_integer(&to_integer(value)?, 10, "", false, spec, out),
        'x' => write_integer(&to_integer(value)?, 16, "0x", false, spec, out),
        'X' => write_integer(&to_integer(value)?, 16, "0X", true, spec, out),
        'o' => write_integer(&to_integer(value)?, 8, "0", false, spec, out),
        'b' => write_integer(&to_integer(value)?, 2, "0b", false, spec, out),
        'B' => write_integer(&to_integer(value)?, 2, "0B", false, spec, out),
        'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            // Ruby formats integers differently: without the decimal point that `#` adds.
            let plain = Spec { alt: false, ..spec.clone() };
            let exact = directive == 'f' && matches!(value, Value::Int(_) | Value::BigInt(_));
            let text = format_float(directive, to_float(value)?, if exact { &plain } else { spec });
            write_number(&text, spec, spec.zero, out);
        }
        c => return Err(format!("malformed format string - %{c}")),
    }
    Ok(())
}

/// `inspect` of a value with resources in it, which may fail.
fn to_inspected(value: &Value) -> Result<String, String> {
    ruby::check_printable(value)?;
    Ok(ruby::inspect(value))
}

/// `to_s` of a value, which fails where `inspect` of its elements does.
fn to_ruby_string(value: &Value) -> Result<Cow<'_, str>, String> {
    if matches!(value, Value::Array(_) | Value::Hash(_)) {
        ruby::check_printable(value)?;
    }
    Ok(ruby::to_s_3x(value))
}

/// Ruby's `inspect` of bytes.
pub fn inspect_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut bytes = bytes.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'#' if matches!(bytes.peek(), Some(b'{' | b'$' | b'@')) => out.push_str("\\#"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x07 => out.push_str("\\a"),
            0x08 => out.push_str("\\b"),
            0x0b => out.push_str("\\v"),
            0x0c => out.push_str("\\f"),
            0x1b => out.push_str("\\e"),
            0x20..=0x7e => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02X}")),
        }
    }
    out.push('"');
    out
}

fn pad(text: &str, spec: &Spec, out: &mut String) {
    let missing = spec.width.unwrap_or(0).saturating_sub(text.chars().count());
    if !spec.minus {
        out.extend(std::iter::repeat_n(' ', missing));
    }
    out.push_str(text);
    if spec.minus {
        out.extend(std::iter::repeat_n(' ', missing));
    }
}

/// Converts a value implicitly to an integer like Ruby's `NUM2INT`.
fn implicit_integer(value: &Value) -> Result<i32, String> {
    let n = match value {
        Value::Str(_) | Value::Undef => return Err("no implicit conversion of String into Integer".to_owned()),
        // Versions are numbers to Ruby, which then calls a method that they lack.
        Value::SemVer(version) => {
            return Err(format!("undefined method `to_i' for {version}:SemanticPuppet::Version"));
        }
        #[allow(clippy::cast_precision_loss, reason = "as Ruby compares it")]
        Value::Float(f) if f.is_nan() || *f >= i64::MAX as f64 || *f < i64::MIN as f64 => {
            let mut float = String::new();
            let spec = Spec { precision: Some(10), ..Spec::default() };
            convert('g', value, &spec, &mut float)?;
            return Err(format!("float {float} out of range of integer"));
        }
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Timespan(_) | Value::Timestamp(_) => {
            match to_integer(value)? {
                Number::Small(n) => n,
                Number::Big(_) => return Err("bignum too big to convert into `long'".to_owned()),
            }
        }
        other => return Err(format!("no implicit conversion of {} into Integer", ruby::conversion_name(other))),
    };
    i32::try_from(n).map_err(|_| {
        let how = if n < 0 { "small" } else { "big" };
        format!("integer {n} too {how} to convert to `int'")
    })
}
