//! Small objects of Puppet's own classes: the environment, its modules, resources.

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::library::require::MODULE;
use crate::value::Instance;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::value::Value;

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

/// An object with these instance variables.
pub(crate) fn object(class: &str, fields: &[(&str, Rv)]) -> Rv {
    let ivars = fields.iter().map(|(name, value)| (Name::new(name), value.clone())).collect();
    Rv::Object(Rc::new(Instance::with(Name::new(class), ivars)))
}

/// `Facter.value(name)`: a fact of the machine that compiles, as far as it is known.
pub(crate) fn server_fact(rt: &mut Interp<'_, '_>, name: &Rv) -> Raise<Rv> {
    let wanted = name.string_or_symbol().unwrap_or_default();
    let read = |rt: &Interp<'_, '_>, path: &str| {
        let bytes = rt.ev.world.read(std::path::Path::new(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(match wanted.as_str() {
        "kernel" => Rv::str("Linux"),
        "puppetversion" => Rv::str(rt.ev.settings.version.release),
        "hostname" => read(rt, "/etc/hostname").map_or(Rv::Nil, |text| Rv::str(text.trim())),
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
        fact if is_core_fact(fact) => return rt.unsupported(&format!("Facter.value({wanted})")),
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

/// Methods of these objects.
pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    match (this.class.as_str(), name) {
        (crate::library::openssl::DIGEST | crate::library::openssl::HMAC, _) => {
            crate::library::openssl::call(rt, this, name, args)
        }
        (crate::puppet::type_methods::ELEMENT, "name" | "key_type" | "value_type") => Ok(Some(field(name))),
        (RESOURCE, name) if !field("id").is_nil() => resource(rt, &field("id"), name, args),
        (RESOURCE, "type" | "title") => Ok(Some(field(name))),
        (crate::puppet::catalog::SOURCE, "evaluate_code") => crate::puppet::host_classes::evaluate(
            rt,
            &field("name").string_or_symbol().unwrap_or_default(),
            args.first(),
        )
        .map(Some),
        (crate::puppet::host_classes::TYPE_COLLECTION, _) => {
            crate::puppet::host_classes::call_type_collection(rt, name, args)
        }
        (crate::puppet::catalog::SOURCE, "name" | "type" | "module_name") => Ok(Some(field(name))),
        (crate::puppet::catalog::SOURCE, "file" | "line") => crate::puppet::catalog::definition_position(
            rt,
            &field("name").string_or_symbol().unwrap_or_default(),
            name == "line",
        )
        .map(Some),
        (crate::core::random::CLASS, "bytes" | "rand" | "seed") => {
            crate::core::random::call(rt, this, name, args).map(Some)
        }
        (crate::library::processes::STATUS, _) => Ok(crate::library::processes::call_status(this, name)),
        ("ERB", "result" | "result_with_hash") => {
            crate::puppet::template::erb_result(rt, &field("source"), args.first().unwrap_or(&Rv::Nil)).map(Some)
        }
        // No gems are installed here.
        (FEATURES, name) if name.ends_with('?') => Ok(Some(Rv::bool(matches!(name, "posix?" | "json?" | "root?")))),
        (SETTINGS, "[]" | "value" | "print") => {
            let wanted = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            if wanted == "strict" {
                return rt.call_method(&Rv::Class(Name::new("Puppet")), "[]", &[Rv::sym("strict")], None).map(Some);
            }
            rt.setting(&wanted).map(Some)
        }
        (SETTINGS, "set_by_config?" | "set_by_cli?" | "set_by_user?") => Ok(Some(Rv::False)),
        (PARAM, "name" | "value" | "source" | "line" | "file" | "add") => Ok(Some(field(name))),
        (PARAM, "value=") => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            this.ivars.borrow_mut().insert(Name::new("value"), value.clone());
            this.ivars.borrow_mut().shift_remove(&catwalk_base::name!("kept"));
            set_parameter(rt, &field("id"), &field("name"), &value)?;
            Ok(Some(value))
        }
        (ENVIRONMENT, "name") => Ok(Some(Rv::sym(&field("name").string_or_symbol().unwrap_or_default()))),
        (ENVIRONMENT, "to_s") => Ok(Some(field("name"))),
        (ENVIRONMENT, "module") => {
            let wanted = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            Ok(Some(rt.puppet_module(&wanted)))
        }
        (MODULE, "name" | "to_s" | "path") => Ok(Some(field(if name == "path" { "path" } else { "name" }))),
        (MODULE, "templates" | "files" | "manifests") => {
            let path = field("path").string_or_symbol().unwrap_or_default();
            Ok(Some(Rv::str(format!("{path}/{name}"))))
        }
        (class, name)
            if crate::library::uri::is_class(class)
                && let Some(found) = crate::library::uri::call(rt, this, name, args)? =>
        {
            Ok(Some(found))
        }
        (_, other)
            if args.is_empty()
                && let Some(value) = crate::puppet::api::call(rt, this.class.as_str(), other, &field("path")) =>
        {
            Ok(Some(value))
        }
        (ENVIRONMENT | MODULE | crate::puppet::api::NODE, other)
            if !crate::object::method_names::is_ruby_method(&Rv::Nil, other) =>
        {
            rt.unsupported(&format!("{}#{other}", this.class))
        }
        _ => Ok(None),
    }
}

/// Sets a parameter of a resource.
fn set_parameter(rt: &mut Interp<'_, '_>, id: &Rv, name: &Rv, value: &Rv) -> Raise<()> {
    let value = rt.to_puppet(value)?;
    let at = if let Rv::Int(id) = id { usize::try_from(*id).unwrap_or(usize::MAX) } else { usize::MAX };
    let name = Name::new(&name.string_or_symbol().unwrap_or_default());
    if let Some(param) = rt.ev.state.entries.get_mut(at).and_then(|entry| entry.params.get_mut(&name)) {
        param.value = value;
    }
    Ok(())
}

/// Methods of a resource of the catalog (Puppet::Parser::Resource).
fn resource(rt: &mut Interp<'_, '_>, id: &Rv, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let at = if let Rv::Int(id) = id { usize::try_from(*id).unwrap_or(usize::MAX) } else { usize::MAX };
    let Some(entry) = rt.ev.state.entries.get(at) else { return Ok(None) };
    Ok(Some(match name {
        "title" => Rv::str(&*entry.title),
        "name" => match entry.get(Name::new("name")).cloned() {
            Some(value) => rt.to_ruby(&value),
            None => Rv::str(&*entry.title),
        },
        "type" => Rv::str(entry.type_name.as_str()),
        "to_s" | "ref" | "inspect" => Rv::str(entry.reference()),
        "virtual?" | "virtual" => Rv::bool(entry.is_virtual),
        "exported?" | "exported" => Rv::bool(entry.exported.unwrap_or(false)),
        "evaluated?" => Rv::bool(entry.evaluated),
        "class?" => Rv::bool(entry.is_class()),
        "scope" => crate::puppet::host_classes::scope_object(entry.scope),
        "catalog" => Rv::Scope,
        "builtin_type?" => Rv::bool(entry.is_builtin()),
        "file" | "line"
            if {
                rt.ev.program.record_position_use();
                true
            } =>
        {
            match entry.span.and_then(|span| rt.ev.program.sources.locate(span)) {
                Some((_, line, _)) if name == "line" => Rv::Int(i64::from(line)),
                Some((source, ..)) => source.path.as_ref().map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy())),
                None => Rv::Nil,
            }
        }
        "[]" => {
            let wanted = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let found = if wanted == "title" { Some(Value::str(&*entry.title)) } else { None };
            match found.or_else(|| entry.get(Name::new(&wanted)).cloned()) {
                Some(value) => rt.to_ruby(&value),
                None => Rv::Nil,
            }
        }
        "parameters" => {
            let set: Vec<(Name, Value)> =
                entry.params.iter().map(|(name, param)| (*name, param.value.clone())).collect();
            let mut map = Map::default();
            for (name, value) in set {
                let value = rt.to_ruby(&value);
                let key = Rv::sym(name.as_str());
                map.insert(Key(key.clone()), object(PARAM, &[("name", key), ("value", value), ("id", id.clone())]));
            }
            Rv::hash(map)
        }
        "to_hash" | "to_h" => {
            let title = Rv::str(&*entry.title);
            let set: Vec<(Name, Value)> =
                entry.params.iter().map(|(name, param)| (*name, param.value.clone())).collect();
            let mut map = Map::default();
            map.insert(Key(Rv::sym("name")), title);
            for (name, value) in set.into_iter().filter(|(_, value)| !value.is_undef()) {
                let value = rt.to_ruby(&value);
                map.insert(Key(Rv::sym(name.as_str())), value);
            }
            Rv::hash(map)
        }
        other if crate::object::method_names::is_ruby_method(&Rv::Nil, other) => return Ok(None),
        other => return rt.unsupported(&format!("resource.{other}")),
    }))
}
