//! What an isolated script can cause: no processes, no files outside of the site, no environment, whatever way it takes.

use crate::support::Site;

/// Files of a site whose functions would do what a script may not.
const SITE: &[(&str, &str)] = &[
    ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[scripts]\nisolation = \"process\"\n"),
    ("site.pp", "notice(m::f())"),
    ("nodes/n.json", "{}"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n  - name: ruby\n    lookup_key: m::backend\n",
    ),
    ("data/common.yaml", "colour: green\n"),
    ("modules/m/files/a", "text of a"),
    ("modules/m/templates/a.erb", "two: <%= 1 + 1 %>"),
    ("modules/m/functions/start.pp", "function m::start() { generate('/bin/echo', 'OUT') }"),
    ("modules/m/functions/read.pp", "function m::read($path) { file($path) }"),
    ("modules/m/functions/find.pp", "function m::find($path) { find_file($path) }"),
    ("modules/m/functions/erb.pp", "function m::erb($path) { template($path) }"),
    ("modules/m/functions/inline.pp", "function m::inline($text) { inline_template($text) }"),
    ("modules/m/functions/declare.pp", "function m::declare($text) { m::run { 'x': text => $text } 1 }"),
    ("modules/m/functions/each.pp", "function m::each(Callable &$block) { $block.call('x') }"),
    ("modules/m/manifests/run.pp", "define m::run($text) { notice(generate('/bin/echo', $text)) }"),
    (
        "modules/m/lib/puppet/functions/m/backend.rb",
        "Puppet::Functions.create_function(:'m::backend') do\n  dispatch :go do\n    param 'String', :key\n    param 'Hash', :o\n    param 'Puppet::LookupContext', :c\n  end\n  def go(key, o, c)\n    key == 'out' ? `echo OUT` : c.not_found\n  end\nend\n",
    ),
    (
        "modules/m/lib/puppet/functions/m/ruby.rb",
        "Puppet::Functions.create_function(:'m::ruby') do\n  dispatch :go do\n    param 'String', :what\n  end\n  def go(what)\n    case what\n    when 'read' then File.read('/etc/passwd')\n    when 'start' then `echo OUT`\n    when 'system' then system('echo OUT').to_s\n    when 'env' then \"<#{ENV['PATH']}#{ENV.keys.size}>\"\n    when 'glob' then Dir.glob('/etc/pass*').inspect\n    when 'own' then File.read(__FILE__)[0, 6]\n    end\n  end\nend\n",
    ),
];

/// Bodies of a function `f`, and a part of the error.
const REFUSED: &[(&str, &str)] = &[
    (
        "call_function(\"generate\", \"/bin/echo\", \"OUT\")",
        "error[SCRIPT_NOT_ALLOWED]: an isolated script may not call generate()",
    ),
    ("call_function(\"::Generate\", \"/bin/echo\", \"OUT\")", "may not call"),
    ("call_function(\"file\", \"/etc/passwd\")", "may not call file()"),
    ("call_function(\"binary_file\", \"/etc/passwd\")", "may not call binary_file()"),
    ("call_function(\"template\", \"/etc/passwd\")", "may not call template()"),
    ("call_function(\"inline_epp\", \"<%= generate('/bin/echo') %>\")", "may not call inline_epp()"),
    ("call_function(\"call\", \"generate\", \"/bin/echo\")", "may not call call()"),
    (
        "try { call_function(\"generate\", \"/bin/echo\", \"OUT\") } catch (e) { throw `caught ${e.message}` }",
        "caught an isolated script",
    ),
    ("call_function(\"m::start\")", "an isolated script may not cause"),
    ("call_function(\"with\", 1, |x| call_function(\"m::start\"))", "may not cause"),
    ("call_function(\"m::read\", \"/etc/passwd\")", "/etc/passwd is outside of the site and its modules"),
    ("call_function(\"m::erb\", \"/etc/passwd\")", "/etc/passwd is outside of the site and its modules"),
    ("call_function(\"m::inline\", \"<%= `echo OUT` %>\")", "running 'echo OUT', for an isolated script"),
    ("call_function(\"m::inline\", \"<%= File.read('/etc/passwd') %>\")", "/etc/passwd is outside"),
    ("call_function(\"m::declare\", \"OUT\")", "Working directory /bin does not exist!"),
    ("call_function(\"m::ruby\", \"read\")", "No such file or directory @ rb_sysopen - /etc/passwd"),
    ("call_function(\"m::ruby\", \"start\")", "running 'echo OUT'"),
    ("call_function(\"m::ruby\", \"system\")", "running 'echo OUT'"),
    ("call_function(\"m::ruby\", \"env\")", "reading environment variables"),
    ("lookup(\"out\")", "running 'echo OUT'"),
];

/// Bodies that are allowed, and their results.
const ALLOWED: &[(&str, &str)] = &[
    ("call_function(\"upcase\", \"a\")", "A"),
    ("call_function(\"with\", 1, |x| call_function(\"md5\", \"a\"))", "0cc175b9c0f1b6a831c399e269772661"),
    ("lookup(\"colour\")", "green"),
    ("call_function(\"m::read\", \"m/a\")", "text of a"),
    ("call_function(\"m::erb\", \"m/a.erb\")", "two: 2"),
    ("call_function(\"m::ruby\", \"own\")", "Puppet"),
    ("call_function(\"m::ruby\", \"glob\")", "[]"),
    ("`<${call_function(\"m::find\", \"/etc/passwd\")}>`", "<>"),
    ("debug(\"x\"); debug(3); \"logged\"", "logged"),
];

#[test]
fn an_isolated_script_cannot_act_outside_of_the_site() {
    let site = Site::new(SITE);
    let mut wrong = Vec::new();
    for (body, expected) in REFUSED {
        site.write("modules/m/scripts/functions/f.rhai", format!("fn f() {{ {body} }}"));
        let run = site.run(&["compile", "n", "-o", "out/"]);
        if run.code != Some(1) || !run.stderr.contains(expected) || run.stderr.contains(": OUT") {
            wrong.push(format!("{body}: wanted {expected}: {run:#?}"));
        }
    }
    for (body, expected) in ALLOWED {
        site.write("modules/m/scripts/functions/f.rhai", format!("fn f() {{ {body} }}"));
        let run = site.run(&["compile", "n", "-o", "out/"]);
        if run.code != Some(0) || !run.stderr.contains(&format!("Scope(Class[main]): {expected}")) {
            wrong.push(format!("{body}: wanted {expected}: {run:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What manifests do by themselves is not limited.
    site.write("modules/m/scripts/functions/f.rhai", "fn f() { 1 }");
    site.write("site.pp", "notice(m::f(), generate('/bin/echo', 'OUT'))");
    let run = site.run(&["compile", "n", "-o", "out/"]).expect(0, "");
    assert!(run.stderr.contains("1 OUT"), "{run:?}");
}

#[test]
#[cfg(unix)]
fn links_out_of_the_site_are_not_followed() {
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("f.rhai"), "fn f() { \"from outside\" }").unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let link = |target: &str, site: &Site, from: &str| {
        let from = site.path().join(from);
        std::fs::create_dir_all(from.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&from);
        std::os::unix::fs::symlink(outside.path().join(target), from).unwrap();
    };
    for isolation in ["none", "process"] {
        let toml = format!("nodes = \"nodes\"\nmanifest = \"site.pp\"\n[scripts]\nisolation = \"{isolation}\"\n");
        let site = Site::new(&[
            ("catwalk.toml", &toml),
            ("site.pp", "notice(m::f())"),
            ("nodes/n.json", "{}"),
            ("modules/m/manifests/init.pp", "class m { }"),
            ("scripts/policies/README", ""),
        ]);
        let refused = |what: &str, options: &[&str]| {
            let run = site.run(&[&["compile", "n", "-o", "out/"], options].concat());
            let says = run.stderr.contains("leads to") && run.stderr.contains("which is outside of the site");
            assert!(run.code == Some(1) && says, "{isolation} {what}: {run:#?}");
            if matches!(what, "function" | "import") {
                let run = site.run(&["script", "check"]);
                let says = format!("{}{}", run.stdout, run.stderr).contains("which is outside of the site");
                assert!(run.code == Some(1) && says, "check {what}: {run:#?}");
            }
        };
        // A function; the same below a module that is a link itself, which is a module as any other.
        link("f.rhai", &site, "modules/m/scripts/functions/f.rhai");
        refused("function", &[]);
        site.remove("modules/m/scripts/functions/f.rhai");
        site.write("modules/m/scripts/functions/f.rhai", "import \"l\" as l; fn f() { l::f() }");
        link("f.rhai", &site, "modules/m/scripts/lib/l.rhai");
        refused("import", &[]);
        site.remove("modules/m/scripts/lib/l.rhai");
        site.write("modules/m/scripts/functions/f.rhai", "fn f() { lookup(\"k\") }");
        site.write("hiera.yaml", "version: 5\nhierarchy:\n  - name: b\n    data_hash: m::b\n    path: x\n");
        site.write("modules/m/scripts/hiera/b.rhai", "fn data_hash(o, c) { #{ k: c.cached_file_data(o.path) } }");
        link("secret", &site, "data/x");
        refused("data", &[]);
        site.remove("hiera.yaml");
        site.write("modules/m/scripts/functions/f.rhai", "fn f() { 1 }");
        link("f.rhai", &site, "scripts/policies/p.rhai");
        refused("policy", &[]);
        site.remove("scripts/policies/p.rhai");
        link("f.rhai", &site, "scripts/enc.rhai");
        refused("classifier", &["--enc", "scripts/enc.rhai"]);
        // A module may be a link: its files are its own.
        let module = outside.path().join("own-module/scripts/functions");
        std::fs::create_dir_all(&module).unwrap();
        std::fs::write(module.join("g.rhai"), "fn g() { \"own\" }").unwrap();
        link("own-module", &site, "modules/own");
        site.write("site.pp", "notice(own::g())");
        let run = site.run(&["compile", "n", "-o", "out/"]).expect(0, "");
        assert!(run.stderr.contains(": own"), "{run:?}");
    }
}
