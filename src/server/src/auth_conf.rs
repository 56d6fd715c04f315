//! `auth.conf`: which clients may send which requests (`trapperkeeper-authorization`).
//!
//! In: the text of the file, requests. Out: whether a request is allowed, and by which rule. Must not: know endpoints.
//!
//! | file | what |
//! |---|---|
//! | `entry` | one entry of `allow` or `deny` |
//! | `read` | the file |
//!
//! A backreference such as `$1` stands for a name: a part of a URL is never a pattern. Names are compared with the certname and the DNS names
//! of the client's certificate, as in puppetserver.

mod entry;
mod read;

use catwalk_http::Parameters;
use catwalk_regexp::Regexp;

use crate::served_site::Client;
use entry::Entry;
pub(crate) use read::AuthInputs;

/// The rules of a file, in the order in which they are tried.
#[derive(Debug, Default)]
pub(crate) struct AuthRules {
    rules: Vec<AuthRule>,
}

/// A rule.
#[derive(Debug)]
struct AuthRule {
    name: String,
    order: i64,
    path: PathPattern,
    /// Lower-case names of methods; empty: any.
    methods: Vec<String>,
    /// Parameters of which the request must have one of the values.
    parameters: Vec<(String, Vec<String>)>,
    allows_unauthenticated: bool,
    deny: Vec<Entry>,
    allow: Vec<Entry>,
}

#[derive(Debug)]
enum PathPattern {
    /// The start of a path.
    Start(String),
    Regex(Regexp),
}

/// The result for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision<'r> {
    Allowed,
    /// Denied by the rule with this name, or since no rule matches.
    Denied(Option<&'r str>),
}

/// A request, as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleRequest<'a> {
    /// The method in lower case.
    pub(crate) method: &'a str,
    /// The decoded path.
    pub(crate) path: &'a str,
    pub(crate) parameters: &'a Parameters,
    /// The client; `None`: without a certificate.
    pub(crate) client: Option<&'a Client>,
}

impl AuthRules {
    /// Whether a request is allowed: the first matching rule decides.
    pub(crate) fn decide(&self, request: RuleRequest<'_>) -> Decision<'_> {
        // A pattern must not be evaded by a line break.
        if request.path.contains(char::is_control) {
            return Decision::Denied(None);
        }
        for rule in &self.rules {
            match rule.captures(request) {
                Ok(None) => {}
                Ok(Some(captures)) if rule.admits(request.client, &captures) => return Decision::Allowed,
                // A pattern that cannot be evaluated denies.
                Ok(Some(_)) | Err(()) => return Decision::Denied(Some(&rule.name)),
            }
        }
        Decision::Denied(None)
    }
}

impl AuthRule {
    /// The captures of the path if the rule is about a request.
    fn captures(&self, request: RuleRequest<'_>) -> Result<Option<Vec<String>>, ()> {
        let is_method = self.methods.is_empty() || self.methods.iter().any(|method| method == request.method);
        // The value that the handlers use: of a repeated parameter, puppetserver compares any, and refuses such requests later.
        let has_parameters = self.parameters.iter().all(|(name, values)| {
            request.parameters.get(name).is_some_and(|value| values.iter().any(|accepted| accepted == value))
        });
        if !is_method || !has_parameters {
            return Ok(None);
        }
        match &self.path {
            PathPattern::Start(start) => Ok(request.path.starts_with(start.as_str()).then(Vec::new)),
            PathPattern::Regex(pattern) => {
                let Some(found) = pattern.captures(request.path).map_err(|_| ())? else { return Ok(None) };
                Ok(Some((1..found.len()).map(|at| found.get(at).unwrap_or_default().to_owned()).collect()))
            }
        }
    }

    fn admits(&self, client: Option<&Client>, captures: &[String]) -> bool {
        if self.allows_unauthenticated {
            return true;
        }
        let Some(client) = client else { return false };
        let matches = |entries: &[Entry]| entries.iter().any(|entry| entry.matches(client, captures));
        !matches(&self.deny) && matches(&self.allow)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn decide(text: &str, request: &str, client: Option<&Client>) -> bool {
        let names = [("a", "1.3.6.1.4.1.34380.1.2.1"), ("b", "1.3.6.1.4.1.34380.1.2.2")];
        let names = names.map(|(name, oid)| (name.to_owned(), oid.to_owned()));
        let inputs = AuthInputs { extension_names: &names, ..AuthInputs::NONE };
        let rules = AuthRules::parse(text, "auth.conf", &inputs).unwrap();
        let (method, target) = request.split_once(' ').unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters = Parameters::read(query).unwrap();
        rules.decide(RuleRequest { method, path, parameters: &parameters, client }) == Decision::Allowed
    }

    fn client(name: &str, extensions: &[(&str, &str)]) -> Client {
        let full = |name: &str| match name {
            "a" | "b" => format!("1.3.6.1.4.1.34380.1.2.{}", if name == "a" { 1 } else { 2 }),
            "pp_cli_auth" => "1.3.6.1.4.1.34380.1.3.39".to_owned(),
            name => name.to_owned(),
        };
        let extensions = extensions.iter().map(|(name, value)| (full(name), (*value).to_owned())).collect();
        Client { certname: name.to_owned(), extensions, ..Client::default() }
    }

    fn rule(fields: &str) -> String {
        format!("authorization: {{ version: 1, rules: [ {{ {fields}, sort-order: 1, name: r }} ] }}")
    }

    /// The cases of `acl_test.clj` and `rules_test.clj` of trapperkeeper-authorization 1.0.0, and some more: an entry of `allow`, a name,
    /// whether it matches.
    const NAMES: [(&str, &str, bool); 31] = [
        ("spirit.mars.nasa.gov", "spirit.mars.nasa.gov", true),
        ("ratchet.2ndsiteinc.com", "ratchet.2ndsiteinc.com", true),
        ("a.c.ru", "a.c.ru", true),
        ("*.biz", "abc.12seps.edu.phisher.biz", true),
        ("*.edu.phisher.biz", "abc.12seps.edu.phisher.biz", true),
        ("*.edu.phisher.biz", "abc.12seps.testedu.phisher.biz", false),
        ("*.google.com", "www.google.com", true),
        ("*.google.com", "www.testsite.gov", false),
        ("*.google.com", "www.testgoogle.com", false),
        ("*.com", "www.google.com", true),
        ("*.google.com", "google.com", true),
        ("*.google.com", "agoogle.com", false),
        ("*", "anything", true),
        ("*", "a.b.c", true),
        ("Web.Example.com", "web.example.com", true),
        ("web", "web", true),
        ("web", "web.example.com", false),
        ("c216f41a-f902-4bfb-a222-850dd957bebb", "c216f41a-f902-4bfb-a222-850dd957bebb", true),
        (r"/^(test-)?host[0-9]+\\.other-domain\\.(com|org|net)$|some-domain\\.com/", "host5.other-domain.com", true),
        (
            r"/^(test-)?host[0-9]+\\.other-domain\\.(com|org|net)$|some-domain\\.com/",
            "test-host12.other-domain.net",
            true,
        ),
        (r"/^(test-)?host[0-9]+\\.other-domain\\.(com|org|net)$|some-domain\\.com/", "foo.some-domain.com", true),
        (
            r"/^(test-)?host[0-9]+\\.other-domain\\.(com|org|net)$|some-domain\\.com/",
            "host0.some-other-domain.com",
            false,
        ),
        ("$1", "catalog", true),
        ("$1.google.com", "catalog.google.com", true),
        ("$1.google.com", "www.google.com", false),
        ("$2", "admin.mgmt.nym1", true),
        ("$1", "admin.mgmt.nym1", false),
        ("$2.$1", "admin.mgmt.nym1.catalog", true),
        ("CATALOG", "catalog", false),
        ("$2", "ADMIN.mgmt.nym1", true),
        ("web", "we", false),
    ];

    #[test]
    fn names_match_as_in_trapperkeeper() {
        for (allow, name, expected) in NAMES {
            let text = rule(&format!(
                r#"match-request: {{ path: "^/puppet/v3/([^/]+)/([^/]+)$", type: regex }}, allow: "{allow}""#
            ));
            let found = decide(&text, "get /puppet/v3/catalog/admin.mgmt.nym1", Some(&client(name, &[])));
            assert_eq!(found, expected, "{allow} {name}");
        }
    }

    #[test]
    fn a_part_of_a_url_is_never_a_pattern() {
        let text = rule(r#"match-request: { path: "^/puppet/v3/catalog/(.+)$", type: regex }, allow: "$1""#);
        for path in ["*", "*.example.com", "/.*/", "$1"] {
            let request = format!("get /puppet/v3/catalog/{path}");
            assert!(!decide(&text, &request, Some(&client("a.example.com", &[]))), "{path}");
        }
        let text = rule(r#"match-request: { path: "^/a/(x)?(.*)$", type: regex }, allow: "$1""#);
        assert!(!decide(&text, "get /a/b", Some(&client("", &[]))));
    }

    #[test]
    fn methods_parameters_and_paths_select_rules() {
        let text = rule(
            r#"match-request: { path: "/path/to/resource", type: path, method: [get, PUT],
                query-params: { environment: [foo, bar], beatles: lennon } }, allow: "*""#,
        );
        let (node, query) = (client("a", &[]), "environment=foo&beatles=starr&beatles=lennon");
        let cases = [
            (format!("get /path/to/resource?{query}"), true),
            (format!("put /path/to/resource/below?{query}"), true),
            (format!("post /path/to/resource?{query}"), false),
            (format!("get /other/path/to/resource?{query}"), false),
            ("get /path/to/resource?environment=foo".to_owned(), false),
            // The handlers use the last value.
            ("get /path/to/resource?environment=foo&environment=secret&beatles=lennon".to_owned(), false),
            ("get /path/to/resource?environment[]=foo&environment=secret&beatles=lennon".to_owned(), false),
            ("get /path/to/resource?environment=Foo&beatles=lennon".to_owned(), false),
            (format!("get /path/to/res\n?{query}"), false),
        ];
        for (request, expected) in cases {
            assert_eq!(decide(&text, &request, Some(&node)), expected, "{request}");
            assert!(!decide(&text, &request, None), "{request}");
        }
    }

    #[test]
    fn the_first_rule_decides_and_deny_comes_before_allow() {
        let text = r#"authorization: { version: 1, rules: [
            { match-request: { path: "/", type: path }, deny: "*", sort-order: 900, name: "z" },
            { match-request: { path: "/free", type: path }, allow-unauthenticated: true, sort-order: 2, name: "b" },
            { match-request: { path: "/free/not", type: path }, deny: "*", sort-order: 2, name: "a" },
            { match-request: { path: "/x", type: path }, allow: ["*.domain.org"], deny: [{ certname: "deny.domain.org" }],
              sort-order: 1, name: "c" } ] }"#;
        let cases = [
            ("get /free/yes", None, true),
            ("get /free/not", None, false),
            ("get /x", Some("allow.domain.org"), true),
            ("get /x", Some("deny.domain.org"), false),
            ("get /x", Some("other.org"), false),
            ("get /y", Some("allow.domain.org"), false),
            ("get /x", None, false),
        ];
        for (request, name, expected) in cases {
            let client = name.map(|name| client(name, &[]));
            assert_eq!(decide(text, request, client.as_ref()), expected, "{request} {name:?}");
        }
    }

    /// The cases of `test-extension-matching`: entries, the extensions of a client, whether it is allowed.
    const EXTENSIONS: [(&str, &[(&str, &str)], bool); 15] = [
        ("allow: { extensions: { a: x, b: y } }", &[("a", "x"), ("b", "y")], true),
        ("allow: { extensions: { a: x, b: y } }", &[("a", "z"), ("b", "y")], false),
        ("allow: { extensions: { a: x, b: y } }", &[("a", "x")], false),
        ("allow: { extensions: { a: x, b: y } }", &[], false),
        ("allow: { extensions: { a: [x, z], b: y } }", &[("a", "z"), ("b", "y")], true),
        ("allow: { extensions: { a: [x, z], b: y } }", &[("a", "q"), ("b", "y")], false),
        (r#"allow: { extensions: { "1.3.6.1.4.1.34380.1.2.7": x } }"#, &[("1.3.6.1.4.1.34380.1.2.7", "x")], true),
        (r#"allow: { extensions: { "1.3.6.1.4.1.34380.1.1.13": x } }"#, &[("pp_role", "x")], true),
        (r#"allow: { extensions: { 1.2.3: x } }"#, &[("1.2.3", "x")], false),
        (r#"allow: "*", deny: { extensions: { a: x } }"#, &[("a", "x")], false),
        (r#"allow: "*", deny: { extensions: { a: x } }"#, &[("a", "y")], true),
        (r#"allow: "*", deny: { extensions: { a: x, b: y } }"#, &[("a", "x")], true),
        (r#"allow: [{ extensions: { a: x } }, { certname: "node" }]"#, &[], true),
        (r#"allow: { extensions: { pp_cli_auth: "true" } }"#, &[("pp_cli_auth", "true")], true),
        (r#"allow: { rbac: { permission: "a:b:c" } }"#, &[("pp_cli_auth", "true")], false),
    ];

    #[test]
    fn extensions_match_as_in_trapperkeeper() {
        for (entries, extensions, expected) in EXTENSIONS {
            let text = rule(&format!("match-request: {{ path: \"/\", type: path }}, {entries}"));
            if entries.contains("{ 1.2.3") {
                // An unquoted path makes nested objects.
                let refused = AuthRules::parse(&text, "auth.conf", &AuthInputs::NONE).unwrap_err();
                assert!(refused.contains("extensions"), "{entries}");
                continue;
            }
            assert_eq!(decide(&text, "get /x", Some(&client("node", extensions))), expected, "{entries}");
        }
    }

    /// Cases of `test-extension-matching` and of `match?` in `acl.clj`: entries, the alternative names of a client, whether it is allowed.
    const ALTERNATIVE_NAMES: [(&str, &[(&str, &str)], bool); 11] = [
        (SAN, &[("dns-name", "foobar.org"), ("dns-name", "slimjim.net")], true),
        (SAN, &[("dns-name", "snapinto.org"), ("ip", "192.168.0.1")], true),
        (SAN, &[("dns-name", "snapinto.org"), ("ip", "192.168.0.0")], false),
        (SAN, &[("ip", "192.168.0.0")], false),
        (SAN, &[], false),
        (r#"allow: "other.org""#, &[("dns-name", "other.org")], true),
        (r#"allow: "other.org""#, &[("uri", "other.org")], false),
        (r#"allow: "*.other.org""#, &[("dns-name", "a.other.org")], true),
        (r#"allow: "node""#, &[("dns-name", "a.other.org")], true),
        (r#"allow: "*", deny: "other.org""#, &[("dns-name", "other.org")], false),
        (r#"allow: { extensions: { subject-alt-name: { dns-name: x }, pp_role: y } }"#, &[("dns-name", "x")], false),
    ];

    const SAN: &str =
        r#"allow: { extensions: { subject-alt-name: { dns-name: ["foobar.org", "barbaz.net"], ip: "192.168.0.1" } } }"#;

    #[test]
    fn alternative_names_match_as_in_trapperkeeper() {
        for (entries, names, expected) in ALTERNATIVE_NAMES {
            let text = rule(&format!("match-request: {{ path: \"/\", type: path }}, {entries}"));
            let alt_names = names.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect();
            let client = Client { certname: "node".to_owned(), alt_names, ..Client::default() };
            assert_eq!(decide(&text, "get /x", Some(&client)), expected, "{entries} {names:?}");
        }
    }

    /// What is wrong or not supported, and the error.
    const REFUSED: [(&str, &str); 16] = [
        ("authorization: {", "auth.conf: 1: "),
        ("", "auth.conf: Missing authorization service configuration."),
        ("[]", "auth.conf: "),
        ("authorization: { version: 2 }", "auth.conf: 1: Unsupported or missing version"),
        ("include \"other.conf\"", "auth.conf: 1: not supported yet: include"),
        (
            "authorization: { version: ${NO_SUCH} }",
            "auth.conf: 1: Could not resolve substitution to a value: ${NO_SUCH}",
        ),
        (
            "authorization: {\n version: 1\n allow-header-cert-info: true }",
            "auth.conf: 3: not supported yet: allow-header-cert-info",
        ),
        (
            "authorization: { version: 1\n allow-header-cert-info: yes }",
            "auth.conf: 2: allow-header-cert-info is not a boolean.",
        ),
        (
            "authorization: { version: 1, rules: {} }",
            "auth.conf: 1: The authorization service configuration rules is not a list.",
        ),
        (
            "RULE type: path, path: \"/\" }, allow: { extensions: { my_role: x } }",
            "auth.conf: 2: The authorization rule 'r' has the extension 'my_role'",
        ),
        (
            "RULE type: path, path: \"/\" }, allow: { extensions: { subject-alt-name: { other-name: x } } }",
            "auth.conf: 2: The authorization rule 'r' has 'other-name'",
        ),
        (
            "RULE type: path, path: \"/\" }, allow: \"$1\"",
            "auth.conf: 2: The authorization rule 'r' contains the back reference '$1'",
        ),
        (
            "RULE type: regex, path: \"^/(a\" }, allow: \"*\"",
            "auth.conf: 2: The authorization rule 'r' has an invalid path regex",
        ),
        (
            "RULE type: path, path: \"/\" }, allow: \"a\\u0000b\"",
            "auth.conf: 2: The authorization rule 'r' has an invalid entry",
        ),
        (
            "RULE type: path, path: \"/\", method: any }, allow: \"*\"",
            "auth.conf: 2: The authorization rule 'r' has an invalid method",
        ),
        ("RULE type: path, path: \"/\" }", "auth.conf: 2: The authorization rule 'r' must contain either"),
    ];

    #[test]
    fn errors_name_the_line() {
        for (text, expected) in REFUSED {
            let text = match text.strip_prefix("RULE") {
                Some(rest) => format!(
                    "authorization: {{ version: 1, rules: [ {{\n name: r, sort-order: 1, match-request: {{ {rest} }} ] }}"
                ),
                None => text.to_owned(),
            };
            let refused = AuthRules::parse(&text, "auth.conf", &AuthInputs::NONE).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}\n{expected}");
        }
        let deep = format!("authorization: {}", "{ a: ".repeat(10_000));
        assert!(AuthRules::parse(&deep, "auth.conf", &AuthInputs::NONE).unwrap_err().contains("nesting is too deep"));
    }

    #[test]
    fn the_packaged_file_is_read() {
        let rules = AuthRules::parse(include_str!("tests/auth.conf"), "auth.conf", &AuthInputs::NONE).unwrap();
        assert!(rules.rules.len() > 20, "{}", rules.rules.len());
    }
}
