//! Pages of `docs/` whose snippets run: files are written, commands give the output that stands below them.
//!
//! ` ```yaml groups.yaml ` is a file, ` ```console ` holds commands (`$ catwalk …`) with what they print; a line `…` stands
//! for any lines, `(…)` in a line for anything in brackets, `…` in a line for anything, ` ```console fails ` for commands that end with a failure; `cat FILE`
//! prints a file.
//! Everything else is not looked at.

use std::path::Path;
use std::time::Duration;

use catwalk_world::HttpClient;
use catwalk_world::Identity;

use crate::support::Site;
use crate::support::agent::ServerRun;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

pub struct Block<'a> {
    pub info: Vec<&'a str>,
    pub text: String,
    line: usize,
}

pub fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    // The backticks that the block began with: a longer fence has room for a shorter one.
    let mut fence = 0;
    for (number, line) in page.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        if fence == 0 && ticks >= 3 {
            fence = ticks;
            let info = line[ticks..].split_whitespace().collect();
            blocks.push(Block { info, text: String::new(), line: number + 2 });
        } else if fence > 0 && ticks == fence && line.len() == ticks {
            fence = 0;
        } else if fence > 0 {
            let block = blocks.last_mut().unwrap();
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    blocks
}

/// Whether lines are as they are expected; `…` stands for any.
pub fn fits(expected: &[&str], got: &[&str]) -> bool {
    match expected.split_first() {
        None => got.is_empty(),
        Some((line, rest)) if line.trim() == "…" => (0..=got.len()).any(|skip| fits(rest, &got[skip..])),
        Some((line, rest)) => {
            let same = |first: &str| match line.split_once("(…)") {
                Some((before, after)) => {
                    first.starts_with(&format!("{before}(")) && first.ends_with(&format!("){after}"))
                }
                None => is_like(line, first.trim_end()),
            };
            got.split_first().is_some_and(|(first, more)| same(first) && fits(rest, more))
        }
    }
}

/// Whether a line is as it is expected; `…` in it stands for anything.
fn is_like(expected: &str, line: &str) -> bool {
    let parts: Vec<&str> = expected.split('…').collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return line == expected;
    }
    let Some(mut rest) = line.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for part in &parts[1..parts.len() - 1] {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

/// The words of a command as a shell in the site's directory splits them: who copies it from the page runs the same.
pub fn words(site: &Site, command: &str) -> Vec<String> {
    let script = format!("printf '%s\\n' {command}");
    let split = std::process::Command::new("sh").args(["-c", &script]).current_dir(site.path()).output().unwrap();
    assert!(split.status.success(), "{command}: {}", String::from_utf8_lossy(&split.stderr));
    String::from_utf8(split.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A server that a page starts (`catwalk serve`) and that runs until the end of the page. It listens at free ports; the page names others.
#[derive(Default)]
struct PageServer {
    running: Option<ServerRun>,
    /// Addresses in the page, and those at which the server listens.
    addresses: Vec<(String, String)>,
}

impl PageServer {
    /// Starts the server. Returns what it prints, with the addresses of the page.
    fn start(&mut self, site: &Site, arguments: &[&str]) -> String {
        let mut own = Vec::new();
        let mut arguments = arguments.iter().filter(|argument| **argument != "--dev");
        while let Some(argument) = arguments.next() {
            own.push(*argument);
            if *argument == "--classifier-listen" {
                own.push("127.0.0.1:0");
                self.addresses.push(((*arguments.next().unwrap()).to_owned(), String::new()));
            }
        }
        let server = ServerRun::start(site, &own);
        let printed = server.printed();
        self.addresses.push(("127.0.0.1:8140".to_owned(), format!("127.0.0.1:{}", server.port)));
        if let Some(classifying) = printed.lines().find_map(|line| line.strip_prefix("classifying on http://")) {
            self.addresses[0].1 = classifying.split(' ').next().unwrap().to_owned();
        }
        self.running = Some(server);
        self.addresses.iter().fold(printed, |text, (page, actual)| text.replace(actual, page))
    }

    fn actual(&self, word: &str) -> String {
        self.addresses.iter().fold(word.to_owned(), |word, (page, actual)| word.replace(page, actual))
    }
}

/// What `curl -d DATA -H 'NAME: VALUE' URL` prints.
fn curl(arguments: &[&str]) -> String {
    let after = |option: &str| arguments.iter().position(|word| *word == option).map(|at| arguments[at + 1]);
    let header = after("-H").and_then(|header| header.split_once(": ")).unwrap();
    let client = HttpClient::new(&Identity::default(), Duration::from_secs(60), 1 << 20).unwrap();
    let body = after("-d").unwrap().as_bytes();
    String::from_utf8(client.send(arguments.last().unwrap(), &[header], Some(body)).unwrap().body.to_vec()).unwrap()
}

fn run(site: &Site, block: &Block<'_>, page: &str, server: &mut PageServer) -> Vec<String> {
    let mut wrong = Vec::new();
    for command in block.text.split("$ ").filter(|text| !text.trim().is_empty()) {
        let (command, expected) = command.split_once('\n').unwrap();
        let words: Vec<String> = words(site, command).iter().map(|word| server.actual(word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words[0] == "git" {
            let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
            let git =
                std::process::Command::new("git").args(identity).args(&words[1..]).current_dir(site.path()).status();
            assert!(git.unwrap().success(), "{page}:{}: {command}", block.line);
            continue;
        }
        if words[0] == "cat" {
            let actual = std::fs::read_to_string(site.path().join(words[1])).unwrap();
            let (expected, actual): (Vec<&str>, Vec<&str>) =
                (expected.trim_end().lines().collect(), actual.trim_end().lines().collect());
            if !fits(&expected, &actual) {
                wrong.push(format!("{page}:{}: {command}\n--- got\n{}", block.line, actual.join("\n")));
            }
            continue;
        }
        if words[0] == "curl" || words.get(1) == Some(&"serve") {
            let got = if words[0] == "curl" { curl(&words[1..]) } else { server.start(site, &words[2..]) };
            let (expected, got): (Vec<&str>, Vec<&str>) =
                (expected.trim_end().lines().collect(), got.lines().collect());
            if !fits(&expected, &got) {
                wrong.push(format!("{page}:{}: {command}\n--- got\n{}", block.line, got.join("\n")));
            }
            continue;
        }
        assert_eq!(words[0], "catwalk", "{page}:{}: only commands of catwalk, git and curl", block.line);
        let run = site.run(&words[1..]);
        let got = format!("{}{}", run.stdout, run.stderr);
        let lines = |text: &'_ str| text.trim_end().lines().map(str::to_owned).collect::<Vec<_>>();
        let (expected, actual) = (lines(expected), lines(&got));
        let strs = |lines: &'_ [String]| lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        let fit = fits(
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
            &actual.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let fails = block.info.contains(&"fails");
        if !fit || (run.code != Some(0)) != fails {
            wrong.push(format!(
                "{page}:{}: {command} (exit code {:?})\n--- expected\n{}\n--- got\n{}",
                block.line,
                run.code,
                strs(&expected),
                strs(&actual)
            ));
        }
    }
    wrong
}

fn check(page: &str, text: &str) {
    check_in(&Site::empty(), page, text);
}

pub fn check_in(site: &Site, page: &str, text: &str) {
    let mut wrong = Vec::new();
    let mut commands = 0;
    let mut server = PageServer::default();
    for block in blocks(text) {
        match block.info.as_slice() {
            // What depends on the machine.
            ["console", "machine", ..] => {}
            ["console", ..] => {
                commands += 1;
                wrong.extend(run(site, &block, page, &mut server));
            }
            [_, path, more @ ..] => {
                site.write(path, &block.text);
                if more.contains(&"executable") {
                    use std::os::unix::fs::PermissionsExt;
                    let mode = std::fs::Permissions::from_mode(0o755);
                    std::fs::set_permissions(site.path().join(path), mode).unwrap();
                }
            }
            _ => {}
        }
    }
    assert!(commands > 0, "{page} has no commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The sample site, as the README uses it.
#[test]
fn the_readme_runs() {
    let site = Site::empty();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["modules", "scripts", "snapshots"] {
        copy(&root.join(folder), &site.path().join(folder));
    }
    std::fs::copy(root.join("catwalk.toml"), site.path().join("catwalk.toml")).unwrap();
    check_in(&site, "README.md", include_str!("../README.md"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

/// The headings of a page as the ends of links: `## In two minutes` is `#in-two-minutes`.
fn anchors(page: &str) -> Vec<String> {
    let is_kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let anchor = |line: &str| line.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-");
    page.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches(['#', ' ']))).collect()
}

#[test]
fn links_lead_to_pages_and_headings_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let pages = files("docs")
        .chain(files("docs/functions"))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut wrong = Vec::new();
    for path in pages.chain(
        [
            "README.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "src/README.md",
            "tests/README.md",
            "tests/reference/README.md",
        ]
        .map(|page| root.join(page)),
    ) {
        let text = std::fs::read_to_string(&path).unwrap();
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            // Code in brackets before parentheses is no link.
            if target.contains("://") || !target.contains(['.', '#']) {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let other = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let has_anchor =
                || anchors(&std::fs::read_to_string(&other).unwrap_or_default()).contains(&anchor.to_owned());
            if !other.exists() || !anchor.is_empty() && !has_anchor() {
                wrong.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_on_classification_runs() {
    check("docs/classify.md", include_str!("../docs/classify.md"));
}

#[test]
fn the_page_on_tests_runs() {
    check("docs/testing.md", include_str!("../docs/testing.md"));
}

#[test]
fn the_page_on_migration_runs() {
    check("docs/migrate.md", include_str!("../docs/migrate.md"));
}

#[test]
fn the_page_on_comparing_runs() {
    check("docs/diff.md", include_str!("../docs/diff.md"));
}

#[test]
fn the_page_on_classifiers_in_rhai_runs() {
    check("docs/enc.md", include_str!("../docs/enc.md"));
}

#[test]
fn the_page_on_functions_in_rhai_runs() {
    check("docs/rhai-functions.md", include_str!("../docs/rhai-functions.md"));
}

#[test]
fn the_page_on_hiera_backends_runs() {
    check("docs/hiera-backends.md", include_str!("../docs/hiera-backends.md"));
}

#[test]
fn the_page_on_policies_runs() {
    check("docs/policies.md", include_str!("../docs/policies.md"));
}

#[test]
fn the_page_on_continuous_integration_runs() {
    check("docs/ci.md", include_str!("../docs/ci.md"));
}

#[test]
fn the_page_on_secrets_is_true() {
    check("docs/secrets.md", include_str!("../docs/secrets.md"));
}

#[test]
fn the_page_on_resource_types_runs() {
    check("docs/resource-types.md", include_str!("../docs/resource-types.md"));
}

#[test]
fn the_page_on_providers_runs() {
    check("docs/providers.md", include_str!("../docs/providers.md"));
}

#[test]
fn the_page_on_applying_runs() {
    check("docs/apply.md", include_str!("../docs/apply.md"));
}

#[test]
fn the_page_on_catalogs_runs() {
    check("docs/catalogs.md", include_str!("../docs/catalogs.md"));
}

/// A server stands in for PuppetDB: it takes commands, and no node exports anything.
#[test]
fn the_page_on_puppetdb_runs() {
    let server = FakePuppetDb::start(|request| match request.path.as_str() {
        "/pdb/cmd/v1" => Reply::accepted(),
        _ => Reply::Answer(200, "[]".to_owned()),
    });
    let text = include_str!("../docs/puppetdb.md").replace("https://puppetdb.example.com:8081", &server.url);
    check("docs/puppetdb.md", &text);
}

#[test]
fn the_page_on_the_store_runs() {
    check("docs/store.md", include_str!("../docs/store.md"));
}

#[test]
fn the_page_configuration_runs() {
    check("docs/configuration.md", include_str!("../docs/configuration.md"));
}

#[test]
fn the_page_compile_runs() {
    check("docs/compile.md", include_str!("../docs/compile.md"));
}

#[test]
fn the_page_limits_runs() {
    check("docs/limits.md", include_str!("../docs/limits.md"));
}

#[test]
fn the_page_eval_runs() {
    check("docs/eval.md", include_str!("../docs/eval.md"));
}

#[test]
fn the_page_lookup_runs() {
    check("docs/lookup.md", include_str!("../docs/lookup.md"));
}

#[test]
fn the_page_on_secrets_in_data_runs() {
    check("docs/eyaml.md", include_str!("../docs/eyaml.md"));
}

#[test]
fn the_page_on_the_certificate_authority_runs() {
    check("docs/authority.md", include_str!("../docs/authority.md"));
}

#[test]
fn the_page_check_runs() {
    check("docs/check.md", include_str!("../docs/check.md"));
}

#[test]
fn the_page_documentation_runs() {
    check("docs/documentation.md", include_str!("../docs/documentation.md"));
}
