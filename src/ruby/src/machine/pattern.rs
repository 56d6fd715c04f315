//! `case … in`: compares values with patterns and binds their parts.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::InClause;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::Pattern;
use catwalk_ruby_syntax::ast::PatternRest;

impl Interp<'_, '_> {
    pub(crate) fn eval_case_in(
        &mut self,
        subject: &Node,
        clauses: &[InClause],
        else_body: Option<&Node>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let value = self.eval(subject, f)?;
        for clause in clauses {
            if !self.fits(&clause.pattern, &value, f)? {
                continue;
            }
            if let Some((wanted, guard)) = &clause.guard
                && self.eval(guard, f)?.truthy() != *wanted
            {
                continue;
            }
            return self.eval(&clause.body, f);
        }
        match else_body {
            Some(body) => self.eval(body, f),
            None => {
                let shown = self.inspect(&value)?;
                self.raise("NoMatchingPatternError", shown)
            }
        }
    }

    fn fits(&mut self, pattern: &Pattern, value: &Rv, f: &Rc<Frame>) -> Raise<bool> {
        self.step()?;
        match pattern {
            Pattern::Value(node) => {
                let wanted = self.eval(node, f)?;
                self.case_equal(&wanted, value)
            }
            Pattern::Bind(name) => {
                f.set(*name, value.clone());
                Ok(true)
            }
            Pattern::Named(inner, name) => {
                let fits = self.fits(inner, value, f)?;
                if fits {
                    f.set(*name, value.clone());
                }
                Ok(fits)
            }
            Pattern::Either(all) => {
                for pattern in all {
                    if self.fits(pattern, value, f)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pattern::Array { class, before, rest, after } => {
                if !self.is_of(class.as_deref(), value, f)? {
                    return Ok(false);
                }
                let items = match value {
                    Rv::Array(items) => items.borrow().clone(),
                    Rv::Object(_) if self.has_method(value, Name::new("deconstruct")) => {
                        let parts = self.call_method(value, "deconstruct", &[], None)?;
                        self.to_list(&parts)?
                    }
                    _ => return Ok(false),
                };
                let least = before.len() + after.len();
                if items.len() < least || (rest.is_none() && items.len() > least) {
                    return Ok(false);
                }
                let middle = items.len() - after.len();
                for (pattern, item) in before.iter().zip(&items) {
                    if !self.fits(pattern, item, f)? {
                        return Ok(false);
                    }
                }
                if let Some(Some(name)) = rest {
                    f.set(*name, Rv::array(items.get(before.len()..middle).unwrap_or_default().to_vec()));
                }
                for (pattern, item) in after.iter().zip(items.get(middle..).unwrap_or_default()) {
                    if !self.fits(pattern, item, f)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pattern::Hash { class, entries, rest } => {
                if !self.is_of(class.as_deref(), value, f)? {
                    return Ok(false);
                }
                let mut map: Map = match value {
                    Rv::Hash(hash) => hash.map.borrow().clone(),
                    Rv::Object(_) if self.has_method(value, Name::new("deconstruct_keys")) => {
                        match self.call_method(value, "deconstruct_keys", &[Rv::Nil], None)? {
                            Rv::Hash(hash) => hash.map.borrow().clone(),
                            _ => return Ok(false),
                        }
                    }
                    _ => return Ok(false),
                };
                if entries.is_empty() && matches!(rest, PatternRest::Ignored) {
                    return Ok(map.is_empty());
                }
                for (key, pattern) in entries {
                    let Some(item) = map.shift_remove(&crate::value::Lookup(&Rv::sym(key))) else {
                        return Ok(false);
                    };
                    match pattern {
                        Some(pattern) => {
                            if !self.fits(pattern, &item, f)? {
                                return Ok(false);
                            }
                        }
                        None => f.set(Name::new(key), item),
                    }
                }
                match rest {
                    PatternRest::Ignored => Ok(true),
                    PatternRest::Nothing => Ok(map.is_empty()),
                    PatternRest::Bind(name) => {
                        f.set(*name, Rv::hash(map));
                        Ok(true)
                    }
                }
            }
        }
    }

    fn is_of(&mut self, class: Option<&Node>, value: &Rv, f: &Rc<Frame>) -> Raise<bool> {
        match class {
            Some(class) => {
                let class = self.eval(class, f)?;
                self.case_equal(&class, value)
            }
            None => Ok(true),
        }
    }
}
