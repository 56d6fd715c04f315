//! What can be queried: entities, their fields, and how they are related (puppetlabs.puppetdb.query-eng.engine).
//!
//! Fields are in the order in which PuppetDB lists them in its messages. The store has no reports, events and packages: these
//! entities exist, and are empty.

mod table;

use table::ENTITIES;

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Boolean,
    Time,
    Tags,
    /// An object whose parts can be queried and extracted with dots.
    Object,
    /// The value of a fact.
    Value,
    Path,
    /// A part of a document that is only returned.
    Document,
}

/// A field of an entity.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The column, or the expression that yields it. Rows made of facts get theirs in `load`.
    pub(super) sql: &'static str,
    pub(super) queryable: bool,
    pub(super) projectable: bool,
}

const fn field(name: &'static str, kind: Kind, sql: &'static str) -> Field {
    let is_document = matches!(kind, Kind::Document);
    Field { name, kind, sql, queryable: !is_document, projectable: true }
}

const fn text(name: &'static str, sql: &'static str) -> Field {
    field(name, Kind::Text, sql)
}

/// A field that queries may use but that no row has.
const fn hidden(name: &'static str, kind: Kind, sql: &'static str) -> Field {
    Field { name, kind, sql, queryable: true, projectable: false }
}

/// How rows are made of what SQL returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// One each.
    Plain,
    /// One for each scalar in the value of a fact.
    FactContents,
    /// One for each path of any node.
    FactPaths,
}

/// Fields that are equal in related rows: own ones, and those of the other entity.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) to: &'static str,
    pub(super) own: &'static [&'static str],
    pub(super) other: &'static [&'static str],
}

/// Something that can be queried.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) name: &'static str,
    /// Its name in messages.
    pub(super) alias: &'static str,
    pub(super) fields: &'static [Field],
    /// Tables. Where rows belong to nodes, the table of nodes is `n`.
    pub(super) from: &'static str,
    pub(super) order: &'static str,
    pub(super) rows: Rows,
    pub(super) relations: &'static [Relation],
    /// Whether rows belong to nodes.
    pub(super) of_nodes: bool,
}

impl Entity {
    /// The entity of a name; dashes count as underscores.
    pub(super) fn find(name: &str) -> Option<&'static Entity> {
        let name = name.replace('-', "_");
        ENTITIES.iter().find(|entity| entity.name == name)
    }

    /// The position of a field.
    pub(super) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    pub(super) fn queryable(&self, name: &str) -> Option<usize> {
        self.field(name).filter(|at| self.fields[*at].queryable)
    }

    pub(super) fn queryable_sorted(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.fields.iter().filter(|field| field.queryable).map(|field| field.name).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn projectable(&self) -> Vec<&'static str> {
        self.fields.iter().filter(|field| field.projectable).map(|field| field.name).collect()
    }

    pub(super) fn orderable(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().filter(|field| field.queryable).map(|field| field.name)
    }

    /// Whether dotted fields below a field can be queried and extracted.
    pub(super) fn is_dotted(&self, name: &str) -> bool {
        // PuppetDB cannot look into the facts of factsets.
        self.name != "factsets" && self.field(name).is_some_and(|at| self.fields[at].kind == Kind::Object)
    }

    pub(super) fn relation(&self, to: &str) -> Option<&'static Relation> {
        let certname = || CERTNAMES.iter().find(|relation| relation.to == to);
        let related = self.relations.iter().find(|relation| relation.to == to);
        // Resources are related to what the documentation lists, and to nothing else.
        if self.name == "resources" || !self.of_nodes { related } else { related.or_else(certname) }
    }
}

const CERTNAME: &[&str] = &["certname"];

const fn by_certname(to: &'static str) -> Relation {
    Relation { to, own: CERTNAME, other: CERTNAME }
}

/// The entities that every one with a certname is related to.
static CERTNAMES: [Relation; 11] = [
    by_certname("factsets"),
    by_certname("reports"),
    by_certname("package_inventory"),
    by_certname("inventory"),
    by_certname("catalogs"),
    by_certname("nodes"),
    by_certname("facts"),
    by_certname("fact_contents"),
    by_certname("events"),
    by_certname("edges"),
    by_certname("resources"),
];

const fn related(to: &'static str, own: &'static [&'static str], other: &'static [&'static str]) -> Relation {
    Relation { to, own, other }
}

const ENVIRONMENTS: Relation = related("environments", &["environment"], &["name"]);
const PRODUCERS: Relation = related("producers", &["producer"], &["name"]);

const fn of_environment(to: &'static str) -> Relation {
    related(to, &["name"], &["environment"])
}

const fn of_producer(to: &'static str) -> Relation {
    related(to, &["name"], &["producer"])
}
