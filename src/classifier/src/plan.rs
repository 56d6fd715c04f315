//! Rules prepared for many nodes: groups that can match are looked up by value, and comparisons are cached.
//!
//! In: groups in order, nodes. Out: the groups that match each node. Must not: know what groups assign.
//!
//! Each distinct path is walked once for a node, and each distinct test is evaluated once for a value of its path: results are
//! cached by value and shared between nodes.
//!
//! A rule that needs one of some equalities (`and` with an equality in it, `or` of such, pinned nodes) is only evaluated for
//! nodes that have one of the values.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxHashMap;

use crate::evaluate::scalar_string;
use crate::group::Group;
use crate::number::Number;
use crate::rule::Operator;
use crate::rule::Rule;
use crate::rule::Test;
use crate::subject::Path;
use crate::subject::Subject;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Value;
use catwalk_world::World;

/// The limit on cached values of a path; a path with more (names of nodes) has nothing to share.
const MAX_CACHED_VALUES: usize = 4096;

/// The rules of all groups over shared tests.
#[derive(Debug, Default)]
pub struct Plan {
    /// Distinct paths; those of `fields` share them.
    paths: Vec<Path>,
    /// The tests of each path.
    tests: Vec<Vec<Test>>,
    /// The parent and the rule of each group.
    rules: Vec<(Option<usize>, Option<Node>)>,
    /// Groups whose rules must be evaluated for every node, one bit each.
    always: Vec<u64>,
    /// For a path, the groups that can only match nodes with a certain value there.
    tables: Vec<(usize, Table)>,
}

/// A rule over shared tests.
#[derive(Debug)]
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    /// The path, and the index among its tests.
    Test(usize, usize),
    /// A rule that is code.
    Script(Rule),
}

/// Groups by the value that they need.
#[derive(Debug, Default)]
struct Table {
    strings: HashMap<Arc<str>, Vec<usize>>,
    numbers: HashMap<u64, Vec<usize>>,
}

/// An equality that a rule needs: path, string.
type RequiredEquality = (usize, Arc<str>);

impl Plan {
    /// Prepares the rules of groups.
    #[must_use]
    pub fn new(groups: &[Group]) -> Plan {
        let mut builder = Builder::default();
        let rules: Vec<Option<Node>> =
            groups.iter().map(|group| group.rule.as_ref().map(|rule| builder.node(rule))).collect();
        let mut tables: FxHashMap<usize, Table> = FxHashMap::default();
        let mut always = vec![0; groups.len().div_ceil(64)];
        for (number, rule) in rules.iter().enumerate() {
            match rule.as_ref().and_then(|rule| builder.required_equalities(rule)) {
                Some(required_equalities) => {
                    for (path, literal) in required_equalities {
                        tables.entry(path).or_default().add(&literal, number);
                    }
                }
                None => set_bit(&mut always, number),
            }
        }
        let mut tables: Vec<(usize, Table)> = tables.into_iter().collect();
        tables.sort_by_key(|(path, _)| *path);
        let rules = groups.iter().map(|group| group.parent).zip(rules).collect();
        Plan { paths: builder.paths, tests: builder.tests, rules, always, tables }
    }

    /// Classifies nodes one after the other.
    #[must_use]
    pub fn worker(&self) -> Worker<'_> {
        Worker {
            plan: self,
            cached: self.paths.iter().map(|_| HashMap::new()).collect(),
            answers: self.paths.iter().map(|_| CachedAnswers::NotEvaluated).collect(),
            matches: vec![false; self.rules.len()],
            candidates: Vec::new(),
        }
    }
}

fn set_bit(bits: &mut [u64], number: usize) {
    if let Some(word) = bits.get_mut(number / 64) {
        *word |= 1 << (number % 64);
    }
}

impl Table {
    fn add(&mut self, literal: &Arc<str>, group: usize) {
        self.strings.entry(literal.clone()).or_default().push(group);
        if let Some(number) = Number::parse(literal) {
            self.numbers.entry(number.key()).or_default().push(group);
        }
    }

    /// The groups that a value admits.
    fn admitted(&self, value: &Value) -> impl Iterator<Item = usize> {
        let by_string = scalar_string(value).and_then(|string| self.strings.get(string.as_ref()));
        let number = match value {
            Value::Int(_) | Value::Float(_) => Number::from_value(value),
            _ => None,
        };
        let by_number = number.and_then(|number| self.numbers.get(&number.key()));
        by_string.into_iter().chain(by_number).flatten().copied()
    }
}

#[derive(Default)]
struct Builder {
    paths: Vec<Path>,
    tests: Vec<Vec<Test>>,
    path_indexes: FxHashMap<Path, usize>,
    test_indexes: FxHashMap<(usize, Operator, Arc<str>), usize>,
}

impl Builder {
    fn node(&mut self, rule: &Rule) -> Node {
        match rule {
            Rule::And(rules) => Node::And(rules.iter().map(|rule| self.node(rule)).collect()),
            Rule::Or(rules) => Node::Or(rules.iter().map(|rule| self.node(rule)).collect()),
            Rule::Not(rule) => Node::Not(Box::new(self.node(rule))),
            Rule::Script(_) => Node::Script(rule.clone()),
            Rule::Test(test) => {
                let path = self.path(&test.path);
                let tests = self.tests.get_mut(path);
                let key = (path, test.operator, test.literal.clone());
                let test_index = *self.test_indexes.entry(key).or_insert_with(|| {
                    tests.map_or(0, |tests| {
                        tests.push(test.clone());
                        tests.len() - 1
                    })
                });
                Node::Test(path, test_index)
            }
        }
    }

    fn path(&mut self, path: &Path) -> usize {
        // The spelling of the path does not matter here.
        let path = Path { bare: false, ..path.clone() };
        if let Some(known) = self.path_indexes.get(&path) {
            return *known;
        }
        self.paths.push(path.clone());
        self.tests.push(Vec::new());
        self.path_indexes.insert(path, self.paths.len() - 1);
        self.paths.len() - 1
    }

    /// Equalities of which one must hold for the rule to hold; `None` if there are none.
    fn required_equalities(&self, node: &Node) -> Option<Vec<RequiredEquality>> {
        match node {
            Node::And(nodes) => nodes.iter().filter_map(|node| self.required_equalities(node)).min_by_key(Vec::len),
            Node::Or(nodes) => {
                let all: Option<Vec<Vec<RequiredEquality>>> =
                    nodes.iter().map(|node| self.required_equalities(node)).collect();
                all.map(|all| all.into_iter().flatten().collect())
            }
            Node::Test(path, test_index) => {
                let test = self.tests.get(*path)?.get(*test_index)?;
                (test.operator == Operator::Equal).then(|| vec![(*path, test.literal.clone())])
            }
            Node::Not(_) | Node::Script(_) => None,
        }
    }
}

/// A scalar as a key of cached results: all tests have equal results for values with equal keys.
#[derive(PartialEq, Eq, Hash)]
enum Scalar {
    Missing,
    Bool(bool),
    Int(i64),
    Float(u64),
    String(Arc<str>),
}

/// The results of a path's tests for one value: 0 unknown, 1 no, 2 yes.
type Answers = Box<[u8]>;

/// The results for the current node's value of a path.
enum CachedAnswers {
    /// The path was not walked yet.
    NotEvaluated,
    /// Taken from the cache, to be returned to it under this key.
    Shared(Scalar, Answers),
    /// For this node only.
    Single(Answers),
}

/// Classifies nodes one after the other; caches results between them.
pub struct Worker<'p> {
    plan: &'p Plan,
    cached: Vec<HashMap<Scalar, Answers>>,
    answers: Vec<CachedAnswers>,
    /// For each group, whether its rule and those of its ancestors hold.
    matches: Vec<bool>,
    candidates: Vec<u64>,
}

impl Worker<'_> {
    /// The groups that match a node, in order: their own rule holds, and those of all ancestors.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn matching(&mut self, node: &Subject, world: &dyn World) -> Result<Vec<usize>, Box<Diagnostic>> {
        let plan = self.plan;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clone_from(&plan.always);
        for (path, table) in &plan.tables {
            let found = plan.paths.get(*path).and_then(|path| node.find(path));
            found.into_iter().flat_map(|value| table.admitted(value)).for_each(|group| set_bit(&mut candidates, group));
        }
        let mut matching = Vec::new();
        self.matches.fill(false);
        for (word, mut bits) in candidates.iter().copied().enumerate() {
            while bits != 0 {
                let number = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Some((parent, rule)) = plan.rules.get(number) else { break };
                let above = parent.is_none_or(|parent| self.matches.get(parent).copied().unwrap_or(false));
                let matches = above
                    && match rule {
                        Some(rule) => self.holds(rule, node, world)?,
                        None => true,
                    };
                if let Some(slot) = self.matches.get_mut(number) {
                    *slot = matches;
                }
                if matches && rule.is_some() {
                    matching.push(number);
                }
            }
        }
        self.candidates = candidates;
        self.return_answers();
        Ok(matching)
    }

    fn holds(&mut self, rule: &Node, node: &Subject, world: &dyn World) -> Result<bool, Box<Diagnostic>> {
        Ok(match rule {
            Node::And(rules) => {
                for rule in rules {
                    if !self.holds(rule, node, world)? {
                        return Ok(false);
                    }
                }
                true
            }
            Node::Or(rules) => {
                for rule in rules {
                    if self.holds(rule, node, world)? {
                        return Ok(true);
                    }
                }
                false
            }
            Node::Not(rule) => !self.holds(rule, node, world)?,
            Node::Test(path, test_index) => self.test(*path, *test_index, node),
            Node::Script(rule) => rule.holds(node, world)?,
        })
    }

    fn test(&mut self, path: usize, test_index: usize, node: &Subject) -> bool {
        let plan = self.plan;
        let (Some(test_path), Some(tests), Some(answer)) =
            (plan.paths.get(path), plan.tests.get(path), self.answers.get_mut(path))
        else {
            return false;
        };
        if matches!(answer, CachedAnswers::NotEvaluated) {
            let fresh = || vec![0; tests.len()].into_boxed_slice();
            *answer = match (scalar(node.find(test_path)), self.cached.get_mut(path)) {
                (Some(key), Some(kept)) => match kept.remove_entry(&key) {
                    Some((key, answers)) => CachedAnswers::Shared(key, answers),
                    None if kept.len() < MAX_CACHED_VALUES => CachedAnswers::Shared(key, fresh()),
                    None => CachedAnswers::Single(fresh()),
                },
                _ => CachedAnswers::Single(fresh()),
            };
        }
        let (CachedAnswers::Shared(_, answers) | CachedAnswers::Single(answers)) = answer else { return false };
        match (answers.get_mut(test_index), tests.get(test_index)) {
            (Some(answer), Some(test)) => {
                if *answer == 0 {
                    *answer = 1 + u8::from(test.holds(node.find(test_path)));
                }
                *answer == 2
            }
            _ => false,
        }
    }

    fn return_answers(&mut self) {
        for (answer, kept) in self.answers.iter_mut().zip(&mut self.cached) {
            if let CachedAnswers::Shared(key, answers) = std::mem::replace(answer, CachedAnswers::NotEvaluated) {
                kept.insert(key, answers);
            }
        }
    }
}

fn scalar(found: Option<&Value>) -> Option<Scalar> {
    Some(match found {
        None => Scalar::Missing,
        Some(Value::Bool(b)) => Scalar::Bool(*b),
        Some(Value::Int(n)) => Scalar::Int(*n),
        Some(Value::Float(f)) => Scalar::Float(f.to_bits()),
        Some(Value::Str(text)) => Scalar::String(text.to_shared()),
        Some(_) => return None,
    })
}
