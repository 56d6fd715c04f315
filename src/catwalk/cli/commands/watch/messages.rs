//! The messages of a round: equal messages of several nodes once, and only new warnings.
//!
//! In: updates of nodes. Out: [`News`]. Must not: print.

use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::Arc;

use crate::cli::commands::watch::RoundResult;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::fingerprint;
use catwalk_base::diag::group::group;
use catwalk_base::source::SourceMap;
use catwalk_session::session::Session;
use catwalk_session::session::update::Outcome;

/// The lines of equal warnings of a node, by their fingerprint.
type Warnings = HashMap<u64, Vec<u32>>;

/// The warnings of each node's last compile.
#[derive(Debug, Default)]
pub(super) struct ShownWarnings {
    by_node: HashMap<Arc<str>, Warnings>,
}

/// The messages of a round.
pub(super) struct News<'u> {
    /// New messages and failures.
    pub(super) groups: Vec<Group<'u>>,
    /// The number of warnings that were shown earlier and still apply.
    pub(super) known: usize,
}

/// The line with the number of repeated warnings.
pub(super) fn as_before(known: usize) -> String {
    match known {
        1 => "1 warning as before".to_owned(),
        more => format!("{more} warnings as before"),
    }
}

/// The messages that are printed.
pub(super) fn printed<'a>(logs: &'a [Diagnostic], session: &Session) -> impl Iterator<Item = &'a Diagnostic> {
    let options = &session.options;
    logs.iter().filter(|line| options.prints(line.severity))
}

impl ShownWarnings {
    /// The messages of these updates; they are recorded as shown.
    #[allow(clippy::iter_over_hash_type, reason = "a map again")]
    pub(super) fn news<'u>(&mut self, seen: &RoundResult<'u>) -> News<'u> {
        let sources = seen.session.sources();
        let mut news: Vec<(&Diagnostic, &str)> = Vec::new();
        let mut known = HashSet::new();
        for update in seen.updates {
            let name: &str = &update.certname;
            let mut before = self.by_node.remove(name).unwrap_or_default();
            let mut now = Warnings::new();
            let logs: Vec<&Diagnostic> = printed(&update.logs, seen.session).collect();
            let mut is_known = vec![false; logs.len()];
            // A warning at the same line is unchanged; a moved one replaces one that has disappeared.
            for any_line in [false, true] {
                for (log, is_known) in logs.iter().zip(&mut is_known) {
                    if log.severity < Severity::Warning || *is_known {
                        continue;
                    }
                    let print = fingerprint(log, name, sources);
                    let line = line(log, sources);
                    if !any_line {
                        now.entry(print).or_default().push(line);
                    }
                    let lines = before.entry(print).or_default();
                    if let Some(at) = lines.iter().position(|known| any_line || *known == line) {
                        lines.swap_remove(at);
                        *is_known = true;
                        known.insert((print, line));
                    }
                }
            }
            news.extend(logs.iter().zip(is_known).filter(|(_, is_known)| !is_known).map(|(log, _)| (*log, name)));
            match &update.outcome {
                Outcome::Removed => continue,
                Outcome::Failed { error, is_repeated } => {
                    news.extend((!is_repeated).then_some((&**error, name)));
                    // A failed compile may not have reached the code that an earlier compile warned about.
                    for (print, lines) in before {
                        now.entry(print).or_default().extend(lines);
                    }
                }
                _ => {}
            }
            self.by_node.insert(update.certname.clone(), now);
        }
        News { groups: group(news, sources), known: known.len() }
    }
}

fn line(diagnostic: &Diagnostic, sources: &SourceMap) -> u32 {
    diagnostic.span.and_then(|span| sources.locate(span)).map_or(0, |(_, line, _)| line)
}
