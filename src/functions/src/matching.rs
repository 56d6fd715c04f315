//! `match`

use crate::Function;
use crate::flatten::flat;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_regexp::Regexp;
use catwalk_value::Type;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "match",
    signatures: &[
        ("String $string, Variant[Any, Type] $pattern", match_one),
        ("Array[String] $string, Variant[Any, Type] $pattern", match_each),
    ],
    doc: "Matches a string with a regular expression, a pattern given as a string, or a type `Pattern` or `Regexp`. \
          Returns an array of the matched part and its groups, or `undef`; for an array of strings, an array of such \
          results.",
    examples: &[
        ("match('abc123', /([a-z]+)(\\d+)/)", "['abc123', 'abc', '123']"),
        ("match(['a1', 'b'], /\\d/)", "[['1'], undef]"),
        ("match('a', 'b')", "undef"),
    ],
};

fn match_one(call: &mut Call<'_, '_>) -> Res<Value> {
    match_string(call.str(0), call.arg(1), 0)
}

fn match_each(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Array(texts) = call.arg(0) else { return Ok(Value::Undef) };
    let answers: Res<Vec<Value>> =
        texts.iter().map(|string| match_string(string.as_str().unwrap_or_default(), call.arg(1), 0)).collect();
    Ok(Value::array(answers?))
}

fn match_string(string: &str, pattern: &Value, depth: usize) -> Res<Value> {
    if depth > 100 {
        return fail("the pattern is nested too deeply");
    }
    let first = |patterns: &mut dyn Iterator<Item = Value>| -> Res<Value> {
        for pattern in patterns {
            let answer = match_string(string, &pattern, depth + 1)?;
            if !answer.is_undef() {
                return Ok(answer);
            }
        }
        Ok(Value::Undef)
    };
    match pattern {
        Value::Str(source) => match_groups(string, &Regexp::new(source.as_ref())),
        Value::Regexp(regexp) => match_groups(string, regexp),
        Value::Array(patterns) => first(&mut flat(patterns).into_iter()),
        Value::Type(Type::Regexp(Some(regexp))) => match_groups(string, regexp),
        Value::Type(Type::Regexp(None)) => fail("Given Regexp Type has no regular expression"),
        Value::Type(Type::Pattern(patterns)) => first(&mut patterns.iter().cloned().map(Value::Regexp)),
        Value::Type(Type::Variant(types)) => first(&mut types.iter().cloned().map(Value::Type)),
        Value::Type(Type::Alias(alias)) => match alias.resolved() {
            Some(t) => match_string(string, &Value::Type(t.clone()), depth + 1),
            None => Ok(Value::Undef),
        },
        other => fail(format!(
            "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {}",
            catwalk_value::ruby_class(other)
        )),
    }
}

fn match_groups(string: &str, regexp: &Regexp) -> Res<Value> {
    let captures = regexp.captures(string).map_err(|error| Reason::runtime(error.message().to_owned()))?;
    Ok(match captures {
        Some(captures) => Value::array(captures.iter().map(|group| group.map_or(Value::Undef, Value::from)).collect()),
        None => Value::Undef,
    })
}
