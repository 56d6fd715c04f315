//! The messages of a round: equal messages of several nodes once, and only new warnings.
//!
//! In: updates of nodes. Out: [`News`]. Must not: print.

use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::Arc;

use crate::output::RoundResult;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::fingerprint;
use catwalk_base::diag::group::group;
use catwalk_base::source::SourceMap;
use catwalk_session::Session;
use catwalk_session::update::Outcome;

/// The lines of equal warnings of a node, by their fingerprint.
type Warnings = HashMap<u64, Vec<u32>>;

/// The warnings of each node's last compile, and the errors since its last successful one.
#[derive(Debug, Default)]
pub(crate) struct ShownWarnings {
    by_node: HashMap<Arc<str>, Warnings>,
    /// The errors of each failing node, by fingerprint and line, each after those that it interrupted.
    errors: HashMap<Arc<str>, Vec<(u64, u32)>>,
}

/// The messages of a round.
pub(crate) struct News<'u> {
    /// New messages and failures.
    pub(crate) groups: Vec<Group<'u>>,
    /// The number of warnings that were shown earlier and still apply.
    pub(crate) repeated: usize,
    /// Nodes whose error was shown before; in between they had a different error, which is gone.
    pub(crate) returned: HashSet<Arc<str>>,
}

/// The line with the number of repeated warnings.
pub(crate) fn count_repeated(repeated: usize) -> String {
    match repeated {
        1 => "1 warning as before".to_owned(),
        count => format!("{count} warnings as before"),
    }
}

/// The messages that are printed.
pub(crate) fn printed<'a>(logs: &'a [Diagnostic], session: &Session) -> impl Iterator<Item = &'a Diagnostic> {
    let options = &session.options;
    logs.iter().filter(|line| options.prints(line.severity))
}

impl ShownWarnings {
    /// The messages of these updates; they are recorded as shown.
    #[allow(clippy::iter_over_hash_type, reason = "a map again")]
    pub(crate) fn news<'u>(&mut self, result: &RoundResult<'u>) -> News<'u> {
        let sources = result.session.sources();
        let mut news: Vec<(&Diagnostic, &str)> = Vec::new();
        let (mut repeated, mut returned) = (HashSet::new(), HashSet::new());
        for update in result.updates {
            let name: &str = &update.certname;
            let mut before = self.by_node.remove(name).unwrap_or_default();
            let mut now = Warnings::new();
            let logs: Vec<&Diagnostic> = printed(&update.logs, result.session).collect();
            let mut is_repeated = vec![false; logs.len()];
            // A warning at the same line is unchanged; a moved one replaces one that has disappeared.
            for any_line in [false, true] {
                for (log, is_repeated) in logs.iter().zip(&mut is_repeated) {
                    if log.severity < Severity::Warning || *is_repeated {
                        continue;
                    }
                    let hash = fingerprint(log, name, sources);
                    let line = line_of(log, sources);
                    if !any_line {
                        now.entry(hash).or_default().push(line);
                    }
                    let lines = before.entry(hash).or_default();
                    if let Some(at) = lines.iter().position(|earlier| any_line || *earlier == line) {
                        lines.swap_remove(at);
                        *is_repeated = true;
                        repeated.insert((hash, line));
                    }
                }
            }
            news.extend(
                logs.iter().zip(is_repeated).filter(|(_, is_repeated)| !is_repeated).map(|(log, _)| (*log, name)),
            );
            match &update.outcome {
                Outcome::Removed => {
                    self.errors.remove(name);
                    continue;
                }
                Outcome::Failed { error, is_repeated } => {
                    let is_back = self.is_back(&update.certname, error, sources);
                    match (is_repeated, is_back) {
                        (true, _) => {}
                        (false, true) => drop(returned.insert(update.certname.clone())),
                        (false, false) => news.push((&**error, name)),
                    }
                    // A failed compile may not have reached the code that an earlier compile warned about.
                    for (hash, lines) in before {
                        now.entry(hash).or_default().extend(lines);
                    }
                }
                _ => drop(self.errors.remove(name)),
            }
            self.by_node.insert(update.certname.clone(), now);
        }
        News { groups: group(news, sources), repeated: repeated.len(), returned }
    }

    /// Records an error of a node. Returns whether it was shown since the node last compiled without errors, before different ones, which
    /// are forgotten.
    fn is_back(&mut self, node: &Arc<str>, error: &Diagnostic, sources: &SourceMap) -> bool {
        let errors = self.errors.entry(node.clone()).or_default();
        let key = (fingerprint(error, node, sources), line_of(error, sources));
        match errors.iter().position(|earlier| *earlier == key) {
            Some(at) => errors.truncate(at + 1),
            None => {
                errors.push(key);
                return false;
            }
        }
        true
    }
}

fn line_of(diagnostic: &Diagnostic, sources: &SourceMap) -> u32 {
    diagnostic.span.and_then(|span| sources.locate(span)).map_or(0, |(_, line, _)| line)
}
