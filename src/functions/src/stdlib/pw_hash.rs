//! `pw_hash`: password hashes of `crypt(3)`.

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Str;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby::crypt;
use catwalk_value::secret;

pub(super) const FUNCTION: Function = Function {
    name: "pw_hash",
    signatures: &[("Any *$args", |call| pw_hash(call, false))],
    doc: "Returns the hash of a password as the C library's `crypt` does: `pw_hash(PASSWORD, KIND, SALT)` with the \
          kinds `md5`, `sha-256` and `sha-512`. `undef` or the empty string as password returns `undef`.",
    examples: &[
        ("pw_hash('password', 'md5', 'salt')", "'$1$salt$qJH7.N4xYta3aEG/dfqo/0'"),
        ("pw_hash('password', 'sha-256', 'salt')", "'$5$salt$Gcm6FsVtF/Qa77ZKD.iwsJlCVPY0XSMgLJL0Hnww/c1'"),
        ("pw_hash(undef, 'md5', 'salt')", "undef"),
    ],
};

/// `pw_hash` of stdlib 9, which checks the cost of bcrypt.
pub(super) const FUNCTION_9: Function = Function {
    name: "pw_hash",
    signatures: &[("Any *$args", |call| pw_hash(call, true))],
    doc: FUNCTION.doc,
    examples: FUNCTION.examples,
};

fn pw_hash(call: &mut Call<'_, '_>, nine: bool) -> Res<Value> {
    let args = runtime3::exactly(call, 3)?;
    let arg = |at: usize| match args.get(at) {
        Some(Value::Sensitive(inner)) => {
            secret::reveal(inner, call.ev.world.secrets());
            inner.as_ref().clone()
        }
        other => other.cloned().unwrap_or(Value::Undef),
    };
    let password = arg(0);
    if !matches!(password, Value::Str(_) | Value::Undef) {
        return fail("pw_hash(): first argument must be a string");
    }
    let Value::Str(kind) = arg(1) else { return fail("pw_hash(): second argument must be a string") };
    let algorithm = ruby::downcase(&kind);
    let is_bcrypt = matches!(algorithm.as_str(), "bcrypt" | "bcrypt-a" | "bcrypt-x" | "bcrypt-y");
    if !is_bcrypt && !matches!(algorithm.as_str(), "md5" | "sha-256" | "sha-512") {
        return fail(format!("pw_hash(): {kind} is not a valid hash type"));
    }
    let Value::Str(salt) = arg(2) else { return fail("pw_hash(): third argument must be a string") };
    if salt.is_empty() {
        return fail("pw_hash(): third argument must not be empty");
    }
    if is_bcrypt {
        check_bcrypt_salt(&salt, nine)?;
    } else if !is_salt(&salt) {
        return fail("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]");
    }
    let Some(password) = password.as_str().filter(|password| !password.is_empty()) else {
        return Ok(Value::Undef);
    };
    // The length limit of crypt(3).
    if password.len() >= 512 {
        return fail("pw_hash(): the password is longer than 511 bytes");
    }
    if is_bcrypt {
        let variant = match algorithm.strip_prefix("bcrypt-") {
            Some("a") => "2a",
            Some("x") => "2x",
            Some("y") => "2y",
            _ => "2b",
        };
        let hash = crypt::bcrypt(variant, password.as_bytes(), &salt).map_err(Reason::runtime)?;
        // The result of crypt(3) for invalid input.
        return Ok(Value::Str(Str::binary(hash.as_deref().unwrap_or("*0"))));
    }
    let (password, salt) = (password.as_bytes(), salt.as_bytes());
    let hash = match algorithm.as_str() {
        "md5" => crypt::md5(password, salt),
        "sha-256" => crypt::sha256(password, salt),
        _ => crypt::sha512(password, salt),
    };
    Ok(Value::Str(Str::binary(hash)))
}

fn is_salt(salt: &str) -> bool {
    salt.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'))
}

/// Fails unless a salt consists of a cost, a dollar sign and 22 characters; the function of stdlib 9 checks the cost, too.
fn check_bcrypt_salt(salt: &str, nine: bool) -> Res<()> {
    let bytes = salt.as_bytes();
    let digits = bytes.iter().take(2).filter(|byte| byte.is_ascii_digit()).count();
    let is_well_formed = digits == 2 && bytes.get(2) == Some(&b'$') && salt.get(3..25).is_some_and(is_salt);
    let cost = salt.get(..2).and_then(|cost| cost.parse::<u32>().ok()).unwrap_or(0);
    if is_well_formed && (!nine || (4..=31).contains(&cost)) {
        return Ok(());
    }
    let cost = if nine { "(0[4-9]|[12][0-9]|3[01])" } else { "[0-9]{2}" };
    fail(format!("pw_hash(): characters in salt must match (?-mix:^{cost}\\$[.\\/A-Za-z0-9]{{22}})"))
}
