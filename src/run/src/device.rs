//! `--target`: a run for a device instead of this machine. Connects before the compile, since the device has the facts.

use std::path::PathBuf;
use std::sync::Arc;

use crate::run_context;
use crate::run_log::RunLog;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::TransportDefinition;
use catwalk_resource_api::find_device;
use catwalk_scripting::Connection;
use catwalk_session::CompileInput;
use catwalk_session::NodeSource;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::TestNode;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;

/// The default device configuration of Puppet's agent.
const DEVICES: &str = "/etc/puppetlabs/puppet/device.conf";

/// The device to manage.
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    /// The name of the device; `None` for this machine.
    pub target: Option<String>,
    /// The file of devices; by default that of Puppet's agent.
    pub deviceconfig: Option<PathBuf>,
}

/// A connected device.
pub(crate) struct Device {
    name: String,
    connection: Connection,
}

/// Why a session could not be opened.
pub(crate) enum Refusal {
    /// The arguments or the site are wrong.
    Usage(Reason),
    /// The device cannot be connected.
    Device(String),
}

/// Opens a session; with `--target`, with the facts of the connected device. Facts from `--facts` that the device lacks are added.
pub(crate) fn open(
    args: &DeviceOptions,
    options: Options,
    log: &mut dyn RunLog,
) -> Result<(Session, Option<Device>), Refusal> {
    let world = Arc::new(Disk::new());
    let Some(target) = &args.target else {
        return Ok((Session::open(options, world).map_err(Refusal::Usage)?, None));
    };
    let name = target.to_lowercase();
    let session = Session::open(options.clone(), world.clone()).map_err(Refusal::Usage)?;
    // The node is classified with the device's facts, which are not known yet.
    let (certname, code) = (Arc::from(name), Some(String::new()));
    let unclassified = TestNode { certname, code, ..TestNode::default() };
    let connected = session
        .prepare(NodeSource::Test(&unclassified))
        .and_then(|prepared| session.with_prepared(&prepared, |input, _| connect(args, target, input, &session, log)));
    let (device, facts) = match connected {
        Ok(connected) => connected.map_err(Refusal::Device)?,
        Err(failure) => return Err(Refusal::Device(failure.message_with_source().to_string())),
    };
    let mut options = options;
    let mut all = options.fact_set.as_deref().cloned().unwrap_or_default();
    facts.iter().for_each(|(fact, value)| {
        all.insert(fact.clone(), value.clone());
    });
    options.fact_set = Some(Arc::new(all));
    match Session::open(options, world) {
        Ok(session) => Ok((session, Some(device))),
        Err(reason) => {
            device.close(log);
            Err(Refusal::Usage(reason))
        }
    }
}

/// The device and its facts.
fn connect(
    args: &DeviceOptions,
    target: &str,
    input: &CompileInput<'_>,
    session: &Session,
    log: &mut dyn RunLog,
) -> Result<(Device, Hash), String> {
    log.follow(input.world.secrets());
    let mut machine = run_context::machine();
    let file = args.deviceconfig.clone().unwrap_or_else(|| PathBuf::from(DEVICES));
    let file = std::path::absolute(&file).unwrap_or(file);
    let device_config = find_device(target, &file, &mut machine)?;
    let values = device_config.read_connection(&mut machine)?;
    let (transport, warnings) = input.transport(&device_config.transport)?;
    warnings.iter().for_each(|warning| log.log(Level::Warning, None, warning));
    log.hide(&collect_secrets(&transport, &values, session.secrets_key()));
    let cannot_connect =
        |failure: Failure| format!("Unable to connect to {target}: {}", failure.message_with_excerpt());
    let mut connection = input.connect(&transport, &values, log, &mut machine).map_err(cannot_connect)?;
    match connection.facts(log, &mut machine) {
        Ok(facts) => Ok((Device { name: target.to_owned(), connection }, facts)),
        Err(failure) => {
            Device { name: target.to_owned(), connection }.close(log);
            Err(format!("Could not retrieve facts of {target}: {}", failure.message_with_excerpt()))
        }
    }
}

/// The strings of a connection's sensitive values, defaults included.
fn collect_secrets(transport: &TransportDefinition, values: &Hash, key: &Key) -> Secrets {
    let collection = SecretCollection::default();
    for (name, attribute) in transport.connection_info.iter().filter(|(_, attribute)| attribute.sensitive) {
        values.get(name.as_str()).iter().copied().chain(&attribute.default).for_each(|value| note(value, &collection));
    }
    Secrets::new(key.clone(), collection.reported())
}

fn note(value: &Value, secrets: &SecretCollection) {
    match value {
        Value::Sensitive(inner) => note(inner, secrets),
        Value::Array(items) => items.iter().for_each(|item| note(item, secrets)),
        Value::Hash(entries) => entries.iter().for_each(|(_, value)| note(value, secrets)),
        Value::Str(string) => secrets.report(string),
        _ => {}
    }
}

impl Device {
    /// The value that providers get as `context.device`.
    pub(crate) fn value(&self) -> &Value {
        self.connection.device()
    }

    /// Ends the connection; a failure is logged.
    pub(crate) fn close(self, log: &mut dyn RunLog) {
        if let Err(failure) = self.connection.close(log, &mut run_context::machine()) {
            log.log(Level::Err, None, &format!("Could not close the connection to {}: {}", self.name, failure.message));
        }
    }
}
