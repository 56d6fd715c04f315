//! Transports in Rhai: `modules/<m>/scripts/transports/<n>.rhai` connects a run to a device.
//!
//! In: the definition of a transport, a connection. Out: the value that providers get as `context.device`, facts. Must not: read
//! `device.conf` or connection files (that is [`catwalk_resource_api`]).

use std::path::PathBuf;
use std::sync::Arc;

use rhai::Dynamic;

use crate::bridge;
use crate::bridge::HashHandle;
use crate::cache::Script;
use crate::cache::Scripts;
use crate::error;
use crate::host::ImportContext;
use crate::limits;
use crate::providers;
use crate::running::Call;
use catwalk_base::diag::Diagnostic;
use catwalk_program::Environment;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_resource_api::TransportDefinition;
use catwalk_system::System;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

/// The file of a transport: that of the site, or of the first module that has it.
#[must_use]
pub fn transport_file(name: &str, environment: &Environment, world: &dyn World) -> Option<PathBuf> {
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
        return None;
    }
    let modules = environment.modules.values().chain(&environment.individual_modules).map(|module| &module.root);
    let mut files =
        environment.root.iter().chain(modules).map(|root| root.join(format!("scripts/transports/{name}.rhai")));
    files.find(|file| world.kind(file) == Kind::File)
}

/// A connected device.
pub struct Connection {
    scripts: Arc<Scripts>,
    environment: Arc<Environment>,
    world: Arc<dyn World>,
    script: Arc<Script>,
    /// The transport as a resource type, whose name is the prefix of messages.
    definition: Arc<Definition>,
    device: Value,
    cache: Hash,
}

impl Connection {
    /// Connects to a device: checks the connection against the definition of the transport and calls `connect`.
    ///
    /// # Errors
    /// The connection does not match, the script cannot be loaded, or `connect` failed.
    pub fn open(
        transport: &TransportDefinition,
        options: &Hash,
        (scripts, environment, world): (Arc<Scripts>, Arc<Environment>, Arc<dyn World>),
        log: &mut dyn Log,
        system: &mut dyn System,
    ) -> Result<Connection, Failure> {
        let (connection, messages) = transport.complete_connection(options).map_err(Failure::new)?;
        let file = PathBuf::from(&*transport.file);
        let script = scripts
            .load(&file, &environment, world.as_ref())
            .map_err(|diagnostic| Failure::new(load_failure(&diagnostic, &scripts)))?;
        let mut connected = Connection {
            scripts,
            environment,
            world,
            script,
            definition: Arc::new(to_type(transport)),
            device: Value::Undef,
            cache: Hash::new(),
        };
        for message in &messages {
            log.log(Level::Debug, None, &format!("{}: {message}", transport.name));
        }
        let connection = Dynamic::from(HashHandle(Arc::new(connection)));
        let device = connected.call("connect", vec![connection], log, system)?;
        connected.device = bridge::from_dynamic(device).map_err(|why| Failure::new(format!("connect(): {why}")))?;
        Ok(connected)
    }

    /// The value that `connect` returned: `context.device` of providers.
    #[must_use]
    pub fn device(&self) -> &Value {
        &self.device
    }

    /// The facts of the device; none where the transport has no function `facts`.
    ///
    /// # Errors
    /// `facts` failed or returned no hash.
    pub fn facts(&mut self, log: &mut dyn Log, system: &mut dyn System) -> Result<Hash, Failure> {
        if !self.has("facts") {
            return Ok(Hash::new());
        }
        let facts = self.call("facts", vec![bridge::to_dynamic(&self.device)], log, system)?;
        match bridge::from_dynamic(facts).map_err(|why| Failure::new(format!("facts(): {why}")))? {
            Value::Hash(facts) => Ok((*facts).clone()),
            other => Err(Failure::new(format!("facts() must return a hash, got {}", catwalk_value::infer(&other)))),
        }
    }

    /// Ends the connection. Every opened one is closed, also after a failed run.
    ///
    /// # Errors
    /// `close` failed.
    pub fn close(mut self, log: &mut dyn Log, system: &mut dyn System) -> Result<(), Failure> {
        if !self.has("close") {
            return Ok(());
        }
        self.call("close", vec![bridge::to_dynamic(&self.device)], log, system).map(drop)
    }

    fn has(&self, function: &str) -> bool {
        self.script.ast.iter_functions().any(|defined| defined.name == function && defined.params.len() == 2)
    }

    fn call(
        &mut self,
        function: &str,
        args: Vec<Dynamic>,
        log: &mut dyn Log,
        system: &mut dyn System,
    ) -> Result<Dynamic, Failure> {
        if !self.has(function) {
            let name = self.definition.name;
            return Err(Failure::new(format!(
                "the transport '{name}' has no function {function}() with two parameters"
            )));
        }
        let mut context = Context::new(self.definition.clone(), log, system);
        context.device = (self.device != Value::Undef).then(|| self.device.clone());
        let loading = ImportContext {
            scripts: &self.scripts,
            environment: &self.environment,
            world: self.world.as_ref(),
            data: None,
        };
        let call = Call { context: &mut context, cache: &mut self.cache };
        providers::enter((&self.script, limits::PROVIDER_LIMIT), &loading, call, function, args)
    }
}

/// A transport as a type without resources.
fn to_type(transport: &TransportDefinition) -> Definition {
    Definition {
        name: transport.name,
        description: transport.description.clone(),
        attributes: transport.connection_info.clone(),
        title_patterns: Vec::new(),
        auto_relations: Vec::new(),
        features: Vec::new(),
        file: transport.file.clone(),
    }
}

fn load_failure(diagnostic: &Diagnostic, scripts: &Scripts) -> String {
    error::with_location(diagnostic, &scripts.sources)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use catwalk_base::names::Name;
    use catwalk_base::source::SourceMap;
    use catwalk_resource_api::Attribute;
    use catwalk_resource_api::Behaviour;
    use catwalk_system::FakeMachine;
    use catwalk_value::NoAliases;
    use catwalk_world::Memory;

    use super::*;

    #[derive(Default)]
    struct LogLines(Vec<String>);

    impl Log for LogLines {
        fn log(&mut self, level: Level, _: Option<&str>, message: &str) {
            self.0.push(format!("{}: {message}", level.name()));
        }

        fn wants(&self, _: Level) -> bool {
            true
        }
    }

    fn transport() -> TransportDefinition {
        let key = |name: &str, data_type: &str, default: Option<Value>, sensitive: bool| {
            let attribute = Attribute {
                data_type: catwalk_value::parse_type(data_type, &mut NoAliases).unwrap(),
                data_type_source: Arc::from(data_type),
                description: None,
                default,
                behaviour: Behaviour::Property,
                sensitive,
            };
            (Name::new(name), attribute)
        };
        let keys = [
            key("host", "String", None, false),
            key("port", "Integer", Some(Value::Int(22)), false),
            key("password", "String", None, true),
        ];
        TransportDefinition {
            name: Name::new("panel"),
            description: None,
            connection_info: keys.into_iter().collect(),
            file: Arc::from("/site/scripts/transports/panel.rhai"),
        }
    }

    const SCRIPT: &str = r##"
        fn connect(context, connection) {
            context.notice(`connecting to ${connection.host}:${connection.port} with ${connection.password}`);
            #{ address: `${connection.host}:${connection.port}` }
        }
        fn facts(context, device) { run(["show", device.address]); #{ model: context.device.address } }
        fn close(context, device) { context.info(`closing ${device.address}`); }
    "##;

    fn open(
        script: &str,
        options: &[(&str, &str)],
        lines: &mut LogLines,
        system: &mut FakeMachine,
    ) -> Result<Connection, Failure> {
        let world: Arc<dyn World> = Arc::new(Memory::new([("/site/scripts/transports/panel.rhai", script)]));
        let environment = Arc::new(Environment { root: Some(PathBuf::from("/site")), ..Environment::default() });
        assert!(transport_file("panel", &environment, world.as_ref()).is_some());
        assert!(transport_file("../panel", &environment, world.as_ref()).is_none());
        let options: Hash = options.iter().map(|(key, item)| (Value::str(key), Value::str(item))).collect();
        let scripts = Arc::new(Scripts::new(SourceMap::new()));
        Connection::open(&transport(), &options, (scripts, environment, world), lines, system)
    }

    #[test]
    fn a_device_is_connected_queried_for_facts_and_closed() {
        let (mut lines, mut system) = (LogLines::default(), FakeMachine::new());
        system.set_runner(Box::new(|_| {
            Some(Ok(catwalk_system::Output { code: 0, stdout: Vec::new(), stderr: Vec::new() }))
        }));
        let options = [("host", "sw1"), ("password", "geheim")];
        let mut connection = open(SCRIPT, &options, &mut lines, &mut system).unwrap();
        let facts = connection.facts(&mut lines, &mut system).unwrap();
        assert_eq!(facts.get("model"), Some(&Value::str("sw1:22")));
        connection.close(&mut lines, &mut system).unwrap();
        assert_eq!(
            lines.0,
            [
                "debug: panel: Using default value for attribute: port, value: 22",
                "notice: panel: connecting to sw1:22 with Sensitive [value redacted]",
                "info: panel: closing sw1:22"
            ]
        );
    }

    #[test]
    fn wrong_connections_and_transports_fail_without_secrets() {
        let options = [("host", "sw1"), ("password", "geheim")];
        for (script, options, text) in [
            (SCRIPT, &options[1..], "host"),
            (SCRIPT, &[options[0], options[1], ("port", "high")][..], "port"),
            ("fn connect(context, connection) { throw `no ${connection.password}`; }", &options[..], "no Sensitive"),
            ("fn connect(context) { }", &options[..], "the transport 'panel' has no function connect()"),
            ("fn connect(context, { }", &options[..], "panel.rhai:1:"),
            ("fn connect(context, c) { |x| x }", &options[..], "connect(): a value of type"),
        ] {
            let failure = open(script, options, &mut LogLines::default(), &mut FakeMachine::new()).err().unwrap();
            assert!(failure.message.contains(text), "{}", failure.message);
            assert!(!failure.message.contains("geheim"), "{}", failure.message);
        }
    }
}
