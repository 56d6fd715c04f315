//! Methods of `Hash` and `Set`.

use std::cell::RefCell;
use std::rc::Rc;

use super::Blk;
use super::Interp;
use super::Raise;
use super::compare;
use super::value::HashObject;
use super::value::Key;
use super::value::Lookup;
use super::value::Map;
use super::value::Rv;

pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    this: &Rc<HashObject>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(value) = reading(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(value) = deriving(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    let found = changing(rt, this, name, args, block)?;
    if found.is_some() {
        rt.changed(Rv::Hash(this.clone()));
    }
    Ok(found)
}

/// `hash[key]` with its default.
pub(crate) fn get(rt: &mut Interp<'_, '_>, this: &Rc<HashObject>, key: &Rv) -> Raise<Rv> {
    if let Some(value) = this.get(key) {
        return Ok(value);
    }
    let default_proc = this.default_proc.borrow().clone();
    match default_proc {
        Some(block) => rt.yield_values(&block, &[Rv::Hash(this.clone()), key.clone()]),
        None => Ok(this.default.borrow().clone()),
    }
}

fn reading(
    rt: &mut Interp<'_, '_>,
    this: &Rc<HashObject>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args) {
        ("[]", [key]) => get(rt, this, key)?,
        ("fetch", [key, ..]) => match (this.get(key), args.get(1), block) {
            (Some(value), ..) => value,
            (None, _, Some(block)) => rt.yield_value(block, key.clone())?,
            (None, Some(default), None) => default.clone(),
            (None, None, None) => {
                let shown = rt.inspect(key)?;
                return rt.raise("KeyError", format!("key not found: {shown}"));
            }
        },
        ("dig", [key, rest @ ..]) => {
            let value = get(rt, this, key)?;
            if rest.is_empty() || value.is_nil() { value } else { rt.dig_on(&value, rest)? }
        }
        ("key?" | "has_key?" | "include?" | "member?", [key]) => Rv::Bool(this.map.borrow().contains_key(&Lookup(key))),
        ("value?" | "has_value?", [value]) => {
            Rv::Bool(this.map.borrow().values().any(|own| compare::equal(own, value)))
        }
        ("key", [value]) => {
            let map = this.map.borrow();
            map.iter().find(|(_, own)| compare::equal(own, value)).map_or(Rv::Nil, |(Key(key), _)| key.clone())
        }
        ("keys", []) => Rv::array(this.map.borrow().keys().map(|Key(key)| key.clone()).collect()),
        ("values", []) => Rv::array(this.map.borrow().values().cloned().collect()),
        ("values_at", _) => {
            let mut found = Vec::with_capacity(args.len());
            for key in args {
                found.push(get(rt, this, key)?);
            }
            Rv::array(found)
        }
        ("length" | "size", []) => Rv::int(this.map.borrow().len()),
        ("count", []) if block.is_none() => Rv::int(this.map.borrow().len()),
        ("empty?", []) => Rv::Bool(this.map.borrow().is_empty()),
        ("any?", []) if block.is_none() => Rv::Bool(!this.map.borrow().is_empty()),
        ("to_h" | "to_hash" | "rehash", []) if block.is_none() => Rv::Hash(this.clone()),
        ("to_s" | "inspect", []) => Rv::str(rt.inspect(&Rv::Hash(this.clone()))?),
        ("default", []) => this.default.borrow().clone(),
        ("first", []) => rt.items(&Rv::Hash(this.clone()))?.into_iter().next().unwrap_or(Rv::Nil),
        ("each" | "each_pair" | "each_key" | "each_value", []) => {
            let Some(block) = block else {
                return Ok(Some(super::enumerator::enumerator(&Rv::Hash(this.clone()), name, args)));
            };
            let entries: Vec<(Rv, Rv)> =
                this.map.borrow().iter().map(|(Key(key), value)| (key.clone(), value.clone())).collect();
            for (key, value) in entries {
                match name {
                    "each_key" => rt.yield_value(block, key)?,
                    "each_value" => rt.yield_value(block, value)?,
                    _ => rt.yield_value(block, Rv::array(vec![key, value]))?,
                };
            }
            Rv::Hash(this.clone())
        }
        _ => return Ok(None),
    }))
}

/// The entries a block holds for.
fn kept(rt: &mut Interp<'_, '_>, this: &HashObject, block: &Rc<super::value::Callable>, wanted: bool) -> Raise<Map> {
    let mut map = Map::default();
    for (key, value) in this.map.borrow().clone() {
        let holds = rt.yield_values(block, &[key.0.clone(), value.clone()])?.truthy();
        if holds == wanted {
            map.insert(key, value);
        }
    }
    Ok(map)
}

fn merged(rt: &mut Interp<'_, '_>, this: &HashObject, args: &[Rv], block: Blk<'_>) -> Raise<Map> {
    let mut map = this.map.borrow().clone();
    for arg in args {
        let Rv::Hash(other) = arg else { return rt.type_error(arg, "Hash") };
        for (key, value) in other.map.borrow().clone() {
            let value = match (map.get(&key).cloned(), block) {
                (Some(old), Some(block)) => rt.yield_values(block, &[key.0.clone(), old, value])?,
                _ => value,
            };
            map.insert(key, value);
        }
    }
    Ok(map)
}

/// Methods that give a new hash.
fn deriving(
    rt: &mut Interp<'_, '_>,
    this: &Rc<HashObject>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args, block) {
        ("select" | "filter", [], Some(block)) => Rv::hash(kept(rt, this, block, true)?),
        ("reject", [], Some(block)) => Rv::hash(kept(rt, this, block, false)?),
        ("partition", [], Some(block)) => {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            for (Key(key), value) in this.map.borrow().clone() {
                let holds = rt.yield_values(block, &[key.clone(), value.clone()])?.truthy();
                if holds { &mut yes } else { &mut no }.push(Rv::array(vec![key, value]));
            }
            Rv::array(vec![Rv::array(yes), Rv::array(no)])
        }
        (
            "min_by" | "max_by" | "sort_by" | "group_by" | "find" | "detect" | "sum" | "count" | "find_all"
            | "flat_map" | "filter_map" | "map" | "collect" | "any?" | "all?" | "none?",
            _,
            _,
        ) => {
            return Ok(None);
        }
        ("<" | "<=" | ">" | ">=", [other], _) => {
            let Rv::Hash(other) = other else { return rt.type_error(other, "Hash") };
            let (less, more) = if name.starts_with('<') { (this, other) } else { (other, this) };
            let (less, more) = (less.map.borrow(), more.map.borrow());
            let within = less
                .iter()
                .all(|(key, value)| more.get(&Lookup(&key.0)).is_some_and(|other| super::compare::equal(value, other)));
            Rv::Bool(within && (name.ends_with('=') || less.len() < more.len()))
        }
        ("merge", _, block) => {
            let map = merged(rt, this, args, block)?;
            let new = HashObject::new(map);
            *new.default.borrow_mut() = this.default.borrow().clone();
            *new.default_proc.borrow_mut() = this.default_proc.borrow().clone();
            Rv::Hash(new)
        }
        ("invert", [], _) => {
            let map = this.map.borrow();
            Rv::hash(map.iter().map(|(Key(key), value)| (Key::of(value), key.clone())).collect())
        }
        ("compact", [], _) => {
            let map = this.map.borrow();
            Rv::hash(map.iter().filter(|(_, v)| !v.is_nil()).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
        ("slice", _, _) => {
            let map = this.map.borrow();
            let entry = |key: &Rv| map.get_key_value(&Lookup(key)).map(|(k, v)| (k.clone(), v.clone()));
            Rv::hash(args.iter().filter_map(entry).collect())
        }
        ("except", _, _) => {
            let map = this.map.borrow();
            let gone = |key: &Key| args.iter().any(|arg| super::value::eql(arg, &key.0));
            Rv::hash(map.iter().filter(|(k, _)| !gone(k)).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
        ("transform_values", [], Some(block)) => {
            let mut map = Map::default();
            for (key, value) in this.map.borrow().clone() {
                map.insert(key, rt.yield_value(block, value)?);
            }
            Rv::hash(map)
        }
        ("transform_keys", [], Some(block)) => {
            let mut map = Map::default();
            for (Key(key), value) in this.map.borrow().clone() {
                let key = rt.yield_value(block, key)?;
                map.insert(Key::of(&key), value);
            }
            Rv::hash(map)
        }
        ("assoc", [key], _) => match this.map.borrow().get_key_value(&Lookup(key)) {
            Some((Key(key), value)) => Rv::array(vec![key.clone(), value.clone()]),
            None => Rv::Nil,
        },
        ("fetch_values", _, _) => {
            let mut found = Vec::with_capacity(args.len());
            for key in args {
                found.push(rt.call_method(&Rv::Hash(this.clone()), "fetch", std::slice::from_ref(key), block)?);
            }
            Rv::array(found)
        }
        ("flatten", _, _) => {
            let items = Rv::array(rt.items(&Rv::Hash(this.clone()))?);
            let levels = match args.first() {
                Some(Rv::Int(n)) => *n,
                _ => 1,
            };
            rt.call_method(&items, "flatten", &[Rv::Int(levels)], None)?
        }
        _ => return Ok(None),
    }))
}

/// Methods that change the hash.
fn changing(
    rt: &mut Interp<'_, '_>,
    this: &Rc<HashObject>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let whole = Rv::Hash(this.clone());
    match (name, args, block) {
        ("[]=" | "store", [key, value], _) => {
            let size = this.map.borrow().len();
            rt.check_growth(size * 64, 64)?;
            this.map.borrow_mut().insert(Key::of(key), value.clone());
            return Ok(Some(value.clone()));
        }
        ("delete", [key], _) => {
            let taken = this.map.borrow_mut().shift_remove(&Lookup(key));
            return Ok(Some(match (taken, block) {
                (Some(value), _) => value,
                (None, Some(block)) => rt.yield_value(block, key.clone())?,
                (None, None) => Rv::Nil,
            }));
        }
        ("delete_if" | "reject!" | "select!" | "keep_if" | "filter!", [], Some(block)) => {
            let wanted = !matches!(name, "delete_if" | "reject!");
            let map = kept(rt, this, block, wanted)?;
            let changed = map.len() != this.map.borrow().len();
            *this.map.borrow_mut() = map;
            if !changed && name.ends_with('!') {
                return Ok(Some(Rv::Nil));
            }
        }
        ("merge!" | "update", _, block) => {
            let map = merged(rt, this, args, block)?;
            *this.map.borrow_mut() = map;
        }
        ("replace", [Rv::Hash(other)], _) => {
            let map = other.map.borrow().clone();
            *this.map.borrow_mut() = map;
        }
        ("transform_values!" | "transform_keys!" | "compact!", _, _) => {
            let new = rt.call_method(&whole, name.trim_end_matches('!'), args, block)?;
            if let Rv::Hash(new) = new {
                let map = new.map.borrow().clone();
                *this.map.borrow_mut() = map;
            }
        }
        ("clear", [], _) => this.map.borrow_mut().clear(),
        ("shift", [], _) => {
            let taken = this.map.borrow_mut().shift_remove_index(0);
            return Ok(Some(taken.map_or(Rv::Nil, |(Key(key), value)| Rv::array(vec![key, value]))));
        }
        ("default=", [value], _) => {
            *this.default.borrow_mut() = value.clone();
            return Ok(Some(value.clone()));
        }
        _ => return Ok(None),
    }
    Ok(Some(whole))
}

/// Methods of `Set`.
pub(crate) fn call_set(
    rt: &mut Interp<'_, '_>,
    this: &Rc<RefCell<Map>>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let _ = block;
    let whole = Rv::Set(this.clone());
    let set = |map: Map| Rv::Set(Rc::new(RefCell::new(map)));
    let other = |rt: &mut Interp<'_, '_>| match args.first() {
        Some(value) => rt.items(value),
        None => Ok(Vec::new()),
    };
    Ok(Some(match (name, args.len()) {
        ("length" | "size", 0) => Rv::int(this.borrow().len()),
        ("empty?", 0) => Rv::Bool(this.borrow().is_empty()),
        ("include?" | "member?" | "===" | "contain?", 1) => {
            Rv::Bool(args.first().is_some_and(|value| this.borrow().contains_key(&Lookup(value))))
        }
        ("add" | "<<", 1) => {
            if let Some(value) = args.first() {
                this.borrow_mut().insert(Key::of(value), Rv::Bool(true));
            }
            whole
        }
        ("delete", 1) => {
            if let Some(value) = args.first() {
                this.borrow_mut().shift_remove(&Lookup(value));
            }
            whole
        }
        ("merge", _) => {
            for value in other(rt)? {
                this.borrow_mut().insert(Key::of(&value), Rv::Bool(true));
            }
            whole
        }
        ("|" | "+" | "union", 1) => {
            let mut map = this.borrow().clone();
            for value in other(rt)? {
                map.insert(Key::of(&value), Rv::Bool(true));
            }
            set(map)
        }
        ("&" | "intersection", 1) => {
            let found = other(rt)?;
            let map = this.borrow();
            set(found
                .iter()
                .filter(|value| map.contains_key(&Lookup(value)))
                .map(|v| (Key::of(v), Rv::Bool(true)))
                .collect())
        }
        ("-" | "difference", 1) => {
            let mut map = this.borrow().clone();
            for value in other(rt)? {
                map.shift_remove(&Lookup(&value));
            }
            set(map)
        }
        ("subset?" | "<=", 1) => {
            let found = other(rt)?;
            let all = this.borrow().keys().all(|Key(key)| found.iter().any(|value| super::value::eql(key, value)));
            Rv::Bool(all)
        }
        ("superset?" | ">=", 1) => {
            let found = other(rt)?;
            Rv::Bool(found.iter().all(|value| this.borrow().contains_key(&Lookup(value))))
        }
        ("to_set", 0) => whole,
        _ => return Ok(None),
    }))
}
