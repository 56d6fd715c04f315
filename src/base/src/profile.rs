//! A profile of compiles: the time of each call stack, for all nodes together.
//!
//! In: the start and the end of each step on a thread. Out: times by stack ([`Profile`]). Must not: know what the steps do.
//!
//! Without a profile, [`enter`] reads only one flag.

mod report;

use parking_lot::Mutex;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use rustc_hash::FxHashMap;

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    /// The main manifest, or a block of it for nodes.
    Node,
    /// A class.
    Class,
    /// An instance of a defined type.
    Define,
    /// A function, in any language.
    Function,
    /// A template.
    Template,
    /// A lookup of a key in Hiera.
    Key,
    /// An external command.
    Command,
    /// Reading and parsing a file.
    Parse,
}

impl Kind {
    /// The name in stacks and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Node => "node",
            Kind::Class => "class",
            Kind::Define => "define",
            Kind::Function => "function",
            Kind::Template => "template",
            Kind::Key => "key",
            Kind::Command => "command",
            Kind::Parse => "parse",
        }
    }
}

/// Whether a profile is recorded.
static ON: AtomicBool = AtomicBool::new(false);
/// The times of all finished compiles.
static ALL: Mutex<Option<Profile>> = Mutex::new(None);

thread_local! {
    static CLOCK: RefCell<Clock> = RefCell::default();
}

/// A step within a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    parent: usize,
    kind: Kind,
    name: usize,
    file: Option<usize>,
    calls: u64,
    self_time: Duration,
}

/// Times by call stack, as a tree. The first node is the root: the time outside of all steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    nodes: Vec<Node>,
    children: FxHashMap<(usize, Kind, usize), usize>,
    names: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, usize>,
}

/// The profile and the current step of a thread.
#[derive(Default)]
struct Clock {
    profile: Profile,
    current: usize,
    since: Option<Instant>,
}

/// Starts a profile of all later compiles of this process.
pub fn start() {
    *ALL.lock() = Some(Profile::default());
    ON.store(true, Ordering::Relaxed);
}

/// Ends the profile and returns it; `None` if none was started.
pub fn stop() -> Option<Profile> {
    ON.store(false, Ordering::Relaxed);
    ALL.lock().take()
}

/// Runs a compile and adds its times to the profile.
pub fn compile<T>(body: impl FnOnce() -> T) -> T {
    if !ON.load(Ordering::Relaxed) {
        return body();
    }
    // A thread of the pool that waits within one compile may run a second compile.
    let outer = CLOCK.with(|clock| clock.replace(Clock { since: Some(Instant::now()), ..Clock::default() }));
    let _ended = ProfileGuard(Some(outer));
    body()
}

/// Adds the times to the profile, also when a compile panics.
struct ProfileGuard(Option<Clock>);

impl Drop for ProfileGuard {
    fn drop(&mut self) {
        let Some(mut outer) = self.0.take() else { return };
        let now = Instant::now();
        if outer.since.is_some() {
            outer.since = Some(now);
        }
        let mut clock = CLOCK.with(|clock| clock.replace(outer));
        clock.spend(now);
        if let Some(all) = ALL.lock().as_mut() {
            all.merge(&clock.profile);
        }
    }
}

/// A step, which ends on drop.
#[must_use]
pub struct Step {
    /// The enclosing step; `None` if this step is not measured.
    before: Option<usize>,
}

impl Step {
    /// A value that measures nothing.
    pub fn none() -> Step {
        Step { before: None }
    }
}

/// Starts a step on this thread.
#[inline]
pub fn enter(kind: Kind, name: &str) -> Step {
    if !ON.load(Ordering::Relaxed) {
        return Step { before: None };
    }
    Step { before: begin(kind, name) }
}

#[cold]
fn begin(kind: Kind, name: &str) -> Option<usize> {
    CLOCK.with(|clock| {
        let clock = &mut *clock.borrow_mut();
        clock.since?;
        clock.spend(Instant::now());
        let before = clock.current;
        clock.current = clock.profile.child(before, kind, name);
        clock.profile.count_call(clock.current);
        Some(before)
    })
}

/// Starts a step whose name is built only while a profile is recorded.
#[inline]
pub fn enter_with(kind: Kind, name: impl FnOnce() -> String) -> Step {
    if !ON.load(Ordering::Relaxed) {
        return Step { before: None };
    }
    Step { before: begin(kind, &name()) }
}

/// Sets the file of the current step's code.
#[inline]
pub fn set_file<T: AsRef<str>>(path: impl FnOnce() -> Option<T>) {
    if ON.load(Ordering::Relaxed) {
        CLOCK.with(|clock| {
            let clock = &mut *clock.borrow_mut();
            if clock.since.is_some()
                && let Some(path) = path()
            {
                clock.profile.set_file(clock.current, path.as_ref());
            }
        });
    }
}

impl Drop for Step {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            CLOCK.with(|clock| {
                let clock = &mut *clock.borrow_mut();
                clock.spend(Instant::now());
                clock.current = before;
            });
        }
    }
}

impl Clock {
    /// Adds the time since the last call to the current step.
    fn spend(&mut self, now: Instant) {
        if let Some(since) = self.since.replace(now) {
            self.profile.add_time(self.current, now.saturating_duration_since(since));
        }
    }
}

impl Profile {
    /// Creates the root on first use.
    fn ensure_root(&mut self) {
        if self.nodes.is_empty() {
            let name = self.intern("");
            self.nodes.push(Node {
                parent: 0,
                kind: Kind::Class,
                name,
                file: None,
                calls: 0,
                self_time: Duration::ZERO,
            });
        }
    }

    fn intern(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    fn child(&mut self, parent: usize, kind: Kind, name: &str) -> usize {
        self.ensure_root();
        let name = self.intern(name);
        let next = self.nodes.len();
        let child = *self.children.entry((parent, kind, name)).or_insert(next);
        if child == next {
            self.nodes.push(Node { parent, kind, name, file: None, calls: 0, self_time: Duration::ZERO });
        }
        child
    }

    fn count_call(&mut self, at: usize) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.calls += 1;
        }
    }

    fn set_file(&mut self, at: usize, file: &str) {
        if self.nodes.get(at).is_some_and(|node| node.file.is_none()) {
            let file = self.intern(file);
            if let Some(node) = self.nodes.get_mut(at) {
                node.file = Some(file);
            }
        }
    }

    fn add_time(&mut self, at: usize, time: Duration) {
        self.ensure_root();
        if let Some(node) = self.nodes.get_mut(at) {
            node.self_time += time;
        }
    }

    fn name(&self, number: usize) -> &str {
        self.names.get(number).map_or("", |name| name)
    }

    /// Adds the times of another profile.
    fn merge(&mut self, other: &Profile) {
        self.ensure_root();
        // Parents come before their children.
        let mut merged = Vec::with_capacity(other.nodes.len());
        for (number, node) in other.nodes.iter().enumerate() {
            let parent = merged.get(node.parent).copied().unwrap_or(0);
            let at = if number == 0 { 0 } else { self.child(parent, node.kind, other.name(node.name)) };
            if let Some(file) = node.file {
                self.set_file(at, other.name(file));
            }
            if let Some(sum) = self.nodes.get_mut(at) {
                sum.calls += node.calls;
                sum.self_time += node.self_time;
            }
            merged.push(at);
        }
    }
}
