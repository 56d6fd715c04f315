"""Calls of every function in the table, with arguments that are valid or nearly valid."""

import re

from .tree import n, seq

# Arguments of functions whose signatures are too general.
LOOSE = {
    "create_resources": ["string hash", "'notify' hash", "'notify' {'a'=>{'message'=>'x'},'b'=>{}} {'loglevel'=>'err'}", "'class' {'k'=>{}}"],
    "digest": ["string", "sensitive"], "md5": ["string"], "sha1": ["string"], "sha256": ["string"],
    "fqdn_rand": ["int", "int string", "string string int", "int any"], "flatten": ["array", "array array", "any"],
    "shellquote": ["string", "string string", "array", "array string"], "sprintf": ["format any", "format any any", "string int"],
    "fail": ["string", "any any"], "tag": ["string", "string string"], "tagged": ["string", "string string", "array"], "realize": ["reference"],
    "template": ["'probe/t.erb'"], "file": ["'probe/f.txt'", "'/nope' 'probe/f.txt'"], "generate": ["string"], "import": ["string"],
    "inline_template": ["string"],
    "any2array": ["any", "any any"], "any2bool": ["any", "string"], "base64": ["'encode' string", "'decode' 'YWJj'", "'encode' string 'strict'"], "basename": ["string", "string string"],
    "bool2num": ["bool", "string", "any"], "bool2str": ["bool", "bool string string", "any"], "clamp": ["int int int", "array", "string int int"], "concat": ["array array", "array any any"],
    "convert_base": ["string int", "'ff' 16", "int int", "'255' '16'"], "count": ["array", "array any"], "deep_merge": ["hash hash", "hash hash hash"],
    "defined_with_params": ["reference hash"], "delete": ["array any", "string string", "hash string", "hash array"], "delete_at": ["array int"], "delete_regex": ["array string", "hash string"],
    "delete_undef_values": ["array", "hash"], "delete_values": ["hash any"], "difference": ["array array"], "dig44": ["hash array", "array array any"], "dirname": ["string"],
    "dos2unix": ["string"], "unix2dos": ["string"], "enclose_ipv6": ["string", "array"], "ensure_resource": ["'notify' string hash", "'notify' array"], "ensure_resources": ["'notify' hash hash"],
    "fqdn_rand_string": ["int", "int string", "int string string"], "fqdn_rotate": ["array", "string", "array string"], "fqdn_uuid": ["string"], "get_module_path": ["string"],
    "getparam": ["reference string"], "grep": ["array string"], "has_key": ["hash string", "hash any"], "hash": ["array"], "intersection": ["array array"],
    "join_keys_to_values": ["hash string"], "member": ["array any", "array array"], "num2bool": ["int", "string", "float"], "parsejson": ["'{\"a\": 1}'", "string any"],
    "parseyaml": ["\"a: 1\\nb: [x]\"", "string any"], "pick": ["any any", "undef string any"], "pick_default": ["any any", "undef string"], "prefix": ["array string", "hash string"], "suffix": ["array string", "hash string"],
    "pw_hash": ["string 'SHA-512' 'salt'"], "range": ["int int", "string string", "int int int", "'a' 'e'", "'host01' 'host03'"], "regexpescape": ["string", "array"], "reject": ["array string"], "reverse": ["array", "string"],
    "seeded_rand": ["int string"], "seeded_rand_string": ["int string"], "shell_escape": ["string"], "shell_join": ["array"], "shell_split": ["string"], "shuffle": ["array"], "squeeze": ["string", "string string", "array"],
    "str2bool": ["string", "any"], "str2saltedsha512": ["string"], "strtoarray": ["string"], "swapcase": ["string", "array"], "time": [""], "to_bytes": ["'1 kB'", "string", "'0.001 MiB'"], "try_get_value": ["hash string", "hash string any string"],
    "type3x": ["any"], "union": ["array array", "array array array"], "uriescape": ["string", "array"], "validate_array": ["any"], "validate_bool": ["any"], "validate_hash": ["any"], "validate_string": ["any"],
    "validate_integer": ["int", "any int int", "int int int", "array int int"], "validate_numeric": ["num", "any num num"], "validate_re": ["string string", "string array string"], "validate_slength": ["string int", "array int int"],
    "values_at": ["array int", "array array"], "zip": ["array array", "array array bool"], "is_string": ["any"], "is_domain_name": ["string"], "is_email_address": ["'a@b.c'", "string"], "is_mac_address": ["'aa:bb:cc:dd:ee:ff'", "string"],
    "is_ip_address": ["'10.0.0.1'", "string"], "sort_by": ["array"],
}
# Not called: they stop a compile, read the clock or the machine, or need something that is missing.
NOT_CALLED = {"generate", "template", "inline_template", "hocon_data", "json_data", "yaml_data", "import", "break", "next", "return", "time", "loadjson", "loadyaml", "load_module_metadata", "fqdn_rotate",
              "shuffle", "pw_hash", "parsehocon", "parsepson", "str2saltedsha512", "str2saltedpbkdf2", "uriescape", "deprecation", "assert_private", "glob", "validate_augeas", "validate_cmd", "is_function_available",
              "has_ip_address", "has_ip_network", "has_interface_with", "getparam", "get_module_path", "stdlib", "debug", "binary_file", "epp", "find_file", "find_template", "module_directory", "file", "inline_epp", "scanf", "puppetdb_query"}


def split_outside_brackets(text, separator=","):
    """Splits at separators that are outside of brackets."""
    parts, depth, start = [], 0, 0
    quote = None
    for at, char in enumerate(text):
        if quote:
            if char == quote and text[at - 1] != "\\":
                quote = None
        elif char in "'\"" or char == "/" and text[at - 1] in "[,( ":
            quote = char
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


class Signature:
    """A line of the table."""

    def __init__(self, text):
        text = text.lstrip("! ").split(" >> ")[0]
        self.parameters = []
        self.block = None
        for part in split_outside_brackets(text):
            match = re.match(r"(?s)(.*\S)\s+([*&]*)\$(\w+)(?:\s*=\s*(.*))?$", part)
            if not match:
                continue
            type_, marks, _, default = match.groups()
            if "&" in marks:
                self.block = type_
            else:
                self.parameters.append((type_, "*" in marks, default))


def load(lines):
    table = {}
    for line in lines:
        name, _, signature = line.rstrip("\n").partition("\t")
        table.setdefault(name, []).append(Signature(signature))
    return table


KIND_OF = {"String": "string", "Integer": "int", "Float": "float", "Numeric": "num", "Boolean": "bool", "Undef": "undef", "Array": "array", "Hash": "hash", "Regexp": "regexp", "Type": "type", "Timespan": "timespan",
           "Timestamp": "timestamp", "SemVer": "semver", "Binary": "binary", "Sensitive": "sensitive", "Deferred": "deferred", "Iterator": "iterator", "Object": "object", "Default": "default"}


class Calls:
    """A mixin of Generator."""

    def argument_for_type(self, type_, depth=1):
        """An expression for a parameter of this type."""
        rng = self.rng
        name, _, rest = type_.partition("[")
        inner = split_outside_brackets(rest[:-1]) if rest else []
        if rng.random() < 0.06:
            return self.expr("any", depth)
        if name in ("Optional", "NotUndef"):
            return self.argument_for_type(inner[0], depth) if inner and rng.random() < 0.8 else n("expr", "undef")
        if name == "Variant":
            return self.argument_for_type(rng.choice(inner), depth)
        if name == "Enum":
            return n("expr", rng.choice([f"'{word.strip(chr(39))}'" for word in inner] + ["'zz'"]))
        if name == "Pattern":
            return n("expr", rng.choice(["'G'", "''", "'a'", "'I'", "'a.b'", "'facts.os.name'", "'trusted'", "'1x'", "'facts.list.1'"]))
        if name == "Iterable":
            return self.expr(rng.choice(["array", "hash", "iterator", "int", "string"]), depth)
        if name in ("Collection", "Tuple"):
            return self.expr(rng.choice(["array", "hash"]), depth)
        if name == "Array" and inner:
            return n("expr", "[", seq([self.argument_for_type(inner[0], depth - 1) for _ in range(rng.randint(0, 3))]), "]")
        if name == "Hash" and len(inner) > 1 and inner[0] not in ("Any",):
            return n("expr", "{", seq([n("pair", self.group(self.argument_for_type(inner[0], 0)), " => ", self.argument_for_type(inner[1], 0)) for _ in range(rng.randint(0, 2))]), "}")
        if name == "Struct":
            members = []
            for member in split_outside_brackets(rest[1:-2]):
                key, _, its = member.partition("=>")
                if rng.random() < 0.4:
                    members.append(n("pair", key.strip(), " => ", self.argument_for_type(its.strip(), 0)))
            return n("expr", "{", seq(members), "}")
        if name == "Scalar":
            return self.expr(rng.choice(["string", "int", "bool"]), depth)
        if name == "Type" and rest == "Regexp]":
            return n("expr", rng.choice(["Regexp[/a/]", "Regexp", "Regexp['b']"]))
        return self.expr(KIND_OF.get(name, "any"), depth)

    def block_for_type(self, type_, depth=2):
        inner = re.search(r"Callable(?:\[(.*)\])?", type_)
        counts = re.findall(r"\b\d\b", inner.group(1) or "") if inner else []
        arity = int(self.rng.choice(counts)) if counts else self.rng.choice([1, 1, 2])
        return self.lambda_(arity, self.rng.choice(["any", "bool", "int", "string"]), depth)

    def loose_arguments(self, name):
        """Arguments of a function that takes anything."""
        arguments = []
        pattern = self.rng.choice(LOOSE.get(name, ["any", "string", "string string", "array", "hash", "string any", "int", "any any"]))
        for word in re.findall(r"'[^']*'|\"[^\"]*\"|\{\S*(?: \S*\})?|\S+", pattern):
            if word == "format":
                arguments.append(self.format_string())
            elif word.isalpha() and word.islower():
                arguments.append(self.expr(word, 1))
            else:
                arguments.append(n("expr", word))
        return arguments

    def call(self, names):
        rng = self.rng
        name = rng.choice(names)
        signature = rng.choice(self.table[name])
        arguments = []
        block = None
        if [p[0] for p in signature.parameters] == ["Any"] and signature.parameters[0][1] and name in self.loosely_typed:
            arguments = self.loose_arguments(name)
        else:
            for type_, repeated, default in signature.parameters:
                if default is not None and rng.random() < 0.5:
                    break
                count = rng.randint(0, 2) if repeated else 1
                arguments.extend(self.argument_for_type(type_) for _ in range(count))
            if signature.block and (not signature.block.startswith("Optional") or rng.random() < 0.6):
                block = self.block_for_type(signature.block)
        pick = rng.random()
        if pick < 0.04 and arguments:
            arguments.pop()
        elif pick < 0.07:
            arguments.append(self.expr("any", 1))
        if rng.random() < 0.03:
            block = None if block else self.lambda_(1, "any", 1)
        tail = [" ", block] if block else []
        if arguments and rng.random() < 0.3:
            if len(arguments) == 1:
                return n("expr", self.group(arguments[0]), ".", name, *tail)
            return n("expr", self.group(arguments[0]), ".", name, "(", seq(arguments[1:]), ")", *tail)
        return n("expr", name, "(", seq(arguments), ")", *tail)

    def calls(self, names):
        """Code that calls a function and often uses its result."""
        rng = self.rng
        call = self.call(names)
        pick = rng.random()
        if pick < 0.1:
            call = n("expr", self.group(call), ".", rng.choice(["type", "size", "map |$x| { $x }", "String", "then |$x| { [$x] }", "empty", "unique", "Array"]))
        statements = [self.assignment(1) for _ in range(rng.choice([0, 0, 0, 1]))]
        return n("code", seq([*statements, n("statement", call)], "\n"))
