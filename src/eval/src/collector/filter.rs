//! The condition of a collector of exported resources as a PuppetDB query (puppet/indirector/resource/puppetdb.rb,
//! `build_expression`).
//!
//! In: the query of a collector. Out: its AST as JSON. A value that is not a condition selects nothing.

use serde_json::Value as Json;
use serde_json::json;

use super::query::Query;
use catwalk_base::names::Name;
use catwalk_value::Value;
use catwalk_value::json::to_json;

/// The condition as AST.
pub(super) fn to_puppetdb(query: &Query) -> Json {
    match query {
        Query::And(left, right) => json!(["and", to_puppetdb(left), to_puppetdb(right)]),
        Query::Or(left, right) => json!(["or", to_puppetdb(left), to_puppetdb(right)]),
        Query::Tagged(tags) => match tags.as_slice() {
            [] => constant(false),
            [(_, tag)] => json!(["=", "tag", tag]),
            tags => {
                let each = tags.iter().map(|(_, tag)| json!(["=", "tag", tag]));
                Json::Array(std::iter::once(json!("or")).chain(each).collect())
            }
        },
        Query::Equal(name, value) => equal(*name, value),
        Query::NotEqual(name, value) => json!(["not", equal(*name, value)]),
        Query::Constant(result) => constant(*result),
        Query::InvalidName(_) | Query::Value(_) => constant(false),
    }
}

fn equal(name: Name, value: &Value) -> Json {
    match name.as_str() {
        // Tags are in lower case.
        "tag" => {
            json!(["=", "tag", value.as_str().map_or_else(|| to_json(value), |tag| Json::from(tag.to_lowercase()))])
        }
        "title" => json!(["=", "title", to_json(value)]),
        name => json!(["=", ["parameter", name], to_json(value)]),
    }
}

/// A condition that all exported resources meet, or none does.
fn constant(result: bool) -> Json {
    json!(["=", "exported", result])
}
