//! `(?i)` where one character stands for several: `ß` for `ss`, `ﬁ` for `fi`. The engines fold one character to one.
//!
//! In: a parsed pattern. Out: the pattern with other case variants added as alternatives, by the rules of Ruby's engine
//! (`expand_case_fold_string` and `i_apply_case_fold` of `regcomp.c`): only characters that stand directly behind each other
//! fold together. Looking behind stays as it is. Must not know: groups, engines.

use super::Node;
use super::folds;
use super::literal;

/// With more alternatives than this Ruby folds the rest of a string as a whole (`THRESHOLD_CASE_FOLD_ALT_FOR_EXPANSION`).
const MOST_WAYS: usize = 8;

/// So many characters that overlap in what they fold to are looked at together: the ways double with each few.
const MOST_TOGETHER: usize = 12;

/// A repetition of one character up to this often is expanded. (`EXPAND_STRING_MAX_LENGTH`)
const MOST_REPEATED: u32 = 100;

/// Adds to `node` what it also matches because case is ignored.
pub(super) fn expand(node: &mut Node, ignore_case: bool) {
    match node {
        Node::Case(ignore, inner) => expand(inner, *ignore),
        Node::LookBehind { .. } => {}
        Node::Concat(nodes) if ignore_case => {
            let mut made = Vec::with_capacity(nodes.len());
            let mut run = Vec::new();
            for mut node in std::mem::take(nodes) {
                if let Some(c) = character(&node) {
                    run.push(c);
                    continue;
                }
                made.extend(text(&std::mem::take(&mut run)));
                expand(&mut node, ignore_case);
                made.push(node);
            }
            made.extend(text(&run));
            *nodes = made;
        }
        Node::Repeat { node: inner, min, max: Some(max), .. }
            if ignore_case && min == max && (2..=MOST_REPEATED).contains(min) && character(inner).is_some() =>
        {
            let Some(c) = character(inner) else { return };
            let run = vec![c; usize::try_from(*min).unwrap_or(0)];
            if folds::folded(c).is_some() || !spans(&run, 0).is_empty() {
                *node = Node::Group(Box::new(Node::Concat(text(&run))));
            }
        }
        Node::One(_) if ignore_case => match character(node) {
            Some(c) => {
                if let [only] = &mut *text(&[c]) {
                    *node = std::mem::replace(only, Node::Empty);
                }
            }
            None => class(node),
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
        Node::Empty | Node::One(_) | Node::Assert(_) | Node::Fancy(..) | Node::LineStart | Node::TextEnd => {}
        Node::Back { .. } | Node::Call(_) => {}
    }
}

/// The character a node stands for, if it was written as itself.
fn character(node: &Node) -> Option<char> {
    let Node::One(text) = node else { return None };
    let mut chars = text.chars();
    match (chars.next()?, chars.next(), chars.next()) {
        ('.', None, _) => None,
        (c, None, _) => Some(c),
        ('\\', Some(c), None) if c.is_ascii_punctuation() => Some(c),
        _ => None,
    }
}

/// How a character folds to one.
fn simple(c: char) -> char {
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

/// How many other characters have the same case folding.
fn others(c: char) -> usize {
    match simple(c) {
        's' | 'k' | 'å' => 2,
        c => usize::from(c.to_uppercase().next() != Some(c)),
    }
}

/// How many characters from `at` on are what single characters fold to, and which.
fn spans(run: &[char], at: usize) -> Vec<(usize, Vec<char>)> {
    let Some(first) = run.get(at) else { return Vec::new() };
    if !folds::begins(simple(*first)) {
        return Vec::new();
    }
    let span = |length: usize| {
        let text: String = run.get(at..at + length)?.iter().map(|c| simple(*c)).collect();
        let found: Vec<char> = folds::unfolded(&text).collect();
        (!found.is_empty()).then_some((length, found))
    };
    [span(2), span(3)].into_iter().flatten().collect()
}

/// Characters that follow each other.
fn text(run: &[char]) -> Vec<Node> {
    if !run.iter().any(|c| folds::folded(*c).is_some()) {
        return whole(run);
    }
    let mut made = Vec::new();
    let mut ways = 1usize;
    let mut plain = Vec::new();
    for (at, c) in run.iter().enumerate() {
        let own = folds::folded(*c);
        let several: usize = spans(run, at).iter().map(|(_, chars)| chars.len()).sum();
        if own.is_none() && several == 0 {
            plain.push(*c);
            continue;
        }
        let found = match own {
            Some(own) => {
                own.chars().map(|part| 1 + others(part)).product::<usize>()
                    + folds::unfolded(own).count().saturating_sub(1)
            }
            None => others(*c) + several,
        };
        ways = ways.saturating_mul(found + 1);
        if ways > MOST_WAYS {
            made.extend(whole(&plain));
            made.extend(whole(run.get(at..).unwrap_or_default()));
            return made;
        }
        let Some(own) = own else {
            plain.push(*c);
            continue;
        };
        made.extend(whole(&std::mem::take(&mut plain)));
        let mut branches: Vec<Node> = folds::unfolded(own).map(one).collect();
        branches.push(Node::Concat(own.chars().map(one).collect()));
        made.push(Node::Alternate(branches));
    }
    made.extend(whole(&plain));
    made
}

/// Folds characters as a whole: each may be replaced by others with the same folding.
fn whole(run: &[char]) -> Vec<Node> {
    let mut folded = Vec::with_capacity(run.len());
    for c in run {
        match folds::folded(*c) {
            Some(own) => folded.extend(own.chars()),
            None => folded.push(*c),
        }
    }
    let mut made = Vec::with_capacity(folded.len());
    let mut at = 0;
    while let Some(c) = folded.get(at) {
        let mut end = at;
        let mut next = at;
        while next <= end && next < at + MOST_TOGETHER {
            end = spans(&folded, next).iter().map(|(length, _)| next + length - 1).fold(end, usize::max);
            next += 1;
        }
        if end == at {
            made.push(one(*c));
            at += 1;
            continue;
        }
        let together = folded.get(at..=end).unwrap_or_default();
        made.push(ways(together));
        at = end + 1;
    }
    made
}

/// All ways to match characters that fold together.
fn ways(run: &[char]) -> Node {
    let Some(first) = run.first() else { return Node::Empty };
    let rest = |length: usize| run.get(length..).unwrap_or_default();
    let followed = |node: Node, rest: &[char]| {
        if rest.is_empty() { node } else { Node::Concat(vec![node, ways(rest)]) }
    };
    let found = spans(run, 0);
    let mut branches = vec![followed(one(*first), rest(1))];
    for (length, chars) in found {
        let mut same: Vec<Node> = chars.into_iter().map(one).collect();
        let node = if same.len() == 1 { same.pop().unwrap_or(Node::Empty) } else { Node::Alternate(same) };
        branches.push(followed(node, rest(length)));
    }
    if branches.len() == 1 { branches.pop().unwrap_or(Node::Empty) } else { Node::Alternate(branches) }
}

fn one(c: char) -> Node {
    Node::One(literal(c))
}

/// A class that names characters which fold to several: those match as well, unless it is negated.
fn class(node: &mut Node) {
    let Node::One(set) = &*node else { return };
    if !set.starts_with('[') || set.starts_with("[^") || set.is_ascii() || set.contains(r"\p{") {
        return;
    }
    let Ok(members) = regex::Regex::new(&format!(r"\A{set}\z")) else { return };
    let texts: Vec<Node> = folds::all()
        .filter(|(c, _)| members.is_match(c.encode_utf8(&mut [0; 4])))
        .map(|(_, own)| Node::Concat(own.chars().map(one).collect()))
        .collect();
    if !texts.is_empty() {
        let class = std::mem::replace(node, Node::Empty);
        *node = Node::Alternate(std::iter::once(class).chain(texts).collect());
    }
}
