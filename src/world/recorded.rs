//! Remembers what one compile asked, so that a change is matched against exactly that.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// What a compile asked of the outside.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or looked for, found or not; sorted by their texts.
    touched: Vec<OsString>,
    /// More of them, noted together by many compiles; each list is sorted, and each is there once.
    shared: Vec<Arc<[OsString]>>,
    /// Whether it ran a process, so that no file tells when the answer changes.
    pub volatile: bool,
}

impl Reads {
    /// Whether a compile with these reads may come out otherwise when `path` appears, changes or goes away: it was touched,
    /// holds something that was, or stands in a directory that was listed.
    #[must_use]
    pub fn concern(&self, path: &Path) -> bool {
        let lists = || std::iter::once(&self.touched[..]).chain(self.shared.iter().map(AsRef::as_ref));
        let known =
            |path: &OsStr| lists().any(|list| list.binary_search_by(|touched| touched.as_os_str().cmp(path)).is_ok());
        if known(path.as_os_str()) || path.parent().is_some_and(|parent| known(parent.as_os_str())) {
            return true;
        }
        let mut below = path.as_os_str().to_owned();
        below.push("/");
        lists().any(|list| {
            let at = list.partition_point(|touched| touched.as_os_str() < below.as_os_str());
            list.get(at).is_some_and(|next| Path::new(next).starts_with(path))
        })
    }

    /// Every path that was read, listed or looked for, found or not; some more than once.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        self.touched.iter().chain(self.shared.iter().flat_map(|list| list.iter())).map(Path::new)
    }

    /// The same as one sorted list, for [`World::touch_all`].
    #[must_use]
    pub fn into_list(self) -> Arc<[OsString]> {
        let mut all = self.touched;
        all.extend(self.shared.iter().flat_map(|list| list.iter().cloned()));
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }
}

/// A world that remembers its questions.
pub struct Recorded {
    inner: Arc<dyn World>,
    /// By the text of the path: comparing or hashing a `Path` takes it apart into components.
    touched: Mutex<FxHashSet<OsString>>,
    shared: Mutex<Vec<Arc<[OsString]>>>,
    volatile: AtomicBool,
}

impl Recorded {
    /// Wraps a world for one compile.
    #[must_use]
    pub fn new(inner: Arc<dyn World>) -> Recorded {
        Recorded { inner, touched: Mutex::default(), shared: Mutex::default(), volatile: AtomicBool::new(false) }
    }

    /// What was asked since the last call.
    #[must_use]
    pub fn take_reads(&self) -> Reads {
        let touched = std::mem::take(&mut *self.touched.lock().unwrap_or_else(PoisonError::into_inner));
        let mut touched: Vec<OsString> = touched.into_iter().collect();
        touched.sort_unstable();
        let mut shared = std::mem::take(&mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner));
        shared.sort_unstable_by_key(|list| list.as_ptr().addr());
        shared.dedup_by_key(|list| list.as_ptr().addr());
        Reads { touched, shared, volatile: self.volatile.load(Ordering::Relaxed) }
    }

    fn touch(&self, path: &Path) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        if !touched.contains(path.as_os_str()) {
            touched.insert(path.as_os_str().to_owned());
        }
    }
}

impl World for Recorded {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.touch(path);
        self.inner.read(path)
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.touch(path);
        self.inner.list(path)
    }

    fn kind(&self, path: &Path) -> Kind {
        self.touch(path);
        self.inner.kind(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.inner.env(name)
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        if command.decisive {
            self.volatile.store(true, Ordering::Relaxed);
        }
        self.inner.run(command)
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
        self.volatile.store(true, Ordering::Relaxed);
        self.inner.fetch(asked)
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        self.volatile.store(true, Ordering::Relaxed);
        self.inner.puppetdb(query)
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }

    fn touch_all(&self, paths: &Arc<[OsString]>) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_who_touched_it() {
        let mut touched: Vec<OsString> =
            ["/site/manifests/site.pp", "/site/modules", "/site/data-old", "/site/data/node.yaml"]
                .map(OsString::from)
                .to_vec();
        let rest: Arc<[OsString]> = Arc::from(touched.split_off(2));
        let memory = Recorded::new(Arc::new(crate::world::Memory::default()));
        for path in &touched {
            memory.kind(Path::new(path));
        }
        memory.touch_all(&rest);
        memory.touch_all(&rest);
        let reads = memory.take_reads();
        assert_eq!(reads.touched().count(), 4);
        for (changed, expected) in [
            ("/site/manifests/site.pp", true),
            ("/site/modules/new", true),
            ("/site/modules/ntp/manifests/init.pp", false),
            ("/site/data", true),
            ("/site/data/other.yaml", false),
            ("/site/target/x", false),
        ] {
            assert_eq!(reads.concern(Path::new(changed)), expected, "{changed}");
        }
    }
}
