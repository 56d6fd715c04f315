//! Values of the Ruby of templates and functions.
//!
//! As in Ruby, strings, arrays and hashes are shared and mutable. No value outlives the rendering or call that created it,
//! except those in the state of the compile.

mod copy;
pub(crate) mod deep_copy;
mod key;
mod recursion;
mod shared;
pub(crate) mod string_object;

use std::any::Any;
use std::cell::Cell;
use std::cell::OnceCell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arcstr::ArcStr;
use indexmap::IndexMap;
use num_bigint::BigInt;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::string_object::StringObject;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_regexp::Spans;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::inline_cache::MethodCache;
use catwalk_value::Value;
use catwalk_value::ruby;

pub use key::Key;
pub(crate) use key::Lookup;
pub(crate) use key::LookupStr;
pub(crate) use key::WalkLookup;
pub(crate) use key::eql;
pub(crate) use key::key_number;
pub(crate) use recursion::PairWalk;
pub use shared::Shared;
pub(crate) use shared::share;

/// A string.
pub type Str = Rc<StringObject>;
/// An array.
pub type Array = Rc<Shared<Vec<Rv>>>;
/// A set.
pub type Set = Rc<Shared<Map>>;
/// Entries of a hash or a set.
pub type Map = IndexMap<Key, Rv, hashbrown::DefaultHashBuilder>;

/// Instance variables of an object.
pub(crate) type Variables = IndexMap<Name, Rv, rustc_hash::FxBuildHasher>;

/// The bits of a floating point number, so that values hold only machine integers or pointers and stay in registers.
#[derive(Clone, Copy)]
pub struct Real(u64);

impl Real {
    #[inline]
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// Any value.
#[derive(Default)]
pub enum Rv {
    #[default]
    Nil,
    True,
    False,
    Int(i64),
    /// An integer that has more than 64 bits.
    Big(Rc<BigInt>),
    Float(Real),
    Str(Str),
    /// A byte string that is not text: digests, packed data.
    Bytes(Rc<RefCell<Vec<u8>>>),
    Sym(ArcStr),
    Array(Array),
    Hash(Rc<HashObject>),
    Set(Set),
    Range(Rc<Range>),
    Regexp(Rc<RegexpValue>),
    Match(Rc<MatchValue>),
    Proc(Rc<Callable>),
    Time(Rc<TimeValue>),
    Ip(Rc<IpValue>),
    /// `Gem::Version`, `SemanticPuppet::Version`, as a string.
    Version(ArcStr),
    /// A class or module by its path.
    Class(Name),
    Exception(Rc<Exception>),
    Enumerator(Rc<Enumerator>),
    /// `scope`
    Scope,
    /// An instance of a built-in class or of the program's: `self` of a template or function, a `Struct`.
    Object(Rc<Instance>),
    /// A value of the Puppet language without an equivalent Ruby value.
    Puppet(Rc<Value>),
}

// Values and results are passed in two registers.
const _: () = assert!(size_of::<Rv>() == 16 && size_of::<crate::Raise<Rv>>() == 16);

/// A hash with its default.
pub struct HashObject {
    pub map: RefCell<Map>,
    pub default: RefCell<Rv>,
    pub default_proc: RefCell<Option<Rc<Callable>>>,
    /// The positions of the iterations in progress: removing an entry moves the later ones.
    pub iterations: RefCell<Vec<usize>>,
}

/// `a..b`
#[derive(Clone)]
pub struct Range {
    pub from: Rv,
    pub to: Rv,
    pub exclusive: bool,
}

/// A regular expression with its flags.
pub struct RegexpValue {
    pub source: Rc<str>,
    /// The flags out of `mix`, in this order.
    pub flags: Rc<str>,
    /// The compiled expression, with the flags in its source.
    pub regexp: Regexp,
    /// The result of `to_s`.
    pub string: OnceCell<Rc<str>>,
}

/// `$~`
pub struct MatchValue {
    /// The string that was searched.
    pub string: Rc<str>,
    /// The byte ranges of the groups; group 0 is the whole match.
    pub spans: Spans,
    /// The names of the groups, from group 1 on.
    pub names: Arc<[Option<String>]>,
    /// The regular expression; `None` if a string was searched for.
    pub regexp: Option<Rc<RegexpValue>>,
}

/// A point in time.
pub struct TimeValue {
    pub nanos: i128,
    /// Seconds east of UTC; `None` for UTC itself.
    pub offset: Option<i64>,
}

/// An IP address with the length of its prefix.
pub struct IpValue {
    pub address: u128,
    pub v6: bool,
    pub prefix: u32,
}

/// An exception object.
pub struct Exception {
    pub class: Name,
    pub message: RefCell<Rv>,
    /// Its instance variables.
    pub ivars: RefCell<Variables>,
    /// File and line where it was raised.
    pub file: RefCell<Rc<str>>,
    pub line: Cell<u32>,
    /// The failure of the host that it represents.
    pub failure: RefCell<Option<Failure>>,
}

impl Exception {
    /// Records where it was raised.
    pub fn raised_at(&self, file: &str, line: u32) {
        *self.file.borrow_mut() = Rc::from(file);
        self.line.set(line);
    }
}

/// An iteration without its block: `each_with_index`, `map.with_index`.
pub struct Enumerator {
    pub receiver: Rv,
    pub method: Name,
    pub args: Vec<Rv>,
    /// The state of `next`.
    pub buffer: RefCell<Option<EnumeratorItems>>,
}

/// The items of an enumerator read so far.
pub struct EnumeratorItems {
    pub items: Vec<Rv>,
    /// The index of the next item.
    pub at: usize,
    /// The result or error of its method at the end; `None` while there may be more items.
    pub end: Option<Result<Rv, Rc<Exception>>>,
}

/// An object with instance variables.
pub struct Instance {
    pub class: Name,
    pub ivars: RefCell<Variables>,
    /// The result of the object's own method `hash` when it was last used as a key.
    pub key: RefCell<Option<Rv>>,
    /// The value inside an object of a class that inherits from one of Ruby's own.
    pub native: RefCell<Option<Rv>>,
}

impl Instance {
    pub fn new(class: Name) -> Instance {
        Instance::with(class, IndexMap::default())
    }

    pub fn with(class: Name, ivars: Variables) -> Instance {
        Instance { class, ivars: RefCell::new(ivars), key: RefCell::default(), native: RefCell::default() }
    }
}

/// The body of a [`Callable::Native`].
pub(crate) type NativeBody = dyn for<'e> Fn(&mut Interp<'e>, &[Rv]) -> Raise<Rv>;

/// Anything that can be called.
pub enum Callable {
    /// A block, `proc`, `lambda` or `->`.
    Block {
        lambda: Arc<Lambda>,
        frame: Rc<Frame>,
        /// Whether the number of arguments is checked and `return` ends it.
        strict: bool,
        tag: u64,
    },
    /// `&:name`, with a cache of the method.
    Symbol(Name, MethodCache),
    /// `method(:name)`
    Method(Rv, Name),
    /// A block of the Puppet language, by its number.
    Puppet(usize),
    /// A function in Rust.
    Native(Box<NativeBody>),
}

/// A failure that no `rescue` may catch.
pub enum Failure {
    /// A failure of the language, such as unsupported code.
    Reason(Box<Reason>),
    /// A failure of the host, which passes through Ruby code.
    Host(Box<dyn Any>),
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Failure {
        Failure::Reason(Box::new(reason))
    }
}

/// An object of a class with these instance variables.
pub fn object(class: &str, fields: &[(&str, Rv)]) -> Rv {
    let ivars = fields.iter().map(|(name, value)| (Name::new(name), value.clone())).collect();
    Rv::Object(Rc::new(Instance::with(Name::new(class), ivars)))
}

/// The seconds of a Timestamp or Timespan.
pub(crate) fn seconds(value: &Value) -> Option<f64> {
    match value {
        Value::Timestamp(time) => Some(time.seconds()),
        Value::Timespan(time) => Some(time.seconds()),
        _ => None,
    }
}

/// Whether values of this kind have an order.
pub(crate) fn is_ordered(value: &Value) -> bool {
    matches!(value, Value::SemVer(_) | Value::Timestamp(_) | Value::Timespan(_))
}

impl Rv {
    #[inline]
    pub fn bool(b: bool) -> Rv {
        if b { Rv::True } else { Rv::False }
    }

    #[inline]
    pub fn float(f: f64) -> Rv {
        Rv::Float(Real(f.to_bits()))
    }

    pub fn str(contents: impl Into<String>) -> Rv {
        Rv::Str(Rc::new(StringObject::new(contents.into())))
    }

    /// A string of these bytes: text if they are valid UTF-8.
    pub fn from_bytes(bytes: Vec<u8>) -> Rv {
        match String::from_utf8(bytes) {
            Ok(string) => Rv::str(string),
            Err(error) => Rv::bytes(error.into_bytes()),
        }
    }

    pub(crate) fn bytes(bytes: Vec<u8>) -> Rv {
        Rv::Bytes(Rc::new(RefCell::new(bytes)))
    }

    pub fn sym(name: &str) -> Rv {
        Rv::Sym(ArcStr::from(name))
    }

    pub fn array(items: Vec<Rv>) -> Rv {
        Rv::Array(share(items))
    }

    pub fn hash(map: Map) -> Rv {
        Rv::Hash(HashObject::new(map))
    }

    pub(crate) fn int(n: usize) -> Rv {
        Rv::Int(n as i64)
    }

    /// A value for an integer of any size.
    pub fn integer(n: impl Into<BigInt> + TryInto<i64> + Copy) -> Rv {
        n.try_into().map_or_else(|_| Rv::Big(Rc::new(n.into())), Rv::Int)
    }

    pub fn truthy(&self) -> bool {
        !matches!(self, Rv::Nil | Rv::False)
    }

    pub fn is_nil(&self) -> bool {
        matches!(self, Rv::Nil)
    }

    /// The value inside an object of a class that inherits from one of Ruby's own, or the value itself.
    pub(crate) fn inner_value(&self) -> Rv {
        match self {
            Rv::Object(object) => object.native.borrow().clone().unwrap_or_else(|| self.clone()),
            other => other.clone(),
        }
    }

    /// The contents of a string or symbol.
    pub fn string_or_symbol(&self) -> Option<String> {
        match self {
            Rv::Str(string) => Some(string.borrow().clone()),
            Rv::Sym(name) => Some(name.to_string()),
            _ => None,
        }
    }

    /// The class of a value.
    pub fn class(&self) -> &'static str {
        match self {
            Rv::Nil => "NilClass",
            Rv::True => "TrueClass",
            Rv::False => "FalseClass",
            Rv::Int(_) | Rv::Big(_) => "Integer",
            Rv::Float(_) => "Float",
            Rv::Str(_) | Rv::Bytes(_) => "String",
            Rv::Sym(_) => "Symbol",
            Rv::Array(_) => "Array",
            Rv::Hash(_) => "Hash",
            Rv::Set(_) => "Set",
            Rv::Range(_) => "Range",
            Rv::Regexp(_) => "Regexp",
            Rv::Match(_) => "MatchData",
            Rv::Proc(_) => "Proc",
            Rv::Time(_) => "Time",
            Rv::Ip(_) => "IPAddr",
            Rv::Version(_) => "Gem::Version",
            Rv::Class(_) => "Class",
            Rv::Exception(e) => e.class.as_str(),
            Rv::Enumerator(_) => "Enumerator",
            Rv::Scope => "Puppet::Parser::Scope",
            Rv::Object(object) => object.class.as_str(),
            Rv::Puppet(value) => ruby::plain_class_name(value),
        }
    }
}

impl HashObject {
    pub fn new(map: Map) -> Rc<HashObject> {
        Rc::new(HashObject {
            map: RefCell::new(map),
            default: RefCell::new(Rv::Nil),
            default_proc: RefCell::new(None),
            iterations: RefCell::default(),
        })
    }

    pub fn get(&self, key: &Rv) -> Option<Rv> {
        self.map.borrow().get(&Lookup(key)).cloned()
    }

    /// Removes an entry; later ones keep their order.
    pub fn remove(&self, key: &Rv) -> Option<Rv> {
        let at = self.map.borrow().get_index_of(&Lookup(key))?;
        self.remove_at(at).map(|(_, value)| value)
    }

    /// Removes the entry at a position.
    pub(crate) fn remove_at(&self, at: usize) -> Option<(Key, Rv)> {
        let taken = self.map.borrow_mut().shift_remove_index(at)?;
        for next in self.iterations.borrow_mut().iter_mut().filter(|next| **next > at) {
            *next -= 1;
        }
        Some(taken)
    }
}
