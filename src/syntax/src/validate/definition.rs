//! Rules on definitions: where they are allowed, and their names and parameters.

use std::collections::HashSet;

use crate::ast::Block;
use crate::ast::Definition;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::FunctionDefinition;
use crate::ast::NodeDefinition;
use crate::ast::Parameter;
use crate::validate::Checker;
use crate::validate::Container;
use crate::validate::Placement;
use crate::validate::label::a_an;
use crate::validate::label::a_an_uc;
use crate::validate::label::definition_label;
use crate::validate::label::label;
use crate::validate::rules::has_no_effect;
use crate::validate::rules::is_literal;
use crate::validate::rules::untitled_resource_type;
use catwalk_base::diag::Code;
use catwalk_base::diag::Severity;
use catwalk_base::names::is_type_name;
use catwalk_base::source::Span;

/// Names that no class, define or function may have. (`RESERVED_TYPE_NAMES`)
const RESERVED_TYPE_NAMES: [&str; 28] = [
    "type",
    "any",
    "unit",
    "scalar",
    "boolean",
    "numeric",
    "integer",
    "float",
    "collection",
    "array",
    "hash",
    "tuple",
    "struct",
    "variant",
    "optional",
    "enum",
    "regexp",
    "pattern",
    "runtime",
    "init",
    "object",
    "sensitive",
    "semver",
    "semverrange",
    "string",
    "timestamp",
    "timespan",
    "typeset",
];

impl Checker<'_> {
    /// A file of a module may contain only definitions.
    pub(super) fn top_constructs(&mut self, body: &Block) {
        if self.options.placement == Placement::Anywhere {
            return;
        }
        for statement in &body.statements {
            let fits = match &statement.kind {
                ExprKind::Definition(definition) => !matches!(definition.kind, DefinitionKind::Node(_)),
                _ => false,
            };
            if !fits {
                let message =
                    format!("This {} is unacceptable as a top level construct in this location", label(statement));
                self.accept(Code::ILLEGAL_TOP_CONSTRUCT_LOCATION, message, statement.span);
            }
        }
    }

    pub(super) fn definition(&mut self, definition: &Definition) {
        match &definition.kind {
            DefinitionKind::Class(class) => {
                self.check_named(definition);
                self.check_class_like(definition, &class.params, &class.body);
                self.check_parameter_types(&class.params);
                self.in_container(Container::Class, |checker| {
                    checker.parameters(&class.params);
                    checker.body(&class.body);
                });
            }
            DefinitionKind::Define(define) => {
                self.check_named(definition);
                self.check_class_like(definition, &define.params, &define.body);
                self.in_container(Container::Other, |checker| {
                    checker.parameters(&define.params);
                    checker.body(&define.body);
                });
            }
            DefinitionKind::Function(function) | DefinitionKind::Plan(function) => self.function(definition, function),
            DefinitionKind::Node(node) => self.node(definition, node),
            DefinitionKind::TypeAlias(expr) => {
                self.check_top(definition);
                if !is_type_name(&definition.name) {
                    self.unacceptable_name(definition);
                }
                self.check_type_ref(expr, "Type Alias");
                self.in_container(Container::Other, |checker| checker.expr(expr));
            }
            DefinitionKind::TypeMapping(left, right) => {
                self.check_top(definition);
                self.check_mapping(definition, left, right);
                self.in_container(Container::Other, |checker| {
                    checker.expr(left);
                    checker.expr(right);
                });
            }
            DefinitionKind::TypeDefinition { body, .. } => {
                self.check_top(definition);
                self.unsupported(definition);
                self.in_container(Container::Other, |checker| checker.body(body));
            }
        }
    }

    /// `ILLEGAL_NONLITERAL_PARAMETER_TYPE`
    fn check_parameter_types(&mut self, params: &[Parameter]) {
        if !self.options.version.literal_parameter_types {
            return;
        }
        for param in params {
            let Some(expr) = &param.data_type else { continue };
            if !is_literal(expr, self.options.version) {
                // A type that is not literal has parameters, so Puppet prints the class of the expression.
                let message = format!(
                    "The parameter '${}' must be a literal type, not a Puppet::Pops::Model::AccessExpression",
                    param.name
                );
                self.accept_as(Severity::Warning, Code::ILLEGAL_NONLITERAL_PARAMETER_TYPE, message, param.span);
            }
        }
    }

    fn function(&mut self, definition: &Definition, function: &FunctionDefinition) {
        self.check_named(definition);
        self.check_return_type_of(function.return_type.as_ref(), "Function Definition");
        self.check_unique(&function.params);
        self.in_container(Container::Other, |checker| {
            checker.parameters(&function.params);
            checker.body(&function.body);
            function.return_type.iter().for_each(|expr| checker.expr(expr));
        });
    }

    fn node(&mut self, definition: &Definition, node: &NodeDefinition) {
        node.matches.iter().for_each(|host| self.check_hostname(host));
        self.check_top(definition);
        self.check_end(&node.body, "Node Definition");
        if let Some(parent) = &node.parent {
            let message = "Node inheritance is not supported in Puppet >= 4.0.0. See \
                           http://links.puppet.com/puppet-node-inheritance-deprecation";
            self.accept(Code::ILLEGAL_NODE_INHERITANCE, message, parent.span);
        }
        self.in_container(Container::Other, |checker| {
            node.parent.iter().for_each(|expr| checker.expr(expr));
            checker.all(&node.matches);
            checker.body(&node.body);
        });
    }

    /// Classes, defined types and nodes may be at the top level or in a class; functions and types only at the top level.
    fn check_top(&mut self, definition: &Definition) {
        let mut around = self.path.iter().rev().copied();
        let absolute = matches!(
            definition.kind,
            DefinitionKind::Function(_)
                | DefinitionKind::Plan(_)
                | DefinitionKind::TypeAlias(_)
                | DefinitionKind::TypeDefinition { .. }
        );
        loop {
            match around.next() {
                None | Some(Container::Class | Container::Program) => return,
                Some(Container::Apply) if !absolute => return,
                Some(Container::Block | Container::Apply) => {
                    if absolute && around.clone().next() != Some(Container::Program) {
                        let label = a_an_uc(definition_label(&definition.kind));
                        let message = format!("{label} may only appear at toplevel");
                        return self.accept(Code::NOT_ABSOLUTE_TOP_LEVEL, message, definition.span);
                    }
                }
                Some(_) => {
                    let message = "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
                    return self.accept(Code::NOT_TOP_LEVEL, message, definition.span);
                }
            }
        }
    }

    fn check_named(&mut self, definition: &Definition) {
        self.check_top(definition);
        let name = definition.name;
        if !is_definition_name(&name) {
            self.unacceptable_name(definition);
        }
        if !self.options.placement.allows(&name)
            && let Some(path) = &self.source.path
        {
            let message =
                format!("Unacceptable location. The name '{name}' is unacceptable in file '{}'", path.display());
            self.accept(Code::ILLEGAL_DEFINITION_LOCATION, message, definition.span);
        }
        if RESERVED_TYPE_NAMES.contains(&name.as_str()) {
            let message = format!(
                "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
                a_an(definition_label(&definition.kind))
            );
            self.accept(Code::RESERVED_TYPE_NAME, message, definition.span);
        }
        self.check_future_word(&name, definition.span);
    }

    fn unacceptable_name(&mut self, definition: &Definition) {
        let message = format!(
            "Unacceptable name. The name '{}' is unacceptable as the name of {}",
            definition.name,
            a_an(definition_label(&definition.kind))
        );
        self.accept(Code::ILLEGAL_DEFINITION_NAME, message, definition.span);
    }

    fn check_future_word(&mut self, name: &str, span: Span) {
        if name == "plan" {
            let message = format!("Use of future reserved word: '{name}'");
            self.accept_as(Severity::Warning, Code::FUTURE_RESERVED_WORD, message, span);
        }
    }

    /// The rules that classes and defined types share.
    fn check_class_like(&mut self, definition: &Definition, params: &[Parameter], body: &Block) {
        let label = definition_label(&definition.kind);
        self.check_no_rest(params, label);
        self.check_unique(params);
        for param in params.iter().filter(|param| param.name == "name" || param.name == "title") {
            let message = format!("The parameter ${} redefines a built in parameter in the {label}", param.name);
            self.accept(Code::RESERVED_PARAMETER, message, param.span);
        }
        self.check_end(body, label);
    }

    /// A class, define or node may not end with something that has no effect.
    fn check_end(&mut self, body: &Block, container: &str) {
        let Some(last) = body.statements.last().filter(|last| has_no_effect(last)) else { return };
        if matches!(&last.kind, ExprKind::Block(block) if untitled_resource_type(&block.statements).is_some()) {
            return;
        }
        let message = format!(
            "This {} has no effect. {} can not end with a value-producing expression without other effect",
            label(last),
            a_an_uc(container)
        );
        self.accept(Code::IDEM_NOT_ALLOWED_LAST, message, last.span);
    }

    // Parameters

    pub(super) fn check_no_rest(&mut self, params: &[Parameter], container: &str) {
        for param in params.iter().filter(|param| param.captures_rest) {
            let message =
                format!("Parameter ${} has 'captures rest' - not supported in {}", param.name, a_an(container));
            self.accept(Code::CAPTURES_REST_NOT_SUPPORTED, message, param.span);
        }
    }

    pub(super) fn check_rest_is_last(&mut self, params: &[Parameter]) {
        let before_last = params.split_last().map_or(&[][..], |(_, before)| before);
        for param in before_last.iter().filter(|param| param.captures_rest) {
            let message = format!("Parameter ${} is not last, and has 'captures rest'", param.name);
            self.accept(Code::CAPTURES_REST_NOT_LAST, message, param.span);
        }
    }

    pub(super) fn check_unique(&mut self, params: &[Parameter]) {
        let mut seen = HashSet::new();
        for param in params {
            if !seen.insert(param.name) {
                let message =
                    format!("The parameter '{}' is declared more than once in the parameter list", param.name);
                self.accept(Code::DUPLICATE_PARAMETER, message, param.span);
            }
        }
    }

    pub(super) fn check_parameter(&mut self, param: &Parameter) {
        let name = param.name;
        let digits = name.strip_prefix("0x").unwrap_or(&name);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!(
                "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
            );
            self.accept(Code::ILLEGAL_NUMERIC_PARAMETER, message, param.span);
        }
        let word = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') || !word(&name) {
            let message = format!(
                "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
            );
            self.accept(Code::ILLEGAL_PARAM_NAME, message, param.span);
        }
        if let Some(value) = &param.default {
            self.check_no_assignment(value);
        }
    }

    /// A default may not assign, except inside of a lambda.
    fn check_no_assignment(&mut self, expr: &Expr) {
        if matches!(expr.kind, ExprKind::Assign(_)) {
            return self.accept(Code::ILLEGAL_ASSIGNMENT_CONTEXT, "Assignment not allowed here", expr.span);
        }
        expr.children(&mut |child| self.check_no_assignment(child));
    }

    // Types

    pub(super) fn check_return_type(&mut self, expr: Option<&Expr>) {
        self.check_return_type_of(expr, "Lambda");
    }

    fn check_return_type_of(&mut self, expr: Option<&Expr>, container: &str) {
        if let Some(expr) = expr {
            self.check_type_ref(expr, container);
        }
    }

    fn check_type_ref(&mut self, expr: &Expr, container: &str) {
        match type_name(expr) {
            Some(name) => self.check_future_word(&name.to_ascii_lowercase(), expr.span),
            None => self.illegal(expr, "a type reference", container),
        }
    }

    fn unsupported(&mut self, definition: &Definition) {
        let message = format!(
            "Expressions of type {} are not supported in this version of {}",
            a_an(definition_label(&definition.kind)),
            self.options.version.product
        );
        self.accept(Code::UNSUPPORTED_EXPRESSION, message, definition.span);
    }

    /// Only `type Runtime[…] = …` is a mapping.
    fn check_mapping(&mut self, definition: &Definition, left: &Expr, right: &Expr) {
        let keys = match &left.kind {
            ExprKind::Access(access) if type_name(left).is_some_and(|name| name == "Runtime") => &access.keys,
            _ => return self.unsupported(definition),
        };
        let pattern = keys.len() == 2 && keys.get(1).is_some_and(is_pattern_with_replacement);
        let fits = if pattern { is_pattern_with_replacement(right) } else { type_name(right).is_some() };
        if !fits {
            let expected = if pattern { "Tuple[Regexp,String]" } else { "Type" };
            let message = format!("Illegal type mapping. Expected a {expected} on the left side, got A Type Mapping");
            self.accept(Code::ILLEGAL_TYPE_MAPPING, message, definition.span);
        }
    }

    // Nodes

    fn check_hostname(&mut self, host: &Expr) {
        match &host.kind {
            ExprKind::Default | ExprKind::Regex(_) => {}
            ExprKind::Str(name) => self.check_hostname_text(name, host.span),
            ExprKind::Interpolated(parts) => {
                let dynamic = parts.iter().find_map(|part| match &part.kind {
                    ExprKind::Text(inner) => Some(inner),
                    _ => None,
                });
                if let Some(inner) = dynamic {
                    let message = "An interpolated expression is not allowed in a hostname of a node";
                    self.accept(Code::ILLEGAL_HOSTNAME_INTERPOLATION, message, inner.span);
                } else if let [Expr { kind: ExprKind::Str(name), span }] = parts.as_slice() {
                    self.check_hostname_text(name, *span);
                }
            }
            _ => self.illegal(host, "hostname", "Node Definition"),
        }
    }

    fn check_hostname_text(&mut self, name: &str, span: Span) {
        if name.bytes().any(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-' | b'.')) {
            let message = format!(
                "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
            );
            self.accept(Code::ILLEGAL_HOSTNAME_CHARS, message, span);
        }
    }
}

/// Whether a string is the name of a definition, `a::b`: words of letters, digits and `_`, each beginning with a lower-case letter.
fn is_definition_name(name: &str) -> bool {
    name.split("::").all(|word| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The type an expression names, with keys or without.
fn type_name(expr: &Expr) -> Option<catwalk_base::names::Name> {
    match &expr.kind {
        ExprKind::TypeName(name) => Some(*name),
        ExprKind::Access(access) => match &access.left.kind {
            ExprKind::TypeName(name) => Some(*name),
            _ => None,
        },
        _ => None,
    }
}

/// `[/pattern/, 'replacement']`
fn is_pattern_with_replacement(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Array(list) => {
            matches!(list.as_slice(), [Expr { kind: ExprKind::Regex(_), .. }, Expr { kind: ExprKind::Str(_), .. }])
        }
        _ => false,
    }
}
