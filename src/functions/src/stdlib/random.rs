//! `fqdn_rand_string`, `fqdn_rotate`, `fqdn_uuid`, `seeded_rand`, `seeded_rand_string`, `shuffle` and their names in
//! `stdlib::`

use catwalk_base::meter;
use sha1::Digest;

use crate::Function;
use crate::digests;
use crate::fqdn_rand;
use crate::join::join_strings;
use crate::stdlib::checks;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby::Random;

pub(super) const FQDN_RAND_STRING: Function = Function {
    name: "fqdn_rand_string",
    signatures: &[("Any *$args", fqdn_rand_string)],
    doc: "Returns a pseudo-random string of the given length that depends only on the node and a seed. The second \
          argument holds the characters to use (letters and digits by default), further ones are the seed.",
    examples: &[("fqdn_rand_string(3, 'a')", "'aaa'"), ("fqdn_rand_string(10) == fqdn_rand_string(10)", "true")],
};

pub(super) const STDLIB_FQDN_RAND_STRING: Function = Function {
    name: "stdlib::fqdn_rand_string",
    signatures: &[("Integer[1] $length, Optional[String] $charset = undef, Any *$seed", |call| {
        rand_string(call, call.int(0).unwrap_or(0), call.str(1), call.args.get(2..).unwrap_or_default())
    })],
    doc: "Returns a pseudo-random string of the given length that depends only on the node and a seed. The second \
          argument holds the characters to use, further ones are the seed.",
    examples: &[("stdlib::fqdn_rand_string(2, 'b')", "'bb'"), ("length(stdlib::fqdn_rand_string(10))", "10")],
};

pub(super) const FQDN_ROTATE: Function = Function {
    name: "fqdn_rotate",
    signatures: &[("Any *$args", fqdn_rotate)],
    doc: "Rotates the elements of an array, or the characters of a string, by an amount that depends only on the node \
          and on the further arguments, the seed.",
    examples: &[("fqdn_rotate(['a'])", "['a']"), ("sort(fqdn_rotate(['c', 'a', 'b'], 'seed'))", "['a', 'b', 'c']")],
};

pub(super) const STDLIB_FQDN_ROTATE: Function = Function {
    name: "stdlib::fqdn_rotate",
    signatures: &[
        ("String $input, Variant[Integer,String] *$seeds >> String", |call| {
            let seeds = call.args.get(1..).unwrap_or_default();
            let fqdn = networking_fqdn(call);
            // Puppet passes the seeds as one array, which joins to the same string.
            Ok(rotate(call.arg(0), &fqdn, seeds))
        }),
        ("Array $input, Variant[Integer,String] *$seeds >> Array", |call| {
            let seeds = call.args.get(1..).unwrap_or_default();
            let fqdn = networking_fqdn(call);
            Ok(rotate(call.arg(0), &fqdn, seeds))
        }),
    ],
    doc: "Rotates the elements of an array, or the characters of a string, by an amount that depends only on the node \
          and on the further arguments, the seed.",
    examples: &[
        ("stdlib::fqdn_rotate('a')", "'a'"),
        ("sort(stdlib::fqdn_rotate(['c', 'a', 'b'], 'seed'))", "['a', 'b', 'c']"),
    ],
};

pub(super) const FQDN_UUID: Function = Function {
    name: "fqdn_uuid",
    signatures: &[("Any *$args", fqdn_uuid)],
    doc: "Returns the version 5 UUID of a domain name.",
    examples: &[
        ("fqdn_uuid('puppetlabs.com')", "'9c70320f-6815-5fc5-ab0f-debe68bf764c'"),
        ("length(fqdn_uuid('example.com'))", "36"),
    ],
};

pub(super) const SEEDED_RAND: Function = Function {
    name: "seeded_rand",
    signatures: &[("Any *$args", seeded_rand)],
    doc: "Returns a pseudo-random Integer from 0 up to, but not including, the first argument; it depends only on the \
          second, the seed.",
    examples: &[("seeded_rand(1000, 'foo')", "641"), ("seeded_rand(1, 'foo')", "0")],
};

pub(super) const STDLIB_SEEDED_RAND: Function = Function {
    name: "stdlib::seeded_rand",
    signatures: &[("Integer[1] $max, String $seed", |call| fqdn_rand::random_below(call.str(1), call.arg(0)))],
    doc: "Returns a pseudo-random Integer from 0 up to, but not including, the first argument; it depends only on the \
          seed.",
    examples: &[("stdlib::seeded_rand(1, 'foo')", "0"), ("stdlib::seeded_rand(1000, 'foo')", "641")],
};

pub(super) const SEEDED_RAND_STRING: Function = Function {
    name: "seeded_rand_string",
    signatures: &[("Integer[1] $length, String $seed, String[2] $charset = ''", seeded_rand_string)],
    doc: "Returns a pseudo-random string of the given length that depends only on the seed. A third argument holds the \
          characters to use, letters and digits by default.",
    examples: &[
        ("length(seeded_rand_string(8, 'seed'))", "8"),
        ("seeded_rand_string(8, 'seed', 'ab') =~ Pattern[/\\A[ab]{8}\\z/]", "true"),
    ],
};

pub(super) const STDLIB_SEEDED_RAND_STRING: Function = Function {
    name: "stdlib::seeded_rand_string",
    signatures: &[("Integer[1] $length, String $seed, String[2] $charset = ''", seeded_rand_string)],
    doc: "Returns a pseudo-random string of the given length that depends only on the seed. A third argument holds the \
          characters to use, letters and digits by default.",
    examples: &[
        ("length(stdlib::seeded_rand_string(8, 'seed'))", "8"),
        ("stdlib::seeded_rand_string(8, 'seed', 'ab') =~ Pattern[/\\A[ab]{8}\\z/]", "true"),
    ],
};

pub(super) const SHUFFLE: Function = Function {
    name: "shuffle",
    signatures: &[("Any *$args", shuffle)],
    doc: "Returns an array or string in random order. The order differs at each compile, so resources made from it \
          change each time: use `fqdn_rotate` for a stable order.",
    examples: &[("shuffle(['a'])", "['a']"), ("sort(shuffle([3, 1, 2]))", "[1, 2, 3]")],
};

/// The maximum length of a string.
const MAX_LENGTH: i64 = 1_000_000;

fn networking_fqdn(call: &Call<'_, '_>) -> Value {
    match call.ev.fact("networking") {
        Some(Value::Hash(networking)) => networking.get("fqdn").cloned().unwrap_or(Value::Undef),
        _ => Value::Undef,
    }
}

fn rand_string(call: &mut Call<'_, '_>, length: i64, charset: &str, seeds: &[Value]) -> Res<Value> {
    const ALNUM: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if length > MAX_LENGTH {
        return fail(format!("{}(): {length} characters are too many", call.name));
    }
    let charset: Vec<char> = if charset.is_empty() { ALNUM } else { charset }.chars().collect();
    let size = i64::try_from(charset.len()).unwrap_or(i64::MAX);
    let mut out = String::new();
    for at in 1..=length {
        let mut seed = seeds.to_vec();
        seed.push(Value::Int(at));
        let seed = Value::from(join_strings(&seed, ":"));
        let index = fqdn_rand::random_number(call, Value::Int(size), &seed, false)?;
        out.extend(index.as_int_within().and_then(|index| charset.get(usize::try_from(index).ok()?)));
    }
    Ok(Value::from(out))
}

fn fqdn_rand_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let first = args.first().unwrap_or(&Value::Undef);
    let length = if checks::is_integer(first) { ruby::to_i(&ruby::to_s(first)) } else { 0 };
    if length <= 0 {
        return fail("fqdn_rand_string(): first argument must be a positive integer");
    }
    let charset = match args.get(1) {
        None | Some(Value::Undef) => "",
        Some(Value::Str(charset)) => charset,
        Some(_) => return fail("fqdn_rand_string(): second argument must be undef or a string"),
    };
    let seeds: Vec<Value> = args.iter().skip(2).map(runtime3::resources_as_strings).collect();
    rand_string(call, length, charset, &seeds)
}

fn fqdn_rotate(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let Some((value, seeds)) = args.split_first() else {
        return fail("fqdn_rotate(): Wrong number of arguments given (0 for 1)");
    };
    if !matches!(value, Value::Array(_) | Value::Str(_)) {
        return fail("fqdn_rotate(): Requires either array or string to work with");
    }
    // A value without an order is returned unchanged, also if the position is invalid.
    match value {
        Value::Array(items) if items.len() < 2 => return Ok(value.clone()),
        Value::Str(string) if string.chars().nth(1).is_none() => return Ok(value.clone()),
        _ => {}
    }
    let fqdn = runtime3::lookupvar(call, "::fqdn")?;
    let seeds: Vec<Value> = seeds.iter().map(runtime3::resources_as_strings).collect();
    Ok(rotate(value, &fqdn, &seeds))
}

fn rotate(value: &Value, fqdn: &Value, seeds: &[Value]) -> Value {
    let mut seed = vec![fqdn.clone()];
    seed.push(Value::array(seeds.to_vec()));
    // An empty array of seeds joins as one empty part.
    let string = if seeds.is_empty() { format!("{}:", ruby::to_s(fqdn)) } else { join_strings(&seed, ":") };
    let offset = |length: usize| -> usize {
        let number = Random::from_hex(&digests::md5_hex(string.as_bytes())).below(length as u64);
        usize::try_from(number).unwrap_or(0)
    };
    match value {
        Value::Array(items) if items.len() > 1 => {
            let mut items = meter::to_vec(items);
            let by = offset(items.len());
            items.rotate_left(by);
            Value::array(items)
        }
        Value::Str(string) if string.chars().nth(1).is_some() => {
            let mut chars: Vec<char> = string.chars().collect();
            let by = offset(chars.len());
            chars.rotate_left(by);
            Value::from(chars.into_iter().collect::<String>())
        }
        other => other.clone(),
    }
}

fn fqdn_uuid(call: &mut Call<'_, '_>) -> Res<Value> {
    const DNS: [u8; 16] =
        [0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
    let args = runtime3::args(call)?;
    let name = match args.as_ref() {
        [] => return fail("fqdn_uuid: No arguments given"),
        [Value::Str(name)] => name.as_ref(),
        [other] => {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(other)));
        }
        args => return fail(format!("fqdn_uuid: Too many arguments given ({})", args.len())),
    };
    let mut sha1 = sha1::Sha1::new();
    sha1.update(DNS);
    sha1.update(name.as_bytes());
    let mut bytes: Vec<u8> = sha1.finalize().iter().copied().take(16).collect();
    if let [_, _, _, _, _, _, version, _, variant, ..] = bytes.as_mut_slice() {
        *version = (*version & 0x0f) | 0x50;
        *variant = (*variant & 0x3f) | 0x80;
    }
    let hex = digests::hex(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    Ok(Value::from(parts.join("-")))
}

fn seeded_rand(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::exactly(call, 2)?;
    let first = args.first().unwrap_or(&Value::Undef);
    let max = if checks::is_integer(first) { ruby::to_integer(first) } else { None };
    let Some(max) = max.filter(|max| max.as_int_within().is_some_and(|max| max > 0)) else {
        return fail("seeded_rand(): first argument must be a positive integer");
    };
    match args.get(1) {
        Some(Value::Str(seed)) => fqdn_rand::random_below(seed, &max),
        _ => fail("seeded_rand(): second argument must be a string"),
    }
}

fn seeded_rand_string(call: &mut Call<'_, '_>) -> Res<Value> {
    const ALNUM: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    // Ruby's `Array.new(length)` refuses lengths beyond `long`, then those beyond memory.
    let Some(length) = call.int(0) else {
        return fail("bignum too big to convert into `long'");
    };
    if length > i64::MAX / 8 {
        return fail("array size too big");
    }
    if length > MAX_LENGTH {
        return fail(format!("{}(): {length} characters are too many", call.name));
    }
    let charset: Vec<char> = if call.str(2).is_empty() { ALNUM } else { call.str(2) }.chars().collect();
    let mut random = Random::from_hex(&digests::sha256_hex(call.str(1).as_bytes()));
    let mut out = String::new();
    for _ in 0..length {
        let at = random.below(charset.len() as u64);
        out.extend(usize::try_from(at).ok().and_then(|at| charset.get(at)));
    }
    Ok(Value::from(out))
}

fn shuffle(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let seed = call.ev.world.random().to_le_bytes();
    let words: Vec<u32> =
        seed.chunks_exact(4).map(|b| b.iter().rev().fold(0, |w, b| (w << 8) | u32::from(*b))).collect();
    let mut random = Random::new(&words);
    match args.first() {
        None => fail("shuffle(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Array(items)) => {
            let mut items = meter::to_vec(items);
            shuffle_items(&mut items, &mut random);
            Ok(Value::array(items))
        }
        Some(Value::Str(string)) => {
            let mut chars: Vec<char> = string.chars().collect();
            shuffle_items(&mut chars, &mut random);
            Ok(Value::from(chars.into_iter().collect::<String>()))
        }
        Some(_) => fail("shuffle(): Requires either array or string to work with"),
    }
}

fn shuffle_items<T>(items: &mut [T], random: &mut Random) {
    for at in 0..items.len() {
        let left = items.len() - at;
        let other = at + usize::try_from(random.below(left as u64)).unwrap_or(0);
        items.swap(at, other);
    }
}
