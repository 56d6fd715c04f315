//! `fqdn_rand`

use num_bigint::Sign;

use crate::Function;
use crate::digests;
use crate::join::join_strings;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby::Random;

pub(super) const FUNCTION: Function = Function {
    name: "fqdn_rand",
    signatures: &[("Any *$args", fqdn_rand)],
    doc: "Returns a pseudo-random Integer from 0 up to, but not including, the first argument. It depends only on the \
          node (its fact `networking.fqdn`) and on the further arguments, the seed. Use it to spread work over time. \
          `true` as third argument ignores the case of the fact.",
    examples: &[
        ("fqdn_rand(1)", "0"),
        ("fqdn_rand(60, 'backup') == fqdn_rand(60, 'backup')", "true"),
        ("fqdn_rand(60) =~ Integer[0, 59]", "true"),
    ],
};

fn fqdn_rand(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let arg = |at| args.get(at).unwrap_or(&Value::Undef);
    let Some(max) = ruby::to_integer(arg(0)) else {
        return runtime3::no_method("to_i", arg(0));
    };
    random_number(call, max, arg(1), arg(2).truthy())
}

/// The number for a maximum and a seed.
pub(super) fn random_number(call: &mut Call<'_, '_>, max: Value, seed: &Value, any_case: bool) -> Res<Value> {
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
    let seed = convert_references(seed);
    let string = join_strings(&[fqdn, max.clone(), seed], ":");
    random_below(&string, &max)
}

/// Converts references in a list to the strings of resources.
fn convert_references(seed: &Value) -> Value {
    match seed {
        Value::Type(_) => Value::from(runtime3::to_s(seed).into_owned()),
        Value::Array(items) => Value::array(items.iter().map(convert_references).collect()),
        seed => seed.clone(),
    }
}

/// `Puppet::Util.deterministic_rand_int` with the MD5 digest of a string as seed.
pub(super) fn random_below(seed: &str, max: &Value) -> Res<Value> {
    match max.as_big() {
        Some(max) if max.sign() == Sign::Plus => {
            let mut random = Random::from_hex(&digests::md5_hex(seed.as_bytes()));
            Ok(match u64::try_from(&max) {
                Ok(max) => Value::integer(random.below(max)),
                Err(_) => Value::integer(random.below_big(&max)),
            })
        }
        _ => fail(format!("invalid argument - {}", ruby::to_s(max))),
    }
}
