//! Files that a run reads and writes (plans, state, reports), and its exit code.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

use sha2::Digest;
use sha2::Sha256;

use crate::apply::run_catalog;
use crate::run_context::RunContext;
use crate::run_log::RunLog;
use crate::run_log::SilentLog;
use catwalk_apply as apply;
use catwalk_apply::LogLine;
use catwalk_apply::Plan;
use catwalk_apply::RunOutcome;
use catwalk_apply::State;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_formats::wire;
use catwalk_resource_api::Level;
use catwalk_session::secret_key;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The name of the file in `--statedir`.
const STATE: &str = "catwalk-state.json";

/// Directories for the state of runs.
static STATES: Purpose = Purpose {
    name: "apply",
    description: "the state of `apply`",
    option: "--statedir DIR",
    contents: Contents::Private { is_own: |name, kind| name == STATE && kind == FileKind::File, marker: Marker::Names },
};

/// Reads a file that the user named.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    #[allow(clippy::disallowed_methods, reason = "a file of the user that no catalog depends on")]
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|_| format!("cannot read {}: it is not UTF-8 text", path.display()))
}

fn write(path: &Path, kind: output::Kind, text: &str) -> Result<(), String> {
    output::write(&Place::named(path), kind, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The key for a plan's secrets: the file `FILE.key` in its directory, which is created when the first secret is written.
pub(crate) fn key_of_plan(plan: &Path) -> Key {
    let mut name = plan.as_os_str().to_owned();
    name.push(".key");
    secret_key::open_key_file(name.into())
}

pub(crate) fn read_plan(path: &Path, key: Key) -> Result<Plan, String> {
    Plan::parse(&read_text(path)?, key).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

pub(crate) fn write_plan(path: &Path, plan: &Plan) -> Result<(), String> {
    write(path, output::Kind::RunReport, &plan.to_json())
}

/// The state of earlier runs; empty if there were none. Tokens replace `secrets` in it.
pub(crate) fn read_state(directory: Option<&Path>, secrets: Arc<Secrets>) -> Result<State, String> {
    let mut state = read_state_file(directory)?;
    state.hide(secrets);
    Ok(state)
}

fn read_state_file(directory: Option<&Path>) -> Result<State, String> {
    let Some(directory) = directory else { return Ok(State::default()) };
    // Refused before anything is changed.
    Directory::open_existing(&Place::named(directory), &STATES).map_err(|error| match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    })?;
    let path = directory.join(STATE);
    #[allow(clippy::disallowed_methods, reason = "a file of the user that no catalog depends on")]
    let exists = path.exists();
    if !exists {
        return Ok(State::default());
    }
    State::parse(&read_text(&path)?).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

pub(crate) fn write_state(directory: Option<&Path>, state: &State) -> Result<(), String> {
    match directory {
        None => Ok(()),
        Some(directory) => {
            let written = Directory::open(&Place::named(directory), &STATES).map_err(|error| error.to_string())?;
            let written = written.write(STATE, output::Kind::State, state.to_json().as_bytes());
            written.map_err(|error| format!("cannot write {}: {error}", directory.join(STATE).display()))
        }
    }
}

/// A digest of a catalog's contents, without its version and UUID. Secrets are replaced by tokens.
fn digest(catalog: &Catalog, key: &Key) -> String {
    let mut plain = catalog.clone();
    plain.version = catwalk_catalog::Version::Seconds(0);
    plain.uuid = "".into();
    for resource in &mut plain.resources {
        let secret = std::mem::take(&mut resource.sensitive);
        for (name, value) in resource.parameters.iter_mut() {
            *value = match secret.contains(name) {
                true => Value::str(key.token(&json::to_json(value))),
                false => apply::redacted(value),
            };
        }
    }
    let text = wire::native::write(&plain).unwrap_or_default();
    let secrets = catalog.secrets.union(&Secrets::default(), key);
    let text = secrets.redact(&text);
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The plan of a noop run with these secrets.
pub(crate) fn plan_of(outcome: &RunOutcome, catalog: &Catalog, key: &Key, secrets: &Secrets) -> Plan {
    Plan::new(&catalog.name, digest(catalog, key), outcome, secrets.union(&Secrets::default(), key))
}

/// The plan for the current state of the machine.
pub(crate) fn plan_now(
    (context, is_interrupted): (&RunContext<'_>, &dyn Fn() -> bool),
    catalog: &Catalog,
    options: &apply::Options,
    state: &State,
    key: Key,
    log: &mut dyn RunLog,
) -> Result<Plan, String> {
    let options = apply::Options { noop: true, ..options.clone() };
    let outcome = run_catalog(context, catalog, &options, &mut state.clone(), &mut SilentLog, is_interrupted);
    match outcome.failure {
        Some(failure) => Err(failure),
        None => Ok(plan_of(&outcome, catalog, &key, &log.secrets())),
    }
}

/// Logs the end of a run, also to its report.
pub(crate) fn log_end(outcome: &mut RunOutcome, (elapsed, now): (Duration, SystemTime), log: &mut dyn RunLog) {
    let mut lines = Vec::new();
    match &outcome.failure {
        Some(failure) => lines.extend(failure.split("\nError: ").map(|line| (Level::Err, line.to_owned()))),
        None => lines.push((Level::Notice, format!("Applied catalog in {:.2} seconds", elapsed.as_secs_f64()))),
    }
    if outcome.failure.is_none() && !outcome.is_complete {
        lines.push((Level::Warning, "interrupted: the remaining resources were not applied".to_owned()));
    }
    for (level, message) in lines {
        log.log(level, None, &message);
        outcome.logs.push(LogLine::new(level, message, now));
    }
    log.show_excerpt(&outcome.excerpt);
}

/// The exit code of a run.
pub(crate) fn exit_code(outcome: &RunOutcome) -> u8 {
    if outcome.failure.is_some() {
        return 1;
    }
    let resources = || outcome.resources.iter();
    let changed = resources().any(|resource| resource.status.change_count > 0);
    let failed = resources().any(|resource| resource.status.blocks_dependents()) || outcome.failed_to_generate;
    match (outcome.is_complete, changed, failed) {
        (false, ..) => 1,
        (true, changed, failed) => u8::from(changed) * 2 + u8::from(failed) * 4,
    }
}
