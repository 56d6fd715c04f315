//! `type X = TypeSet[{ … }]`: a type set, and its types as `X::Name`. (`PTypeSetType#resolve`)
//!
//! Types of a set see each other by their simple names, whatever their order: each is created when it is first used.

use std::cell::RefCell;
use std::sync::Arc;

use crate::Evaluator;
use crate::type_resolver::Aliases;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::version::Strict;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Alias;
use catwalk_value::Hash;
use catwalk_value::RUNTIME_AUTHORITY;
use catwalk_value::Type;
use catwalk_value::TypeSet;
use catwalk_value::Value;
use catwalk_value::define_object;
use catwalk_value::parse;
use catwalk_value::parse::AliasResolver;

/// A type set whose types are being created.
pub(super) struct Members<'c, 's> {
    set: Arc<TypeSet>,
    aliases: Vec<Arc<Alias>>,
    /// The expressions of types that are not created yet.
    pending: RefCell<Vec<Option<&'c Expr>>>,
    /// The source that their positions refer to.
    text: &'s str,
    /// The enclosing set.
    outer: Option<&'s Members<'c, 's>>,
}

impl<'c> Evaluator<'c> {
    /// The set that a hash defines. Its types are registered as `X::Name`.
    pub(super) fn define_type_set(&mut self, alias: &Alias, hash: &'c Expr, text: &str) -> Result<Type, Reason> {
        let key = Name::new(alias.name()).normalized();
        let members = match self.parse_members(alias.name(), hash, text, None) {
            Ok(members) => members,
            Err(reason) => {
                self.aliases.remove(&key);
                return Err(reason);
            }
        };
        self.aliases.insert(key, Type::TypeSet(Some(members.set.clone())));
        let created = self.create_members(&members);
        if created.is_err() {
            self.aliases.remove(&key);
        }
        created.map(|()| Type::TypeSet(Some(members.set)))
    }

    fn parse_members<'s>(
        &mut self,
        name: &str,
        hash: &'c Expr,
        text: &'s str,
        outer: Option<&'s Members<'c, 's>>,
    ) -> Result<Members<'c, 's>, Reason> {
        let ExprKind::Hash(entries) = &hash.kind else {
            let value = parse::parse_literal(hash, text, &mut TypeSetResolver { ev: self, members: outer })?;
            let actual_type = catwalk_value::infer(&value);
            return Err(Reason::runtime(format!(
                "TypeSet initializer has wrong type, expects a Struct value, got {}",
                actual_type.simple_name()
            )));
        };
        let (mut definition, mut aliases, mut pending) = (Hash::new(), Vec::new(), Vec::new());
        for entry in entries {
            let key = parse::parse_literal(&entry.key, text, &mut TypeSetResolver { ev: self, members: outer })?;
            let inner = match (key.as_str(), &entry.value.kind) {
                (Some("types" | "references"), ExprKind::Hash(inner)) => inner,
                _ => {
                    let value =
                        parse::parse_literal(&entry.value, text, &mut TypeSetResolver { ev: self, members: outer })?;
                    definition.insert(key, value);
                    continue;
                }
            };
            let mut named = Hash::new();
            for member in inner {
                // Names are not looked up here.
                let member_name = match &member.key.kind {
                    ExprKind::TypeName(name) => Value::str(name.as_str()),
                    _ => parse::parse_literal(&member.key, text, &mut TypeSetResolver { ev: self, members: outer })?,
                };
                if key.as_str() == Some("types") {
                    let alias = Alias::new(&format!("{name}::{}", catwalk_value::to_puppet_string(&member_name)));
                    named.insert(member_name, Value::Type(Type::Alias(alias.clone())));
                    aliases.push(alias);
                    pending.push(Some(&member.value));
                } else {
                    let value =
                        parse::parse_literal(&member.value, text, &mut TypeSetResolver { ev: self, members: outer })?;
                    named.insert(member_name, value);
                }
            }
            definition.insert(key, Value::hash(named));
        }
        let set = TypeSet::define(Some((name, RUNTIME_AUTHORITY)), &definition).map_err(Reason::runtime)?;
        Ok(Members { set: Arc::new(set), aliases, pending: RefCell::new(pending), text, outer })
    }

    /// Finds the referenced sets and creates its types.
    fn create_members(&mut self, members: &Members<'c, '_>) -> Result<(), Reason> {
        for (_, reference) in &members.set.references {
            let description =
                format!("TypeSet '{}' reference to TypeSet named '{}'", members.set.label(), reference.name);
            let resolved = match reference.authority.as_deref() {
                Some(RUNTIME_AUTHORITY) => {
                    TypeSetResolver { ev: self, members: members.outer }.resolve(&reference.name)?
                }
                _ => None,
            };
            let found = match resolved {
                None => return Err(Reason::runtime(format!("{description} cannot be resolved"))),
                Some(Type::TypeSet(Some(found))) => found,
                Some(other) => {
                    let name = match &other {
                        Type::Alias(alias) => alias.name().to_owned(),
                        other => other.simple_name().to_owned(),
                    };
                    return Err(Reason::runtime(format!("{description} resolves to a {name}")));
                }
            };
            if let Some(version) = found.version.as_ref().filter(|version| !reference.range.includes(version)) {
                let range = &reference.range;
                return Err(Reason::runtime(format!(
                    "{description} resolves to an incompatible version. Expected {range}, got {version}"
                )));
            }
            let _ = reference.loaded.set(found);
        }
        // All of them are registered before one is created.
        for alias in members.aliases.iter().filter(|_| members.outer.is_none()) {
            self.aliases.insert(Name::new(alias.name()).normalized(), Type::Alias(alias.clone()));
        }
        (0..members.aliases.len()).try_for_each(|at| self.create_member(members, at))
    }

    /// Creates one type of a set, unless it exists.
    fn create_member(&mut self, members: &Members<'c, '_>, at: usize) -> Result<(), Reason> {
        let Some(expr) = members.pending.borrow_mut().get_mut(at).and_then(Option::take) else { return Ok(()) };
        let Some(alias) = members.aliases.get(at) else { return Ok(()) };
        let mut names = TypeSetResolver { ev: self, members: Some(members) };
        let definition = match &expr.kind {
            ExprKind::Hash(_) => Some(parse::parse_literal(expr, members.text, &mut names)?),
            ExprKind::ResourceDefaults(short) => {
                let mut hash = Hash::new();
                if !matches!(&short.type_ref.kind, ExprKind::TypeName(name) if *name == "Object" || *name == "TypeSet")
                {
                    let twice = short.attributes.iter().any(|attribute| attribute.name == "parent");
                    if twice && names.ev.settings.strict == Strict::Warning {
                        let text = "The key 'parent' is declared more than once";
                        names.ev.warn(Reason::runtime(text), expr.span);
                    }
                    hash.set("parent", parse::parse_literal(&short.type_ref, members.text, &mut names)?);
                }
                for attribute in &short.attributes {
                    let value = parse::parse_literal(&attribute.value, members.text, &mut names)?;
                    hash.set(attribute.name.as_str(), value);
                }
                Some(Value::hash(hash))
            }
            ExprKind::Access(access) => match (&access.left.kind, access.keys.as_slice()) {
                (ExprKind::TypeName(name), [hash]) if *name == "Object" => {
                    Some(parse::parse_literal(hash, members.text, &mut names)?)
                }
                (ExprKind::TypeName(name), [hash]) if *name == "TypeSet" => {
                    let inner = names.ev.parse_members(alias.name(), hash, members.text, Some(members))?;
                    names.ev.create_members(&inner)?;
                    return alias.resolve(&Type::TypeSet(Some(inner.set))).map_err(Reason::runtime);
                }
                _ => None,
            },
            _ => None,
        };
        let meaning = match definition {
            Some(Value::Hash(definition)) => {
                let object_type = define_object(Some(alias.name()), &definition).map_err(Reason::runtime)?;
                Type::Object(Arc::new(object_type))
            }
            _ => parse::parse_type_expr(expr, members.text, &mut names)?,
        };
        alias.resolve(&meaning).map_err(Reason::runtime)
    }
}

/// Names as a type of a set sees them: first global ones, then those of the set, then those of referenced sets.
struct TypeSetResolver<'e, 'c, 's> {
    ev: &'e mut Evaluator<'c>,
    members: Option<&'s Members<'c, 's>>,
}

impl AliasResolver for TypeSetResolver<'_, '_, '_> {
    fn now(&self) -> Option<i128> {
        None
    }

    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        if let Some(found) = (Aliases { ev: self.ev }).resolve(name)? {
            return Ok(Some(found));
        }
        let mut at = self.members;
        let mut sets = Vec::new();
        while let Some(members) = at {
            sets.push(members);
            at = members.outer;
        }
        // The outermost set comes first.
        for members in sets.into_iter().rev() {
            if let Some(at) = members.set.position(name) {
                self.ev.create_member(members, at)?;
                return Ok(members.set.types.get(at).map(|(_, t)| t.clone()));
            }
            if let Some(found) = members.set.referenced_type(name) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
