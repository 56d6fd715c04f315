//! Compiles a query to a plan: which rows of which entity, which columns, in which order.
//!
//! In: an AST. Out: a [`Plan`], or PuppetDB's error message. Like PuppetDB, reports all unknown fields at once, but only the first of
//! other mistakes. Must not: read rows.

mod columns;
mod compare;
mod subquery;

pub(super) use columns::column_name;
pub(super) use compare::DELIMITER;

use fancy_regex::Regex;
use hashbrown::HashSet;
use serde_json::Value;

use super::cell::Cell;
use super::cell::Step;
use super::entity::Entity;
use super::field;
use super::field::FieldPart;
use super::wording;

/// The deepest nesting of a query.
const MAX_DEPTH: usize = 100;

/// A valid query.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) entity: &'static Entity,
    pub(super) columns: Vec<Column>,
    pub(super) filter: Expr,
    pub(super) group_by: Option<Vec<Column>>,
    pub(super) paging: Paging,
}

/// A column of the result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Column {
    Field(usize),
    /// A part of an object: its name in the result, the field, the keys.
    Part(String, usize, Vec<String>),
    Call(Function, Option<usize>),
}

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Avg,
    Sum,
    Min,
    Max,
}

impl Function {
    const ALL: [(&'static str, Function); 5] = [
        ("avg", Function::Avg),
        ("count", Function::Count),
        ("max", Function::Max),
        ("min", Function::Min),
        ("sum", Function::Sum),
    ];

    pub(super) fn name(self) -> &'static str {
        Function::ALL.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }
}

/// The order of rows, and which of them are returned.
#[derive(Debug, Default)]
pub(super) struct Paging {
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    /// Fields, and whether each is descending.
    pub(super) order_by: Vec<(usize, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
}

/// A condition of rows. The `usize` is the index of a field.
#[derive(Debug)]
pub(super) enum Expr {
    All,
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Compare(usize, Comparison, Cell),
    Matches(usize, Regex),
    /// Whether a field, or the part at the keys, is null (`true`) or not null (`false`).
    Null(usize, Vec<String>, bool),
    InList(usize, Vec<Cell>),
    /// `jsonb_typeof` of a field equals the string.
    TypeOf(usize, String),
    /// An object contains the value (`@>`).
    Contains(usize, Value),
    /// The part at a path equals the value. A key of digits is also an index.
    At(usize, Vec<String>, Value),
    /// Compares the part at a path with the value.
    PartCompare(usize, Vec<Step>, Comparison, Value),
    PartMatches(usize, Vec<Step>, Regex),
    /// Any part whose encoded path matches the pattern passes the test.
    AnyPart(usize, Regex, Box<PartTest>),
    TagMatches(usize, Regex),
    Tagged(usize, String),
    PathIs(usize, Vec<Step>),
    PathMatches(usize, Vec<PathPattern>),
    /// The parameter with the name equals a value, given as JSON with sorted keys.
    Parameter(usize, String, String),
    /// Any parameter whose name and whose JSON match the patterns.
    ParameterMatches(usize, Regex, Regex),
    /// The fields occur together in a row of another query.
    In(Vec<usize>, Box<Plan>),
    /// [`Expr::In`] after the other query has been run.
    InSet(Vec<usize>, Members),
    /// The node of the row is active (`true`) or inactive (`false`).
    Active(bool),
}

/// A test of a part of an object.
#[derive(Debug)]
pub(super) enum PartTest {
    Compare(Comparison, Value),
    Matches(Regex),
}

/// A pattern for one step of a path.
#[derive(Debug)]
pub(super) struct PathPattern {
    pub(super) pattern: Regex,
    /// `Some(true)`: matches only indexes; `Some(false)`: matches only keys.
    pub(super) index: Option<bool>,
}

/// The result of a subquery.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) keys: HashSet<Vec<String>>,
    /// Whether a row contains null. In SQL's logic, whether a missing value is a member is unknown then.
    pub(super) has_null: bool,
    /// For each column, whether it is compared as text.
    pub(super) as_text: Vec<bool>,
}

/// Compiles a query for PuppetDB's root endpoint. It selects only active nodes, unless it contains a condition of `node_state`.
pub(super) fn compile(ast: &Value) -> Result<Plan, String> {
    let mut compiler = Compiler::default();
    let (name, rest) = match ast.as_array().map(Vec::as_slice) {
        Some([from, Value::String(entity), rest @ ..]) if from == "from" => (entity, rest),
        _ => return Err(wording::TOP_FORM.to_owned()),
    };
    let (query, clauses) = match rest {
        [] => (None, rest),
        [first, ..] if is_paging(first) => (None, rest),
        [query @ Value::Array(_), clauses @ ..] => (Some(query).filter(|query| !is_empty(query)), clauses),
        _ => return Err(wording::ONE_QUERY.to_owned()),
    };
    let entity = Entity::find(name);
    let paging = compiler.paging(entity, clauses)?;
    let entity = entity.ok_or_else(|| format!("Invalid entity '{name}' in query"))?;
    let mut plan = compiler.body(entity, query);
    plan.paging = paging;
    if entity.belongs_to_nodes && !has_node_state(ast) {
        plan.filter = Expr::And(vec![Expr::Active(true), plan.filter]);
    }
    compiler.finish(plan)
}

fn is_paging(clause: &Value) -> bool {
    matches!(clause.get(0).and_then(Value::as_str), Some("limit" | "offset" | "order_by"))
}

fn is_empty(query: &Value) -> bool {
    query.as_array().is_some_and(Vec::is_empty)
}

/// Whether a query contains a condition of `node_state`.
fn has_node_state(ast: &Value) -> bool {
    let Some(items) = ast.as_array() else { return false };
    let is_state = |field: &Value| field == "node_state" || *field == serde_json::json!(["node", "active"]);
    matches!(items.as_slice(), [op, field, _] if op == "=" && is_state(field)) || items.iter().any(has_node_state)
}

/// Builds a plan and collects mistakes.
#[derive(Default)]
struct Compiler {
    /// Messages about unknown fields, in order.
    unknown: Vec<String>,
    /// The message about the first other mistake.
    mistake: Option<String>,
    depth: usize,
}

impl Compiler {
    fn finish(self, plan: Plan) -> Result<Plan, String> {
        match (self.unknown.is_empty(), self.mistake) {
            (false, _) => Err(self.unknown.join("\n")),
            (true, Some(mistake)) => Err(mistake),
            (true, None) => Ok(plan),
        }
    }

    /// Records a mistake. The returned expression is never evaluated.
    fn fail(&mut self, message: impl Into<String>) -> Expr {
        self.mistake.get_or_insert_with(|| message.into());
        Expr::All
    }

    fn paging(&mut self, entity: Option<&'static Entity>, clauses: &[Value]) -> Result<Paging, String> {
        let mut paging = Paging::default();
        if let Some(other) = clauses.iter().find(|clause| !is_paging(clause)) {
            return Err(format!("{} is not a paging clause", wording::to_clojure(other)));
        }
        for name in ["limit", "offset", "order_by"] {
            let mut named = clauses.iter().filter(|clause| clause.get(0).and_then(Value::as_str) == Some(name));
            let Some(clause) = named.next() else { continue };
            if named.next().is_some() {
                return Err(format!("Multiple '{name}' clauses are not permitted"));
            }
            let Some(value) = clause.get(1).filter(|value| !value.is_null()) else {
                return Err(format!("Received '{name}' clause without an argument"));
            };
            let number = || value.as_u64().and_then(|number| usize::try_from(number).ok());
            let wrong = |expected: &str| {
                format!(
                    "Illegal value '{}' for :{name}; expected a {expected} integer.",
                    wording::to_plain_string(value)
                )
            };
            match name {
                "limit" => paging.limit = Some(number().filter(|n| *n > 0).ok_or_else(|| wrong("positive non-zero"))?),
                "offset" => paging.offset = number().ok_or_else(|| wrong("non-negative"))?,
                _ => paging.order_by = entity.map_or(Ok(Vec::new()), |entity| order_by(entity, value))?,
            }
        }
        Ok(paging)
    }

    /// Compiles the query that follows `["from", ENTITY`, without paging.
    fn body(&mut self, entity: &'static Entity, query: Option<&Value>) -> Plan {
        let all = || (0..entity.fields.len()).filter(|at| entity.fields[*at].projectable).map(Column::Field).collect();
        let mut plan = Plan { entity, columns: all(), filter: Expr::All, group_by: None, paging: Paging::default() };
        let Some(query) = query else { return plan };
        let extract = match query.as_array().map(Vec::as_slice) {
            Some([extract, rest @ ..]) if extract.as_str().is_some_and(|op| op.eq_ignore_ascii_case("extract")) => rest,
            _ => {
                plan.filter = self.expr(entity, query);
                return plan;
            }
        };
        let is_group = |clause: &Value| clause.get(0).and_then(Value::as_str) == Some("group_by");
        let (names, filter, group) = match extract {
            [names] => (names, None, None),
            [names, group] if is_group(group) => (names, None, Some(group)),
            [names, filter] => (names, Some(filter), None),
            [names, filter, group] if is_group(group) => (names, Some(filter), Some(group)),
            _ => {
                self.fail("'extract' takes columns, an optional query, and an optional 'group_by'");
                return plan;
            }
        };
        let columns = self.columns(entity, names, &entity.projectable());
        if !columns.is_empty() {
            plan.columns = columns;
        }
        if let Some(filter) = filter.filter(|filter| !filter.is_null() && !is_empty(filter)) {
            if let Some(message) = unknown_operator(filter) {
                self.unknown.push(message);
            }
            plan.filter = self.expr(entity, filter);
        }
        plan.group_by = group.map(|group| {
            let names: Vec<Value> = group.as_array().into_iter().flatten().skip(1).cloned().collect();
            self.columns(entity, &Value::Array(names), &entity.projectable())
        });
        self.check_grouping(&plan);
        plan
    }

    /// Compiles a condition.
    fn expr(&mut self, entity: &'static Entity, query: &Value) -> Expr {
        self.depth += 1;
        let expr = match query.as_array().map(Vec::as_slice) {
            _ if self.depth > MAX_DEPTH => self.fail(format!("the query is nested deeper than {MAX_DEPTH} levels")),
            Some([Value::String(op), arguments @ ..]) => self.operation(entity, &op.to_lowercase(), arguments, query),
            Some([]) => self.fail("[] is not well-formed: queries must contain at least one operator"),
            _ => self.fail(format!("{} is not a query", wording::to_clojure(query))),
        };
        self.depth -= 1;
        expr
    }

    fn operation(&mut self, entity: &'static Entity, op: &str, arguments: &[Value], query: &Value) -> Expr {
        match op {
            "and" | "or" if arguments.is_empty() => {
                self.fail(format!("'{op}' takes at least one argument, but none were supplied"))
            }
            "and" => Expr::And(arguments.iter().map(|argument| self.expr(entity, argument)).collect()),
            "or" => Expr::Or(arguments.iter().map(|argument| self.expr(entity, argument)).collect()),
            "not" => match arguments {
                [argument] => Expr::Not(Box::new(self.expr(entity, argument))),
                _ => self.fail(format!("'not' takes exactly one argument, but {} were supplied", arguments.len())),
            },
            "=" | "~" | "~>" | ">" | "<" | ">=" | "<=" => match arguments {
                [field, value] => self.comparison(entity, op, field, value),
                _ => self.fail(format!("{op} requires exactly two arguments")),
            },
            "null?" => match arguments {
                [Value::String(field), Value::Bool(null)] => self.null(entity, field, *null),
                _ => self.fail("'null?' takes a field and true or false"),
            },
            "in" => match arguments {
                [fields, subquery] => self.is_in(entity, fields, subquery),
                _ => self.fail("'in' takes fields and a subquery or an array"),
            },
            "subquery" => match arguments {
                [Value::String(other)] => self.implicit(entity, other, None),
                [Value::String(other), query] => self.implicit(entity, other, Some(query)),
                _ => self.fail("'subquery' takes an entity and a query"),
            },
            _ => self.fail(format!("'{op}' is not a query operator: {}", wording::to_clojure(query))),
        }
    }

    fn null(&mut self, entity: &'static Entity, field: &str, null: bool) -> Expr {
        let (top, parts) = field::parse(field);
        let Some(at) = entity.field(top).filter(|_| parts.is_empty() || entity.is_dotted(top)) else {
            self.unknown.push(wording::not_queryable(field, entity));
            return Expr::All;
        };
        let keys = parts.into_iter().map(|part| match part {
            FieldPart::Name(name) | FieldPart::Match(name) => name,
            FieldPart::Indexed(name, index) => format!("{name}[{index}]"),
        });
        Expr::Null(at, keys.collect(), null)
    }
}

fn order_by(entity: &'static Entity, value: &Value) -> Result<Vec<(usize, bool)>, String> {
    let clauses = value.as_array().ok_or_else(|| {
        format!("Illegal value '{}' for :order_by; expected an array of maps.", wording::to_plain_string(value))
    })?;
    let mut order = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let (name, direction) = match clause {
            Value::Array(parts) => (parts.first(), parts.get(1)),
            name => (Some(name), None),
        };
        let name = name.map(wording::to_plain_string).unwrap_or_default();
        let at = entity.queryable(&name).ok_or_else(|| wording::cannot_order(&name, entity))?;
        let descending = match direction.map(wording::to_plain_string).as_deref() {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(_) => {
                let clause = wording::to_clojure(clause);
                return Err(format!("Illegal value '{clause}' in :order_by; 'order' must be either 'asc' or 'desc'"));
            }
        };
        order.push((at, descending));
    }
    Ok(order)
}

/// The message about the first unknown operator in the query of an `extract`.
fn unknown_operator(filter: &Value) -> Option<String> {
    const KNOWN: [&str; 16] = [
        "from", "in", "extract", "subquery", "and", "or", "not", "function", "group_by", "null?", "=", ">", "<", ">=",
        "<=", "~",
    ];
    let clause = filter.as_array()?;
    let op = clause.first()?.as_str()?;
    match op {
        "and" | "or" => clause.iter().skip(1).find_map(unknown_operator),
        _ if KNOWN.contains(&op) || op == "~>" || op.starts_with("select_") => None,
        _ => Some(format!("{} is not a valid expression for \"extract\"", wording::to_clojure(filter))),
    }
}
