//! The help of all commands: a command's own options, then shared options under headings, without those that do not apply; examples.
//!
//! In: the commands derived from the argument types. Out: these commands with complete help. Must not: change the accepted arguments.

use clap::Arg;
use clap::Command;
use clap::CommandFactory;

use crate::cli::args::Arguments;
use crate::cli::complete::with_completion;

/// The commands, grouped by task: the list of `catwalk --help`.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Catalogs", &["compile", "watch", "show", "diff", "migrate", "eval", "catalog"]),
    ("Tests", &["check", "test", "snapshot", "convert"]),
    ("Nodes and data", &["node", "classify", "facts", "lookup", "data", "eyaml"]),
    ("Machines", &["apply", "serve", "ca", "resource", "store"]),
    ("Code and shell", &["init", "new", "docs", "script", "parse", "completions", "man"]),
];

/// The width of the list of commands, in columns.
const WIDTH: usize = 100;

/// The address of the documentation.
const DOCUMENTATION: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs");

/// Options that many commands share: the heading, and the options in the order in which they are listed.
const SHARED: [(&str, &[&str]); 6] = [
    ("Code", &["site", "environment", "modulepath", "manifest", "execute", "hiera", "puppet", "settings"]),
    ("Node", &["facts", "fact", "legacy_facts", "trusted", "server_facts", "enc", "exported"]),
    ("Limits", &["time_limit", "limits", "cycles", "autorequire", "eyaml"]),
    ("External data", &["record", "replay", "isolate_scripts", "untrusted"]),
    (
        PUPPETDB,
        &[
            "puppetdb_url",
            "puppetdb_conf",
            "ssl_ca",
            "ssl_cert",
            "ssl_key",
            "ssl_crl",
            "queue",
            "puppetdb_timeout",
            "retries",
        ],
    ),
    ("Messages", &["log_format", "debug", "verbose", "quiet"]),
];

/// The heading of the options for the connection to PuppetDB.
const PUPPETDB: &str = "PuppetDB";

/// The command that sends to PuppetDB: its `-h` lists these options, too.
const PUSH: &str = "store push";

/// Options that only `--help` lists, besides those for the connection to PuppetDB.
const LONG_ONLY: [&str; 12] = [
    "legacy_facts",
    "trusted",
    "server_facts",
    "limits",
    "cycles",
    "autorequire",
    "eyaml",
    "exported",
    "record",
    "replay",
    "isolate_scripts",
    "settings",
];

/// Options of compiles, which have no effect on commands that compile nothing.
const OF_COMPILES: [&str; 22] = [
    "legacy_facts",
    "environment",
    "modulepath",
    "manifest",
    "execute",
    "hiera",
    "puppet",
    "settings",
    "facts",
    "fact",
    "trusted",
    "server_facts",
    "enc",
    "exported",
    "time_limit",
    "limits",
    "cycles",
    "autorequire",
    "eyaml",
    "record",
    "replay",
    "isolate_scripts",
];

/// A command, the shared options without an effect on it, and its examples: command line and description.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const COMMANDS: &[Row] = &[
    (
        "init",
        &[],
        &[
            ("catwalk init", "set up Catwalk in this control repository or module"),
            ("catwalk init --ci github", "with a file of jobs"),
        ],
    ),
    ("new module", &[], &[("catwalk new module acme-ntp", "a module in ntp/, with a test")]),
    ("new site", &[], &[("catwalk new site control-repo", "a control repository, with nodes and a test")]),
    ("convert rspec", &[], &[("catwalk convert rspec spec/", "write test files for specs of rspec-puppet")]),
    (
        "completions",
        &[],
        &[("catwalk completions bash", "what ~/.local/share/bash-completion/completions/catwalk holds")],
    ),
    ("man", &[], &[("catwalk man ~/.local/share/man/man1", "write the manual pages")]),
    (
        "store import",
        &[],
        &[("catwalk store import fixtures.yaml --store store.db", "put catalogs and facts of a file into a store")],
    ),
    (
        "store query",
        &[],
        &[("catwalk store query 'nodes[certname] { }' --store store.db", "run a query as PuppetDB does")],
    ),
    ("store list", &[], &[("catwalk store list --store store.db", "the nodes of a store")]),
    ("store remove", &[], &[("catwalk store remove web1.example.com --store store.db", "forget a node")]),
    ("store check", &[], &[("catwalk store check --store store.db", "check the file for damage")]),
    (
        "store push",
        &[],
        &[
            ("catwalk store push --dry-run", "print what PuppetDB would receive"),
            (
                "catwalk store push --puppetdb-url https://puppetdb:8081",
                "send the store of this site and its queued commands",
            ),
        ],
    ),
    (
        "catalog convert",
        &[],
        &[("catwalk catalog convert native.json --format wire9", "a catalog as PuppetDB receives it")],
    ),
    ("catalog validate", &[], &[("catwalk catalog validate catalogs/*.json", "what breaks the rules of a format")]),
    ("catalog diff", &[], &[("catwalk catalog diff old.json new.json", "compare catalogs in any formats")]),
    (
        "catalog graph",
        &[],
        &[("catwalk catalog graph web1.example.com -o graph.html", "a page that shows order and containment")],
    ),
    (
        "catalog why",
        &[],
        &[("catwalk catalog why 'Package[ntp]' 'Service[ntp]' --node web1.example.com", "what orders two resources")],
    ),
    (
        "check",
        &[],
        &[
            ("catwalk check", "everything below this directory"),
            ("catwalk check manifests data/common.yaml", "a directory and a file"),
        ],
    ),
    ("parse", &[], &[("catwalk parse -e 'notice(1 + 2)'", "the syntax tree of code")]),
    (
        "apply",
        &["exported"],
        &[
            ("catwalk apply --noop manifests/site.pp", "what would change on this machine"),
            ("catwalk apply -e \"file { '/tmp/x': ensure => file }\"", "apply code"),
        ],
    ),
    (
        "compile",
        &[],
        &[
            ("catwalk compile", "compile all nodes of the site; on a terminal, print a table"),
            ("catwalk compile web1.example.com --format native", "print the catalog of a node as JSON"),
            ("catwalk compile --output catalogs/", "write CERTNAME.json for each node"),
        ],
    ),
    (
        "show",
        &[],
        &[
            ("catwalk show web1.example.com", "the resources of a node"),
            (
                "catwalk show web1.example.com 'File[/etc/motd]'",
                "a resource, where its parameters come from, what is around it",
            ),
        ],
    ),
    (
        "classify",
        &["execute", "manifest", "cycles", "autorequire", "exported", "eyaml", "hiera", "limits"],
        &[
            ("catwalk classify web1.example.com --explain", "why a node is in its groups"),
            ("catwalk classify --matrix", "nodes and groups as a table"),
        ],
    ),
    (
        "eval",
        &[],
        &[
            ("catwalk eval -e '$facts[\"os\"][\"family\"]' --facts debian-12", "the value of an expression"),
            ("catwalk eval --node web1.example.com", "interactively"),
        ],
    ),
    (
        "lookup",
        &["cycles", "autorequire", "exported"],
        &[
            ("catwalk lookup webapp::workers --node web1.example.com", "the value of a key for a node"),
            ("catwalk lookup webapp::workers --node web1.example.com --explain", "where it comes from"),
        ],
    ),
    ("data unused", &["execute"], &[("catwalk data unused", "keys that no node uses")]),
    ("eyaml keys", &[], &[("catwalk eyaml keys", "create keys/private_key.pkcs7.pem and keys/public_key.pkcs7.pem")]),
    (
        "eyaml encrypt",
        &[],
        &[
            ("catwalk eyaml encrypt -p -l webapp::password", "print lines for a data file; the value is typed in"),
            ("catwalk eyaml encrypt --in data/common.yaml webapp::password", "encrypt a value that is in clear"),
        ],
    ),
    ("eyaml decrypt", &[], &[("catwalk eyaml decrypt -e data/common.yaml", "print a file with its values decrypted")]),
    ("eyaml edit", &[], &[("catwalk eyaml edit data/common.yaml", "edit the decrypted values with $EDITOR")]),
    (
        "eyaml rekey",
        &[],
        &[(
            "catwalk eyaml rekey data/ --new-public-key new/public_key.pkcs7.pem",
            "encrypt all values below data/ for a new key",
        )],
    ),
    (
        "eyaml check",
        &[],
        &[("catwalk eyaml check", "the data of the site"), ("catwalk eyaml check data/common.yaml", "one file")],
    ),
    ("ca setup", &[], &[("catwalk ca setup --cadir ca --certname puppet.example.com", "create an authority")]),
    (
        "ca import",
        &[],
        &[(
            "catwalk ca import --cadir ca --private-key key.pem --cert-bundle ca.pem --crl-chain crl.pem",
            "use an existing key and its certificates",
        )],
    ),
    ("ca list", &[], &[("catwalk ca list --cadir ca --all", "requests that wait, and all certificates")]),
    ("ca sign", &[], &[("catwalk ca sign --cadir ca --certname web1.example.com", "sign the request of a node")]),
    ("ca revoke", &[], &[("catwalk ca revoke --cadir ca --certname web1.example.com", "revoke its certificates")]),
    ("ca clean", &[], &[("catwalk ca clean --cadir ca --certname web1.example.com", "let the node request a new one")]),
    (
        "ca generate",
        &[],
        &[
            (
                "catwalk ca generate --cadir ca --certname web1.example.com --ssldir web1",
                "create a key and a certificate for a node",
            ),
            (
                "catwalk ca generate --server puppet:8140 --ssldir /etc/puppetlabs/puppet/ssl --certname web1.example.com",
                "have a running server sign it",
            ),
        ],
    ),
    (
        "ca renew",
        &[],
        &[
            ("catwalk ca renew --cadir ca --crl", "new revocation lists, with the same entries"),
            (
                "catwalk ca renew --server puppet:8140 --ssldir /etc/puppetlabs/puppet/ssl --certname web1.example.com",
                "renew this machine's certificate",
            ),
        ],
    ),
    (
        "diff",
        &["execute", "manifest"],
        &[
            ("catwalk diff main", "catalogs of the working tree against those of the branch main"),
            ("catwalk diff --nodes 'web*' v1.2 v1.3", "some nodes, two revisions"),
        ],
    ),
    (
        "migrate",
        &["puppet"],
        &[
            ("catwalk migrate 7 8", "what Puppet 8 changes on all nodes"),
            ("catwalk migrate 8 9 'web*'", "what OpenVox 9 changes on some"),
        ],
    ),
    (
        "docs",
        &[],
        &[
            ("catwalk docs join", "a function"),
            ("catwalk docs file", "a resource type"),
            ("catwalk docs errors UNKNOWN_VARIABLE", "the code of an error"),
            ("catwalk docs watch", "the guide of a command"),
        ],
    ),
    (
        "node list",
        &[
            "execute",
            "manifest",
            "facts",
            "fact",
            "trusted",
            "server_facts",
            "enc",
            "exported",
            "cycles",
            "eyaml",
            "hiera",
            "limits",
        ],
        &[("catwalk node list", "the names that other commands take")],
    ),
    (
        "node show",
        &["execute", "manifest", "cycles", "autorequire", "exported", "eyaml", "limits"],
        &[("catwalk node show web1.example.com --explain", "classes, variables and facts, and where they come from")],
    ),
    (
        "test",
        &["execute", "manifest", "facts", "fact", "trusted", "server_facts"],
        &[
            ("catwalk test", "all nodes and cases"),
            ("catwalk test 'web*' --accept", "some of them; accept what changed"),
            ("catwalk test --ci --junit report.xml", "on a build server"),
        ],
    ),
    ("snapshot review", &OF_COMPILES, &[("catwalk snapshot review", "decide on each change")]),
    (
        "snapshot accept",
        &OF_COMPILES,
        &[
            ("catwalk snapshot accept 'File[/etc/motd]'", "the changes of a resource in all snapshots"),
            ("catwalk snapshot accept --all", "all changes but errors"),
        ],
    ),
    ("snapshot reject", &OF_COMPILES, &[("catwalk snapshot reject 'web*'", "discard the proposals of some nodes")]),
    ("snapshot list", &OF_COMPILES, &[("catwalk snapshot list --diff", "pending changes, equal ones once")]),
    ("snapshot clean", &OF_COMPILES, &[("catwalk snapshot clean --dry-run", "snapshots that belong to no case")]),
    ("facts list", &OF_COMPILES, &[("catwalk facts list", "all fact sets")]),
    (
        "facts show",
        &OF_COMPILES,
        &[
            ("catwalk facts show debian-12-x86_64", "the facts of a set"),
            ("catwalk facts show debian-12-x86_64 os.release", "one of them"),
        ],
    ),
    (
        "facts import",
        &[],
        &[
            ("catwalk facts import --puppetdb", "the facts of all nodes from the site's PuppetDB"),
            ("catwalk facts import factsets.json web1.yaml", "those of files"),
        ],
    ),
    ("facts bundle", &[], &[("catwalk facts bundle facts/*.json --output sets.json", "one file of many")]),
    ("resource", &[], &[("catwalk resource user root", "the state of a resource on this machine")]),
    (
        "script check",
        &[
            "execute",
            "manifest",
            "facts",
            "fact",
            "trusted",
            "server_facts",
            "enc",
            "exported",
            "cycles",
            "autorequire",
            "eyaml",
            "hiera",
        ],
        &[("catwalk script check", "all scripts of the site"), ("catwalk script check scripts/enc.rhai", "one script")],
    ),
    (
        "script test",
        &["execute", "manifest", "exported", "cycles", "autorequire"],
        &[("catwalk script test --coverage", "all tests, and the lines that none ran")],
    ),
    ("script definitions", &[], &[("catwalk script definitions > catwalk.d.rhai", "definitions for editors")]),
    (
        "serve",
        &["facts", "fact", "trusted", "record", "replay", "untrusted"],
        &[
            ("catwalk serve --dev", "try it out on this machine; prints the command line of an agent"),
            (
                "catwalk serve --ssldir /etc/puppetlabs/puppet/ssl --listen 0.0.0.0:8140 --environmentpath /etc/puppetlabs/code/environments",
                "beside an existing certificate authority",
            ),
            (
                "catwalk serve --cadir ca --autosign '*.example.com' --store site.db",
                "with its own certificate authority",
            ),
        ],
    ),
    (
        "watch",
        &[],
        &[
            ("catwalk watch", "all nodes, full screen"),
            ("catwalk watch web1.example.com --plain", "one node, lines"),
            ("catwalk watch --exec 'catwalk test --ci \"$@\"'", "run a command for the nodes that changed"),
        ],
    ),
];

/// The program's commands with their help.
#[must_use]
pub fn command() -> Command {
    let command = complete(Arguments::command(), "");
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\n{}\n{{options}}{{after-help}}\n",
        command_list(&command),
        heading(&command, "Options")
    );
    let after = format!(
        "`catwalk help COMMAND` describes a command; `catwalk docs NAME` explains a command, a function, a type or an error.\n\
         Documentation: {DOCUMENTATION}"
    );
    command.help_template(template).after_help(after)
}

fn heading(command: &Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}:{style:#}")
}

/// The commands by group, each with its description.
fn command_list(command: &Command) -> String {
    let style = command.get_styles().get_literal();
    let names = || GROUPS.iter().flat_map(|(_, names)| names.iter());
    let column = names().map(|name| name.len()).max().unwrap_or(0) + 4;
    let further = " ".repeat(column);
    let options = textwrap::Options::new(WIDTH - column);
    let mut text = String::new();
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{}\n", heading(command, title)));
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let lines = textwrap::wrap(&about, &options).join(&format!("\n{further}"));
            text.push_str(&format!("  {style}{name}{style:#}{}{lines}\n", " ".repeat(column - 2 - name.len())));
        }
    }
    text
}

fn complete(command: Command, path: &str) -> Command {
    let row = COMMANDS.iter().find(|(name, ..)| *name == path);
    let idle = row.map_or(&[][..], |(_, idle, _)| idle);
    let mut command = command.mut_args(|arg| with_completion(with_heading(arg, idle, path), path));
    if let Some((.., examples)) = row {
        let mut help = String::from("Examples:\n");
        for (line, what) in *examples {
            help.push_str(&format!("  {line}\n      {what}\n"));
        }
        if let Some(after) = command.get_after_help() {
            help.push_str(&format!("\n{after}"));
        }
        command = command.after_long_help(help);
    }
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}").trim_start().to_owned();
        command = command.mut_subcommand(&name, |inner| complete(inner, &path));
    }
    command
}

/// Sets the heading and the order of an argument in the help of the command `path`. `idle`: the options without an effect on the command.
fn with_heading(arg: Arg, idle: &[&str], path: &str) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let mut order = 1000;
    for (heading, ids) in SHARED {
        if let Some(at) = ids.iter().position(|shared| *shared == id) {
            let is_idle = idle.contains(&id.as_str());
            let arg = arg.help_heading(heading).display_order(order + at).hide(is_idle);
            let is_long = if heading == PUPPETDB { path != PUSH } else { LONG_ONLY.contains(&id.as_str()) };
            return if is_long { arg.hide_short_help(true) } else { arg };
        }
        order += 100;
    }
    arg
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// The number of lines of a screen.
    const SCREEN: usize = 50;

    /// All commands without subcommands, with their names.
    fn leaves(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help") {
            let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
            match inner.has_subcommands() {
                true => leaves(inner, &path, found),
                false => found.push((path, inner.clone())),
            }
        }
    }

    #[test]
    fn every_command_has_examples_that_parse_and_help_of_one_screen() {
        let mut found = Vec::new();
        let all = command();
        leaves(&all, "", &mut found);
        assert!(found.len() > 20);
        for (path, mut leaf) in found {
            let short = leaf.render_help().to_string();
            assert!(short.lines().count() <= SCREEN, "{path} -h has {} lines:\n{short}", short.lines().count());
            let long = leaf.render_long_help().to_string();
            assert!(long.contains("Examples:") || long.contains("Example"), "{path} --help has no example");
        }
        for (path, _, examples) in COMMANDS {
            for (line, _) in examples.iter() {
                let words = shell_words(line);
                let parsed = command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{path}: {line}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let all = command();
        let mut visible: Vec<&str> =
            all.get_subcommands().filter(|inner| !inner.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, visible);
        let help = all.clone().render_help().to_string();
        for (title, names) in GROUPS {
            let (_, after) = help.split_once(&format!("\n{title}:\n")).unwrap();
            let group = after.split("\n\n").next().unwrap();
            let listed = group.lines().filter(|line| line.starts_with("  ") && !line.starts_with("    "));
            let listed: Vec<&str> = listed.map(|line| line.split_whitespace().next().unwrap()).collect();
            assert_eq!(listed, names, "{help}");
        }
        assert!(help.contains("https://") && help.lines().all(|line| line.chars().count() <= 120), "{help}");
        assert!(help.lines().count() <= SCREEN, "{help}");
    }

    #[test]
    fn shared_options_come_last_and_idle_ones_are_not_listed() {
        let mut all = command();
        all.build();
        let help = |path: &[&str]| {
            let mut command = &all;
            for name in path {
                command = command.find_subcommand(name).unwrap();
            }
            command.clone().render_help().to_string()
        };
        let compile = help(&["compile"]);
        let at = |text: &str| compile.find(text).unwrap();
        assert!(
            at("--output") < at("Code:") && at("Code:") < at("--site") && at("--site") < at("Messages:"),
            "{compile}"
        );
        let list = help(&["snapshot", "list"]);
        assert!(list.contains("--site") && !list.contains("--facts") && !list.contains("--enc"), "{list}");
        assert!(!compile.contains("--replay"), "only --help lists it: {compile}");
        let push = help(&["store", "push"]);
        assert!(push.contains("--puppetdb-url") && push.contains("--ssl-ca") && push.contains("--queue"), "{push}");
    }

    /// The words of a command line, up to a pipe or redirection.
    fn shell_words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote, mut any) = (Vec::new(), String::new(), None, false);
        let mut letters = line.chars();
        while let Some(c) = letters.next() {
            match (c, quote) {
                ('\\', Some('"')) => word.extend(letters.next()),
                (c, Some(q)) if c == q => quote = None,
                (c, Some(_)) => word.push(c),
                ('\'' | '"', None) => (quote, any) = (Some(c), true),
                ('>', None) => break,
                (' ', None) if !word.is_empty() || any => {
                    words.push(std::mem::take(&mut word));
                    any = false;
                }
                (' ', None) => {}
                (c, None) => word.push(c),
            }
        }
        if !word.is_empty() || any {
            words.push(word);
        }
        words
    }
}
