//! `shellquote`

use crate::Function;
use crate::flatten::flat;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "shellquote",
    signatures: &[("Any *$args", shellquote)],
    doc: "Quotes its arguments for a Bourne shell, each as one word, and joins them with spaces: safe words stay, \
          others are quoted or escaped. Arrays are flattened.",
    examples: &[("shellquote('a', ['b c', 'd\"e'])", "'a \"b c\" \\'d\"e\\''"), ("shellquote('')", "'\"\"'")],
};

fn shellquote(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let mut words = Vec::new();
    for word in flat(&args) {
        let Value::Str(word) = &word else {
            return fail(match &word {
                Value::Hash(_) => "no implicit conversion of Hash into String".to_owned(),
                Value::Sensitive(_) => "undefined method `length' for #<Sensitive [value redacted]>".to_owned(),
                Value::Type(Type::Resource(_) | Type::Class(_)) => {
                    "no implicit conversion of Puppet::Resource into String".to_owned()
                }
                symbol @ (Value::Default | Value::Symbol(_)) => {
                    format!("undefined method `count' for {}", ruby::receiver(symbol))
                }
                other => format!("undefined method `length' for {}", ruby::receiver(other)),
            });
        };
        words.push(quote(word));
    }
    Ok(Value::from(words.join(" ")))
}

fn quote(word: &str) -> String {
    let is_safe =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '%' | '_' | '+' | '=' | ':' | ',' | '.' | '/' | '-');
    let is_dangerous = |c: char| matches!(c, '!' | '"' | '`' | '$' | '\\');
    if !word.is_empty() && word.chars().all(is_safe) {
        word.to_owned()
    } else if !word.contains(is_dangerous) {
        format!("\"{word}\"")
    } else if !word.contains('\'') {
        format!("'{word}'")
    } else {
        let mut out = String::from("\"");
        for c in word.chars() {
            if is_dangerous(c) {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
        out
    }
}
