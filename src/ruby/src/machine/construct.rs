//! `Class.new`: objects of Ruby's own classes and of the program's.
//!
//! In: a class and arguments. Out: the object. Must not: know other methods of classes ([`crate::machine::class_methods`]).

use std::rc::Rc;

use arcstr::ArcStr;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::HashObject;
use crate::value::Instance;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;

/// Whether a string is a version of a gem, or empty (`Gem::Version::ANCHORED_VERSION_PATTERN`).
fn is_gem_version(version: &str) -> bool {
    let version = version.trim();
    let (numbers, prerelease) = match version.split_once('-') {
        Some((numbers, prerelease)) => (numbers, Some(prerelease)),
        None => (version, None),
    };
    let segments_match = |segments: &str, is_allowed: fn(char) -> bool| {
        segments.split('.').all(|segment| !segment.is_empty() && segment.chars().all(is_allowed))
    };
    let first = numbers.split('.').next().unwrap_or_default();
    let starts_with_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    version.is_empty()
        || starts_with_number
            && segments_match(numbers, |c| c.is_ascii_alphanumeric())
            && prerelease.is_none_or(|prerelease| segments_match(prerelease, |c| c == '-' || c.is_ascii_alphanumeric()))
}

impl Interp<'_> {
    /// Whether a class is the program's and inherits from `Object`.
    pub(crate) fn is_plain_class(&self, class: Name) -> bool {
        self.tables.parents.contains_key(&class) && self.tables.native_base(class) == catwalk_base::name!("Object")
    }
}

/// `Class.new(…)`, `Class[…]`, `Class.exception(…)`; `None` if the class has no such constructor.
pub(crate) fn construct(
    rt: &mut Interp<'_>,
    class: Name,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if name == "new" && rt.is_plain_class(class) {
        return new_instance(rt, class, args, block).map(Some);
    }
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class.as_str(), name) {
        ("String", "new") => Rv::str(arg.string_or_symbol().unwrap_or_default()),
        ("Array", "new") => new_array(rt, &arg, args.get(1), block)?,
        ("Array", "[]") => Rv::array(args.to_vec()),
        ("Hash", "new") => {
            let hash = HashObject::new(Map::default());
            *hash.default.borrow_mut() = arg;
            *hash.default_proc.borrow_mut() = block.cloned();
            Rv::Hash(hash)
        }
        ("Hash", "[]") => new_hash_of(rt, args)?,
        ("Enumerator", "new") => crate::core::enumerator::from_block(rt, args, block)?,
        ("Set", "new") => {
            if let Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) | Rv::Float(_) | Rv::Str(_) | Rv::Sym(_) = arg {
                return rt.raise("ArgumentError", "value must be enumerable");
            }
            let items = rt.to_list(&arg)?;
            new_set(rt, items, block)?
        }
        ("Set", "[]") => new_set(rt, args.to_vec(), block)?,
        ("Range", "new") => Rv::Range(Rc::new(crate::value::Range {
            from: arg,
            to: args.get(1).cloned().unwrap_or(Rv::Nil),
            exclusive: args.get(2).is_some_and(Rv::truthy),
        })),
        ("Regexp", "new" | "compile") => new_regexp(rt, arg, args.get(1))?,
        ("IPAddr", "new") => crate::core::ipaddr::parse_with_family(rt, args)?,
        ("Gem::Version", "new") => {
            let version = rt.to_s(&arg)?;
            if !is_gem_version(&version) {
                return rt.raise("ArgumentError", format!("Malformed version number string {version}"));
            }
            Rv::Version(ArcStr::from(version.trim().replace('-', ".pre.")))
        }
        ("Time", "new") if args.is_empty() => crate::core::time::now(rt),
        ("Time", "new") => crate::core::time::from_civil(rt, name, args)?,
        (_, "new") if Some(class) == rt.setup.shared_class => Rv::Object(Rc::new(Instance::new(class))),
        ("ERB", "new") => crate::value::object("ERB", &[("source", arg)]),
        ("Object", "new") => Rv::Object(Rc::new(Instance::new(class))),
        ("Proc", "new") => block.map_or(Rv::Nil, |block| Rv::Proc(block.clone())),
        (path, "new" | "exception") if rt.inherits_from(class, "Exception") && path != "Object" => {
            new_exception(rt, class, args, block)?
        }
        ("Class", "new") => {
            let parent = args.iter().find_map(|arg| if let Rv::Class(parent) = arg { Some(*parent) } else { None });
            rt.new_class(parent, block)?
        }
        ("Module", "new") => rt.new_class(None, block)?,
        (_, "[]")
            if rt.tables.parents.contains_key(&class)
                && matches!(rt.tables.native_base(class).as_str(), "Hash" | "Array" | "Set") =>
        {
            let base = rt.tables.native_base(class);
            let object = Rc::new(Instance::new(class));
            *object.native.borrow_mut() = construct(rt, base, name, args, block)?;
            Rv::Object(object)
        }
        (_, "new") if rt.tables.parents.contains_key(&class) => new_instance(rt, class, args, block)?,
        _ => return Ok(None),
    }))
}

/// `Array.new(size, value)`, `Array.new(size) { |index| … }`, `Array.new(array)`
fn new_array(rt: &mut Interp<'_>, size: &Rv, value: Option<&Rv>, block: Blk<'_>) -> Raise<Rv> {
    match size {
        Rv::Int(_) | Rv::Big(_) | Rv::Float(_) => {
            let Ok(count) = usize::try_from(rt.expect_int(size)?) else {
                return rt.raise("ArgumentError", "negative array size");
            };
            rt.check_size(count.saturating_mul(32))?;
            let mut items = Vec::with_capacity(count);
            for at in 0..count {
                items.push(match block {
                    Some(block) => rt.yield_value(block, Rv::int(at))?,
                    None => value.cloned().unwrap_or(Rv::Nil),
                });
            }
            Ok(Rv::array(items))
        }
        Rv::Array(items) => Ok(Rv::array(items.borrow().clone())),
        _ => Ok(Rv::array(Vec::new())),
    }
}

/// `Hash[key, value, …]`, `Hash[pairs]`, `Hash[hash]`
fn new_hash_of(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    match args.first() {
        Some(pairs @ Rv::Array(_)) if args.len() == 1 => crate::core::enumerable::group::to_h(rt, pairs, &[], None),
        Some(Rv::Hash(hash)) => Ok(Rv::hash(hash.map.borrow().clone())),
        _ if args.len() % 2 == 1 => rt.raise("ArgumentError", "odd number of arguments for Hash"),
        _ => {
            let entries =
                args.chunks(2).filter_map(|pair| Some((Key::from_value(pair.first()?), pair.get(1)?.clone())));
            Ok(Rv::hash(entries.collect()))
        }
    }
}

/// A set of the items, or of the results of the block for them.
fn new_set(rt: &mut Interp<'_>, items: Vec<Rv>, block: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    for item in items {
        let item = match block {
            Some(block) => rt.yield_value(block, item)?,
            None => item,
        };
        map.insert(Key::from_value(&item), Rv::True);
    }
    Ok(Rv::Set(crate::value::share(map)))
}

/// `Regexp.new(source, flags)`: the flags are a number of bits, or true for `i`.
fn new_regexp(rt: &mut Interp<'_>, source: Rv, flags: Option<&Rv>) -> Raise<Rv> {
    if let Rv::Regexp(_) = source {
        return Ok(source);
    }
    let source = rt.expect_str(&source)?;
    let flags = match flags {
        Some(Rv::Int(bits)) => {
            let names = [(1, 'i'), (2, 'x'), (4, 'm')];
            names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| *flag).collect()
        }
        Some(value) if value.truthy() => "i".to_owned(),
        _ => String::new(),
    };
    rt.regexp(&source, &flags)
}

/// An exception: of a class of the program with its `initialize`, or of Ruby's or Puppet's own.
fn new_exception(rt: &mut Interp<'_>, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let message = args.first().cloned().unwrap_or_else(|| Rv::str(rt.display_class(class).as_str()));
    let exception = rt.exception(class, message);
    let this = Rv::Exception(exception.clone());
    if let Some(initialize) = rt.find_method(&this, catwalk_base::name!("initialize")) {
        rt.invoke(&initialize, catwalk_base::name!("initialize"), &this, args, block)?;
    } else if rt.inherits_from(class, "Puppet::Error") {
        *exception.message.borrow_mut() = rt.puppet_error_message(class, args)?;
        exception.ivars.borrow_mut().extend(rt.puppet_error_fields(class, args));
    }
    Ok(this)
}

/// An object of a class of the program.
fn new_instance(rt: &mut Interp<'_>, class: Name, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let object = Rc::new(Instance::new(class));
    let this = Rv::Object(object.clone());
    match rt.find_method(&this, catwalk_base::name!("initialize")) {
        Some(initialize) => {
            rt.invoke(&initialize, catwalk_base::name!("initialize"), &this, args, block)?;
        }
        None => {
            let base = rt.tables.native_base(class);
            rt.set_inner_value(&object, base, args, block)?;
        }
    }
    Ok(this)
}
