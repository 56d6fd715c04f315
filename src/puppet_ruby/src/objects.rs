//! Small objects of Puppet's own classes: the environment, its modules, resources.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::environment::MODULE;
use catwalk_base::names::Name;
use catwalk_eval::state::Entry;
use catwalk_ruby::Instance;
use catwalk_ruby::Key;
use catwalk_ruby::Map;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;
use catwalk_value::Value;

/// The class of environments.
pub(crate) const ENVIRONMENT: &str = "Puppet::Node::Environment";

/// The class of `Puppet.features`.
pub(crate) const FEATURES: &str = "Puppet::Util::Feature";

/// The class of `Puppet.settings`.
pub(crate) const SETTINGS: &str = "Puppet::Settings";

/// The class of resources.
pub(crate) const RESOURCE: &str = "Puppet::Parser::Resource";

/// The class of their parameters.
pub(crate) const PARAM: &str = "Puppet::Parser::Resource::Param";

/// `Facter.value(name)`: a fact of the machine that compiles, as far as it is known.
pub(crate) fn server_fact(rt: &mut PuppetInterp<'_, '_>, name: &Rv) -> Raise<Rv> {
    let fact_name = name.string_or_symbol().unwrap_or_default();
    let read = |rt: &PuppetInterp<'_, '_>, path: &str| {
        let bytes = rt.host.ev.world.read(std::path::Path::new(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(match fact_name.as_str() {
        "kernel" => Rv::str("Linux"),
        "puppetversion" => Rv::str(rt.host.ev.settings.version.release),
        "hostname" => read(rt, "/etc/hostname").map_or(Rv::Nil, |hostname| Rv::str(hostname.trim())),
        "osfamily" => {
            let release = read(rt, "/etc/os-release").unwrap_or_default();
            let ids = release.lines().filter(|line| line.starts_with("ID=") || line.starts_with("ID_LIKE="));
            let ids: String = ids.collect::<Vec<_>>().join(" ").to_lowercase();
            Rv::str(if ids.contains("rhel") || ids.contains("fedora") {
                "RedHat"
            } else if ids.contains("suse") {
                "Suse"
            } else {
                "Debian"
            })
        }
        fact if is_core_fact(fact) => return rt.ruby().unsupported(&format!("Facter.value({fact})")),
        // The machine that compiles has no custom facts.
        _ => Rv::Nil,
    })
}

/// Structured facts of Facter itself, and legacy names.
const CORE_FACTS: &str = "aio_agent_version architecture augeas augeasversion az_metadata blockdevices cloud dhcp_servers disks dmi \
    domain ec2_metadata ec2_userdata env_windows_installdir facterversion filesystems fips_enabled fqdn gce gid hardwareisa \
    hardwaremodel hypervisors id identity interfaces is_virtual ldom load_averages manufacturer memory mountpoints networking \
    nim_type os partitions path physicalprocessorcount processorcount processors productname rubyplatform rubysitedir rubyversion \
    ruby scope6 serialnumber solaris_zones ssh system32 system_profiler system_uptime timezone uuid virtual xen xendomains zones \
    zonename";

/// Prefixes of the names of legacy facts.
const CORE_PREFIXES: [&str; 30] = [
    "bios_",
    "blockdevice_",
    "board",
    "chassis",
    "ec2_",
    "ipaddress",
    "kernel",
    "ldom_",
    "lsb",
    "macaddress",
    "memory",
    "mtu_",
    "netmask",
    "network",
    "operatingsystem",
    "processor",
    "scope6_",
    "selinux",
    "sp_",
    "sshdsa",
    "sshecdsa",
    "sshed25519",
    "sshfp_",
    "sshrsa",
    "swap",
    "uptime",
    "windows_",
    "zfs_",
    "zone_",
    "zpool_",
];

/// Whether Facter itself has a fact of this name on any platform.
fn is_core_fact(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or(name);
    CORE_FACTS.split_ascii_whitespace().any(|fact| fact == name)
        || CORE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Calls a method of one of these objects; `None` if its class has none of this name.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    if let Some(value) = call_by_class(rt, this, name, args)? {
        return Ok(Some(value));
    }
    let class = this.class.as_str();
    if args.is_empty()
        && let Some(value) = crate::environment::call(rt, class, name, &field(this, "path"))
    {
        return Ok(Some(value));
    }
    let is_puppet_class = matches!(class, ENVIRONMENT | MODULE | crate::environment::NODE);
    if is_puppet_class && !catwalk_ruby::is_ruby_method(&Rv::Nil, name) {
        return rt.ruby().unsupported(&format!("{class}#{name}"));
    }
    Ok(None)
}

/// An instance variable of one of these objects.
fn field(this: &Instance, name: &str) -> Rv {
    this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil)
}

/// An instance variable that is a string or symbol; empty if it is anything else.
fn string_field(this: &Instance, name: &str) -> String {
    field(this, name).string_or_symbol().unwrap_or_default()
}

fn call_by_class(rt: &mut PuppetInterp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match (this.class.as_str(), name) {
        (crate::type_methods::ELEMENT, "name" | "key_type" | "value_type") => Ok(Some(field(this, name))),
        (RESOURCE, name) if !field(this, "id").is_nil() => call_resource(rt, &field(this, "id"), name, args),
        (RESOURCE, "type" | "title") => Ok(Some(field(this, name))),
        (crate::catalog::SOURCE, _) => call_definition(rt, this, name, args),
        (crate::host_classes::TYPE_COLLECTION, _) => crate::host_classes::call_type_collection(rt, name, args),
        ("ERB", "result" | "result_with_hash") => {
            let binding = args.first().unwrap_or(&Rv::Nil);
            crate::template::render_erb(rt, &field(this, "source"), binding).map(Some)
        }
        // No gems are installed here.
        (FEATURES, name) if name.ends_with('?') => Ok(Some(Rv::bool(matches!(name, "posix?" | "json?" | "root?")))),
        (SETTINGS, "[]" | "value" | "print") => {
            let setting = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            if setting == "strict" {
                return rt
                    .ruby()
                    .call_method(&Rv::Class(Name::new("Puppet")), "[]", &[Rv::sym("strict")], None)
                    .map(Some);
            }
            rt.setting(&setting).map(Some)
        }
        (SETTINGS, "set_by_config?" | "set_by_cli?" | "set_by_user?") => Ok(Some(Rv::False)),
        (PARAM, "name" | "value" | "source" | "line" | "file" | "add") => Ok(Some(field(this, name))),
        (PARAM, "value=") => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            this.ivars.borrow_mut().insert(Name::new("value"), value.clone());
            this.ivars.borrow_mut().shift_remove(&catwalk_base::name!("kept"));
            set_parameter(rt, &field(this, "id"), &field(this, "name"), &value)?;
            Ok(Some(value))
        }
        (ENVIRONMENT, "name") => Ok(Some(Rv::sym(&string_field(this, "name")))),
        (ENVIRONMENT, "to_s") => Ok(Some(field(this, "name"))),
        (ENVIRONMENT, "module") => {
            let module = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            Ok(Some(rt.puppet_module(&module)))
        }
        (MODULE, "name" | "to_s" | "path") => Ok(Some(field(this, if name == "path" { "path" } else { "name" }))),
        (MODULE, "templates" | "files" | "manifests") => {
            Ok(Some(Rv::str(format!("{}/{name}", string_field(this, "path")))))
        }
        _ => Ok(None),
    }
}

/// Methods of the definition of a class, a defined type or a node (Puppet::Resource::Type).
fn call_definition(rt: &mut PuppetInterp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    match name {
        "evaluate_code" => crate::host_classes::evaluate(rt, &string_field(this, "name"), args.first()).map(Some),
        "name" | "type" | "module_name" => Ok(Some(field(this, name))),
        "file" | "line" => {
            crate::catalog::definition_position(rt, &string_field(this, "name"), name == "line").map(Some)
        }
        _ => Ok(None),
    }
}

/// The index of a resource in the catalog; `usize::MAX` if its number is not valid.
fn entry_index(id: &Rv) -> usize {
    match id {
        Rv::Int(id) => usize::try_from(*id).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Sets a parameter of a resource.
fn set_parameter(rt: &mut PuppetInterp<'_, '_>, id: &Rv, name: &Rv, value: &Rv) -> Raise<()> {
    let value = rt.ruby().to_puppet(value)?;
    let name = Name::new(&name.string_or_symbol().unwrap_or_default());
    if let Some(param) =
        rt.host.ev.state.resources.entries.get_mut(entry_index(id)).and_then(|entry| entry.params.get_mut(&name))
    {
        param.value = value;
    }
    Ok(())
}

/// Methods of a resource of the catalog (Puppet::Parser::Resource).
fn call_resource(rt: &mut PuppetInterp<'_, '_>, id: &Rv, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let Some(entry) = rt.host.ev.state.resources.entries.get(entry_index(id)) else { return Ok(None) };
    Ok(Some(match name {
        "title" => Rv::str(&*entry.title),
        "name" => match entry.get(Name::new("name")).cloned() {
            Some(value) => rt.ruby().to_ruby(&value),
            None => Rv::str(&*entry.title),
        },
        "type" => Rv::str(entry.type_name.as_str()),
        "to_s" | "ref" | "inspect" => Rv::str(entry.reference()),
        "virtual?" | "virtual" => Rv::bool(entry.is_virtual),
        "exported?" | "exported" => Rv::bool(entry.exported.unwrap_or(false)),
        "evaluated?" => Rv::bool(entry.evaluated),
        "class?" => Rv::bool(entry.is_class()),
        "scope" => crate::host_classes::scope_object(entry.scope),
        "catalog" => Rv::Scope,
        "builtin_type?" => Rv::bool(entry.is_builtin()),
        "file" | "line" => {
            rt.host.ev.program.record_position_use();
            match entry.span.and_then(|span| rt.host.ev.program.sources.locate(span)) {
                Some((_, line, _)) if name == "line" => Rv::Int(i64::from(line)),
                Some((source, ..)) => source.path.as_ref().map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy())),
                None => Rv::Nil,
            }
        }
        "[]" => {
            let parameter = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let title = if parameter == "title" { Some(Value::str(&*entry.title)) } else { None };
            match title.or_else(|| entry.get(Name::new(&parameter)).cloned()) {
                Some(value) => rt.ruby().to_ruby(&value),
                None => Rv::Nil,
            }
        }
        "parameters" => {
            let mut map = Map::default();
            for (name, value) in parameter_values(entry) {
                let value = rt.ruby().to_ruby(&value);
                let key = Rv::sym(name.as_str());
                map.insert(Key(key.clone()), object(PARAM, &[("name", key), ("value", value), ("id", id.clone())]));
            }
            Rv::hash(map)
        }
        "to_hash" | "to_h" => {
            let mut map = Map::default();
            map.insert(Key(Rv::sym("name")), Rv::str(&*entry.title));
            for (name, value) in parameter_values(entry).into_iter().filter(|(_, value)| !value.is_undef()) {
                let value = rt.ruby().to_ruby(&value);
                map.insert(Key(Rv::sym(name.as_str())), value);
            }
            Rv::hash(map)
        }
        other if catwalk_ruby::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        other => return rt.ruby().unsupported(&format!("resource.{other}")),
    }))
}

fn parameter_values(entry: &Entry) -> Vec<(Name, Value)> {
    entry.params.iter().map(|(name, param)| (*name, param.value.clone())).collect()
}
