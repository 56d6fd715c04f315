//! `$trusted`: from a file, a certificate, or the node's name; external trusted facts.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use crate::session::Session;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_certificate as certificate;
use catwalk_node as node;
use catwalk_node::facts;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_world::Command;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::excerpt;

/// The command of `trusted_external_command` is killed after this time.
const TIME_LIMIT: Duration = Duration::from_secs(30);

fn unreadable(text: String) -> Reason {
    Reason::new(Code::UNREADABLE_INPUT, text)
}

impl Session {
    /// The trusted data of a node: from `--trusted`, else from the site's file for it, else from its name; with external facts if
    /// the setting `trusted_external_command` is set.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or a command fails.
    pub fn trusted(&self, certname: &str, world: &dyn World) -> Result<Hash, Reason> {
        let mut trusted = match self.trusted_file(certname, world) {
            Some(path) => self.read_trusted(&path, certname, world)?,
            None => node::trusted(certname),
        };
        if let Some(external) = self.external_trusted(certname, world)? {
            trusted.set("external", external);
        }
        Ok(trusted)
    }

    /// External trusted facts of a node; `None` without the setting `trusted_external_command`.
    ///
    /// # Errors
    /// The command fails.
    pub(super) fn external_trusted(&self, certname: &str, world: &dyn World) -> Result<Option<Value>, Reason> {
        let command = self.options.settings.values.get("trusted_external_command").filter(|text| !text.is_empty());
        command.map(|command| read_external_facts(Path::new(command), certname, world)).transpose()
    }

    /// The file that the trusted data of a node is read from.
    pub(super) fn trusted_file(&self, certname: &str, world: &dyn World) -> Option<PathBuf> {
        if let Some(path) = &self.options.trusted {
            return Some(path.clone());
        }
        let folder = self.site.trusted.as_ref()?;
        let files = ["pem", "json", "yaml", "yml"].map(|extension| folder.join(format!("{certname}.{extension}")));
        files.into_iter().find(|path| world.kind(path) == Kind::File)
    }

    /// Trusted data from a file: a certificate in PEM, or the `$trusted` hash as JSON or YAML.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a certificate, or is that of another node.
    pub fn read_trusted(&self, path: &Path, certname: &str, world: &dyn World) -> Result<Hash, Reason> {
        let bytes = world.read(path).unwrap_or_default();
        if !String::from_utf8_lossy(&bytes).contains("-----BEGIN CERTIFICATE-----") {
            return facts::read_hash(path, "trusted data", world);
        }
        let fail = |why: String| unreadable(format!("cannot read trusted data: {}: {why}", path.display()));
        let names = self.oid_names(world)?;
        let certificate_data =
            certificate::read(&bytes, &|oid| Some(names.get(oid)?.as_str()?.to_owned())).map_err(fail)?;
        if !certificate_data.certname.eq_ignore_ascii_case(certname) {
            return Err(fail(format!(
                "the certificate is that of '{}', not of '{certname}'",
                certificate_data.certname
            )));
        }
        let mut trusted = node::trusted(certname);
        trusted.set("extensions", Value::hash(certificate_data.extensions));
        Ok(trusted)
    }

    /// Short names of the site's own certificate extensions, by object identifier (`trusted_oid_mapping_file`).
    pub(super) fn oid_names(&self, world: &dyn World) -> Result<Hash, Reason> {
        oid_names(self.options.settings.values.get("trusted_oid_mapping_file").map(String::as_str), world)
    }
}

/// Short names of a site's own certificate extensions, by object identifier: those in the file that the setting
/// `trusted_oid_mapping_file` names.
///
/// # Errors
/// The file cannot be read or has another form.
pub fn oid_names(path: Option<&str>, world: &dyn World) -> Result<Hash, Reason> {
    let mut names = Hash::new();
    let Some(path) = path.filter(|path| !path.is_empty()) else { return Ok(names) };
    let fail = |why: &str| unreadable(format!("Error loading ssl custom OIDs mapping file from '{path}': {why}"));
    let bytes = match world.read(Path::new(path)) {
        Ok(bytes) => bytes,
        // As in Puppet, a missing mapping defines no names.
        Err(WorldError::Missing(_)) => return Ok(names),
        Err(refused) => return Err(fail(&refused.to_string()).because(refused.cause())),
    };
    let document = yaml::parse(&bytes)
        .map_err(|error| fail(&error.to_string()).in_file(error.location(Path::new(path), &bytes)))?;
    let mapping = match &document {
        Value::Hash(document) => document.get("oid_mapping"),
        _ => None,
    };
    let mapping = match mapping {
        None => return Err(fail("no such index 'oid_mapping'")),
        Some(Value::Hash(mapping)) => mapping,
        Some(_) => return Err(fail("data under index 'oid_mapping' must be a Hash")),
    };
    for (oid, definition) in mapping.iter() {
        let oid = oid.as_str().unwrap_or_default();
        let short = match definition {
            Value::Hash(definition) if definition.get("longname").is_some() => definition.get("shortname"),
            _ => None,
        };
        let short = short.ok_or_else(|| {
            let reason = fail(&format!("incomplete definition of oid '{oid}'"));
            let location = positions::locate(Path::new(path), &bytes, &["oid_mapping", oid]);
            Reason { locations: location.into_iter().collect(), ..reason }
        })?;
        names.set(oid, short.clone());
    }
    Ok(names)
}

/// External trusted facts (Puppet::TrustedExternal): the JSON that a command prints, or for a directory a hash with the JSON of each
/// executable in it.
fn read_external_facts(command: &Path, certname: &str, world: &dyn World) -> Result<Value, Reason> {
    if world.kind(command) != Kind::Directory {
        return run_program(command, certname, world).map_err(Unusable::into_reason);
    }
    let entries = world.list(command).map_err(|refused| unreadable(refused.to_string()).because(refused.cause()))?;
    let mut data = Hash::new();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
        let path = command.join(entry.name.as_ref());
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match run_program(&path, certname, world) {
            Ok(_) if data.get(&name).is_some() => {
                let text = format!("There is more than one '{name}' script in {}", command.display());
                return Err(unreadable(text));
            }
            Ok(value) => data.set(&name, value),
            // As Puppet, skips files that are not executable.
            Err(unusable) if unusable.is_not_executable => {}
            Err(unusable) => return Err(unusable.into_reason()),
        }
    }
    Ok(Value::hash(data))
}

/// Why a program yields no facts.
struct Unusable {
    message: String,
    is_not_executable: bool,
    cause: Cause,
}

impl Unusable {
    fn new(message: String) -> Unusable {
        Unusable { message, is_not_executable: false, cause: Cause::Other }
    }

    fn into_reason(self) -> Reason {
        unreadable(self.message).because(self.cause)
    }
}

fn run_program(program: &Path, certname: &str, world: &dyn World) -> Result<Value, Unusable> {
    let line = format!("{} {certname}", program.display());
    let argv = vec![program.display().to_string(), certname.to_owned()];
    let command =
        Command { argv, stdin: None, limit: TIME_LIMIT, output: Command::OUTPUT, runs: catwalk_world::Runs::Decisive };
    let output = world.run(&command).map_err(|refused| Unusable {
        message: format!("Could not execute '{line}': {refused}"),
        is_not_executable: matches!(refused, WorldError::NotExecutable(..)),
        cause: refused.cause(),
    })?;
    match output.status {
        Some(0) => json::parse(&output.stdout)
            .map_err(|error| Unusable::new(format!("'{line}' printed no JSON: {}", error.message))),
        Some(status) => {
            let printed = String::from_utf8_lossy(&output.stdout);
            Err(Unusable::new(format!("Execution of '{line}' returned {status}: {}", excerpt(printed.trim()))))
        }
        None => Err(Unusable::new(format!("'{line}' took longer than {} s", TIME_LIMIT.as_secs()))),
    }
}
