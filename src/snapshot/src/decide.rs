//! Decisions on proposals: accept or reject parts of changes, one by one or by pattern over all snapshots.
//!
//! In: patterns. Out: the numbers of decided parts and snapshots. Must not: prompt the user, print.

use globset::GlobMatcher;
use rayon::prelude::*;

use crate::file::Snapshot;
use crate::hunks;
use crate::hunks::CATALOG;
use crate::hunks::Hunk;
use crate::hunks::Kind;
use crate::store::Store;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::globs;
use catwalk_base::secrets::comparable;
use catwalk_formats::diff::groups::Grouping;
use catwalk_world::output::batch::Batch;

/// A proposal: a pending snapshot with its changes.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The snapshot's name.
    pub name: String,
    /// The accepted snapshot.
    pub old: Option<Snapshot>,
    /// The proposed snapshot.
    pub new: Snapshot,
    /// The parts of the change.
    pub hunks: Vec<Hunk>,
}

impl Proposal {
    /// Whether the proposed snapshot is an error, and the accepted one is a catalog or does not exist.
    #[must_use]
    pub fn is_new_error(&self) -> bool {
        self.new.is_error() && !self.old.as_ref().is_some_and(Snapshot::is_error)
    }
}

/// All proposals, sorted by name. A proposal without changes is removed.
///
/// # Errors
///
/// A file cannot be read.
pub fn proposals(store: &Store) -> Result<Vec<Proposal>, Reason> {
    Ok(pending(store)?.0)
}

/// The proposals, and the names of those that are already decided because a run was killed between accepting and clearing them.
fn pending(store: &Store) -> Result<(Vec<Proposal>, Vec<String>), Reason> {
    let pending: Vec<String> =
        store.entries()?.into_iter().filter(|entry| entry.pending).map(|entry| entry.name).collect();
    let read = |name: String| -> Result<Option<Result<Proposal, String>>, Reason> {
        // Pending snapshots of other programs are not Catwalk's to decide.
        let Some(new) = store.pending(&name)?.filter(Snapshot::is_of_catalog) else { return Ok(None) };
        let old = store.accepted(&name)?;
        let (before, after) = comparable(old.as_ref().map_or("", |old| &old.text), &new.text);
        let locations = new.locations();
        let hunks = hunks::hunks(old.is_some().then_some(&*before), &after);
        let hunks: Vec<Hunk> = hunks.into_iter().map(|hunk| hunk.located(&locations)).collect();
        Ok(Some(if hunks.is_empty() { Err(name) } else { Ok(Proposal { name, old, new, hunks }) }))
    };
    let proposals: Vec<Option<Result<Proposal, String>>> =
        pending.into_par_iter().map(read).collect::<Result<_, Reason>>()?;
    let (mut undecided, mut decided) = (Vec::new(), Vec::new());
    for proposal in proposals.into_iter().flatten() {
        match proposal {
            Ok(proposal) => undecided.push(proposal),
            Err(name) => decided.push(name),
        }
    }
    Ok((undecided, decided))
}

/// A change that several snapshots share, for one decision.
#[derive(Clone, Debug)]
pub struct Group {
    /// The change.
    pub hunk: Hunk,
    /// The snapshots that have it.
    pub names: Vec<String>,
}

/// The parts of all changes, grouped as by `diff`: equal parts are one group, groups of the same snapshots are adjacent, and groups of
/// the most snapshots come first.
#[must_use]
pub fn groups<'a>(changes: impl IntoIterator<Item = (&'a str, &'a [Hunk])>) -> Vec<Group> {
    let mut grouping: Grouping<&str, &Hunk> = Grouping::default();
    for (name, hunks) in changes {
        hunks.iter().for_each(|hunk| grouping.add(name, hunk.identity, hunk));
    }
    let mut groups = Vec::new();
    for group in grouping.groups() {
        let names: Vec<String> = group.owners.iter().map(|name| (*name).to_owned()).collect();
        groups.extend(group.changes.into_iter().map(|hunk| Group { hunk: hunk.clone(), names: names.clone() }));
    }
    groups
}

/// A selection for a decision: `Type[title]`, `Type[title]::parameter`, `(catalog)`, or names of snapshots. Each part may be a
/// pattern with `*` and `?`.
#[derive(Clone, Debug)]
pub struct Pattern {
    name: Option<GlobMatcher>,
    type_name: Option<GlobMatcher>,
    title: Option<GlobMatcher>,
    parameter: Option<GlobMatcher>,
    catalog: bool,
}

fn compile_glob(text: &str, any_case: bool) -> Result<GlobMatcher, Reason> {
    // Titles may contain other special characters of globs.
    let escaped: String =
        text.chars().flat_map(|c| if "[]{}\\".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
    let wrong = |why| Reason::new(Code::USAGE, format!("'{text}' is not a pattern: {why}"));
    globs::matcher(&escaped, any_case).map_err(wrong)
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// The string is not a pattern.
    pub fn parse(text: &str) -> Result<Pattern, Reason> {
        let mut pattern = Pattern { name: None, type_name: None, title: None, parameter: None, catalog: false };
        if text == CATALOG {
            pattern.catalog = true;
            return Ok(pattern);
        }
        let Some((type_name, rest)) = text.split_once('[') else {
            pattern.name = Some(compile_glob(text, false)?);
            return Ok(pattern);
        };
        let wrong = || {
            let text =
                format!("a pattern is Type[title], Type[title]::parameter or the name of a snapshot, got '{text}'");
            Reason::new(Code::USAGE, text)
        };
        let (title, rest) = rest.rsplit_once(']').ok_or_else(wrong)?;
        pattern.type_name = Some(compile_glob(type_name, true)?);
        pattern.title = Some(compile_glob(title, false)?);
        pattern.parameter = match rest.strip_prefix("::") {
            Some(parameter) if !parameter.is_empty() => Some(compile_glob(parameter, false)?),
            None if rest.is_empty() => None,
            _ => return Err(wrong()),
        };
        Ok(pattern)
    }

    /// Whether the pattern selects a part of a change.
    #[must_use]
    pub fn fits(&self, snapshot: &str, reference: &str, parameter: Option<&str>) -> bool {
        if self.catalog {
            return reference == CATALOG;
        }
        if let Some(name) = &self.name {
            return name.is_match(snapshot);
        }
        let Some((type_name, title)) = reference.strip_suffix(']').and_then(|text| text.split_once('[')) else {
            return false;
        };
        let is = |glob: &Option<GlobMatcher>, text: &str| glob.as_ref().is_none_or(|glob| glob.is_match(text));
        let parameter = match (&self.parameter, parameter) {
            (Some(glob), Some(name)) => glob.is_match(name),
            (Some(_), None) => false,
            (None, _) => true,
        };
        is(&self.type_name, type_name) && is(&self.title, title) && parameter
    }
}

/// A decision on a part of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The part becomes part of the accepted snapshot.
    Accept,
    /// The part is removed from the proposal; the next run proposes it again if the code still causes it.
    Reject,
}

/// The numbers of decided and pending changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionCounts {
    /// Parts of changes.
    pub parts: usize,
    /// Snapshots that they were in.
    pub snapshots: usize,
    /// Snapshots that are still pending.
    pub waiting: usize,
}

/// Selects parts of a change in a snapshot for a decision.
pub type DecisionFilter<'a> = dyn Fn(&str, &str, Option<&str>) -> bool + Sync + 'a;

/// Decides the parts for which `chosen` (snapshot, reference, parameter) returns true; the others stay pending.
///
/// Each snapshot is either decided completely or unchanged. If one cannot be written, the others still are; if the process is
/// killed, the remaining ones stay pending.
///
/// # Errors
///
/// A file cannot be read or written: the first failure, with the number of snapshots that were decided.
pub fn decide(store: &Store, decision: Decision, chosen: &DecisionFilter<'_>) -> Result<DecisionCounts, Reason> {
    store.sweep();
    let (proposals, decided) = pending(store)?;
    decided.iter().try_for_each(|name| store.settle(name))?;
    let outcome = match decision {
        Decision::Accept => "snapshots were accepted; the others still wait for a decision",
        Decision::Reject => "snapshots were rejected; the others still wait for a decision",
    };
    let is_affected = |proposal: &&Proposal| {
        proposal.hunks.iter().flat_map(parts).any(|(reference, name)| chosen(&proposal.name, reference, name))
    };
    let total = proposals.iter().filter(is_affected).count();
    let batch = Batch::begin(outcome, total);
    let decide = |proposal: &Proposal| {
        let decided = decide_one(store, decision, proposal, chosen);
        if decided.as_ref().is_ok_and(|decided| decided.snapshots > 0) {
            batch.count();
        }
        decided
    };
    let results: Vec<Result<DecisionCounts, Reason>> = proposals.par_iter().map(decide).collect();
    let mut sum = DecisionCounts::default();
    let mut failure = None;
    for result in results {
        match result {
            Ok(counts) => {
                sum.parts += counts.parts;
                sum.snapshots += counts.snapshots;
                sum.waiting += counts.waiting;
            }
            Err(reason) => failure = failure.or(Some(reason)),
        }
    }
    match failure {
        None => Ok(sum),
        Some(reason) => Err(reason.help(format!("{} of {total} {outcome}", sum.snapshots))),
    }
}

fn decide_one(
    store: &Store,
    decision: Decision,
    proposal: &Proposal,
    chosen: &DecisionFilter<'_>,
) -> Result<DecisionCounts, Reason> {
    let is_chosen = |reference: &str, name: Option<&str>| chosen(&proposal.name, reference, name);
    let count = proposal.hunks.iter().flat_map(parts).filter(|(reference, name)| is_chosen(reference, *name)).count();
    if count == 0 {
        return Ok(DecisionCounts { waiting: 1, ..DecisionCounts::default() });
    }
    let old = proposal.old.as_ref().map(|old| old.text.as_str());
    let remaining = match decision {
        Decision::Accept => {
            let text = hunks::merge(old, &proposal.new.text, &is_chosen);
            if let Some(text) = text.as_ref().filter(|text| Some(text.as_str()) != old) {
                store.accept(&proposal.name, Snapshot { text: text.clone(), ..proposal.new.clone() })?;
            }
            (text.as_deref() != Some(&proposal.new.text)).then(|| proposal.new.clone())
        }
        Decision::Reject => {
            let text = hunks::merge(old, &proposal.new.text, &|reference, name| !is_chosen(reference, name));
            text.filter(|text| Some(text.as_str()) != old).map(|text| Snapshot { text, ..proposal.new.clone() })
        }
    };
    let waiting = usize::from(remaining.is_some());
    match remaining {
        Some(remaining) if remaining != proposal.new => store.propose(&proposal.name, &remaining)?,
        Some(_) => {}
        None => store.settle(&proposal.name)?,
    }
    Ok(DecisionCounts { parts: count, snapshots: 1, waiting })
}

/// The parts of a hunk that can be decided one by one.
fn parts(hunk: &Hunk) -> impl Iterator<Item = (&str, Option<&str>)> {
    let whole = (hunk.kind != Kind::Changed).then_some((hunk.reference.as_str(), None));
    whole.into_iter().chain(hunk.parameters.iter().map(|name| (hunk.reference.as_str(), Some(name.as_str()))))
}

#[cfg(test)]
mod tests;
