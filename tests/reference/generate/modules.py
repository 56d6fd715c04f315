"""Modules as people write them: parameters from data and facts, install, config and service, templates, own types and functions,
defined types with hashes of settings, profiles that put them together. Nearly all compile; what is random is how they say it.
"""

import json

from .tree import n, seq

SETTINGS = ["port", "listen", "workers", "log level", "log_dir", "user", "Max-Size", "ssl.enabled", "timeout", "tags"]
PARAMETERS = [
    # (name, types, defaults, values as JSON for data)
    ("package_name", ["String", "String[1]", "Variant[String, Array[String]]", "App::Names"], ["'app'", "$app::params::package", "\"app-${facts['os']['family'].downcase}\"", "lookup('k')"], ["app-server", "app"]),
    ("ensure", ["String", "Enum['present', 'absent']", "App::Ensure", "Variant[Enum['present', 'absent', 'latest'], Pattern[/^\\d/]]"], ["'present'", "present"], ["present", "absent"]),
    ("port", ["Integer", "Integer[1, 65535]", "App::Port", "Variant[Integer, String]"], ["8080", "80", "0 + 443"], [8081, 443]),
    ("manage_service", ["Boolean"], ["true", "false", "$facts['kernel'] == 'Linux'", "!$facts['is_virtual']"], [True, False]),
    ("config_dir", ["String", "App::Path", "Pattern[/^\\//]", "Optional[String]"], ["'/etc/app'", "\"/etc/${module_name}\"", "$app::params::config_dir", "if $facts['os']['family'] == 'Debian' { '/etc/app' } else { '/usr/local/etc/app' }"], ["/srv/app", "/etc/app2"]),
    ("settings", ["Hash", "Hash[String, Any]", "Hash[String[1], App::Value]", "Hash[String, Variant[String, Integer, Boolean, Array, Undef]]"], ["{}", "{ 'listen' => '*' }", "lookup('hash')"], [{"listen": "0.0.0.0", "workers": 4}, {}]),
    ("instances", ["Hash", "Hash[String, Hash]", "Hash[String[1], Struct[{port => Optional[Integer], Optional[options] => Hash, Optional[ensure] => String}]]"], ["{}", "{ 'one' => { 'port' => 1 } }"], [{"a": {"port": 9001}, "b": {"port": 9002, "options": {"x": "y"}}}, {}]),
    ("password", ["Sensitive", "Sensitive[String]", "Variant[String, Sensitive[String]]", "Optional[Sensitive]"], ["Sensitive('secret')", "Sensitive(\"p${1 + 1}\")"], []),
    ("plugins", ["Array", "Array[String]", "Array[String[1], 0, 5]", "Optional[Array]"], ["[]", "['a', 'b']", "lookup('uniq')", "['x'] + ['y', 'x']"], [["p1", "p2"], []]),
    ("version", ["Optional[String]", "Optional[Pattern[/^\\d+\\.\\d+$/]]", "Any"], ["undef", "'1.2'"], ["2.0", "1.10"]),
]
TYPES = {"Names": "Variant[String[1], Array[String[1], 1]]", "Ensure": "Enum['present', 'absent', 'latest']", "Port": "Integer[0, 65535]", "Path": "Pattern[/\\A\\/([^\\n\\/\\0]+\\/*)*\\z/]", "Value": "Variant[Scalar, Undef, Array[App::Value], Hash[String, App::Value]]"}


class Modules:
    """A mixin of Generator."""

    def module(self):
        rng = self.rng
        self.module_files = files = {}
        self.needs_stdlib = rng.random() < 0.5
        self.module_classes = []
        self.chosen = sorted(rng.sample(range(len(PARAMETERS)), rng.randint(3, 8)))
        names = [PARAMETERS[at][0] for at in self.chosen]
        self.has = set(names)
        self.style = rng.choice(["params", "data", "plain"])
        for name, text in TYPES.items():
            files[f"modules/app/types/{name.lower()}.pp"] = n("code", f"type App::{name} = {text}\n")
        files["modules/app/metadata.json"] = n("code", json.dumps({"name": "x-app", "version": "1.2.3", "author": "x", "summary": "", "license": "", "source": "", "dependencies": []}) + "\n")
        if self.style == "params":
            files["modules/app/manifests/params.pp"] = n("code", self.params())
        if self.style == "data":
            files["modules/app/hiera.yaml"] = n("code", "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - {name: os, path: \"os/%{facts.os.family}.yaml\"}\n  - {name: common, path: common.yaml}\n")
            files["modules/app/data/common.yaml"] = n("code", json.dumps(self.data(0.8)) + "\n")
            files["modules/app/data/os/Debian.yaml"] = n("code", json.dumps(self.data(0.3)) + "\n")
        files["modules/app/manifests/init.pp"] = n("code", self.init())
        for part in ("install", "config", "service"):
            files[f"modules/app/manifests/{part}.pp"] = n("code", getattr(self, part + "_class")())
        files["modules/app/manifests/instance.pp"] = n("code", self.instance_())
        files["modules/app/functions/render.pp"] = n("code", self.render())
        files["modules/app/templates/app.conf.epp"] = n("code", self.epp())
        files["modules/app/templates/app.conf.erb"] = n("code", self.erb())
        site = {f"app::{name}": value for name, value in ((PARAMETERS[at][0], self.datum(at)) for at in self.chosen if rng.random() < 0.35) if value is not None}
        if rng.random() < 0.4:
            site["lookup_options"] = {f"app::{name}": {"merge": rng.choice(["first", "hash", "deep", {"strategy": "deep", "knockout_prefix": "--"}])} for name in ("settings", "instances") if f"app::{name}" in site and rng.random() < 0.8}
            if rng.random() < 0.3:
                site["lookup_options"]["^app::.*port$"] = {"convert_to": rng.choice(["Integer", ["Integer", 10]])}
        if site:
            files["data/site.yaml"] = n("code", json.dumps(site) + "\n")
        if rng.random() < 0.5:
            files["modules/profile/manifests/base.pp"] = n("code", self.profile())
            self.module_classes.append("profile::base")
        statements = self.main()
        out = [n("file", f"##file: {path}\n", tree, "" if tree.text().endswith("\n") else "\n") for path, tree in files.items()]
        return n("code", seq(statements, "\n"), "\n", seq(out, ""))

    def datum(self, at):
        values = PARAMETERS[at][3]
        return self.rng.choice(values) if values else None

    def data(self, chance):
        found = {f"app::{PARAMETERS[at][0]}": self.datum(at) for at in self.chosen if self.rng.random() < chance}
        found = {key: value for key, value in found.items() if value is not None}
        if self.rng.random() < 0.5:
            found["lookup_options"] = {"app::settings": {"merge": self.rng.choice(["hash", "deep"])}, "app::plugins": {"merge": "unique"}}
        return found

    def params(self):
        rng = self.rng
        case = rng.choice([
            "case $facts['os']['family'] {\n    'RedHat', 'Suse': {\n      $package = 'app-rh'\n      $config_dir = '/etc/sysconfig/app'\n    }\n    'Debian': {\n      $package = 'app'\n      $config_dir = '/etc/app'\n    }\n    default: {\n      fail(\"Unsupported osfamily: ${facts['os']['family']}\")\n    }\n  }",
            "case $::osfamily {\n    /(?i:debian|ubuntu)/: { $package = \"app-${::osfamily}\" }\n    default: { $package = 'other' }\n  }\n  $config_dir = $::operatingsystem ? { /^(Debian|Ubuntu)$/ => \"/etc/${1}\", default => '/etc/none' }",
            "$package = $facts['os']['name'] ? {\n    'Debian' => 'app-deb',\n    default  => 'app',\n  }\n  if versioncmp($facts['os']['release']['major'], '10') >= 0 {\n    $config_dir = '/etc/app-new'\n  } elsif $facts['os']['release']['major'] =~ /^\\d$/ {\n    $config_dir = '/etc/app-old'\n  } else {\n    $config_dir = undef\n  }",
            "$_map = { 'Debian' => { 'package' => 'app', 'dir' => '/etc/app' }, 'RedHat' => { 'package' => 'app-rh', 'dir' => '/etc/rh' } }\n  $package = $_map[$facts['os']['family']]['package']\n  $config_dir = dig($_map, $facts['os']['family'], 'dir')",
            "[$package, $config_dir] = ['app', '/etc/app']\n  $defaults = { owner => 'root', 'mode' => '0644' } + { 'group' => 0 }",
        ])
        return f"# Defaults by platform.\nclass app::params {{\n  {case}\n}}\n"

    def init(self):
        rng = self.rng
        items = []
        for at in self.chosen:
            name, types, defaults, _ = PARAMETERS[at]
            usable = [text for text in defaults if self.style == "params" or "params::" not in text]
            default = rng.choice(usable)
            if self.style == "data" and "params::" not in default and rng.random() < 0.3:
                # The value of the parameter comes from data, or is missing.
                if any(f'"app::{name}"' in self.module_files[file].text() for file in ("modules/app/data/common.yaml", "modules/app/data/os/Debian.yaml")):
                    items.append(n("member", rng.choice(types), " $", name))
                    continue
            items.append(n("member", rng.choice(types), rng.choice([" $", "  $"]), name, n("tail", rng.choice([" = ", " = ", "     = "]), default)))
        inherits = " inherits app::params" if self.style == "params" else ""
        order = rng.choice([
            "contain app::install\n  contain app::config\n  contain app::service\n\n  Class['app::install']\n  -> Class['app::config']\n  ~> Class['app::service']",
            "contain 'app::install', 'app::config', 'app::service'\n  Class['app::install'] -> Class['app::config'] ~> Class['app::service']",
            "include app::install, app::config, app::service\n  Class['::app::install'] -> Class['::app::config'] ~> Class['::app::service'] -> Anchor_end['x']" if False else "include app::install\n  include app::config\n  include app::service",
            "class { 'app::install': }\n  -> class { 'app::config': }\n  ~> class { 'app::service': }",
            "class { 'app::install': } -> class { 'app::config': } ~> class { 'app::service': } -> Class['app']" if rng.random() < 0.05 else "require app::install\n  contain app::config\n  contain app::service\n  Class['app::config'] ~> Class['app::service']",
            "['install', 'config', 'service'].each |String $part| {\n    contain \"app::${part}\"\n  }",
        ])
        extra = []
        if "instances" in self.has:
            extra.append(rng.choice([
                "$instances.each |$name, $config| {\n    app::instance { $name:\n      * => $config,\n    }\n  }", "create_resources('app::instance', $instances)", "create_resources(app::instance, $instances, { 'ensure' => 'present' })",
                "$instances.each |String $title, Hash $values| {\n    app::instance {\n      default: port => 99;\n      $title: * => $values - 'ensure';\n    }\n  }", "$instances.filter |$k, $v| { $v['port'] > 1 }.each |$k, $v| { app::instance { \"f-${k}\": port => $v['port'] } }",
                "$instances.reduce([]) |$memo, $pair| { $memo + [$pair[0]] }.each |$t| { app::instance { $t: } }"]))
        if "settings" in self.has:
            extra.append(rng.choice(["$merged = { 'listen' => 'lo', 'user' => 'app' } + $settings", "$merged = merge({ 'a' => 1 }, $settings)" if self.needs_stdlib else "$merged = $settings", "$merged = deep_merge({ 'a' => { 'b' => 1 } }, $settings)" if self.needs_stdlib else "$merged = $settings.map |$k, $v| { [$k.upcase, $v] }.Hash",
                                     "$merged = $settings.filter |$k, $v| { $v =~ NotUndef }", "$merged = Hash($settings.map |$k, $v| { [\"app_${k}\", $v] })"]))
        else:
            extra.append("$merged = { 'listen' => $facts['networking']['ip'], 'workers' => $facts['processorcount'] * 2, 'tags' => ['a', 'b'], 'none' => undef }")
        if rng.random() < 0.3:
            extra.append(rng.choice(["if $facts['nope'] { notify { 'never': } }", "unless $facts['os']['family'] in ['Debian', 'RedHat'] { fail(\"${module_name} does not support ${facts['os']['family']}\") }", "notice(\"${title} on ${trusted['certname']}\")", "$unused = $facts.dig('os', 'release', 'major') ? { /^(\\d+)/ => Integer($1), default => 0 }\n  notice($unused)", "if $title != 'app' { warning('odd') }"]))
        rng.shuffle(extra)
        if rng.random() < 0.5:
            extra.append(order)
        else:
            extra.insert(rng.randint(0, len(extra)), order)
        # The variables that config reads must be set before config is evaluated.
        extra.sort(key=lambda text: 0 if text.startswith("$merged") else 1)
        return n("statement", "# @summary The application.\n", f"class app (\n  ", seq(items, ",\n  "), rng.choice([",\n)", "\n)"]), inherits, " {\n  ", seq(extra, "\n\n  "), "\n}\n")

    def install_class(self):
        rng = self.rng
        name = "$app::package_name" if "package_name" in self.has else "'app'"
        ensure = "$app::ensure" if "ensure" in self.has else "installed"
        body = rng.choice([
            f"package {{ {name}:\n    ensure => {ensure},\n  }}", f"ensure_packages([{name}].flatten, {{ 'ensure' => {ensure} }})" if self.needs_stdlib else f"package {{ {name}: ensure => {ensure}, tag => 'app-pkg' }}", f"$names = [{name}].flatten\n  $names.each |$p| {{ package {{ $p: ensure => {ensure} }} }}",
            f"package {{ 'app':\n    ensure => {ensure},\n    name   => [{name}].flatten[0],\n    alias  => 'the-app',\n  }}", f"if {ensure} != absent {{\n    package {{ {name}: ensure => {ensure} }}\n  }} else {{\n    notify {{ 'removed': }}\n  }}",
            f"@package {{ {name}: ensure => {ensure}, tag => ['app', 'x'] }}\n  Package <| tag == 'app' |>", f"$v = $app::version ? {{ undef => {ensure}, default => $app::version }}\n  package {{ {name}: ensure => $v }}" if "version" in self.has else f"package {{ {name}: * => {{ 'ensure' => {ensure} }} }}"])
        if self.needs_stdlib and rng.random() < 0.25:
            body = "assert_private()\n  " + body
        if "plugins" in self.has:
            body += rng.choice(["\n  $app::plugins.each |$i, $p| { package { \"plugin-${p}\": ensure => present, require => Notify['before'] } }\n  notify { 'before': }", "\n  $app::plugins.unique.each |$p| { exec { \"install ${p}\": command => \"/usr/bin/app plugin ${p}\", unless => \"/usr/bin/app list | grep -q '^${p}$'\", path => ['/bin', '/usr/bin'] } }",
                                "\n  unless $app::plugins.empty { notify { 'plugins': message => $app::plugins.unique.join(', ') } }", "\n  $list = $app::plugins.map |$p| { \"app-${p}\" }\n  notify { $list: }"])
        return n("statement", "class app::install {\n  ", body, "\n}\n")

    def config_class(self):
        rng = self.rng
        directory = "$app::config_dir" if "config_dir" in self.has else "'/etc/app'"
        parameters = rng.choice(["", "", "", "(String $mode = '0644')", "($owner = 'root', $group = $owner)"])
        file_mode = "$mode" if "$mode" in parameters else "'0640'"
        content = rng.choice([
            "epp('app/app.conf.epp', { 'settings' => $app::merged })", "epp(\"${module_name}/app.conf.epp\", { settings => $app::merged, title => 'T' })", "template('app/app.conf.erb')", "template(\"${module_name}/app.conf.erb\")", "app::render($app::merged)", "$app::merged.app::render",
            "@(\"END\")\n      # ${title}\n      merged = ${app::merged}\n      ip = ${facts['networking']['ip']}\n      | END\n      ", "inline_epp(@(END), { s => $app::merged })\n      <%- | $s | -%>\n      <% $s.each |$k, $v| { -%>\n      <%= $k %>=<%= $v %>\n      <% } -%>\n      | END\n      ", "inline_template(\"<%= scope['app::merged'].keys.sort.join(' ') %>\")",
            "\"${app::merged['listen']}:${app::merged['workers']}\\n\"", "$app::merged.map |$k, $v| { \"${k} = ${v}\" }.join(\"\\n\")", "Sensitive(epp('app/app.conf.epp', { 'settings' => {} }))", "join([epp('app/app.conf.epp', { 'settings' => $app::merged }), \"\\n\"], '')", "file('app/static.conf')" if rng.random() < 0.15 else "String($app::merged, { Hash => { format => '%h', separator => '; ' } })"])
        head = rng.choice([
            f"file {{ {directory}:\n    ensure => directory,\n  }}", f"file {{ {directory}:\n    ensure  => directory,\n    mode    => '0755',\n    recurse => true,\n    purge   => true,\n  }}", f"File {{\n    owner => 'root',\n    group => 'root',\n  }}\n\n  file {{ {directory}: ensure => directory }}",
            f"$dirs = [{directory}, \"${{{directory.strip('$')}}}/conf.d\"]\n  file {{ $dirs: ensure => directory, mode => '0750' }}" if directory.startswith("$") else "file { ['/etc/app', '/etc/app/conf.d']: ensure => directory }"])
        path = f"\"${{{directory.strip('$')}}}/app.conf\"" if directory.startswith("$") else "'/etc/app/app.conf'"
        file = rng.choice([
            f"file {{ {path}:\n    ensure  => file,\n    content => {content},\n    mode    => {file_mode},\n  }}", f"file {{ 'app.conf':\n    path    => {path},\n    content => {content},\n    require => File[{directory}],\n  }}", f"file {{\n    default: mode => {file_mode}, owner => app;\n    {path}: content => {content};\n    '/etc/default/app': content => \"OPTS='-v'\\n\", mode => '0600';\n  }}",
            f"$body = {content}\n  file {{ {path}: * => {{ ensure => file, content => $body }} }}"])
        if "password" in self.has:
            file += rng.choice(["\n  file { '/etc/app.secret': content => $app::password, show_diff => false }", "\n  $secret = $app::password ? { Sensitive => $app::password.unwrap, default => $app::password }\n  notify { 'len': message => size($secret) }", "\n  file { '/etc/app.secret': content => Sensitive(\"pw=${app::password}\\n\") }", "\n  exec { 'login': command => Sensitive(\"/bin/login ${app::password}\"), refreshonly => true, subscribe => File['/etc/hosts2'] }\n  file { '/etc/hosts2': }"])
        if "port" in self.has:
            file += rng.choice(["", "\n  notify { \"port ${app::port}\": }", "\n  if $app::port < 1024 { notify { 'privileged': } } else { notify { 'plain': message => $app::port } }", "\n  $url = \"http://${facts['networking']['fqdn']}:${app::port}/\"\n  notify { 'url': message => $url }"])
        return n("statement", f"class app::config {parameters}{' ' if parameters else ''}{{\n  ", head, "\n\n  ", file, "\n}\n")

    def service_class(self):
        rng = self.rng
        body = rng.choice([
            "service { 'app':\n    ensure => running,\n    enable => true,\n  }", "service { 'app':\n    ensure     => $ensure ? { 'absent' => stopped, default => running },\n    hasrestart => true,\n  }" if False else "service { 'app': ensure => true, enable => true, hasstatus => true, provider => systemd }",
            "service { 'app': * => { ensure => 'running', 'enable' => true } }\n  Service['app'] { restart => '/bin/restart' }", "exec { 'reload': command => '/bin/systemctl reload app', refreshonly => true }\n  ~> service { 'app': ensure => running }", "$names = ['app', 'app-worker']\n  service { $names: ensure => running }\n  Service['app'] -> Service['app-worker']"])
        if "manage_service" in self.has:
            body = rng.choice(["if $app::manage_service {\n    BODY\n  }", "if ! $app::manage_service {\n    notify { 'no service': }\n  } else {\n    BODY\n  }", "unless !$app::manage_service {\n    BODY\n  }"]).replace("BODY", body)
        return n("statement", "class app::service {\n  ", body, "\n}\n")

    def instance_(self):
        rng = self.rng
        name = rng.choice(["$title", "$name"])
        port = rng.choice(["Optional[Integer] $port = undef", "$port = 80", "Variant[Undef, App::Port] $port = undef", "Integer $port = 7"])
        bodies = [
            f"file {{ \"/etc/app/${{{name[1:]}}}.conf\":\n    ensure  => $ensure,\n    content => \"port=${{port}}\\n\",\n    tag     => 'app-instance',\n  }}", "$options.each |$key, $value| {\n    notify { \"${title} ${key}\": message => $value }\n  }", "notify { \"instance ${title}\": message => [$port, $ensure, $options], require => Class['app'] }",
            "$_port = $port ? { undef => 0, Integer[1, 1024] => $port + 1, default => $port }\n  notify { \"p-${title}\": message => $_port }", "include app\n  notify { \"inc-${name}\": tag => [$title, \"t-${name}\"] }", f"if $port {{ exec {{ \"check {name}\": command => \"/bin/check ${{port}}\", onlyif => ['/bin/a', '/bin/b'], require => File['/tmp/lock'] }}\n    if !defined(File['/tmp/lock']) {{ file {{ '/tmp/lock': }} }} }}",
            "$safe = regsubst($title, '[^a-z0-9]+', '_', 'G')\n  notify { \"safe-${safe}\": }\n  notice(\"${caller_module_name} ${module_name}\")", "notify { \"erb-${title}\": message => inline_template('<%= @title %>:<%= @port.inspect %><% @options.each do |k, v| -%> <%= k %>=<%= v %><% end -%>') }",
            "concat_free { $title: }" if False else "app::render($options).split(\"\\n\").each |$i, $line| { notify { \"l${i}-${title}\": message => $line } }", "@@notify { \"exp-${title}\": tag => \"app-${facts['kernel']}\" }\n  Notify <<| tag == 'nothing' |>>", "Notify { tag => \"d-${title}\" }\n  notify { \"n-${title}\": }"]
        chosen = rng.sample(bodies, rng.randint(1, 3))
        return n("statement", "# @param port Where it listens.\ndefine app::instance (\n  ", port, ",\n  String $ensure = 'present',\n  Hash $options = {},\n) {\n  ", seq(chosen, "\n  "), "\n}\n")

    def render(self):
        rng = self.rng
        return n("statement", "# Lines of settings.\nfunction app::render(", rng.choice(["Hash $settings", "Hash[String, Any] $settings", "$settings"]), rng.choice([", String $separator = '='", ""]), ") ", rng.choice([">> String ", "", ">> Any "]), "{\n  ", rng.choice([
            "$settings.map |$key, $value| {\n    $shown = $value ? { Boolean => String($value, '%y'), Array => $value.join(','), Undef => 'none', Hash => app::render($value), default => $value }\n    \"${key}=${shown}\"\n  }.join(\"\\n\")", "$lines = $settings.filter |$k, $v| { $v =~ NotUndef }.map |$k, $v| { sprintf('%-10s %s', $k, $v) }\n  join($lines, \"\\n\")", "if $settings.empty { return('') }\n  $settings.keys.sort.reduce('') |$memo, $k| { \"${memo}${k}: ${settings[$k]}\\n\" }",
            "$settings.reduce('') |String $text, Array $pair| {\n    [$k, $v] = $pair\n    case $v {\n      Undef: { $text }\n      Sensitive: { \"${text}${k}=hidden;\" }\n      Array, Hash: { \"${text}${k}=${v.size};\" }\n      default: { \"${text}${k}=${v};\" }\n    }\n  }", "epp('app/app.conf.epp', { 'settings' => $settings })", "$settings.map |$pair| { \"${pair[0]}\" }.sort |$a, $b| { compare($b, $a) }.join(' ')"]), "\n}\n")

    def epp(self):
        rng = self.rng
        head = rng.choice(["<%- | Hash $settings = {}, Optional[String] $title = undef | -%>\n", "<%- | $settings, $title = 'none' | -%>\n", "<%-|\n  Hash $settings,\n  $title = undef,\n|-%>\n"])
        return n("code", head, seq(rng.sample([
            "# Managed by Puppet on <%= $facts['networking']['fqdn'] %>\n", "<% $settings.each |$key, $value| { -%>\n<%= $key %> = <%= $value %>\n<% } -%>\n", "<%- $settings.keys.sort.each |$k| { -%>\n  <%= $k.downcase %>:<%= $settings[$k] ? { Array => $settings[$k].join(' '), default => $settings[$k] } %>\n<%- } -%>\n", "<% if $title { -%>\ntitle <%= $title %>\n<% } else { -%>\nuntitled\n<% } -%>\n", "<%# a comment -%>\nname=<%= $trusted['certname'] %>\n",
            "<% unless $settings.empty { %>some<% } %>\n", "<%% literal %%>\n", "\n\n", "<%= $settings.map |$k, $v| { \"${k}\" }.join(', ') -%>\n", "<%= inline_epp('<%%= $x %%>', {x => 1}) %>\n" if False else "<% $n = size($settings) -%>\ncount <%= $n * 2 %>\n"], rng.randint(2, 5)), ""))

    def erb(self):
        rng = self.rng
        return n("code", seq(rng.sample([
            "# <%= @fqdn %> <%= scope['facts']['os']['name'] %>\n", "<% scope['app::merged'].each do |key, value| -%>\n<%= key %> = <%= value %>\n<% end -%>\n", "<%- scope.lookupvar('app::merged').sort_by { |k, _| k }.each do |k, v| -%>\n<%= \"%-12s\" % k %><%= v.is_a?(Array) ? v.join(',') : v %>\n<%- end -%>\n", "<% if @is_virtual -%>\nvirtual\n<% elsif scope['::processorcount'].to_i > 2 -%>\nmany\n<% else -%>\nfew\n<% end -%>\n",
            "<%= @networking['interfaces'].keys.sort.join(' ') %>\n", "<%# comment %>\nup=<%= @hostname.upcase %>\n", "<%= [1, 2, 3].map { |i| i * @processorcount.to_i }.inspect %>\n", "<% (@list || []).each_with_index do |item, i| %><%= i %>:<%= item %> <% end %>\n", "<%= @nope.nil? ? 'unset' : @nope %>\n", "<%= scope.function_upcase(['x']) %>\n" if False else "<%= scope.call_function('upcase', ['x']) %>\n", "<% unless scope['app::nope'] -%>\nno\n<% end -%>\n", "<%= scope['app::merged'].to_a.flatten.compact.map(&:to_s).uniq.first(3).join('|') %>\n"], rng.randint(2, 5)), ""))

    def profile(self):
        rng = self.rng
        return n("statement", "class profile::base (", rng.choice(["", "$x = lookup('k', String, 'first', 'dflt')", "Hash $users = { 'u1' => { 'uid' => 1001, 'groups' => ['adm'] }, 'u2' => {} }"]), ") {\n  ", seq(rng.sample([
            "include app", "contain app", "if defined('$users') { notice('users') }", "user { 'deploy': ensure => present, uid => 2000, groups => ['a', 'b'] }\n  User <| title == 'deploy' |> { groups +> 'c' }", "$facts['networking']['interfaces'].each |$name, $values| { notify { \"if ${name}\": message => $values['ip'] } }", "file { '/etc/motd': content => @(\"MOTD\"/L) }\n    Welcome to ${facts['networking']['fqdn']}, \\\n    running ${facts['os']['name']} ${facts['os']['release']['full']}\n    | MOTD\n",
            "Package <| |> { tag +> 'collected' }", "Service <| title == 'app' |> { enable => false }", "File <| mode == '0640' or title == 'app.conf' |> { owner => 'collected' }", "App::Instance <| |> -> notify { 'after instances': }", "Class['app'] -> notify { 'after app': }\n  include app", "realize(User['virt'])\n  @user { 'virt': }",
            "lookup('list', Array, 'unique').flatten.each |$i| { notify { \"item ${i}\": } }", "$kernel_files = { '/etc/k1' => { content => 'a' }, '/etc/k2' => { content => 'b', mode => '0600' } }\n  create_resources(file, $kernel_files, { owner => root, ensure => file })", "notify { 'deferred': message => Deferred('join', [['a', 'b'], '-']) }", "schedule { 'night': range => '2 - 4', period => daily }\n  exec { '/bin/nightly': schedule => 'night' }", "tag 'profile', 'base'\n  notify { 'tagged': message => tagged('profile') }", "stage { 'first': before => Stage['main'] }\n  class { 'profile::early': stage => first }\n" if False else "notify { 'st': stage => undef }" if False else "notify { 'plain': }"], rng.randint(2, 5)), "\n  "), "\n}\n")

    def main(self):
        rng = self.rng
        overrides = [(PARAMETERS[at][0], self.override_value(at)) for at in self.chosen if rng.random() < 0.4]
        if rng.random() < 0.5:
            items = [n("attribute", name, " => ", value) for name, value in overrides]
            app = n("statement", "class { 'app':\n  ", seq(items, ",\n  "), "\n}")
        else:
            app = n("statement", rng.choice(["include app", "include 'app'", "include ::app", "contain app", "lookup('nope', Array[String], 'unique', ['app']).include"]))
        statements = [app]
        statements += [n("statement", "include ", name) for name in self.module_classes]
        for _ in range(rng.choice([0, 1, 1, 2])):
            statements.append(n("statement", rng.choice([
                "app::instance { 'main one': port => 1234, options => { 'a' => 'b', 'c' => [1, 2] } }", "App::Instance { ensure => 'absent' }\napp::instance { ['m1', 'm2']: }", "app::instance { 'late': require => Class['app'] } -> notify { 'done': }", "Package <| tag == 'app-pkg' |> -> File <| |>", "File <| |> { backup => false }", "notify { 'rendered': message => app::render({ 'x' => true, 'y' => [1, 2], 'z' => undef }) }",
                "$app::merged.each |$k, $v| { notice(\"${k} is ${v}\") }", "if $app::port { notice($app::port) }", "notice(epp('app/app.conf.epp', { settings => { 'q' => 'r' } }))", "Class['app'] -> Notify['end']\nnotify { 'end': }", "Service['app'] -> Notify['end2']\nnotify { 'end2': }", "@app::instance { 'v1': }\nApp::Instance <| title == 'v1' |> { port => 5, ensure => 'file' }", "realize(App::Instance['v2'])\n@app::instance { 'v2': options => { k => v } }",
                "resources { 'host': purge => true }", "notice(\"${app::merged['listen']}\")", "$facts['list'].each |$l| { app::instance { \"l-${l}\": port => 3 } }", "app::instance { 'typed': port => 'text' }" if rng.random() < 0.2 else "notice(type($app::merged))", "include app::params" if self.style == "params" else "notice(defined('app::params'))", "notify { 'x': message => $app::config::title }"])))
        if rng.random() < 0.25:
            rng.shuffle(statements)
        if rng.random() < 0.3:
            return [n("statement", rng.choice(["node default", "node /^web\\d+/", "node 'web1.example.com'"]), " {\n  ", seq(statements, "\n  "), "\n}")]
        return statements

    def override_value(self, at):
        name, _, defaults, values = PARAMETERS[at]
        if values and self.rng.random() < 0.6:
            return self.code_of(self.rng.choice(values))
        return self.rng.choice([text for text in defaults if "params::" not in text])

    def code_of(self, value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, dict):
            return "{ " + ", ".join(f"'{key}' => {self.code_of(its)}" for key, its in value.items()) + " }" if value else "{}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.code_of, value)) + "]"
        return str(value) if isinstance(value, (int, float)) else f"'{value}'"
