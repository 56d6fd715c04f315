//! Parts of paths, by the rules of Ruby's `File`.

fn trim_slashes(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() && !path.is_empty() { "/" } else { trimmed }
}

/// `File.basename(path, suffix)`; the suffix `.*` matches any extension.
pub fn basename<'a>(path: &'a str, suffix: Option<&str>) -> &'a str {
    let path = trim_slashes(path);
    if path == "/" {
        return path;
    }
    let base = path.rsplit('/').next().unwrap_or(path);
    match suffix {
        Some(".*") => match base.rfind('.') {
            Some(at) if at > 0 => &base[..at],
            _ => base,
        },
        Some(suffix) if base != suffix => base.strip_suffix(suffix).unwrap_or(base),
        _ => base,
    }
}

/// `File.dirname(path)`
pub fn dirname(path: &str) -> &str {
    let trimmed = trim_slashes(path);
    match trimmed.rfind('/') {
        Some(at) => trim_slashes(&trimmed[..=at]),
        None => ".",
    }
}

/// `File.extname(path)`, with its dot; empty for a name that begins with its only dot or ends with a dot.
pub fn extname(path: &str) -> &str {
    let base = basename(path, None);
    let name = base.trim_start_matches('.');
    match name.rfind('.') {
        Some(at) if at > 0 || name.len() < base.len() => &name[at..],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_are_those_of_ruby() {
        assert_eq!((basename("/a/b.rb/", None), basename("/", None), basename("", None)), ("b.rb", "/", ""));
        assert_eq!((basename("/a/b.rb", Some(".rb")), basename("b.tar.gz", Some(".*"))), ("b", "b.tar"));
        assert_eq!((dirname("/a/b"), dirname("/a"), dirname("a"), dirname("/a//b/")), ("/a", "/", ".", "/a"));
        assert_eq!((extname("a.rb"), extname(".bashrc"), extname("a."), extname(".a.rb")), (".rb", "", ".", ".rb"));
    }
}
