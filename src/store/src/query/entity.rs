//! The entities that can be queried, their fields and relations (puppetlabs.puppetdb.query-eng.engine).
//!
//! Fields are in the order in which PuppetDB lists them in its messages. The store has no reports, events and packages: these
//! entities exist but are empty.

mod table;

use table::ENTITIES;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Boolean,
    Time,
    Tags,
    /// An object whose parts can be queried and extracted as dotted fields.
    Object,
    /// The value of a fact.
    Value,
    Path,
    /// A list in a document that can be returned but not queried.
    Document,
}

/// A field of an entity.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The SQL expression for the field. `load` computes the fields of `fact_contents` and `fact_paths` that are `NULL` here.
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

/// A field that can be queried but is not returned.
const fn hidden(name: &'static str, kind: Kind, sql: &'static str) -> Field {
    Field { name, kind, sql, queryable: true, projectable: false }
}

/// How many rows of the entity a row from SQL becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// One.
    Plain,
    /// One for each scalar in the value of a fact.
    FactContents,
    /// One for each path that no earlier row had.
    FactPaths,
}

/// A relation to another entity: rows are related if `fields` equal the `to_fields` of the other entity.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) to: &'static str,
    pub(super) fields: &'static [&'static str],
    pub(super) to_fields: &'static [&'static str],
}

/// An entity that can be queried.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) name: &'static str,
    /// Its name in messages.
    pub(super) alias: &'static str,
    pub(super) fields: &'static [Field],
    /// The `FROM` clause in SQL. If rows belong to nodes, `n` is the table `nodes`.
    pub(super) from: &'static str,
    pub(super) order: &'static str,
    pub(super) rows: Rows,
    pub(super) relations: &'static [Relation],
    /// Whether rows belong to nodes.
    pub(super) belongs_to_nodes: bool,
}

impl Entity {
    /// Finds an entity by name, in which dashes are treated as underscores.
    pub(super) fn find(name: &str) -> Option<&'static Entity> {
        let name = name.replace('-', "_");
        ENTITIES.iter().find(|entity| entity.name == name)
    }

    /// The index of a field.
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

    /// Whether parts of a field can be queried and extracted as dotted fields.
    pub(super) fn is_dotted(&self, name: &str) -> bool {
        // PuppetDB cannot query parts of the facts in factsets.
        self.name != "factsets" && self.field(name).is_some_and(|at| self.fields[at].kind == Kind::Object)
    }

    pub(super) fn relation(&self, to: &str) -> Option<&'static Relation> {
        let certname = || CERTNAMES.iter().find(|relation| relation.to == to);
        let related = self.relations.iter().find(|relation| relation.to == to);
        // Resources have only the relations that PuppetDB's documentation lists.
        if self.name == "resources" || !self.belongs_to_nodes { related } else { related.or_else(certname) }
    }
}

const CERTNAME: &[&str] = &["certname"];

const fn by_certname(to: &'static str) -> Relation {
    Relation { to, fields: CERTNAME, to_fields: CERTNAME }
}

/// The entities to which every entity with a certname is related.
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

const fn related(to: &'static str, fields: &'static [&'static str], to_fields: &'static [&'static str]) -> Relation {
    Relation { to, fields, to_fields }
}

const ENVIRONMENTS: Relation = related("environments", &["environment"], &["name"]);
const PRODUCERS: Relation = related("producers", &["producer"], &["name"]);

const fn by_environment(to: &'static str) -> Relation {
    related(to, &["name"], &["environment"])
}

const fn by_producer(to: &'static str) -> Relation {
    related(to, &["name"], &["producer"])
}
