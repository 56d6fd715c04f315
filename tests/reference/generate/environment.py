"""The environments of the cases: data and a module; one of them with stdlib."""

import json
import os
import re

MODULES = os.environ.get("PUPPET_MODULES", "/usr/share/puppet/modules")

FILES = {
    "environment.conf": "modulepath = modules\n",
    "manifests/.keep": "",
    "hiera.yaml": """version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: node, path: "nodes/%{trusted.certname}.yaml"}
  - {name: os, paths: ["os/%{facts.os.family}.yaml", "none.yaml"]}
  - {name: common, path: common.yaml}
""",
    "data/nodes/web1.example.com.yaml": """k: node
list: [n, b]
hash: {a: 1, n: {x: 1}}
deep: {x: {y: node, l: [1]}, '--gone': 1}
merged: [3, 1]
undefd: ~
""",
    "data/os/Debian.yaml": """list: [o]
hash: {a: 2, b: 3, n: {y: 2}}
deep: {x: {z: os, l: [2]}, gone: 2}
uniq: [a, b, a]
merged: {m: 1}
""",
    "data/common.yaml": """lookup_options:
  uniq: {merge: unique}
  '^conv': {convert_to: Integer}
  sens: {convert_to: Sensitive}
  nested: {merge: {strategy: deep, knockout_prefix: '--'}}
k: common
list: [c, [d, e], n]
hash: {c: 4}
deep: {x: {l: [1, 3]}}
uniq: [c, a]
conv: '42'
sens: secret
interp: "k is %{lookup('k')} on %{facts.kernel} %{::trusted.certname} %{nope}"
alias: "%{alias('hash')}"
bad: "%{lookup('interp'"
'dotted.key': dk
lit: "%{literal('%')}{x}"
scoped: "%{scope('facts.os.name')}|%{os.name}"
fn: "%{hiera('k')}"
badfn: "%{nosuch('k')}"
nested: [[1, '--2'], 2]
number: 1.5
""",
    "modules/probe/metadata.json": json.dumps({"name": "probe-probe", "version": "1.0.0", "author": "probe", "license": "x", "summary": "x", "source": "x", "dependencies": []}),
    "modules/probe/hiera.yaml": "version: 5\nhierarchy: [{name: c, path: c.yaml}]\ndefaults: {datadir: data, data_hash: yaml_data}\n",
    "modules/probe/data/c.yaml": "probe::x: 5\nprobe::list: [p]\n",
    "modules/probe/files/f.txt": "text of f\n",
    "modules/probe/functions/twice.pp": "function probe::twice(Numeric $x) >> Numeric { $x * 2 }\n",
}
# Sites have one more level of data, and modules outside of the environment.
SITE = {
    **{path: content for path, content in FILES.items() if not path.startswith("modules/")},
    "hiera.yaml": FILES["hiera.yaml"].replace("hierarchy:\n", "hierarchy:\n  - {name: site, path: site.yaml}\n"),
}
SITE_MODULES = ["cron_core", "host_core", "mount_core", "sshkeys_core"]
FACTS = {
    "kernel": "Linux", "fqdn": "web1.example.com", "hostname": "web1", "domain": "example.com", "processorcount": 4,
    "os": {"name": "Debian", "family": "Debian", "release": {"major": "12", "full": "12.1"}}, "list": ["a", "b"], "operatingsystem": "Debian", "osfamily": "Debian",
    "networking": {"fqdn": "web1.example.com", "ip": "10.0.0.5", "interfaces": {"eth0": {"ip": "10.0.0.5"}}}, "ipaddress": "10.0.0.5", "interfaces": "eth0,lo", "is_virtual": False, "memory": 1.5,
}


def create_environments(home):
    """Writes the environments and returns their directory."""
    for name in ("plain", "stdlib"):
        for path, content in FILES.items():
            if path.startswith("modules/probe") and name == "stdlib":
                continue
            write_if_changed(os.path.join(home, name, path), content)
    link = os.path.join(home, "stdlib", "modules", "stdlib")
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if not os.path.islink(link):
        os.symlink(os.path.join(MODULES, "stdlib"), link)
    for name, modules in (("site", SITE_MODULES), ("site-stdlib", [*SITE_MODULES, "stdlib"])):
        os.makedirs(os.path.join(home, name), exist_ok=True)
        for module in modules:
            link = os.path.join(home, name, module)
            if not os.path.islink(link):
                os.symlink(os.path.join(MODULES, module), link)
    write_if_changed(os.path.join(home, "facts.json"), json.dumps(FACTS))
    return home


def write_if_changed(target, content):
    """Writes a file, unless it is unchanged: another run may be reading it."""
    if os.path.exists(target):
        with open(target, encoding="utf-8") as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as out:
        out.write(content)


def create_site(home, name, directory, files):
    """Writes the environment of one site."""
    modules = {"environment.conf": f"modulepath = modules:{os.path.join(home, name)}\n", "modules/.keep": ""}
    for path, content in {**SITE, **modules, **files}.items():
        target = os.path.join(directory, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as out:
            out.write(content)


def core_functions():
    """Names of Puppet's functions: those in src/functions outside the folder stdlib."""
    root = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "src", "functions")
    names = set()
    for directory, folders, files in os.walk(root):
        if "stdlib" in folders:
            folders.remove("stdlib")
        for file in files:
            if file.endswith(".rs"):
                with open(os.path.join(directory, file), encoding="utf-8") as source:
                    names.update(re.findall(r'\bname: "(\w+)"', source.read()))
    return names


def missing_functions(stdlib):
    """Functions in the table that the installed stdlib does not have."""
    lib = os.path.join(MODULES, "stdlib", "lib", "puppet")
    paths = ("functions/{}.rb", "parser/functions/{}.rb")
    puppet = os.path.join(MODULES, "stdlib", "functions", "{}.pp")
    return {name for name in stdlib
            if not any(os.path.exists(os.path.join(lib, path.format(name.replace("::", "/")))) for path in paths)
            and not os.path.exists(puppet.format(name.replace("stdlib::", "").replace("::", "/")))}
