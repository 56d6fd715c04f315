//! Converts type expressions to types.
//!
//! In: an expression of the tree, or a string. Out: a [`Type`]. An [`AliasResolver`] resolves names that are not the language's
//! own. Parameters must be constants here; the evaluator passes computed parameters to [`crate::types::access()`].

mod count;
mod definition;
mod names;
mod parameters;

use std::sync::Arc;

use crate::types::IntRange;
use crate::types::ResourceType;
use crate::types::Type;
use crate::types::access::access;
use crate::types::access::access_unflattened;
use crate::value::Hash;
use crate::value::Value;
use crate::value::number::parse_number;
use crate::value::ruby;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::Span;
use catwalk_regexp::Regexp;
use catwalk_syntax::ast::Access;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
pub use definition::definition_hash;
pub use names::language_type;
pub use names::resolve_name;

/// Finds types by name: aliases of modules, resource types, defined types.
pub trait AliasResolver {
    /// The type with this name (as written), or `None` if it is unknown.
    ///
    /// # Errors
    /// The definition was found and is wrong.
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason>;

    /// Whether only the language's own types are known, not even those that Puppet has as files (`Error`).
    fn is_static(&self) -> bool {
        false
    }

    /// Whether resource types such as `File` are known. Otherwise their names are references.
    fn has_resource_types(&self) -> bool {
        true
    }

    /// The current time in nanoseconds since 1970, if the resolver has a clock.
    fn now(&self) -> Option<i128> {
        None
    }

    /// The collection for the secrets of the compile, if the resolver belongs to one: without it no `Sensitive` is created.
    fn secrets(&self) -> Option<&SecretCollection> {
        None
    }
}

/// Resolves no names: for signatures of built-in functions.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoAliases;

impl AliasResolver for NoAliases {
    fn resolve(&mut self, _name: &str) -> Result<Option<Type>, Reason> {
        Ok(None)
    }
}

/// Parses a string such as `Optional[Array[String[1]]]`.
///
/// # Errors
/// The string is not a type; the message is Puppet's.
pub fn parse_type(text: &str, resolver: &mut dyn AliasResolver) -> Result<Type, Reason> {
    let trimmed = text.trim();
    if trimmed.bytes().all(|b| b.is_ascii_alphanumeric()) && trimmed.starts_with(|c: char| c.is_ascii_uppercase()) {
        return resolve_name(trimmed, resolver);
    }
    if trimmed.is_empty() {
        return Err(Reason::runtime(format!("The expression <{trimmed}> is not a valid type specification.")));
    }
    match catwalk_syntax::parse_expression(text) {
        Ok(expr) => parse_type_expr(&expr, text, resolver),
        // Several statements, such as a call without parentheses, are not a syntax error.
        Err(reason) if is_program(text) => {
            let _ = reason;
            // The position of a definition is that of its name.
            let source = trimmed.strip_prefix("type ").map_or(trimmed, str::trim_start);
            Err(not_a_type(source))
        }
        Err(reason) => Err(reason),
    }
}

fn is_program(text: &str) -> bool {
    let sources = catwalk_base::source::SourceMap::new();
    let id = sources.add(None, "", Arc::from(text));
    catwalk_syntax::parse_only(&sources, id, false).1.is_empty()
}

/// The type of an expression. `text` is the source of its spans: messages quote it.
///
/// # Errors
///
/// The expression is not a type, as Puppet words it.
pub fn parse_type_expr(expr: &Expr, text: &str, resolver: &mut dyn AliasResolver) -> Result<Type, Reason> {
    Parser { text, resolver, alias: None }.parse_type(expr)
}

/// The meaning of an alias; `start` is the position of its name. Puppet treats the whole definition without its last bracket as
/// the string of the outermost expression.
///
/// # Errors
///
/// The expression is not a type, as Puppet words it.
pub fn parse_alias_expr(expr: &Expr, start: u32, text: &str, resolver: &mut dyn AliasResolver) -> Result<Type, Reason> {
    Parser { text, resolver, alias: Some((expr.span, start)) }.parse_type(expr)
}

/// A constant: a literal, or a type.
///
/// # Errors
/// The expression is neither a literal nor a type.
pub fn parse_literal(expr: &Expr, text: &str, resolver: &mut dyn AliasResolver) -> Result<Value, Reason> {
    Parser { text, resolver, alias: None }.parse_literal(expr)
}

/// The extent of an expression; the position of an operator is that of its sign.
fn extent(expr: &Expr, start: &mut u32, end: &mut u32, depth: u32) {
    expr.children(&mut |inner| {
        *start = (*start).min(inner.span.start);
        *end = (*end).max(inner.span.end);
        if depth < 100 {
            extent(inner, start, end, depth + 1);
        }
    });
}

/// Whether a parameter is the end of a range.
fn is_end(key: &Value) -> bool {
    matches!(key, Value::Int(_)) || is_default(key)
}

/// `Tuple[1, 2]`, which only a parsed string can be: it has a size but no types.
fn sized_tuple(least: &Value, most: &Value) -> Result<Type, Reason> {
    let (least, most) = (least.as_int_within(), most.as_int_within());
    if let (Some(from), Some(to)) = (least, most)
        && from > to
    {
        return Err(Reason::runtime(format!("'from' must be less or equal to 'to'. Got ({from}, {to}")));
    }
    Ok(Type::tuple(Vec::new(), Some(IntRange::new(least, most))))
}

fn not_a_type(source: &str) -> Reason {
    Reason::runtime(format!("The expression <{source}> is not a valid type specification."))
}

struct Parser<'a> {
    text: &'a str,
    resolver: &'a mut dyn AliasResolver,
    /// The outermost expression of an alias, and the position of the alias' name.
    alias: Option<(Span, u32)>,
}

impl Parser<'_> {
    fn source(&self, expr: &Expr) -> &str {
        self.text.get(expr.span.start as usize..expr.span.end as usize).unwrap_or("")
    }

    fn invalid(&self, expr: &Expr) -> Reason {
        not_a_type(self.quoted_source(expr))
    }

    /// An expression as Puppet quotes it: from the first of its parts to the last. (`Locator#extract_tree_text`)
    fn quoted_source(&self, expr: &Expr) -> &str {
        let (mut start, mut end) = (expr.span.start, expr.span.end);
        extent(expr, &mut start, &mut end, 0);
        if let (Some((_, name)), ExprKind::Access(_)) =
            (self.alias.filter(|(whole, _)| *whole == expr.span), &expr.kind)
        {
            start = name;
            let inside = self.text.get(..end as usize).unwrap_or("").trim_end_matches(']').len();
            let brackets = end as usize - inside;
            end = u32::try_from(inside + brackets.saturating_sub(1)).unwrap_or(end);
            let trimmed = self.text.get(..end as usize).unwrap_or("").trim_end();
            end = u32::try_from(trimmed.len()).unwrap_or(end);
        }
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn not_parameterized(&self, name: &Expr) -> Reason {
        Reason::runtime(format!("Not a parameterized type <{}>", self.source(name)))
    }

    fn parse_type(&mut self, expr: &Expr) -> Result<Type, Reason> {
        match self.parse_literal(expr)? {
            Value::Type(t) => Ok(t),
            _ => Err(self.invalid(expr)),
        }
    }

    fn parse_literal(&mut self, expr: &Expr) -> Result<Value, Reason> {
        Ok(match &expr.kind {
            ExprKind::Undef => Value::Undef,
            ExprKind::Default => Value::Default,
            ExprKind::Bool(b) => Value::Bool(*b),
            // The lexer keeps 64 bits and leaves larger numbers to validation, which does not run here.
            ExprKind::Int(i64::MAX, _) => parse_number(self.source(expr)).unwrap_or(Value::Int(i64::MAX)),
            ExprKind::Int(n, _) => Value::Int(*n),
            ExprKind::Float(f) => Value::Float(*f),
            ExprKind::Str(text) => Value::from(text.clone()),
            ExprKind::Heredoc(heredoc) => self.parse_literal(&heredoc.text)?,
            ExprKind::Bareword(name) => Value::str(name.as_str()),
            ExprKind::Regex(regexp) => Value::Regexp(regexp.clone()),
            // Puppet ignores parentheses here, and shows them without the closing one.
            ExprKind::Paren(inner) => {
                let mut inner = inner;
                while let ExprKind::Paren(deeper) = &inner.kind {
                    inner = deeper;
                }
                let (mut start, mut end) = (inner.span.start, inner.span.end);
                extent(inner, &mut start, &mut end, 0);
                let source = self.text.get(expr.span.start as usize..end as usize).unwrap_or("");
                return Err(not_a_type(source));
            }
            ExprKind::TypeName(name) => Value::Type(resolve_name(name.as_str(), self.resolver)?),
            ExprKind::Minus(inner) => match self.parse_literal(inner)? {
                Value::Int(n) => n.checked_neg().map_or_else(|| Value::integer(-i128::from(n)), Value::Int),
                Value::BigInt(n) => Value::integer(-&*n),
                Value::Float(f) => Value::Float(-f),
                _ => return Err(self.invalid(expr)),
            },
            ExprKind::Array(items) => {
                Value::array(items.iter().map(|item| self.parse_literal(item)).collect::<Result<_, _>>()?)
            }
            ExprKind::Hash(entries) => {
                let mut hash = Hash::with_capacity(entries.len());
                for entry in entries {
                    hash.insert(self.parse_literal(&entry.key)?, self.parse_literal(&entry.value)?);
                }
                Value::hash(hash)
            }
            ExprKind::Access(parts) => self.parse_access(expr, parts)?.map_or(Value::Undef, Value::Type),
            ExprKind::Definition(definition) => match &definition.kind {
                DefinitionKind::TypeAlias(meaning) => {
                    Value::Type(self.parse_alias_definition(definition.name.as_str(), meaning)?)
                }
                _ => return Err(self.invalid(expr)),
            },
            _ => return Err(self.invalid(expr)),
        })
    }

    /// A type with parameters; a number's with a single one that is no end of a range is nothing.
    fn parse_access(&mut self, expr: &Expr, parts: &Access) -> Result<Option<Type>, Reason> {
        let keys: Vec<Value> = parts.keys.iter().map(|key| self.parse_literal(key)).collect::<Result<_, _>>()?;
        let ExprKind::TypeName(name) = &parts.left.kind else { return Err(self.invalid(expr)) };
        let lower = name.to_ascii_lowercase();
        let is_range_end = |key: &Value| match key {
            Value::Int(_) | Value::BigInt(_) | Value::Default => true,
            Value::Float(_) => lower == "float",
            _ => false,
        };
        if let ("integer" | "float", [key]) = (lower.as_str(), keys.as_slice())
            && !is_range_end(key)
        {
            return Ok(None);
        }
        self.check_parameters(expr, &lower, &keys)?;
        let base = resolve_name(name.as_str(), self.resolver)?;
        // With absolute names, the language's types are looked up as resource or object types, of which only those take
        // parameters.
        let unknown = matches!(&base, Type::Reference(text) if **text == *name.as_str());
        let absolute = name.starts_with("::") && !unknown && !matches!(base, Type::Resource(_) | Type::Object(_));
        let alias = matches!(base, Type::Alias(_)) && !is_object(&base);
        if absolute || alias {
            return Err(self.not_parameterized(&parts.left));
        }
        if name.starts_with("::") && parameters::is_unchanged(&base, name.as_str(), &keys)? {
            return Ok(Some(base));
        }
        if let Some(t) = self.parse_special_case(expr, &base, &lower, &keys)? {
            return Ok(Some(t));
        }
        let written = parameters::written_title(&base, &keys);
        let keys = parameters::convert(&base, name.as_str(), keys)?;
        // Errors of evaluation become "not a type" here, naming the innermost invalid expression.
        let result = access_unflattened(&base, &keys).map_err(|error| match error.reason.code {
            Code::RUNTIME_ERROR | Code::NOT_SUPPORTED_YET => error.reason,
            _ => self.invalid(expr),
        });
        match result? {
            Value::Type(Type::Resource(resource)) if written.is_some() => {
                Ok(Some(Type::Resource(Arc::new(ResourceType { written, ..ResourceType::clone(&resource) }))))
            }
            Value::Type(t) => Ok(Some(t)),
            _ => Err(self.invalid(expr)),
        }
    }

    /// Cases that differ from the evaluated form.
    fn parse_special_case(&self, expr: &Expr, base: &Type, name: &str, keys: &[Value]) -> Result<Option<Type>, Reason> {
        let zero = |key: &Value| match key {
            Value::Default => Value::Int(0),
            Value::Str(text) if &**text == "default" => Value::Int(0),
            key => key.clone(),
        };
        Ok(match (base, keys) {
            (Type::Reference(_), _) => Some(Type::Reference(Arc::from(self.quoted_source(expr)))),
            // An invalid pattern fails on its first match.
            (Type::Regexp(_), [Value::Undef]) => Some(Type::Regexp(None)),
            (Type::Regexp(_), [Value::Str(source)]) => Some(Type::Regexp(Some(Arc::new(Regexp::new(&**source))))),
            (Type::Regexp(_), [key]) if !matches!(key, Value::Regexp(_)) => {
                let message = format!("no implicit conversion of {} into String", ruby::plain_conversion_name(key));
                Some(Type::Regexp(Some(Arc::new(Regexp::unusable(self.quoted_source(expr), message)))))
            }
            // Keys without meaning for a URI are not checked.
            (Type::Uri(_), [key]) if !matches!(key, Value::Str(_) | Value::Hash(_) | Value::Uri(_)) => {
                Some(base.clone())
            }
            (Type::Tuple(_), [least]) if is_end(least) => Some(sized_tuple(&zero(least), &Value::Default)?),
            (Type::Tuple(_), [least, most]) if is_end(least) && is_end(most) => Some(sized_tuple(&zero(least), most)?),
            (Type::Resource(_), [Value::Type(Type::Reference(target)), rest @ ..]) if name == "resource" => {
                let title = rest.first().and_then(Value::as_str).map(Arc::from);
                Some(Type::resource(target, title))
            }
            (Type::Resource(resource), [Value::Str(title)]) if name != "resource" => {
                let (type_name, title) = (resource.type_name.clone(), Some(title.to_shared()));
                Some(Type::Resource(Arc::new(ResourceType { type_name, title, ..ResourceType::default() })))
            }
            (Type::Resource(_), [Value::Undef]) if name != "resource" => Some(base.clone()),
            (Type::Runtime(_), [runtime, name]) => Some(parameters::runtime_type(runtime, name)?),
            (Type::Class(_), [Value::Undef]) => Some(Type::Class(None)),
            (Type::Class(_), [Value::Str(class)]) => {
                Some(Type::Class(Some(Arc::from(class.strip_prefix("::").unwrap_or(class)))))
            }
            (Type::Tuple(_), [.., least, Value::Int(most)]) if is_default(least) && *most < 0 => {
                return Err(Reason::runtime(format!("'from' must be less or equal to 'to'. Got (0, {most}")));
            }
            (Type::Tuple(_), [types @ .., last]) if is_default(last) && !types.is_empty() => {
                let before =
                    types.last().filter(|key| matches!(key, Value::Int(_) | Value::BigInt(_)) || is_default(key));
                match before {
                    Some(_) => None,
                    None => {
                        let mut keys = types.to_vec();
                        keys.push(zero(last));
                        let keys = parameters::convert(base, name, keys)?;
                        match access(base, &keys).map_err(|error| error.reason)? {
                            Value::Type(t) => Some(t),
                            _ => None,
                        }
                    }
                }
            }
            _ => None,
        })
    }
}

/// Whether a type is an object type.
fn is_object(t: &Type) -> bool {
    matches!(t, Type::Alias(alias) if matches!(alias.resolved(), Some(Type::Object(_))))
}

fn is_default(key: &Value) -> bool {
    match key {
        Value::Default => true,
        Value::Str(text) => &**text == "default",
        _ => false,
    }
}
