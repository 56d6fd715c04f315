"""Rules that explain known differences. Each rule has a reason and matches as few cases as possible."""

import re

RULES = []


def rule(reason):
    def add(test):
        RULES.append((reason, test))
        return test

    return add


def reason_for(case, code, difference, expected, actual):
    """The reason of the first rule that matches a difference, or None.

    `difference` is (kind, expected, actual) as `random` reports it; `expected` and `actual` are the complete answers of Puppet and Catwalk.
    """
    for reason, test in RULES:
        if test(case, code, difference, expected, actual):
            return reason
    return None


def normalize(expected, actual):
    """Removes insignificant differences from both answers, in place.

    - Puppet's compiler puts the environment before syntax errors.
    - Puppet's errors at the end of input have no location; Catwalk's have one.
    """
    for answer in (expected, actual):
        # stdlib's deprecation() prints the stack of Ruby files.
        answer["logs"] = [re.sub(r" \(line: 1, column: \d+\)$", "", line) if line.startswith("warning: Cannot check if ") else line for line in answer["logs"]]
        answer["logs"] = [re.sub(r" at \[.*", "", line, flags=re.S) if "deprecated" in line else line for line in answer["logs"]]
        answer["error"] = re.sub(r"(deprecation\. .*) at \[.*", r"\1", answer["error"], flags=re.S) if answer["error"] else None
    # The address of a Ruby object is ignored, its class is compared.
    bare = re.compile(r"#<(Puppet::Resource::Type):0x[0-9a-f]+>")
    expected["error"] = bare.sub(r"#<\1>", expected["error"]) if expected["error"] else None
    error = expected["error"]
    if not error:
        return
    start = "Could not parse for environment production: "
    expected["logs"] = [line.replace(start, "", 1) for line in expected["logs"]]
    error = error[len(start):] if error.startswith(start) else error
    if error == "Syntax error at end of input" and actual["error"]:
        actual["error"] = re.sub(r"^(Syntax error at end of input) \(line: \d+, column: \d+\)$", r"\1", actual["error"])
    expected["error"] = error
    # The compiler also logs the error, which is already the answer.
    expected["logs"] = [line for line in expected["logs"] if line != f"err: {error}"]
    if actual["error"]:
        # Ruby's hints are switched off for the comparison.
        actual["error"] = re.sub(r"\nDid you mean\?  \S+", "", actual["error"])
    if actual["error"] and not LOCATION.search(error) and LOCATION.sub("", actual["error"]) == error:
        # Ruby's exceptions have no location; Catwalk's errors always have one.
        actual["error"] = error


LOCATION = re.compile(r" \((?:file: [^)]*, )?line: \d+(?:, column: \d+)?\)$")


def matches_except_gaps(expected, actual, find_gaps, filler):
    """Whether `actual` equals `expected` except in the spans that `find_gaps` returns, where `actual` must match the expression `filler`."""
    parts, at = [], 0
    for start, end in find_gaps(expected):
        parts.append(re.escape(expected[at:start]))
        at = end
    return at > 0 and re.fullmatch(filler.join([*parts, re.escape(expected[at:])]), actual, re.S) is not None


def object_spans(string):
    """The spans of Ruby objects with their addresses in a string: `#<Foo:0x… @bar=#<Bar:0x…>>`. Functions such as shell_escape put
    backslashes before punctuation. An object may contain `key=>value` and version ranges, `>=1.0.0`."""
    spans, at = [], 0
    opening, pair, version = re.compile(r"#\\?<"), re.compile(r"=\\?$"), re.compile(r">\\?=(?!\\?>)|>\d")
    begin = re.compile(r"\\?#\\?<(?=(?:\\?#\\?<[Cc]lass:0x[0-9a-f]{8,}\\?>|[\w:]+):(0x[0-9a-f]{8,}|0X[0-9A-F]{8,}| #<)|Class:0x[0-9a-f]{8,}>)")
    while match := begin.search(string, at):
        depth, at = 1, match.end()
        while depth and at < len(string):
            depth += 1 if opening.match(string, at) else -1 if string[at] == ">" and not pair.search(string, max(0, at - 2), at) and not version.match(string, at) else 0
            at += 1
        # Short messages contain only the class of such an object.
        spans.append((match.start(), at))
    return spans


@rule("the message contains the address of a Ruby object; the rest is compared")
def _(case, code, difference, expected, actual):
    return difference[0] in ("error", "value", "logs") and matches_except_gaps(difference[1], difference[2], object_spans, "(?:.+?)")


@rule("a reversed string contains the address of a Ruby object; the rest is compared")
def _(case, code, difference, expected, actual):
    return difference[0] == "value" and "reverse" in code and matches_except_gaps(str(difference[1])[::-1], str(difference[2])[::-1], object_spans, "(?:.+?)")


@rule("the unique characters of a string with the address of a Ruby object: the part before the address is compared")
def _(case, code, difference, expected, actual):
    once = str(expected.get("value"))
    address = re.search(r"#\\?<[A-Z][a-zA-Z:]+0?x[0-9a-f]+", once)
    return difference[0] == "value" and "unique" in code and address is not None and str(actual.get("value")).startswith(once[:address.start()])


@rule("the characters of a string with the address of a Ruby object: the part before the address is compared")
def _(case, code, difference, expected, actual):
    characters = lambda answer: "".join(re.findall(r"'(\\.|[^'\\])'", str(answer.get("value"))))
    address = re.search(r"#<(?:\w|:)+:0x[0-9a-f]{8,}", characters(expected))
    return difference[0] == "value" and address is not None and characters(actual).startswith(characters(expected)[:address.start() - 1])


@rule("a digest of a string that String() makes of objects: it contains the address of a Ruby object")
def _(case, code, difference, expected, actual):
    digests = [str(answer.get("value")) for answer in (expected, actual)]
    has_objects = re.search(r"\b(?:md5|sha1|sha256|sha512)\(String\(.*(?:Timestamp|Timespan|SemVer|Sensitive|URI|Binary|Deferred|Error)", code) is not None
    return difference[0] == "value" and has_objects and all(re.fullmatch(r"'[0-9a-f]{32,128}'", digest) for digest in digests) and len({len(digest) for digest in digests}) == 1


@rule("Regexp[…] in a type string with a parameter that is not a pattern: Puppet also fails when the type is printed")
def _(case, code, difference, expected, actual):
    return difference[0] in ("outcome", "error") and "Regexp[" in code and re.fullmatch(r"(?:.*[,.] )?no implicit conversion of \S+ into String(?: \(line: \d+, column: \d+\))?", expected.get("error") or "") is not None


@rule("an error in a template, raised inside Puppet: the message contains the path of Puppet's Ruby code")
def _(case, code, difference, expected, actual):
    location = re.compile(r"\n  Filepath: .*\n  Line: \d+\n")
    node = re.compile(r" on node web1\.example\.com\s*$")
    strip = lambda answer: node.sub("", location.sub("\n", answer.get("error") or ""))
    return re.search(r"\n  Filepath: .*/puppet/parser/scope\.rb\n", expected.get("error") or "") is not None and strip(expected) == strip(actual)


@rule("Puppet 8 writes the pattern of type names as \\w instead of [\\w]")
def _(case, code, difference, expected, actual):
    node = re.compile(r" on node web1\.example\.com\s*$")
    strip = lambda answer: node.sub("", answer.get("error") or "").replace("[\\w]*", "\\w*")
    return "\\A[A-Z]\\w*(?:::[A-Z]\\w*)*\\z" in (expected.get("error") or "") and strip(expected) == strip(actual)


@rule("the message contains the regular expression of Ruby's URI library")
def _(case, code, difference, expected, actual):
    strip = lambda answer: re.sub(r"Pattern\[/\(\?x-mi:.*\)/\]|Pattern\[/\(\?x-mi: RFC 2396 /\]", "Pattern[…]", re.sub(r" on node web1\.example\.com\s*$", "", answer.get("error") or ""), flags=re.S)
    return "Pattern[/(?x-mi:" in (expected.get("error") or "") and strip(expected) == strip(actual)


@rule("endless recursion: Catwalk's error has a location")
def _(case, code, difference, expected, actual):
    message = actual.get("error") or ""
    # An alias that is an Optional of itself has no values; Catwalk reports that.
    reported = re.search(r"^type \S+ = Optional\[", code, re.M) and re.search(r"(?:expects an? |of type ')(\S+) = Optional\[\1\](?: value|' is not supported)", message)
    # Catwalk can compare an alias of only itself.
    compared = not message and re.search(r"[=<>]=|\s[<>]\s", code) and re.search(r"^type (\S+) = .*\b\1\b", code, re.M)
    return (expected.get("error") or "").startswith("stack level too deep") and ("stack level too deep" in message or bool(reported or compared))


@rule("Puppet takes longer than 10 s: there is no answer to compare")
def _(case, code, difference, expected, actual):
    message = actual.get("error") or ""
    return expected.get("error") == "execution expired" and not re.search(r"the process died|^panicked", message)


@rule("very large values are refused (docs/status.md)")
def _(case, code, difference, expected, actual):
    return re.search(r"characters are too many|shift width too big|width too big", actual.get("error") or "") is not None


@rule("a malformed regular expression in Regexp[…]: Puppet reports it at its first use, Catwalk at its location outside aliases")
def _(case, code, difference, expected, actual):
    bad = r"Error while evaluating a ('\[\]' expression|Type-Name), (end pattern with unmatched parenthesis|target of repeat operator is not specified): /"
    late = r"(end pattern with unmatched parenthesis|target of repeat operator is not specified): /"
    return "Regexp[" in code and (re.search(bad, actual.get("error") or "") is not None or re.search(late, expected.get("error") or "") is not None)


@rule("a binary string is a Binary (docs/status.md)")
def _(case, code, difference, expected, actual):
    return difference[0] == "value" and "decode" in code and actual.get("type") == "Binary" and expected.get("type") == "String"


@rule("the value of a collector is a Ruby object in Puppet")
def _(case, code, difference, expected, actual):
    return difference[0] in ("logs", "catalog", "error") and re.search(r"(Catalog|Exported)-?Collector", str(expected.get("logs")) + difference[1], re.I) is not None


@rule("a reference as a string, with a number or a capitalized word as its title: Puppet reads the title as a value or a type")
def _(case, code, difference, expected, actual):
    return re.search(r"The expression <[A-Z][\w:]*\[([A-Z]\w*|\d+)\]> is not a valid type specification", actual.get("error") or "") is not None


@rule("Error with parameters as a value in the catalog: Puppet reports endless recursion")
def _(case, code, difference, expected, actual):
    return "Error[" in code and "Endless recursion detected when attempting to serialize value of class Puppet::Pops::Types::PTypeAliasType" in (expected.get("error") or "")


@rule("iterators of tree_each are Ruby objects in Puppet, not values of the language; Puppet accepts them where it rejects other iterators")
def _(case, code, difference, expected, actual):
    output = str(expected.get("value")) + str(expected.get("error")) + str(expected.get("type")) + str(expected.get("logs"))
    refused = "Use of an Iterator is not supported here" in str(actual.get("error"))
    return "tree_each" in code and ("FirstTreeIterator" in output or refused or "got Runtime" in output)


@rule("Ruby prints the address of a time with the format %p")
def _(case, code, difference, expected, actual):
    return difference[0] == "value" and re.search(r"%[-+#0-9. ]*p", code) is not None and re.search(r"#<P|^'\s*#<?'$", str(expected.get("value"))) is not None


@rule("SemVer[''] and SemVer['a || b'] have no bounds: Puppet fails when it compares them")
def _(case, code, difference, expected, actual):
    ruby = r"undefined method `[<>]=?' for nil:NilClass|comparison of SemanticPuppet::Version with nil failed"
    return re.search(r"SemVer\['(|[^']*\|\|[^']*)'", code) is not None and re.search(ruby, expected.get("error") or "") is not None


@rule("an alias of Regexp[…], URI[…] or Typeset[…] with wrong parameters, or one in a string: Puppet does not validate them at the definition")
def _(case, code, difference, expected, actual):
    return re.search(r"(^type [\w:]+ = .*|Type\('.*|assert_type\('.*)(Regexp|Type[sS]et|URI)\[", code, re.M) is not None and re.search(r"Regexp-Type|URI-Type|TypeSet-Type|TypeSet name", actual.get("error") or "") is not None


@rule("functions of stdlib with keys that are not strings, or with several wrong arguments: Puppet fails, or reports a different argument")
def _(case, code, difference, expected, actual):
    ruby = r"undefined method `(intern|to_sym|split)' for|no implicit conversion of .* into|Reference is not understood|comparison of \w+ with .* failed|invalid address:|too short escape sequence|undefined method `gsub' for"
    return case["kind"] == "stdlib" and re.search(ruby, expected.get("error") or "") is not None


@rule("functions of stdlib that load others, such as dig(): their log depends on the functions that the process has loaded")
def _(case, code, difference, expected, actual):
    loading = re.compile(r"dig\(\) DEPRECATED|autoloader#load(ed\?)?\(\"(dig44|has_interface_with|assert_private)\"\)")
    relevant = lambda answer: [line for line in answer["logs"] if not loading.search(line)]
    return difference[0] == "logs" and re.search(r"\bdig|try_get_value|has_ip_(address|network)|\bprivate\b", code) is not None and relevant(expected) == relevant(actual)


@rule("Init[T] with arguments that cannot create a T: Puppet fails when it matches a value, for Catwalk the value is not an instance")
def _(case, code, difference, expected, actual):
    return "Init" in code and re.search(r"Creation of new instance of type .* is not supported|does not represent a valid set of parameters for|undefined method `sub' for nil:NilClass", expected.get("error") or "") is not None


# Internal errors of Ruby in rare cases: (description, pattern of the code, of Ruby's message, of Catwalk's message).
CRASHES = [
    ("a heredoc of one continued line", r"@\(", r"undefined method `(length|\+)' for nil:NilClass", r""),
    ("two colons at the end of the code", r"::[\"')]*\s*(\Z|\n|,)", r"undefined method `>=' for nil:NilClass|index out of range", r"Illegal fully qualified"),
    ("a function name of two colons", r"['\"]::['\"]", r"undefined method `empty\?' for nil:NilClass", r"Unknown function"),
    ("an object matched with an Iterable type that has a parameter", r"Iterable\[", r"undefined method `element_type' for false:FalseClass", r""),
    ("a lazy tree_each of an iterator", r"tree_each", r"undefined method `next' for nil:NilClass", r""),
    ("a Variant with an Optional without a type", r"Variant|Data|Optional", r"undefined method `normalize' for nil:NilClass", r""),
    ("a string with invalid bytes, which fails at its first use", r"%[^a-z]*c", r"invalid byte sequence in UTF-8", r""),
    ("a Callable of a list and a value that is not a type", r"Callable\[\[", r"undefined local variable or method `k' for #<Puppet::Pops::Evaluator::AccessOperator:", r"Cannot use .* where Any-Type is expected"),
    ("a TypeSet of a value that is not a hash", r"TypeSet\[", r"undefined method `map' for #<Puppet::Pops::Model::", r"TypeSet initializer has wrong type|is not a valid type specification"),
    ("tree_each over a tree with an Error in it", r"(?s)tree_each.*Error|Error.*tree_each", r"undefined method `_pcore_type' for #<Puppet::DataTypes::Error:", r""),
    ("an Init of TypeAlias in a collection", r"Init\[(Optional\[)?TypeAlias\]", r"protected method `new_function' called for #<Puppet::Pops::Types::PTypeAliasType:", r""),
    ("::TypeAlias, which is resolved twice", r"::TypeAlias", r"can't modify frozen Puppet::Pops::Types::PTypeAliasType", r""),
    ("an alias of an unknown type with parameters, whose name Puppet truncates and parses again", r"(?m)^type \S+ = (::)?[A-Z][\w:]*\[", r"Error while evaluating a Type-Name, Syntax error at end of input", r""),
    ("the common type of two Runtime types", r"Runtime", r"private method `provide_from_type' called for Puppet::Pops::Types::ClassLoader:Class", r""),
    ("an Init of an object type without a name", r"Init\[.*Object\[", r"undefined method `sub' for nil:NilClass", r""),
    ("the common type of time ranges that do not overlap", r"Time(span|stamp)", r"undefined method `adjacent\?' for #<Puppet::Pops::Types::PTime", r""),
    ("a NaN among floats in data, for whose type Puppet calculates a minimum", r"(?i)\.nan", r"comparison of \S+ with \S+ failed", r""),
    ("an Init of a Struct in a collection", r"Init\[", r"wrong number of arguments \(given 1, expected 2\)", r""),
]


def crash(pattern, ruby, catwalk):
    return lambda case, code, difference, expected, actual: all(re.search(*pair) for pair in ((pattern, code), (ruby, expected.get("error") or ""), (catwalk, actual.get("error") or "")))


for description, *patterns in CRASHES:
    rule(f"an internal error of Ruby: {description}")(crash(*patterns))


@rule("Timestamps and Timespans as keys: Puppet compares object identity, so equal ones are usually different keys")
def _(case, code, difference, expected, actual):
    time = r"'\d+-\d\d:\d\d:\d\d\.\d+'|'-?\d+-\d\d-\d\dT[\d:.]+ UTC'"
    if not re.search(r"Time(span|stamp)|strptime", code) or expected.get("error") or actual.get("error"):
        return False
    if expected.get("value") == "undef" and re.search(r"\{(\S+\(.*\)) => 2\}\[\1\]", code):
        return True
    times = lambda answer: re.findall(time, str(answer.get("value")).replace("\\'", "'"))
    expected_times, actual_times = times(expected), times(actual)
    return set(expected_times) == set(actual_times) and len(expected_times) > len(actual_times) and len(set(expected_times)) < len(expected_times)


@rule("to_yaml: Ruby objects are not values of the language")
def _(case, code, difference, expected, actual):
    # The answer may also be a list of characters.
    whole = lambda answer: str(answer.get("value")).replace("', '", "")
    output = whole(expected) + str(expected.get("error"))
    before = lambda answer: whole(answer).split("!ruby/")[0].rstrip(" \\n-?")
    written = re.search(r"!ruby/object(:|\\n)", output) and whole(actual).startswith(before(expected))
    if "to_yaml" in code and re.search(r"can't dump anonymous (module|class): ", expected.get("error") or ""):
        return True
    return "yaml" in code and difference[0] in ("value", "type") and written


@rule("Timestamps and Timespans are limited to 128 bits of nanoseconds (docs/status.md)")
def _(case, code, difference, expected, actual):
    digits = lambda answer: re.sub(r"\d+", "0", str(answer.get("value")))
    far = re.search(r"Time(stamp|span)", code) and re.search(r"1e\d\d", code) and digits(expected) == digits(actual)
    year = re.compile(r"\d{22,}-\d\d[-:]\d\d")
    printed = year.search(str(expected.get("value")) + str(expected.get("error")))
    logged = difference[0] == "logs" and year.search(difference[1])
    return bool(logged) or difference[0] in ("value", "type", "error") and bool(far or printed)


@rule("Puppet treats equal Timestamp and Timespan types with bounds as different keys, because the bounds have no hash method (docs/status.md)")
def _(case, code, difference, expected, actual):
    written = re.search(r"Time(stamp|span)\[", code)
    return difference[0] in ("value", "set", "logs") and bool(written) and re.search(r"group_by|unique|union|intersection|difference|Variant", code) is not None


@rule("type strings: ranges with strings as bounds; Puppet compares the strings")
def _(case, code, difference, expected, actual):
    return re.search(r"Type\(.*(Integer|Float)\[\\*['\"]", code) is not None and re.search(r"<.*(Integer|Float)\['.*> is not a valid type spec", actual.get("error") or "") is not None


@rule("sprintf truncates the string of a Ruby object with its address")
def _(case, code, difference, expected, actual):
    return difference[0] == "value" and re.search(r"%[-+0# ]*\d*\.\d+s", code) is not None and re.search(r"#<?\w{0,40}'", difference[1]) is not None


@rule("the size of Hash[K, V, size] is an integer; Puppet also keeps a Float or a time (docs/status.md)")
def _(case, code, difference, expected, actual):
    written = re.search(r"Hash\[.*, (Timespan|Timestamp|Float)?\(?[\d.e+-]+\)?\]", code)
    size = re.compile(r", (\d+-\d\d:\d\d:\d\d\.\d+|\d+-\d\d-\d\dT[\d:.]+ UTC|\d+\.\d+|\d+)(?=\])")
    spans = lambda string: [match.span(1) for match in size.finditer(string)]
    return difference[0] in ("value", "type") and bool(written) and matches_except_gaps(difference[1], difference[2], spans, r".+")


@rule("validate_legacy and deprecation return an object of Puppet's log")
def _(case, code, difference, expected, actual):
    find_log_types = lambda string: [match.span() for match in re.finditer(r"(?:Instance of )?Runtime\[ruby, 'Puppet::Util::Log'\]|RichData|Any", string)]
    log_type = "Runtime[ruby, 'Puppet::Util::Log']"
    return difference[0] in ("value", "type", "set") and log_type in str(expected.get("value")) and matches_except_gaps(difference[1], difference[2], find_log_types, ".+?")


@rule("the title of a class reference with an empty name is a Ruby symbol")
def _(case, code, difference, expected, actual):
    spans = lambda string: [span for match in re.finditer(r"\bClass\[('?main'?)\]", string) for span in [match.span(match.lastindex)]]
    return difference[0] == "value" and "any2array" in code and matches_except_gaps(difference[1], difference[2], spans, r"'?\w+'?")
