//! Random numbers: `srand` and `rand`, `Random.new(seed)`, `Puppet::Util.deterministic_rand`, `shuffle` and `sample`.
//!
//! In: a seed, of any size. Out: the numbers that Ruby generates from it (`random.c`). All code of a compile shares one
//! generator, Ruby's default; the world provides its seed unless code sets it.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Instance;
use crate::value::Range;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::ruby::Random;

/// The class of generators.
pub(crate) const CLASS: &str = "Random";

pub(crate) static RANDOM: Class = Class {
    name: CLASS,
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("bytes", 1, |rt, this, args, _| random_bytes(rt, generator_of(this), args)),
        Method::between("rand", 0, 1, |rt, this, args, _| rand_within_limit(rt, generator_of(this), args.first())),
        Method::new("seed", 0, seed_of),
    ],
    singleton: &[
        Method::new("bytes", 1, |rt, _, args, _| random_bytes(rt, Generator::Default, args)),
        Method::between("new", 0, 1, |rt, _, args, _| new_generator(rt, args.first().unwrap_or(&Rv::Nil))),
        Method::new("new_seed", 0, |rt, _, _, _| Ok(new_seed(rt))),
        Method::between("rand", 0, 1, |rt, _, args, _| rand_within_limit(rt, Generator::Default, args.first())),
        Method::at_least("random_number", 0, |rt, _, args, _| rand_within_limit(rt, Generator::Default, args.first())),
        Method::new("seed", 0, |rt, _, _, _| default_seed(rt)),
        Method::between("srand", 0, 1, |rt, _, args, _| set_seed(rt, args.first().unwrap_or(&Rv::Nil))),
    ],
};

/// Maximum number of bytes of one call.
const MAX_BYTES: usize = 1 << 24;

/// The generators of a compile: Ruby's default, and those that code created.
#[derive(Clone, Default)]
pub(crate) struct Generators {
    default: Option<(Rv, Random)>,
    created: Vec<Random>,
}

/// Selects a generator.
#[derive(Clone, Copy)]
enum Generator {
    Default,
    Created(usize),
}

/// The hexadecimal digits of the seed; its sign is ignored.
fn hex_digits(rt: &mut Interp<'_>, seed: &Rv) -> Raise<String> {
    match seed {
        Rv::Int(n) => Ok(format!("{:x}", n.unsigned_abs())),
        Rv::Float(f) => Ok(format!("{:x}", f.get().abs() as u128)),
        Rv::Big(n) => Ok(n.magnitude().to_str_radix(16)),
        other => rt.type_error(other, "Integer"),
    }
}

/// A seed from the world.
fn new_seed(rt: &Interp<'_>) -> Rv {
    Rv::integer(rt.host.world().random() >> 1)
}

/// The seed in an argument, or a seed from the world if it is `nil`.
fn seed_argument(rt: &Interp<'_>, seed: &Rv) -> Rv {
    match seed {
        Rv::Nil => new_seed(rt),
        Rv::Float(f) => Rv::integer(f.get() as i128),
        seed => seed.clone(),
    }
}

/// `Puppet::Util.deterministic_rand(seed, max)`
pub fn deterministic_rand(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<i128> {
    let seed = hex_digits(rt, args.first().unwrap_or(&Rv::Nil))?;
    let max = args.get(1).unwrap_or(&Rv::Nil);
    match max {
        Rv::Int(limit) if *limit > 0 => {
            Ok(i128::from(Random::from_hex(&seed).below(u64::try_from(*limit).unwrap_or(u64::MAX))))
        }
        Rv::Int(limit) => rt.raise("ArgumentError", format!("invalid argument - {limit}")),
        other => rt.type_error(other, "Integer"),
    }
}

/// `Random.new(seed)`
fn new_generator(rt: &mut Interp<'_>, seed: &Rv) -> Raise<Rv> {
    let seed = seed_argument(rt, seed);
    let digits = hex_digits(rt, &seed)?;
    let generators = &mut rt.state().generators.created;
    generators.push(Random::from_hex(&digits));
    let at = i64::try_from(generators.len() - 1).unwrap_or(0);
    Ok(crate::value::object(CLASS, &[("seed", seed), ("generator", Rv::Int(at))]))
}

/// `srand(seed)`: returns the previous seed.
pub(crate) fn set_seed(rt: &mut Interp<'_>, seed: &Rv) -> Raise<Rv> {
    let seed = seed_argument(rt, seed);
    let digits = hex_digits(rt, &seed)?;
    let before = default_seed(rt)?;
    rt.state().generators.default = Some((seed, Random::from_hex(&digits)));
    Ok(before)
}

/// The seed of Ruby's default generator, which is seeded if it is new.
fn default_seed(rt: &mut Interp<'_>) -> Raise<Rv> {
    if let Some((seed, _)) = &rt.state().generators.default {
        return Ok(seed.clone());
    }
    let seed = new_seed(rt);
    let digits = hex_digits(rt, &seed)?;
    rt.state().generators.default = Some((seed.clone(), Random::from_hex(&digits)));
    Ok(seed)
}

/// The next value of a generator.
fn draw<T>(rt: &mut Interp<'_>, generator: Generator, next: impl FnOnce(&mut Random) -> T) -> Raise<T> {
    if matches!(generator, Generator::Default) {
        default_seed(rt)?;
    }
    let drawn = {
        let mut state = rt.state();
        let generators = &mut state.generators;
        let random = match generator {
            Generator::Created(at) => generators.created.get_mut(at),
            Generator::Default => generators.default.as_mut().map(|(_, random)| random),
        };
        random.map(next)
    };
    match drawn {
        Some(drawn) => Ok(drawn),
        None => rt.raise("ArgumentError", "uninitialized random: Random"),
    }
}

/// A number from 0 to below a positive limit.
fn random_below(rt: &mut Interp<'_>, generator: Generator, limit: i128) -> Raise<i128> {
    match u64::try_from(limit) {
        Ok(limit) => Ok(i128::from(draw(rt, generator, |random| random.below(limit))?)),
        Err(_) => rt.unsupported("random numbers of more than 64 bits"),
    }
}

fn random_float(rt: &mut Interp<'_>, generator: Generator) -> Raise<Rv> {
    Ok(Rv::float(draw(rt, generator, Random::float)?))
}

/// A number in a range; `None` if it is empty.
fn random_in_range(rt: &mut Interp<'_>, generator: Generator, range: &Range) -> Raise<Option<Rv>> {
    match (&range.from, &range.to) {
        (Rv::Int(from), Rv::Int(to)) => {
            let count = i128::from(*to) - i128::from(*from) + i128::from(!range.exclusive);
            Ok(if count > 0 {
                Some(Rv::integer(i128::from(*from) + random_below(rt, generator, count)?))
            } else {
                None
            })
        }
        (Rv::Int(_) | Rv::Float(_), Rv::Int(_) | Rv::Float(_)) => {
            let plain = |value: &Rv| match value {
                Rv::Int(n) => *n as f64,
                Rv::Float(f) => f.get(),
                _ => 0.0,
            };
            let (from, to) = (plain(&range.from), plain(&range.to));
            if to < from || (range.exclusive && to <= from) {
                return Ok(None);
            }
            let part = match range.exclusive {
                true => draw(rt, generator, Random::float)?,
                false => draw(rt, generator, Random::float_inclusive)?,
            };
            Ok(Some(Rv::float(part * (to - from) + from)))
        }
        _ => rt.unsupported("random numbers of this range"),
    }
}

/// `random.rand(limit)`, `Random.rand(limit)`, which refuse invalid limits.
fn rand_within_limit(rt: &mut Interp<'_>, generator: Generator, limit: Option<&Rv>) -> Raise<Rv> {
    let Some(limit) = limit else { return random_float(rt, generator) };
    let found = match limit {
        Rv::Int(n) if *n > 0 => Some(Rv::integer(random_below(rt, generator, (*n).into())?)),
        Rv::Float(f) if f.get() >= 0.0 && f.get().is_finite() => {
            let f = f.get();
            let part = draw(rt, generator, Random::float)?;
            Some(Rv::float(if f == 0.0 { part } else { part * f }))
        }
        Rv::Range(range) => random_in_range(rt, generator, range)?,
        _ => None,
    };
    match found {
        Some(number) => Ok(number),
        None => {
            let limit = rt.to_s(limit)?;
            rt.raise("ArgumentError", format!("invalid argument - {limit}"))
        }
    }
}

/// `random.bytes(count)`
fn random_bytes(rt: &mut Interp<'_>, generator: Generator, args: &[Rv]) -> Raise<Rv> {
    let [count] = args else { return rt.wrong_argument_count(args.len(), "1") };
    let Ok(count) = usize::try_from(rt.expect_int(count)?) else {
        return rt.raise("ArgumentError", "negative string size (or size too big)");
    };
    if count > MAX_BYTES {
        return rt.unsupported("so many random bytes");
    }
    let bytes = draw(rt, generator, |random| random.bytes(count))?;
    Ok(Rv::bytes(bytes))
}

/// `rand(limit)` of Kernel: a limit may also be negative.
pub(crate) fn rand(rt: &mut Interp<'_>, limit: &Rv) -> Raise<Rv> {
    let limit = match limit {
        Rv::Nil | Rv::False => 0,
        Rv::Range(range) => return Ok(random_in_range(rt, Generator::Default, range)?.unwrap_or(Rv::Nil)),
        limit => rt.expect_int(limit)?,
    };
    match limit {
        0 => random_float(rt, Generator::Default),
        limit => Ok(Rv::integer(random_below(rt, Generator::Default, i128::from(limit).abs())?)),
    }
}

/// The generator of an object of the class.
fn generator_of(this: &Rv) -> Generator {
    match this {
        Rv::Object(object) => object_generator(object),
        _ => Generator::Created(usize::MAX),
    }
}

fn object_generator(this: &Instance) -> Generator {
    match this.ivars.borrow().get(&Name::new("generator")) {
        Some(Rv::Int(at)) => Generator::Created(usize::try_from(*at).unwrap_or(usize::MAX)),
        _ => Generator::Created(usize::MAX),
    }
}

/// `random.seed`
fn seed_of(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(match this {
        Rv::Object(object) => object.ivars.borrow().get(&Name::new("seed")).cloned().unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    })
}

/// The generator for a method of arrays.
fn generator_argument(rt: &mut Interp<'_>, random: Option<&Rc<Instance>>, name: &str) -> Raise<Generator> {
    match random {
        Some(random) if random.class.as_str() != CLASS => {
            rt.unsupported(&format!("Array#{name} with a generator of its own"))
        }
        Some(random) => Ok(object_generator(random)),
        None => Ok(Generator::Default),
    }
}

/// `list.sample(count)`: `count` different items, in Ruby's order. (`rb_ary_sample`)
pub(crate) fn sample(rt: &mut Interp<'_>, random: Option<&Rc<Instance>>, count: &Rv, mut items: Vec<Rv>) -> Raise<Rv> {
    /// Up to this count, items are picked one by one; beyond it, the array is shuffled.
    const MAX_PICKED: usize = 16;
    let generator = generator_argument(rt, random, "sample")?;
    let Ok(count) = usize::try_from(rt.expect_int(count)?) else {
        return rt.raise("ArgumentError", "negative sample number");
    };
    let (length, count) = (items.len(), count.min(items.len()));
    let mut taken: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(count);
    for at in 0..count {
        let left = u64::try_from(length - at).unwrap_or(u64::MAX);
        let mut drawn = usize::try_from(draw(rt, generator, |random| random.below(left))?).unwrap_or(0);
        if count <= MAX_PICKED {
            // The number is an index among items that are not taken yet.
            let mut position = 0;
            while taken.get(position).is_some_and(|taken| *taken <= drawn) {
                position += 1;
                drawn += 1;
            }
            taken.insert(position, drawn);
            found.extend(items.get(drawn).cloned());
        } else {
            items.swap(at, drawn + at);
            found.extend(items.get(at).cloned());
        }
    }
    Ok(Rv::array(found))
}

/// `list.shuffle`, `list.sample`, each also with `random: generator`
pub(crate) fn shuffle_or_sample(
    rt: &mut Interp<'_>,
    random: Option<&Rc<Instance>>,
    name: &str,
    mut items: Vec<Rv>,
) -> Raise<Rv> {
    let generator = generator_argument(rt, random, name)?;
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    if name == "sample" {
        let at = if count == 0 { 0 } else { draw(rt, generator, |random| random.below(count))? };
        return Ok(usize::try_from(at).ok().and_then(|at| items.get(at).cloned()).unwrap_or(Rv::Nil));
    }
    for left in (1..=count).rev() {
        let other = draw(rt, generator, |random| random.below(left))?;
        if let (Ok(last), Ok(other)) = (usize::try_from(left - 1), usize::try_from(other)) {
            items.swap(last, other);
        }
    }
    Ok(Rv::array(items))
}
