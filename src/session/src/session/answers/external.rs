//! Changes of nodes, of the responses of processes and servers, and of the environment.
//!
//! In: the queries and inputs of a compile. Out: whether the responses are unchanged. Must not: look into manifests.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::compile::config_version;
use crate::session::Session;
use crate::session::answers::CurrentAnswers;
use crate::session::answers::NewAnswers;
use crate::session::answers::NodeRecord;
use crate::session::answers::Uses;
use crate::session::layers::SharedEnvironment;
use crate::session::pool;
use crate::session::questions::Check;
use crate::session::questions::Checks;
use crate::session::questions::Part;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_catalog::Version;
use catwalk_hiera::ConfigUse;
use catwalk_program::ModulesChange;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::Query;
use catwalk_world::Reads;
use catwalk_world::World;

/// The current environment, compared with the one that a compile used.
pub(super) struct CurrentEnvironment {
    shared: Arc<SharedEnvironment>,
    /// `None`: more than modules has changed.
    change: Option<ModulesChange>,
    /// The version of catalogs, if `config_version` has changed; an error if it cannot be determined.
    version: Option<Result<Version, Reason>>,
    /// Whether Hiera reads different files.
    hiera_differs: bool,
    /// Paths that opening the current environment read, and opening the old one did not.
    touched: Vec<PathBuf>,
}

impl CurrentEnvironment {
    /// Opens the current environment and compares it with the one that a compile used; `None` if it cannot be opened.
    fn compare(session: &Session, used: &SharedEnvironment) -> Option<CurrentEnvironment> {
        let current =
            session.open_environment().ok().and_then(|current| session.layers.shared_environment(&current))?;
        let messages = |shared: &SharedEnvironment| {
            shared.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>()
        };
        let has_same_warnings = messages(used) == messages(&current);
        let (before, after) = (&used.environment, &current.environment);
        let change = ModulesChange::between(before, after).filter(|_| has_same_warnings);
        let version = (before.config_version != after.config_version).then(|| {
            let command = after.config_version.as_deref().filter(|command| !command.is_empty());
            let seconds = || Version::Seconds(session.world.now().as_secs());
            command.map_or_else(|| Ok(seconds()), |command| config_version(command, session.world.as_ref()))
        });
        let hiera = session.layers.lookup(after, &session.options, &session.site, session.world.as_ref()).ok();
        let hiera_differs = !used.has_same_hierarchy(hiera.as_deref());
        let is_new = |path: &&OsString| used.touched.binary_search(path).is_err();
        let touched = current.touched.iter().filter(is_new).map(PathBuf::from).collect();
        Some(CurrentEnvironment { shared: current, change, version, hiera_differs, touched })
    }
}

impl CurrentAnswers {
    /// Whether processes, servers or the node's inputs must be queried again to check a node.
    pub(in crate::session) fn needs_queries(&self, reads: &Reads, checks: Checks) -> bool {
        !reads.exchanges().is_empty() || self.may_have_changed(reads, checks)
    }

    /// Repeats the queries of these nodes to processes and servers, and reads nodes that may have changed.
    pub(in crate::session) fn query_again<'n>(
        &mut self,
        session: &Session,
        nodes: impl Iterator<Item = (&'n Arc<str>, &'n Reads, Checks)>,
    ) {
        let mut queries: FxHashSet<&Query> = FxHashSet::default();
        let mut names = Vec::new();
        for (name, reads, checks) in nodes {
            queries.extend(reads.exchanges().iter().map(|exchange| &exchange.query));
            if self.may_have_changed(reads, checks) {
                names.push(name.clone());
            }
        }
        // With a tape, only whole compiles query.
        if session.tapes.is_some() {
            return;
        }
        let queries: Vec<&Query> = queries.into_iter().collect();
        // Replies are only compared.
        let send =
            |query: &&Query| ((*query).clone(), query.send(session.world.as_ref(), &SecretCollection::default()));
        let node = |name: &Arc<str>| Some((name.clone(), session.read_current_node(name)?));
        match pool().filter(|_| queries.len() + names.len() > 1) {
            Some(pool) => pool.install(|| {
                self.replies.extend(queries.par_iter().map(send).collect::<Vec<_>>());
                self.nodes.extend(names.par_iter().filter_map(node).collect::<Vec<_>>());
            }),
            None => {
                self.replies.extend(queries.iter().map(send));
                self.nodes.extend(names.iter().filter_map(node));
            }
        }
    }

    /// Whether a node's facts, trusted data or classification may have changed.
    fn may_have_changed(&self, reads: &Reads, checks: Checks) -> bool {
        self.site.is_some() || reads.has_node_queries() || checks.has(Check::NodeInputs)
    }

    /// Whether the responses of processes and servers, and the node's inputs that its compile used, are unchanged.
    pub(in crate::session) fn external_inputs_hold(
        &mut self,
        certname: &str,
        (reads, checks): (&mut Reads, Checks),
        uses: &mut Uses,
    ) -> bool {
        if !reads.exchanges().iter().all(|exchange| self.replies.get(&exchange.query) == Some(&exchange.reply)) {
            return false;
        }
        if !self.may_have_changed(reads, checks) {
            return true;
        }
        let holds = match (self.nodes.get(certname), &mut uses.node) {
            (Some(now), Some(used)) => used.holds(now, &uses.facts, reads),
            _ => false,
        };
        if holds {
            self.nodes.remove(certname);
        }
        holds
    }

    /// Whether a change of `catwalk.toml` does not affect a node.
    pub(super) fn holds_with_new_configuration(&self, node: &NodeRecord<'_>) -> bool {
        let Some(change) = self.site else { return true };
        let decrypts = || node.uses.configs.iter().any(ConfigUse::decrypts);
        node.uses.complete
            && !(change.limits && node.failed)
            && !(change.cycles && node.uses.cyclic)
            && !(change.eyaml && decrypts())
    }

    /// Adds the answers of the current environment, if the parts that a compile used are unchanged. Otherwise `None`.
    pub(super) fn follow_environment(
        &mut self,
        session: &Session,
        uses: &mut Uses,
        logs: &[Diagnostic],
        new: &mut NewAnswers,
    ) -> Option<()> {
        let used = uses.environment.as_mut()?;
        let is_same = |(before, _): &(Arc<SharedEnvironment>, _)| Arc::ptr_eq(before, &used.shared);
        let at = self.environments.iter().position(is_same).unwrap_or(self.environments.len());
        if at == self.environments.len() {
            self.environments.push((used.shared.clone(), CurrentEnvironment::compare(session, &used.shared)));
        }
        let entry = self.environments.get_mut(at)?.1.as_mut()?;
        let change = entry.change.as_mut()?;
        // A failure of `config_version`, old or new, is logged.
        let failed = || logs.iter().any(|log| log.code == Code::CONFIG_VERSION);
        new.version = match &entry.version {
            None => None,
            Some(Ok(version)) if !failed() => Some(version.clone()),
            Some(_) => return None,
        };
        if entry.hiera_differs {
            return None;
        }
        if let Some(questions) = &used.questions
            && !questions.settings.is_empty()
        {
            let server = uses.node.as_ref().and_then(|node| node.server()).unwrap_or_else(|| Arc::from("puppet"));
            let settings = session.settings_in(&entry.shared.environment, &server)?;
            let is_same = |(name, value): &(Name, Option<Value>)| match (name.as_str(), value) {
                ("all_local", Some(Value::Hash(all))) => **all == settings,
                (name, value) => settings.get(name) == value.as_ref(),
            };
            if !questions.settings.iter().all(is_same) {
                return None;
            }
        }
        let exists = |path: &Path| session.world.kind(path) != Kind::Missing;
        let missing = match &used.questions {
            Some(questions) => change.check(questions, &exists)?,
            None if change.is_empty() => Vec::new(),
            None => return None,
        };
        new.add_paths(missing, &Part::Existence);
        new.add_paths(entry.touched.iter().cloned(), &Part::Environment);
        used.shared = entry.shared.clone();
        Some(())
    }
}
