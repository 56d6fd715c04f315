//! `catwalk apply` and `catwalk resource` as commands: devices, plans, hostile catalogs.

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

const TYPE: &str = r##"
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

fn on(site: &Site, target: &str, args: &[&str]) -> Run {
    let mut all = args.to_vec();
    all.extend(["--target", target, "--deviceconfig", "device.conf"]);
    let run = site.run(&all);
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("geheim"), "{run:#?}");
    run
}

#[test]
fn a_device_has_its_own_facts_and_resources_and_its_secrets_are_not_shown() {
    let site = panels();
    let run = on(&site, "sw1", &["apply", "--debug", "--report", "report.json"]).expect(2, "");
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
    on(&site, "sw1", &["apply"]).expect(0, "");
    let shown = on(&site, "sw1", &["resource", "knob"]).expect(0, "");
    assert!(
        shown.stdout.contains("value  => 'panel sw1'") || shown.stdout.contains("value => 'panel sw1'"),
        "{shown:#?}"
    );
    on(&site, "sw1", &["resource", "knob", "volume", "value=3"]).expect(0, "");
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
            let run = on(&site, target, command).expect(1, message);
            assert_eq!(run.stdout.contains("closing dumb"), target == "dumb", "{run:#?}");
        }
    }
    on(&site, "sw1", &["resource", "file", "/tmp"]).expect(1, "resources of type 'file' are not managed on devices");
}

/// Puppet 7.23 writes the same file and message.
#[test]
fn deferred_functions_are_called_when_their_resource_is_applied() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let file = site.path().join("f");
    let code = format!(
        "file {{ '{}': content => Deferred('sprintf', ['%s-%d', 'x', 3]) }} notify {{ 'n': message => Deferred('join', [['a', 'b'], '+']) }}",
        file.display()
    );
    let output = site.command(&["apply", "--site", ".", "-e", &code]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x-3");
    assert!(String::from_utf8_lossy(&output.stdout).contains("defined 'message' as 'a+b'"));
}

/// Runs without a site, as a build server does.
fn plan(site: &Site, code: &str, option: &str) -> Run {
    let mut command = site.command(&["apply", "--site", ".", "-e", code, option, "plan.json"]);
    let output = command.env("CI", "true").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn a_plan_is_applied_once_and_refused_when_anything_has_changed() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let file = site.path().join("f");
    let code = |secret: &str| format!("file {{ '{}': content => Sensitive('{secret}') }}", file.display());
    plan(&site, &code("first secret"), "--plan").expect(0, "");
    assert!(!file.exists());
    let written = std::fs::read_to_string(site.path().join("plan.json")).unwrap();
    assert!(!written.contains("first secret"), "{written}");
    plan(&site, &code("other secret"), "--apply-plan").expect(1, "the plan cannot be applied");
    assert!(!file.exists(), "a changed secret");
    site.write("plan.json", written.replace("\"property\"", "\"propertx\""));
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "plan.json: a change without the string property");
    site.write("plan.json", &written);
    site.write("f", "x");
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "the plan cannot be applied");
    site.remove("f");
    plan(&site, &code("first secret"), "--apply-plan").expect(2, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "first secret");
    plan(&site, &code("first secret"), "--apply-plan").expect(1, "the plan cannot be applied");
}

#[test]
fn hostile_catalogs_are_refused_with_a_reason() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = ["", "{", "[]", "null", "{\"resources\": 3}", "{\"catalog_format\": 99}", &deep];
    for text in cases {
        site.write("catalog.json", text);
        let run = site.run(&["apply", "--catalog", "catalog.json"]).expect(1, "catalog.json");
        assert!(!run.stderr.contains("panicked"), "{run:#?}");
    }
    site.run(&["apply", "--catalog", "none.json"]).expect(1, "none.json");
}
