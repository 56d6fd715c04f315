//! Prepares a `file` from its parameters.

use std::cell::OnceCell;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_apply::DeclaredResource;
use catwalk_apply::Run;
use catwalk_resource_api::Level;
use catwalk_value::Value;
use catwalk_value::ruby;

use super::Backup;
use super::Ensure;
use super::File;
use super::FileKind;
use super::Recurse;
use super::checksum;
use super::mode::Mode;
use super::source;
use crate::parameters::Parameters;
use crate::parameters::list;

/// Properties that Puppet only reads.
const READ_ONLY: [&str; 3] = ["ctime", "mtime", "type"];
/// Parameters without an effect, with the reason.
const IGNORED: [(&[&str], &str); 2] = [
    (&["seluser", "selrole", "seltype", "selrange", "selinux_ignore_defaults"], "SELinux labels are not managed"),
    (&["staging_location"], "contents are written beside the file and moved into place"),
];

/// Puppet's warning about a content that names content in a filebucket.
const CHECKSUM_AS_CONTENT: &str = "Using a checksum in a file's \"content\" property is deprecated. The ability to use a checksum to \
    retrieve content from the filebucket using the \"content\" property will be removed in a future release. The literal value of the \
    \"content\" property will be written to the file. The checksum retrieval functionality is being replaced by the use of static \
    catalogs. See https://puppet.com/docs/puppet/latest/static_catalogs.html for more information.";

/// # Errors
/// Returns all problems.
pub(super) fn prepare(kind: &FileKind, resource: &DeclaredResource, run: &mut Run<'_>) -> Result<File, Vec<String>> {
    let mut parameters = Parameters::new(resource);
    let path = path(&mut parameters);
    let (ensure, link) = ensure(&mut parameters);
    let target = parameters.get("target").map(|target| ruby::to_s(target).into_owned()).or(link);
    let content = content(&mut parameters);
    let ensure = ensure.or_else(|| target.is_some().then_some(Ensure::Link));
    let ensure = ensure.or_else(|| content.is_some().then_some(Ensure::File));
    let is_secret = parameters.is_sensitive("content") || parameters.is_sensitive("source");
    let names: &[_] = if kind.settings.version.etag_checksums {
        &checksum::NAMES
    } else {
        checksum::NAMES.split_last().map_or(&[], |it| it.1)
    };
    let checksum_name = parameters.word("checksum", names).unwrap_or("sha256");
    let is_in_bucket = names_content_in_bucket(kind, &parameters);
    let file = File {
        settings: kind.settings.clone(),
        run_state: kind.run_state.clone(),
        declared: resource.clone(),
        path,
        ensure,
        content,
        is_in_bucket,
        sources: sources(&mut parameters),
        target,
        mode: mode(&mut parameters),
        owner: account(&mut parameters, "owner"),
        group: account(&mut parameters, "group"),
        recurse: recurse(&mut parameters),
        depth: depth(&mut parameters),
        max_files: max_files(&mut parameters),
        ignore: ignore(&mut parameters),
        purge: switch(&mut parameters, "purge", false),
        force: switch(&mut parameters, "force", false),
        replace: switch(&mut parameters, "replace", true),
        backup: backup(&mut parameters),
        // The ETag of files of a server is their MD5 checksum.
        checksum: if checksum_name == "etag" { "md5" } else { checksum_name },
        checksum_name,
        checksum_value: parameters.get("checksum_value").map(|value| ruby::to_s(value).into_owned()),
        show_diff: switch(&mut parameters, "show_diff", true),
        validate_cmd: parameters.get("validate_cmd").map(|command| ruby::to_s(command).into_owned()),
        placeholder: parameters
            .get("validate_replacement")
            .map_or_else(|| "%".into(), |it| ruby::to_s(it).into_owned()),
        follow: parameters.word("links", &["follow", "manage"]) == Some("follow"),
        source_permissions: parameters
            .word("source_permissions", &["use", "use_when_creating", "ignore"])
            .unwrap_or("ignore"),
        all_sources: parameters.word("sourceselect", &["first", "all"]) == Some("all"),
        is_secret,
        is_audited: parameters.get("audit").is_some(),
        level: parameters.loglevel(),
        stat: None,
        source: None,
        current_checksum: None,
        desired_checksum_cache: OnceCell::new(),
        uid: None,
        gid: None,
    };
    validate(&mut parameters, &file, run);
    parameters.finish()?;
    kind.run_state.borrow_mut().paths.insert(file.path.clone());
    Ok(file)
}

fn validate(parameters: &mut Parameters<'_>, file: &File, run: &mut Run<'_>) {
    for name in READ_ONLY {
        if parameters.get(name).is_some() {
            parameters.fail(name, &format!("{name} is read-only"));
        }
    }
    let creators = [file.content.is_some(), !file.sources.is_empty(), file.target.is_some()];
    if creators.into_iter().filter(|is_set| *is_set).count() > 1 {
        parameters.fail_validation("You cannot specify more than one of content, source, target");
    }
    if file.sources.is_empty() && file.recurse == Recurse::Remote {
        parameters.fail_validation("You cannot specify a remote recursion without a source");
    }
    if !file.sources.is_empty() && file.checksum == "none" {
        parameters.fail_validation("You cannot specify source when using checksum 'none'");
    }
    if file.content.is_some() && matches!(file.checksum, "none" | "ctime" | "mtime") {
        parameters.fail_validation(&format!("You cannot specify content when using checksum '{}'", file.checksum));
    }
    if let Some(value) = &file.checksum_value
        && !checksum::is_valid(file.checksum_name, value)
    {
        let name = file.checksum_name;
        parameters.fail_validation(&format!("Checksum value '{value}' is not a valid checksum type {name}"));
    }
    let warnings = [
        (
            file.recurse == Recurse::No && file.depth.is_some(),
            "Possible error: recurselimit is set but not recurse, no recursion will happen",
        ),
        (
            file.checksum_value.is_some() && file.content.is_none() && file.sources.is_empty(),
            "Checksum value is ignored unless content or source are specified",
        ),
    ];
    if file.is_in_bucket {
        let position = file.declared.position.as_ref().map(|(file, line)| format!("\n   (file: {file}, line: {line})"));
        run.log.log(Level::Warning, None, &format!("{CHECKSUM_AS_CONTENT}{}", position.unwrap_or_default()));
    }
    let reference = parameters.reference();
    for (_, warning) in warnings.iter().filter(|(is_set, _)| *is_set) {
        run.log.log(Level::Warning, Some(&format!("/{reference}")), warning);
    }
    if let Some(path) = parameters.get("staging_location").map(ruby::to_s).filter(|path| !path.starts_with('/')) {
        parameters.fail("staging_location", &format!("File paths must be fully qualified, not '{path}'"));
    }
    if parameters.has_problems() {
        return;
    }
    for (names, reason) in IGNORED {
        let ignored: Vec<&str> = names.iter().copied().filter(|name| parameters.get(name).is_some()).collect();
        if !ignored.is_empty() {
            let text = format!("{} ignored: {reason}", ignored.join(", "));
            run.log.log(Level::Info, Some(&format!("/{reference}")), &text);
        }
    }
}

fn path(parameters: &mut Parameters<'_>) -> PathBuf {
    let title = parameters.title();
    let text = parameters.get("path").map_or_else(|| title.to_string(), |path| ruby::to_s(path).into_owned());
    if !text.starts_with('/') {
        parameters.fail("path", &format!("File paths must be fully qualified, not '{text}'"));
    } else if text.contains('\0') {
        parameters.fail("path", "a path cannot contain a NUL byte");
    }
    let mut path = PathBuf::from("/");
    for part in Path::new(&text).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The desired entry; any other string is the target of a link.
fn ensure(parameters: &mut Parameters<'_>) -> (Option<Ensure>, Option<String>) {
    let Some(value) = parameters.get("ensure") else { return (None, None) };
    match &*ruby::to_s(value) {
        "present" => (Some(Ensure::Present), None),
        "absent" | "false" => (Some(Ensure::Absent), None),
        "file" => (Some(Ensure::File), None),
        "directory" => (Some(Ensure::Directory), None),
        "link" => (Some(Ensure::Link), None),
        "" => {
            let valid = "absent (also called false), file, present, directory, link. Valid values match /./";
            parameters.fail("ensure", &format!("Invalid value \"\". Valid values are {valid}."));
            (None, None)
        }
        target => (Some(Ensure::Link), Some(target.to_owned())),
    }
}

fn content(parameters: &mut Parameters<'_>) -> Option<Arc<[u8]>> {
    match parameters.get("content")? {
        Value::Str(text) => Some(Arc::from(text.as_bytes())),
        Value::Binary(bytes) => Some(bytes.clone()),
        value => {
            let class = ruby::class_name(value);
            let message = format!("no implicit conversion of {class} into String");
            parameters.fail_to_munge("content", value, &message);
            None
        }
    }
}

/// Whether `content` names content in a filebucket.
fn names_content_in_bucket(kind: &FileKind, parameters: &Parameters<'_>) -> bool {
    let content = parameters.get("content").and_then(Value::as_str);
    !kind.settings.version.checksums_are_content
        && content.is_some_and(|text| checksum::looks_like_checksum(text.as_bytes()))
}

fn sources(parameters: &mut Parameters<'_>) -> Vec<String> {
    let Some(value) = parameters.get("source") else { return Vec::new() };
    let sources: Vec<String> = list(value).map(|source| ruby::to_s(source).trim_end_matches('/').to_owned()).collect();
    for message in sources.iter().filter_map(|source| source::problem(source)) {
        parameters.fail("source", &message);
    }
    sources
}

fn mode(parameters: &mut Parameters<'_>) -> Option<Mode> {
    let value = parameters.get("mode")?;
    let Some(text) = value.as_str() else {
        let class = ruby::class_name(value);
        parameters.fail("mode", &format!("The file mode specification must be a string, not '{class}'"));
        return None;
    };
    let mode = Mode::parse(text);
    if mode.is_none() {
        let text = ruby::inspect_string(text);
        parameters.fail("mode", &format!("The file mode specification is invalid: {text}"));
    }
    mode
}

/// A user or group: a name or an id.
fn account(parameters: &mut Parameters<'_>, name: &str) -> Option<String> {
    let value = list(parameters.get(name)?).next()?;
    let text = ruby::to_s(value).into_owned();
    if text.is_empty() {
        if name == "group" {
            parameters.fail(name, "Invalid group name '\"\"'");
        }
        return None;
    }
    Some(text)
}

fn recurse(parameters: &mut Parameters<'_>) -> Recurse {
    let Some(value) = parameters.get("recurse") else { return Recurse::No };
    match &*ruby::to_s(value) {
        "true" => Recurse::Yes,
        "false" => Recurse::No,
        "remote" => Recurse::Remote,
        _ => {
            parameters.fail("recurse", &format!("Invalid recurse value {}", ruby::inspect(value)));
            Recurse::No
        }
    }
}

/// The limit on files of a recursion; 0 means a warning beyond 1,000, -1 no limit.
fn max_files(parameters: &mut Parameters<'_>) -> i64 {
    let Some(value) = parameters.get("max_files") else { return 0 };
    let limit = ruby::to_s(value).parse().ok().filter(|limit| *limit >= -1);
    if limit.is_none() {
        let text = ruby::inspect(value);
        parameters.fail("max_files", &format!("Invalid value {text}. Valid values match /^[0-9]+$/, /^-1$/."));
    }
    limit.unwrap_or(0)
}

fn depth(parameters: &mut Parameters<'_>) -> Option<usize> {
    let value = parameters.get("recurselimit")?;
    let depth = ruby::to_s(value).parse().ok();
    if depth.is_none() {
        let text = ruby::inspect(value);
        parameters.fail("recurselimit", &format!("Invalid value {text}. Valid values match /^[0-9]+$/."));
    }
    depth
}

fn ignore(parameters: &mut Parameters<'_>) -> Vec<String> {
    match parameters.get("ignore") {
        None | Some(Value::Bool(false)) => Vec::new(),
        Some(value @ (Value::Str(_) | Value::Array(_))) => list(value).map(|it| ruby::to_s(it).into_owned()).collect(),
        Some(_) => {
            parameters.fail("ignore", "Ignore must be a string or an Array");
            Vec::new()
        }
    }
}

/// `true`, `false`, `yes`, `no`.
fn switch(parameters: &mut Parameters<'_>, name: &str, default: bool) -> bool {
    parameters.word(name, &["true", "false", "yes", "no"]).map_or(default, |word| matches!(word, "true" | "yes"))
}

fn backup(parameters: &mut Parameters<'_>) -> Backup {
    match parameters.get("backup").and_then(|value| list(value).next()) {
        None | Some(Value::Bool(false)) => Backup::None,
        Some(Value::Bool(true)) => Backup::Suffix(".puppet-bak".to_owned()),
        Some(Value::Str(text)) => match &**text {
            "false" => Backup::None,
            "true" => Backup::Suffix(".puppet-bak".to_owned()),
            text if text.starts_with('.') => Backup::Suffix(text.to_owned()),
            text => Backup::Bucket(text.to_owned()),
        },
        Some(value) => {
            parameters.fail("backup", &format!("Invalid backup type {}", ruby::inspect(value)));
            Backup::None
        }
    }
}
