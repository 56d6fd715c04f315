//! Unknown keys of a definition.

use super::Reader;
use super::path;
use crate::problem::ProblemLevel;
use crate::problem::Step;
use catwalk_base::names::nearest;
use catwalk_value::Hash;
use catwalk_value::ruby;

impl Reader {
    /// Reports unknown keys, each with the most similar valid key.
    pub(super) fn report_unknown_keys(&mut self, keys: &[&str], hash: &Hash, valid: &[&str]) {
        for key in hash.keys() {
            let text = ruby::to_s(key);
            if valid.contains(&&*text) {
                continue;
            }
            let mut path = path(keys);
            path.push(Step::Key(text.as_ref().into()));
            let owner = keys.last().map_or_else(|| format!("`{}`", self.name), |key| format!("`{}.{key}`", self.name));
            self.report(ProblemLevel::Mistake, path, format!("{owner} has an unknown key `{text}`"));
            match nearest(&text, valid.iter().copied()) {
                Some(similar) => self.add_help(format!("did you mean `{similar}`?")),
                None => self.add_help(format!("known keys: {}", valid.join(", "))),
            }
        }
    }
}
