//! Nodes that are made up, followed through edits as the site's nodes are: one is compiled again when its answers change.
//!
//! In: all that are wanted, the questions that have other answers now. Out: what their compiles gave. Must not: know tests.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::IndexSet;
use sha2::Digest;
use sha2::Sha256;

use crate::catalog::Catalog;
use crate::diag::Diagnostic;
use crate::session::ExportedFrom;
use crate::session::Given;
use crate::session::Pending;
use crate::session::Session;
use crate::session::Uses;
use crate::session::answers::Known;
use crate::session::answers::Now;
use crate::session::answers::Verdict;
use crate::world::Reads;

/// What is kept of one between edits.
struct Kept {
    given: Given,
    /// What stands for all that is given.
    digest: [u8; 32],
    /// Nothing: not compiled yet.
    made: Option<Made>,
}

struct Made {
    reads: Reads,
    uses: Uses,
    logs: Vec<Diagnostic>,
    failed: bool,
    collects: bool,
}

/// Made-up nodes with what their compiles asked.
#[derive(Default)]
pub struct Cases {
    kept: IndexMap<Arc<str>, Kept>,
    /// Those that must be compiled.
    waiting: IndexSet<Arc<str>>,
}

/// What came of one.
pub type CaseResult = (Arc<str>, Result<Catalog, Box<Diagnostic>>);

impl Cases {
    /// These are wanted from now on, by name; the ones that are given as before keep their answers.
    pub fn set(&mut self, all: Vec<(Arc<str>, Given)>) {
        let mut before = std::mem::take(&mut self.kept);
        let wanted: IndexSet<&Arc<str>> = all.iter().map(|(name, _)| name).collect();
        self.waiting.retain(|name| wanted.contains(name));
        for (name, given) in all {
            let digest = Sha256::digest(format!("{given:?}")).into();
            let same = before.swap_remove(&name).filter(|kept| kept.digest == digest);
            let kept = same.unwrap_or(Kept { given, digest, made: None });
            if kept.made.is_none() {
                self.waiting.insert(name.clone());
            }
            self.kept.insert(name, kept);
        }
    }

    /// Looks who gets other answers after these changes: they wait for a compile.
    pub fn judge(&mut self, session: &Session, news: &Pending) {
        let mut now = Now::new(&news.changes, session);
        let site = session.options.exported == Some(ExportedFrom::Site);
        for (name, kept) in &mut self.kept {
            let Some(made) = &mut kept.made else { continue };
            let certname = &*kept.given.certname;
            // The facts that a hierarchy asks for are not those of a node of the site.
            let config =
                made.uses.configs.iter().any(|used| news.changes.iter().any(|change| change.path == used.path));
            let asks = (site && made.collects) || made.reads.volatile || config;
            let mut again = news.all || (asks && !news.changes.is_empty());
            if !again {
                let (reads, uses) = (&mut made.reads, &mut made.uses);
                let known = Known { certname, reads, uses, logs: &made.logs, failed: made.failed };
                // Places of resources are no part of what is compared.
                again = matches!(now.judge(session, known), Verdict::Again);
            }
            if again {
                kept.made = None;
                self.waiting.insert(name.clone());
            }
        }
    }

    /// Whether all are compiled.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Compiles some of those that wait.
    pub fn compile(&mut self, session: &Session, most: usize) -> Vec<CaseResult> {
        let rest = self.waiting.split_off(most.min(self.waiting.len()));
        let names = std::mem::replace(&mut self.waiting, rest);
        let given: Vec<Given> =
            names.iter().filter_map(|name| self.kept.get(name)).map(|kept| kept.given.clone()).collect();
        let mut results = Vec::new();
        for (name, compiled) in names.into_iter().zip(session.compile_all_given(&given)) {
            if let Some(kept) = self.kept.get_mut(&name) {
                kept.made = Some(Made {
                    reads: compiled.reads,
                    uses: compiled.uses,
                    logs: compiled.logs,
                    failed: compiled.result.is_err(),
                    collects: compiled.collects,
                });
            }
            results.push((name, compiled.result));
        }
        results
    }

    /// Every path that some compile touched.
    #[must_use]
    pub fn touched(&self) -> Vec<PathBuf> {
        let made = self.kept.values().filter_map(|kept| kept.made.as_ref());
        let paths: IndexSet<&Path> = made.flat_map(|made| made.reads.touched()).collect();
        paths.into_iter().map(Path::to_path_buf).collect()
    }
}
