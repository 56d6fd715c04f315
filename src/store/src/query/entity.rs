//! What can be queried: entities, their fields, and how they are related (puppetlabs.puppetdb.query-eng.engine).
//!
//! Fields are in the order in which PuppetDB lists them in its messages. The store has no reports, events and packages: these
//! entities exist, and are empty.

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

const FACTS_OF_NODE: &str = "(SELECT json_group_object(f.name, json(f.value)) FROM facts f WHERE f.node = n.id)";
const TRUSTED_OF_NODE: &str = "(SELECT f.value FROM facts f WHERE f.node = n.id AND f.name = 'trusted')";
const FACT_LIST_OF_NODE: &str = "json_object('data', json((SELECT json_group_array(json_object('name', f.name, 'value', \
    json(f.value))) FROM facts f WHERE f.node = n.id)), 'href', '/pdb/query/v4/factsets/' || n.certname || '/facts')";
const RESOURCES_OF_NODE: &str = "json_object('data', json((SELECT json_group_array(json_object('resource', r.hash, 'type', r.type, \
    'title', r.title, 'tags', json(r.tags), 'exported', json(iif(r.exported, 'true', 'false')), 'file', r.file, 'line', r.line, \
    'parameters', json(r.parameters))) FROM resources r WHERE r.node = n.id)), 'href', '/pdb/query/v4/catalogs/' || n.certname || \
    '/resources')";
const EDGES_OF_NODE: &str = "json_object('data', json((SELECT json_group_array(json_object('source_type', d.source_type, \
    'source_title', d.source_title, 'target_type', d.target_type, 'target_title', d.target_title, 'relationship', d.relationship)) \
    FROM edges d WHERE d.node = n.id)), 'href', '/pdb/query/v4/catalogs/' || n.certname || '/edges')";

static ENTITIES: [Entity; 15] = [
    Entity {
        name: "nodes",
        alias: "nodes",
        fields: &[
            field("latest_report_corrective_change", Kind::Boolean, "NULL"),
            field("deactivated", Kind::Time, "n.deactivated"),
            field("expired", Kind::Time, "NULL"),
            text("report_environment", "NULL"),
            text("certname", "n.certname"),
            field("facts_timestamp", Kind::Time, "s.received"),
            text("facts_environment", "s.environment"),
            text("cached_catalog_status", "NULL"),
            text("latest_report_status", "NULL"),
            text("latest_report_hash", "NULL"),
            field("catalog_timestamp", Kind::Time, "c.received"),
            field("latest_report_noop_pending", Kind::Boolean, "NULL"),
            field("report_timestamp", Kind::Time, "NULL"),
            field("latest_report_noop", Kind::Boolean, "NULL"),
            text("catalog_environment", "c.environment"),
            text("latest_report_job_id", "NULL"),
        ],
        from: "nodes n LEFT JOIN catalogs c ON c.node = n.id LEFT JOIN factsets s ON s.node = n.id",
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[],
        of_nodes: true,
    },
    Entity {
        name: "resources",
        alias: "resources",
        fields: &[
            text("resource", "r.hash"),
            text("certname", "n.certname"),
            field("tags", Kind::Tags, "r.tags"),
            hidden("tag", Kind::Tags, "r.tags"),
            field("exported", Kind::Boolean, "r.exported"),
            field("line", Kind::Integer, "r.line"),
            text("title", "r.title"),
            text("type", "r.type"),
            text("environment", "c.environment"),
            text("file", "r.file"),
            field("parameters", Kind::Object, "r.parameters"),
        ],
        from: "nodes n JOIN catalogs c ON c.node = n.id JOIN resources r ON r.node = n.id",
        order: "n.certname, r.position",
        rows: Rows::Plain,
        relations: &[by_certname("catalogs"), by_certname("nodes"), ENVIRONMENTS],
        of_nodes: true,
    },
    Entity {
        name: "facts",
        alias: "facts",
        fields: &[
            text("certname", "n.certname"),
            text("environment", "s.environment"),
            text("name", "f.name"),
            field("value", Kind::Value, "f.value"),
        ],
        from: "nodes n JOIN factsets s ON s.node = n.id JOIN facts f ON f.node = n.id",
        order: "n.certname, f.name",
        rows: Rows::Plain,
        relations: &[ENVIRONMENTS, related("fact_contents", &["certname", "name"], &["certname", "name"])],
        of_nodes: true,
    },
    Entity {
        name: "fact_contents",
        alias: "fact_nodes",
        fields: &[
            text("certname", "n.certname"),
            text("environment", "s.environment"),
            field("path", Kind::Path, "NULL"),
            text("name", "f.name"),
            field("value", Kind::Value, "f.value"),
        ],
        from: "nodes n JOIN factsets s ON s.node = n.id JOIN facts f ON f.node = n.id",
        order: "n.certname, f.name",
        rows: Rows::FactContents,
        relations: &[related("facts", &["certname", "name"], &["certname", "name"]), ENVIRONMENTS],
        of_nodes: true,
    },
    Entity {
        name: "inventory",
        alias: "inventory",
        fields: &[
            text("certname", "n.certname"),
            field("timestamp", Kind::Time, "s.received"),
            text("environment", "s.environment"),
            field("facts", Kind::Object, FACTS_OF_NODE),
            field("trusted", Kind::Object, TRUSTED_OF_NODE),
        ],
        from: "nodes n JOIN factsets s ON s.node = n.id",
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[],
        of_nodes: true,
    },
    Entity {
        name: "catalogs",
        alias: "catalogs",
        fields: &[
            text("code_id", "c.code_id"),
            text("certname", "n.certname"),
            text("hash", "c.hash"),
            text("transaction_uuid", "c.transaction_uuid"),
            text("job_id", "c.job_id"),
            text("producer", "c.producer"),
            text("catalog_uuid", "c.catalog_uuid"),
            text("environment", "c.environment"),
            field("edges", Kind::Document, EDGES_OF_NODE),
            text("version", "c.version"),
            field("producer_timestamp", Kind::Time, "c.producer_timestamp"),
            field("resources", Kind::Document, RESOURCES_OF_NODE),
        ],
        from: "nodes n JOIN catalogs c ON c.node = n.id",
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[ENVIRONMENTS, PRODUCERS],
        of_nodes: true,
    },
    Entity {
        name: "edges",
        alias: "edges",
        fields: &[
            text("certname", "n.certname"),
            text("relationship", "d.relationship"),
            text("source_title", "d.source_title"),
            text("source_type", "d.source_type"),
            text("target_title", "d.target_title"),
            text("target_type", "d.target_type"),
        ],
        from: "nodes n JOIN edges d ON d.node = n.id",
        order: "n.certname, d.position",
        rows: Rows::Plain,
        relations: &[],
        of_nodes: true,
    },
    Entity {
        name: "factsets",
        alias: "factsets",
        fields: &[
            field("timestamp", Kind::Time, "s.received"),
            field("facts", Kind::Object, FACT_LIST_OF_NODE),
            text("certname", "n.certname"),
            text("hash", "s.hash"),
            field("producer_timestamp", Kind::Time, "s.producer_timestamp"),
            text("producer", "s.producer"),
            text("environment", "s.environment"),
        ],
        from: "nodes n JOIN factsets s ON s.node = n.id",
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[ENVIRONMENTS, PRODUCERS],
        of_nodes: true,
    },
    Entity {
        name: "environments",
        alias: "environments",
        fields: &[text("name", "e.name")],
        from: "(SELECT environment AS name FROM catalogs WHERE environment IS NOT NULL UNION \
               SELECT environment FROM factsets WHERE environment IS NOT NULL) e",
        order: "e.name",
        rows: Rows::Plain,
        relations: &[
            of_environment("inventory"),
            of_environment("factsets"),
            of_environment("catalogs"),
            of_environment("reports"),
            of_environment("facts"),
            of_environment("fact_contents"),
            of_environment("events"),
            of_environment("resources"),
        ],
        of_nodes: false,
    },
    Entity {
        name: "producers",
        alias: "producers",
        fields: &[text("name", "p.name")],
        from: "(SELECT producer AS name FROM catalogs WHERE producer IS NOT NULL UNION \
               SELECT producer FROM factsets WHERE producer IS NOT NULL) p",
        order: "p.name",
        rows: Rows::Plain,
        relations: &[of_producer("factsets"), of_producer("catalogs"), of_producer("reports")],
        of_nodes: false,
    },
    Entity {
        name: "fact_paths",
        alias: "fact_paths",
        fields: &[
            text("type", "NULL"),
            field("path", Kind::Path, "NULL"),
            text("name", "f.name"),
            hidden("depth", Kind::Integer, "NULL"),
        ],
        from: "facts f",
        order: "f.name",
        rows: Rows::FactPaths,
        relations: &[related("facts", &["name"], &["name"]), related("fact_contents", &["path"], &["path"])],
        of_nodes: false,
    },
    Entity {
        name: "reports",
        alias: "reports",
        fields: &[
            field("receive_time", Kind::Time, "NULL"),
            text("corrective_change", "NULL"),
            text("code_id", "NULL"),
            field("noop", Kind::Boolean, "NULL"),
            text("certname", "n.certname"),
            text("puppet_version", "NULL"),
            text("hash", "NULL"),
            text("cached_catalog_status", "NULL"),
            text("transaction_uuid", "NULL"),
            text("configuration_version", "NULL"),
            text("status", "NULL"),
            text("job_id", "NULL"),
            text("producer", "NULL"),
            text("catalog_uuid", "NULL"),
            field("logs", Kind::Document, "NULL"),
            field("noop_pending", Kind::Boolean, "NULL"),
            field("end_time", Kind::Time, "NULL"),
            text("type", "NULL"),
            text("environment", "NULL"),
            hidden("latest_report?", Kind::Boolean, "NULL"),
            field("start_time", Kind::Time, "NULL"),
            field("resource_events", Kind::Document, "NULL"),
            field("metrics", Kind::Document, "NULL"),
            field("producer_timestamp", Kind::Time, "NULL"),
            field("report_format", Kind::Integer, "NULL"),
        ],
        from: NOTHING,
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[ENVIRONMENTS, PRODUCERS],
        of_nodes: true,
    },
    Entity {
        name: "events",
        alias: "events",
        fields: &[
            text("message", "NULL"),
            text("old_value", "NULL"),
            field("report_receive_time", Kind::Time, "NULL"),
            field("corrective_change", Kind::Boolean, "NULL"),
            field("containment_path", Kind::Tags, "NULL"),
            text("certname", "n.certname"),
            field("timestamp", Kind::Time, "NULL"),
            field("run_end_time", Kind::Time, "NULL"),
            text("name", "NULL"),
            text("configuration_version", "NULL"),
            text("new_value", "NULL"),
            text("resource_title", "NULL"),
            text("status", "NULL"),
            text("property", "NULL"),
            text("resource_type", "NULL"),
            field("line", Kind::Integer, "NULL"),
            text("environment", "NULL"),
            text("containing_class", "NULL"),
            field("run_start_time", Kind::Time, "NULL"),
            hidden("latest_report?", Kind::Boolean, "NULL"),
            text("file", "NULL"),
            text("report", "NULL"),
        ],
        from: NOTHING,
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[ENVIRONMENTS],
        of_nodes: true,
    },
    Entity {
        name: "packages",
        alias: "packages",
        fields: &[text("package_name", "NULL"), text("version", "NULL"), text("provider", "NULL")],
        from: NOTHING,
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[],
        of_nodes: false,
    },
    Entity {
        name: "package_inventory",
        alias: "package_inventory",
        fields: &[
            text("certname", "n.certname"),
            text("package_name", "NULL"),
            text("version", "NULL"),
            text("provider", "NULL"),
        ],
        from: NOTHING,
        order: "n.certname",
        rows: Rows::Plain,
        relations: &[],
        of_nodes: true,
    },
];

/// No rows.
const NOTHING: &str = "(SELECT * FROM nodes WHERE 0) n";
