//! Parts of Ruby's libraries that are written in Ruby, run when a program first names one of their constants.
//!
//! In: the name of a constant. Out: the library's classes, added to the program. Must not: reach external data except through the
//! world's questions (`Resolv.__ask`).

use std::rc::Rc;
use std::sync::OnceLock;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::diag::Cause;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::parser::ParseError;
use catwalk_world::dns::Question;
use catwalk_world::dns::Record;

/// A library: its source, and its tree after the first use.
pub struct Library {
    name: &'static str,
    source: &'static str,
    tree: OnceLock<Result<Node, ParseError>>,
}

impl Library {
    /// The name for `require`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// A library with this name in messages.
    pub const fn new(name: &'static str, source: &'static str) -> Library {
        Library { name, source, tree: OnceLock::new() }
    }
}

pub(crate) static RESOLV_CLASS: Class = Class::module("Resolv", &[Method::new("__ask", 3, query_dns)]);

static PATHNAME: Library = Library::new("pathname", include_str!("prelude/pathname.rb"));
static STRINGIO: Library = Library::new("stringio", include_str!("prelude/stringio.rb"));
static STRUCT: Library = Library::new("struct", include_str!("prelude/struct.rb"));
static DEEP_MERGE: Library = Library::new("deep_merge", include_str!("prelude/deep_merge.rb"));
static DATE: Library = Library::new("date", include_str!("prelude/date.rb"));
static OPEN3: Library = Library::new("open3", include_str!("prelude/open3.rb"));
static CSV: Library = Library::new("csv", include_str!("prelude/csv.rb"));
static PATTERNS: Library = Library::new("patterns", include_str!("prelude/patterns.rb"));
static RATIONAL: Library = Library::new("rational", include_str!("prelude/rational.rb"));
static REXML: Library = Library::new("rexml", include_str!("prelude/rexml.rb"));
static ENUMERATOR: Library = Library::new("enumerator", include_str!("prelude/enumerator.rb"));
static ETC: Library = Library::new("etc", include_str!("prelude/etc.rb"));
static FIND: Library = Library::new("find", include_str!("prelude/find.rb"));
static STRSCAN: Library = Library::new("strscan", include_str!("prelude/strscan.rb"));
static TIMEOUT: Library = Library::new("timeout", include_str!("prelude/timeout.rb"));
static NET_HTTP: Library = Library::new("net/http", include_str!("prelude/net_http.rb"));
static URI_PARSER: Library = Library::new("uri/parser", include_str!("prelude/uri_parser.rb"));
static RESOLV: Library = Library::new("resolv", include_str!("prelude/resolv.rb"));

/// A library that only adds methods to Ruby's classes, by its name for `require`: no constant would load it.
pub(crate) fn library_of_methods(name: &str) -> Option<&'static Library> {
    match name {
        "csv" => Some(&CSV),
        name => name.starts_with("deep_merge").then_some(&DEEP_MERGE),
    }
}

/// The library that defines a constant.
fn library_of_constant(path: &str) -> Option<&'static Library> {
    if matches!(path, "URI::DEFAULT_PARSER" | "URI::Parser" | "URI::RFC2396_Parser") {
        return Some(&URI_PARSER);
    }
    if path.starts_with("Enumerator::") {
        return Some(&ENUMERATOR);
    }
    match path.split("::").next() {
        Some("Struct" | "OpenStruct") => Some(&STRUCT),
        Some("Date" | "DateTime") => Some(&DATE),
        Some("CSV") => Some(&CSV),
        Some("Rational") if path == "Rational" => Some(&RATIONAL),
        Some("REXML") => Some(&REXML),
        Some("Forwardable" | "Singleton" | "Delegator" | "SimpleDelegator" | "Monitor" | "MonitorMixin" | "TSort") => {
            Some(&PATTERNS)
        }
        Some("Mutex") if path == "Mutex" => Some(&PATTERNS),
        Some("DeepMerge") => Some(&DEEP_MERGE),
        Some("Etc") => Some(&ETC),
        Some("Find") if path == "Find" => Some(&FIND),
        Some("Timeout") if path == "Timeout" => Some(&TIMEOUT),
        Some("Net" | "OpenURI") => Some(&NET_HTTP),
        Some("Open3") => Some(&OPEN3),
        Some("Pathname") => Some(&PATHNAME),
        Some("Resolv") => Some(&RESOLV),
        Some("StringIO") => Some(&STRINGIO),
        Some("StringScanner") if path == "StringScanner" => Some(&STRSCAN),
        _ => None,
    }
}

impl Interp<'_> {
    /// The library of the host or of Ruby that defines a constant.
    pub fn library_of_constant(&self, path: &str) -> Option<&'static Library> {
        self.host.library_of_constant(path).or_else(|| library_of_constant(path))
    }

    /// Runs a library; returns false if the program has already run it.
    pub fn load_prelude(&mut self, library: &'static Library) -> Raise<bool> {
        let path = std::path::PathBuf::from(library.name);
        if self.loaded_files.contains(&path) {
            return Ok(false);
        }
        self.loaded_files.push(path);
        let tree = library.tree.get_or_init(|| catwalk_ruby_syntax::parser::parse(library.source, false));
        let node = match tree {
            Ok(node) => node,
            Err(error) => return self.raise("LoadError", format!("{}: {}", library.name, error.message)),
        };
        let file = Rc::from(library.name);
        let outer = (std::mem::replace(&mut self.file, file), self.line, std::mem::replace(&mut self.is_loading, true));
        let this = Rv::Object(Rc::new(Instance::new(Name::new("Object"))));
        let frame = self.top_frame(this);
        let result = self.eval_in(node, &frame);
        (self.file, self.line, self.is_loading) = outer;
        result.map(|_| true)
    }
}

/// `Resolv.__ask(kind, name, servers)`: the records as strings.
fn query_dns(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    let Some(record) = Record::from_name(&string(0)) else {
        return rt.unsupported(&format!("records of the kind {}", string(0)));
    };
    let servers = match args.get(2) {
        Some(Rv::Array(items)) => items.borrow().iter().filter_map(Rv::string_or_symbol).collect(),
        _ => Vec::new(),
    };
    let question = Question { record, name: string(1), servers };
    match rt.host.world().resolve(&question) {
        Ok(records) => Ok(Rv::array(records.iter().map(|record| Rv::str(&**record)).collect())),
        Err(refused) if refused.cause() == Cause::NotRecorded => rt.raise_refusal(&refused, ""),
        Err(refused) => rt.raise("Resolv::ResolvError", refused.to_string()),
    }
}
