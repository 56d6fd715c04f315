//! Nodes that are made up, followed through edits as the site's nodes are: one is compiled again when its answers change.
//!
//! In: all that are wanted, the questions that have other answers now. Out: what their compiles gave. Must not: know tests.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use indexmap::IndexSet;
use sha2::Digest;
use sha2::Sha256;

use crate::session::ExportedFrom;
use crate::session::Given;
use crate::session::Pending;
use crate::session::Session;
use crate::session::Uses;
use crate::session::answers::Known;
use crate::session::answers::Now;
use crate::session::answers::Verdict;
use crate::session::differ::differ;
use crate::session::update::Outcome;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_world::Reads;

/// What is kept of one between edits.
struct Kept {
    given: Given,
    /// What stands for all that is given.
    digest: [u8; 32],
    /// Nothing: not compiled yet.
    made: Option<Made>,
    /// The last good catalog, where it is kept.
    catalog: Option<Catalog>,
    /// Why the last compile failed, as Puppet prints it.
    failure: Option<String>,
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
    /// Catalogs are kept, so that it is known what changes.
    keep: bool,
}

/// What came of one.
pub struct CaseResult<'a> {
    /// Its name.
    pub name: &'a Arc<str>,
    /// Its catalog, or why there is none.
    pub result: &'a Result<Catalog, Box<Diagnostic>>,
    /// What was logged on the way.
    pub logs: &'a [Diagnostic],
    /// What that is against the last good catalog, where catalogs are kept.
    pub outcome: Option<Outcome>,
    /// Time of its compile.
    pub elapsed: Duration,
}

impl Cases {
    /// None yet; of those to come the catalogs are kept.
    #[must_use]
    pub fn keeping() -> Cases {
        Cases { keep: true, ..Cases::default() }
    }

    /// The last good catalog of one, where catalogs are kept.
    #[must_use]
    pub fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.kept.get(name)?.catalog.as_ref()
    }

    /// These are wanted from now on, by name, each with what else it is judged by; the ones that are given as before keep
    /// their answers.
    pub fn set(&mut self, all: Vec<(Arc<str>, Given, String)>) {
        let mut before = std::mem::take(&mut self.kept);
        let wanted: IndexSet<&Arc<str>> = all.iter().map(|(name, ..)| name).collect();
        self.waiting.retain(|name| wanted.contains(name));
        for (name, given, more) in all {
            let digest = Sha256::digest(format!("{given:?} {more}")).into();
            let kept = match before.swap_remove(&name) {
                Some(kept) if kept.digest == digest => kept,
                Some(kept) => Kept { given, digest, made: None, ..kept },
                None => Kept { given, digest, made: None, catalog: None, failure: None },
            };
            if kept.made.is_none() {
                self.waiting.insert(name.clone());
            }
            self.kept.insert(name, kept);
        }
    }

    /// Looks who gets other answers after these changes: they wait for a compile.
    pub fn judge(&mut self, session: &Session, news: &Pending) {
        let mut now = Now::new(news, session);
        let site = session.options.exported == Some(ExportedFrom::Site);
        for (name, kept) in &mut self.kept {
            let Some(made) = &mut kept.made else { continue };
            let certname = &*kept.given.certname;
            // The facts that a hierarchy asks for are not those of a node of the site.
            let config =
                made.uses.configs.iter().any(|used| news.changes.iter().any(|change| change.path == used.path));
            let asks = (site && made.collects) || made.reads.is_volatile() || config;
            let mut again = news.all || news.site.is_some() || (asks && !news.changes.is_empty());
            if !again {
                let (reads, uses) = (&mut made.reads, &mut made.uses);
                let code = kept.given.code.is_some() || session.options.code.is_some();
                let known = Known { certname, reads, uses, logs: &made.logs, failed: made.failed, code };
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

    /// Compiles some of those that wait; each is told.
    ///
    /// # Errors
    /// What `told` fails with; a catalog cannot be written as a document.
    pub fn compile(
        &mut self,
        session: &Session,
        most: usize,
        told: &mut dyn FnMut(CaseResult<'_>) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let rest = self.waiting.split_off(most.min(self.waiting.len()));
        let names = std::mem::replace(&mut self.waiting, rest);
        let given: Vec<Given> =
            names.iter().filter_map(|name| self.kept.get(name)).map(|kept| kept.given.clone()).collect();
        for (name, compiled) in names.iter().zip(session.compile_all_given(&given)) {
            let Some(kept) = self.kept.get_mut(name) else { continue };
            let failure = compiled.result.as_ref().err().map(|why| why.puppet_text(session.sources()));
            let outcome = match (&compiled.result, &kept.catalog) {
                _ if !self.keep => None,
                (Err(why), _) => Some(Outcome::Failed { why: why.clone(), again: failure == kept.failure }),
                (Ok(catalog), None) => Some(Outcome::First(catalog.len())),
                (Ok(catalog), Some(before)) => {
                    let diff = differ(before, catalog)?;
                    Some(match diff.is_empty() {
                        true => Outcome::Same { recovered: kept.failure.is_some() },
                        false => Outcome::Changed(Box::new(diff)),
                    })
                }
            };
            let (result, logs, elapsed) = (&compiled.result, &compiled.logs, compiled.elapsed);
            let done = told(CaseResult { name, result, logs, outcome, elapsed });
            kept.failure = failure;
            kept.made = Some(Made {
                reads: compiled.reads,
                uses: compiled.uses,
                logs: compiled.logs,
                failed: kept.failure.is_some(),
                collects: compiled.collects,
            });
            if let Ok(catalog) = compiled.result
                && self.keep
            {
                kept.catalog = Some(catalog);
            }
            done?;
        }
        Ok(())
    }

    /// Every path that some compile touched.
    #[must_use]
    pub fn touched(&self) -> Vec<PathBuf> {
        let made = self.kept.values().filter_map(|kept| kept.made.as_ref());
        let paths: IndexSet<&Path> = made.flat_map(|made| made.reads.touched()).collect();
        paths.into_iter().map(Path::to_path_buf).collect()
    }
}
