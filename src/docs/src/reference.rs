//! The generated reference pages of `docs/`: functions by module and initial, with an index; resource types; data types.
//!
//! In: the tables of the program ([`builtin`]). Out: paths below `docs/` and Markdown. Must not: write files.

use std::fmt::Write;

use crate::builtin;
use crate::page::Page;
use crate::page::Topic;
use crate::render;

/// A page of functions: those of one origin whose names begin with a letter of a range.
struct Volume {
    file: &'static str,
    title: &'static str,
    origin: &'static str,
    initials: std::ops::RangeInclusive<char>,
}

/// The pages of functions. Ranges keep each below 1,500 lines.
const VOLUMES: &[Volume] = &[
    Volume { file: "puppet-a-k.md", title: "Functions of Puppet: A to K", origin: "Puppet", initials: 'a'..='k' },
    Volume { file: "puppet-l-z.md", title: "Functions of Puppet: L to Z", origin: "Puppet", initials: 'l'..='z' },
    Volume { file: "stdlib-a-o.md", title: "Functions of stdlib: A to O", origin: "stdlib", initials: 'a'..='o' },
    Volume { file: "stdlib-p-s.md", title: "Functions of stdlib: P to S", origin: "stdlib", initials: 'p'..='s' },
    Volume { file: "stdlib-t-z.md", title: "Functions of stdlib: T to Z", origin: "stdlib", initials: 't'..='z' },
];

/// How to read the examples, in front of each page of functions.
const EXAMPLES: &str = "\
The comment below an example is the value of its last statement, what it logs, or its error. Every example runs as a
test, on a node `web1.example.com` in the environment `tests/examples`.
";

const INDEX: &str = "\
# Functions

Every function that a manifest can call without installing a module, and the functions of puppetlabs-stdlib, which are
available when that module is on the modulepath. `catwalk docs functions NAME` prints one of them, and those of your own
modules:

```sh
catwalk docs functions             # all, with their first sentences
catwalk docs functions strftime    # one, with examples
```
";

/// The paths of all generated pages below `docs/`, with their contents.
#[must_use]
pub fn files() -> Vec<(String, String)> {
    let functions = builtin::pages(Topic::Functions);
    let mut files = vec![("functions/README.md".to_owned(), index(&functions))];
    for volume in VOLUMES {
        let mut text = format!("# {}\n\n[All functions](README.md). {EXAMPLES}", volume.title);
        for page in functions.iter().filter(|page| volume.contains(page)) {
            text.push('\n');
            text.push_str(&render::markdown(page));
        }
        files.push((format!("functions/{}", volume.file), text));
    }
    let mut types = builtin::pages(Topic::Types);
    types.push(builtin::metaparameters());
    files.push(("types.md".to_owned(), render::book(Topic::Types, &types)));
    let data_types = builtin::pages(Topic::Datatypes);
    files.push(("datatypes.md".to_owned(), render::book(Topic::Datatypes, &data_types)));
    files.push(("errors.md".to_owned(), render::book(Topic::Errors, &builtin::pages(Topic::Errors))));
    files
}

impl Volume {
    fn contains(&self, page: &Page) -> bool {
        page.origin == self.origin && page.name.starts_with(|initial| self.initials.contains(&initial))
    }
}

/// A line for each function: its name, as a link, and its first sentence.
fn index(functions: &[Page]) -> String {
    let mut text = INDEX.to_owned();
    for origin in ["Puppet", "stdlib"] {
        let _ = write!(text, "\n## {origin}\n\n| function | purpose |\n|---|---|\n");
        for page in functions.iter().filter(|page| page.origin == origin) {
            let Some(volume) = VOLUMES.iter().find(|volume| volume.contains(page)) else { continue };
            let anchor = page.name.replace(':', "");
            let summary = page.summary().replace('|', "\\|");
            let _ = writeln!(text, "| [{}]({}#{anchor}) | {summary} |", page.name, volume.file);
        }
    }
    text
}
