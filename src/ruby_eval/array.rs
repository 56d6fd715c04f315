//! Methods of `Array`.

use super::Blk;
use super::Interp;
use super::Raise;
use super::compare;
use super::value::Array;
use super::value::Key;
use super::value::Lookup;
use super::value::Map;
use super::value::Rv;

pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    this: &Array,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(value) = reading(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    if let Some(value) = combining(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    let found = changing(rt, this, name, args, block)?;
    if found.is_some() {
        rt.changed(Rv::Array(this.clone()));
    }
    Ok(found)
}

/// The items that `list[place]` names, by start and length.
fn find_place(rt: &mut Interp<'_, '_>, size: usize, place: &[Rv]) -> Raise<Option<(usize, usize)>> {
    Ok(match place {
        [Rv::Range(range)] => super::range::bounds(range, size),
        [at, length] => {
            let (at, length) = (rt.expect_int(at)?, rt.expect_int(length)?);
            let at = if at < 0 { at + size as i128 } else { at };
            match (usize::try_from(at), usize::try_from(length)) {
                (Ok(at), Ok(length)) if at <= size => Some((at, length.min(size - at))),
                _ => None,
            }
        }
        _ => return rt.wrong_count(place.len(), "1..2"),
    })
}

fn position(rt: &mut Interp<'_, '_>, size: usize, at: &Rv) -> Raise<Option<usize>> {
    let at = rt.expect_int(at)?;
    let at = if at < 0 { at + size as i128 } else { at };
    Ok(usize::try_from(at).ok())
}

fn reading(rt: &mut Interp<'_, '_>, this: &Array, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let size = this.borrow().len();
    Ok(Some(match (name, args) {
        ("length" | "size", []) => Rv::int(size),
        ("empty?", []) => Rv::Bool(size == 0),
        ("any?", []) if block.is_none() => Rv::Bool(this.borrow().iter().any(Rv::truthy)),
        ("[]" | "at" | "slice", [at]) if !matches!(at, Rv::Range(_)) => match position(rt, size, at)? {
            Some(at) => this.borrow().get(at).cloned().unwrap_or(Rv::Nil),
            None => Rv::Nil,
        },
        ("[]" | "slice", _) => match find_place(rt, size, args)? {
            Some((from, length)) => {
                Rv::array(this.borrow().get(from..from.saturating_add(length)).unwrap_or_default().to_vec())
            }
            None => Rv::Nil,
        },
        ("fetch", [at, ..]) => {
            let found = match position(rt, size, at)? {
                Some(at) => this.borrow().get(at).cloned(),
                None => None,
            };
            match (found, args.get(1), block) {
                (Some(value), ..) => value,
                (None, _, Some(block)) => rt.yield_value(block, at.clone())?,
                (None, Some(default), None) => default.clone(),
                (None, None, None) => {
                    let at = rt.expect_int(at)?;
                    return rt.raise(
                        "IndexError",
                        format!("index {at} outside of array bounds: {}...{size}", -(size as i128)),
                    );
                }
            }
        }
        ("dig", [at, rest @ ..]) => {
            let value = rt.call_method(&Rv::Array(this.clone()), "[]", std::slice::from_ref(at), None)?;
            if rest.is_empty() || value.is_nil() { value } else { rt.dig_on(&value, rest)? }
        }
        ("first", []) => this.borrow().first().cloned().unwrap_or(Rv::Nil),
        ("last", []) => this.borrow().last().cloned().unwrap_or(Rv::Nil),
        ("last", [n]) => {
            let Ok(n) = usize::try_from(rt.expect_int(n)?) else {
                return rt.raise("ArgumentError", "negative array size");
            };
            Rv::array(this.borrow().get(size.saturating_sub(n)..).unwrap_or_default().to_vec())
        }
        ("to_a" | "to_ary", []) => Rv::Array(this.clone()),
        ("entries", []) => Rv::array(this.borrow().clone()),
        ("to_s" | "inspect", []) => Rv::str(rt.inspect(&Rv::Array(this.clone()))?),
        ("shelljoin", []) => return super::encode::encoders(rt, "Shellwords", name, &[Rv::Array(this.clone())]),
        ("join", _) => {
            let separator = match args.first() {
                None | Some(Rv::Nil) => String::new(),
                Some(separator) => rt.expect_str(separator)?,
            };
            let mut out = Joined::default();
            join(rt, this, &separator, &mut out, 0)?;
            match String::from_utf8(out.bytes) {
                Ok(text) if !out.binary => Rv::str(text),
                Ok(_) | Err(_) if out.wide => return rt.incompatible("UTF-8 and ASCII-8BIT"),
                Ok(text) => Rv::bytes(text.into_bytes()),
                Err(bytes) => Rv::bytes(bytes.into_bytes()),
            }
        }
        ("rindex", [value]) => {
            this.borrow().iter().rposition(|item| compare::equal(item, value)).map_or(Rv::Nil, Rv::int)
        }
        ("values_at", _) => {
            let mut found = Vec::with_capacity(args.len());
            for arg in args {
                match arg {
                    Rv::Range(_) => {
                        let part = rt.call_method(&Rv::Array(this.clone()), "[]", std::slice::from_ref(arg), None)?;
                        found.extend(rt.to_list(&part)?);
                    }
                    at => match position(rt, size, at)? {
                        Some(at) => found.push(this.borrow().get(at).cloned().unwrap_or(Rv::Nil)),
                        None => found.push(Rv::Nil),
                    },
                }
            }
            Rv::array(found)
        }
        ("assoc", [key]) => {
            let items = this.borrow();
            let found = items.iter().find(|item| match item {
                Rv::Array(pair) => pair.borrow().first().is_some_and(|first| compare::equal(first, key)),
                _ => false,
            });
            found.cloned().unwrap_or(Rv::Nil)
        }
        ("pack", [format]) => {
            let format = rt.expect_str(format)?;
            let items = this.borrow().clone();
            super::pack::pack(rt, &items, &format)?
        }
        ("sample" | "shuffle", [Rv::Hash(options)])
            if matches!(options.get(&Rv::sym("random")), Some(Rv::Object(_))) =>
        {
            let Some(Rv::Object(random)) = options.get(&Rv::sym("random")) else { return Ok(None) };
            let items = this.borrow().clone();
            super::random::of_list(rt, Some(&random), name, items)?
        }
        ("sample" | "shuffle", []) => {
            let items = this.borrow().clone();
            super::random::of_list(rt, None, name, items)?
        }
        ("sample", [count]) if !matches!(count, Rv::Hash(_)) => {
            let items = this.borrow().clone();
            super::random::sample(rt, None, count, items)?
        }
        ("sample", [count, Rv::Hash(options)]) if matches!(options.get(&Rv::sym("random")), Some(Rv::Object(_))) => {
            let Some(Rv::Object(random)) = options.get(&Rv::sym("random")) else { return Ok(None) };
            let items = this.borrow().clone();
            super::random::sample(rt, Some(&random), count, items)?
        }
        ("sample" | "shuffle", _) => return rt.unsupported(&format!("Array#{name}")),
        _ => return Ok(None),
    }))
}

/// What items join to: bytes that are no text make bytes of it.
#[derive(Default)]
struct Joined {
    bytes: Vec<u8>,
    /// Whether an item was bytes that are no text.
    binary: bool,
    /// Whether an item was text beyond ASCII.
    wide: bool,
}

impl Joined {
    fn text(&mut self, text: &str) {
        self.wide |= !text.is_ascii();
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

fn join(rt: &mut Interp<'_, '_>, list: &Array, separator: &str, out: &mut Joined, depth: usize) -> Raise<()> {
    if depth > 100 {
        return rt.raise("ArgumentError", "recursive array join");
    }
    for (at, item) in list.borrow().clone().iter().enumerate() {
        let before = out.bytes.len();
        if at > 0 {
            rt.check_growth(before, separator.len())?;
            out.text(separator);
        }
        match item {
            Rv::Str(text) => out.text(&text.borrow()),
            Rv::Bytes(piece) if std::str::from_utf8(&piece.borrow()).is_err() => {
                out.binary = true;
                out.bytes.extend_from_slice(&piece.borrow());
            }
            Rv::Array(inner) => join(rt, inner, separator, out, depth + 1)?,
            other => out.text(&rt.to_s(other)?),
        }
        if !matches!(item, Rv::Array(_)) {
            rt.check_growth(before, out.bytes.len() - before)?;
        }
    }
    Ok(())
}

fn flatten(rt: &mut Interp<'_, '_>, items: &[Rv], levels: i128, out: &mut Vec<Rv>, depth: usize) -> Raise<()> {
    if depth > 200 {
        return rt.raise("ArgumentError", "tried to flatten recursive array");
    }
    let before = out.len();
    for item in items {
        match item {
            Rv::Array(inner) if levels != 0 => {
                let inner = inner.borrow().clone();
                flatten(rt, &inner, levels - 1, out, depth + 1)?;
            }
            Rv::Object(object) if levels != 0 && matches!(&*object.native.borrow(), Some(Rv::Array(_))) => {
                let inner = rt.items(&super::mixed::behind(item))?;
                flatten(rt, &inner, levels - 1, out, depth + 1)?;
            }
            other => out.push(other.clone()),
        }
    }
    rt.check_growth(before * 32, (out.len() - before) * 32)
}

fn set_of(items: &[Rv]) -> Map {
    items.iter().map(|item| (Key::of(item), Rv::Nil)).collect()
}

/// Methods that give a new list.
fn combining(rt: &mut Interp<'_, '_>, this: &Array, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let other = |rt: &mut Interp<'_, '_>| match args.first() {
        Some(Rv::Array(items)) => Ok(items.borrow().clone()),
        Some(Rv::Set(set)) => Ok(set.borrow().keys().map(|Key(key)| key.clone()).collect()),
        Some(other) => rt.type_error(&other.clone(), "Array"),
        None => Ok(Vec::new()),
    };
    Ok(Some(match (name, args.len()) {
        ("+", 1) => {
            let more = other(rt)?;
            let mut items = this.borrow().clone();
            items.extend(more);
            rt.check_size(items.len() * 32)?;
            Rv::array(items)
        }
        ("-" | "difference", 1) => {
            let without = set_of(&other(rt)?);
            Rv::array(this.borrow().iter().filter(|item| !without.contains_key(&Lookup(item))).cloned().collect())
        }
        ("&" | "intersection", 1) => {
            let both = set_of(&other(rt)?);
            let mine = set_of(&this.borrow());
            Rv::array(mine.keys().filter(|key| both.contains_key(*key)).map(|Key(key)| key.clone()).collect())
        }
        ("|" | "union", 1) => {
            let mut all = set_of(&this.borrow());
            for item in other(rt)? {
                all.entry(Key::of(&item)).or_insert(Rv::Nil);
            }
            Rv::array(all.keys().map(|Key(key)| key.clone()).collect())
        }
        ("*", 1) => match args.first() {
            Some(times @ (Rv::Int(_) | Rv::Float(_) | Rv::Nil | Rv::Bool(_))) => {
                let Ok(n) = usize::try_from(rt.expect_int(times)?) else {
                    return rt.raise("ArgumentError", "negative argument");
                };
                let items = this.borrow().clone();
                rt.check_size(items.len().saturating_mul(n).saturating_mul(32))?;
                Rv::array(items.iter().cloned().cycle().take(items.len() * n).collect())
            }
            _ => rt.call_method(&Rv::Array(this.clone()), "join", args, None)?,
        },
        ("reverse", 0) => Rv::array(this.borrow().iter().rev().cloned().collect()),
        ("rotate", _) => {
            let mut items = this.borrow().clone();
            let by = match args.first() {
                Some(n) => rt.expect_int(n)?,
                None => 1,
            };
            if !items.is_empty() {
                let by = usize::try_from(by.rem_euclid(items.len() as i128)).unwrap_or(0);
                items.rotate_left(by);
            }
            Rv::array(items)
        }
        ("compact", 0) => Rv::array(this.borrow().iter().filter(|item| !item.is_nil()).cloned().collect()),
        ("flatten", _) => {
            let levels = match args.first() {
                None | Some(Rv::Nil) => -1,
                Some(levels) => rt.expect_int(levels)?,
            };
            let items = this.borrow().clone();
            let mut out = Vec::with_capacity(items.len());
            flatten(rt, &items, levels, &mut out, 0)?;
            Rv::array(out)
        }
        ("transpose", 0) => {
            let mut rows = Vec::new();
            for row in this.borrow().clone() {
                if !matches!(super::mixed::behind(&row), Rv::Array(_)) {
                    return rt.type_error(&row, "Array");
                }
                rows.push(rt.to_list(&row)?);
            }
            let width = rows.first().map_or(0, Vec::len);
            if let Some(row) = rows.iter().find(|row| row.len() != width) {
                let text = format!("element size differs ({} should be {width})", row.len());
                return rt.raise("IndexError", text);
            }
            let column = |at: usize| Rv::array(rows.iter().filter_map(|row| row.get(at).cloned()).collect());
            Rv::array((0..width).map(column).collect())
        }
        ("product", _) => {
            let mut rows: Vec<Vec<Rv>> = this.borrow().iter().map(|item| vec![item.clone()]).collect();
            for arg in args {
                let list = rt.to_list(arg)?;
                let width = rows.first().map_or(1, |row| row.len() + 1);
                let count = rows.len().saturating_mul(list.len());
                rt.check_size(count.saturating_mul(64 + 64 * width))?;
                rows = rows
                    .iter()
                    .flat_map(|row| {
                        list.iter().map(move |item| {
                            let mut row = row.clone();
                            row.push(item.clone());
                            row
                        })
                    })
                    .collect();
            }
            Rv::array(rows.into_iter().map(Rv::array).collect())
        }
        ("permutation", count @ (0 | 1)) => {
            let items = this.borrow().clone();
            let size = match args.first() {
                Some(n) if count == 1 => usize::try_from(rt.expect_int(n)?).unwrap_or(usize::MAX),
                _ => items.len(),
            };
            let mut found = Vec::new();
            if size <= items.len() {
                // So many that they would not fit are none to begin with: each choice is a call deep.
                let count = (items.len() - size + 1..=items.len()).fold(1_usize, usize::saturating_mul);
                rt.check_size(count.saturating_mul(64))?;
                permutations(rt, &mut (0..items.len()).collect(), &items, size, &mut Vec::new(), &mut found)?;
            }
            let Some(block) = block else {
                return rt.call_method(&Rv::array(found), "each", &[], None).map(Some);
            };
            for list in found {
                rt.yield_value(block, list)?;
            }
            Rv::Array(this.clone())
        }
        ("bsearch", 0) if let Some(block) = block => {
            // Those for which the block holds stand at the end; a block that gives numbers says where to go on.
            let items = this.borrow().clone();
            let (mut low, mut high) = (0, items.len());
            let mut found = Rv::Nil;
            while low < high {
                let middle = low + (high - low) / 2;
                let item = items.get(middle).cloned().unwrap_or(Rv::Nil);
                match rt.yield_value(block, item.clone())? {
                    Rv::Int(0) => return Ok(Some(item)),
                    Rv::Bool(true) => {
                        found = item;
                        high = middle;
                    }
                    Rv::Int(n) if n < 0 => high = middle,
                    _ => low = middle + 1,
                }
            }
            found
        }
        ("combination", 1) => {
            let size = match args.first() {
                Some(n) => usize::try_from(rt.expect_int(n)?).unwrap_or(usize::MAX),
                None => 0,
            };
            let items = this.borrow().clone();
            let list = Rv::array(combinations(rt, &items, size)?);
            rt.call_method(&list, "each", &[], block)?
        }
        _ => return Ok(None),
    }))
}

/// Every order of `size` of the items that are left, behind those chosen.
fn permutations(
    rt: &mut Interp<'_, '_>,
    left: &mut Vec<usize>,
    items: &[Rv],
    size: usize,
    chosen: &mut Vec<Rv>,
    found: &mut Vec<Rv>,
) -> Raise<()> {
    if size == 0 {
        found.push(Rv::array(chosen.clone()));
        return rt.check_growth(found.len() * 64, 64);
    }
    for at in 0..left.len() {
        let index = left.remove(at);
        chosen.extend(items.get(index).cloned());
        permutations(rt, left, items, size - 1, chosen, found)?;
        chosen.pop();
        left.insert(at, index);
    }
    Ok(())
}

/// Every choice of `size` of the items, in their order.
fn combinations(rt: &mut Interp<'_, '_>, items: &[Rv], size: usize) -> Raise<Vec<Rv>> {
    let mut found = Vec::new();
    let Some(spare) = items.len().checked_sub(size) else { return Ok(found) };
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        found.push(Rv::array(places.iter().filter_map(|at| items.get(*at).cloned()).collect()));
        rt.check_growth(found.len().saturating_mul(64 + size * 16), 64 + size * 16)?;
        // The last that can still move goes on, those behind it follow it.
        let movable = places.iter().enumerate().rev().find(|(turn, at)| **at < spare + turn);
        let Some((turn, next)) = movable.map(|(turn, at)| (turn, at + 1)) else { return Ok(found) };
        places.iter_mut().skip(turn).zip(next..).for_each(|(place, at)| *place = at);
    }
}

/// Methods that change the list.
fn changing(rt: &mut Interp<'_, '_>, this: &Array, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let size = this.borrow().len();
    let whole = Rv::Array(this.clone());
    match (name, args) {
        ("<<" | "push" | "append", _) => {
            rt.check_growth(size * 32, args.len() * 32)?;
            this.borrow_mut().extend(args.iter().cloned());
        }
        ("concat", _) => {
            for arg in args {
                let more = rt.to_list(arg)?;
                let size = this.borrow().len();
                rt.check_growth(size * 32, more.len() * 32)?;
                this.borrow_mut().extend(more);
            }
        }
        ("unshift" | "prepend", _) => {
            this.borrow_mut().splice(0..0, args.iter().cloned());
        }
        ("insert", [at, more @ ..]) => {
            let at = rt.expect_int(at)?;
            let at = if at < 0 { at + size as i128 + 1 } else { at };
            let Ok(at) = usize::try_from(at) else { return rt.raise("IndexError", "index too small for array") };
            rt.check_size(at.saturating_mul(32))?;
            let mut items = this.borrow_mut();
            if at > size {
                items.resize(at, Rv::Nil);
            }
            items.splice(at..at, more.iter().cloned());
        }
        ("pop", []) => return Ok(Some(this.borrow_mut().pop().unwrap_or(Rv::Nil))),
        ("shift", []) => {
            let mut items = this.borrow_mut();
            return Ok(Some(if items.is_empty() { Rv::Nil } else { items.remove(0) }));
        }
        ("pop" | "shift", [n]) => {
            let Ok(n) = usize::try_from(rt.expect_int(n)?) else {
                return rt.raise("ArgumentError", "negative array size");
            };
            let n = n.min(size);
            let mut items = this.borrow_mut();
            let taken: Vec<Rv> = if name == "pop" { items.split_off(size - n) } else { items.drain(..n).collect() };
            return Ok(Some(Rv::array(taken)));
        }
        ("[]=", [at, value]) if !matches!(at, Rv::Range(_)) => {
            let Some(at) = position(rt, size, at)? else {
                return rt.raise("IndexError", "index too small for array");
            };
            rt.check_size(at.saturating_mul(32))?;
            let mut items = this.borrow_mut();
            if at >= items.len() {
                items.resize(at + 1, Rv::Nil);
            }
            if let Some(slot) = items.get_mut(at) {
                *slot = value.clone();
            }
            return Ok(Some(value.clone()));
        }
        ("delete", [value]) => {
            this.borrow_mut().retain(|item| !compare::equal(item, value));
            let found = this.borrow().len() < size;
            return Ok(Some(if found { value.clone() } else { Rv::Nil }));
        }
        ("delete_at", [at]) => {
            let at = position(rt, size, at)?.filter(|at| *at < size);
            return Ok(Some(at.map_or(Rv::Nil, |at| this.borrow_mut().remove(at))));
        }
        ("delete_if" | "reject!" | "select!" | "keep_if" | "filter!", []) => {
            let Some(block) = block else { return Ok(Some(super::enumerator::enumerator(&whole, name, args))) };
            let wanted = !matches!(name, "delete_if" | "reject!");
            let mut kept = Vec::with_capacity(size);
            for item in this.borrow().clone() {
                if rt.yield_value(block, item.clone())?.truthy() == wanted {
                    kept.push(item);
                }
            }
            let changed = kept.len() != size;
            *this.borrow_mut() = kept;
            return Ok(Some(if !changed && name.ends_with('!') { Rv::Nil } else { whole }));
        }
        (
            "map!" | "collect!" | "sort!" | "sort_by!" | "uniq!" | "compact!" | "flatten!" | "reverse!" | "rotate!"
            | "shuffle!",
            _,
        ) => {
            let plain = name.trim_end_matches('!');
            let new = rt.call_method(&whole, plain, args, block)?;
            let new = rt.to_list(&new)?;
            let same = new.len() == size && matches!(name, "uniq!" | "compact!" | "flatten!");
            *this.borrow_mut() = new;
            return Ok(Some(if same { Rv::Nil } else { whole }));
        }
        ("slice!", _) => {
            let taken = rt.call_method(&whole, "[]", args, None)?;
            let span = match args {
                [at] if !matches!(at, Rv::Range(_)) => {
                    position(rt, size, at)?.filter(|at| *at < size).map(|at| (at, 1))
                }
                _ => find_place(rt, size, args)?,
            };
            if let Some((from, length)) = span {
                this.borrow_mut().drain(from..(from + length).min(size));
            }
            return Ok(Some(taken));
        }
        ("clear", []) => this.borrow_mut().clear(),
        ("replace", [other]) => {
            let new = rt.to_list(other)?;
            *this.borrow_mut() = new;
        }
        ("fill", [value]) => this.borrow_mut().fill(value.clone()),
        _ => return Ok(None),
    }
    Ok(Some(whole))
}
