//! Many nodes: the table of nodes and groups, and tests of groups.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::classification::ClassifyOptions;
use crate::classification::Failure;
use crate::classification::Format;
use crate::classification::Shared;
use crate::classification::json;
use catwalk_base::diag::Reason;
use catwalk_certificate as certificate;
use catwalk_classifier::Groups;
use catwalk_classifier::Subject;
use catwalk_classifier::expect;
use catwalk_classifier::survey::Survey;
use catwalk_node::facts;
use catwalk_node::groups;
use catwalk_session::Session;
use catwalk_session::inventory;
use catwalk_value::Value;
use catwalk_world::World;

/// The maximum number of rows in the table. If there are more nodes, only those with conflicts are listed.
const ROWS: usize = 200;

/// Runs `work` on threads with large stacks: rules may be scripts.
fn run_in_parallel<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match catwalk_session::pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Classifies all nodes. The exit code is 1 if groups of a node conflict.
pub(crate) fn matrix(
    args: &ClassifyOptions,
    session: &Session,
    groups: Shared<'_>,
    world: &dyn World,
) -> Result<(String, u8), Failure> {
    let nodes = nodes(args, session, world)?;
    let names: Vec<&str> = certificate::short_names().collect();
    let survey = run_in_parallel(|| groups.survey(&nodes, &names, world)).map_err(Failure::Failed)?;
    let text = match args.format {
        Some(Format::Json) => json(&survey.document(groups, &nodes)),
        _ => render_human(groups, &nodes, &survey),
    };
    Ok((text, u8::from(survey.has_conflicts())))
}

fn nodes(args: &ClassifyOptions, session: &Session, world: &dyn World) -> Result<Vec<Subject>, Failure> {
    let folder = match &args.nodes {
        Some(folder) => Some(folder.clone()),
        None => session.site.nodes.clone(),
    };
    let Some(folder) = folder else {
        return Err(Failure::Usage(Reason::usage("no nodes: give --nodes DIR, or set `nodes` in catwalk.toml")));
    };
    let files = inventory::list(&folder, world).map_err(Failure::Usage)?;
    if files.is_empty() {
        let text = format!("no nodes: {} has no .json or .yaml files", folder.display());
        return Err(Failure::Usage(Reason::usage(text)));
    }
    let files: Vec<(&Arc<str>, _)> = files.iter().collect();
    let read = |(name, path): &(&Arc<str>, &std::path::PathBuf)| {
        let facts = facts::read(path, world)?;
        let node = Subject::from_body(name, &facts);
        if node.trusted().is_empty() {
            let trusted = session.trusted(name, world)?;
            return Ok(Subject::new(name, node.facts(), Arc::new(trusted)));
        }
        Ok(node)
    };
    run_in_parallel(|| files.par_iter().map(read).collect::<Result<Vec<_>, _>>()).map_err(Failure::Failed)
}

fn render_human(groups: &Groups, nodes: &[Subject], survey: &Survey) -> String {
    let mut text = String::new();
    let name = |number: usize| groups.get(number).map_or("", |group| group.name.as_ref());
    text.push_str("groups\n");
    for (number, (group, count)) in groups.groups.iter().zip(&survey.counts).enumerate() {
        let indent = 2 * group.depth;
        text.push_str(&format!("  {:>3}  {:indent$}{}  ({count})\n", number + 1, "", group.name));
    }
    text.push_str("\nnodes: # a group whose classes the node gets, + one above such a group\n");
    let width = nodes.iter().map(|node| node.name().len()).max().unwrap_or(0);
    let digits = groups.groups.len().to_string().len();
    let header: String = (1..=groups.groups.len()).map(|number| format!(" {number:>digits$}")).collect();
    text.push_str(&format!("  {:width$}{header}\n", ""));
    let mut left_out = 0;
    for (node, classified) in nodes.iter().zip(&survey.nodes) {
        let conflicts = !classified.outcome.conflicts.is_empty();
        if nodes.len() > ROWS && !conflicts {
            left_out += 1;
            continue;
        }
        let mark = |group: usize| match classified.matching.binary_search(&group) {
            Ok(_) if classified.outcome.leaves.contains(&group) => '#',
            Ok(_) => '+',
            Err(_) => '.',
        };
        let row: String = (0..groups.groups.len()).map(|group| format!(" {:>digits$}", mark(group))).collect();
        let conflict = if conflicts { "  conflict" } else { "" };
        text.push_str(&format!("  {:width$}{row}{conflict}\n", node.name()));
    }
    if left_out > 0 {
        text.push_str(&format!("  and {left_out} nodes without conflicts: --format json has them\n"));
    }
    write_section(
        &mut text,
        "conflicts",
        survey.nodes.iter().zip(nodes).flat_map(|(classified, node)| {
            classified.outcome.conflict_lines(groups).into_iter().map(|line| format!("{}: {line}", node.name()))
        }),
    );
    write_section(&mut text, "rules that match no node", survey.unmatched.iter().map(|group| name(*group).to_owned()));
    let unreachable = |(group, by): &(usize, usize)| {
        format!("{}: the nodes that it matches are not in its ancestor '{}' above it", name(*group), name(*by))
    };
    write_section(&mut text, "unreachable groups", survey.unreachable.iter().map(unreachable));
    let finding = |finding: &catwalk_classifier::lint::Finding| {
        format!("{}: {} [{}]", finding.group, finding.text, finding.check)
    };
    write_section(&mut text, "dubious rules", survey.findings.iter().map(finding));
    text
}

fn write_section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    for (number, line) in lines.enumerate() {
        if number == 0 {
            text.push_str(&format!("\n{title}\n"));
        }
        text.push_str(&format!("  {line}\n"));
    }
}

/// Tests groups. The exit code is 1 if an expectation is not met.
pub(crate) fn expect(
    args: &ClassifyOptions,
    file: &Path,
    session: &Session,
    groups: Shared<'_>,
    world: &dyn World,
) -> Result<(String, u8), Failure> {
    let document = groups::document(file, world).map_err(|why| Failure::Failed(why.diagnostic()))?;
    let invalid = |why: String| Failure::Usage(Reason::usage(format!("{}: {why}", file.display())));
    let expectations = expect::read(&document).map_err(invalid)?;
    let mut verdicts = Vec::new();
    for expected in &expectations {
        let known = match &expected.facts {
            Some(facts) => {
                let trusted = session.trusted(&expected.node, world).map_err(Failure::Usage)?;
                Subject::new(&expected.node, facts.clone(), Arc::new(trusted))
            }
            None => session.subject(&expected.node).map_err(Failure::Failed)?,
        };
        let node = match &expected.trusted {
            Some(trusted) => Subject::new(&expected.node, known.facts(), trusted.clone()),
            None => known,
        };
        verdicts.push(groups.check_expectation(expected, &node, world).map_err(Failure::Failed)?);
    }
    let failed = verdicts.iter().filter(|verdict| !verdict.failures.is_empty()).count();
    let text = match args.format {
        Some(Format::Json) => json(&Value::array(verdicts.iter().map(expect::Verdict::document).collect())),
        _ => {
            let mut text = String::new();
            for verdict in &verdicts {
                let mark = if verdict.failures.is_empty() { "ok  " } else { "FAIL" };
                let node = if verdict.name == *verdict.node { String::new() } else { format!(" ({})", verdict.node) };
                text.push_str(&format!("{mark} {}{node}\n", verdict.name));
                verdict.failures.iter().for_each(|failure| text.push_str(&format!("       {failure}\n")));
            }
            text.push_str(&format!("{} of {} expectations met", verdicts.len() - failed, verdicts.len()));
            text
        }
    };
    Ok((text, u8::from(failed > 0)))
}
