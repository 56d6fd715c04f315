//! Numbers from a seed: `Random.new(seed)`, `Puppet::Util.deterministic_rand`, `shuffle(random:)`.
//!
//! In: a seed, of any size. Out: the numbers Ruby gives for it. Must not: be random; without a seed there is none.

use std::rc::Rc;

use super::Interp;
use super::Raise;
use super::value::Instance;
use super::value::Rv;
use crate::functions::random::Random;
use crate::names::Name;

/// The class of generators.
pub(super) const CLASS: &str = "Random";
/// How many numbers a generator gives: it starts anew for each.
const MOST: usize = 10_000;

/// The seed's digits in hexadecimal; its sign does not count.
fn digits(rt: &mut Interp<'_, '_>, seed: &Rv) -> Raise<String> {
    match seed {
        Rv::Int(n) => Ok(format!("{:x}", n.unsigned_abs())),
        Rv::Float(f) => Ok(format!("{:x}", f.abs() as u128)),
        Rv::Object(object) if object.class.as_str() == "Integer" => {
            Ok(object.ivars.borrow().get(&Name::new("16")).and_then(Rv::text).unwrap_or_default())
        }
        other => rt.type_error(other, "Integer"),
    }
}

fn limit(rt: &mut Interp<'_, '_>, max: &Rv) -> Raise<u64> {
    match max {
        Rv::Int(max) if *max > 0 => Ok(u64::try_from(*max).unwrap_or(u64::MAX)),
        Rv::Int(max) => rt.raise("ArgumentError", format!("invalid argument - {max}")),
        Rv::Float(_) => rt.unsupported("random numbers below a Float"),
        Rv::Range(_) => rt.unsupported("random numbers of a Range"),
        other => rt.type_error(other, "Integer"),
    }
}

/// `Puppet::Util.deterministic_rand(seed, max)`
pub(super) fn deterministic(rt: &mut Interp<'_, '_>, args: &[Rv]) -> Raise<i128> {
    let seed = digits(rt, args.first().unwrap_or(&Rv::Nil))?;
    let limit = limit(rt, args.get(1).unwrap_or(&Rv::Nil))?;
    Ok(i128::from(Random::from_hex(&seed).below(limit)))
}

/// `Random.new(seed)`
pub(super) fn object(rt: &mut Interp<'_, '_>, seed: &Rv) -> Raise<Rv> {
    if seed.is_nil() {
        return rt.unsupported("Random.new without a seed");
    }
    digits(rt, seed)?;
    Ok(super::instance::object(CLASS, &[("seed", seed.clone()), ("limits", Rv::array(Vec::new()))]))
}

/// The next number of a generator.
fn next(rt: &mut Interp<'_, '_>, this: &Rc<Instance>, limit: u64) -> Raise<u64> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    let (seed, Rv::Array(limits)) = (field("seed"), field("limits")) else {
        return rt.raise("TypeError", "uninitialized random generator");
    };
    let mut random = Random::from_hex(&digits(rt, &seed)?);
    // What was given before is given again: few programs ask one generator for many numbers.
    for before in limits.borrow().iter() {
        if let Rv::Int(before) = before {
            random.below(u64::try_from(*before).unwrap_or(u64::MAX));
        }
    }
    if limits.borrow().len() >= MOST {
        return rt.unsupported("this many numbers of one Random");
    }
    limits.borrow_mut().push(Rv::Int(i128::from(limit)));
    Ok(random.below(limit))
}

/// Methods of a generator.
pub(super) fn call(rt: &mut Interp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Rv> {
    if name == "seed" {
        return Ok(this.ivars.borrow().get(&Name::new("seed")).cloned().unwrap_or(Rv::Nil));
    }
    let Some(max) = args.first() else { return rt.unsupported("Random#rand without a limit") };
    let limit = limit(rt, max)?;
    Ok(Rv::Int(i128::from(next(rt, this, limit)?)))
}

/// `list.shuffle(random: generator)`, `list.sample(random: generator)`
pub(super) fn of_list(rt: &mut Interp<'_, '_>, random: &Rc<Instance>, name: &str, mut items: Vec<Rv>) -> Raise<Rv> {
    if random.class.as_str() != CLASS {
        return rt.unsupported(&format!("Array#{name} with a generator of its own"));
    }
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    if name == "sample" {
        let at = if count == 0 { 0 } else { next(rt, random, count)? };
        return Ok(usize::try_from(at).ok().and_then(|at| items.get(at).cloned()).unwrap_or(Rv::Nil));
    }
    for left in (1..=count).rev() {
        let other = next(rt, random, left)?;
        if let (Ok(last), Ok(other)) = (usize::try_from(left - 1), usize::try_from(other)) {
            items.swap(last, other);
        }
    }
    Ok(Rv::array(items))
}
