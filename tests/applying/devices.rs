//! Runs on a device: its connection, facts, resources and secrets.

use crate::support::Run;
use crate::support::Site;

const TRANSPORT: &str = r##"
register_transport(#{
    name: "panel", desc: "A panel whose settings are a file.",
    connection_info: #{
        host: #{ type: "String", desc: "Its name." },
        file: #{ type: "String", desc: "Its settings." },
        port: #{ type: "Integer", desc: "Its port.", "default": 22 },
        password: #{ type: "String", desc: "The password.", sensitive: true },
    },
});
fn connect(context, connection) {
    context.notice(`connecting to ${connection.host}:${connection.port} with ${connection.password}`);
    context.notice(`unwrapped: ${connection.password.unwrap()}`);
    if connection.host == "down" { throw `no answer to ${connection.password.unwrap()}`; }
    connection
}
fn facts(context, device) {
    if device.host == "dumb" { throw "no facts"; }
    #{ model: `panel ${device.host}` }
}
fn close(context, device) { context.notice(`closing ${device.host}`); }
"##;

pub(super) const TYPE: &str = r##"
register_type(#{
    name: "knob", desc: "A knob of a panel.", features: ["remote_resource"],
    attributes: #{
        name: #{ type: "String", desc: "Its name.", behaviour: "namevar" },
        ensure: #{ type: "Enum[absent, present]", desc: "Whether it exists.", "default": "present" },
        value: #{ type: "Optional[String]", desc: "Its value." },
    },
});
"##;

const PROVIDER: &str = r##"
fn get(context) {
    let file = context.device.file;
    if !file_exists(file) { return []; }
    let parts = file_read(file).split("=");
    [#{ name: parts[0], ensure: "present", value: parts[1] }]
}
fn create(context, name, should) {
    context.notice(`logging in with ${context.device.password.unwrap()}`);
    file_write(context.device.file, `${name}=${should.value}`);
}
fn update(context, name, should) { file_write(context.device.file, `${name}=${should.value}`); }
fn delete(context, name) { file_delete(context.device.file); }
"##;

/// A site with a transport and its devices.
fn panels() -> Site {
    let site = Site::new(&[
        ("scripts/transports/panel.rhai", TRANSPORT),
        ("scripts/types/knob.rhai", TYPE),
        ("scripts/providers/knob.rhai", PROVIDER),
        ("catwalk.toml", "manifest = \"site.pp\"\n"),
    ]);
    let root = site.path().display().to_string();
    let manifest =
        format!("knob {{ 'volume': value => $facts['model'] }}\nfile {{ '{root}/local': content => 'x' }}\n");
    site.write("site.pp", manifest);
    let mut devices = String::new();
    for (name, transport) in
        [("sw1", "panel"), ("down", "panel"), ("dumb", "panel"), ("half", "panel"), ("odd", "none")]
    {
        devices.push_str(&format!("[{name}]\ntype {transport}\nurl file://{root}/{name}.yaml\n"));
        let file = if name == "half" { String::new() } else { format!("file: {root}/settings\n") };
        site.write(&format!("{name}.yaml"), format!("host: {name}\n{file}password: geheim\n"));
    }
    site.write("device.conf", devices);
    site
}

fn run_on_device(site: &Site, target: &str, args: &[&str]) -> Run {
    let mut all = args.to_vec();
    all.extend(["--target", target, "--deviceconfig", "device.conf"]);
    let run = site.run(&all);
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("geheim"), "{run:#?}");
    run
}

#[test]
fn a_device_has_its_own_facts_and_resources_and_its_secrets_are_not_shown() {
    let site = panels();
    let run = run_on_device(&site, "sw1", &["apply", "--debug", "--report", "report.json"]).expect(2, "");
    for line in [
        "Notice: panel: connecting to sw1:22 with Sensitive [value redacted]",
        "Notice: panel: unwrapped: <Sensitive>",
        "Skipping host resources because running on a device",
        "Notice: /Stage[main]/Main/Knob[volume]/ensure: defined 'ensure' as 'present'",
        "Notice: knob[volume]: Creating: logging in with <Sensitive>",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:#?}");
    }
    assert!(run.stdout.ends_with("Notice: panel: closing sw1\n"), "{run:#?}");
    let read = |name: &str| std::fs::read_to_string(site.path().join(name)).unwrap();
    assert_eq!(read("settings"), "volume=panel sw1");
    assert!(!read("report.json").contains("geheim"));
    assert!(!site.path().join("local").exists());
    run_on_device(&site, "sw1", &["apply"]).expect(0, "");
    let shown = run_on_device(&site, "sw1", &["resource", "knob"]).expect(0, "");
    assert!(
        shown.stdout.contains("value  => 'panel sw1'") || shown.stdout.contains("value => 'panel sw1'"),
        "{shown:#?}"
    );
    run_on_device(&site, "sw1", &["resource", "knob", "volume", "value=3"]).expect(0, "");
    assert_eq!(read("settings"), "volume=3");
}

#[test]
fn without_a_target_resources_of_devices_are_skipped() {
    let site = panels();
    let run = site.run(&["apply", "--debug", "-e", "knob { 'volume': value => '1' }"]).expect(0, "");
    assert!(run.stdout.contains("Skipping device resources because running on a posix host"), "{run:#?}");
    site.run(&["resource", "knob"]).expect(1, "Could not run: no device configured");
}

#[test]
fn devices_that_cannot_be_used_are_errors_and_opened_ones_are_closed() {
    let site = panels();
    for (target, message) in [
        ("down", "Unable to connect to down: "),
        ("dumb", "Could not retrieve facts of dumb: no facts"),
        ("half", "The following mandatory attributes were not provided:"),
        ("odd", "transport 'none' not found in modules/*/scripts/transports/none.rhai"),
        ("nix", "Target device / certificate 'nix' not found in "),
    ] {
        for command in [&["apply"][..], &["resource", "knob"]] {
            let run = run_on_device(&site, target, command).expect(1, message);
            assert_eq!(run.stdout.contains("closing dumb"), target == "dumb", "{run:#?}");
        }
    }
    run_on_device(&site, "sw1", &["resource", "file", "/tmp"])
        .expect(1, "resources of type 'file' are not managed on devices");
}
