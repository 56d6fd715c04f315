//! The catalog under construction (the compiler's and the catalog's tables of Puppet::Parser::Compiler).

use std::cell::RefCell;
use std::sync::Arc;

use hashbrown::HashMap;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::ScopeId;
use crate::builtin::Builtin;
use crate::collector::Collector;
use crate::collector::CollectorId;
use crate::collector::Index;
use crate::overrides::Override;
use crate::parameters::ParameterTypes;
use crate::relation::Relationship;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::names::Table;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_catalog::Containment;
use catwalk_catalog::Kind;
use catwalk_catalog::ResourceId;
use catwalk_catalog::Tags;
use catwalk_program::Registry;
use catwalk_syntax::ast::Definition;
use catwalk_value::Value;

/// An annotation of the function `annotate`: the value, the type and the annotation.
pub type Annotation = (Value, Arc<catwalk_value::ObjectType>, Value);

/// The code that set something: the right to override depends on it (Puppet's `source`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A class by its name; the empty name is `main`.
    Class(Name),
    /// A define by its name.
    Define(Name),
    /// A node block by the title of its resource.
    Node(Name),
    /// No code, for resources that exist before any code runs.
    Predefined,
}

/// Identity of a parameter's value: titles of one body share it, and an arrow that appends to one appends to all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Identity(pub u32);

/// One parameter of a resource under construction (Puppet::Parser::Resource::Param).
#[derive(Clone, Debug)]
pub struct Param {
    /// Its value; `undef` parameters are kept until the end.
    pub value: Value,
    /// The code that set it.
    pub source: Source,
    /// Where it was set.
    pub span: Option<Span>,
    /// `+>`
    pub append: bool,
    /// Identity of the value.
    pub identity: Identity,
}

/// Parameters by name in order of setting.
pub type Params = Table<Param>;

/// The definition that a resource is an instance of.
#[derive(Clone)]
pub enum ResourceDefinition<'c> {
    /// A built-in type.
    Builtin(Arc<Builtin>),
    /// A defined type.
    Define(&'c Definition),
    /// A class; `main` and `settings` have no single definition.
    Class(Option<&'c Definition>),
    /// A node block.
    Node(&'c Definition),
}

/// The union of two sets of tags.
#[derive(Clone, Debug)]
pub struct TagUnion {
    /// The two sets, kept alive so that their addresses stay unique.
    pub sets: (Tags, Tags),
    /// The union.
    pub all: Tags,
}

/// A resource under construction (Puppet::Parser::Resource).
#[derive(Clone)]
pub struct Entry<'c> {
    /// Its type, capitalized.
    pub type_name: Name,
    /// Its title; class titles are capitalized.
    pub title: Arc<str>,
    /// Whether the title is the symbol `main`.
    pub title_is_main: bool,
    /// The title if it is not a string (a key of `create_resources`): it is not a tag, and the name is a separate parameter.
    pub title_value: Option<Value>,
    /// What it is an instance of.
    pub declared: ResourceDefinition<'c>,
    /// How it was declared.
    pub kind: Kind,
    /// Where it was declared.
    pub span: Option<Span>,
    /// Whether it is exported; `None` if not specified (`create_resources`).
    pub exported: Option<bool>,
    /// Whether a function created it.
    pub by_function: bool,
    /// Whether the resource must be realized to be in the catalog.
    pub is_virtual: bool,
    /// Its parameters.
    pub params: Params,
    /// Parameters whose whole value is sensitive.
    pub sensitive: Vec<Name>,
    /// Its tags.
    pub tags: Tags,
    /// The code that declared it.
    pub source: Source,
    /// The scope it was declared in.
    pub scope: ScopeId,
    /// Whether its body has been evaluated.
    pub evaluated: bool,
    /// Whether it has the tags of its scope.
    pub scope_tagged: bool,
    /// Whether its parameters were checked, and none was set since.
    pub checked: bool,
    /// Whether `finish` is over.
    pub finished: bool,
    /// Whether the compiler's list has it (`Stage[main]` and `Class[settings]` are in the catalog only).
    pub in_compiler: bool,
}

impl Entry<'_> {
    /// `File[/x]`
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name, self.title)
    }

    /// The type under which its aliases are registered: the part before the last bracket of the first line of its reference that
    /// has one, which is the type unless the title contains brackets. (Puppet::Resource::Catalog#alias)
    pub(crate) fn alias_type(&self) -> Name {
        if !self.title.contains('[') {
            return self.type_name;
        }
        let reference = self.reference();
        let before =
            reference.lines().find_map(|line| line.rfind('[').filter(|at| *at > 0).and_then(|at| line.get(..at)));
        before.map_or(self.type_name, Name::new)
    }

    /// Whether its type is built in.
    pub fn is_builtin(&self) -> bool {
        matches!(self.declared, ResourceDefinition::Builtin(_))
    }

    /// Whether it is a class.
    pub fn is_class(&self) -> bool {
        self.type_name == catwalk_base::name!("Class")
    }

    /// A parameter's value as `resource[:name]` returns it: `None` for unset and for `undef`.
    pub fn get(&self, name: Name) -> Option<&Value> {
        self.params.get(&name).map(|param| &param.value).filter(|value| !value.is_undef())
    }
}

/// Key of the catalog's table: a type with a title or the values of several name attributes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The type, capitalized.
    pub type_name: Name,
    /// Title, or values.
    pub values: KeyValues,
}

/// The second part of a [`Key`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyValues {
    /// A title or the value of the single name attribute.
    Single(Value),
    /// Values of several.
    Composite(Vec<Value>),
}

/// The hash must equal that of `TitleKey`.
impl std::hash::Hash for KeyValues {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            KeyValues::Single(value) => value.hash(state),
            KeyValues::Composite(values) => values.hash(state),
        }
    }
}

/// A [`Key`] of a borrowed title.
#[derive(Hash, Debug)]
pub(crate) struct TitleKey<'a> {
    /// The type, capitalized.
    pub type_name: Name,
    /// The title.
    pub title: &'a str,
}

impl hashbrown::Equivalent<Key> for TitleKey<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.type_name == key.type_name
            && matches!(&key.values, KeyValues::Single(Value::Str(text)) if **text == *self.title)
    }
}

/// The resources of the catalog under construction, how they contain each other, and their defaults.
#[derive(Clone, Default)]
pub struct Resources<'c> {
    /// Every resource; [`ResourceId`] is an index.
    pub entries: Vec<Entry<'c>>,
    /// Titles and aliases.
    pub table: HashMap<Key, ResourceId>,
    /// Containment.
    pub containment: Containment,
    /// The compiler's resources by type, for collectors.
    pub by_type: NameMap<Vec<ResourceId>>,
    /// The tags that a type adds to its resources.
    pub type_tags: NameMap<Tags>,
    /// Tags of types with those of a container, by the addresses of both.
    pub merged_tags: FxHashMap<(usize, usize), TagUnion>,
    /// `Class[main]`
    pub main: Option<ResourceId>,
    /// The catalog's tags.
    pub tags: Tags,
    /// Resource defaults by scope and capitalized type.
    pub defaults: FxHashMap<(ScopeId, Name), Params>,
    /// Whether any resource default exists: most lookups end here.
    pub has_defaults: bool,
    /// The annotations of `annotate`.
    pub annotations: Vec<Annotation>,
    next_identity: u32,
}

/// Collectors, what they have collected, and overrides of resources that do not exist yet.
#[derive(Clone, Default)]
pub struct Collection {
    /// Overrides of resources that did not exist yet, by reference, in order.
    pub overrides: IndexMap<String, Vec<Override>>,
    /// The indexes of the collectors' current round.
    pub collector_index: Option<Box<Index>>,
    /// The number of resources of a type that collectors without a query have realized.
    pub realized_counts: NameMap<usize>,
    /// Every collector; [`CollectorId`] is an index.
    pub collectors: Vec<Collector>,
    /// Collectors that still collect: a `realize` is removed when it is complete.
    pub active_collectors: Vec<CollectorId>,
    /// Resources imported from other nodes, with the names of these.
    pub imported: FxHashMap<ResourceId, Arc<str>>,
    /// Pending instances that are virtual, during a round.
    pub pending_virtual: Vec<ResourceId>,
    /// Sources whose collectors override: they may override anything from then on.
    pub overriding_sources: FxHashSet<Source>,
}

/// Relationships of resources.
#[derive(Clone, Default)]
pub struct Relations {
    /// Arrows in order.
    pub relationships: Vec<Relationship>,
    /// Relationships that arrows and the function `require` made.
    pub(crate) added_relationships: Vec<crate::cycles::AddedRelationship>,
    /// All relationships after the check, each as the resource that is applied first and the one that is applied after it.
    pub(crate) ordering: Option<Vec<(ResourceId, ResourceId)>>,
    /// Elements that arrows appended to shared arrays.
    pub appended_targets: FxHashMap<Identity, Vec<Value>>,
}

/// Types that were looked up, evaluated or checked: each once in a compile.
#[derive(Clone, Default)]
pub struct TypeCaches {
    /// The error of a type's file that does not parse.
    pub(crate) parse_error: Option<Box<catwalk_base::diag::Diagnostic>>,
    /// The number of loaded files whose parameter types were evaluated.
    pub typed_files: usize,
    /// Files whose definitions are being typed, with the first unfinished definition.
    pub files_being_typed: Vec<(usize, usize)>,
    /// Aliases that are being compared with those of another compile.
    pub compared_aliases: Vec<Name>,
    /// Signatures of scripts that name types of the site, by their string.
    pub signatures: NameMap<Arc<crate::Signature>>,
    /// The meanings of functions' names in their modules.
    pub(crate) module_functions: NameMap<Option<crate::ModuleFunction>>,
    /// Types of parameters by whether it is a class, and by name.
    pub parameter_types: FxHashMap<(bool, Name), Arc<ParameterTypes>>,
    /// The registry of types, if compiles share it.
    pub registry: Option<Arc<Registry>>,
    /// Built-in types that were looked up.
    pub builtins: RefCell<NameMap<Option<Arc<Builtin>>>>,
    /// Resource types that references named, as written, with their names in the catalog.
    pub referenced_types: RefCell<NameMap<Name>>,
    /// Built-in types that were named in expressions.
    pub named_builtins: NameMap<catwalk_value::Type>,
    /// Definitions whose parameter names were checked: whether it is a class, and its name.
    pub checked_definitions: RefCell<FxHashSet<(bool, Name)>>,
    /// Resource types whose failure was logged.
    pub failed_types: RefCell<FxHashSet<Name>>,
}

/// The compiler's state besides scopes: what the parts of the evaluator share, and what has been evaluated.
#[derive(Clone, Default)]
pub struct State<'c> {
    /// The resources.
    pub resources: Resources<'c>,
    /// Collectors and overrides.
    pub collection: Collection,
    /// Relationships.
    pub relations: Relations,
    /// Types.
    pub types: TypeCaches,
    /// Whether the language received objects of Ruby, which the catalog names.
    pub ruby_objects: bool,
    /// Instances of classes, defines and nodes that are not evaluated yet.
    pub pending: Vec<ResourceId>,
    /// Pending resources that were declared for a script in a worker process ([`catwalk_world::worker::restricted`]).
    pub declared_for_script: FxHashSet<ResourceId>,
    /// The file of the main manifest whose code is being evaluated.
    pub program_file: Option<FileId>,
    /// Keys of deprecations that were logged.
    pub deprecations: FxHashSet<Box<str>>,
    /// The node block's scope.
    pub node_scope: Option<ScopeId>,
    /// Names of classes in order of evaluation.
    pub classes: Vec<Arc<str>>,
    /// The name of the node block among the classes, if it is not the title of its resource.
    pub node_class: Option<String>,
    /// The captures of the chosen node block's regular expression.
    pub node_captures: Option<Vec<Value>>,
    /// Deferred functions that were warned about.
    pub warned_deferred: FxHashSet<Name>,
    /// The `Deferred` values of the compile.
    pub(crate) deferred: crate::deferred::DeferredUses,
    /// Warnings with their position in the log.
    pub late_logs: RefCell<Vec<(usize, Diagnostic)>>,
}

impl Resources<'_> {
    /// Reserves room for resources.
    pub(crate) fn reserve(&mut self, resources: usize) {
        self.entries.reserve(resources);
        self.table.reserve(resources + resources / 4);
        self.containment.reserve(resources);
    }

    /// Further new identities.
    pub(crate) fn identities(&mut self, count: usize) -> impl Iterator<Item = Identity> + use<> {
        let first = self.next_identity.wrapping_add(1);
        self.next_identity = self.next_identity.wrapping_add(u32::try_from(count).unwrap_or(u32::MAX));
        (first..).map(Identity)
    }

    /// A new identity.
    pub fn identity(&mut self) -> Identity {
        self.next_identity += 1;
        Identity(self.next_identity)
    }
}
