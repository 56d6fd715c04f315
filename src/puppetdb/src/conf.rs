//! Reads `puppetdb.conf`, the configuration of PuppetDB's terminus (puppet/util/puppetdb/config.rb).
//!
//! In: the contents of the file. Out: addresses, the time limit, whether commands are broadcast. Must not: quote the file in errors,
//! since it may be another file by mistake, with contents that must not be printed.

use std::collections::HashMap;
use std::time::Duration;

use crate::server::PuppetDb;
use crate::server::check_url;

/// The time limit of a request with `server_url_timeout = 0`: the terminus has no limit then, but Puppet waits for data for ten minutes
/// at most (`http_read_timeout`).
const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// The terminus' default address.
const DEFAULT_URL: &str = "https://puppetdb:8081";

/// Reads the section `main`. Settings that concern only Puppet's reports are ignored.
///
/// # Errors
/// A line is neither a section, a setting nor a comment; a setting is retired; a value has the wrong type. The error names the line or
/// the setting.
pub fn read_conf(text: &str) -> Result<PuppetDb, String> {
    let main = main_section(text)?;
    let value = |name: &str| main.get(name).copied();
    let urls = |name: &str| -> Result<Vec<String>, String> {
        let urls = value(name).unwrap_or_default().split(',').map(str::trim).filter(|url| !url.is_empty());
        urls.map(|url| match check_url(url) {
            Ok(()) => Ok(url.trim_end_matches('/').to_owned()),
            Err(why) => Err(format!("`{name}`: {why}")),
        })
        .collect()
    };
    let number = |name: &str| match value(name).map(str::parse::<u32>) {
        None => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) => Err(format!("`{name}` must be a number")),
    };
    let mut puppetdb = PuppetDb {
        urls: urls("server_urls")?,
        submit_only_urls: urls("submit_only_server_urls")?,
        timeout: number("server_url_timeout")?.map(|seconds| match seconds {
            0 => MAX_TIMEOUT,
            seconds => Duration::from_secs(u64::from(seconds)),
        }),
        ..PuppetDb::default()
    };
    if puppetdb.urls.is_empty() {
        puppetdb.urls.push(DEFAULT_URL.to_owned());
    }
    if puppetdb.submit_only_urls.iter().any(|url| puppetdb.urls.contains(url)) {
        return Err("an address must be either in `server_urls` or in `submit_only_server_urls`".to_owned());
    }
    let successes = usize::try_from(number("min_successful_submissions")?.unwrap_or(1)).unwrap_or(usize::MAX);
    puppetdb.broadcast = match value("command_broadcast") {
        None | Some("false") if successes > 1 => {
            return Err("`min_successful_submissions` needs `command_broadcast = true`".to_owned());
        }
        None | Some("false") => None,
        Some("true") if successes > puppetdb.urls.len() => {
            return Err("`min_successful_submissions` must not be more than there are `server_urls`".to_owned());
        }
        Some("true") => Some(successes.max(1)),
        Some(_) => return Err("`command_broadcast` must be true or false".to_owned()),
    };
    Ok(puppetdb)
}

/// The settings of the section `main`.
fn main_section(text: &str) -> Result<HashMap<&str, &str>, String> {
    let mut main = HashMap::new();
    let mut section = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = Some(name.trim());
            continue;
        }
        let setting = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let is_word =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let Some((name, value)) = setting.filter(|(name, value)| is_word(name) && !value.is_empty()) else {
            return Err(format!("line {number}: neither a section, a setting nor a comment"));
        };
        match (section, name) {
            (None, _) => return Err(format!("line {number}: a setting outside of a section")),
            (Some("main"), "server" | "port") => {
                return Err(format!("line {number}: `{name}` is retired: use `server_urls`"));
            }
            (Some("main"), _) => {
                main.insert(name, value);
            }
            _ => {}
        }
    }
    Ok(main)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn settings_of_the_terminus_are_read() {
        let text = "# a comment\n[main]\nserver_urls = https://a:8081, https://b:8081/\n\
                    submit_only_server_urls = https://c:8081\nserver_url_timeout = 5\nsoft_write_failure = true\n[other]\nx = y\n";
        let expected = PuppetDb {
            urls: vec!["https://a:8081".to_owned(), "https://b:8081".to_owned()],
            submit_only_urls: vec!["https://c:8081".to_owned()],
            timeout: Some(Duration::from_secs(5)),
            ..PuppetDb::default()
        };
        assert_eq!(read_conf(text), Ok(expected));
        assert_eq!(read_conf("").unwrap().urls, [DEFAULT_URL]);
        assert_eq!(read_conf("[main]\nserver_url_timeout = 0\n").unwrap().timeout, Some(MAX_TIMEOUT));
        let broadcast = "[main]\nserver_urls = https://a, https://b\ncommand_broadcast = true\n";
        assert_eq!(read_conf(broadcast).unwrap().broadcast, Some(1));
        assert_eq!(read_conf(&format!("{broadcast}min_successful_submissions = 2\n")).unwrap().broadcast, Some(2));
    }

    #[test]
    fn errors_do_not_quote_the_file() {
        for (text, expected) in [
            ("root:x:0:0\n", "line 1: neither a section, a setting nor a comment"),
            ("a = b\n", "line 1: a setting outside of a section"),
            ("[main]\nserver = db\n", "line 2: `server` is retired: use `server_urls`"),
            (
                "[main]\nserver_urls = puppetdb:8081\n",
                "`server_urls`: an address of PuppetDB begins with https:// or http://, got puppetdb:8081",
            ),
            ("[main]\nserver_url_timeout = soon\n", "`server_url_timeout` must be a number"),
            ("[main]\ncommand_broadcast = maybe\n", "`command_broadcast` must be true or false"),
            (
                "[main]\nmin_successful_submissions = 2\n",
                "`min_successful_submissions` needs `command_broadcast = true`",
            ),
            (
                "[main]\ncommand_broadcast = true\nmin_successful_submissions = 2\n",
                "`min_successful_submissions` must not be more than there are `server_urls`",
            ),
            (
                "[main]\nserver_urls = https://a\nsubmit_only_server_urls = https://a\n",
                "an address must be either in `server_urls` or in `submit_only_server_urls`",
            ),
        ] {
            assert_eq!(read_conf(text).unwrap_err(), expected, "{text}");
        }
    }
}
