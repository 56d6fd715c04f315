//! Resolves relative references.
//!
//! In: a base URI and a reference. Out: a URI. Must not: parse strings. (`URI::Generic#merge`)

use super::Kind;
use super::Uri;
use super::UriError;
use super::to_url_path;

impl Uri {
    /// Resolves a reference against this URI. (`URI::Generic#merge`)
    ///
    /// # Errors
    /// Both are relative.
    pub fn merge(&self, reference: &Uri) -> Result<Uri, UriError> {
        if reference.scheme.is_some() {
            return Ok(reference.clone());
        }
        if self.scheme.is_none() {
            return Err(UriError::new("URI::BadURIError", "both URI are relative"));
        }
        let mut merged = self.clone();
        let has_authority = reference.userinfo.is_some() || reference.host.is_some() || reference.port.is_some();
        let path = reference.path_in_ruby();
        if path.as_ref().is_none_or(String::is_empty) && !has_authority && reference.query.is_none() {
            if reference.fragment.is_some() {
                merged.fragment.clone_from(&reference.fragment);
            }
            return Ok(merged);
        }
        merged.query.clone_from(&reference.query);
        merged.fragment.clone_from(&reference.fragment);
        let path = if has_authority {
            merged.userinfo.clone_from(&reference.userinfo);
            merged.host.clone_from(&reference.host);
            merged.port = reference.port.or(self.kind.default_port());
            path
        } else {
            match (self.path_in_ruby(), path) {
                (Some(base), Some(path)) => Some(merge_path(&base, &path)),
                _ => return Ok(merged),
            }
        };
        merged.path = match path {
            Some(path) if self.kind == Kind::Ftp => Some(to_url_path(&path)),
            path => path,
        };
        Ok(merged)
    }
}

/// Resolves a relative path against the base path. (`URI::Generic#merge_path`)
pub(super) fn merge_path(base: &str, path: &str) -> String {
    let split = |path: &'_ str| -> Vec<String> {
        if path.is_empty() { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
    };
    let (mut base, mut path) = (split(base), split(path));
    if base.last().is_some_and(|last| last == "..") {
        base.push(String::new());
    }
    while let Some(at) = base.iter().position(|part| part == "..") {
        base.drain(at.saturating_sub(1)..=at);
    }
    if path.first().is_some_and(String::is_empty) {
        base.clear();
        path.remove(0);
    }
    if path.last().is_some_and(|last| last == "." || last == "..") {
        path.push(String::new());
    }
    let mut parts: Vec<String> = Vec::new();
    for part in path.into_iter().filter(|part| part != ".") {
        match part == ".." && parts.last().is_some_and(|last| last != "..") {
            true => drop(parts.pop()),
            false => parts.push(part),
        }
    }
    let has_name = !parts.is_empty();
    if base.is_empty() {
        base.push(String::new());
    } else if has_name {
        base.pop();
    }
    let up = parts.iter().take_while(|part| *part == "..").count();
    base.truncate(base.len().saturating_sub(up).max(1));
    let below = parts.split_off(up);
    if has_name && below.is_empty() {
        base.push(String::new());
    }
    base.extend(below);
    base.join("/")
}
