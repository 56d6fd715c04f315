//! `(?i)` for characters that fold to several characters: `ß` to `ss`, `ﬁ` to `fi`. The engines fold one character to one.
//!
//! In: a parsed pattern. Out: the pattern with case variants added as alternatives, by the rules of Ruby's engine
//! (`expand_case_fold_string` and `i_apply_case_fold` of `regcomp.c`): only adjacent characters fold together, and look-behinds do not
//! change. Must not know: groups, engines.

use super::Node;
use super::folds;
use super::literal;

/// The number of alternatives above which Ruby folds the rest of a string as a whole (`THRESHOLD_CASE_FOLD_ALT_FOR_EXPANSION`).
const MAX_ALTERNATIVES: usize = 8;

/// The most characters with overlapping foldings that are expanded together: the alternatives double every few characters.
const MAX_OVERLAPPING: usize = 12;

/// The highest count up to which a repetition of one character is expanded. (`EXPAND_STRING_MAX_LENGTH`)
const MAX_REPEATED: u32 = 100;

/// Adds the case variants of several characters to `node`.
pub(super) fn expand(node: &mut Node, ignore_case: bool) {
    match node {
        Node::Case(ignore, inner) => expand(inner, *ignore),
        Node::LookBehind { .. } => {}
        Node::Concat(nodes) if ignore_case => {
            let mut result = Vec::with_capacity(nodes.len());
            let mut run = Vec::new();
            for mut node in std::mem::take(nodes) {
                if let Some(c) = character(&node) {
                    run.push(c);
                    continue;
                }
                result.extend(fold_literals(&std::mem::take(&mut run)));
                expand(&mut node, ignore_case);
                result.push(node);
            }
            result.extend(fold_literals(&run));
            *nodes = result;
        }
        Node::Repeat { node: inner, min, max: Some(max), .. }
            if ignore_case && min == max && (2..=MAX_REPEATED).contains(min) && character(inner).is_some() =>
        {
            let Some(c) = character(inner) else { return };
            let run = vec![c; usize::try_from(*min).unwrap_or(0)];
            if folds::folding_of(c).is_some() || !foldings_at(&run, 0).is_empty() {
                *node = Node::Group(Box::new(Node::Concat(fold_literals(&run))));
            }
        }
        Node::Char(_) if ignore_case => match character(node) {
            Some(c) => {
                if let [only] = &mut *fold_literals(&[c]) {
                    *node = std::mem::replace(only, Node::Empty);
                }
            }
            None => expand_class(node),
        },
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter_mut().for_each(|node| expand(node, ignore_case)),
        Node::Repeat { node, .. }
        | Node::Capture(_, node)
        | Node::Group(node)
        | Node::LookAhead { node, .. }
        | Node::Absent(node)
        | Node::Atomic(node) => expand(node, ignore_case),
        Node::Condition { yes, no, .. } => {
            expand(yes, ignore_case);
            expand(no, ignore_case);
        }
        Node::Empty | Node::Char(_) | Node::Assert(_) | Node::Fancy(..) | Node::LineStart | Node::TextEnd => {}
        Node::BackReference { .. } | Node::Call(_) => {}
    }
}

/// The character of a node that is a literal character.
fn character(node: &Node) -> Option<char> {
    let Node::Char(text) = node else { return None };
    let mut chars = text.chars();
    match (chars.next()?, chars.next(), chars.next()) {
        ('.', None, _) => None,
        (c, None, _) => Some(c),
        ('\\', Some(c), None) if c.is_ascii_punctuation() => Some(c),
        _ => None,
    }
}

/// The folding of a character to one character.
fn simple_folding(c: char) -> char {
    match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        c => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// The number of other characters with the same case folding.
fn count_variants(c: char) -> usize {
    match simple_folding(c) {
        's' | 'k' | 'å' => 2,
        c => usize::from(c.to_uppercase().next() != Some(c)),
    }
}

/// The foldings that begin at `at`: their lengths, each with the characters that fold to it.
fn foldings_at(run: &[char], at: usize) -> Vec<(usize, Vec<char>)> {
    let Some(first) = run.get(at) else { return Vec::new() };
    if !folds::begins_folding(simple_folding(*first)) {
        return Vec::new();
    }
    let span = |length: usize| {
        let text: String = run.get(at..at + length)?.iter().map(|c| simple_folding(*c)).collect();
        let found: Vec<char> = folds::chars_folding_to(&text).collect();
        (!found.is_empty()).then_some((length, found))
    };
    [span(2), span(3)].into_iter().flatten().collect()
}

/// The nodes for adjacent literal characters.
fn fold_literals(run: &[char]) -> Vec<Node> {
    if !run.iter().any(|c| folds::folding_of(*c).is_some()) {
        return fold_all(run);
    }
    let mut result = Vec::new();
    let mut ways = 1usize;
    let mut plain = Vec::new();
    for (at, c) in run.iter().enumerate() {
        let folding = folds::folding_of(*c);
        let multiple: usize = foldings_at(run, at).iter().map(|(_, chars)| chars.len()).sum();
        if folding.is_none() && multiple == 0 {
            plain.push(*c);
            continue;
        }
        let found = match folding {
            Some(folding) => {
                folding.chars().map(|part| 1 + count_variants(part)).product::<usize>()
                    + folds::chars_folding_to(folding).count().saturating_sub(1)
            }
            None => count_variants(*c) + multiple,
        };
        ways = ways.saturating_mul(found + 1);
        if ways > MAX_ALTERNATIVES {
            result.extend(fold_all(&plain));
            result.extend(fold_all(run.get(at..).unwrap_or_default()));
            return result;
        }
        let Some(folding) = folding else {
            plain.push(*c);
            continue;
        };
        result.extend(fold_all(&std::mem::take(&mut plain)));
        let mut branches: Vec<Node> = folds::chars_folding_to(folding).map(literal_node).collect();
        branches.push(Node::Concat(folding.chars().map(literal_node).collect()));
        result.push(Node::Alternate(branches));
    }
    result.extend(fold_all(&plain));
    result
}

/// The nodes for adjacent characters in which each folding may be replaced by the characters that fold to it.
fn fold_all(run: &[char]) -> Vec<Node> {
    let mut folded = Vec::with_capacity(run.len());
    for c in run {
        match folds::folding_of(*c) {
            Some(folding) => folded.extend(folding.chars()),
            None => folded.push(*c),
        }
    }
    let mut result = Vec::with_capacity(folded.len());
    let mut at = 0;
    while let Some(c) = folded.get(at) {
        let mut end = at;
        let mut next = at;
        while next <= end && next < at + MAX_OVERLAPPING {
            end = foldings_at(&folded, next).iter().map(|(length, _)| next + length - 1).fold(end, usize::max);
            next += 1;
        }
        if end == at {
            result.push(literal_node(*c));
            at += 1;
            continue;
        }
        let together = folded.get(at..=end).unwrap_or_default();
        result.push(fold_alternatives(together));
        at = end + 1;
    }
    result
}

/// All alternatives for characters that fold together.
fn fold_alternatives(run: &[char]) -> Node {
    let Some(first) = run.first() else { return Node::Empty };
    let rest = |length: usize| run.get(length..).unwrap_or_default();
    let followed = |node: Node, rest: &[char]| {
        if rest.is_empty() { node } else { Node::Concat(vec![node, fold_alternatives(rest)]) }
    };
    let found = foldings_at(run, 0);
    let mut branches = vec![followed(literal_node(*first), rest(1))];
    for (length, chars) in found {
        let mut same: Vec<Node> = chars.into_iter().map(literal_node).collect();
        let node = if same.len() == 1 { same.pop().unwrap_or(Node::Empty) } else { Node::Alternate(same) };
        branches.push(followed(node, rest(length)));
    }
    if branches.len() == 1 { branches.pop().unwrap_or(Node::Empty) } else { Node::Alternate(branches) }
}

fn literal_node(c: char) -> Node {
    Node::Char(literal(c))
}

/// Adds the foldings of a class's characters as alternatives, unless the class is negated.
fn expand_class(node: &mut Node) {
    let Node::Char(set) = &*node else { return };
    if !set.starts_with('[') || set.starts_with("[^") || set.is_ascii() || set.contains(r"\p{") {
        return;
    }
    let Ok(members) = regex::Regex::new(&format!(r"\A{set}\z")) else { return };
    let foldings: Vec<Node> = folds::all()
        .filter(|(c, _)| members.is_match(c.encode_utf8(&mut [0; 4])))
        .map(|(_, folding)| Node::Concat(folding.chars().map(literal_node).collect()))
        .collect();
    if !foldings.is_empty() {
        let class = std::mem::replace(node, Node::Empty);
        *node = Node::Alternate(std::iter::once(class).chain(foldings).collect());
    }
}
