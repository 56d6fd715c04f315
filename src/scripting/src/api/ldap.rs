//! `ldap_search` for classifiers in Rhai.
//!
//! In: a map that describes a search. Out: the entries as maps. Must not: connect; searches go through the world of the compile.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rhai::Array;
use rhai::Dynamic;
use rhai::Map;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::functions::HTTP_LIMIT;
use crate::callers;
use crate::host;
use crate::host::ImportContext;
use crate::limits;
use catwalk_world::Identity;
use catwalk_world::LdapEntry;
use catwalk_world::LdapScope;
use catwalk_world::LdapSearch;
use catwalk_world::Password;

/// The members of a search.
const MEMBERS: [&str; 13] = [
    "url",
    "base",
    "filter",
    "attributes",
    "scope",
    "user",
    "password",
    "password_file",
    "start_tls",
    "ca",
    "cert",
    "key",
    "crl",
];

/// `ldap_search(search)`
pub(super) fn search(map: Map) -> Fallible<Array> {
    if host::call(|host| host.may_fetch()) != Some(true) {
        return fail("ldap_search() is only available in classify(node), and not to isolated scripts");
    }
    let root = callers::loading(|loading| loading.environment.root.clone()).flatten().unwrap_or_default();
    let search = read(map, &root).or_else(|why| fail(format!("ldap_search(): {why}")))?;
    let search = |loading: &ImportContext<'_>| loading.world.search_ldap(&search, loading.world.secrets());
    let found = limits::wait_for(|| callers::loading(search));
    let Some(found) = found else { return fail("ldap_search() is not available here") };
    let entries = found.or_else(|refused| fail(format!("ldap_search(): {refused}")))?;
    entries.iter().map(|entry| to_map(entry).map(Dynamic::from_map)).collect()
}

/// The search that a map describes; paths are relative to `root`.
fn read(mut map: Map, root: &Path) -> Result<LdapSearch, String> {
    if let Some(name) = map.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(format!("unknown member '{name}', expected one of {}", MEMBERS.join(", ")));
    }
    let mut member = |name: &str| match map.remove(name).map(Dynamic::into_string) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(kind)) => Err(format!("'{name}' must be a string, got {kind}")),
    };
    let needed = |name: &str, value: Option<String>| value.ok_or_else(|| format!("'{name}' is missing"));
    let url = needed("url", member("url")?)?;
    let base = needed("base", member("base")?)?;
    let filter = needed("filter", member("filter")?)?;
    let scope = match member("scope")? {
        None => LdapScope::Sub,
        Some(name) => LdapScope::from_name(&name).ok_or("'scope' must be base, one or sub")?,
    };
    let mut path = |name: &str| Ok::<_, String>(member(name)?.map(|path| root.join(path)));
    let identity = Identity { ca: path("ca")?, cert: path("cert")?, key: path("key")?, crl: path("crl")?, token: None };
    let file: Option<PathBuf> = path("password_file")?;
    let password = match (member("password")?, file) {
        (None, None) => Password::Text(String::new()),
        (Some(password), None) => {
            callers::secrets().map_err(|error| error.to_string())?.report(&password);
            Password::Text(password)
        }
        (None, Some(path)) => Password::File(path),
        (Some(_), Some(_)) => return Err("'password' and 'password_file' cannot both be set".to_owned()),
    };
    let login = member("user")?.filter(|name| !name.is_empty()).map(|name| (name, password));
    let start_tls = match map.remove("start_tls").map(|value| value.as_bool()) {
        None => false,
        Some(Ok(start_tls)) => start_tls,
        Some(Err(kind)) => return Err(format!("'start_tls' must be a boolean, got {kind}")),
    };
    let attributes = match map.remove("attributes").map(Dynamic::into_typed_array::<String>) {
        None => Vec::new(),
        Some(Ok(names)) => names,
        Some(Err(_)) => return Err("'attributes' must be an array of strings".to_owned()),
    };
    let timeout = Some(HTTP_LIMIT);
    Ok(LdapSearch { url, start_tls, login, identity, base, scope, filter, attributes, timeout })
}

fn to_map(entry: &LdapEntry) -> Fallible<Map> {
    let mut map = Map::new();
    for (name, values) in &entry.attributes {
        let values: Array = values.iter().map(to_dynamic).collect::<Fallible<_>>()?;
        map.insert(name.to_ascii_lowercase().into(), Dynamic::from_array(values));
    }
    map.insert("dn".into(), entry.dn.clone().into());
    Ok(map)
}

fn to_dynamic(bytes: &Arc<[u8]>) -> Fallible<Dynamic> {
    if bytes.len() > limits::MAX_STRING {
        return fail(format!("ldap_search(): a value is larger than {} MiB", limits::MAX_STRING >> 20));
    }
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => Dynamic::from_blob(bytes.to_vec()),
    })
}
