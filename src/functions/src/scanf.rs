//! `scanf`, compatible with Ruby's library of that name.

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_regexp::Regexp;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "scanf",
    signatures: &[("String $data, String $format, Optional[Callable] &$block", scanf)],
    doc: "Reads values from a string by a format with the directives `%d` `%i` `%o` `%x` `%f` `%s` `%c` and `%[a-z]`, \
          each with a width or with `*` to skip the value, and returns them as an array. Reading stops at the first \
          directive that does not match. A block receives that array and returns the result.",
    examples: &[
        ("scanf('12 eggs', '%d %s')", "[12, 'eggs']"),
        ("'0x1f'.scanf('%x')[0]", "31"),
        ("scanf('x', '%d')", "[]"),
    ],
};

fn scanf(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut values = Vec::new();
    let mut rest = call.str(0);
    for directive in directives(call.str(1)) {
        if !directive.includes_space() {
            rest = rest.trim_start_matches(is_space);
        }
        let Some(length) = directive.length(rest)? else { break };
        let (string, left) = rest.split_at(length);
        if !directive.skipped {
            values.extend(directive.value(string)?);
        }
        rest = left;
        if rest.is_empty() {
            break;
        }
    }
    let values = Value::array(values);
    if call.has_block() { call.call_block(&[values]) } else { Ok(values) }
}

/// White space as defined by Ruby's `\s`.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

#[derive(Debug, PartialEq)]
enum Kind<'f> {
    /// A literal string.
    Literal(&'f str),
    /// `%%`
    Percent,
    /// A letter.
    Letter(char),
    /// A character class with its brackets.
    Class(&'f str),
}

#[derive(Debug, PartialEq)]
struct Directive<'f> {
    kind: Kind<'f>,
    /// Whether white space precedes the directive.
    follows_space: bool,
    skipped: bool,
    width: Option<usize>,
}

/// The parts of a format. Everything except directives is literal; a `%` without a directive is dropped.
fn directives(format: &str) -> Vec<Directive<'_>> {
    let mut parts = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let after = rest.trim_start_matches(is_space);
        if let Some((directive, left)) = after.strip_prefix('%').and_then(|body| directive(body, after)) {
            parts.push(Directive { follows_space: after.len() < rest.len(), ..directive });
            rest = left;
        } else if first == '%' || is_space(first) {
            rest = rest.get(first.len_utf8()..).unwrap_or("");
        } else {
            let end = rest.find(|c| c == '%' || is_space(c)).unwrap_or(rest.len());
            let (string, left) = rest.split_at(end);
            parts.push(Directive { kind: Kind::Literal(string), follows_space: false, skipped: false, width: None });
            rest = left;
        }
    }
    parts
}

/// One directive after its `%`, and the rest of the format. `whole` starts at the `%`.
fn directive<'f>(body: &'f str, whole: &'f str) -> Option<(Directive<'f>, &'f str)> {
    let new_directive = |kind, skipped, width| Directive { kind, follows_space: false, skipped, width };
    if let Some(left) = body.strip_prefix('%') {
        return Some((new_directive(Kind::Percent, false, None), left));
    }
    let (skipped, sized) = body.strip_prefix('*').map_or((false, body), |sized| (true, sized));
    let letter = sized.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = sized.get(..sized.len() - letter.len()).unwrap_or("");
    let width = (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX));
    let c = letter.chars().next()?;
    if c == '[' {
        let end = match letter.strip_prefix("[[:").and_then(|name| name.find(":]]")) {
            Some(end) => end + 6,
            None => letter.find(']')? + 1,
        };
        let (class, left) = letter.split_at(end);
        return Some((new_directive(Kind::Class(class), skipped, width), left));
    }
    let left = letter.get(c.len_utf8()..).unwrap_or("");
    let kind = match c {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 's' | 'c' => {
            Kind::Letter(c)
        }
        // Only the lower-case letters are directives.
        'D' | 'I' | 'U' | 'O' | 'S' | 'C' => Kind::Literal(whole.get(..whole.len() - left.len()).unwrap_or("")),
        _ => return None,
    };
    Some((new_directive(kind, skipped, width), left))
}

impl Directive<'_> {
    /// Whether preceding white space is part of the directive's value.
    fn includes_space(&self) -> bool {
        match self.kind {
            Kind::Letter('c') => !self.follows_space,
            Kind::Class(_) => !self.skipped,
            _ => false,
        }
    }

    /// The number of bytes of a string that the directive matches; `None` if it does not match.
    fn length(&self, string: &str) -> Res<Option<usize>> {
        let width = self.width.unwrap_or(usize::MAX);
        let some = |n: usize| (n > 0).then_some(n);
        Ok(match self.kind {
            Kind::Literal(literal) => string.starts_with(literal).then_some(literal.len()),
            Kind::Percent => string.starts_with('%').then_some(1),
            Kind::Letter('s') => some(run(string, width, |c| !is_space(c))),
            Kind::Letter('c') => some(run(string, self.width.unwrap_or(1), |_| true)),
            Kind::Letter('d' | 'u') => number(string, self.width, &[("", is_decimal)], true),
            Kind::Letter('o') => number(string, self.width, &[("", is_octal)], true),
            Kind::Letter('x' | 'X') => number(string, self.width, &[("0x", is_hex), ("", is_hex)], true),
            Kind::Letter('i') => {
                let forms = [("0", is_octal as fn(char) -> bool), ("0x", is_hex), ("1", is_decimal)];
                let is_one_digit = || self.width.is_some() && string.starts_with(|c: char| c.is_ascii_digit());
                number(string, self.width, &forms, false).or_else(|| is_one_digit().then_some(1))
            }
            Kind::Letter(_) => float(string).map(|length| match self.width {
                Some(width) => run(string, width, |c| !is_space(c)),
                None => length,
            }),
            Kind::Class(class) => {
                let regexp =
                    Regexp::new(if class.starts_with("[[:") { class.to_owned() } else { format!("\\A{class}") });
                if let Err(error) = regexp.check() {
                    return match class {
                        "[]" => fail(r"empty char-class: /\A([]+)(?=[^]|\z)/m"),
                        _ => fail(error.message().to_owned()),
                    };
                }
                some(run(string, width, |c| regexp.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or(false)))
            }
        })
    }

    /// Converts the matched string to a value.
    fn value(&self, string: &str) -> Res<Option<Value>> {
        let radix = match self.kind {
            Kind::Literal(_) | Kind::Percent => return Ok(None),
            Kind::Class(_) | Kind::Letter('s' | 'c') => return Ok(Some(Value::from(string))),
            Kind::Letter('d' | 'u') => 10,
            Kind::Letter('o') => 8,
            Kind::Letter('x' | 'X') => 16,
            Kind::Letter('i') => match string.trim_start_matches(['-', '+']).as_bytes() {
                [b'0', b'x' | b'X', ..] => 16,
                [b'0', _, ..] => 8,
                _ => 10,
            },
            Kind::Letter(_) => return Ok(Some(Value::Float(float_value(string)))),
        };
        let (negative, digits) = match string.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, string.strip_prefix('+').unwrap_or(string)),
        };
        let digits = if radix == 16 { digits.trim_start_matches("0x").trim_start_matches("0X") } else { digits };
        match catwalk_value::big::from_digits(digits, radix, negative) {
            Some(n) => Ok(Some(n)),
            None => fail(format!("scanf(): {string} is beyond what an Integer can be")),
        }
    }
}

fn is_decimal(c: char) -> bool {
    c.is_ascii_digit()
}

fn is_octal(c: char) -> bool {
    matches!(c, '0'..='7')
}

fn is_hex(c: char) -> bool {
    c.is_ascii_hexdigit()
}

/// The length in bytes of the longest prefix, of at most `max` characters, whose characters satisfy a predicate.
fn run(string: &str, max: usize, predicate: impl Fn(char) -> bool) -> usize {
    string.chars().take(max).take_while(|c| predicate(*c)).map(char::len_utf8).sum()
}

/// The length of a whole number: an optional sign, then one of the forms. A form starts with a string (`1` stands for a digit
/// other than zero) and continues with at least one more digit of its kind; with `single` that one digit decides.
fn number(string: &str, width: Option<usize>, forms: &[(&str, fn(char) -> bool)], single: bool) -> Option<usize> {
    let sign = usize::from(string.starts_with(['-', '+']));
    let body = string.get(sign..).unwrap_or("");
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(sign));
    for (start, predicate) in forms {
        let head = match *start {
            "1" if body.starts_with(|c: char| matches!(c, '1'..='9')) => 1,
            "0x" if body.starts_with("0x") || body.starts_with("0X") => 2,
            "0" if body.starts_with('0') => 1,
            "" => 0,
            _ => continue,
        };
        let digits = run(body.get(head..).unwrap_or(""), room.saturating_sub(head), predicate);
        // Without a width one digit is a number.
        let enough = digits > 0 || (*start == "1" && width.is_none() && !single);
        if enough {
            return Some(sign + head + digits);
        }
    }
    None
}

/// The length of a number with a fraction or exponent. An exponent requires a point before it.
fn float(string: &str) -> Option<usize> {
    let sign = usize::from(string.starts_with(['-', '+']));
    let body = string.get(sign..).unwrap_or("");
    if let Some(length) = hex_float(body) {
        return Some(sign + length);
    }
    let whole = run(body, usize::MAX, is_decimal);
    let rest = body.get(whole..).unwrap_or("");
    let Some(fraction) = rest.strip_prefix('.') else { return (whole > 0).then_some(sign + whole) };
    let digits = run(fraction, usize::MAX, is_decimal);
    let exponent = exponent(fraction.get(digits..).unwrap_or(""), ['e', 'E']);
    Some(sign + whole + 1 + digits + exponent)
}

/// The length of an exponent; 0 without one.
fn exponent(string: &str, letters: [char; 2]) -> usize {
    let Some(after) = string.strip_prefix(letters) else { return 0 };
    let sign = usize::from(after.starts_with(['-', '+']));
    match run(after.get(sign..).unwrap_or(""), usize::MAX, is_decimal) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

fn hex_float(body: &str) -> Option<usize> {
    let digits = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X"))?;
    let whole = run(digits, usize::MAX, is_hex);
    let after = digits.get(whole..)?;
    let fraction = after.strip_prefix('.').map(|fraction| run(fraction, usize::MAX, is_hex));
    if whole == 0 && fraction.unwrap_or(0) == 0 {
        return None;
    }
    let mantissa = whole + fraction.map_or(0, |digits| digits + 1);
    let exponent = exponent(digits.get(mantissa..)?, ['p', 'P']);
    (exponent > 0).then_some(2 + mantissa + exponent)
}

#[allow(clippy::cast_precision_loss, reason = "a digit")]
fn float_value(string: &str) -> f64 {
    let unsigned = string.strip_prefix(['-', '+']).unwrap_or(string);
    if hex_float(unsigned).is_none() {
        // Ruby's `to_f` stops at a point without digits after it, but the exponent is still applied.
        let bare = string
            .find('.')
            .and_then(|at| string.get(at + 1..))
            .is_some_and(|after| after.starts_with(['e', 'E']) && after.get(1..).unwrap_or("").starts_with(['-', '+']));
        return ruby::to_f(&if bare { string.replacen('.', "", 1) } else { string.to_owned() });
    }
    let (mantissa, exponent) = unsigned.get(2..).and_then(|rest| rest.split_once(['p', 'P'])).unwrap_or(("", ""));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |string: &str| string.chars().fold(0.0, |n, c| n * 16.0 + f64::from(c.to_digit(16).unwrap_or(0)));
    let value = digits(whole) + digits(fraction) / 16_f64.powi(i32::try_from(fraction.len()).unwrap_or(i32::MAX));
    let value = value * 2_f64.powi(exponent.parse().unwrap_or(0));
    if string.starts_with('-') { -value } else { value }
}
