//! Subqueries: `in` with an array, with `extract` and `select_…`, or with `from`; `subquery`, which relates entities implicitly.

use serde_json::Value;
use serde_json::json;

use super::Column;
use super::Compiler;
use super::Expr;
use super::Plan;
use super::compare::steps;
use crate::query::cell::Cell;
use crate::query::entity::Entity;
use crate::query::entity::Kind;
use crate::query::wording;

/// Selects rows whose `fields` occur together in a row of another query.
fn in_query(fields: Vec<usize>, plan: Plan) -> Expr {
    Expr::In(fields, Box::new(plan))
}

impl Compiler {
    pub(super) fn is_in(&mut self, entity: &'static Entity, fields: &Value, subquery: &Value) -> Expr {
        let parts = subquery.as_array().map(Vec::as_slice).unwrap_or_default();
        let op = parts.first().and_then(Value::as_str).unwrap_or_default().to_lowercase();
        if let (Value::Array(names), "array") = (fields, op.as_str())
            && let [Value::String(fact), Value::String(name)] = names.as_slice()
            && fact == "fact"
        {
            return self.fact_in(entity, name, parts.get(1));
        }
        if let (Value::String(name), "array") = (fields, op.as_str()) {
            return self.in_array(entity, name, parts.get(1));
        }
        let Some(fields) = self.fields(entity, fields) else { return Expr::All };
        let plan = match (op.as_str(), parts) {
            ("extract", [_, columns, select]) => self.select(columns, select),
            ("from", [_, Value::String(other), rest @ ..]) => self.from(other, rest),
            _ => {
                self.fail("'in' takes an array, or a query with 'extract'");
                None
            }
        };
        let Some(plan) = plan else { return Expr::All };
        if plan.columns.len() != fields.len() {
            let (fields, columns) = (fields.len(), plan.columns.len());
            return self.fail(format!("'in' compares {fields} fields with {columns} of the subquery"));
        }
        in_query(fields, plan)
    }

    fn fields(&mut self, entity: &'static Entity, fields: &Value) -> Option<Vec<usize>> {
        let names: Vec<String> = match fields {
            Value::Array(names) => names.iter().map(wording::to_plain_string).collect(),
            name => vec![wording::to_plain_string(name)],
        };
        let unknown: Vec<String> = names.iter().filter(|name| entity.queryable(name).is_none()).cloned().collect();
        if !unknown.is_empty() {
            let queryable = entity.queryable_sorted();
            self.unknown.push(wording::unknown_fields("Can't match on", &unknown, entity, &queryable, " for 'in'"));
            return None;
        }
        Some(names.iter().filter_map(|name| entity.queryable(name)).collect())
    }

    /// `["select_resources", QUERY]` inside an `extract` of `columns`.
    fn select(&mut self, columns: &Value, select: &Value) -> Option<Plan> {
        let parts = select.as_array().map(Vec::as_slice).unwrap_or_default();
        let name = parts.first().map(wording::to_plain_string).unwrap_or_default();
        let Some(entity) = name.strip_prefix("select_").and_then(Entity::find).filter(|_| !name.contains('-')) else {
            let with_underscores = name.replace('-', "_");
            let exists = with_underscores.strip_prefix("select_").is_some_and(|name| Entity::find(name).is_some());
            let hint = if exists { format!(" - did you mean `{with_underscores}`?") } else { String::new() };
            self.unknown.push(format!("Unsupported subquery `{name}`{hint}"));
            return None;
        };
        let columns = self.columns(entity, columns, &entity.queryable_sorted());
        let mut plan = self.body(entity, parts.get(1));
        plan.columns = columns;
        Some(plan)
    }

    fn from(&mut self, name: &str, rest: &[Value]) -> Option<Plan> {
        let Some(entity) = Entity::find(name) else {
            self.fail(format!("Invalid entity '{name}' in query"));
            return None;
        };
        let (query, clauses) = match rest {
            [query, clauses @ ..] if !super::is_paging(query) => (Some(query), clauses),
            _ => (None, rest),
        };
        let mut plan = self.body(entity, query);
        match self.paging(Some(entity), clauses) {
            Ok(paging) => plan.paging = paging,
            Err(why) => {
                self.fail(why);
            }
        }
        Some(plan)
    }

    fn in_array(&mut self, entity: &'static Entity, name: &str, values: Option<&Value>) -> Expr {
        let Some(at) = entity.queryable(name) else {
            if entity.is_dotted(name.split('.').next().unwrap_or_default()) {
                return self.fail(format!("'in' takes no dotted field: {name}"));
            }
            self.unknown.push(wording::not_queryable(name, entity));
            return Expr::All;
        };
        let Some(values) = values.and_then(Value::as_array) else {
            return self.fail("Operator array requires a vector argument");
        };
        let field = &entity.fields[at];
        let mut cells = Vec::with_capacity(values.len());
        for value in values {
            cells.push(match (field.kind, value) {
                (Kind::Tags, _) => return self.fail("Operator in...array is not supported on array types"),
                (Kind::Value, _) => Cell::Json(value.clone()),
                (Kind::Path, _) => match steps(value) {
                    Some(path) => Cell::Path(path),
                    None => return self.fail(wording::PATH_STEP),
                },
                (Kind::Time, _) => match crate::time::parse(&wording::to_plain_string(value)) {
                    Some(time) => Cell::Time(time),
                    None => Cell::Null,
                },
                (Kind::Text, _) => Cell::Str(wording::to_plain_string(value).into()),
                (_, value) => {
                    let value = wording::to_plain_string(value);
                    return self.fail(format!("Argument \"{value}\" is incompatible with field \"{name}\"."));
                }
            });
        }
        Expr::InList(at, cells)
    }

    /// `["in", ["fact", NAME], ["array", VALUES]]`.
    fn fact_in(&mut self, entity: &'static Entity, name: &str, values: Option<&Value>) -> Expr {
        let items = values.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let kinds = items.iter().map(|item| match item {
            Value::Number(number) => (0, number.is_f64()),
            Value::String(_) => (1, false),
            Value::Bool(_) => (2, false),
            _ => (3, false),
        });
        let kinds: hashbrown::HashSet<(i32, bool)> = kinds.collect();
        if kinds.len() != 1 {
            return self.fail("All values in array must be the same type.");
        }
        self.by_certname(entity, "facts", &json!(["and", ["=", "name", name], ["in", "value", ["array", values]]]))
    }

    /// Selects rows of nodes for which another entity has rows.
    pub(super) fn by_certname(&mut self, entity: &'static Entity, other: &str, query: &Value) -> Expr {
        let (Some(certname), Some(other)) = (entity.queryable("certname"), Entity::find(other)) else {
            return self.fail(format!("{} belong to no node", entity.alias));
        };
        let mut plan = self.body(other, Some(query));
        plan.columns = other.field("certname").map(Column::Field).into_iter().collect();
        in_query(vec![certname], plan)
    }

    /// `["subquery", ENTITY, QUERY]`.
    pub(super) fn implicit(&mut self, entity: &'static Entity, other: &str, query: Option<&Value>) -> Expr {
        let (Some(relation), Some(found)) = (entity.relation(other), Entity::find(other)) else {
            return self.fail(format!("No implicit relationship for entity '{other}'"));
        };
        let mut plan = self.body(found, query);
        plan.columns = relation.to_fields.iter().filter_map(|name| found.field(name)).map(Column::Field).collect();
        in_query(relation.fields.iter().filter_map(|name| entity.field(name)).collect(), plan)
    }
}
