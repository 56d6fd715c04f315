//! `case … in`: compares values with patterns and binds their parts.

use std::rc::Rc;
use std::sync::Arc;

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

impl Interp<'_> {
    pub(crate) fn eval_case_in(
        &mut self,
        subject: &Node,
        clauses: &[InClause],
        else_body: Option<&Node>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let value = self.eval(subject, f)?;
        for clause in clauses {
            if !self.matches_pattern(&clause.pattern, &value, f)? {
                continue;
            }
            if let Some((expected, guard)) = &clause.guard
                && self.eval(guard, f)?.truthy() != *expected
            {
                continue;
            }
            return self.eval(&clause.body, f);
        }
        match else_body {
            Some(body) => self.eval(body, f),
            None => {
                let message = self.inspect(&value)?;
                self.raise("NoMatchingPatternError", message)
            }
        }
    }

    fn matches_pattern(&mut self, pattern: &Pattern, value: &Rv, f: &Rc<Frame>) -> Raise<bool> {
        self.step()?;
        match pattern {
            Pattern::Value(node) => {
                let expected = self.eval(node, f)?;
                self.case_equal(&expected, value)
            }
            Pattern::Bind(name) => {
                f.set(*name, value.clone());
                Ok(true)
            }
            Pattern::Named(inner, name) => {
                let matches = self.matches_pattern(inner, value, f)?;
                if matches {
                    f.set(*name, value.clone());
                }
                Ok(matches)
            }
            Pattern::Either(alternatives) => {
                for pattern in alternatives {
                    if self.matches_pattern(pattern, value, f)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pattern::Array { class, before, rest, after } => {
                if !self.matches_class(class.as_deref(), value, f)? {
                    return Ok(false);
                }
                match self.deconstruct(value)? {
                    Some(items) => self.match_items(before, rest.as_ref(), after, &items, f),
                    None => Ok(false),
                }
            }
            Pattern::Hash { class, entries, rest } => {
                if !self.matches_class(class.as_deref(), value, f)? {
                    return Ok(false);
                }
                match self.deconstruct_keys(value)? {
                    Some(map) => self.match_entries(entries, rest, map, f),
                    None => Ok(false),
                }
            }
        }
    }

    /// The items of an array, or of an object with the method `deconstruct`.
    fn deconstruct(&mut self, value: &Rv) -> Raise<Option<Vec<Rv>>> {
        match value {
            Rv::Array(items) => Ok(Some(items.borrow().clone())),
            Rv::Object(_) if self.has_method(value, Name::new("deconstruct")) => {
                let parts = self.call_method(value, "deconstruct", &[], None)?;
                self.to_list(&parts).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The entries of a hash, or of an object with the method `deconstruct_keys`.
    fn deconstruct_keys(&mut self, value: &Rv) -> Raise<Option<Map>> {
        let object = match value {
            Rv::Hash(hash) => return Ok(Some(hash.map.borrow().clone())),
            Rv::Object(_) if self.has_method(value, Name::new("deconstruct_keys")) => value,
            _ => return Ok(None),
        };
        match self.call_method(object, "deconstruct_keys", &[Rv::Nil], None)? {
            Rv::Hash(hash) => Ok(Some(hash.map.borrow().clone())),
            _ => Ok(None),
        }
    }

    /// Matches the items of an array; `rest` is the splat between `before` and `after`, with its name.
    fn match_items(
        &mut self,
        before: &[Pattern],
        rest: Option<&Option<Name>>,
        after: &[Pattern],
        items: &[Rv],
        f: &Rc<Frame>,
    ) -> Raise<bool> {
        let min = before.len() + after.len();
        if items.len() < min || (rest.is_none() && items.len() > min) {
            return Ok(false);
        }
        let middle = items.len() - after.len();
        for (pattern, item) in before.iter().zip(items) {
            if !self.matches_pattern(pattern, item, f)? {
                return Ok(false);
            }
        }
        if let Some(Some(name)) = rest {
            f.set(*name, Rv::array(items.get(before.len()..middle).unwrap_or_default().to_vec()));
        }
        for (pattern, item) in after.iter().zip(items.get(middle..).unwrap_or_default()) {
            if !self.matches_pattern(pattern, item, f)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Matches the entries of a hash.
    fn match_entries(
        &mut self,
        entries: &[(Arc<str>, Option<Pattern>)],
        rest: &PatternRest,
        mut map: Map,
        f: &Rc<Frame>,
    ) -> Raise<bool> {
        if entries.is_empty() && matches!(rest, PatternRest::Ignored) {
            return Ok(map.is_empty());
        }
        for (key, pattern) in entries {
            let Some(item) = map.shift_remove(&crate::value::Lookup(&Rv::sym(key))) else {
                return Ok(false);
            };
            match pattern {
                Some(pattern) => {
                    if !self.matches_pattern(pattern, &item, f)? {
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

    fn matches_class(&mut self, class: Option<&Node>, value: &Rv, f: &Rc<Frame>) -> Raise<bool> {
        match class {
            Some(class) => {
                let class = self.eval(class, f)?;
                self.case_equal(&class, value)
            }
            None => Ok(true),
        }
    }
}
