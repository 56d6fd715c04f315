//! `fqdn_rand`

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::digests;
use crate::functions::join::joined;
use crate::functions::random::Random;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "fqdn_rand",
    signatures: &[("Any *$args", fqdn_rand)],
    doc: "Gives an Integer from 0 to below the first argument that looks random but is always the same for a node (its \
          fact `networking.fqdn`) and the further arguments, the seed. Use it to spread work over time: two nodes \
          most likely differ, one node never changes. `true` as third argument makes the case of the fact irrelevant.",
    examples: &[
        ("fqdn_rand(1)", "0"),
        ("fqdn_rand(60, 'backup') == fqdn_rand(60, 'backup')", "true"),
        ("fqdn_rand(60) =~ Integer[0, 59]", "true"),
    ],
};

fn fqdn_rand(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let arg = |at| args.get(at).unwrap_or(&Value::Undef);
    let max = match arg(0) {
        Value::Int(n) => *n,
        #[allow(clippy::cast_possible_truncation, reason = "what to_i does")]
        Value::Float(f) => *f as i64,
        Value::Str(text) => ruby::to_i(text),
        Value::Undef => 0,
        other => {
            return fail(format!("undefined method `to_i' for {}:{}", ruby::inspect(other), ruby::class_name(other)));
        }
    };
    number(call, max, arg(1), arg(2).truthy()).map(Value::Int)
}

/// The number for a maximum and a seed.
pub(super) fn number(call: &mut Call<'_, '_>, max: i64, seed: &Value, any_case: bool) -> Res<i64> {
    let facts = runtime3::facts(call)?;
    let fqdn = match facts.get("networking") {
        Some(Value::Hash(networking)) => networking.get("fqdn").cloned().unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    let fqdn = match (fqdn, any_case) {
        (Value::Str(fqdn), true) => Value::from(ruby::downcase(&fqdn)),
        (Value::Undef, true) => return fail("undefined method `downcase' for nil:NilClass"),
        (fqdn, _) => fqdn,
    };
    let seed = match seed {
        Value::Type(_) => Value::from(runtime3::to_s(seed).into_owned()),
        seed => seed.clone(),
    };
    let text = joined(&[fqdn, Value::Int(max), seed], ":");
    below(&text, max)
}

/// `Puppet::Util.deterministic_rand_int` with the MD5 digest of a text for seed.
pub(super) fn below(seed: &str, max: i64) -> Res<i64> {
    match u64::try_from(max) {
        Ok(limit) if limit > 0 => {
            let number = Random::from_hex(&digests::md5_hex(seed.as_bytes())).below(limit);
            Ok(i64::try_from(number).unwrap_or(i64::MAX))
        }
        _ => fail(format!("invalid argument - {max}")),
    }
}
