//! `regsubst`

use std::borrow::Cow;
use std::sync::Arc;

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_regexp as regexp;
use catwalk_regexp::Captures;
use catwalk_regexp::Regexp;
use catwalk_regexp::RegexpError;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "regsubst",
    signatures: &[
        (
            "Variant[Array[String],String] $target, String $pattern, \
             Variant[String,Hash[String,String]] $replacement, Optional[Pattern[/^[GEIM]*$/]] $flags = undef, \
             Enum['N','E','S','U'] $encoding = undef",
            with_text,
        ),
        (
            "Variant[Array[String],String] $target, Variant[Regexp,Type[Regexp]] $pattern, \
             Variant[String,Hash[String,String]] $replacement, Pattern[/^G?$/] $flags = undef",
            with_regexp,
        ),
    ],
    doc: "Replaces what matches a pattern in a string, or in each string of an array: the first match, or with the \
          flag `G` all matches. The pattern is a regular expression or a string; in the replacement `\\1` is a group \
          and `\\0` the whole match; a hash maps matches to replacements. Further flags, only for a pattern given as a \
          string: `E` extended syntax, `I` ignore case, `M` `.` also matches line ends.",
    examples: &[
        ("regsubst('a.b.c', '\\.', '-')", "'a-b.c'"),
        ("regsubst('a.b.c', /\\./, '-', 'G')", "'a-b-c'"),
        ("regsubst(['ab', 'cb'], /(.)b/, 'b\\1')", "['ba', 'bc']"),
        ("regsubst('cat', /[ct]/, {'c' => 'b', 't' => 'r'}, 'G')", "'bar'"),
    ],
};

/// `regsubst` of Puppet 8: a `Sensitive` target has a `Sensitive` result, except inside an array.
pub(super) const FUNCTION_8: Function = Function {
    signatures: &[
        (
            "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],\
             Variant[String,Sensitive[String]]] $target, String $pattern, \
             Variant[String,Hash[String,String]] $replacement, Optional[Pattern[/^[GEIM]*$/]] $flags = undef, \
             Enum['N','E','S','U'] $encoding = undef",
            with_text_8,
        ),
        (WITH_REGEXP, with_regexp),
    ],
    ..FUNCTION
};

const WITH_REGEXP: &str = "Variant[Array[Variant[String,Sensitive[String]]],\
    Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive[String]]] $target, \
    Variant[Regexp,Type[Regexp]] $pattern, Variant[String,Hash[String,String]] $replacement, Pattern[/^G?$/] $flags = undef";

/// `regsubst` of OpenVox 9, without an encoding.
pub(super) const FUNCTION_9: Function = Function {
    signatures: &[
        (
            "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],\
             Variant[String,Sensitive[String]]] $target, String $pattern, \
             Variant[String,Hash[String,String]] $replacement, Optional[Pattern[/^[GEIM]*$/]] $flags = undef",
            without_encoding,
        ),
        (WITH_REGEXP, with_regexp),
    ],
    ..FUNCTION
};

fn without_encoding(call: &mut Call<'_, '_>) -> Res<Value> {
    substitute_string_pattern(call, false)
}

fn with_text_8(call: &mut Call<'_, '_>) -> Res<Value> {
    if !call.arg(4).is_undef() && call.ev.settings.version.regsubst_encoding_ignored {
        let message = "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a \
                    future release";
        runtime3::warn_once_without_position(call, message);
    }
    substitute_string_pattern(call, false)
}

fn with_text(call: &mut Call<'_, '_>) -> Res<Value> {
    let bytes = call.arg(4).as_str() == Some("N");
    substitute_string_pattern(call, bytes)
}

/// Properties of characters that binary expressions support.
const BINARY_PROPERTIES: &[&str] = &[
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit",
    "word", "ascii",
];

/// A property of characters in an expression that only Unicode defines.
fn unicode_property(source: &str) -> Option<&str> {
    let starts = source.match_indices("\\p{").chain(source.match_indices("\\P{"));
    starts
        .filter(|(at, _)| source[..*at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0)
        .filter_map(|(at, _)| source.get(at + 3..)?.split_once('}').map(|(name, _)| name))
        .find(|name| !BINARY_PROPERTIES.contains(&name.trim_start_matches('^').to_lowercase().as_str()))
}

fn substitute_string_pattern(call: &mut Call<'_, '_>, bytes: bool) -> Res<Value> {
    let source = call.str(1);
    let flags = call.str(3);
    if bytes {
        let marks: String = [('M', 'm'), ('I', 'i'), ('E', 'x')]
            .into_iter()
            .filter(|(flag, _)| flags.contains(*flag))
            .map(|(_, mark)| mark)
            .collect();
        if let Some(name) = unicode_property(source) {
            let message = format!("invalid character property name {{{name}}}: /{source}/{marks}");
            return Err(Reason::runtime(message).into());
        }
    }
    let mut options = String::new();
    for (flag, option) in [('E', 'x'), ('I', 'i'), ('M', 'm')] {
        if flags.contains(flag) {
            options.push(option);
        }
    }
    // In extended syntax, a comment at the end would include the parenthesis.
    let end = if options.starts_with('x') { "\n)" } else { ")" };
    let regexp =
        if options.is_empty() { Regexp::new(source) } else { Regexp::new(format!("(?{options}:{source}{end}")) };
    if let Err(error) = regexp.check() {
        if options.is_empty() {
            return Err(Reason::runtime(error.message().to_owned()).into());
        }
        // Remove the parentheses for the flags from the message.
        let error = Regexp::new(source).check().err().unwrap_or(error);
        // Ruby prints the flags after the expression.
        let marks: String = "mix".chars().filter(|mark| options.contains(*mark)).collect();
        let printed = format!("/{}/", regexp.source());
        let message = error.message().replace(&printed, &format!("/{source}/"));
        let message = message.replace(&format!("/{source}/"), &format!("/{source}/{marks}"));
        return Err(Reason::runtime(message).into());
    }
    // An expression with character properties or non-ASCII characters is a binary one.
    if bytes && (!source.is_ascii() || source.contains("\\p{") || source.contains("\\P{")) {
        let foreign = |value: &Value| value.as_str().is_some_and(|string| !string.is_ascii());
        let matches_unicode = match call.arg(0) {
            Value::Array(texts) => texts.iter().any(foreign),
            string => foreign(string),
        };
        if matches_unicode {
            let message = "incompatible encoding regexp match (ASCII-8BIT regexp with UTF-8 string)";
            return Err(Reason::runtime(message).into());
        }
    }
    substitute(call, &regexp, flags.contains('G'))
}

fn with_regexp(call: &mut Call<'_, '_>) -> Res<Value> {
    let regexp = match call.arg(1) {
        Value::Regexp(regexp) => Arc::clone(regexp),
        // For a type, Puppet takes the pattern's source as a plain string to search for.
        Value::Type(Type::Regexp(Some(regexp))) => Arc::new(Regexp::new(regexp::escape(regexp.source()))),
        // `Regexp` without a pattern is the empty expression.
        _ => Arc::new(Regexp::new("")),
    };
    let all = call.arg(3).as_str() == Some("G");
    substitute(call, &regexp, all)
}

fn substitute(call: &Call<'_, '_>, regexp: &Regexp, all: bool) -> Res<Value> {
    let replacement = call.arg(2);
    let substitute_in = |value: &Value| -> Result<Value, Reason> {
        let Value::Str(string) = value else { return Ok(Value::Undef) };
        let failed = |error: RegexpError| Reason::runtime(error.message().to_owned());
        let replaced: Cow<'_, str> = match replacement {
            Value::Hash(table) => {
                let write = |captures: &Captures<'_>, out: &mut String| -> Result<(), RegexpError> {
                    meter::push_str(out, table.get(captures.matched()).and_then(Value::as_str).unwrap_or_default());
                    Ok(())
                };
                regexp.replace(string, if all { usize::MAX } else { 1 }, write).map_err(failed)?
            }
            other => {
                let with = other.as_str().unwrap_or_default();
                let replaced = if all { regexp.replace_all(string, with) } else { regexp.replace_first(string, with) };
                replaced.map_err(failed)?
            }
        };
        meter::check_allocation(replaced.len());
        Ok(Value::derived(string, replaced))
    };
    let item = |item: &Value| -> Result<Value, Reason> {
        match item {
            Value::Sensitive(string) => {
                secret::reveal(string, call.ev.world.secrets());
                let changed = substitute_in(string)?;
                secret::conceal(&changed, call.ev.world.secrets());
                Ok(Value::Sensitive(Arc::new(changed)))
            }
            string => substitute_in(string),
        }
    };
    let list = match call.arg(0) {
        Value::Sensitive(inner) if matches!(inner.as_ref(), Value::Array(_)) => inner.as_ref(),
        target => target,
    };
    Ok(match list {
        Value::Array(texts) => Value::array(texts.iter().map(item).collect::<Result<_, Reason>>()?),
        string => item(string)?,
    })
}
