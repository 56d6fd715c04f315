"""Words for generated sites: kinds of values with types that accept them, resource types with their attributes, titles and tags."""

# Kinds of values: types that accept them, the values.
KINDS = {
    "string": (["String", "String", "String[1]", "Optional[String]", "Any", "Data", "Variant[String, Integer]", "NotUndef", "Scalar", "", ""], ["'v'", "'w x'", "bare", '"t1"', "'0644'", "'present'", "upcase('v')", "$facts['os']['name']", "lookup('k')", "$facts['kernel'] ? { 'Linux' => 'lin', default => 'other' }", "if true { 'yes' } else { 'no' }", "['p', 'q'].join('-')", '"${1 + 1}"', "$trusted['certname']", "'é\\'s'", "inline_epp('<%= 1 + 1 %>')"]),
    "number": (["Integer", "Numeric", "Integer[0]", "Any", "Optional[Integer]", "Variant[String, Integer]", ""], ["1", "7", "42", "0", "2 * 3", "size([1, 2])", "Integer('5')"]),
    "flag": (["Boolean", "Optional[Boolean]", "Any", ""], ["true", "false", "1 == 1", "!false"]),
    "list": (["Array", "Array[String]", "Collection", "Any", "Iterable", ""], ["['a', 'b']", "['c']", "[]", "['a', 'b'].map |$e| { \"${e}!\" }", "['z'] + ['y']", "lookup('uniq')"]),
    "hash": (["Hash", "Hash[String, Any]", "Any", "Optional[Hash]", ""], ["{'mode' => '0600'}", "{}", "{'a' => 1, 'b' => [2]}", "{'k' => {'l' => undef}}", "lookup('hash')", "lookup('hash', Hash, 'deep')"]),
    "choice": (["Enum['present', 'absent']", "String", "Pattern[/^(pre|ab)/]", "Optional[Enum['present', 'absent']]", "M::Ensure"], ["present", "'absent'", "'present'"]),
    "secret": (["Sensitive", "Sensitive[String]", "Any", "Variant[Sensitive, String]", ""], ["Sensitive('pw')", "Sensitive(\"a${1}\")", "lookup('sens')"]),
    "late": (["Any", "Variant[Deferred, String]", "Deferred", ""], ["Deferred('upcase', ['x'])", "Deferred('join', [['a', 'b'], '-'])"]),
    "odd": (["Any", "RichData", ""], ["undef", "1.5", "/re/", "default", "Integer[1]", "Timespan(5)", "['a', undef]", "{1 => 2}", "SemVer('1.2.3')", "[Sensitive('in')]", "{'d' => Deferred('downcase', ['X'])}", "Timestamp('2020-01-01')", "Binary('YQ==')", "[[1], {a => b}]", "''", "URI('http://a/b')"]),
    "ref": (["Type", "Any", "Type[CatalogEntry]", "Variant[Type, Array]", ""], []),
}
MODE = ["'0644'", "'u+x'", "'755'", "'0600'", "$facts['kernel'] ? { 'Linux' => '0640', default => undef }"]
# Attributes: a kind of value or a list of values. Required attributes come first and are always set.
TYPES = {
    "notify": {"message": ["$any", "$any", "$any", "'m'", "'hello'"], "withpath": "flag", "name": ["$unique"]},
    "file": {"ensure": ["file", "present", "directory", "absent", "link", "'/target'"], "mode": MODE, "owner": ["root", "'u1'", "0", "$unique"], "group": ["'root'", "undef"], "content": ["$any", "\"c\"", "$secret", "'x'"], "source": ["'puppet:///modules/m/x'", "['/a', '/b']"], "recurse": ["true", "remote"], "backup": ["false", "main"], "target": ["'/t'"], "force": "flag", "path": ["$path"], "purge": "flag", "ignore": ["['*.a', '.b']"], "validate_cmd": ["'/bin/true %'"], "seltype": ["undef"]},
    "exec": {"command": ["'/bin/true'", "['/bin/true', '-x']", "\"/bin/echo ${facts['kernel']}\""], "path": ["'/bin:/usr/bin'", "['/bin', '/usr/bin']"], "creates": ["'/x'"], "refreshonly": "flag", "unless": ["'/bin/false'", "['a', 'b']"], "environment": ["['A=1', 'B=2']"], "returns": ["[0, 2]"], "timeout": "number", "tries": "number"},
    "service": {"ensure": ["running", "stopped", "true"], "enable": "flag", "name": ["$unique"], "provider": ["systemd"], "hasstatus": "flag"},
    "package": {"ensure": ["present", "latest", "'1.2'", "absent"], "name": ["$unique"], "provider": ["apt", "gem", "undef"], "install_options": ["['-x', {'-y' => 'z'}]"]},
    "user": {"ensure": ["present"], "uid": ["1000", "'1001'"], "groups": ["['a', 'b']", "'a'"], "home": ["'/home/x'"], "name": ["$unique"], "gid": ["'users'"], "password": ["$secret"], "membership": ["minimum"]},
    "group": {"ensure": ["present"], "gid": ["0", "'5'"], "name": ["$unique"], "system": "flag"},
    "cron": {"command": ["'/bin/true'"], "user": ["root", "'u'"], "hour": ["[2, 4]", "'*/2'"], "minute": "number", "special": ["absent", "'daily'"], "target": ["'t'"]},
    "host": {"ip": ["'10.0.0.1'"], "host_aliases": ["['a', 'b']"], "comment": "string", "name": ["$unique"]},
    "mount": {"device": ["'/dev/sda1'"], "fstype": ["ext4"], "ensure": ["mounted"], "options": ["'ro'"], "atboot": ["true"]},
    "ssh_authorized_key": {"user": ["root"], "type": ["'ssh-rsa'"], "key": ["'AAA'"], "options": ["['a', 'b']"]},
    "schedule": {"period": ["daily", "hourly"], "range": ["'2 - 4'"], "repeat": "number"},
    "tidy": {"age": ["'1w'"], "recurse": "flag", "matches": ["'*.x'"]},
    "filebucket": {"path": ["false", "'/b'"], "server": ["undef"]},
    "resources": {"purge": "flag"},
}
WEIGHTS = {"notify": 10, "file": 8, "exec": 3, "service": 3, "package": 3, "user": 2, "group": 2, "cron": 1, "host": 1, "mount": 1, "ssh_authorized_key": 1, "schedule": 1, "tidy": 1, "filebucket": 1, "resources": 0.3}
PATHS = {"file", "tidy", "mount"}
EDGES = ["require", "before", "notify", "subscribe"]
ARROWS = [" -> ", " -> ", " ~> ", " <- ", " <~ "]
WORDS = ["a", "b", "x", "A b", "it::s", "k-1", "Up", "é", "a.b", "x/y", "1", "a[b]"]
TAGS = ["one", "two", "t1", "m", "a::b", "x"]


def capital(type_name):
    return "::".join(part.capitalize() for part in type_name.split("::"))
