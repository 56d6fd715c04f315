//! A site with everything that an edit can reach, and random edits of it.

use std::path::Path;
use std::path::PathBuf;

/// Files of a site, each with alternative contents that an edit can write.
pub const SITE: &[(&str, &[&str])] = &[
    (
        "hiera.yaml",
        &[
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: node, path: \"nodes/%{trusted.certname}.yaml\"}\n- {name: os, path: \"os/%{facts.os}.yaml\"}\n- {name: common, path: common.yaml}\n- {name: more, glob: \"more/*.yaml\"}\n",
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: common, path: common.yaml}\n",
            "version: 5\nhierarchy: 7\n",
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: common, path: common.yaml}\n- {name: node, path: \"nodes/%{trusted.certname}.yaml\"}\n- {name: new, paths: [\"more/%{facts.os}.yaml\", more/b.yaml]}\n",
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: os, path: \"os/%{facts.os}.yaml\"}\n- {name: role, path: \"%{role}.yaml\"}\n- {name: all, glob: \"*/*.yaml\"}\n",
            "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: mapped, mapped_paths: [facts.os, x, \"os/%{x}.yaml\"]}\n- {name: common, path: common.yaml}\n",
        ],
    ),
    (
        "environment.conf",
        &[
            "",
            "modulepath = modules:site\n",
            "modulepath = nowhere:modules\nrich_data = false\n",
            "manifest = manifests/site.pp\n",
            "manifest = manifests/site.pp\nconfig_version = /bin/echo 7\n",
            "config_version = /bin/false\n",
            "modulepath = modules\nmanifest = manifests/site.pp\n",
        ],
    ),
    (
        "manifests/site.pp",
        &[
            "node /^web/ {\n  include web\n}\n\nnode 'db1' {\n  include db\n}\n\nnode default {\n  notify { 'default': }\n}\n",
            "$top = 1\nnode /^web/ {\n  include web\n}\nnode 'db1' {\n  include db\n  notify { \"top ${top}\": }\n}\nnode default {\n}\n",
            "node /^web/ { include web\n notify { 'two': } }\nnode 'db1' { include db }\nnode default { include late }\n",
            "node default { include web, db }\n",
            "node 'web1' {\n  include web\n}\nnode /^web/ {\n  include web\n}\nnode 'db1' { include db }\nnode default { }\n",
            "node 'other' { }\nnode /^(web|db)1/ {\n  include web\n}\nnode 'db1', 'web2' { include db }\nnode default { }\n",
            "node 'web' { }\nnode 'web' { }\nnode default { }\n",
            "node default { include web\n",
        ],
    ),
    (
        "manifests/more.pp",
        &["# nothing\n", "class extra {\n  notify { 'extra': }\n}\n", "File { mode => '0600' }\n", "class web { }\n"],
    ),
    (
        "modules/web/manifests/init.pp",
        &[
            "class web(Integer $port = 80, String $text = lookup('text', default_value => 'none')) {\n  file { '/web':\n    content => epp('web/a.epp', { port => $port }),\n  }\n  web::site { 'a': port => $port }\n  web::site { 'b': port => $port }\n  notify { $text: }\n}\n",
            "class web(Integer $port = 81) {\n  include web::sub\n  file { '/web': content => template('web/b.erb') }\n  file { '/static': content => file('web/static.txt') }\n}\n",
            "class web {\n  warning('careful')\n  if defined('late') { include late }\n  notify { web::double(2): }\n}\n",
            "class web {\n  notify { 'a': } notify { 'b': }\n  fail('broken')\n}\n",
            "class web {\n  notify { \"${settings::ca_server} ${facts['uptime']} ${::x}\": }\n  notify { 'more': message => $facts.keys.sort.join(' ') }\n}\n",
            "class web {\n  $static = file('web/static.txt')\n  notify { generate('/bin/cat', \"${module_directory('web')}/files/static.txt\"): message => $static }\n  if $facts['x'] { notify { 'x': require => Notify['y'] } notify { 'y': require => Notify['x'] } }\n}\n",
            "class web {\n  create_resources('notify', lookup('many', Hash, 'deep', {}))\n}\n",
            "class web {\n",
            "class web {\n  web_thing { 'a': size => 1 }\n  include late\n}\n",
        ],
    ),
    (
        "modules/web/manifests/sub.pp",
        &[
            "class web::sub {\n  notify { 'sub': }\n}\n",
            "class web::sub inherits web {\n  notify { \"sub ${facts['os']}\": }\n}\n",
        ],
    ),
    (
        "modules/web/manifests/site.pp",
        &[
            "define web::site(Web::Port $port) {\n  file { \"/site/${title}\": content => String($port) }\n}\n",
            "define web::site(Variant[Integer[8000], Web::Port, Web::Low] $port) {\n  @@notify { \"site ${title}\": }\n  file { \"/site/${title}\": content => String($port), mode => '0644' }\n}\n",
        ],
    ),
    (
        "modules/web/types/port.pp",
        &[
            "type Web::Port = Variant[Web::Low, Integer[81]]\n",
            "type Web::Port = Integer[1, 99]\n",
            "type Web::Port = Variant[Web::Low, Array[Web::Port]]\n",
            "type Web::Port = Variant[Web::Low, Nowhere]\n",
            "type Web::Port = Variant[Web::Low, Web::Site]\nclass web::low { }\n",
            "type Web::Port = Optional[Web::Low]\nclass web::sub(Web::Nowhere $x = 1) { }\n",
            "class web::port { }\n",
        ],
    ),
    (
        "modules/web/types/low.pp",
        &[
            "type Web::Low = Integer[1, 80]\n",
            "type Web::Low = Variant[Integer[1, 79], Array[Web::Port]]\n",
            "# comment\ntype Web::Low = Optional[Enum[low]]\n",
            "type Web::Low =\n",
        ],
    ),
    ("modules/web/manifests/low.pp", &["# nothing\n", "define web::low() { }\n", "class web::low { }\n"]),
    (
        "modules/web/functions/double.pp",
        &[
            "function web::double($x) {\n  String($x * 2)\n}\n",
            "function web::double($x) {\n  # more\n  String($x * 3)\n}\n",
        ],
    ),
    ("modules/web/scripts/functions/double.rhai", &["fn double(x) { `${x}` }\n"]),
    (
        "modules/web/templates/a.epp",
        &[
            "<%- | $port | -%>\nport <%= $port %>\n",
            "<%- | $port | -%>\n<%# comment %>\nPORT <%= $port %> <%= $facts['os'] %>\n",
            "<% if %>",
        ],
    ),
    (
        "modules/web/templates/b.erb",
        &["os <%= @os %>\n", "<%# c %>os <%= scope['facts']['os'] %>\n", "<%= @uptime %> <%= @odd_name %>\n"],
    ),
    ("modules/web/files/static.txt", &["static\n", "other\n"]),
    ("modules/web/data/common.yaml", &["web::port: 8080\n", "web::port: 8081\nweb::other: 1\n", "port: 1\n"]),
    ("modules/web/hiera.yaml", &["version: 5\nhierarchy:\n- {name: common, path: common.yaml}\n"]),
    (
        "modules/db/manifests/init.pp",
        &[
            "class db(Optional[Web::Port] $size = 1) {\n  notify { \"size ${size}\": }\n  Notify <<| |>>\n}\n",
            "# @summary db\n\nclass db($size = 2) {\n  file { '/db': ensure => file, content => \"${size}\" }\n}\n",
        ],
    ),
    ("modules/late/manifests/init.pp", &["class late { notify { 'late': } }\n"]),
    ("site/late/manifests/init.pp", &["class late {\n  notify { 'site late': }\n}\n"]),
    (
        "modules/web/metadata.json",
        &[
            "{\"name\": \"x-web\", \"version\": \"1.0.0\", \"author\": \"x\", \"license\": \"MIT\", \"summary\": \"\", \"source\": \"\", \"dependencies\": []}",
            "{",
            "{\"name\": \"x-web\"}",
            "{\"name\": \"x-web\", \"version\": \"1.0.0\", \"author\": \"x\", \"license\": \"MIT\", \"source\": \"\", \"dependencies\": [{\"name\": \"x/db\"}]}",
        ],
    ),
    ("modules/late/metadata.json", &["{}", "[", "{\"name\": \"x-late\"}", "5"]),
    (
        ".resource_types/web_thing.pp",
        &[
            "Puppet::Resource::ResourceType3.new('web_thing', [], [Puppet::Resource::Param(Any, 'name', true)])\n",
            "Puppet::Resource::ResourceType3.new('web_thing', [], [\n  Puppet::Resource::Param(Any, 'name', true),\n  Puppet::Resource::Param(Any, 'size')])\n",
            "notice(1)\n",
        ],
    ),
    (
        "modules/db/lib/puppet/type/web_thing.rb",
        &["Puppet::Type.newtype(:web_thing) do\n  newparam(:name)\n  newparam(:size)\nend\n"],
    ),
    (
        "data/common.yaml",
        &[
            "text: common\nweb::port: 1\nunused: 1\n",
            "text: common\nweb::port: 1\nunused: 2\n",
            "# comment\ntext: \"%{facts.os} text\"\n",
            "lookup_options:\n  many: {merge: deep}\nmany:\n  one: {message: x}\n  two: {}\n",
            "- a\n",
            "a: [\n",
            "web::port: eighty\n",
        ],
    ),
    ("data/nodes/web1.yaml", &["web::port: 10\n", "text: of web1\nmany: {three: {}}\n"]),
    ("data/os/debian.yaml", &["text: debian\ndb::size: 5\n", "db::size: 6\n"]),
    ("data/more/a.yaml", &["text: more\n"]),
    ("data/more/b.yaml", &["db::size: 9\nweb::port: 99\n"]),
    (
        "nodes/web1.json",
        &[
            "{\"os\": \"debian\"}",
            "{ \"os\": \"arch\" }",
            "{\"uptime\": 7, \"os\": \"debian\"}",
            "{\"os\": \"debian\", \"odd-name\": 1}",
        ],
    ),
    (
        "nodes/web2.json",
        &[
            "{\"os\": \"debian\"}",
            "{\"os\": \"arch\", \"x\": 1}",
            "{\"x\": 1, \"os\": \"arch\", \"uptime\": 7}",
            "{\"os\": \"arch\", \"x\": 1, \"top\": 2, \"a::b\": 1}",
        ],
    ),
    ("nodes/db1.json", &["{\"os\": \"debian\"}"]),
    ("nodes/new1.yaml", &["os: debian\n", "os: [\n"]),
    (
        "enc.rhai",
        &[
            "fn classify(node) { #{ classes: [] } }\n",
            "fn classify(node) { #{ classes: [\"extra\"], parameters: #{ role: node.certname } } }\n",
        ],
    ),
    (
        "catwalk.toml",
        &[
            "nodes = \"nodes\"\n",
            "nodes = \"nodes\"\nenc = \"enc.rhai\"\n",
            "nodes = \"nodes\"\n[puppetdb]\nexported = \"site\"\n",
            "nodes = \"nodes\"\ncycles = \"error\"\n[settings]\nca_server = \"ca\"\n",
            "nodes = \"nodes\"\neyaml = \"placeholder\"\nmanifest = \"manifests/site.pp\"\n[limits]\nresources = 7\n",
            "nodes = \"nodes\"\nenc = \"enc.rhai\"\n[settings]\nruninterval = \"1h\"\nstrict_variables = true\n",
        ],
    ),
];

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit
    }
}

pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Makes a random edit. Returns the changed paths and a description.
pub fn edit(root: &Path, random: &mut Random) -> (Vec<PathBuf>, String) {
    let (name, texts) = SITE[random.below(SITE.len())];
    let path = root.join(name);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    match random.below(12) {
        0 if name != "catwalk.toml" => {
            let _ = std::fs::remove_file(&path);
            (vec![path], format!("rm {name}"))
        }
        1 if name.starts_with("modules/") => {
            let module = root.join("modules").join(name.split('/').nth(1).unwrap());
            let aside = root.join("aside");
            let (from, to) = if aside.exists() { (aside, module) } else { (module, aside) };
            if to.exists() || std::fs::rename(&from, &to).is_err() {
                return (Vec::new(), "no move".to_owned());
            }
            let what = format!("mv {} {}", from.display(), to.display());
            (vec![from, to], what)
        }
        // Lines move, or comments appear.
        2 if name.ends_with(".rhai") && path.exists() => {
            write(&path, &format!("// comment {}\n{known}", random.below(9)));
            (vec![path], format!("comment in {name}"))
        }
        2..5 if name.ends_with(".erb") && path.exists() => {
            let comment = ["<%# comment -%>\n", "<%# comment %>", "<%- # comment -%>\n", "<% # comment %>"];
            write(&path, &format!("{}{known}", comment[random.below(4)]));
            (vec![path], format!("comment in {name}"))
        }
        5..7 if name.starts_with("manifests/") => {
            let path = root.join(format!("manifests/new{}/{}.pp", random.below(2), random.below(3)));
            let texts = [
                "# nothing\n",
                "class extra { notify { 'new extra': } }\n",
                "class other { notify { 'other': } }\ndefine more::of() { }\n",
                "node 'web1' { notify { 'new': } }\n",
                "node 'nobody' { include web }\n",
                "define notice::of() { }\nnotice('top')\n",
                "class web::sub { notify { 'new sub': } }\n",
                "class db1 { }\n",
                "function web::double($x) { 'new' }\n",
            ];
            if path.exists() {
                std::fs::remove_file(&path).unwrap();
                return (vec![path], "rm of a manifest".to_owned());
            }
            let text = texts[random.below(texts.len())];
            write(&path, text);
            let what = format!("new {}: {text}", path.display());
            (vec![path], what)
        }
        2..5 if [".pp", ".yaml", ".toml"].iter().any(|end| name.ends_with(end)) && path.exists() => {
            let mut lines: Vec<&str> = known.lines().collect();
            let at = random.below(lines.len() + 1);
            lines.insert(at, ["# comment", "", "    # more of it"][random.below(3)]);
            write(&path, &format!("{}\n", lines.join("\n")));
            (vec![path], format!("comment in {name} at line {}", at + 1))
        }
        _ => {
            let text = texts[random.below(texts.len())];
            write(&path, text);
            (vec![path], format!("write {name}: {text}"))
        }
    }
}
