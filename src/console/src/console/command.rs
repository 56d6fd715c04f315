//! Commands of a console: lines that begin with a colon.

use std::collections::BTreeSet;

use crate::console::Console;
use crate::console::Reply;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::did_you_mean;
use catwalk_catalog::Resource;
use catwalk_eval::Evaluator;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::printing::to_indented_program;

/// What a command does.
type Run = for<'r, 'c, 's> fn(&'r mut Console<'c>, &'s str) -> Reply;

/// Name, argument, description, and function.
const COMMANDS: [(&str, &str, &str, Run); 7] = [
    ("type", "EXPR", "the type of a value; what EXPR declares or sets is undone", |console, rest| {
        console.type_of(rest)
    }),
    ("resources", "[TYPE|TYPE[TITLE]]", "the catalog so far, as if the compile ended here", |console, rest| {
        console.resources(rest)
    }),
    ("vars", "", "the variables in scope, without facts", |console, _| console.variables()),
    ("node", "", "name, environment, classes and facts of the node", |console, _| console.node()),
    ("reset", "", "discards everything that was entered", |console, _| console.reset()),
    ("help", "", "this text", |_, _| output_reply(help())),
    ("quit", "", "ends; so does Ctrl-D", |_, _| Reply { quit: true, ..Reply::default() }),
];

/// Names of the commands, with their colon.
pub(super) fn names() -> BTreeSet<String> {
    COMMANDS.iter().map(|(name, ..)| format!(":{name}")).collect()
}

fn output_reply(text: String) -> Reply {
    Reply { text, ..Reply::default() }
}

fn error_reply(text: String) -> Reply {
    let reason = Reason::new(Code::COMMAND, text).help(":help lists the commands");
    Reply { error: Some(Box::from(reason)), ..Reply::default() }
}

fn help() -> String {
    let mut text = String::from("Puppet code is evaluated and its value printed. Declarations and variables remain.\n");
    for (name, argument, description, _) in COMMANDS {
        text.push_str(&format!("{:32}{description}\n", format!(":{name} {argument}")));
    }
    text.push_str("Tab completes names. Ctrl-C cancels a line, or stops an evaluation.");
    text
}

impl<'c> Console<'c> {
    /// Runs the command of a line without its colon. A unique prefix of its name is enough.
    pub(super) fn command(&mut self, line: &str) -> Reply {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut fitting = COMMANDS.iter().filter(|(command, ..)| !name.is_empty() && command.starts_with(name));
        match (fitting.next(), fitting.next()) {
            (Some((.., run)), None) => run(self, rest.trim()),
            (Some(_), Some(_)) => error_reply(format!("':{name}' is the beginning of several commands")),
            (None, _) => {
                let mut reply = error_reply(format!("there is no command ':{name}'"));
                if let (Some(near), Some(error)) =
                    (did_you_mean(name, COMMANDS.iter().map(|(command, ..)| *command)), &mut reply.error)
                {
                    error.help = Some(format!("{near} :help lists the commands").into());
                }
                reply
            }
        }
    }

    fn type_of(&mut self, code: &str) -> Reply {
        if code.is_empty() {
            return error_reply("':type' needs an expression".to_owned());
        }
        let before = self.ev.snapshot();
        let mut reply = self.evaluate(code);
        if let Some(value) = reply.value.take() {
            reply.text = catwalk_value::infer(&value).to_string();
            self.ev.restore(&before);
        }
        reply
    }

    fn resources(&mut self, filter: &str) -> Reply {
        let (catalog, logs) = match self.catalog() {
            Ok(found) => found,
            Err(error) => {
                let entries = self.ev.state.resources.entries.iter().map(|entry| entry.reference());
                let text = entries.filter(|name| matches_filter(filter, name)).collect::<Vec<_>>().join("\n");
                return Reply { text, error: Some(error), ..Reply::default() };
            }
        };
        let found = catalog.resources.iter().filter(|resource| matches_filter(filter, &resource.reference()));
        let parts: Vec<String> = found.map(|resource| self.resource(resource, !filter.is_empty())).collect();
        if parts.is_empty() {
            return Reply { text: format!("none is a {filter}"), logs, ..Reply::default() };
        }
        Reply { text: parts.join("\n"), logs, ..Reply::default() }
    }

    fn resource(&self, resource: &Resource, full: bool) -> String {
        let mut text = resource.reference();
        if let Some(line) = resource.line {
            let file = resource.file.as_deref().unwrap_or("<code>");
            text.push_str(&format!("  ({file}:{line})"));
        }
        if full {
            let width = resource.parameters.keys().map(|name| name.len()).max().unwrap_or(0);
            for (name, value) in &resource.parameters {
                let value = match resource.sensitive.contains(name) {
                    true => "Sensitive [value redacted]".to_owned(),
                    false => to_indented_program(value, 1).trim_start().to_owned(),
                };
                text.push_str(&format!("\n  {:width$} => {value}", name.as_str()));
            }
        }
        text
    }

    fn variables(&mut self) -> Reply {
        let facts: &Hash = &self.ev.node.facts;
        let variables = self.ev.visible_variables().into_iter().filter(|(name, value)| {
            let is_fact = facts.get(name.as_str()).is_some_and(|fact| fact == value);
            !is_fact && !matches!(name.as_str(), "facts" | "trusted" | "server_facts")
        });
        let lines = variables.map(|(name, value)| format!("${name} = {}", to_indented_program(&value, 0).trim_start()));
        output_reply(lines.collect::<Vec<_>>().join("\n"))
    }

    fn node(&mut self) -> Reply {
        let ev: &Evaluator<'c> = &self.ev;
        let node = ev.node;
        let mut text = format!("name: {}\nenvironment: {}\n", node.certname, node.environment);
        let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let classified = node.classes.keys().map(AsRef::as_ref).collect();
        text.push_str(&format!("classes of the classification: {}\n", list(classified)));
        let mut declared: Vec<&str> = ev
            .state
            .resources
            .entries
            .iter()
            .filter(|entry| entry.is_class())
            .map(|entry| entry.title.as_ref())
            .collect();
        declared.retain(|title| !matches!(*title, "main" | "settings" | "Settings" | ""));
        text.push_str(&format!("classes declared: {}\n", list(declared)));
        let facts = to_indented_program(&Value::Hash(node.facts.clone()), 0);
        text.push_str(&format!("facts: {}", facts.trim_start()));
        output_reply(text)
    }

    fn reset(&mut self) -> Reply {
        self.ev.restore(&self.start);
        self.reported_failure = None;
        output_reply("everything that was entered is discarded".to_owned())
    }
}

/// Whether a reference matches a filter: an empty one, a type, or a type with a title.
fn matches_filter(filter: &str, reference: &str) -> bool {
    if filter.is_empty() {
        return true;
    }
    let (type_name, title) = reference.split_once('[').unwrap_or((reference, ""));
    match filter.split_once('[') {
        None => type_name.eq_ignore_ascii_case(filter),
        Some((wanted_type, wanted_title)) => {
            let plain = |title: &str| title.trim_end_matches(']').trim_matches(['\'', '"']).to_owned();
            type_name.eq_ignore_ascii_case(wanted_type) && plain(title) == plain(wanted_title)
        }
    }
}
