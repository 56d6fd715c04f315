//! The directory of a classifier: the table `ldap` of `catwalk.toml`, or Puppet's settings.
//!
//! In: a table, or settings. Out: [`LdapSettings`], or the first invalid value. Must not: read files, or repeat a password in a message.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::session::site::document::Invalid;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_node::ldap::LdapSettings;
use catwalk_world::Identity;
use catwalk_world::Password;
use catwalk_world::check_ldap_filter;
use catwalk_world::check_ldap_url;

/// A directory of nodes (LDAP): Puppet's settings, and shorter names for some of them.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LdapTable {
    /// The server: `ldap://HOST[:PORT]` or `ldaps://HOST[:PORT]`, in place of `ldapserver`, `ldapport` and `ldapssl`.
    url: Option<String>,
    /// The DN below which nodes are searched, as `ldapbase`.
    base: Option<String>,
    /// The filter that finds a node, as `ldapstring`.
    filter: Option<String>,
    /// The host of the server; `ldap` by default.
    ldapserver: Option<String>,
    /// The port of the server; 389 by default.
    ldapport: Option<u16>,
    /// Whether the connection begins with TLS.
    ldapssl: Option<bool>,
    /// Whether the connection continues with TLS after a request (StartTLS).
    ldaptls: Option<bool>,
    /// The DN below which nodes are searched.
    ldapbase: Option<String>,
    /// The filter that finds a node; `%s` is the name of the node.
    ldapstring: Option<String>,
    /// The attributes with names of classes, separated by commas.
    ldapclassattrs: Option<String>,
    /// The attribute with the name of the parent; if empty, nodes have no parents.
    ldapparentattr: Option<String>,
    /// The attributes with variables as `name=value`, separated by commas.
    ldapstackedattrs: Option<String>,
    /// The attributes that become variables, separated by commas, or `all`.
    ldapattrs: Option<String>,
    /// The DN to log in with.
    ldapuser: Option<String>,
    /// The password to log in with.
    #[schemars(with = "Option<String>")]
    ldappassword: Option<toml::Value>,
    /// The file whose first line is the password.
    ldappassword_file: Option<PathBuf>,
    /// The certificate of the authority that signed the server's (PEM).
    ca: Option<PathBuf>,
    /// The certificate to present to the server (PEM).
    cert: Option<PathBuf>,
    /// The key of that certificate (PEM).
    key: Option<PathBuf>,
    /// Revocation lists (PEM).
    crl: Option<PathBuf>,
    /// The time limit of a search in seconds.
    timeout: Option<std::num::NonZeroU64>,
}

/// The directory that the table `ldap` configures.
///
/// # Errors
/// Returns the first invalid value.
pub(super) fn settings(root: &Path, table: &toml::Value) -> Result<LdapSettings, Invalid> {
    let invalid = |message: String| Invalid::at(["ldap"], message);
    if !table.is_table() {
        return Err(invalid(
            "`ldap` of a classifier must be a table, such as { url = \"ldap://…\", base = \"…\" }".to_owned(),
        ));
    }
    let read: Result<LdapTable, _> = table.clone().try_into();
    let table = read.map_err(|error| invalid(format!("`ldap` of a classifier: {}", error.message())))?;
    table.into_settings(root).map_err(|why| invalid(format!("`ldap` of a classifier: {why}")))
}

/// The directory of Puppet's settings, for `node_terminus=ldap`.
///
/// # Errors
/// Returns the first invalid value.
pub(in crate::session) fn from_settings(values: &IndexMap<String, String>) -> Result<LdapSettings, Reason> {
    let value = |name: &str| values.get(name).cloned();
    let invalid = |why: String| Reason::new(Code::BAD_SETTING, format!("node_terminus=ldap: {why}"));
    let port = value("ldapport").map(|port| port.parse().map_err(|_| invalid(format!("ldapport is {port}"))));
    let table = LdapTable {
        ldapserver: value("ldapserver"),
        ldapport: port.transpose()?,
        ldapssl: value("ldapssl").map(|value| value == "true"),
        ldaptls: value("ldaptls").map(|value| value == "true"),
        ldapbase: value("ldapbase"),
        ldapstring: value("ldapstring"),
        ldapclassattrs: value("ldapclassattrs"),
        ldapparentattr: value("ldapparentattr"),
        ldapstackedattrs: value("ldapstackedattrs"),
        ldapattrs: value("ldapattrs"),
        ldapuser: value("ldapuser"),
        ldappassword: value("ldappassword").map(toml::Value::String),
        ..LdapTable::default()
    };
    table.into_settings(Path::new("")).map_err(invalid)
}

impl LdapTable {
    fn into_settings(self, root: &Path) -> Result<LdapSettings, String> {
        let default = LdapSettings::default();
        let url = self.url()?;
        check_ldap_url(&url)?;
        // As in Puppet, `ldaptls` wins over `ldapssl`.
        let start_tls = self.ldaptls == Some(true);
        if start_tls && url.starts_with("ldaps://") {
            return Err(
                "`ldaptls` continues a connection to ldap:// with TLS, and `url` begins with ldaps://".to_owned()
            );
        }
        let login = self.login(root)?;
        let filter =
            either(("filter", self.filter), ("ldapstring", self.ldapstring))?.unwrap_or_else(|| default.filter.clone());
        check_ldap_filter(&filter.replace("%s", "name"))?;
        let in_root = |path: Option<PathBuf>| path.map(|path| root.join(path));
        Ok(LdapSettings {
            url,
            start_tls,
            login,
            identity: Identity {
                ca: in_root(self.ca),
                cert: in_root(self.cert),
                key: in_root(self.key),
                crl: in_root(self.crl),
                token: None,
            },
            base: either(("base", self.base), ("ldapbase", self.ldapbase))?.unwrap_or_default(),
            filter,
            class_attributes: self.ldapclassattrs.as_deref().map_or(default.class_attributes, names),
            stacked_attributes: self.ldapstackedattrs.as_deref().map_or(default.stacked_attributes, names),
            attributes: self.ldapattrs.filter(|list| list != "all").as_deref().map(names),
            parent_attribute: self.ldapparentattr.or(default.parent_attribute).filter(|name| !name.is_empty()),
            timeout: self.timeout.map(|seconds| Duration::from_secs(seconds.get())),
        })
    }

    /// The server's address.
    fn url(&self) -> Result<String, String> {
        let LdapTable { url, ldapserver, ldapport, ldapssl, .. } = self;
        if let Some(url) = url {
            return match (ldapserver, ldapport, ldapssl) {
                (None, None, None) => Ok(url.clone()),
                _ => Err("`url` replaces `ldapserver`, `ldapport` and `ldapssl`: leave them out".to_owned()),
            };
        }
        let scheme = if *ldapssl == Some(true) && self.ldaptls != Some(true) { "ldaps" } else { "ldap" };
        let host = ldapserver.as_deref().unwrap_or("ldap");
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        Ok(format!("{scheme}://{host}:{}", ldapport.unwrap_or(389)))
    }

    /// The name and password, if there is a name.
    fn login(&self, root: &Path) -> Result<Option<(String, Password)>, String> {
        let password = match (&self.ldappassword, &self.ldappassword_file) {
            (None, None) => Password::Text(String::new()),
            (Some(toml::Value::String(password)), None) => Password::Text(password.clone()),
            (None, Some(path)) => Password::File(root.join(path)),
            (Some(_), None) => return Err("`ldappassword` must be a string".to_owned()),
            (Some(_), Some(_)) => return Err("`ldappassword` and `ldappassword_file` cannot both be set".to_owned()),
        };
        Ok(self.ldapuser.clone().filter(|name| !name.is_empty()).map(|name| (name, password)))
    }
}

/// The value of a key or of its synonym.
fn either(
    (name, value): (&str, Option<String>),
    (synonym, other): (&str, Option<String>),
) -> Result<Option<String>, String> {
    match (value, other) {
        (Some(_), Some(_)) => Err(format!("`{name}` and `{synonym}` are the same: leave out one of them")),
        (value, other) => Ok(value.or(other)),
    }
}

/// The names in a list with commas.
fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
