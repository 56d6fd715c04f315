//! Lookup of constants: of the program, of Ruby and the host, of libraries and files that define them when they are first named.
//!
//! In: a name and the position in the code. Out: its value. Must not: call methods.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::State;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Node;

/// Libraries of Ruby that are not supported.
const UNSUPPORTED_LIBRARIES: [&str; 9] =
    ["Concurrent", "OpenSSL", "OptionParser", "Logger", "Complex", "Thread", "Queue", "Fiber", "ConditionVariable"];

impl Interp<'_> {
    /// The value of a constant.
    #[inline(never)]
    pub(crate) fn constant_node(
        &mut self,
        scope: Option<&Option<Box<Node>>>,
        name: Name,
        line: u32,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        self.line = line;
        if scope.is_none() {
            return self.bare_constant(name, f);
        }
        let path = match scope {
            Some(Some(node)) => match self.eval(node, f)? {
                Rv::Class(outer) => {
                    let path = Name::new(&format!("{outer}::{name}"));
                    if self.tables.private_constants.contains(&path) {
                        return self.raise("NameError", format!("private constant {path} referenced"));
                    }
                    path
                }
                other => {
                    let inspected = self.inspect(&other)?;
                    return self.raise("TypeError", format!("{inspected} is not a class/module"));
                }
            },
            _ => name,
        };
        if !self.tables.constants.is_empty()
            && let Some((outer, _)) = path.as_str().rsplit_once("::")
            && let Some(value) = self.inherited_constant(Name::new(outer), name)
        {
            return Ok(value);
        }
        self.constant_at(path, None)
    }

    /// The value of an unqualified constant; those of the program and classes are cached.
    fn bare_constant(&mut self, name: Name, f: &Rc<Frame>) -> Raise<Rv> {
        let key = (f.class, name);
        if let Some(value) = self.cached_constants().get(&key) {
            return Ok(value.clone());
        }
        let value = match self.enclosing_constant(name, f) {
            Some(value) => value,
            None => {
                let value = self.constant_at(name, self.innermost_class(f))?;
                if !matches!(value, Rv::Class(_)) {
                    return Ok(value);
                }
                value
            }
        };
        self.cached_constants().insert(key, value.clone());
        Ok(value)
    }

    /// A constant of the program at a position: of the enclosing classes, then of their superclasses.
    fn enclosing_constant(&self, name: Name, f: &Rc<Frame>) -> Option<Rv> {
        if self.tables.constants.is_empty() {
            return None;
        }
        let mut outer = f.class.map(|class| class.as_str().trim_end_matches('.').to_owned());
        while let Some(class) = outer {
            let inner = Name::new(&format!("{class}::{name}"));
            if let Some(value) = self.tables.constants.get(&inner) {
                return Some(value.clone());
            }
            outer = class.rsplit_once("::").map(|(outer, _)| outer.to_owned());
        }
        f.class.and_then(|class| self.inherited_constant(class, name))
    }

    /// The innermost enclosing class or module, which messages about an unknown constant contain; for code that the host
    /// evaluates, the class that does so.
    fn innermost_class(&self, f: &Rc<Frame>) -> Option<&'static str> {
        match f.class.map(|class| class.as_str().trim_end_matches('.')) {
            Some("Object") | None if self.is_shared_object(f) => self.setup.shared_class.map(Name::as_str),
            Some("Object") | None => None,
            Some(class) => Some(self.host.displayed_class(class).unwrap_or(class)),
        }
    }

    /// Whether the path is a class of the host that it does not support.
    pub(crate) fn is_unsupported_class(&self, path: &str) -> bool {
        (self.setup.is_unsupported_class)(path)
            && !self.is_builtin_class(path)
            && !self.tables.constants.contains_key(&Name::new(path))
            && self.library_of_constant(path).is_none()
    }

    /// A constant of a class, its included modules or superclasses.
    fn inherited_constant(&self, class: Name, name: Name) -> Option<Rv> {
        let mut found = None;
        self.tables.visit_superclasses(class, &mut |class| {
            found = self.tables.constants.get(&Name::new(&format!("{class}::{name}"))).cloned();
            found.is_some()
        });
        found
    }

    /// The value of a constant by its path from a class (`const_get`).
    pub fn constant_path(&mut self, outer: Option<Name>, path: &str) -> Raise<Rv> {
        let path = path.trim_start_matches("::");
        match outer {
            Some(outer) => self.constant_at(Name::new(&format!("{outer}::{path}")), None),
            None => self.constant_at(Name::new(path), None),
        }
    }

    /// The value of a constant by its full path; `inside` is the class of the code.
    fn constant_at(&mut self, path: Name, inside: Option<&str>) -> Raise<Rv> {
        if let Some(value) = self.tables.constants.get(&path) {
            return Ok(value.clone());
        }
        // YAML is another name of Psych.
        if let Some(name) = path.as_str().strip_prefix("YAML").filter(|name| name.is_empty() || name.starts_with("::"))
        {
            return self.constant_at(Name::new(&format!("Psych{name}")), inside);
        }
        if let Some(value) = self.builtin_constant(path) {
            return Ok(value);
        }
        if self.is_builtin_class(path.as_str()) {
            return Ok(Rv::Class(path));
        }
        if let Some(value) = self.library_constant(path)? {
            return Ok(value);
        }
        self.unknown_constant(path, inside)
    }

    /// The value of a constant of Ruby or the host that is not a class.
    fn builtin_constant(&self, path: Name) -> Option<Rv> {
        Some(match path.as_str() {
            "RUBY_VERSION" => Rv::str("3.1.2"),
            "RUBY_PLATFORM" => Rv::str("x86_64-linux-gnu"),
            "RUBY_ENGINE" => Rv::str("ruby"),
            "RUBY_PATCHLEVEL" => Rv::Int(20),
            "RUBY_RELEASE_DATE" => Rv::str("2022-04-12"),
            "Psych::VERSION" => Rv::str("4.0.4"),
            "Gem::VERSION" => Rv::str("3.3.15"),
            "Float::INFINITY" => Rv::float(f64::INFINITY),
            "Float::NAN" => Rv::float(f64::NAN),
            "Float::MAX" => Rv::float(f64::MAX),
            "Float::MIN" => Rv::float(f64::MIN_POSITIVE),
            "Float::EPSILON" => Rv::float(f64::EPSILON),
            "Math::E" => Rv::float(std::f64::consts::E),
            "Math::PI" => Rv::float(std::f64::consts::PI),
            "Fixnum" | "Bignum" => Rv::Class(catwalk_base::name!("Integer")),
            "File::SEPARATOR" => Rv::str("/"),
            "Regexp::IGNORECASE" => Rv::Int(1),
            "Regexp::EXTENDED" => Rv::Int(2),
            "Regexp::MULTILINE" => Rv::Int(4),
            "Encoding::UTF_8" => Rv::str("UTF-8"),
            "Encoding::ASCII_8BIT" | "Encoding::BINARY" => Rv::str("ASCII-8BIT"),
            "Process::CLOCK_REALTIME" => Rv::Int(0),
            "Process::CLOCK_MONOTONIC" => Rv::Int(1),
            "Digest::SHA2" => Rv::Class(catwalk_base::name!("Digest::SHA256")),
            "PSON" if self.setup.dialect.has_pson => Rv::Class(path),
            "Socket::AF_INET" => Rv::Int(2),
            "Socket::AF_INET6" => Rv::Int(10),
            path => return self.host.constant(path),
        })
    }

    /// The value of a constant of a library, which is loaded first: of a library in `prelude`, of a file that defines the
    /// constant, of a file that an earlier program loaded.
    fn library_constant(&mut self, path: Name) -> Raise<Option<Rv>> {
        if let Some(library) = self.library_of_constant(path.as_str())
            && self.load_prelude(library)?
            && let Some(value) = self.tables.constants.get(&path)
        {
            return Ok(Some(value.clone()));
        }
        if let Some(value) = self.load_constant_file(path.as_str())? {
            return Ok(Some(value));
        }
        let find = |state: &State| state.libraries.iter().find(|tables| tables.constants.contains_key(&path)).cloned();
        let loaded_before = find(&self.state_ref());
        Ok(loaded_before.map(|tables| {
            self.adopt_tables(&tables);
            tables.constants.get(&path).cloned().unwrap_or(Rv::Nil)
        }))
    }

    /// The error of a constant that does not exist, or that is not supported.
    fn unknown_constant(&mut self, path: Name, inside: Option<&str>) -> Raise<Rv> {
        let library = path.as_str().split("::").next().unwrap_or_default();
        if (self.setup.is_unsupported_class)(path.as_str()) || UNSUPPORTED_LIBRARIES.contains(&library) {
            return self.unsupported(&format!("constant {path}"));
        }
        match inside {
            Some(inside) => self.raise("NameError", format!("uninitialized constant {inside}::{path}")),
            None => self.raise("NameError", format!("uninitialized constant {path}")),
        }
    }

    /// Whether `self` is an object of the class that all programs share, as in templates.
    fn is_shared_object(&self, f: &Frame) -> bool {
        matches!(&f.this, Rv::Object(object) if Some(object.class) == self.setup.shared_class)
    }
}
