//! Escaping for shells: `batch_escape`, `powershell_escape`, `shell_escape`, `shell_join`, `shell_split`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const BATCH_ESCAPE: Function = Function {
    name: "batch_escape",
    signatures: &[("Any $string", batch)],
    doc: "Quotes a string as one word for a Windows batch file.",
    examples: &[("batch_escape('a\"b$')", "'\"a\"\"b\\$\"'"), ("batch_escape('a')", "'\"a\"'")],
};

pub(super) const STDLIB_BATCH_ESCAPE: Function = Function {
    name: "stdlib::batch_escape",
    signatures: &[("Any $string", batch)],
    doc: "Quotes a string as one word for a Windows batch file.",
    examples: &[("stdlib::batch_escape('a')", "'\"a\"'"), ("stdlib::batch_escape('a\"b')", "'\"a\"\"b\"'")],
};

pub(super) const POWERSHELL_ESCAPE: Function = Function {
    name: "powershell_escape",
    signatures: &[("Any $string", powershell)],
    doc: "Escapes the special characters of PowerShell in a string.",
    examples: &[("powershell_escape('a b')", "'a` b'"), ("powershell_escape('a|b')", "'a`|b'")],
};

pub(super) const STDLIB_POWERSHELL_ESCAPE: Function = Function {
    name: "stdlib::powershell_escape",
    signatures: &[("Any $string", powershell)],
    doc: "Escapes the special characters of PowerShell in a string.",
    examples: &[("stdlib::powershell_escape('a|b')", "'a`|b'"), ("stdlib::powershell_escape('a b')", "'a` b'")],
};

pub(super) const SHELL_ESCAPE: Function = Function {
    name: "shell_escape",
    signatures: &[("Any $string", shell_escape)],
    doc: "Escapes a string so that a Bourne shell reads it as one word.",
    examples: &[("shell_escape('a b')", "'a\\ b'"), ("shell_escape('')", "\"''\"")],
};

pub(super) const STDLIB_SHELL_ESCAPE: Function = Function {
    name: "stdlib::shell_escape",
    signatures: &[("Any $string", shell_escape)],
    doc: "Escapes a string so that a Bourne shell reads it as one word.",
    examples: &[("stdlib::shell_escape('a;b')", "'a\\;b'"), ("stdlib::shell_escape('a b')", "'a\\ b'")],
};

pub(super) const SHELL_JOIN: Function = Function {
    name: "shell_join",
    signatures: &[("Any *$args", shell_join)],
    doc: "Escapes the elements of an array and joins them with spaces to a command line for a Bourne shell.",
    examples: &[("shell_join(['echo', 'a b'])", "'echo a\\ b'"), ("shell_join([])", "''")],
};

pub(super) const SHELL_SPLIT: Function = Function {
    name: "shell_split",
    signatures: &[("Any *$args", shell_split)],
    doc: "Splits a string into words as a Bourne shell does.",
    examples: &[("shell_split('echo \"a b\" c')", "['echo', 'a b', 'c']"), ("shell_split('')", "[]")],
};

fn batch(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut out = String::from("\"");
    for c in ruby::to_s(call.arg(0)).chars() {
        match c {
            '"' => out.push_str("\"\""),
            '$' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(Value::from(out))
}

fn powershell(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut out = String::new();
    for c in ruby::to_s(call.arg(0)).chars() {
        match c {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => out.extend(['`', c]),
            '"' => out.push_str("\\`\""),
            c => out.push(c),
        }
    }
    Ok(Value::from(out))
}

fn shell_escape(call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(Value::from(ruby::shellescape(&ruby::to_s(call.arg(0)))))
}

fn shell_join(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [Value::Array(items)] => {
            items
                .iter()
                .filter(|item| matches!(item, Value::Array(_) | Value::Hash(_)))
                .try_for_each(runtime3::check_printable)?;
            let words: Vec<String> = items.iter().map(|item| ruby::shellescape(&runtime3::to_s(item))).collect();
            Ok(Value::from(words.join(" ")))
        }
        [other] => fail(format!("First argument is not an Array: {}", runtime3::inspect(other)?)),
        args => fail(format!("shell_join(): Wrong number of arguments given ({} for 1)", args.len())),
    }
}

fn shell_split(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [value] => match ruby::shellsplit(&ruby::to_s(value)) {
            // Ruby collects each word in a binary string, which becomes UTF-8 with the first character that is not ASCII.
            Some(words) => {
                let word =
                    |word: String| if word.is_ascii() { Value::Str(Str::binary(word)) } else { Value::from(word) };
                Ok(Value::array(words.into_iter().map(word).collect()))
            }
            None => fail(format!("Unmatched quote: {}", runtime3::inspect(value)?)),
        },
        args => fail(format!("shell_split(): Wrong number of arguments given ({} for 1)", args.len())),
    }
}
