//! Remembers what one compile asked, so that a change is matched against exactly that.

mod changed;

pub use changed::Change;
pub use changed::Changed;

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::world::Asked;
use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Query;
use crate::world::Refused;
use crate::world::Reply;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// What a compile asked of the outside.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or looked for, found or not; sorted by their texts.
    touched: Vec<OsString>,
    /// Those of them that were read as a whole; sorted likewise.
    whole: Vec<OsString>,
    /// More paths that were touched and read, noted together by many compiles; each list is sorted, and each is there once.
    shared: Vec<Arc<[OsString]>>,
    /// More files that were touched, of which only parts were used; likewise.
    parts: Vec<Arc<[OsString]>>,
    /// More paths that were touched, of which it is known elsewhere whether their answers are the same; likewise.
    elsewhere: Vec<Arc<[OsString]>>,
    /// More paths that were asked for to know the node that a catalog is for; sorted.
    given: Arc<[OsString]>,
    /// Questions to processes and servers: no file tells when their answers change.
    outside: Vec<Asked>,
    /// The same was asked to know the node.
    given_outside: bool,
    /// How often paths were added.
    additions: u32,
}

impl Reads {
    /// Every path that was read, listed or looked for, found or not; some more than once.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        self.touched.iter().chain(self.common()).map(Path::new)
    }

    /// The paths that it notes by itself.
    pub fn own(&self) -> &[OsString] {
        &self.touched
    }

    /// Those that are noted together with other compiles; some more than once.
    pub fn common(&self) -> impl Iterator<Item = &OsString> {
        self.common_parts().chain(self.elsewhere()).chain(self.common_whole())
    }

    /// Files of which only parts were used, as they are noted together with other compiles.
    pub fn common_parts(&self) -> impl Iterator<Item = &OsString> {
        self.parts.iter().flat_map(|list| list.iter())
    }

    /// All other paths that are noted together with other compiles.
    pub fn common_whole(&self) -> impl Iterator<Item = &OsString> {
        self.shared.iter().chain(std::iter::once(&self.given)).flat_map(|list| list.iter())
    }

    /// Paths of which it is told elsewhere what they mean, as they are noted together with other compiles.
    pub fn elsewhere(&self) -> impl Iterator<Item = &OsString> {
        self.elsewhere.iter().flat_map(|list| list.iter())
    }

    /// Whether a file was read as a whole, as far as it is noted here by itself.
    #[must_use]
    pub fn is_whole(&self, path: &OsString) -> bool {
        self.whole.binary_search(path).is_ok()
    }

    /// The same as one sorted list, for [`World::touch_all`].
    #[must_use]
    pub fn into_list(self) -> Arc<[OsString]> {
        let common: Vec<OsString> = self.common().cloned().collect();
        let mut all = self.touched;
        all.extend(common);
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }

    /// How often paths were added to it.
    #[must_use]
    pub fn additions(&self) -> u32 {
        self.additions
    }

    /// Questions to processes and servers.
    #[must_use]
    pub fn outside(&self) -> &[Asked] {
        &self.outside
    }

    /// Whether processes or servers were asked to know the node.
    #[must_use]
    pub fn given_outside(&self) -> bool {
        self.given_outside
    }

    /// Whether no file tells when an answer changes.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.given_outside || !self.outside.is_empty()
    }

    /// What was asked to know the node, in the place of what was asked for that before.
    pub fn set_given(&mut self, given: Reads) {
        self.additions += 1;
        self.given_outside = given.is_volatile();
        self.given = given.into_list();
    }

    /// Adds paths that an answer depends on since an edit.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.additions += 1;
        self.touched.extend(paths.into_iter().map(PathBuf::into_os_string));
        self.touched.sort_unstable();
        self.touched.dedup();
    }
}

/// A world that remembers its questions.
pub struct Recorded {
    inner: Arc<dyn World>,
    /// By the text of the path: comparing or hashing a `Path` takes it apart into components.
    touched: Mutex<FxHashSet<OsString>>,
    whole: Mutex<FxHashSet<OsString>>,
    shared: Mutex<Vec<Arc<[OsString]>>>,
    parts: Mutex<Vec<Arc<[OsString]>>>,
    elsewhere: Mutex<Vec<Arc<[OsString]>>>,
    outside: Mutex<Vec<Asked>>,
}

impl Recorded {
    /// Wraps a world for one compile.
    #[must_use]
    pub fn new(inner: Arc<dyn World>) -> Recorded {
        Recorded {
            inner,
            touched: Mutex::default(),
            whole: Mutex::default(),
            shared: Mutex::default(),
            parts: Mutex::default(),
            elsewhere: Mutex::default(),
            outside: Mutex::default(),
        }
    }

    /// What it wraps: questions to it are not noted here.
    #[must_use]
    pub fn inner(&self) -> Arc<dyn World> {
        self.inner.clone()
    }

    /// What was asked since the last call.
    #[must_use]
    pub fn take_reads(&self) -> Reads {
        let sorted = |set: &Mutex<FxHashSet<OsString>>| {
            let set = std::mem::take(&mut *set.lock().unwrap_or_else(PoisonError::into_inner));
            let mut list: Vec<OsString> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        let distinct = |lists: &Mutex<Vec<Arc<[OsString]>>>| {
            let mut lists = std::mem::take(&mut *lists.lock().unwrap_or_else(PoisonError::into_inner));
            lists.sort_unstable_by_key(|list| list.as_ptr().addr());
            lists.dedup_by_key(|list| list.as_ptr().addr());
            lists.shrink_to_fit();
            lists
        };
        Reads {
            touched: sorted(&self.touched),
            whole: sorted(&self.whole),
            shared: distinct(&self.shared),
            parts: distinct(&self.parts),
            elsewhere: distinct(&self.elsewhere),
            outside: std::mem::take(&mut *self.outside.lock().unwrap_or_else(PoisonError::into_inner)),
            ..Reads::default()
        }
    }

    /// Asks a process or server, and notes what it says.
    fn ask(&self, query: Query) -> Reply {
        let reply = query.ask(self.inner.as_ref());
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = Asked { query, reply: reply.clone() };
        // One that is answered now so, now otherwise, stands there with both.
        if !outside.contains(&asked) {
            outside.push(asked);
        }
        reply
    }

    fn touch(&self, path: &Path) {
        note(&self.touched, path);
    }
}

fn note(set: &Mutex<FxHashSet<OsString>>, path: &Path) {
    let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
    if !set.contains(path.as_os_str()) {
        set.insert(path.as_os_str().to_owned());
    }
}

impl World for Recorded {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.touch(path);
        note(&self.whole, path);
        self.inner.read(path)
    }

    fn read_parts(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.touch(path);
        self.inner.read_parts(path)
    }

    fn read_listed(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.inner.read_parts(path)
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.touch(path);
        self.inner.list(path)
    }

    fn list_parts(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.inner.list_parts(path)
    }

    fn kind(&self, path: &Path) -> Kind {
        self.touch(path);
        self.inner.kind(path)
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.inner.link(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, Refused> {
        self.touch(path);
        self.inner.canonical(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.inner.env(name)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        self.inner.env_names()
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        if !command.decisive {
            return self.inner.run(command);
        }
        let reply = self.ask(Query::Run(command.clone()));
        // Another text of the program may answer otherwise.
        let program = command.argv.first().map(Path::new).filter(|program| program.is_absolute());
        if let Some(program) = program.filter(|program| self.kind(program) == Kind::File) {
            // One that can be run and not be read is followed no further.
            let _ = self.read(program);
        }
        match reply {
            Reply::Run(answer) => answer,
            _ => self.inner.run(command),
        }
    }

    fn run_once(&self, command: &Command) -> Result<Output, Refused> {
        self.inner.run_once(command)
    }

    fn resolve(&self, question: &Question) -> Result<Answer, Refused> {
        self.inner.resolve(question)
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }

    fn memory(&self) -> Option<u64> {
        self.inner.memory()
    }

    fn fetch(&self, asked: &Fetch) -> Result<Fetched, Refused> {
        match self.ask(Query::Fetch(asked.clone())) {
            Reply::Fetch(answer) => answer,
            _ => self.inner.fetch(asked),
        }
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        match self.ask(Query::PuppetDb(query.to_string())) {
            Reply::PuppetDb(answer) => answer,
            _ => self.inner.puppetdb(query),
        }
    }

    fn has_puppetdb(&self) -> bool {
        self.inner.has_puppetdb()
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }

    fn touch_all(&self, paths: &Arc<[OsString]>) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }

    fn touch_parts(&self, paths: &Arc<[OsString]>) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }

    fn touch_elsewhere(&self, paths: &Arc<[OsString]>) {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_who_asked() {
        let paths = |paths: &[&str]| -> Arc<[OsString]> { paths.iter().map(OsString::from).collect() };
        let world = Recorded::new(Arc::new(crate::world::Memory::new([("/site/a.yaml", "a"), ("/site/b.txt", "b")])));
        let _ = (world.kind(Path::new("/site/missing")), world.list(Path::new("/site")));
        let _ = (world.read(Path::new("/site/b.txt")), world.read_parts(Path::new("/site/a.yaml")));
        world.touch_all(&paths(&["/site/shared"]));
        world.touch_all(&paths(&["/site/shared"]));
        world.touch_parts(&paths(&["/site/c.pp"]));
        let reads = world.take_reads();
        for (path, text_only, expected) in [
            ("/site/missing", false, true),
            ("/site/b.txt", true, true),
            ("/site/a.yaml", true, false),
            ("/site/a.yaml", false, true),
            ("/site/c.pp", true, false),
            ("/site/c.pp", false, true),
            ("/site/shared", true, true),
            ("/site/other", false, false),
            ("/site", false, true),
        ] {
            let mut changed = Changed::new(&[Change { path: path.into(), text_only }]);
            assert_eq!(changed.concern(&reads, false), expected, "{path}");
        }
    }
}
