//! Parses the source of a Ruby regular expression.
//!
//! In: the source between the slashes. Out: [`Pattern`], or Ruby's error message without `: /source/`. Must not know: how the engines
//! match a node; `emit` does.

mod behind;
mod endless;
mod fold;
mod folds;
mod group;
mod reference;

use super::class;
pub(super) use behind::Widths;

/// The deepest nesting of groups, classes and options. Ruby's limit is 4096.
const MAX_DEPTH: usize = 250;

/// The characters that types such as `\w` and `[[:alpha:]]` contain: Ruby's `(?d)`, `(?a)`, `(?u)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Charset {
    /// `\w`, `\d`, `\s` and `\h` are ASCII, POSIX brackets and `\b` are Unicode: the default.
    Default,
    /// All are ASCII.
    Ascii,
    /// All are Unicode.
    Unicode,
}

/// The options that apply at a position of the pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// `(?x)`: spaces and `#` comments are ignored.
    extended: bool,
    /// `(?i)`.
    pub(super) ignore_case: bool,
    /// `(?m)`: the dot matches a newline, too.
    dot_all: bool,
    /// `(?d)`, `(?a)`, `(?u)`.
    pub(super) charset: Charset,
}

/// How a repetition chooses the number of its rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Greed {
    /// As many as possible.
    Greedy,
    /// As few as possible.
    Lazy,
    /// As many as possible, without backtracking.
    Possessive,
}

/// One node of the pattern.
#[derive(Debug)]
pub(super) enum Node {
    /// Matches the empty string.
    Empty,
    /// A pattern in the engines' syntax that matches exactly one character.
    Char(String),
    /// An assertion that both engines support (`\A`, `\z`, `\b`, `(?m:$)`).
    Assert(&'static str),
    /// A pattern that only the backtracking engine supports; true if it can match the empty string.
    Fancy(String, bool),
    /// `^`: the start of the string, or after a newline that is not its last character.
    LineStart,
    /// `\Z`: the end of the string, or before a newline that is its last character.
    TextEnd,
    /// `ab`: nodes in sequence.
    Concat(Vec<Node>),
    /// `a|b`: the first alternative that matches.
    Alternate(Vec<Node>),
    /// `*`, `+`, `?`, `{m,n}`.
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, greed: Greed },
    /// A capturing group; the number is its index in [`Pattern::groups`].
    Capture(usize, Box<Node>),
    /// `(?:…)`.
    Group(Box<Node>),
    /// `(?i:…)` or `(?-i:…)`.
    Case(bool, Box<Node>),
    /// `(?=…)`, `(?!…)`.
    LookAhead { negative: bool, node: Box<Node> },
    /// `(?<=…)`, `(?<!…)`.
    LookBehind { negative: bool, node: Box<Node> },
    /// `(?>…)`.
    Atomic(Box<Node>),
    /// `\1`, `\k<name>`: the indexes of the groups (several if groups share the name). `level` of `\k<name+1>` is the recursion level
    /// relative to the reference.
    BackReference { groups: Vec<usize>, level: Option<i64> },
    /// `\g<name>`: the index of the group; `None` for the whole pattern.
    Call(Option<usize>),
    /// `(?~…)`: the longest string that does not contain a match of this node.
    Absent(Box<Node>),
    /// `(?(1)yes|no)`.
    Condition { group: usize, yes: Box<Node>, no: Box<Node> },
}

impl Node {
    /// Calls `f` with each direct child.
    pub(super) fn each_part<'n>(&'n self, f: &mut dyn FnMut(&'n Node)) {
        match self {
            Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().for_each(f),
            Node::Repeat { node, .. }
            | Node::Capture(_, node)
            | Node::Group(node)
            | Node::Case(_, node)
            | Node::LookAhead { node, .. }
            | Node::LookBehind { node, .. }
            | Node::Absent(node)
            | Node::Atomic(node) => f(node),
            Node::Condition { yes, no, .. } => {
                f(yes);
                f(no);
            }
            Node::Empty | Node::Char(_) | Node::Assert(_) | Node::Fancy(..) | Node::LineStart | Node::TextEnd => {}
            Node::BackReference { .. } | Node::Call(_) => {}
        }
    }
}

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The node of the whole pattern.
    pub(super) root: Node,
    /// The name, if any, of each capturing parenthesis.
    pub(super) groups: Vec<Option<String>>,
}

/// The minimum and maximum (`None`: unlimited) of a repetition, and its greed.
type Quantifier = (u32, Option<u32>, Greed);

/// The target of a reference or call, resolved after all groups have been parsed.
enum Target {
    Number(usize),
    /// `\g<+1>`: a group relative to the number of groups before the reference.
    Ahead(usize, usize),
    /// All groups with a name, or those among the first few groups.
    Name(String, Option<usize>),
}

/// Parses `source`.
/// # Errors
/// The message of Ruby's `RegexpError`, without `: /source/`.
pub(super) fn parse(source: &str) -> Result<Pattern, String> {
    let mut parser =
        Parser { chars: source.chars().collect(), at: 0, groups: Vec::new(), targets: Vec::new(), depth: 0 };
    let mut options = Options { extended: false, ignore_case: false, dot_all: false, charset: Charset::Default };
    let mut root = parser.parse_alternation(&mut options)?;
    if parser.peek() == Some(')') {
        return Err("unmatched close parenthesis".into());
    }
    let resolved = parser.resolve()?;
    bind(&mut root, &resolved);
    let widths = Widths::new(&root);
    endless::check(&root, &widths.groups)?;
    let named = parser.groups.iter().any(Option::is_some);
    let captures = |group: usize| !named || parser.groups.get(group).is_some_and(Option::is_some);
    behind::check(&root, &widths, &captures)?;
    check_conditions(&root)?;
    fold::expand(&mut root, false);
    Ok(Pattern { root, groups: parser.groups })
}

/// Returns Ruby's error if a condition has more than two alternatives.
fn check_conditions(node: &Node) -> Result<(), String> {
    if let Node::Condition { no, .. } = node
        && matches!(**no, Node::Alternate(_))
    {
        return Err("invalid conditional pattern".into());
    }
    let mut result = Ok(());
    node.each_part(&mut |part| {
        if result.is_ok() {
            result = check_conditions(part);
        }
    });
    result
}

/// Replaces indexes of targets, which the parser stored in nodes, by the resolved groups.
fn bind(node: &mut Node, resolved: &[Vec<usize>]) {
    match node {
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter_mut().for_each(|node| bind(node, resolved)),
        Node::Repeat { node, .. }
        | Node::Capture(_, node)
        | Node::Group(node)
        | Node::Case(_, node)
        | Node::LookAhead { node, .. }
        | Node::LookBehind { node, .. }
        | Node::Atomic(node) => bind(node, resolved),
        Node::Absent(node) => bind(node, resolved),
        Node::BackReference { groups: target, .. } => {
            *target = target.first().and_then(|at| resolved.get(*at)).cloned().unwrap_or_default();
        }
        Node::Call(Some(target)) => {
            *target = resolved.get(*target).and_then(|groups| groups.last()).copied().unwrap_or(0);
        }
        Node::Condition { group, yes, no } => {
            *group = resolved.get(*group).and_then(|groups| groups.first()).copied().unwrap_or(behind::NO_GROUP);
            bind(yes, resolved);
            bind(no, resolved);
        }
        Node::Empty | Node::Char(_) | Node::Assert(_) | Node::LineStart | Node::TextEnd => {}
        Node::Fancy(..) | Node::Call(None) => {}
    }
}

/// The parser: a cursor over the pattern. `class` uses it, too.
pub(super) struct Parser {
    chars: Vec<char>,
    at: usize,
    groups: Vec<Option<String>>,
    /// The targets of `\1`, `\k<…>`, `\g<…>` and conditions, and whether each is a call.
    targets: Vec<(Target, bool)>,
    depth: usize,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek();
        if next.is_some() {
            self.at += 1;
        }
        next
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let fits = text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c));
        if fits {
            self.at += text.chars().count();
        }
        fits
    }

    /// The position of the cursor, for [`Parser::rewind`].
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn rewind(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Increments the depth, or returns an error at the limit. Every recursive rule calls it first.
    pub(super) fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err("too deep nest level for parser".into()) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn parse_alternation(&mut self, options: &mut Options) -> Result<Node, String> {
        self.enter()?;
        let mut branches = vec![self.parse_sequence(options)?];
        while self.eat("|") {
            branches.push(self.parse_sequence(options)?);
        }
        self.leave();
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Node::Empty),
            _ => Node::Alternate(branches),
        })
    }

    fn parse_sequence(&mut self, options: &mut Options) -> Result<Node, String> {
        let mut nodes = Vec::new();
        loop {
            self.skip_ignored(options)?;
            let Some(c) = self.peek() else { break };
            if c == '|' || c == ')' {
                break;
            }
            if self.parse_quantifier()?.is_some() {
                return Err("target of repeat operator is not specified".into());
            }
            if let Some(inner) = self.parse_option_switch(options)? {
                // Options apply to the rest of the group, including alternatives: `a(?i)b|c` is `a(?i:b|c)`.
                let node = self.parse_alternation(&mut inner.clone())?;
                nodes.push(Node::Case(inner.ignore_case, Box::new(node)));
                break;
            }
            let mut node = self.parse_atom(options)?;
            let mut levels = 0;
            loop {
                self.skip_ignored(options)?;
                let Some((min, max, greed)) = self.parse_quantifier()? else { break };
                // As many levels as groups may have: `a****`.
                levels += 1;
                if self.depth + levels > MAX_DEPTH {
                    return Err("too deep nest level for parser".into());
                }
                node = Node::Repeat { node: Box::new(node), min, max, greed };
            }
            nodes.push(node);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.pop().unwrap_or(Node::Empty),
            _ => Node::Concat(nodes),
        })
    }

    /// Skips comment groups, and with `(?x)` spaces and `#` comments.
    fn skip_ignored(&mut self, options: &Options) -> Result<(), String> {
        loop {
            match self.peek() {
                Some('(') if self.peek_at(1) == Some('?') && self.peek_at(2) == Some('#') => {
                    self.at += 3;
                    loop {
                        match self.next() {
                            Some('\\') => {
                                self.next();
                            }
                            Some(')') => break,
                            Some(_) => {}
                            None => return Err("end pattern in group".into()),
                        }
                    }
                }
                Some(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') if options.extended => self.at += 1,
                Some('#') if options.extended => while self.next().is_some_and(|c| c != '\n') {},
                _ => return Ok(()),
            }
        }
    }

    /// Reads a quantifier, if there is one at the cursor. A `{` that does not begin a quantifier is a literal.
    fn parse_quantifier(&mut self) -> Result<Option<Quantifier>, String> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.parse_interval(),
            _ => return Ok(None),
        };
        self.at += 1;
        let greed = if self.eat("?") {
            Greed::Lazy
        } else if self.eat("+") {
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        Ok(Some((min, max, greed)))
    }

    /// Reads `{n}`, `{n,}`, `{,m}` or `{n,m}`. A `?` after it makes it lazy, except `{n}?`; a `+` after it repeats the repetition.
    fn parse_interval(&mut self) -> Result<Option<Quantifier>, String> {
        let mark = self.mark();
        self.at += 1;
        let low = self.parse_number("too big number for repeat range", 100_000)?;
        let comma = self.eat(",");
        let high = if comma { self.parse_number("too big number for repeat range", 100_000)? } else { low };
        if !self.eat("}") || (low.is_none() && high.is_none()) {
            self.rewind(mark);
            return Ok(None);
        }
        let (min, max) = (low.unwrap_or(0), high);
        if max.is_some_and(|max| max < min) {
            return Err("upper is smaller than lower in repeat range".into());
        }
        // `a{2}?` is an optional `a{2}`, not a lazy one: the `?` is the next quantifier.
        let fixed = !comma;
        let greed = if !fixed && self.eat("?") { Greed::Lazy } else { Greed::Greedy };
        Ok(Some((min, max, greed)))
    }

    fn parse_number(&mut self, too_big: &str, limit: u32) -> Result<Option<u32>, String> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let next = value.unwrap_or(0u32).saturating_mul(10).saturating_add(digit);
            if next > limit {
                return Err(too_big.into());
            }
            value = Some(next);
            self.at += 1;
        }
        Ok(value)
    }

    /// Reads `(?imx-imx)` and returns the options for the rest of the group; `None` for `(?imx-imx:`.
    fn parse_option_switch(&mut self, options: &Options) -> Result<Option<Options>, String> {
        if self.peek() != Some('(') || self.peek_at(1) != Some('?') {
            return Ok(None);
        }
        if !self.peek_at(2).is_none_or(|c| "imxadu-".contains(c)) {
            return Ok(None);
        }
        let mark = self.mark();
        self.at += 2;
        let changed = self.parse_option_letters(*options)?;
        if self.next() == Some(')') {
            return Ok(Some(changed));
        }
        self.rewind(mark);
        Ok(None)
    }

    /// Reads the letters of `(?imx-imx` up to `)` or `:`, which is not consumed.
    fn parse_option_letters(&mut self, mut options: Options) -> Result<Options, String> {
        let mut on = true;
        loop {
            match self.peek() {
                None => return Err("end pattern in group".into()),
                Some(')' | ':') => return Ok(options),
                Some('-') => on = false,
                Some('i') => options.ignore_case = on,
                Some('m') => options.dot_all = on,
                Some('x') => options.extended = on,
                Some('a') if on => options.charset = Charset::Ascii,
                Some('u') if on => options.charset = Charset::Unicode,
                Some('d') if on => options.charset = Charset::Default,
                Some(_) => return Err("undefined group option".into()),
            }
            self.at += 1;
        }
    }

    fn parse_atom(&mut self, options: &mut Options) -> Result<Node, String> {
        let Some(c) = self.next() else { return Ok(Node::Empty) };
        Ok(match c {
            '.' => Node::Char(if options.dot_all { "(?s:.)".into() } else { ".".into() }),
            '^' => Node::LineStart,
            '$' => Node::Assert("(?m:$)"),
            '[' => Node::Char(class::parse_bracket(self, options)?),
            '(' => self.parse_group(options)?,
            '\\' => self.parse_escape(options)?,
            c => Node::Char(literal(c)),
        })
    }
}

/// A literal character in the engines' syntax.
pub(super) fn literal(c: char) -> String {
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
        return format!("\\{c}");
    }
    if c.is_control() {
        return format!("\\x{{{:X}}}", u32::from(c));
    }
    c.to_string()
}
