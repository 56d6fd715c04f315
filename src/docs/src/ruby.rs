//! Documentation in the Ruby of modules: functions of both APIs and resource types.
//!
//! In: the contents of a file. Out: its comments and `desc` calls, with signatures. The Ruby is parsed, never run: computed strings are
//! left out. Must not: read files.

use std::fmt::Write;

use crate::comment;
use crate::comment::Comment;
use crate::page::Attribute;
use crate::page::Page;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Pair;
use catwalk_ruby_syntax::ast::StrPart;
use catwalk_ruby_syntax::parser;

/// The limit on the depth of nodes that are searched for definitions.
const DEPTH: usize = 40;

/// A function of the file `name.rb`.
pub(super) fn function(name: &str, text: &str) -> Page {
    let mut page = Page { name: name.to_owned(), kind: "function", ..Page::default() };
    let Ok(tree) = parser::parse(text, false) else { return page };
    let mut calls = Vec::new();
    collect(&tree, &["create_function", "newfunction"], &mut calls, 0);
    let Some((call, line)) = calls.first() else { return page };
    if &*call.name == "newfunction" {
        let doc = call.args.iter().find_map(|arg| entry(arg, "doc")).and_then(string_value);
        let lines: Vec<String> = match doc {
            Some(doc) => without_indentation(&doc).lines().map(str::to_owned).collect(),
            // Without `:doc`, the comment is above the function, or above its module.
            None => {
                let comment_above = comment::above(text, *line as usize, &["#"]);
                let outer = text.lines().position(|line| line.starts_with("module ")).unwrap_or(0);
                if comment_above.is_empty() { comment::above(text, outer + 1, &["#"]) } else { comment_above }
            }
        };
        fill(&mut page, comment::parse(&lines));
        page.signatures.push(format!("{name}(Any *$args)"));
        return page;
    }
    let mut comment = comment::parse(&comment::above(text, *line as usize, &["#"]));
    let mut dispatches = Vec::new();
    if let Some(block) = &call.block {
        collect(&block.body, &["dispatch"], &mut dispatches, 0);
    }
    for (dispatch, line) in &dispatches {
        comment.add(comment::parse(&comment::above(text, *line as usize, &["#"])));
        page.signatures.push(signature(name, dispatch));
    }
    if page.signatures.is_empty() {
        page.signatures.push(format!("{name}(Any *$args)"));
    }
    fill(&mut page, comment);
    page
}

/// Puts a comment's parts into a page.
pub(super) fn fill(page: &mut Page, comment: Comment) {
    page.doc = comment.doc();
    page.notes = comment.notes();
    for (name, data_type, doc) in &comment.params {
        let attribute = Attribute {
            name: name.clone(),
            kind: "parameter".to_owned(),
            data_type: data_type.clone(),
            doc: doc.clone(),
            ..Attribute::default()
        };
        page.attributes.push(attribute);
    }
    page.examples = comment.examples;
}

/// `f(String $a, Integer $b = …)` of `dispatch :x do … end`.
fn signature(name: &str, dispatch: &Call) -> String {
    const KINDS: [&str; 9] = [
        "param",
        "required_param",
        "optional_param",
        "repeated_param",
        "optional_repeated_param",
        "required_repeated_param",
        "block_param",
        "required_block_param",
        "optional_block_param",
    ];
    let mut calls = Vec::new();
    if let Some(block) = &dispatch.block {
        collect(&block.body, &KINDS, &mut calls, 0);
        collect(&block.body, &["return_type"], &mut calls, 0);
    }
    let argument = |call: &Call, at: usize| call.args.get(at).and_then(string_value);
    let mut parts = Vec::new();
    let mut returns = String::new();
    for (call, _) in calls {
        let name = &*call.name;
        if name == "return_type" {
            let _ = write!(returns, " >> {}", argument(call, 0).unwrap_or_default());
            continue;
        }
        let block = name.ends_with("block_param");
        let (data_type, variable) = match (argument(call, 0), argument(call, 1)) {
            (Some(data_type), Some(variable)) => (data_type, variable),
            (Some(only), None) if block => ("Callable".to_owned(), only),
            _ if block => ("Callable".to_owned(), "block".to_owned()),
            _ => continue,
        };
        parts.push(match name {
            "optional_param" => format!("Optional[{data_type}] ${variable}"),
            "repeated_param" | "optional_repeated_param" => format!("{data_type} *${variable}"),
            "required_repeated_param" => format!("{data_type} *${variable} (at least one)"),
            "optional_block_param" => format!("Optional[{data_type}] &${variable}"),
            _ if block => format!("{data_type} &${variable}"),
            _ => format!("{data_type} ${variable}"),
        });
    }
    format!("{name}({}){returns}", parts.join(", "))
}

/// A resource type of the file `name.rb`: its description and its attributes.
pub(super) fn resource_type(name: &str, text: &str) -> Page {
    let mut page = Page { name: name.to_owned(), kind: "resource type", ..Page::default() };
    let Ok(tree) = parser::parse(text, false) else { return page };
    let mut calls = Vec::new();
    collect(&tree, &["newtype", "register_type"], &mut calls, 0);
    let Some((call, _)) = calls.first() else { return page };
    if &*call.name == "register_type" {
        resource_api(call, &mut page);
        return page;
    }
    let Some(block) = &call.block else { return page };
    let lines: Vec<String> = description(&block.body).lines().map(str::to_owned).collect();
    let comment = comment::parse(&lines);
    page.doc = comment.doc();
    page.notes = comment.notes();
    page.examples = comment.examples;
    let mut attributes = Vec::new();
    collect(&block.body, &["newparam", "newproperty", "ensurable", "feature"], &mut attributes, 0);
    for (call, _) in attributes {
        let named = call.args.first().and_then(string_value);
        match (&*call.name, named) {
            ("feature", Some(feature)) => {
                let doc = call.args.get(1).and_then(string_value).map(|text| on_one_line(&text)).unwrap_or_default();
                page.notes.push((format!("feature {feature}"), doc));
            }
            ("ensurable", _) => page.attributes.push(attribute("ensure".to_owned(), "property", call)),
            ("newproperty", Some(name)) => page.attributes.push(attribute(name, "property", call)),
            ("newparam", Some(name)) => page.attributes.push(attribute(name, "parameter", call)),
            _ => {}
        }
    }
    page
}

fn attribute(name: String, kind: &str, call: &Call) -> Attribute {
    let mut attribute = Attribute { name, kind: kind.to_owned(), ..Attribute::default() };
    let features = call.args.get(1).and_then(|options| entry(options, "required_features"));
    attribute.feature = features.and_then(|features| match &features.kind {
        NodeKind::Array(items) => Some(items.iter().filter_map(string_value).collect::<Vec<_>>().join(", ")),
        _ => string_value(features),
    });
    let Some(block) = &call.block else { return attribute };
    attribute.doc = description(&block.body);
    let mut calls = Vec::new();
    collect(&block.body, &["newvalue", "newvalues", "defaultto", "isnamevar"], &mut calls, 0);
    for (call, _) in calls {
        match &*call.name {
            "isnamevar" => "namevar".clone_into(&mut attribute.kind),
            "defaultto" => attribute.default = call.args.first().and_then(literal),
            "newvalue" => attribute.values.extend(call.args.first().and_then(literal)),
            _ => attribute.values.extend(call.args.iter().filter_map(literal)),
        }
    }
    attribute
}

/// The description of `desc` or `@doc` in a body.
fn description(body: &Node) -> String {
    let statements: &[Node] = match &body.kind {
        NodeKind::Block(statements) => statements,
        _ => std::slice::from_ref(body),
    };
    let description = statements.iter().find_map(|statement| match &statement.kind {
        NodeKind::Call(call) if &*call.name == "desc" => call.args.first().and_then(string_value),
        NodeKind::Assign(target, value) if matches!(&target.kind, NodeKind::IVar(variable) if &*variable.name == "doc") => {
            string_value(value)
        }
        _ => None,
    });
    without_indentation(&description.unwrap_or_default())
}

/// `Puppet::ResourceApi.register_type(name: …, docs: …, attributes: { … })`
fn resource_api(call: &Call, page: &mut Page) {
    let Some(schema) = call.args.first() else { return };
    let doc = entry(schema, "docs").or_else(|| entry(schema, "desc")).and_then(string_value);
    page.doc = without_indentation(&doc.unwrap_or_default());
    let Some(NodeKind::Hash(attributes)) = entry(schema, "attributes").map(|node| &node.kind) else { return };
    for pair in attributes {
        let Pair::Entry(name, details) = pair else { continue };
        let text = |key: &str| entry(details, key).and_then(string_value);
        let behaviour = text("behaviour").or_else(|| text("behavior"));
        page.attributes.push(Attribute {
            name: string_value(name).unwrap_or_default(),
            kind: match behaviour.as_deref() {
                Some("namevar") => "namevar",
                Some("parameter") => "parameter",
                _ => "property",
            }
            .to_owned(),
            data_type: text("type").unwrap_or_default(),
            default: entry(details, "default").and_then(literal),
            doc: on_one_line(&text("desc").unwrap_or_default()),
            ..Attribute::default()
        });
    }
}

/// The value of a key of a hash literal or of keyword arguments.
fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let NodeKind::Hash(pairs) = &node.kind else { return None };
    pairs.iter().find_map(|pair| match pair {
        Pair::Entry(name, value) if string_value(name).as_deref() == Some(key) => Some(value),
        _ => None,
    })
}

/// The string value of a node: literals, their concatenation, and arguments of `_()`.
fn string_value(node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Str(text) => Some(text.to_string()),
        NodeKind::Symbol(text) => Some(text.to_string()),
        NodeKind::InterpolatedStr(parts) => Some(
            parts
                .iter()
                .map(|part| match part {
                    StrPart::Literal(text) => text.to_string(),
                    StrPart::Code(_) => "…".to_owned(),
                })
                .collect(),
        ),
        NodeKind::Call(call) => match (&*call.name, &call.receiver) {
            ("+", Some(left)) => Some(format!("{}{}", string_value(left)?, string_value(call.args.first()?)?)),
            ("_", None) => string_value(call.args.first()?),
            (_, Some(receiver)) => string_value(receiver),
            _ => None,
        },
        _ => None,
    }
}

/// A value in Puppet syntax.
fn literal(node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Bool(value) => Some(value.to_string()),
        NodeKind::Int(value) => Some(value.to_string()),
        NodeKind::Float(value) => Some(value.to_string()),
        NodeKind::Regexp(parts, ..) => match parts.as_slice() {
            [StrPart::Literal(text)] => Some(format!("/{text}/")),
            _ => None,
        },
        NodeKind::Call(_) => None,
        _ => string_value(node),
    }
}

/// Calls of some names, with their lines, except those within such a call.
fn collect<'a>(node: &'a Node, names: &[&str], calls: &mut Vec<(&'a Call, u32)>, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let mut inner = |node: &'a Node| collect(node, names, calls, depth + 1);
    match &node.kind {
        NodeKind::Block(statements) => statements.iter().for_each(inner),
        NodeKind::Class(class) => inner(&class.body),
        NodeKind::Begin(body, ..) => inner(body),
        NodeKind::Assign(_, value) => inner(value),
        NodeKind::If(_, then, otherwise) => {
            inner(then);
            inner(otherwise);
        }
        NodeKind::Call(call) if names.contains(&&*call.name) => calls.push((call, node.line)),
        NodeKind::Call(call) => {
            if let Some(receiver) = &call.receiver {
                inner(receiver);
            }
            if let Some(block) = &call.block {
                inner(&block.body);
            }
        }
        _ => {}
    }
}

/// A string without the indentation of its code; the first line may have none.
fn without_indentation(text: &str) -> String {
    let text = text.trim_end();
    match text.split_once('\n') {
        Some((first, rest)) if !first.trim().is_empty() && !first.starts_with(' ') => {
            let rest: Vec<&str> = rest.lines().collect();
            format!("{first}\n{}", comment::unindented(&rest))
        }
        _ => comment::unindented(&text.lines().collect::<Vec<_>>()),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
