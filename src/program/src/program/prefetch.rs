//! Prefetching: while a compile evaluates one file, an idle processor reads and parses the files that it mentions.
//!
//! In: parsed files. Out: parsed files in the shared [`Cache`], where the program then finds them. Files read here are not
//! recorded as read by the compile: it reads them again itself. Must not: define anything, report, decide.
//!
//! This pays off for the first compile of a process, when nothing is parsed and another processor is idle.

use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Instant;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::environment::Environment;
use crate::program::Cache;
use crate::program::find::manifest_options;
use crate::resource_types::Registry;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::stack;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::File;
use catwalk_world::Kind;
use catwalk_world::World;

/// A thread that prefetches files; it ends when this is dropped.
#[derive(Debug)]
pub struct Prefetcher {
    files: mpsc::Sender<Arc<File>>,
    stop: Arc<AtomicBool>,
}

impl Prefetcher {
    /// Starts a thread; `None` when there can be none. At `stop_at` it ends: the compile may wait for a file that is parsed
    /// here, and looks at no clock while it does.
    #[must_use]
    pub fn start(
        environment: Arc<Environment>,
        world: Arc<dyn World>,
        cache: Arc<Cache>,
        resource_types: Arc<Registry>,
        stop_at: Option<Instant>,
    ) -> Option<Prefetcher> {
        let (files, inbox) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let mut reader = Reader {
            environment,
            world,
            cache,
            resource_types,
            stop: stop.clone(),
            names: FxHashMap::default(),
            paths: FxHashSet::default(),
            stack: Vec::new(),
            uncertain: Vec::new(),
            condition_depth: 0,
        };
        let work = move || {
            // A file may nest as deep as the compile allows.
            stack::mark_large();
            // A file that untrusted code may not read fails in the compile itself: it is not cached here.
            let bounds = meter::Bounds { stop_at, ..meter::Bounds::time_only() };
            let _ = meter::run(bounds, || reader.run(&inbox));
        };
        std::thread::Builder::new().name("prefetch".to_owned()).stack_size(stack::SIZE).spawn(work).ok()?;
        Some(Prefetcher { files, stop })
    }

    /// A file that is evaluated next.
    pub(super) fn follow(&self, file: &Arc<File>) {
        // When the thread is gone, the compile reads for itself.
        let _ = self.files.send(file.clone());
    }
}

impl Drop for Prefetcher {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A name in a file whose definition may be read next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Mention {
    /// A class, a defined type or a type alias.
    Definition(Name),
    /// A resource type, native or defined.
    ResourceType(Name),
    /// A template in ERB.
    Erb(Name),
    /// A template in the Puppet language.
    Epp(Name),
}

struct Reader {
    environment: Arc<Environment>,
    world: Arc<dyn World>,
    cache: Arc<Cache>,
    resource_types: Arc<Registry>,
    stop: Arc<AtomicBool>,
    /// The recorded mentions, each with whether it is certain.
    names: FxHashMap<Mention, bool>,
    paths: FxHashSet<PathBuf>,
    /// A stack of what to read next, since a compile enters a class before it continues.
    stack: Vec<Mention>,
    /// What to read after that: mentions under a condition, or in a file that was found through one.
    uncertain: Vec<Mention>,
    /// How many conditions enclose the current expression.
    condition_depth: usize,
}

impl Reader {
    fn run(&mut self, inbox: &mpsc::Receiver<Arc<File>>) {
        loop {
            let idle = self.stack.is_empty() && self.uncertain.is_empty();
            let next = if idle { inbox.recv().ok() } else { inbox.try_recv().ok() };
            match next {
                Some(file) => self.note(&file),
                None if idle => return,
                None => {}
            }
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Some(named) = self.stack.pop() {
                self.read(&named);
            } else if let Some(named) = self.uncertain.pop() {
                self.condition_depth = 1;
                self.read(&named);
                self.condition_depth = 0;
            }
        }
    }

    /// Records the mentions of a file, so that the first is read first.
    fn note(&mut self, file: &File) {
        let (certain_count, uncertain) = (self.stack.len(), self.uncertain.len());
        for definition in &file.definitions {
            self.note_definition(definition);
        }
        for statement in &file.body.statements {
            self.note_expression(statement);
        }
        for (list, from) in [(&mut self.stack, certain_count), (&mut self.uncertain, uncertain)] {
            if let Some(new) = list.get_mut(from..) {
                new.reverse();
            }
        }
    }

    fn note_definition(&mut self, definition: &Definition) {
        if let DefinitionKind::Class(class) = &definition.kind
            && let Some(parent) = &class.parent
        {
            self.push_mention(Mention::Definition(parent.0));
        }
        definition.children(&mut |inner| self.note_expression(inner));
    }

    fn note_expression(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Bareword(name) | ExprKind::TypeName(name) => self.push_mention(Mention::Definition(*name)),
            ExprKind::Str(text) if may_name(text) => self.push_mention(Mention::Definition(Name::new(text))),
            ExprKind::Resource(resource) => {
                if let ExprKind::Bareword(name) = &resource.type_name.kind
                    && !name.is_qualified()
                {
                    self.push_mention(Mention::ResourceType(*name));
                }
            }
            ExprKind::Call(call) => {
                let template = match &call.callee.kind {
                    ExprKind::Bareword(name) if *name == "template" => Some(Mention::Erb as fn(Name) -> Mention),
                    ExprKind::Bareword(name) if *name == "epp" => Some(Mention::Epp as fn(Name) -> Mention),
                    _ => None,
                };
                if let Some(template) = template
                    && let Some(ExprKind::Str(reference)) = call.args.first().map(|argument| &argument.kind)
                {
                    self.push_mention(template(Name::new(reference)));
                }
                call.block
                    .iter()
                    .flat_map(|block| &block.body.statements)
                    .for_each(|inner| self.note_expression(inner));
            }
            ExprKind::Method(call) => {
                call.block
                    .iter()
                    .flat_map(|block| &block.body.statements)
                    .for_each(|inner| self.note_expression(inner));
            }
            ExprKind::If(_) | ExprKind::Unless(_) | ExprKind::Case(_) | ExprKind::Selector(_) => {
                self.condition_depth += 1;
                expression.children(&mut |inner| self.note_expression(inner));
                self.condition_depth -= 1;
                return;
            }
            // Noted with the file's definitions.
            ExprKind::Definition(_) => return,
            _ => {}
        }
        expression.children(&mut |inner| self.note_expression(inner));
    }

    fn push_mention(&mut self, named: Mention) {
        let sure = self.condition_depth == 0;
        match self.names.entry(named) {
            Entry::Vacant(new) => {
                let list = if sure { &mut self.stack } else { &mut self.uncertain };
                list.push(new.key().clone());
                new.insert(sure);
            }
            // A file that was read since is not read again.
            Entry::Occupied(mut known) if sure && !*known.get() => {
                self.stack.push(known.key().clone());
                known.insert(true);
            }
            Entry::Occupied(_) => {}
        }
    }

    fn read(&mut self, named: &Mention) {
        match named {
            Mention::Definition(name) => {
                let name = name.normalized();
                let manifests = self.environment.manifest_candidates(&name);
                let alias = self.environment.definition_file("types", &name).filter(|_| name.is_qualified());
                for path in manifests.into_iter().chain(alias) {
                    self.manifest(path);
                }
            }
            Mention::ResourceType(name) => {
                // The registry caches the type, or its errors.
                let _ = self.resource_types.lookup(&self.environment, self.world.as_ref(), name);
            }
            Mention::Erb(reference) => {
                if let Some(path) = self.environment.template_file(reference, false, self.world.as_ref()) {
                    let _ = self.cache.erb_file(&path, self.world.as_ref());
                }
            }
            Mention::Epp(reference) => {
                if let Some(path) = self.environment.template_file(reference, true, self.world.as_ref()) {
                    let options = || syntax::Options { template: true, ..syntax::Options::default() };
                    let _ = self.cache.parse_file(&path, self.world.as_ref(), options);
                }
            }
        }
    }

    fn manifest(&mut self, path: PathBuf) {
        if self.paths.contains(&path) || self.world.kind(&path) != Kind::File {
            return;
        }
        let options = || manifest_options(&path, &self.environment);
        // Errors in a file are reported when it is needed.
        if let Ok(parsed) = self.cache.parse_file(&path, self.world.as_ref(), options) {
            self.note(&parsed.file);
        }
        self.paths.insert(path);
    }
}

/// Whether a string may be the name of a class.
fn may_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':')) && text.contains("::")
}
