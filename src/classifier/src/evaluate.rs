//! Evaluation of rules, plain and explained.
//!
//! In: a rule and a node. Out: whether it holds; or the rule with the answer and the found value at each of its steps.
//! Must not: know groups.
//!
//! Where the service's documentation has no rule: every comparison with a missing value is false; `=` and `~` compare scalars
//! as strings (`true`, `40`), never arrays or maps; a number equals a string that spells it; `<`, `>` and the like compare both
//! sides as numbers and are false if one is not.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::number::Number;
use crate::rule::Answer;
use crate::rule::Operand;
use crate::rule::Operator;
use crate::rule::Rule;
use crate::rule::Test;
use crate::subject::Subject;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Value;
use catwalk_world::World;

/// A rule with the result of each step: the explained condition of the service.
#[derive(Clone, Debug)]
pub struct RuleExplanation {
    /// Whether this step holds.
    pub holds: bool,
    /// The kind of the step.
    pub form: Form,
}

/// A step of an explained rule.
#[derive(Clone, Debug)]
pub enum Form {
    /// `and`, `or`, `not`
    Connective(&'static str, Vec<RuleExplanation>),
    /// A test with the value at its path.
    Test(Test, Option<Value>),
    /// A rule in code: its location, and the condition that it returned, if any.
    Script(String, Option<Box<RuleExplanation>>),
}

type Fallible<T> = Result<T, Box<Diagnostic>>;

impl Rule {
    /// Whether the rule holds for a node; stops at the first step that decides.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn holds(&self, node: &Subject, world: &dyn World) -> Fallible<bool> {
        Ok(match self {
            Rule::And(rules) => {
                for rule in rules {
                    if !rule.holds(node, world)? {
                        return Ok(false);
                    }
                }
                true
            }
            Rule::Or(rules) => {
                for rule in rules {
                    if rule.holds(node, world)? {
                        return Ok(true);
                    }
                }
                false
            }
            Rule::Not(rule) => !rule.holds(node, world)?,
            Rule::Test(test) => test.holds(node.find(&test.path)),
            Rule::Script(script) => match script.evaluate(node, world)? {
                Answer::Decision(answer) => answer,
                Answer::Condition(rule) => rule.holds(node, world)?,
            },
        })
    }

    /// Evaluates every step of a rule, also where the result is already determined.
    ///
    /// # Errors
    /// As [`Rule::holds`].
    pub fn explain(&self, node: &Subject, world: &dyn World) -> Fallible<RuleExplanation> {
        let all = |rules: &[Rule]| rules.iter().map(|rule| rule.explain(node, world)).collect::<Fallible<Vec<_>>>();
        Ok(match self {
            Rule::And(rules) => {
                let steps = all(rules)?;
                RuleExplanation { holds: steps.iter().all(|step| step.holds), form: Form::Connective("and", steps) }
            }
            Rule::Or(rules) => {
                let steps = all(rules)?;
                RuleExplanation { holds: steps.iter().any(|step| step.holds), form: Form::Connective("or", steps) }
            }
            Rule::Not(rule) => {
                let step = rule.explain(node, world)?;
                RuleExplanation { holds: !step.holds, form: Form::Connective("not", vec![step]) }
            }
            Rule::Test(test) => {
                let found = node.find(&test.path);
                RuleExplanation { holds: test.holds(found), form: Form::Test(test.clone(), found.cloned()) }
            }
            Rule::Script(script) => {
                let location = script.location().to_owned();
                match script.evaluate(node, world)? {
                    Answer::Decision(holds) => RuleExplanation { holds, form: Form::Script(location, None) },
                    Answer::Condition(rule) => {
                        let step = rule.explain(node, world)?;
                        RuleExplanation { holds: step.holds, form: Form::Script(location, Some(Box::new(step))) }
                    }
                }
            }
        })
    }
}

impl Test {
    /// Whether the test holds for the value at its path.
    #[must_use]
    pub fn holds(&self, found: Option<&Value>) -> bool {
        match self.operator {
            Operator::Equal => found.is_some_and(|found| self.equals(found)),
            Operator::Contains => self.is_contained(found),
            Operator::ContainsNot => !self.is_contained(found),
            Operator::Match => match &self.operand {
                // A search that takes too many steps does not match.
                Operand::Pattern(pattern) => {
                    found.and_then(scalar_string).is_some_and(|string| pattern.is_match(&string).unwrap_or(false))
                }
                _ => false,
            },
            Operator::Less => self.is_ordered(found, Ordering::is_lt),
            Operator::LessEqual => self.is_ordered(found, Ordering::is_le),
            Operator::Greater => self.is_ordered(found, Ordering::is_gt),
            Operator::GreaterEqual => self.is_ordered(found, Ordering::is_ge),
        }
    }

    fn equals(&self, found: &Value) -> bool {
        match (found, &self.operand) {
            (Value::Str(text), _) => *text == self.literal,
            (Value::Int(_) | Value::Float(_), Operand::String(Some(number))) => {
                Number::from_value(found).is_some_and(|found| found.compare(*number).is_eq())
            }
            _ => scalar_string(found).is_some_and(|string| *string == *self.literal),
        }
    }

    fn is_contained(&self, found: Option<&Value>) -> bool {
        match found {
            Some(Value::Array(items)) => items.iter().any(|item| self.equals(item)),
            _ => false,
        }
    }

    fn is_ordered(&self, found: Option<&Value>, accept: impl Fn(Ordering) -> bool) -> bool {
        match (found.and_then(Number::from_value), &self.operand) {
            (Some(found), Operand::Number(Some(number))) => accept(found.compare(*number)),
            _ => false,
        }
    }
}

/// A scalar as a string.
pub(super) fn scalar_string(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Str(text) => Some(Cow::Borrowed(text)),
        Value::Bool(b) => Some(Cow::Borrowed(if *b { "true" } else { "false" })),
        Value::Int(n) => Some(Cow::Owned(n.to_string())),
        Value::Float(f) => Some(Cow::Owned(format!("{f:?}"))),
        _ => None,
    }
}

impl RuleExplanation {
    /// The explained condition in the service's format: each list becomes `{"value", "form"}`, each path `{"path", "value"}`.
    #[must_use]
    pub fn document(&self) -> Value {
        let form = match &self.form {
            Form::Connective(word, steps) => Value::array(
                std::iter::once(Value::str(word)).chain(steps.iter().map(RuleExplanation::document)).collect(),
            ),
            Form::Test(test, found) => {
                let found = found.clone().unwrap_or(Value::Undef);
                let path_and_value = [("path", test.path.document()), ("value", found)];
                let path_and_value = path_and_value.into_iter().map(|(key, value)| (Value::str(key), value)).collect();
                let (word, literal) = (Value::str(test.operator.as_str()), Value::from(test.literal.clone()));
                Value::array(vec![word, Value::hash(path_and_value), literal])
            }
            Form::Script(location, step) => {
                let mut items = vec![Value::str("script"), Value::str(location)];
                items.extend(step.as_ref().map(|step| step.document()));
                Value::array(items)
            }
        };
        let entries = [("value", Value::Bool(self.holds)), ("form", form)];
        Value::hash(entries.into_iter().map(|(key, value)| (Value::str(key), value)).collect())
    }

    /// The first step that makes this one fail; `None` for a rule that holds.
    #[must_use]
    pub fn first_failing(&self) -> Option<&RuleExplanation> {
        if self.holds {
            return None;
        }
        match &self.form {
            Form::Connective("and", steps) => steps.iter().find_map(RuleExplanation::first_failing),
            Form::Script(_, Some(step)) => step.first_failing(),
            _ => Some(self),
        }
    }
}
