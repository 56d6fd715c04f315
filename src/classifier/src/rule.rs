//! Rules: the conditions of groups, parsed once into a tree.
//!
//! In: a condition as data (`["and", ["=", ["fact", "os", "family"], "Debian"], …]`). Out: [`Rule`], or why a condition is
//! invalid. Must not: know groups; evaluate (that is `evaluate`).
//!
//! The grammar is that of the classifier service's groups endpoint ("Rule condition grammar"), with `<:` and `/:` of newer
//! consoles:
//!
//! ```text
//! condition := ["and"|"or", condition, …] | ["not", condition] | [operator, path, text]
//! operator  := "=" | "~" | "<" | "<=" | ">" | ">=" | "<:" | "/:"
//! path      := field | [field, step, …]
//! ```

use std::fmt;
use std::sync::Arc;

use crate::number::Number;
use crate::subject::Path;
use crate::subject::Segment;
use crate::subject::Subject;
use catwalk_base::diag::Diagnostic;
use catwalk_regexp::Regexp;
use catwalk_value::Value;
use catwalk_world::World;

/// Deepest nesting of a condition.
const MAX_DEPTH: usize = 64;

/// A condition.
#[derive(Clone, Debug)]
pub enum Rule {
    /// All conditions hold.
    And(Vec<Rule>),
    /// At least one condition holds.
    Or(Vec<Rule>),
    /// The condition does not hold.
    Not(Box<Rule>),
    /// A value of the node is compared.
    Test(Test),
    /// Code decides.
    Script(Arc<dyn ScriptRule>),
}

/// A rule in code. A condition that it returns is explained like any other.
pub trait ScriptRule: Send + Sync + fmt::Debug {
    /// The position of the code, for explanations: `scripts/groups/site.rhai:12`.
    fn location(&self) -> &str;

    /// Runs the code.
    ///
    /// # Errors
    /// Returns the error of the script.
    fn evaluate(&self, node: &Subject, world: &dyn World) -> Result<Answer, Box<Diagnostic>>;
}

/// The result of a rule in code.
#[derive(Clone, Debug)]
pub enum Answer {
    /// True or false.
    Decision(bool),
    /// A condition to evaluate instead, which can be explained.
    Condition(Rule),
}

/// `[operator, path, string]`
#[derive(Clone, Debug)]
pub struct Test {
    /// How it compares.
    pub operator: Operator,
    /// The path of the node's value.
    pub path: Path,
    /// The string to compare with.
    pub literal: Arc<str>,
    pub(super) operand: Operand,
}

/// The string of a test, prepared for its operator.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// Compared as a string, or with numbers as a number.
    String(Option<Number>),
    Pattern(Arc<Regexp>),
    /// `None`: the string is not a number, so the test never holds.
    Number(Option<Number>),
}

/// How a test compares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operator {
    /// `=`: a scalar, as a string, equals this string.
    Equal,
    /// `~`: a regular expression matches in a scalar as a string.
    Match,
    /// `<`, both as numbers.
    Less,
    /// `<=`, both as numbers.
    LessEqual,
    /// `>`, both as numbers.
    Greater,
    /// `>=`, both as numbers.
    GreaterEqual,
    /// `<:`: an array contains this string.
    Contains,
    /// `/:`: the negation of `<:`.
    ContainsNot,
}

pub(crate) const OPERATORS: [(&str, Operator); 8] = [
    ("=", Operator::Equal),
    ("~", Operator::Match),
    ("<", Operator::Less),
    ("<=", Operator::LessEqual),
    (">", Operator::Greater),
    (">=", Operator::GreaterEqual),
    ("<:", Operator::Contains),
    ("/:", Operator::ContainsNot),
];

impl Operator {
    /// The operator as written in a condition.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }

    /// Whether both sides are compared as numbers.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        matches!(self, Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual)
    }
}

impl Rule {
    /// Reads a condition.
    ///
    /// # Errors
    /// Returns a message that starts with the JSON pointer of the invalid condition (`/1/0: …`).
    pub fn parse(condition: &Value) -> Result<Rule, String> {
        parse(condition, "", 0)
    }

    /// The condition as data, as it was written.
    #[must_use]
    pub fn document(&self) -> Value {
        let many = |word: &str, rules: &[Rule]| {
            Value::array(std::iter::once(Value::str(word)).chain(rules.iter().map(Rule::document)).collect())
        };
        match self {
            Rule::And(rules) => many("and", rules),
            Rule::Or(rules) => many("or", rules),
            Rule::Not(rule) => many("not", std::slice::from_ref(rule)),
            Rule::Test(test) => test.document(),
            Rule::Script(script) => Value::array(vec![Value::str("script"), Value::str(script.location())]),
        }
    }

    /// Calls back for every test.
    pub(crate) fn each_test<'a>(&'a self, visit: &mut dyn FnMut(&'a Test)) {
        match self {
            Rule::And(rules) | Rule::Or(rules) => rules.iter().for_each(|rule| rule.each_test(visit)),
            Rule::Not(rule) => rule.each_test(visit),
            Rule::Test(test) => visit(test),
            Rule::Script(_) => {}
        }
    }
}

impl Test {
    /// The test as data.
    #[must_use]
    pub fn document(&self) -> Value {
        let literal = Value::from(self.literal.clone());
        Value::array(vec![Value::str(self.operator.as_str()), self.path.document(), literal])
    }
}

fn parse(condition: &Value, location: &str, depth: usize) -> Result<Rule, String> {
    let pointer = if location.is_empty() { "/" } else { location };
    if depth > MAX_DEPTH {
        return Err(format!("{pointer}: conditions are nested deeper than {MAX_DEPTH} levels"));
    }
    let Value::Array(items) = condition else { return Err(format!("{pointer}: a condition must be an array")) };
    let Some(Value::Str(word)) = items.first() else {
        return Err(format!("{pointer}: a condition must begin with an operator"));
    };
    let operands = items.get(1..).unwrap_or(&[]);
    let nested = || -> Result<Vec<Rule>, String> {
        if operands.is_empty() {
            return Err(format!("{pointer}: '{word}' needs one or more conditions"));
        }
        (1..).zip(operands).map(|(number, item)| parse(item, &format!("{location}/{number}"), depth + 1)).collect()
    };
    match word.as_ref() {
        "and" => nested().map(Rule::And),
        "or" => nested().map(Rule::Or),
        "not" => {
            let mut rules = nested()?;
            match (rules.pop(), rules.is_empty()) {
                (Some(rule), true) => Ok(Rule::Not(Box::new(rule))),
                _ => Err(format!("{pointer}: 'not' needs exactly one condition, got {}", operands.len())),
            }
        }
        _ => match OPERATORS.iter().find(|(text, _)| *text == word.as_ref()) {
            Some((_, operator)) => parse_test(*operator, operands, pointer).map(Rule::Test),
            None => Err(unknown_operator(word, pointer)),
        },
    }
}

fn unknown_operator(word: &str, pointer: &str) -> String {
    let hint = match word {
        "!=" => " (write [\"not\", [\"=\", …]])",
        "!~" => " (write [\"not\", [\"~\", …]])",
        "==" => " (write \"=\")",
        _ => "",
    };
    format!("{pointer}: unknown operator '{word}'{hint}")
}

fn parse_test(operator: Operator, operands: &[Value], pointer: &str) -> Result<Test, String> {
    let [path, literal] = operands else {
        let word = operator.as_str();
        return Err(format!("{pointer}: '{word}' needs a path and a string, got {} items", operands.len()));
    };
    let path = parse_path(path).map_err(|why| format!("{pointer}: {why}"))?;
    let Value::Str(literal) = literal else {
        return Err(format!("{pointer}: the value that '{}' compares with must be a string", operator.as_str()));
    };
    let operand = match operator {
        Operator::Match => {
            let pattern = Regexp::new(literal.as_ref());
            pattern.check().map_err(|why| format!("{pointer}: bad regular expression: {why}"))?;
            Operand::Pattern(Arc::new(pattern))
        }
        _ if operator.is_numeric() => Operand::Number(Number::parse(literal)),
        _ => Operand::String(Number::parse(literal)),
    };
    Ok(Test { operator, path, literal: literal.to_shared(), operand })
}

fn parse_path(path: &Value) -> Result<Path, String> {
    let items = match path {
        Value::Str(field) => return Ok(Path { segments: vec![Segment::Key(field.to_shared())], bare: true }),
        Value::Array(items) if !items.is_empty() => items,
        _ => return Err("a path must be a field name or an array of one or more steps".to_owned()),
    };
    let segment = |(number, item): (usize, &Value)| match item {
        Value::Str(key) => Ok(Segment::Key(key.to_shared())),
        Value::Int(at) if number > 0 && *at >= 0 => Ok(Segment::Index(*at)),
        _ => Err("a step of a path must be a string, or after the first an integer from 0".to_owned()),
    };
    let segments: Result<Vec<Segment>, String> = items.iter().enumerate().map(segment).collect();
    Ok(Path { segments: segments?, bare: false })
}
