//! Other files that a Ruby file loads, and modules as Ruby code sees them (`require`, `$LOAD_PATH`).
//!
//! In: the name of a library. Out: the definitions of its file, added to the program. Parts of Ruby's own libraries are built
//! in or have no effect; others are searched for in `lib/` of all modules. Must not: read a file except through the world.

use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::Interp;
use crate::ParsedFile;
use crate::Raise;
use crate::object::definitions::Method;
use crate::value::Instance;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_base::source::path::normalize_path;
use catwalk_ruby_syntax::parser;
use catwalk_world::Kind;

/// Libraries that are built in or have no effect.
const LIBRARIES: &[&str] = &[
    "json",
    "yaml",
    "erb",
    "set",
    "time",
    "date",
    "digest",
    "digest/md5",
    "digest/sha1",
    "digest/sha2",
    "digest/sha256",
    "base64",
    "ipaddr",
    "shellwords",
    "cgi",
    "uri",
    "securerandom",
    "openssl",
    "openssl/digest",
    "openssl/hmac",
    "pp",
    "English",
    "rubygems",
    "bigdecimal",
    "forwardable",
    "ostruct",
    "resolv",
    "socket",
    "etc",
    "open3",
    "fileutils",
    "pathname",
    "tempfile",
    "tmpdir",
    "zlib",
    "net/http",
    "stringio",
    "timeout",
    "singleton",
    "delegate",
    "benchmark",
    "tsort",
    "matrix",
    "prime",
    "rexml/document",
    "digest/sha2.rb",
    "strscan",
    "open-uri",
    "net/https",
    "net/ftp",
    "io/wait",
    "find",
    "digest/sha512",
    "digest/sha384",
    "rbconfig",
    "weakref",
    "monitor",
    "thread",
    "deep_merge",
    "deep_merge/core",
    "deep_merge/rails_compat",
    "concurrent",
    "logger",
    "abbrev",
    "observer",
    "optparse",
    "csv",
    "rexml/xpath",
    "rexml/element",
    "rubygems/version",
    "rubygems/package",
];

impl Interp<'_> {
    /// `require`, `require_relative` and `load`: returns whether the file was run now.
    pub fn require(&mut self, method: &str, library: &str) -> Raise<Rv> {
        if method != "require_relative" && LIBRARIES.contains(&library) {
            if let Some(prelude) = crate::library::prelude::library_of_methods(library) {
                return self.load_prelude(prelude).map(Rv::bool);
            }
            return Ok(Rv::False);
        }
        let Some(path) = self.library_file(method, library) else {
            let file = library.strip_suffix(".rb").unwrap_or(library);
            if method != "require_relative" && self.host.has_library(file) || method == "gem" {
                return Ok(Rv::False);
            }
            return self.raise("LoadError", format!("cannot load such file -- {library}"));
        };
        if self.loaded_files.contains(&path) {
            return Ok(Rv::False);
        }
        self.loaded_files.push(path.clone());
        let file: Rc<str> = Rc::from(path.to_string_lossy());
        let parsed = match self.host.parse_file(self.state, &path)? {
            Some(parsed) => parsed,
            None => self.parse_source_file(&path)?,
        };
        let node = match &*parsed {
            Ok(node) => node,
            Err(error) => {
                return self.unsupported(&format!("{} ({file}:{})", error.message, error.line));
            }
        };
        let outer = (std::mem::replace(&mut self.file, file), self.line, std::mem::replace(&mut self.is_loading, true));
        let this = Rv::Object(Rc::new(Instance::new(Name::new("Object"))));
        let frame = self.top_frame(this);
        let result = self.eval_in(node, &frame);
        (self.file, self.line, self.is_loading) = outer;
        result?;
        Ok(Rv::True)
    }

    /// Reads and parses a file of Ruby.
    fn parse_source_file(&mut self, path: &Path) -> Raise<ParsedFile> {
        match self.host.world().read(path) {
            Ok(bytes) => Ok(Arc::new(parser::parse(&String::from_utf8_lossy(&bytes), false))),
            Err(_) => self.raise("LoadError", format!("cannot load such file -- {}", path.display())),
        }
    }

    /// Loads the file that defines a constant of the host; a directory of that name at least defines a module. Code that uses such
    /// a constant without `require` relies on code that the process has run before.
    pub(crate) fn load_constant_file(&mut self, path: &str) -> Raise<Option<Rv>> {
        let Some(file) = self.host.file_of_constant(path) else { return Ok(None) };
        let library_file = self.library_file("require", &file);
        if library_file.is_some_and(|path| !self.loaded_files.contains(&path)) {
            self.require("require", &file)?;
            return Ok(self.tables.constants.get(&Name::new(path)).cloned());
        }
        let relative_path = format!("lib/{file}");
        let paths = self.host.library_paths(&relative_path);
        let directory = paths.iter().find(|path| self.host.world().kind(path) == Kind::Directory);
        Ok(directory.map(|_| Rv::Class(Name::new(path))))
    }

    /// The file of a library, if there is one.
    pub fn library_file(&mut self, method: &str, library: &str) -> Option<PathBuf> {
        let name = if library.ends_with(".rb") { library.to_owned() } else { format!("{library}.rb") };
        let is_file = |rt: &Self, path: &PathBuf| rt.host.world().kind(path) == Kind::File;
        if method == "require_relative" || name.starts_with('/') {
            let directory = Path::new(&*self.file).parent().unwrap_or(Path::new("/"));
            return Some(normalize_path(&directory.join(&name))).filter(|path| is_file(self, path));
        }
        let load_path: Vec<String> = match self.globals.get(&Name::new("LOAD_PATH")) {
            Some(Rv::Array(items)) => items.borrow().iter().filter_map(Rv::string_or_symbol).collect(),
            _ => Vec::new(),
        };
        let from_load_path = load_path.iter().map(|dir| normalize_path(&Path::new(dir).join(&name)));
        let relative_path = format!("lib/{name}");
        let modules = self.host.library_paths(&relative_path);
        from_load_path.chain(modules).find(|path| is_file(self, path))
    }

    /// The methods that `attr_reader :name` and similar calls define.
    pub fn define_accessors(&mut self, method: &str, names: &[Rv], class: Name) -> Raise<Rv> {
        let mut methods = Vec::new();
        for name in names.iter().filter_map(Rv::string_or_symbol) {
            if !name.starts_with(|c: char| c == '_' || c.is_alphabetic()) {
                return self.raise("NameError", format!("invalid attribute name `{name}'"));
            }
            let variable = Name::new(&name);
            if method != "attr_writer" {
                self.add_method(class, variable, Method::Reader(variable));
                methods.push(Rv::sym(&name));
            }
            if matches!(method, "attr_writer" | "attr_accessor") {
                let setter = format!("{name}=");
                self.add_method(class, Name::new(&setter), Method::Writer(variable));
                methods.push(Rv::sym(&setter));
            }
        }
        Ok(Rv::array(methods))
    }

    /// `include`, `prepend`, with the hooks of the modules (`included`).
    pub fn include(&mut self, class: Name, method: &str, modules: &[Rv]) -> Raise<()> {
        self.mix_in(class, method, modules);
        let hook = if method == "prepend" { catwalk_base::name!("prepended") } else { catwalk_base::name!("included") };
        for module in modules {
            if self.has_method(module, hook) {
                self.call_method(module, hook.as_str(), &[Rv::Class(class)], None)?;
            }
        }
        Ok(())
    }

    /// `$LOAD_PATH`: the directories that the program added. Directories of modules are always searched.
    pub(crate) fn load_path(&mut self) -> Rv {
        self.globals.entry(Name::new("LOAD_PATH")).or_insert_with(|| Rv::array(Vec::new())).clone()
    }
}
