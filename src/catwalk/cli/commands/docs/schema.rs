//! `catwalk docs schema [NAME]`: JSON Schemas of the files that users write, for editors.
//!
//! In: a name. Out: the schema, or the list of schemas with the lines that connect them to files. Must not: read files.

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_session::site;

/// A schema: its name, further names, the files that it describes, the schema.
type Row = (&'static str, &'static [&'static str], &'static str, fn() -> serde_json::Value);

/// All schemas.
const SCHEMAS: [Row; 3] = [
    ("catwalk.toml", &["catwalk", "site", "toml"], "catwalk.toml", site::schema),
    ("tests", &["test", "cases"], "tests/*.yaml", catwalk_snapshot::schema),
    ("groups", &["group", "classifier"], "files of node groups, in YAML or JSON", catwalk_classifier::schema),
];

const LIST: &str = "\
JSON Schemas (draft 7), for completion and checks in editors:

  catwalk docs schema catwalk.toml   catwalk.toml
  catwalk docs schema tests          test files: tests/*.yaml
  catwalk docs schema groups         files of node groups, in YAML or JSON

Save them in the site, and name them in the first line of a file:

  catwalk docs schema tests > .catwalk-tests.schema.json

  YAML (yaml-language-server)   # yaml-language-server: $schema=../.catwalk-tests.schema.json
  TOML (taplo, Even Better)     #:schema ./.catwalk.schema.json
";

/// The schema with a name as JSON, or the list of schemas.
pub(super) fn print(name: Option<&str>) -> Result<String, Reason> {
    let Some(name) = name else { return Ok(LIST.to_owned()) };
    let lower = name.to_lowercase();
    match SCHEMAS.iter().find(|(word, others, ..)| *word == lower || others.contains(&lower.as_str())) {
        Some((.., schema)) => Ok(format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap_or_default())),
        None => {
            let words = || SCHEMAS.iter().map(|(word, ..)| *word);
            let list = format!("there are {}", words().collect::<Vec<_>>().join(", "));
            let hint = did_you_mean(&lower, words()).unwrap_or(list);
            Err(Reason::new(Code::UNKNOWN_NAME, format!("no schema '{name}'")).help(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_each_schema_and_its_files() {
        for (word, _, files, _) in SCHEMAS {
            let line = LIST.lines().find(|line| line.starts_with(&format!("  catwalk docs schema {word} ")));
            assert!(line.is_some_and(|line| line.contains(files)), "{word}");
        }
    }
}
