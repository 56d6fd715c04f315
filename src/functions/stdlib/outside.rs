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
    doc: "A debugger of Ruby; there is none.",
    examples: &[],
};

pub(super) const VALIDATE_AUGEAS: Function = Function {
    name: "validate_augeas",
    signatures: &[("Any *$args", |call| call.unsupported("validate_augeas()"))],
    doc: "Fails unless a text parses with an Augeas lens.",
    examples: &[],
};

pub(super) const VALIDATE_CMD: Function = Function {
    name: "validate_cmd",
    signatures: &[("Any *$args", validate_cmd)],
    doc: "Fails unless a command accepts a text in a file.",
    examples: &[],
};

pub(super) const VALIDATE_X509_RSA_KEY_PAIR: Function = Function {
    name: "validate_x509_rsa_key_pair",
    signatures: &[("Any *$args", validate_x509_rsa_key_pair)],
    doc: "Fails unless a certificate and an RSA key belong together.",
    examples: &[],
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
