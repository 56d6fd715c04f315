//! Title patterns of a definition.

use super::Attributes;
use super::Reader;
use super::namevars;
use crate::TitlePattern;
use crate::problem::ProblemLevel;
use crate::problem::Step;
use catwalk_base::names::Name;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby_class;

impl Reader {
    pub(super) fn check_title_patterns_key(&mut self, hash: &Hash) {
        if let Some(patterns) = hash.get("title_patterns")
            && !matches!(patterns, Value::Array(_) | Value::Undef)
        {
            let text = format!("`:title_patterns` must be an array, not `{}`", ruby_class(patterns));
            self.error(&["title_patterns"], text);
        }
    }

    /// The title patterns, whose groups must be namevars.
    pub(super) fn read_title_patterns(&mut self, hash: &Hash, attributes: &Attributes) -> Vec<TitlePattern> {
        let Some(Value::Array(entries)) = hash.get("title_patterns") else { return Vec::new() };
        let mut patterns = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let path_to = |key: Option<&str>| {
                let mut path = vec![Step::Key("title_patterns".into()), Step::Index(at)];
                path.extend(key.map(|key| Step::Key(key.into())));
                path
            };
            let Value::Hash(entry) = entry else {
                let text = format!("a title pattern must be a hash with a key `pattern`, not `{}`", ruby_class(entry));
                self.report(ProblemLevel::Error, path_to(None), text);
                continue;
            };
            let regexp = match entry.get("pattern") {
                Some(Value::Str(source)) => Regexp::new(&**source),
                Some(Value::Regexp(regexp)) => (**regexp).clone(),
                None | Some(Value::Undef) => {
                    self.report(ProblemLevel::Error, path_to(None), "a title pattern has no `pattern`");
                    continue;
                }
                Some(other) => {
                    let text = format!("a title pattern must be a regular expression, not `{}`", ruby_class(other));
                    self.report(ProblemLevel::Error, path_to(Some("pattern")), text);
                    continue;
                }
            };
            let names = match regexp.names() {
                Ok(names) => names.iter().flatten().map(|name| Name::new(name)).collect::<Vec<Name>>(),
                Err(error) => {
                    self.report(ProblemLevel::Error, path_to(Some("pattern")), error.message().to_owned());
                    continue;
                }
            };
            self.check_groups(&names, attributes, path_to(Some("pattern")));
            for key in entry.keys().filter_map(Value::as_str).filter(|key| !["pattern", "desc"].contains(key)) {
                self.report(
                    ProblemLevel::Mistake,
                    path_to(Some(key)),
                    format!("a title pattern has an unknown key `{key}`"),
                );
                self.add_help("known keys: pattern, desc");
            }
            let description = match entry.get("desc") {
                Some(Value::Str(text)) => Some(text.to_shared()),
                _ => None,
            };
            patterns.push(TitlePattern { regexp, names, description });
        }
        patterns
    }

    fn check_groups(&mut self, names: &[Name], attributes: &Attributes, path: Vec<Step>) {
        let namevars: Vec<&str> = namevars(attributes).map(Name::as_str).collect();
        if names.is_empty() {
            self.report(ProblemLevel::Mistake, path, "a title pattern has no named group: it sets no namevar");
            self.add_help("write a group for each namevar: `(?<name>.*)`");
            return;
        }
        for name in names.iter().filter(|name| !namevars.contains(&name.as_str())) {
            let text = format!("a title pattern has a group `{name}`, which is not a namevar of `{}`", self.name);
            self.report(ProblemLevel::Mistake, path.clone(), text);
            self.add_help(format!("namevars: {}", namevars.join(", ")));
        }
    }
}
