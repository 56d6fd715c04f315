//! The members of a payload in each version of the format.

use serde_json::Value as Json;

use super::Style;
use super::Submission;
use super::Version;
use super::documented;
use crate::wire::native;
use catwalk_catalog::Catalog;

/// A payload, independent of its version. Members that a version does not have are `null`.
#[derive(Clone, PartialEq, Debug)]
pub struct Payload {
    certname: Json,
    version: Json,
    environment: Json,
    transaction_uuid: Json,
    catalog_uuid: Json,
    code_id: Json,
    job_id: Json,
    producer_timestamp: Json,
    producer: Json,
    resources: Vec<Json>,
    edges: Vec<Json>,
}

impl Payload {
    /// The payload of a catalog without its resources and edges.
    pub(super) fn new(catalog: &Catalog, submission: &Submission) -> Payload {
        let (version, seconds) = match &catalog.version {
            catwalk_catalog::Version::Seconds(seconds) => (seconds.to_string(), *seconds),
            catwalk_catalog::Version::Text(text) => (text.to_string(), 0),
        };
        let uuid = native::uuid(catalog).map_or(Json::Null, Json::from);
        let or_null = |value: &Option<std::sync::Arc<str>>| value.as_deref().map_or(Json::Null, Json::from);
        Payload {
            certname: Json::from(&*catalog.name),
            version: Json::from(submission.version.as_deref().unwrap_or(&version)),
            environment: Json::from(&*catalog.environment),
            transaction_uuid: submission.transaction_uuid.as_deref().map_or_else(|| uuid.clone(), Json::from),
            catalog_uuid: uuid,
            code_id: Json::Null,
            job_id: Json::Null,
            producer_timestamp: match &submission.producer_timestamp {
                Some(time) => Json::from(&**time),
                None => Json::from(time(seconds)),
            },
            producer: or_null(&submission.producer),
            resources: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Reads a payload of any version. `None`: it is not a payload. Members of later versions get PuppetDB's defaults: `catalog_uuid` is the
    /// UUID of the transaction, the others are `null`.
    #[must_use]
    pub fn read(document: Json) -> Option<Payload> {
        let Json::Object(mut members) = document else { return None };
        let mut list = |name: &str| match members.get_mut(name).map(Json::take) {
            Some(Json::Array(items)) => Some(items),
            _ => None,
        };
        let (resources, edges) = (list("resources")?, list("edges")?);
        // The name in versions 4 and 5, then the name in later versions.
        let get = |names: [&str; 2]| names.iter().find_map(|name| members.get(*name)).cloned().unwrap_or_default();
        let same = |name: &str| get([name, name]);
        let transaction_uuid = get(["transaction-uuid", "transaction_uuid"]);
        Some(Payload {
            certname: get(["name", "certname"]),
            version: same("version"),
            environment: same("environment"),
            catalog_uuid: members.get("catalog_uuid").unwrap_or(&transaction_uuid).clone(),
            transaction_uuid,
            code_id: same("code_id"),
            job_id: same("job_id"),
            producer_timestamp: get(["producer-timestamp", "producer_timestamp"]),
            producer: same("producer"),
            resources,
            edges,
        })
    }

    /// Sets the members that a submission defines.
    #[must_use]
    pub fn with_submission(mut self, submission: &Submission) -> Payload {
        let members = [
            (&mut self.version, &submission.version),
            (&mut self.transaction_uuid, &submission.transaction_uuid),
            (&mut self.producer_timestamp, &submission.producer_timestamp),
            (&mut self.producer, &submission.producer),
        ];
        for (member, value) in members {
            if let Some(value) = value {
                *member = Json::from(&**value);
            }
        }
        if self.producer_timestamp.is_null() {
            let seconds = self.version.as_str().and_then(|version| version.parse().ok()).unwrap_or(0);
            self.producer_timestamp = Json::from(time(seconds));
        }
        self
    }

    /// Sets the resources and edges.
    pub(super) fn with_lists(self, resources: Vec<Json>, edges: Vec<Json>) -> Payload {
        Payload { resources, edges, ..self }
    }

    /// Removes and returns the resources and edges.
    pub(super) fn take_lists(&mut self) -> (Vec<Json>, Vec<Json>) {
        (std::mem::take(&mut self.resources), std::mem::take(&mut self.edges))
    }

    /// The payload in a version of the format. Members are in the order of the terminus or of the documentation.
    #[must_use]
    pub fn document(mut self, version: Version, style: Style) -> Json {
        let lists = self.take_lists();
        let (mut resources, mut edges) = match style {
            Style::Terminus => lists,
            Style::Documented => documented::resources_and_edges(lists.0, lists.1),
        };
        let members = self.members(version, style).into_iter().map(|(name, member)| {
            let value = match member {
                Member::Value(value) => value,
                Member::Resources => Json::Array(std::mem::take(&mut resources)),
                Member::Edges => Json::Array(std::mem::take(&mut edges)),
            };
            (name.to_owned(), value)
        });
        Json::Object(members.collect())
    }

    /// The members in a version of the format, in their order.
    pub(super) fn members(self, version: Version, style: Style) -> Vec<(&'static str, Member)> {
        let is_old = version < Version::V6;
        let (certname, transaction_uuid, producer_timestamp) = match is_old {
            true => ("name", "transaction-uuid", "producer-timestamp"),
            false => ("certname", "transaction_uuid", "producer_timestamp"),
        };
        let has = |first: Version| version >= first;
        let all = [
            (true, certname, Member::Value(self.certname)),
            (true, "version", Member::Value(self.version)),
            (has(Version::V7), "code_id", Member::Value(self.code_id)),
            (has(Version::V8), "catalog_uuid", Member::Value(self.catalog_uuid)),
            (true, "environment", Member::Value(self.environment)),
            (true, transaction_uuid, Member::Value(self.transaction_uuid)),
            (has(Version::V5), producer_timestamp, Member::Value(self.producer_timestamp)),
            (true, "edges", Member::Edges),
            (true, "resources", Member::Resources),
            (has(Version::V9), "job_id", Member::Value(self.job_id)),
            (has(Version::V9), "producer", Member::Value(self.producer)),
        ];
        let mut members: Vec<(&str, Member)> =
            all.into_iter().filter(|(exists, ..)| *exists).map(|(_, name, value)| (name, value)).collect();
        if style == Style::Documented && is_old {
            // Only this member may be null.
            let is_null = |member: &Member| matches!(member, Member::Value(Json::Null));
            members.retain(|(name, member)| !is_null(member) || *name == transaction_uuid);
        }
        let order: &[&str] = match (style, is_old) {
            (Style::Terminus, false) => &TERMINUS,
            _ => &DOCUMENTED,
        };
        let rank =
            |name: &str| order.iter().position(|member| *member == name.replace('-', "_")).unwrap_or(order.len());
        members.sort_by_key(|(name, _)| rank(name));
        members
    }
}

/// A member of a payload.
pub(super) enum Member {
    Value(Json),
    Resources,
    Edges,
}

/// The order of members in the current terminus.
const TERMINUS: [&str; 11] = [
    "version",
    "code_id",
    "catalog_uuid",
    "resources",
    "edges",
    "job_id",
    "certname",
    "transaction_uuid",
    "environment",
    "producer_timestamp",
    "producer",
];

/// The order of members in the documentation.
const DOCUMENTED: [&str; 12] = [
    "name",
    "certname",
    "version",
    "environment",
    "transaction_uuid",
    "catalog_uuid",
    "code_id",
    "job_id",
    "producer_timestamp",
    "producer",
    "edges",
    "resources",
];

/// Seconds since 1970 as PuppetDB's terminus writes times: RFC 3339 with milliseconds.
fn time(seconds: u64) -> String {
    let nanoseconds = i128::from(seconds) * 1_000_000_000;
    catwalk_value::strftime(nanoseconds, None, "%Y-%m-%dT%H:%M:%S.%LZ").unwrap_or_default()
}
