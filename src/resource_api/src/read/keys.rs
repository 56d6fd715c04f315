//! Unknown keys of a definition.

use super::Reader;
use super::path;
use crate::problem::ProblemLevel;
use crate::problem::Step;
use catwalk_base::names::nearest;
use catwalk_value::value::Hash;
use catwalk_value::value::ruby;

impl Reader {
    /// Reports unknown keys, each with the most similar valid key.
    pub(super) fn unknown_keys(&mut self, keys: &[&str], given: &Hash, known: &[&str]) {
        for key in given.keys() {
            let text = ruby::to_s(key);
            if known.contains(&&*text) {
                continue;
            }
            let mut path = path(keys);
            path.push(Step::Key(text.as_ref().into()));
            let of = keys.last().map_or_else(|| format!("`{}`", self.name), |key| format!("`{}.{key}`", self.name));
            self.report(ProblemLevel::Mistake, path, format!("{of} has an unknown key `{text}`"));
            match nearest(&text, known.iter().copied()) {
                Some(meant) => self.help(format!("did you mean `{meant}`?")),
                None => self.help(format!("known keys: {}", known.join(", "))),
            }
        }
    }
}
