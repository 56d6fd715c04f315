//! A profile as text: folded stacks for flame graphs, and a table.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::Kind;
use super::Node;
use super::Profile;

/// The most rows of each kind in a table.
const MAX_ROWS: usize = 15;

/// The kinds in the order of the tables, each with the heading of its rows.
const TABLES: [(Kind, &str); 8] = [
    (Kind::Node, "node block"),
    (Kind::Class, "class"),
    (Kind::Define, "defined type"),
    (Kind::Function, "function"),
    (Kind::Template, "template"),
    (Kind::Key, "Hiera key"),
    (Kind::Command, "command"),
    (Kind::Parse, "parsed file"),
];

/// The calls and time of one item.
#[derive(Clone, Copy, Default)]
struct Cost {
    calls: u64,
    /// The time including callees.
    total: Duration,
    self_time: Duration,
}

impl Profile {
    /// A line for each stack, `class ntp;function template 1234`: the steps, outermost first, and the time of the innermost step without
    /// its callees, in microseconds. Stacks are sorted; those below a microsecond are omitted.
    #[must_use]
    pub fn folded_stacks(&self) -> String {
        let mut stacks: Vec<String> = Vec::with_capacity(self.nodes.len());
        let mut lines = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let step = match number {
                0 => "compile".to_owned(),
                // Names must not contain the separators of steps and times.
                _ => format!("{} {}", node.kind.as_str(), self.name(node.name)).replace([';', '\n', '\r'], "_"),
            };
            let stack = match number {
                0 => step,
                _ => format!("{};{step}", stacks.get(node.parent).map_or("", String::as_str)),
            };
            if node.self_time.as_micros() > 0 {
                lines.push(format!("{stack} {}\n", node.self_time.as_micros()));
            }
            stacks.push(stack);
        }
        lines.sort();
        lines.concat()
    }

    /// Tables by file, class, defined type, function, template, Hiera key and command: total time, own time, number of calls and
    /// name, longest first.
    #[must_use]
    pub fn table(&self) -> String {
        let total = self.totals();
        let all = total.first().copied().unwrap_or_default();
        let mut text = format!("time of all compiles: {:.1} ms\n", milliseconds(all));
        self.write_table(&mut text, "file", &self.costs_by(&total, |node| node.file));
        for (kind, title) in TABLES {
            self.write_table(
                &mut text,
                title,
                &self.costs_by(&total, |node| Some(node.name).filter(|_| node.kind == kind)),
            );
        }
        text
    }

    /// The time of each node with its children.
    fn totals(&self) -> Vec<Duration> {
        let mut total: Vec<Duration> = self.nodes.iter().map(|node| node.self_time).collect();
        // Children come after their parents.
        for (number, node) in self.nodes.iter().enumerate().skip(1).rev() {
            let spent = total.get(number).copied().unwrap_or_default();
            if let Some(parent) = total.get_mut(node.parent) {
                *parent += spent;
            }
        }
        total
    }

    /// The costs by item; `item_of` maps a node to its item. A recursive item has the total of its outermost call.
    fn costs_by(&self, total: &[Duration], item_of: impl Fn(&Node) -> Option<usize>) -> Vec<(usize, Cost)> {
        let mut costs: BTreeMap<usize, Cost> = BTreeMap::new();
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let Some(item) = item_of(node) else { continue };
            let cost = costs.entry(item).or_default();
            cost.calls += node.calls;
            cost.self_time += node.self_time;
            if !self.is_within(node, |outer| item_of(outer) == Some(item)) {
                cost.total += total.get(number).copied().unwrap_or_default();
            }
        }
        let mut rows: Vec<(usize, Cost)> = costs.into_iter().collect();
        rows.sort_by(|(a, left), (b, right)| {
            right.total.cmp(&left.total).then_with(|| self.name(*a).cmp(self.name(*b)))
        });
        rows
    }

    fn is_within(&self, node: &Node, fits: impl Fn(&Node) -> bool) -> bool {
        let mut parent = node.parent;
        while parent > 0 {
            let Some(outer) = self.nodes.get(parent) else { return false };
            if fits(outer) {
                return true;
            }
            parent = outer.parent;
        }
        false
    }

    fn write_table(&self, text: &mut String, title: &str, rows: &[(usize, Cost)]) {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{:>12} {:>12} {:>9}  {title}", "total ms", "own ms", "calls");
        for (name, cost) in rows.iter().take(MAX_ROWS) {
            let (total, own) = (milliseconds(cost.total), milliseconds(cost.self_time));
            let _ = writeln!(text, "{total:>12.1} {own:>12.1} {:>9}  {}", cost.calls, self.name(*name));
        }
        if rows.len() > MAX_ROWS {
            let _ = writeln!(text, "{:>36}{} more", "", rows.len() - MAX_ROWS);
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn profile() -> Profile {
        let mut profile = Profile::default();
        let mut spend = |stack: &[(Kind, &str)], micros: u64| {
            let mut at = 0;
            for (kind, name) in stack {
                at = profile.child(at, *kind, name);
            }
            profile.count_call(at);
            profile.add_time(at, Duration::from_micros(micros));
            at
        };
        spend(&[], 100);
        let class = spend(&[(Kind::Class, "ntp")], 2000);
        spend(&[(Kind::Class, "ntp"), (Kind::Function, "template")], 3000);
        spend(&[(Kind::Class, "ntp"), (Kind::Function, "template"), (Kind::Function, "template")], 500);
        spend(&[(Kind::Class, "ntp"), (Kind::Command, "/bin/a;b")], 0);
        profile.set_file(class, "/m/ntp.pp");
        profile
    }

    #[test]
    fn stacks_are_folded_with_own_times() {
        let expected = "compile 100\ncompile;class ntp 2000\ncompile;class ntp;function template 3000\n\
                        compile;class ntp;function template;function template 500\n";
        assert_eq!(profile().folded_stacks(), expected);
    }

    #[test]
    fn tables_count_only_the_outermost_of_recursive_calls() {
        let text = profile().table();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(rows.contains(&vec!["3.5", "3.5", "2", "template"]), "{text}");
        assert!(rows.contains(&vec!["5.5", "2.0", "1", "ntp"]), "{text}");
        assert!(rows.contains(&vec!["5.5", "2.0", "1", "/m/ntp.pp"]), "{text}");
        assert!(text.starts_with("time of all compiles: 5.6 ms\n"), "{text}");
    }

    #[test]
    fn profiles_of_nodes_are_added() {
        let mut all = Profile::default();
        all.merge(&profile());
        all.merge(&profile());
        assert!(all.folded_stacks().contains("compile;class ntp;function template 6000\n"));
        let row = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(all.table().lines().any(|line| row(line) == ["11.0", "4.0", "2", "/m/ntp.pp"]));
    }
}
