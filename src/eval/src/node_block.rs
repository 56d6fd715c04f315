//! Node blocks: which one applies to a node (Puppet::Parser::Compiler#evaluate_ast_node, Puppet::Resource::TypeCollection#node).

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use crate::class::REGULAR;
use crate::resource::NewResource;
use crate::resource::parse_error;
use crate::state::Params;
use crate::state::ResourceDefinition;
use crate::state::Source;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_base::version::Version;
use catwalk_catalog::Kind;
use catwalk_regexp::Regexp;
use catwalk_syntax::ast::Definition;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Value;

/// The node block that applies to a node, by its index.
struct NodeMatch {
    block: usize,
    /// The title of its resource.
    name: String,
    /// The captures of its regular expression.
    captures: Option<Vec<Value>>,
}

/// The matches of a program's node blocks.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Names in lower case, each with the first block that has it.
    literals: FxHashMap<String, usize>,
    patterns: Vec<Pattern>,
    version: Version,
}

#[derive(Debug)]
struct Pattern {
    block: usize,
    regexp: Arc<Regexp>,
    title: String,
}

impl<'c> Evaluator<'c> {
    /// Fails if two node blocks have the same name (TypeCollection#add_node).
    pub(crate) fn check_node_blocks(&self) -> Res<()> {
        let version = self.settings.version;
        let mut seen: HashMap<String, &Definition> = HashMap::new();
        for definition in self.program.nodes() {
            let DefinitionKind::Node(node) = &definition.kind else { continue };
            for expr in &node.matches {
                let name = match &expr.kind {
                    ExprKind::Regex(regexp) => Some(regexp_title(regexp.source(), version)),
                    _ => literal(expr),
                };
                let Some(name) = name else { continue };
                if let Some(first) = seen.get(&name) {
                    let location =
                        self.location(Some(first.span)).map_or_else(String::new, |location| format!(" {location}"));
                    let text = format!("Node '{name}' is already defined{location}; cannot redefine");
                    return parse_error(text, Some(definition.span));
                }
                if name.is_empty() {
                    // The main class has no name.
                    let text = "Class '' is already defined; cannot be redefined as a node".to_owned();
                    return parse_error(text, Some(definition.span));
                }
                if let Some(class) = self.program.loaded_class(Name::new(&name)) {
                    let location =
                        |span| self.location(Some(span)).map_or_else(String::new, |location| format!(" {location}"));
                    let class_first = self.main_order(class.span) < self.main_order(definition.span);
                    return if class_first {
                        let text = format!(
                            "Class '{name}' is already defined{}; cannot be redefined as a node",
                            location(class.span)
                        );
                        parse_error(text, Some(definition.span))
                    } else {
                        let text = format!(
                            "Node '{name}' is already defined{}; cannot be redefined as a class",
                            location(definition.span)
                        );
                        parse_error(text, Some(class.span))
                    };
                }
                seen.insert(name, definition);
            }
        }
        Ok(())
    }

    /// A sort key for positions in the main manifest. File ids alone are no order: a session may have read the files in a different
    /// order.
    pub(crate) fn main_order(&self, span: Span) -> (Option<usize>, u32) {
        (self.program.main().iter().position(|file| file.id == span.file), span.start)
    }

    /// Evaluates the node block that matches the node, if the manifests have node blocks.
    ///
    /// # Errors
    ///
    /// No block matches; a failure in the block.
    pub fn evaluate_node_block(&mut self) -> Res<()> {
        let nodes = self.program.nodes();
        if nodes.is_empty() {
            return Ok(());
        }
        let certname = self.node.certname.clone();
        let blocks = Blocks::new(&nodes, self.settings.version);
        let Some(node_match) = blocks.find_for_node(&certname) else {
            let text = format!("Could not find node statement with name 'default' or '{certname}'");
            return parse_error(text, None);
        };
        let match_by_title = match blocks.match_by_title(&node_match) {
            Ok(found) => found,
            Err(()) => return Err(crate::Stop::runtime("Cannot find definition Node")),
        };
        for block in [Some(&node_match), match_by_title.as_ref()].into_iter().flatten() {
            self.program.record_node_block_use(block.block);
        }
        let Some(definition) = nodes.get(match_by_title.as_ref().unwrap_or(&node_match).block) else { return Ok(()) };
        let new = NewResource {
            type_name: catwalk_base::name!("Node"),
            title: &node_match.name,
            title_is_main: false,
            title_value: None,
            declared: ResourceDefinition::Node(definition),
            kind: Kind::Unknown,
            span: None,
            form: REGULAR,
            params: Params::default(),
            scope: ScopeId::TOP,
            source: Source::Node(Name::new(&node_match.name)),
        };
        let entry = self.new_entry(new, true)?;
        self.instantiate(&entry)?;
        let id = self.add_resource(ScopeId::TOP, entry)?;
        self.state.node_class = match_by_title.as_ref().map(|title_match| title_match.name.clone());
        self.state.node_captures = match_by_title.unwrap_or(node_match).captures;
        self.evaluate_resource(id)
    }
}

impl Blocks {
    /// The blocks in order of appearance.
    #[must_use]
    pub fn new(nodes: &[&Definition], version: Version) -> Blocks {
        let mut blocks = Blocks { version, ..Blocks::default() };
        for (block, definition) in nodes.iter().enumerate() {
            let DefinitionKind::Node(node) = &definition.kind else { continue };
            for expr in &node.matches {
                if let ExprKind::Regex(regexp) = &expr.kind {
                    let title = regexp_title(regexp.source(), version);
                    blocks.patterns.push(Pattern { block, regexp: regexp.clone(), title });
                } else if let Some(name) = literal(expr) {
                    blocks.literals.entry(name).or_insert(block);
                }
            }
        }
        blocks
    }

    /// Whether two node blocks, or a node block and a class of the main manifest, have the same name, which is an error of the
    /// compile.
    #[must_use]
    pub fn clash(nodes: &[&Definition], classes: &FxHashSet<&str>, version: Version) -> bool {
        let mut seen: FxHashSet<String> = FxHashSet::default();
        nodes.iter().any(|definition| {
            let DefinitionKind::Node(node) = &definition.kind else { return false };
            node.matches.iter().any(|expr| {
                let name = match &expr.kind {
                    ExprKind::Regex(regexp) => Some(regexp_title(regexp.source(), version)),
                    _ => literal(expr),
                };
                name.is_some_and(|name| classes.contains(name.as_str()) || !seen.insert(name))
            })
        })
    }

    /// The numbers of the blocks that a node uses; empty if no block matches or Puppet fails.
    #[must_use]
    pub fn used_by(&self, certname: &str) -> Vec<usize> {
        let Some(node_match) = self.find_for_node(certname) else { return Vec::new() };
        match self.match_by_title(&node_match) {
            Ok(title_match) => {
                std::iter::once(node_match.block).chain(title_match.map(|title_match| title_match.block)).collect()
            }
            Err(()) => Vec::new(),
        }
    }

    fn find_for_node(&self, certname: &str) -> Option<NodeMatch> {
        self.find_match(&certname.to_lowercase()).or_else(|| self.find_match("default"))
    }

    /// The node block for a name: the block with that name, else the first whose regular expression matches.
    fn find_match(&self, name: &str) -> Option<NodeMatch> {
        if let Some(block) = self.literals.get(name) {
            return Some(NodeMatch { block: *block, name: name.to_owned(), captures: None });
        }
        for pattern in &self.patterns {
            if pattern.title == name {
                return Some(NodeMatch { block: pattern.block, name: name.to_owned(), captures: None });
            }
            if let Ok(Some(captures)) = pattern.regexp.captures(name) {
                let capture = |text: Option<&str>| text.map_or(Value::Undef, Value::str);
                let captures = captures.iter().map(capture).collect();
                return Some(NodeMatch { block: pattern.block, name: pattern.title.clone(), captures: Some(captures) });
            }
        }
        None
    }

    /// Puppet looks for the block again by the title of its resource in lower case. If the title has capital letters (look-around
    /// is spelled out in them), that finds another block whose regular expression happens to match, or none, which is an error.
    fn match_by_title(&self, node_match: &NodeMatch) -> Result<Option<NodeMatch>, ()> {
        let title = node_match.name.to_lowercase();
        if !self.version.look_around_in_node_names || title == node_match.name {
            return Ok(None);
        }
        self.find_match(&title).map(Some).ok_or(())
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Default => Some("default".to_owned()),
        ExprKind::Str(text) => Some(text.to_lowercase()),
        ExprKind::Bareword(name) => Some(name.to_lowercase()),
        ExprKind::Paren(inner) => literal(inner),
        _ => None,
    }
}

/// The title of the resource of a block with a regular expression.
fn regexp_title(source: &str, version: Version) -> String {
    let mut source = source.to_lowercase();
    if version.look_around_in_node_names {
        source = spell_operators(&source);
    }
    if version.lower_case_node_names {
        source = source.to_lowercase();
    }
    let name: String = source.chars().filter(|c| c.is_ascii_alphanumeric() || "-_:.".contains(*c)).collect();
    format!("__node_regexp__{}", name.trim_start_matches('.'))
}

/// The characters of groups that begin with `(?`, up to the first closing parenthesis, spelled as letters (`LOOKAROUND_OPERATORS`
/// of `Puppet::Resource::Type`).
fn spell_operators(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(at) = rest.find("(?") {
        let (before, group) = rest.split_at(at);
        out.push_str(before);
        let Some(end) = group.find(')') else {
            rest = group;
            break;
        };
        let (group, after) = group.split_at(end + 1);
        for c in group.chars() {
            match c {
                '(' => out.push_str("LP"),
                '?' => out.push_str("QU"),
                '<' => out.push_str("LT"),
                '>' => out.push_str("GT"),
                '!' => out.push_str("EX"),
                '=' => out.push_str("EQ"),
                ')' => out.push_str("RP"),
                other => out.push(other),
            }
        }
        rest = after;
    }
    out + rest
}
