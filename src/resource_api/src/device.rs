//! The devices of a run: `device.conf` and the files with connection settings (Puppet::Util::NetworkDevice::Config).
//!
//! In: the files, read from the machine. Out: names, transports, connection hashes. Must not: connect; put values of a
//! connection into messages.

use std::path::Path;

use catwalk_system::System;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data;
use catwalk_value::data::hocon::Inputs;

/// An entry of `device.conf`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The name of the target.
    pub name: String,
    /// The name of the transport (key `type`).
    pub transport: String,
    /// The URL of the file with the connection settings: `file:///path`.
    pub url: String,
}

/// Reads `device.conf`.
///
/// # Errors
/// Returns the first error with the file and the line.
pub fn read_devices(text: &str, file: &str) -> Result<Vec<Device>, String> {
    let position = |line: usize| format!("(file: {file}, line: {line})");
    let mut devices: Vec<(Device, usize)> = Vec::new();
    for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        let entry = line.trim();
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        if let Some(name) = line.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-')) {
                return Err(format!("Invalid entry at {}: {entry}", position(at)));
            }
            if let Some((_, before)) = devices.iter().find(|(device, _)| device.name == name) {
                return Err(format!(
                    "Duplicate device found at {}, already found at {}",
                    position(at),
                    position(*before)
                ));
            }
            let device = Device { name: name.to_owned(), transport: String::new(), url: String::new() };
            devices.push((device, at));
            continue;
        }
        let (key, value) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
        match (key, devices.last_mut()) {
            ("type", Some((device, _))) => value.trim().clone_into(&mut device.transport),
            ("url", Some((device, _))) => value.trim().clone_into(&mut device.url),
            ("debug", Some(_)) => {}
            _ => return Err(format!("Invalid entry at {}: {entry}", position(at))),
        }
    }
    if let Some((device, at)) = devices.iter().find(|(device, _)| device.transport.is_empty() || device.url.is_empty())
    {
        let key = if device.transport.is_empty() { "type" } else { "url" };
        return Err(format!("The device '{}' has no {key} {}", device.name, position(*at)));
    }
    Ok(devices.into_iter().map(|(device, _)| device).collect())
}

/// Finds the device of a target in the file `deviceconfig`.
///
/// # Errors
/// The file cannot be read, is malformed or has no entry for the target.
pub fn find_device(target: &str, deviceconfig: &Path, system: &mut dyn System) -> Result<Device, String> {
    let bytes = system.read(deviceconfig).map_err(|error| format!("cannot read the devices: {error}"))?;
    let devices = read_devices(&String::from_utf8_lossy(&bytes), &deviceconfig.to_string_lossy())?;
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let all = names.join(", ");
    let unknown =
        || format!("Target device / certificate '{target}' not found in {}: there are {all}", deviceconfig.display());
    devices.iter().find(|device| device.name == target).cloned().ok_or_else(unknown)
}

impl Device {
    /// Reads the connection settings: YAML if the file has the extension `yaml` or `yml`, else HOCON, which includes JSON.
    /// Defaults and data types are applied by [`crate::TransportDefinition::complete_connection`].
    ///
    /// # Errors
    /// The URL is not a file URL, the file cannot be read, or it does not contain a hash.
    pub fn read_connection(&self, system: &mut dyn System) -> Result<Hash, String> {
        let Some(path) = self.url.strip_prefix("file://").filter(|path| path.starts_with('/')) else {
            // The URL of another scheme may contain a password.
            let scheme = self.url.split("://").next().unwrap_or_default();
            return Err(format!(
                "Unexpected url '{scheme}://…' of device '{}'. Only file:/// URLs for configuration supported at the moment.",
                self.name
            ));
        };
        let path = Path::new(path);
        if system.stat(path, true).map_err(|error| error.message)?.is_none() {
            return Err(format!("Trying to load config from '{}', but file does not exist.", path.display()));
        }
        let bytes = system.read(path).map_err(|error| error.message)?;
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        // Parsers quote the file in their messages, and it may contain a password: only the line number is reported.
        let wrong = |line: Option<usize>| {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let format = if is_yaml { "YAML" } else { "HOCON or JSON" };
            format!("The connection of device '{}' is not valid {format} ({}{line})", self.name, path.display())
        };
        let read = if is_yaml {
            data::yaml::parse(&bytes).map_err(|_| wrong(None))
        } else {
            let text = String::from_utf8_lossy(&bytes);
            let parsed = data::hocon::parse(&text, "String", &Inputs::NONE);
            parsed.map_err(|why| wrong(Some(why.position.0)))
        };
        match read? {
            Value::Hash(connection) => Ok((*connection).clone()),
            Value::Undef => Ok(Hash::new()),
            _ => Err(format!("The connection of device '{}' is not a hash ({})", self.name, path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_system::FakeMachine;

    #[test]
    fn entries_of_a_file_of_devices() {
        let text = "# comment\n\n[sw-1.example.com]\ntype panos\nurl file:///etc/sw1.conf\ndebug\n[b]\n  type x\n  url  file:///b.yaml\n";
        let devices = read_devices(text, "device.conf").unwrap();
        let lines: Vec<_> = devices.iter().map(|d| format!("{} {} {}", d.name, d.transport, d.url)).collect();
        assert_eq!(lines, ["sw-1.example.com panos file:///etc/sw1.conf", "b x file:///b.yaml"]);
        for (text, message) in [
            ("type x", "Invalid entry at (file: device.conf, line: 1): type x"),
            ("[a b]", "Invalid entry at (file: device.conf, line: 1): [a b]"),
            ("[a]\nhost x", "Invalid entry at (file: device.conf, line: 2): host x"),
            (
                "[a]\ntype x\nurl y\n[a]",
                "Duplicate device found at (file: device.conf, line: 4), already found at (file: device.conf, line: 1)",
            ),
            ("[a]\ntype x", "The device 'a' has no url (file: device.conf, line: 1)"),
        ] {
            assert_eq!(read_devices(text, "device.conf").unwrap_err(), message);
        }
    }

    #[test]
    fn connections_in_each_format_and_errors_without_secrets() {
        let mut system = FakeMachine::new();
        for (path, text) in [
            ("/c.conf", "host = sw1\nport: 22\n"),
            ("/c.json", "{\"host\": \"sw1\", \"port\": 22}"),
            ("/c.yaml", "host: sw1\nport: 22\n"),
            ("/bad.conf", "host = sw1\npassword = \"geheim"),
            ("/bad.yaml", "password: [geheim"),
            ("/list.yaml", "[geheim]"),
        ] {
            system.put(Path::new(path), text.as_bytes());
        }
        let mut read = |url: &str| {
            Device { name: "a".to_owned(), transport: "t".to_owned(), url: url.to_owned() }.read_connection(&mut system)
        };
        for path in ["c.conf", "c.json", "c.yaml"] {
            let connection = read(&format!("file:///{path}")).unwrap();
            assert_eq!(connection.get("host"), Some(&Value::str("sw1")), "{path}");
            assert_eq!(connection.get("port"), Some(&Value::Int(22)), "{path}");
        }
        for url in
            ["file:///bad.conf", "file:///bad.yaml", "file:///list.yaml", "https://u:geheim@sw1/", "file:///none", "x"]
        {
            let message = read(url).unwrap_err();
            assert!(!message.contains("geheim"), "{message}");
        }
    }
}
