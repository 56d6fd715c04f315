//! The state while files are read (constants, methods, the definition), and definitions of modules and methods.
//!
//! In: a file. Out: its definitions, in the [`Reader`]. Must not: know attributes of resource types (`define` does).

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Library;
use super::block::Block;
use super::define::Definition;
use super::nagios::Kinds;
use super::value::Value;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::path::normalize_path;
use catwalk_ruby_syntax::ast::Class;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::parser;
use catwalk_ruby_syntax::walk;

/// Steps that one type may take, so that every file ends: one for each expression, and for each item of lists and strings that
/// is copied or searched ([`Value::cost`]).
const FUEL: usize = 500_000;

/// A variable: `name` or `@name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    Local(Name),
    Instance(Name),
}

/// Variables by name.
pub(super) type Variables = BTreeMap<Variable, Value>;

/// The state while files are read.
pub(super) struct Reader<'l, 'w> {
    pub(super) library: &'l mut Library<'w>,
    pub(super) type_name: Name,
    loaded: Vec<PathBuf>,
    /// Constants by their path.
    pub(super) constants: BTreeMap<String, Value>,
    /// Methods: `A::B.name` of the module itself, `A::B#name` of what includes it.
    pub(super) methods: BTreeMap<String, Block>,
    pub(super) definition: Option<Definition>,
    fuel: usize,
    /// Whether the fuel ran out.
    pub(super) exhausted: bool,
    pub(super) depth: usize,
    /// Whether expressions or calls nested too deep.
    pub(super) too_deep: bool,
    /// The error that a file raises.
    failure: Option<&'static str>,
    pub(super) nagios: Kinds,
}

/// The context of an expression.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) variables: Arc<Variables>,
    /// The enclosing modules.
    pub(super) modules: Vec<String>,
    /// The file of the expression.
    pub(super) file: Arc<Path>,
    /// Inside `class << self`.
    pub(super) singleton: bool,
    /// Inside the block of `newtype`.
    pub(super) in_type: bool,
    /// The block that `yield` calls.
    pub(super) block: Option<Block>,
    /// Whether a `return` was evaluated.
    pub(super) returned: bool,
}

impl Scope {
    pub(super) fn new(file: Arc<Path>, modules: Vec<String>) -> Scope {
        Scope {
            variables: Arc::default(),
            modules,
            file,
            singleton: false,
            in_type: false,
            block: None,
            returned: false,
        }
    }

    /// Removes a value from a variable, so that it can be changed in place before it is set again.
    pub(super) fn take(&mut self, variable: Variable) -> Option<Value> {
        Arc::make_mut(&mut self.variables).remove(&variable)
    }

    pub(super) fn set(&mut self, variable: Variable, value: Value) {
        Arc::make_mut(&mut self.variables).insert(variable, value);
    }

    pub(super) fn set_local(&mut self, name: Name, value: Value) {
        self.set(Variable::Local(name), value);
    }

    /// Forgets what was assigned in code that may or may not have run.
    pub(super) fn forget(&mut self, skipped: &Node) {
        let mut changed = Vec::new();
        walk::any_node(skipped, &mut |node| {
            if let NodeKind::Assign(target, _) | NodeKind::OpAssign(target, ..) = &node.kind {
                changed.extend(variable(target));
            }
            false
        });
        for variable in changed {
            self.set(variable, Value::Unknown);
        }
    }
}

/// The variable of an assignment's target.
pub(super) fn variable(target: &Node) -> Option<Variable> {
    match &target.kind {
        NodeKind::Local(local) => Some(Variable::Local(local.name)),
        NodeKind::IVar(variable) => Some(Variable::Instance(variable.name)),
        _ => None,
    }
}

impl<'l, 'w> Reader<'l, 'w> {
    pub(super) fn new(library: &'l mut Library<'w>, type_name: Name) -> Reader<'l, 'w> {
        Reader {
            library,
            type_name,
            loaded: Vec::new(),
            constants: BTreeMap::new(),
            methods: BTreeMap::new(),
            definition: None,
            fuel: FUEL,
            exhausted: false,
            depth: 0,
            too_deep: false,
            failure: None,
            nagios: Kinds::default(),
        }
    }

    /// Takes steps from the fuel; `false`: too few are left, so the result is unknown.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        meter::tick(steps);
        match self.fuel.checked_sub(steps) {
            Some(left) => self.fuel = left,
            None => {
                self.fuel = 0;
                self.exhausted = true;
            }
        }
        !self.exhausted
    }

    /// Reads a file once.
    pub(super) fn load(&mut self, file: &Path) -> Result<(), String> {
        if self.loaded.iter().any(|loaded| loaded == file) {
            return Ok(());
        }
        self.loaded.push(file.to_path_buf());
        let Some(text) = self.library.read_text(file) else {
            return Err(format!("cannot load such file -- {}", file.display()));
        };
        let tree = parser::parse(&text, false).map_err(|error| {
            let prefix = if error.is_unsupported { "not supported yet: " } else { "syntax error, " };
            let message = error.message.trim_start_matches("syntax error, ");
            format!("{}:{}: {prefix}{message}", file.display(), error.line)
        })?;
        self.value(&tree, &mut Scope::new(Arc::from(file), Vec::new()));
        self.failure.map_or(Ok(()), |failure| Err(failure.to_owned()))
    }

    /// Records the error that a file raises; the first wins.
    pub(super) fn record_failure(&mut self, failure: &'static str) -> Value {
        self.failure.get_or_insert(failure);
        Value::Unknown
    }

    /// Records code that could not be read.
    pub(super) fn gap(&mut self, scope: &Scope, line: u32, what: &str) {
        if let Some(definition) = &mut self.definition {
            let name = scope.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            definition.gaps.push(format!("{what} at {name}:{line}"));
        }
    }

    /// Skips code: a gap if it defines attributes, and variables that it assigns become unknown.
    pub(super) fn skip(&mut self, node: &Node, scope: &mut Scope, line: u32, what: &str) -> Value {
        if defines(node) {
            self.gap(scope, line, what);
        }
        scope.forget(node);
        Value::Unknown
    }

    /// `module A`, `class B < C`, `class << self`
    pub(super) fn module(&mut self, class: &Class, scope: &Scope) -> Value {
        let mut inner = Scope::new(scope.file.clone(), scope.modules.clone());
        match &class.path {
            Some(path) => inner.modules.push(path_of(path)),
            None => {
                inner.singleton = true;
                inner.in_type = scope.in_type;
            }
        }
        self.value(&class.body, &mut inner);
        Value::Nil
    }

    /// `def name(parameters)`
    pub(super) fn method(&mut self, def: &Arc<Def>, scope: &Scope) -> Value {
        let block = Block::method(def, scope);
        let is_singleton = def.singleton.is_some() || scope.singleton;
        match &mut self.definition {
            Some(definition) if scope.in_type => {
                let table = if is_singleton { &mut definition.class_methods } else { &mut definition.methods };
                table.insert(def.name, block);
            }
            _ => {
                let mark = if is_singleton { '.' } else { '#' };
                self.methods.insert(format!("{}{mark}{}", scope.modules.join("::"), def.name), block);
            }
        }
        Value::Symbol(def.name.to_string())
    }

    /// `require` and similar calls: the file is read if it is among the modules' files.
    pub(super) fn require(&mut self, scope: &Scope, path: &str, relative: bool) {
        let file = if path.ends_with(".rb") { path.to_owned() } else { format!("{path}.rb") };
        let found = if relative {
            scope.file.parent().map(|folder| normalize_path(&folder.join(&file)))
        } else if file.starts_with('/') {
            Some(normalize_path(Path::new(&file)))
        } else if file.starts_with("puppet_x/") || file.starts_with("puppet/") {
            let own = scope.file.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "lib"));
            let own = own.map(|lib| lib.join(&file));
            match own {
                Some(own) if self.library.is_file(&own) => Some(own),
                _ => self.library.find(&file),
            }
        } else {
            None
        };
        if let Some(found) = found {
            // A file that does not exist, or that this reader cannot take, leaves its names unknown.
            let _ = self.load(&found);
        }
    }
}

/// Whether code calls a method that defines attributes.
pub(super) fn defines(node: &Node) -> bool {
    walk::any_node(node, &mut |node| {
        matches!(&node.kind, NodeKind::Call(call)
            if matches!(&*call.name, "newparam" | "newproperty" | "ensurable" | "isnamevar"))
    })
}

/// `A::B` as written.
pub(super) fn path_of(node: &Node) -> String {
    match &node.kind {
        NodeKind::Const(Some(Some(scope)), name) => format!("{}::{name}", path_of(scope)),
        NodeKind::Const(_, name) => name.to_string(),
        _ => String::new(),
    }
}
