//! Rules on expressions: which ones produce a value, have no effect, and can be assigned, queried or called.

use std::collections::HashSet;

use crate::Strict;
use crate::ast::Assign;
use crate::ast::AssignOp;
use crate::ast::Attribute;
use crate::ast::AttributeOp;
use crate::ast::BinaryOp;
use crate::ast::Block;
use crate::ast::Collector;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::HashEntry;
use crate::ast::Resource;
use crate::ast::ResourceForm;
use crate::big::Big;
use crate::validate::Checker;
use crate::validate::Container;
use crate::validate::label::a_an;
use crate::validate::label::a_an_uc;
use crate::validate::label::label;
use catwalk_base::diag::Code;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_base::version::Version;

/// The name in the first of a block's two statements if they look like a resource without title: `name {…}`.
pub(super) fn untitled_resource_type(statements: &[Expr]) -> Option<Name> {
    match statements {
        [Expr { kind: ExprKind::Bareword(name), .. }, Expr { kind: ExprKind::Hash(_), .. }] => Some(*name),
        _ => None,
    }
}

/// Whether evaluating an expression certainly has no effect. (`checker4_0.rb`, "idem")
pub(super) fn has_no_effect(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Nop
        | ExprKind::Undef
        | ExprKind::Default
        | ExprKind::Bool(_)
        | ExprKind::Int(..)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Interpolated(_)
        | ExprKind::Text(_)
        | ExprKind::Heredoc(_)
        | ExprKind::Bareword(_)
        | ExprKind::TypeName(_)
        | ExprKind::Reserved(_)
        | ExprKind::Regex(_)
        | ExprKind::Var(_)
        | ExprKind::Array(_)
        | ExprKind::Hash(_)
        | ExprKind::Minus(_)
        | ExprKind::Not(_)
        | ExprKind::Unfold(_)
        | ExprKind::Access(_)
        | ExprKind::Selector(_) => true,
        ExprKind::Paren(inner) => has_no_effect(inner),
        // A match sets the match variables.
        ExprKind::Binary(binary) => !matches!(binary.op, BinaryOp::Match | BinaryOp::NotMatch),
        ExprKind::Block(block) => block_has_no_effect(block),
        ExprKind::If(inner) | ExprKind::Unless(inner) => {
            has_no_effect(&inner.test)
                && block_has_no_effect(&inner.then)
                && inner.else_body.as_ref().is_none_or(block_has_no_effect)
        }
        ExprKind::Case(case) => {
            has_no_effect(&case.test)
                && case
                    .options
                    .iter()
                    .all(|option| option.values.iter().all(has_no_effect) && block_has_no_effect(&option.then))
        }
        _ => false,
    }
}

fn block_has_no_effect(block: &Block) -> bool {
    block.statements.iter().all(has_no_effect)
}

impl Checker<'_> {
    /// All statements of a block except the last must have an effect.
    pub(super) fn check_statements(&mut self, statements: &[Expr], span: Span) {
        if let Some(name) = untitled_resource_type(statements).filter(|_| !self.options.tasks) {
            let message =
                format!("This expression is invalid. Did you try declaring a '{name}' resource without a title?");
            self.accept(Code::RESOURCE_WITHOUT_TITLE, message, span);
            return;
        }
        let before_last = statements.split_last().map_or(&[][..], |(_, before)| before);
        if let Some(first) = before_last.iter().find(|statement| has_no_effect(statement)) {
            let message = format!(
                "This {} has no effect. A value was produced and then forgotten (one or more preceding expressions may \
                 have the wrong form)",
                label(first)
            );
            self.accept(Code::IDEM_EXPRESSION_NOT_LAST, message, first.span);
        }
    }

    /// The expression must produce a value.
    pub(super) fn rvalue(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Collector(_) | ExprKind::Definition(_) => {
                let message = format!("Invalid use of expression. {} does not produce a value", a_an_uc(&label(expr)));
                self.accept(Code::NOT_RVALUE, message, span);
            }
            ExprKind::Text(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Minus(inner)
            | ExprKind::Not(inner)
            | ExprKind::Unfold(inner)
            | ExprKind::RenderExpr(inner) => self.rvalue(inner),
            _ => {}
        }
    }

    pub(super) fn relation(&mut self, expr: &Expr) {
        if !matches!(expr.kind, ExprKind::Collector(_) | ExprKind::Relation(_)) {
            self.rvalue(expr);
        }
    }

    pub(super) fn check_assignment(&mut self, assign: &Assign, span: Span) {
        if assign.op == AssignOp::Set {
            self.assignable(&assign.left);
            self.rvalue(&assign.right);
            return;
        }
        let message = format!(
            "The operator '{}' is no longer supported. See http://links.puppet.com/remove-plus-equals",
            assign.op.as_str()
        );
        self.accept(Code::APPENDS_DELETES_NO_LONGER_SUPPORTED, message, span);
    }

    fn assignable(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(name) => {
                if is_numeric_name(name) {
                    let message = format!(
                        "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are \
                         not assignable"
                    );
                    self.accept(Code::ILLEGAL_NUMERIC_ASSIGNMENT, message, span);
                }
                if name.is_qualified() {
                    let message = format!(
                        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
                    );
                    self.accept(Code::CROSS_SCOPE_ASSIGNMENT, message, span);
                }
            }
            ExprKind::Access(_) => {
                let message = "Illegal attempt to assign via [index/key]. Not an assignable reference";
                self.accept(Code::ILLEGAL_INDEXED_ASSIGNMENT, message, span);
            }
            ExprKind::Array(list) => list.iter().for_each(|item| self.assignable(item)),
            _ => {
                let message =
                    format!("Illegal attempt to assign to '{}'. Not an assignable reference", a_an(&label(expr)));
                self.accept(Code::ILLEGAL_ASSIGNMENT, message, span);
            }
        }
    }

    pub(super) fn check_variable(&mut self, name: &str, span: Span) {
        // `"${true}"` refers to a variable whose name is not a string: Puppet fails immediately.
        let bare = (span.end - span.start) as usize == name.len();
        if bare && !self.stopped && matches!(name, "true" | "false") {
            self.diagnostics.clear();
            let class = if name == "true" { "TrueClass" } else { "FalseClass" };
            self.accept(Code::RUNTIME_ERROR, format!("undefined method `[]' for {name}:{class}"), span);
            self.stopped = true;
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            if !is_numeric_name(name) {
                let message = format!(
                    "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a \
                     digit 0-9"
                );
                self.accept(Code::ILLEGAL_NUMERIC_VAR_NAME, message, span);
            }
        } else if !is_variable_name(name) {
            let message = format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule \
                 /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            );
            self.accept(Code::ILLEGAL_VAR_NAME, message, span);
        }
    }

    pub(super) fn check_int(&mut self, expr: &Expr, value: i64) {
        // The parser represents integers that do not fit as the largest integer.
        if value != i64::MAX {
            return;
        }
        let text = self.source.text.get(expr.span.start as usize..expr.span.end as usize).unwrap_or("");
        let hex = Big::parse(text).map(|big| big.hex()).unwrap_or_default();
        if hex.len() > 16 || (hex.len() == 16 && hex.as_str() > "7fffffffffffffff") {
            let message =
                format!("A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x{hex}'");
            self.accept(Code::NUMERIC_OVERFLOW, message, expr.span);
        }
    }

    pub(super) fn hash(&mut self, entries: &[HashEntry]) {
        if entries.len() > 1 && self.options.strict != Strict::Off {
            self.check_keys(entries);
        }
        self.in_container(Container::Other, |checker| {
            for entry in entries {
                checker.rvalue(&entry.key);
                checker.rvalue(&entry.value);
                checker.pair(&entry.key, &entry.value);
            }
        });
    }

    fn check_keys(&mut self, entries: &[HashEntry]) {
        let severity = if self.options.strict == Strict::Error { Severity::Error } else { Severity::Warning };
        let mut seen = HashSet::new();
        for entry in entries {
            // `Name => Parent { parent => … }` in a type set; the warning is logged when the set is created.
            if let ExprKind::ResourceDefaults(short) = &entry.value.kind
                && self.options.strict == Strict::Error
                && matches!(entry.key.kind, ExprKind::TypeName(_))
                && !matches!(&short.type_ref.kind, ExprKind::TypeName(name) if *name == "Object" || *name == "TypeSet")
                && short.attributes.iter().any(|attribute| attribute.name == "parent")
            {
                let text = "The key 'parent' is declared more than once".to_owned();
                self.accept_as(severity, Code::DUPLICATE_KEY, text, entry.value.span);
            }
            let Some(key) = literal(&entry.key, self.options.version) else { continue };
            let printed = key.printed.clone();
            if !seen.insert(key.identity) {
                self.accept_as(
                    severity,
                    Code::DUPLICATE_KEY,
                    format!("The key '{printed}' is declared more than once"),
                    entry.span,
                );
            }
        }
    }

    pub(super) fn check_callee(&mut self, callee: &Expr, call: &Expr, span: Span) {
        let type_name = |expr: &Expr| matches!(expr.kind, ExprKind::TypeName(_));
        match &callee.kind {
            ExprKind::TypeName(_) | ExprKind::Bareword(_) => {}
            ExprKind::Access(access) if type_name(&access.left) => {}
            ExprKind::RenderText(_) => {
                let message = "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove \
                               leading whitespace";
                self.accept(Code::ILLEGAL_EPP_PARAMETERS, message, span);
            }
            _ => self.illegal(callee, "function name", &label(call)),
        }
    }

    /// `Illegal expression. A X is unacceptable as Y in a Z`
    pub(super) fn illegal(&mut self, expr: &Expr, feature: &str, container: &str) {
        let message = format!(
            "Illegal expression. {} is unacceptable as {feature} in {}",
            a_an_uc(&label(expr)),
            a_an(container)
        );
        self.accept(Code::ILLEGAL_EXPRESSION, message, expr.span);
    }

    /// Only one `default` is allowed. In a selector only the second is reported.
    pub(super) fn check_defaults<'e>(&mut self, values: impl Iterator<Item = &'e Expr>, label: &str, all: bool) {
        let mut more = values.filter(|value| matches!(value.kind, ExprKind::Default)).skip(1);
        let message = || format!("This {label} already has a 'default' entry - this is a duplicate");
        let first = more.next();
        for value in first.into_iter().chain(more.filter(|_| all)) {
            self.accept(Code::DUPLICATE_DEFAULT, message(), value.span);
        }
    }

    pub(super) fn check_virtual_class(&mut self, resource: &Resource, span: Span) {
        if resource.form != ResourceForm::Regular
            && matches!(&resource.type_name.kind, ExprKind::Bareword(name) if *name == "class")
        {
            self.accept(Code::CLASS_NOT_VIRTUALIZABLE, "Classes are not virtualizable", span);
        }
    }

    pub(super) fn check_form(&mut self, form: ResourceForm, span: Span) {
        if form != ResourceForm::Regular {
            self.accept(Code::NOT_VIRTUALIZEABLE, "Resource Defaults are not virtualizable", span);
        }
    }

    pub(super) fn check_splats(&mut self, attributes: &[Attribute]) {
        for second in attributes.iter().filter(|attribute| attribute.op == AttributeOp::Splat).skip(1) {
            let message = "Unfolding of attributes from Hash can only be used once per resource body";
            self.accept(Code::MULTIPLE_ATTRIBUTES_UNFOLD, message, second.span);
        }
    }

    pub(super) fn check_collected_type(&mut self, collector: &Collector, label: &str) {
        if !matches!(collector.type_ref.kind, ExprKind::TypeName(_)) {
            self.illegal(&collector.type_ref, "type name", label);
        }
    }

    /// Checks the query of a collector.
    pub(super) fn query(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Binary(binary) => match binary.op {
                BinaryOp::Eq | BinaryOp::Ne => return,
                BinaryOp::And | BinaryOp::Or => {
                    self.query(&binary.left);
                    self.query(&binary.right);
                    return;
                }
                _ => {}
            },
            ExprKind::Paren(inner) => return self.query(inner),
            ExprKind::Var(_)
            | ExprKind::Bareword(_)
            | ExprKind::Int(..)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_) => return,
            _ => {}
        }
        let message = format!("Illegal query expression. {} cannot be used in a query", a_an_uc(&label(expr)));
        self.accept(Code::ILLEGAL_QUERY_EXPRESSION, message, span);
    }
}

/// `0`, or decimal digits that do not start with 0.
fn is_numeric_name(name: &str) -> bool {
    name == "0" || (!name.is_empty() && !name.starts_with('0') && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `::a::b::_c`: only the last part may start with an underscore.
fn is_variable_name(name: &str) -> bool {
    let is_part = |part: &str, last: bool| {
        part.starts_with(|c: char| c.is_ascii_lowercase() || (last && c == '_'))
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let name = name.strip_prefix("::").unwrap_or(name);
    if !name.as_bytes().contains(&b':') {
        return is_part(name, true);
    }
    match name.rsplit_once("::") {
        Some((before, last)) => before.split("::").all(|part| is_part(part, false)) && is_part(last, true),
        None => is_part(name, true),
    }
}

/// The value of a literal: a key for comparison, and its printed form.
struct Literal {
    identity: String,
    printed: String,
    inspected: String,
}

fn literal(expr: &Expr, version: Version) -> Option<Literal> {
    let literal = |expr: &Expr| literal(expr, version);
    let literal_of = |kind: &str, printed: String| {
        let inspected = if kind == "s" { format!("{printed:?}") } else { printed.clone() };
        Some(Literal { identity: format!("{kind}{printed}"), printed, inspected })
    };
    match &expr.kind {
        ExprKind::Str(text) => literal_of("s", text.to_string()),
        ExprKind::Bareword(name) => literal_of("s", name.to_string()),
        ExprKind::Int(value, _) => literal_of("i", value.to_string()),
        ExprKind::Float(value) => literal_of("f", crate::float_to_s(*value)),
        ExprKind::Bool(value) => literal_of("b", value.to_string()),
        ExprKind::Undef => {
            Some(Literal { identity: "u".to_owned(), printed: String::new(), inspected: "nil".to_owned() })
        }
        ExprKind::Default => {
            Some(Literal { identity: "d".to_owned(), printed: "default".to_owned(), inspected: ":default".to_owned() })
        }
        ExprKind::Regex(regex) => literal_of("r", format!("(?-mix:{})", regex.source())),
        ExprKind::Interpolated(parts) => match parts.as_slice() {
            [only @ Expr { kind: ExprKind::Str(_), .. }] => literal(only),
            _ => None,
        },
        ExprKind::Array(list) => {
            let items: Option<Vec<Literal>> = list.iter().map(literal).collect();
            let printed: Vec<String> = items?.into_iter().map(|item| item.inspected).collect();
            literal_of("a", format!("[{}]", printed.join(", ")))
        }
        ExprKind::Hash(entries) => {
            let pair = |entry: &HashEntry| {
                Some(format!("{}=>{}", literal(&entry.key)?.inspected, literal(&entry.value)?.inspected))
            };
            let items: Option<Vec<String>> = entries.iter().map(pair).collect();
            literal_of("h", format!("{{{}}}", items?.join(", ")))
        }
        // The name in Puppet's form.
        ExprKind::TypeName(name) if version.literal_parameter_types => literal_of("s", name.to_ascii_lowercase()),
        // Of an access, only the keys are checked.
        ExprKind::Access(access) if version.literal_parameter_types => {
            if let [Expr { kind: ExprKind::Array(_), .. }] = access.keys.as_slice() {
                return None;
            }
            let items: Option<Vec<Literal>> = access.keys.iter().map(literal).collect();
            let printed: Vec<String> = items?.into_iter().map(|item| item.inspected).collect();
            literal_of("a", format!("[{}]", printed.join(", ")))
        }
        ExprKind::Minus(operand) if version.literal_parameter_types => {
            let operand = literal(operand)?;
            let negated = match operand.printed.strip_prefix('-') {
                Some(positive) => positive.to_owned(),
                None if operand.printed == "0" => operand.printed.clone(),
                None => format!("-{}", operand.printed),
            };
            match operand.identity.as_bytes().first() {
                Some(b'i') => literal_of("i", negated),
                Some(b'f') => literal_of("f", negated),
                // Ruby's unary minus returns strings unchanged.
                Some(b's') => Some(operand),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether Puppet regards an expression as literal, for the types of parameters.
pub(super) fn is_literal(expr: &Expr, version: Version) -> bool {
    literal(expr, version).is_some()
}
