//! `pry`, `validate_augeas`, `validate_cmd`, `validate_x509_rsa_key_pair`: their arguments are checked; what they ask of
//! programs and libraries outside is not built.

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;

pub(super) const PRY: Function = Function {
    name: "pry",
    signatures: &[("Any *$args", |_| fail("pry(): Requires the 'pry' rubygem to use, but it was not found"))],
    doc: "Would start a debugger of Ruby. There is none here, so it always fails.",
    examples: &[
        ("pry()", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
        ("pry('x')", "error: pry(): Requires the 'pry' rubygem to use, but it was not found"),
    ],
};

pub(super) const VALIDATE_AUGEAS: Function = Function {
    name: "validate_augeas",
    signatures: &[("Any *$args", |call| call.unsupported("validate_augeas()"))],
    doc: "Fails unless a text can be parsed with an Augeas lens and the tests on its tree hold. Needs Augeas on the \
          compiling machine, which Catwalk does not use.",
    examples: &[("defined('validate_augeas')", "false"), ("if false { validate_augeas('a', 'Passwd.lns') }", "undef")],
};

pub(super) const VALIDATE_CMD: Function = Function {
    name: "validate_cmd",
    signatures: &[("Any *$args", validate_cmd)],
    doc: "Fails unless a command accepts a text: it is written to a file whose name replaces `%` in the command or is \
          put at its end. A third argument is the message. Not built yet: fails.",
    examples: &[
        ("validate_cmd('x')", "error: validate_cmd(): wrong number of arguments (1; must be 2 or 3)"),
        ("validate_cmd('x', 'a', 'b', 'c')", "error: validate_cmd(): wrong number of arguments (4; must be 2 or 3)"),
    ],
};

pub(super) const VALIDATE_X509_RSA_KEY_PAIR: Function = Function {
    name: "validate_x509_rsa_key_pair",
    signatures: &[("Any *$args", validate_x509_rsa_key_pair)],
    doc: "Fails unless a certificate and an RSA key, both as PEM text, belong together. Not built yet: fails.",
    examples: &[
        (
            "validate_x509_rsa_key_pair('x')",
            "error: validate_x509_rsa_key_pair(): wrong number of arguments (1; must be 2)",
        ),
        ("validate_x509_rsa_key_pair(1, 2)", "error: 1 is not a string."),
    ],
};

fn validate_cmd(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 || args.len() > 3 {
        return fail(format!("validate_cmd(): wrong number of arguments ({}; must be 2 or 3)", args.len()));
    }
    call.unsupported("validate_cmd()")
}

fn validate_x509_rsa_key_pair(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 2 {
        let given = args.len();
        return fail(format!("validate_x509_rsa_key_pair(): wrong number of arguments ({given}; must be 2)"));
    }
    if let Some(other) = args.iter().find(|arg| arg.as_str().is_none()) {
        return fail(format!("{} is not a string.", ruby::inspect(other)));
    }
    call.unsupported("validate_x509_rsa_key_pair()")
}
