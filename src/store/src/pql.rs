//! Parses PQL, PuppetDB's query language, into AST (puppetlabs.puppetdb.pql, `pql-grammar.ebnf`).
//!
//! A recursive-descent parser that tries alternatives in order and backtracks. Its messages are those of PuppetDB's parser: they state
//! the furthest position that any alternative reached, and everything that was expected there.

mod literal;

use serde_json::Value;
use serde_json::json;

const ENTITIES: [&str; 14] = [
    "events",
    "edges",
    "inventory",
    "fact_contents",
    "fact_paths",
    "factsets",
    "environments",
    "nodes",
    "resources",
    "package_inventory",
    "packages",
    "catalogs",
    "reports",
    "facts",
];
const FUNCTIONS: [&str; 6] = ["to_string", "max", "min", "sum", "avg", "count"];
const DOTTED: [&str; 3] = ["parameters", "trusted", "facts"];
const SPACE: &str = "#\"\\s+\"";
const NAME: &str = "#\"[a-zA-Z0-9_]+\\??\"";
/// The deepest nesting of parentheses, negations and subqueries.
const MAX_DEPTH: usize = 100;

/// Parses a query.
///
/// # Errors
/// PuppetDB's message: where the syntax error is, and what was expected there.
pub fn to_ast(text: &str) -> Result<Value, String> {
    let mut parser = Parser { source: text, at: 0, furthest: 0, expected: Vec::new(), depth: 0, too_deep: false };
    let ast = parser.query();
    if parser.too_deep {
        return Err(format!("PQL parse error: the query is nested deeper than {MAX_DEPTH} levels"));
    }
    let Some(ast) = ast else { return Err(parser.failure(false)) };
    let end = parser.at;
    parser.space();
    if parser.at < text.len() {
        parser.furthest = end;
        return Err(parser.failure(true));
    }
    Ok(ast)
}

struct Parser<'t> {
    source: &'t str,
    at: usize,
    furthest: usize,
    /// What was expected at the furthest position.
    expected: Vec<&'static str>,
    depth: usize,
    too_deep: bool,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.source[self.at..]
    }

    fn expect(&mut self, token: &'static str) {
        if self.at > self.furthest {
            self.furthest = self.at;
            self.expected.clear();
        }
        if self.at == self.furthest && !self.expected.contains(&token) {
            self.expected.push(token);
        }
    }

    /// Consumes a literal, or records that it was expected.
    fn literal(&mut self, text: &'static str) -> Option<()> {
        match self.rest().starts_with(text) {
            true => {
                self.at += text.len();
                Some(())
            }
            false => {
                self.expect(text);
                None
            }
        }
    }

    fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let longest =
            words.iter().filter(|word| self.rest().starts_with(**word)).max_by_key(|word| word.len()).copied();
        match longest {
            Some(word) => self.at += word.len(),
            None => words.iter().for_each(|word| self.expect(word)),
        }
        longest
    }

    fn space(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(char::is_whitespace).len();
        if length == 0 {
            self.expect(SPACE);
            return None;
        }
        self.at += length;
        Some(())
    }

    /// Tries an alternative, and backtracks if it fails.
    fn attempt<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = parse(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// One or more items, separated by commas.
    fn list(&mut self, item: fn(&mut Self) -> Option<Value>) -> Option<Vec<Value>> {
        let mut items = vec![item(self)?];
        while let Some(next) = self.attempt(|parser| {
            parser.space();
            parser.literal(",")?;
            parser.space();
            item(parser)
        }) {
            items.push(next);
        }
        Some(items)
    }

    /// `[a, b]`
    fn bracketed(&mut self, item: fn(&mut Self) -> Option<Value>) -> Option<Vec<Value>> {
        self.literal("[")?;
        self.space();
        let items = self.list(item)?;
        self.space();
        self.literal("]")?;
        Some(items)
    }

    fn query(&mut self) -> Option<Value> {
        self.space();
        self.from()
    }

    /// `ENTITY [COLUMNS] { CONDITIONS }`
    fn from(&mut self) -> Option<Value> {
        let entity = self.one_of(&ENTITIES)?;
        let extract = self.attempt(|parser| {
            parser.space();
            parser.literal("[")?;
            parser.space();
            let fields = parser.attempt(|parser| parser.list(Self::column)).unwrap_or_default();
            parser.space();
            parser.literal("]")?;
            Some(fields)
        });
        self.space();
        let (condition, group, paging) = self.conditions()?;
        let mut query = vec![json!("from"), json!(entity)];
        match extract {
            Some(fields) => {
                let mut extract = vec![json!("extract"), Value::Array(fields)];
                extract.extend(condition.into_iter().chain(group));
                query.push(Value::Array(extract));
            }
            None => query.extend(condition.into_iter().chain(group)),
        }
        query.extend(paging);
        Some(Value::Array(query))
    }

    /// `{ condition group by … }` or `{ condition limit … }`
    fn conditions(&mut self) -> Option<(Option<Value>, Option<Value>, Vec<Value>)> {
        self.literal("{")?;
        self.space();
        // Braces may contain clauses without a condition: `{ limit 1 }`.
        let braces = |parser: &mut Self, with_condition: bool| {
            let condition = if with_condition { Some(parser.expression()?) } else { None };
            parser.space();
            let group = parser.attempt(Self::group_by);
            let mut paging = Vec::new();
            while let Some(clause) = group.is_none().then(|| parser.attempt(Self::paging)).flatten() {
                paging.push(clause);
                parser.space();
            }
            while parser.space().is_some() {}
            parser.literal("}")?;
            Some((condition, group, paging))
        };
        self.attempt(|parser| braces(parser, true)).or_else(|| self.attempt(|parser| braces(parser, false)))
    }

    fn group_by(&mut self) -> Option<Value> {
        self.literal("group by")?;
        self.space()?;
        let mut clause = vec![json!("group_by")];
        clause.extend(self.list(Self::column)?);
        Some(Value::Array(clause))
    }

    fn paging(&mut self) -> Option<Value> {
        match self.one_of(&["limit", "offset", "order by"])? {
            "order by" => {
                self.space()?;
                let mut parameters = vec![self.order()?];
                while let Some(next) = self.attempt(|parser| {
                    parser.literal(",")?;
                    parser.space();
                    parser.order()
                }) {
                    parameters.push(next);
                }
                Some(json!(["order_by", parameters]))
            }
            name => {
                self.space()?;
                Some(json!([name, self.integer()?]))
            }
        }
    }

    /// A field to order by, optionally with a direction.
    fn order(&mut self) -> Option<Value> {
        if self.one_of(&["desc", "asc"]).is_some() {
            return None;
        }
        let field = self.field()?;
        let direction = self.attempt(|parser| {
            parser.space()?;
            parser.one_of(&["desc", "asc"])
        });
        self.space();
        Some(match direction {
            Some(direction) => json!([field, direction]),
            None => field,
        })
    }

    fn expression(&mut self) -> Option<Value> {
        self.depth += 1;
        self.too_deep |= self.depth > MAX_DEPTH;
        let found = if self.too_deep { None } else { self.joined("or", |parser| parser.joined("and", Self::negation)) };
        self.depth -= 1;
        found
    }

    /// Operands with `and` or `or` between them, or a single operand.
    fn joined(&mut self, operator: &'static str, operand: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        let first = operand(self)?;
        let mut clauses = vec![json!(operator), first.clone()];
        while let Some(next) = self.attempt(|parser| {
            parser.space()?;
            parser.literal(operator)?;
            parser.space()?;
            operand(parser)
        }) {
            clauses.push(next);
        }
        Some(if clauses.len() > 2 { Value::Array(clauses) } else { first })
    }

    fn negation(&mut self) -> Option<Value> {
        let negated = self.attempt(|parser| {
            parser.literal("!")?;
            parser.space();
            parser.depth += 1;
            parser.too_deep |= parser.depth > MAX_DEPTH;
            let operand = if parser.too_deep { None } else { parser.negation() };
            parser.depth -= 1;
            operand
        });
        if let Some(operand) = negated {
            return Some(json!(["not", operand]));
        }
        self.attempt(|parser| {
            parser.literal("(")?;
            parser.space();
            let inner = parser.expression()?;
            parser.space();
            parser.literal(")")?;
            Some(inner)
        })
        .or_else(|| self.attempt(Self::condition))
        .or_else(|| self.attempt(Self::grouped_in))
        .or_else(|| self.attempt(Self::subquery))
    }

    /// An implicit subquery: `resources { … }`.
    fn subquery(&mut self) -> Option<Value> {
        let entity = self.one_of(&ENTITIES)?;
        self.space();
        let (condition, group, paging) = self.conditions()?;
        let mut query = vec![json!("subquery"), json!(entity)];
        query.extend(condition.into_iter().chain(group).chain(paging));
        Some(Value::Array(query))
    }

    /// A field, an operator, a value.
    fn condition(&mut self) -> Option<Value> {
        let field = self.field()?;
        self.space();
        let operator =
            self.one_of(&["is not null", "is null", "in", "!~", "!=", "=", ">", "<", "<=", ">=", "~>", "~"])?;
        match operator {
            "is null" => return Some(json!(["null?", field, true])),
            "is not null" => return Some(json!(["null?", field, false])),
            _ => {
                self.space();
            }
        }
        let value = match operator {
            "~" => self.string()?,
            "~>" => Value::Array(self.bracketed(Self::path_pattern)?),
            ">" | "<" | ">=" | "<=" => self.string_or_number()?,
            "in" => self.members()?,
            _ => self.value()?,
        };
        Some(match operator {
            "!=" => json!(["not", ["=", field, value]]),
            "!~" => json!(["not", ["~", field, value]]),
            operator => json!([operator, field, value]),
        })
    }

    /// The pattern of a step of a path.
    fn path_pattern(&mut self) -> Option<Value> {
        self.string()
    }

    /// `[a, b] in resources[a, b] { }`
    fn grouped_in(&mut self) -> Option<Value> {
        let fields = self.bracketed(Self::column)?;
        self.space();
        self.literal("in")?;
        self.space();
        Some(json!(["in", fields, self.members()?]))
    }

    /// The right side of `in`: a query, or a list of values.
    fn members(&mut self) -> Option<Value> {
        if let Some(values) = self.attempt(|parser| parser.bracketed(Self::value)) {
            return Some(json!(["array", values]));
        }
        self.attempt(Self::query)
    }

    /// A column: a function call or a field.
    fn column(&mut self) -> Option<Value> {
        let call = self.attempt(|parser| {
            let name = parser.one_of(&FUNCTIONS)?;
            parser.space();
            parser.literal("(")?;
            parser.space();
            let mut call = vec![json!("function"), json!(name)];
            call.extend(parser.attempt(Self::arguments).unwrap_or_default());
            parser.space();
            parser.literal(")")?;
            Some(Value::Array(call))
        });
        call.or_else(|| self.attempt(Self::field))
    }

    fn arguments(&mut self) -> Option<Vec<Value>> {
        let first = self.attempt(Self::string).or_else(|| self.attempt(Self::field))?;
        let mut arguments = vec![first];
        let more = self.attempt(|parser| {
            parser.space();
            parser.literal(",")?;
            parser.space();
            parser.list(Self::string)
        });
        arguments.extend(more.unwrap_or_default());
        Some(arguments)
    }

    /// PuppetDB's message for the furthest failure. `complete`: the query ended, but more text follows.
    fn failure(&self, complete: bool) -> String {
        let before = &self.source[..self.furthest];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let source_line = self.source[start..].lines().next().unwrap_or_default();
        let marker = format!("{}^", " ".repeat(column - 1));
        let opening = format!("PQL parse error at line {line}, column {column}:\n\n{source_line}\n{marker}\n\n");
        if complete {
            return format!("{opening}Expected one of:\n\n{SPACE} (followed by end-of-string):end-of-string\n");
        }
        let heading = if self.expected.len() == 1 { "Expected:\n" } else { "Expected one of:\n\n" };
        let expected: Vec<String> = self.expected.iter().map(|token| format!("{token}\n")).collect();
        format!("{opening}{heading}{}", expected.concat())
    }
}
