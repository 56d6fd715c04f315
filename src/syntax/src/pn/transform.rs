//! Tree to notation, one rule for each kind of expression.

use std::sync::Arc;

use crate::ast::Attribute;
use crate::ast::AttributeOp;
use crate::ast::Block;
use crate::ast::Call;
use crate::ast::Collector;
use crate::ast::Definition;
use crate::ast::DefinitionKind;
use crate::ast::Expr;
use crate::ast::ExprKind;
use crate::ast::File;
use crate::ast::HashEntry;
use crate::ast::If;
use crate::ast::Lambda;
use crate::ast::Method;
use crate::ast::NodeDefinition;
use crate::ast::Parameter;
use crate::ast::Radix;
use crate::ast::Resource;
use crate::ast::ResourceForm;
use crate::big::Big;
use crate::pn::Pn;

pub(super) fn file(file: &File, text: &str) -> Pn {
    Transform { text }.program(&file.body)
}

struct Transform<'s> {
    text: &'s str,
}

fn text(text: &str) -> Pn {
    Pn::String(Arc::from(text))
}

impl Transform<'_> {
    fn program(&self, body: &Block) -> Pn {
        match body.statements.as_slice() {
            [] => Pn::Call("nop", Vec::new()),
            [only] => self.expr(only),
            list => Pn::Call("block", self.list(list)),
        }
    }

    fn list(&self, list: &[Expr]) -> Vec<Pn> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    fn items(&self, list: &[Expr]) -> Pn {
        Pn::List(self.list(list))
    }

    /// A body of one statement is that statement, as in Puppet.
    fn branch(&self, body: &Block) -> Pn {
        match body.statements.as_slice() {
            [Expr { kind: ExprKind::Block(inner), .. }] => self.items(&inner.statements),
            list => self.items(list),
        }
    }

    fn expr(&self, expr: &Expr) -> Pn {
        match &expr.kind {
            ExprKind::Nop | ExprKind::Error => Pn::Call("nop", Vec::new()),
            ExprKind::Undef => Pn::Nil,
            ExprKind::Default => Pn::Call("default", Vec::new()),
            ExprKind::Bool(value) => Pn::Bool(*value),
            ExprKind::Int(value, radix) => self.int(expr, *value, *radix),
            ExprKind::Float(value) => Pn::Number(float(*value)),
            ExprKind::Str(value) => Pn::String(value.clone()),
            ExprKind::Interpolated(parts) => Pn::Call("concat", self.list(parts)),
            ExprKind::Text(inner) => self.unary("str", inner),
            ExprKind::Heredoc(heredoc) => {
                let mut entries = Vec::new();
                entries.extend(heredoc.syntax.map(|syntax| ("syntax", text(&syntax))));
                entries.push(("text", self.expr(&heredoc.text)));
                Pn::Call("heredoc", vec![Pn::Map(entries)])
            }
            ExprKind::Bareword(name) => Pn::Call("qn", vec![text(name)]),
            ExprKind::TypeName(name) => Pn::Call("qr", vec![text(name)]),
            ExprKind::Reserved(name) => Pn::Call("reserved", vec![text(name)]),
            ExprKind::Regex(regex) => Pn::Call("regexp", vec![regexp(regex.source())]),
            ExprKind::Var(name) => Pn::Call("var", vec![text(name)]),
            ExprKind::Array(list) => Pn::Call("array", self.list(list)),
            ExprKind::Hash(entries) => Pn::Call("hash", entries.iter().map(|entry| self.entry(entry)).collect()),
            ExprKind::Paren(inner) => self.unary("paren", inner),
            ExprKind::Minus(inner) => self.minus(inner),
            ExprKind::Not(inner) => self.unary("!", inner),
            ExprKind::Unfold(inner) => self.unary("unfold", inner),
            ExprKind::Binary(binary) => self.binary(binary.op.as_str(), &binary.left, &binary.right),
            ExprKind::Assign(assign) => self.binary(assign.op.as_str(), &assign.left, &assign.right),
            ExprKind::Relation(relation) => self.binary(relation.arrow.as_str(), &relation.left, &relation.right),
            ExprKind::Access(access) => {
                let mut items = vec![self.expr(&access.left)];
                items.extend(self.list(&access.keys));
                Pn::Call("access", items)
            }
            ExprKind::Call(call) => self.call(call),
            ExprKind::Method(method) => self.method(method),
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::If(inner) => self.conditional("if", inner),
            ExprKind::Unless(inner) => self.conditional("unless", inner),
            ExprKind::Case(_) | ExprKind::Selector(_) => self.choice(expr),
            ExprKind::Block(block) => Pn::Call("block", self.list(&block.statements)),
            ExprKind::Resource(resource) => self.resource(resource),
            ExprKind::ResourceDefaults(defaults) => {
                let entries =
                    vec![("type", self.expr(&defaults.type_ref)), ("ops", self.attributes(&defaults.attributes))];
                Pn::Call("resource-defaults", vec![Pn::Map(with_form(entries, defaults.form))])
            }
            ExprKind::ResourceOverride(over) => {
                let entries =
                    vec![("resources", self.expr(&over.references)), ("ops", self.attributes(&over.attributes))];
                Pn::Call("resource-override", vec![Pn::Map(with_form(entries, over.form))])
            }
            ExprKind::Collector(collector) => self.collector(collector),
            ExprKind::Definition(definition) => self.definition(definition),
            ExprKind::Epp(epp) => {
                let mut entries = Vec::new();
                self.params(&epp.params, &mut entries);
                entries.push(("body", Pn::List(vec![Pn::Call("epp", self.list(&epp.body.statements))])));
                Pn::Call("lambda", vec![Pn::Map(entries)])
            }
            ExprKind::RenderText(value) => Pn::Call("render-s", vec![Pn::String(value.clone())]),
            ExprKind::RenderExpr(inner) => self.unary("render", inner),
        }
    }

    fn unary(&self, name: &'static str, inner: &Expr) -> Pn {
        Pn::Call(name, vec![self.expr(inner)])
    }

    fn binary(&self, name: &'static str, left: &Expr, right: &Expr) -> Pn {
        Pn::Call(name, vec![self.expr(left), self.expr(right)])
    }

    fn int(&self, expr: &Expr, value: i64, radix: Radix) -> Pn {
        let digits = Pn::Number(self.digits(expr, value));
        let radix = match radix {
            Radix::Decimal => return digits,
            Radix::Octal => "8",
            Radix::Hex => "16",
        };
        Pn::Call("int", vec![Pn::Map(vec![("radix", Pn::Number(radix.to_owned())), ("value", digits)])])
    }

    /// The decimal digits, also of an integer that does not fit 64 bits.
    fn digits(&self, expr: &Expr, value: i64) -> String {
        let written = self.text.get(expr.span.start as usize..expr.span.end as usize).filter(|_| value == i64::MAX);
        written.and_then(Big::parse).map_or_else(|| value.to_string(), Big::decimal)
    }

    /// A minus before a number is part of the number.
    fn minus(&self, inner: &Expr) -> Pn {
        match &inner.kind {
            ExprKind::Int(0, _) => Pn::Number("0".to_owned()),
            ExprKind::Int(value, _) => Pn::Number(format!("-{}", self.digits(inner, *value))),
            ExprKind::Float(value) => Pn::Number(float(-value)),
            _ => self.unary("-", inner),
        }
    }

    fn entry(&self, entry: &HashEntry) -> Pn {
        self.binary("=>", &entry.key, &entry.value)
    }

    fn attributes(&self, list: &[Attribute]) -> Pn {
        let attribute = |attribute: &Attribute| match attribute.op {
            AttributeOp::Set => Pn::Call("=>", vec![text(&attribute.name), self.expr(&attribute.value)]),
            AttributeOp::Append => Pn::Call("+>", vec![text(&attribute.name), self.expr(&attribute.value)]),
            AttributeOp::Splat => self.unary("splat-hash", &attribute.value),
        };
        Pn::List(list.iter().map(attribute).collect())
    }

    fn call(&self, call: &Call) -> Pn {
        let mut entries = vec![("functor", self.expr(&call.callee)), ("args", self.items(&call.args))];
        entries.extend(call.block.as_ref().map(|block| ("block", self.lambda(block))));
        Pn::Call(if call.value_needed { "call" } else { "invoke" }, vec![Pn::Map(entries)])
    }

    fn method(&self, method: &Method) -> Pn {
        let name = Pn::Call("qn", vec![text(&method.name)]);
        let functor = Pn::Call(".", vec![self.expr(&method.receiver), name]);
        let mut entries = vec![("functor", functor), ("args", self.items(&method.args))];
        entries.extend(method.block.as_ref().map(|block| ("block", self.lambda(block))));
        Pn::Call("call-method", vec![Pn::Map(entries)])
    }

    fn lambda(&self, lambda: &Lambda) -> Pn {
        let mut entries = Vec::new();
        self.params(&lambda.params, &mut entries);
        entries.extend(lambda.return_type.as_ref().map(|expr| ("returns", self.expr(expr))));
        self.body(&lambda.body, &mut entries);
        Pn::Call("lambda", vec![Pn::Map(entries)])
    }

    fn params(&self, params: &[Parameter], entries: &mut Vec<(&'static str, Pn)>) {
        if params.is_empty() {
            return;
        }
        let param = |param: &Parameter| {
            let mut entries = Vec::new();
            entries.extend(param.data_type.as_ref().map(|expr| ("type", self.expr(expr))));
            entries.extend(param.captures_rest.then_some(("splat", Pn::Bool(true))));
            entries.extend(param.default.as_ref().map(|expr| ("value", self.expr(expr))));
            (param.name.to_string(), Pn::Map(entries))
        };
        entries.push(("params", Pn::Named(params.iter().map(param).collect())));
    }

    fn body(&self, body: &Block, entries: &mut Vec<(&'static str, Pn)>) {
        if !body.statements.is_empty() {
            entries.push(("body", self.items(&body.statements)));
        }
    }

    fn conditional(&self, name: &'static str, inner: &If) -> Pn {
        let mut entries = vec![("test", self.expr(&inner.test))];
        if !inner.then.statements.is_empty() {
            entries.push(("then", self.branch(&inner.then)));
        }
        if let Some(else_body) = inner.else_body.as_ref().filter(|block| !block.statements.is_empty()) {
            entries.push(("else", self.branch(else_body)));
        }
        Pn::Call(name, vec![Pn::Map(entries)])
    }

    fn choice(&self, expr: &Expr) -> Pn {
        match &expr.kind {
            ExprKind::Case(case) => {
                let option = |option: &crate::ast::CaseOption| {
                    let then = if option.then.statements.is_empty() {
                        Pn::List(vec![Pn::Call("nop", Vec::new())])
                    } else {
                        self.items(&option.then.statements)
                    };
                    Pn::Map(vec![("when", self.items(&option.values)), ("then", then)])
                };
                let options = Pn::List(case.options.iter().map(option).collect());
                Pn::Call("case", vec![self.expr(&case.test), options])
            }
            ExprKind::Selector(selector) => {
                let options = selector.options.iter().map(|option| self.binary("=>", &option.matching, &option.value));
                Pn::Call("?", vec![self.expr(&selector.test), Pn::List(options.collect())])
            }
            _ => Pn::Nil,
        }
    }

    fn resource(&self, resource: &Resource) -> Pn {
        let body = |body: &crate::ast::ResourceBody| {
            Pn::Map(vec![("title", self.expr(&body.title)), ("ops", self.attributes(&body.attributes))])
        };
        let bodies = Pn::List(resource.bodies.iter().map(body).collect());
        let entries = vec![("type", self.expr(&resource.type_name)), ("bodies", bodies)];
        Pn::Call("resource", vec![Pn::Map(with_form(entries, resource.form))])
    }

    fn collector(&self, collector: &Collector) -> Pn {
        let name = if collector.exported { "exported-query" } else { "virtual-query" };
        let query = Pn::Call(name, collector.query.iter().map(|expr| self.expr(expr)).collect());
        let mut entries = vec![("type", self.expr(&collector.type_ref)), ("query", query)];
        if !collector.attributes.is_empty() {
            entries.push(("ops", self.attributes(&collector.attributes)));
        }
        Pn::Call("collect", vec![Pn::Map(entries)])
    }

    fn definition(&self, definition: &Definition) -> Pn {
        let mut entries = vec![("name", text(&definition.name))];
        let name = match &definition.kind {
            DefinitionKind::Class(class) => {
                entries.extend(class.parent.map(|(parent, _)| ("parent", text(&parent))));
                self.params(&class.params, &mut entries);
                self.body(&class.body, &mut entries);
                "class"
            }
            DefinitionKind::Define(define) => {
                self.params(&define.params, &mut entries);
                self.body(&define.body, &mut entries);
                "define"
            }
            DefinitionKind::Function(function) => {
                self.params(&function.params, &mut entries);
                self.body(&function.body, &mut entries);
                entries.extend(function.return_type.as_ref().map(|expr| ("returns", self.expr(expr))));
                "function"
            }
            DefinitionKind::Plan(plan) => {
                self.params(&plan.params, &mut entries);
                self.body(&plan.body, &mut entries);
                "plan"
            }
            DefinitionKind::Node(node) => return self.node(node),
            DefinitionKind::TypeAlias(expr) => {
                return Pn::Call("type-alias", vec![text(&definition.name), self.expr(expr)]);
            }
            DefinitionKind::TypeMapping(left, right) => return self.binary("type-mapping", left, right),
            DefinitionKind::TypeDefinition { parent, body } => {
                let body = match body.statements.as_slice() {
                    [] => Pn::Call("nop", Vec::new()),
                    list => Pn::Call("block", self.list(list)),
                };
                let parent = parent.map_or(Pn::Nil, |parent| text(&parent));
                return Pn::Call("type-definition", vec![text(&definition.name), parent, body]);
            }
        };
        Pn::Call(name, vec![Pn::Map(entries)])
    }

    fn node(&self, node: &NodeDefinition) -> Pn {
        let mut entries = vec![("matches", self.items(&node.matches))];
        entries.extend(node.parent.as_ref().map(|expr| ("parent", self.expr(expr))));
        self.body(&node.body, &mut entries);
        Pn::Call("node", vec![Pn::Map(entries)])
    }
}

/// Ruby prints the options of an expression that is bound to an encoding, as all with non-ASCII characters are.
fn regexp(source: &str) -> Pn {
    if source.is_ascii() { text(source) } else { Pn::String(Arc::from(format!("(?-imx:{source})"))) }
}

fn with_form(mut entries: Vec<(&'static str, Pn)>, form: ResourceForm) -> Vec<(&'static str, Pn)> {
    match form {
        ResourceForm::Regular => {}
        ResourceForm::Virtual => entries.push(("form", text("virtual"))),
        ResourceForm::Exported => entries.push(("form", text("exported"))),
    }
    entries
}

/// A float as Ruby prints it: shortest digits, with an exponent outside of 10⁻⁴ … 10¹⁵.
fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (-4..15).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
