//! Copies of data with everything in it, as `Marshal` makes them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::HashObject;
use super::Key;
use super::Map;
use super::Rv;
use catwalk_base::meter;

/// The copies of arrays and hashes that one copy has reached, by the addresses of the originals.
type Copies = FxHashMap<usize, Rv>;

fn collection_address(object: &Rv) -> Option<usize> {
    match object {
        Rv::Array(items) => Some(Rc::as_ptr(items).addr()),
        Rv::Hash(hash) => Some(Rc::as_ptr(hash).addr()),
        _ => None,
    }
}

/// A copy of data, strings included; `None` for a value that contains anything else.
pub(crate) fn deep_copy(object: &Rv) -> Option<Rv> {
    deep_copy_part(object, &mut Copies::default())
}

fn deep_copy_part(object: &Rv, copies: &mut Copies) -> Option<Rv> {
    meter::descend();
    if let Some(copied) = collection_address(object).and_then(|address| copies.get(&address)) {
        return Some(copied.clone());
    }
    Some(match object {
        Rv::Str(string) => Rv::str(&**string.borrow()),
        Rv::Bytes(bytes) => Rv::bytes(bytes.borrow().clone()),
        Rv::Array(items) => {
            let list = super::share(Vec::new());
            copies.insert(Rc::as_ptr(items).addr(), Rv::Array(list.clone()));
            let copied: Option<Vec<Rv>> = items.borrow().iter().map(|item| deep_copy_part(item, copies)).collect();
            *list.borrow_mut() = copied?;
            Rv::Array(list)
        }
        Rv::Hash(hash) => {
            if hash.default_proc.borrow().is_some() {
                return None;
            }
            let new = HashObject::new(Map::default());
            copies.insert(Rc::as_ptr(hash).addr(), Rv::Hash(new.clone()));
            let map = hash.map.borrow();
            let copied = map
                .iter()
                .map(|(key, value)| Some((Key(deep_copy_part(&key.0, copies)?), deep_copy_part(value, copies)?)));
            let copied: Option<Map> = copied.collect();
            *new.map.borrow_mut() = copied?;
            *new.default.borrow_mut() = hash.default.borrow().clone();
            Rv::Hash(new)
        }
        Rv::Nil
        | Rv::True
        | Rv::False
        | Rv::Int(_)
        | Rv::Big(_)
        | Rv::Float(_)
        | Rv::Sym(_)
        | Rv::Range(_)
        | Rv::Regexp(_)
        | Rv::Time(_)
        | Rv::Version(_)
        | Rv::Class(_)
        | Rv::Puppet(_) => object.clone(),
        _ => return None,
    })
}
