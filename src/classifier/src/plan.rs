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
use catwalk_value::value::Value;
use catwalk_world::World;

/// The limit on cached values of a path; a path with more (names of nodes) has nothing to share.
const KEPT: usize = 4096;

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
            match rule.as_ref().and_then(|rule| builder.needs(rule)) {
                Some(needs) => {
                    for (path, literal) in needs {
                        tables.entry(path).or_default().add(&literal, number);
                    }
                }
                None => set(&mut always, number),
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
            rows: self.paths.iter().map(|_| CachedAnswers::Unknown).collect(),
            open: vec![false; self.rules.len()],
            wanted: Vec::new(),
        }
    }
}

fn set(bits: &mut [u64], number: usize) {
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
            Value::Int(_) | Value::Float(_) => Number::of(value),
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
    known_paths: FxHashMap<Path, usize>,
    known_tests: FxHashMap<(usize, Operator, Arc<str>), usize>,
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
                let test_index = *self.known_tests.entry(key).or_insert_with(|| {
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
        if let Some(known) = self.known_paths.get(&path) {
            return *known;
        }
        self.paths.push(path.clone());
        self.tests.push(Vec::new());
        self.known_paths.insert(path, self.paths.len() - 1);
        self.paths.len() - 1
    }

    /// Equalities of which one must hold for the rule to hold; `None` if there are none.
    fn needs(&self, node: &Node) -> Option<Vec<RequiredEquality>> {
        match node {
            Node::And(nodes) => nodes.iter().filter_map(|node| self.needs(node)).min_by_key(Vec::len),
            Node::Or(nodes) => {
                let all: Option<Vec<Vec<RequiredEquality>>> = nodes.iter().map(|node| self.needs(node)).collect();
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
    Text(Arc<str>),
}

/// The results of a path's tests for one value: 0 unknown, 1 no, 2 yes.
type Answers = Box<[u8]>;

/// The results for the current node's value of a path.
enum CachedAnswers {
    /// The path was not walked yet.
    Unknown,
    /// Taken from the cache, to be returned to it under this key.
    Kept(Scalar, Answers),
    /// For this node only.
    Own(Answers),
}

/// Classifies nodes one after the other; caches results between them.
pub struct Worker<'p> {
    plan: &'p Plan,
    cached: Vec<HashMap<Scalar, Answers>>,
    rows: Vec<CachedAnswers>,
    /// For each group, whether its rule and those of its ancestors hold.
    open: Vec<bool>,
    wanted: Vec<u64>,
}

impl Worker<'_> {
    /// The groups that match a node, in order: their own rule holds, and those of all ancestors.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn matching(&mut self, node: &Subject, world: &dyn World) -> Result<Vec<usize>, Box<Diagnostic>> {
        let plan = self.plan;
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clone_from(&plan.always);
        for (path, table) in &plan.tables {
            let found = plan.paths.get(*path).and_then(|path| node.find(path));
            found.into_iter().flat_map(|value| table.admitted(value)).for_each(|group| set(&mut wanted, group));
        }
        let mut matching = Vec::new();
        self.open.fill(false);
        for (word, mut bits) in wanted.iter().copied().enumerate() {
            while bits != 0 {
                let number = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Some((parent, rule)) = plan.rules.get(number) else { break };
                let above = parent.is_none_or(|parent| self.open.get(parent).copied().unwrap_or(false));
                let open = above
                    && match rule {
                        Some(rule) => self.holds(rule, node, world)?,
                        None => true,
                    };
                if let Some(slot) = self.open.get_mut(number) {
                    *slot = open;
                }
                if open && rule.is_some() {
                    matching.push(number);
                }
            }
        }
        self.wanted = wanted;
        self.put_back();
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
        let (Some(at), Some(tests), Some(row)) = (plan.paths.get(path), plan.tests.get(path), self.rows.get_mut(path))
        else {
            return false;
        };
        if matches!(row, CachedAnswers::Unknown) {
            let fresh = || vec![0; tests.len()].into_boxed_slice();
            *row = match (scalar(node.find(at)), self.cached.get_mut(path)) {
                (Some(key), Some(kept)) => match kept.remove_entry(&key) {
                    Some((key, answers)) => CachedAnswers::Kept(key, answers),
                    None if kept.len() < KEPT => CachedAnswers::Kept(key, fresh()),
                    None => CachedAnswers::Own(fresh()),
                },
                _ => CachedAnswers::Own(fresh()),
            };
        }
        let (CachedAnswers::Kept(_, answers) | CachedAnswers::Own(answers)) = row else { return false };
        match (answers.get_mut(test_index), tests.get(test_index)) {
            (Some(answer), Some(test)) => {
                if *answer == 0 {
                    *answer = 1 + u8::from(test.holds(node.find(at)));
                }
                *answer == 2
            }
            _ => false,
        }
    }

    fn put_back(&mut self) {
        for (row, kept) in self.rows.iter_mut().zip(&mut self.cached) {
            if let CachedAnswers::Kept(key, answers) = std::mem::replace(row, CachedAnswers::Unknown) {
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
        Some(Value::Str(text)) => Scalar::Text(text.to_shared()),
        Some(_) => return None,
    })
}
