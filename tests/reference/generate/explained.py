"""Rules for known differences and their reasons. Each rule matches as few cases as possible."""

import re

RULES = []


def rule(reason):
    def add(test):
        RULES.append((reason, test))
        return test

    return add


def why(case, text, found, wanted, got):
    """The reason of a difference, or None."""
    for reason, test in RULES:
        if test(case, text, found, wanted, got):
            return reason
    return None


def level(wanted, got):
    """Removes differences of form between both answers, in place.

    - Puppet's compiler puts the environment before syntax errors.
    - Puppet's errors at the end of input have no location; Catwalk's have one.
    """
    for answer in (wanted, got):
        # stdlib's deprecation() prints the stack of Ruby files.
        answer["logs"] = [re.sub(r" \(line: 1, column: \d+\)$", "", line) if line.startswith("warning: Cannot check if ") else line for line in answer["logs"]]
        answer["logs"] = [re.sub(r" at \[.*", "", line, flags=re.S) if "deprecated" in line else line for line in answer["logs"]]
        answer["error"] = re.sub(r"(deprecation\. .*) at \[.*", r"\1", answer["error"], flags=re.S) if answer["error"] else None
    # The address of a Ruby object is ignored, its class is compared.
    bare = re.compile(r"#<(Puppet::Resource::Type):0x[0-9a-f]+>")
    wanted["error"] = bare.sub(r"#<\1>", wanted["error"]) if wanted["error"] else None
    error = wanted["error"]
    if not error:
        return
    start = "Could not parse for environment production: "
    wanted["logs"] = [line.replace(start, "", 1) for line in wanted["logs"]]
    error = error[len(start):] if error.startswith(start) else error
    if error == "Syntax error at end of input" and got["error"]:
        got["error"] = re.sub(r"^(Syntax error at end of input) \(line: \d+, column: \d+\)$", r"\1", got["error"])
    wanted["error"] = error
    # The compiler also logs the error, which is already the answer.
    wanted["logs"] = [line for line in wanted["logs"] if line != f"err: {error}"]
    if got["error"]:
        # Ruby's hints are switched off for the comparison.
        got["error"] = re.sub(r"\nDid you mean\?  \S+", "", got["error"])
    if got["error"] and not PLACE.search(error) and PLACE.sub("", got["error"]) == error:
        # Ruby's exceptions have no location; Catwalk's errors always have one.
        got["error"] = error


PLACE = re.compile(r" \((?:file: [^)]*, )?line: \d+(?:, column: \d+)?\)$")


def like(wanted, given, gap, how):
    """Whether `given` is `wanted` except in the parts that `gap` finds, which must match the expression `how`."""
    parts, at = [], 0
    for start, end in gap(wanted):
        parts.append(re.escape(wanted[at:start]))
        at = end
    return at > 0 and re.fullmatch(how.join([*parts, re.escape(wanted[at:])]), given, re.S) is not None


def objects(text):
    """The positions of Ruby objects with their addresses in a string: `#<Foo:0x… @bar=#<Bar:0x…>>`. Functions such as shell_escape put
    backslashes before the signs. An object may contain `key=>value` and version ranges, `>=1.0.0`."""
    found, at = [], 0
    opening, pair, version = re.compile(r"#\\?<"), re.compile(r"=\\?$"), re.compile(r">\\?=(?!\\?>)|>\d")
    begin = re.compile(r"\\?#\\?<(?=(?:\\?#\\?<[Cc]lass:0x[0-9a-f]{8,}\\?>|[\w:]+):(0x[0-9a-f]{8,}|0X[0-9A-F]{8,}| #<)|Class:0x[0-9a-f]{8,}>)")
    while match := begin.search(text, at):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += 1 if opening.match(text, at) else -1 if text[at] == ">" and not pair.search(text, max(0, at - 2), at) and not version.match(text, at) else 0
            at += 1
        # Short messages also contain the class of such an object.
        found.append((match.start(), at))
    return found


@rule("the message shows the address of a Ruby object; the rest is compared")
def _(case, text, found, wanted, got):
    return found[0] in ("error", "value", "logs") and like(found[1], found[2], objects, "(?:.+?)")


@rule("a text turned around that shows the address of a Ruby object; the rest is compared")
def _(case, text, found, wanted, got):
    return found[0] == "value" and "reverse" in text and like(str(found[1])[::-1], str(found[2])[::-1], objects, "(?:.+?)")


@rule("each character once of a text that shows the address of a Ruby object: what stands before it is compared")
def _(case, text, found, wanted, got):
    once = str(wanted.get("value"))
    shown = re.search(r"#\\?<[A-Z][a-zA-Z:]+0?x[0-9a-f]+", once)
    return found[0] == "value" and "unique" in text and shown is not None and str(got.get("value")).startswith(once[:shown.start()])


@rule("the characters of a text that shows the address of a Ruby object: what stands before it is compared")
def _(case, text, found, wanted, got):
    characters = lambda answer: "".join(re.findall(r"'(\\.|[^'\\])'", str(answer.get("value"))))
    shown = re.search(r"#<(?:\w|:)+:0x[0-9a-f]{8,}", characters(wanted))
    return found[0] == "value" and shown is not None and characters(got).startswith(characters(wanted)[:shown.start() - 1])


@rule("a digest of a text that String() writes of objects: it shows the address of a Ruby object")
def _(case, text, found, wanted, got):
    digests = [str(answer.get("value")) for answer in (wanted, got)]
    objects = re.search(r"\b(?:md5|sha1|sha256|sha512)\(String\(.*(?:Timestamp|Timespan|SemVer|Sensitive|URI|Binary|Deferred|Error)", text) is not None
    return found[0] == "value" and objects and all(re.fullmatch(r"'[0-9a-f]{32,128}'", digest) for digest in digests) and len({len(digest) for digest in digests}) == 1


@rule("a regular expression in a text, of what is no pattern: Ruby fails where the type is shown, too")
def _(case, text, found, wanted, got):
    return found[0] in ("outcome", "error") and "Regexp[" in text and re.fullmatch(r"(?:.*[,.] )?no implicit conversion of \S+ into String(?: \(line: \d+, column: \d+\))?", wanted.get("error") or "") is not None


@rule("an error in a template, raised inside the reference: the message shows where its own Ruby code lies")
def _(case, text, found, wanted, got):
    place = re.compile(r"\n  Filepath: .*\n  Line: \d+\n")
    where = re.compile(r" on node web1\.example\.com\s*$")
    bare = lambda answer: where.sub("", place.sub("\n", answer.get("error") or ""))
    return re.search(r"\n  Filepath: .*/puppet/parser/scope\.rb\n", wanted.get("error") or "") is not None and bare(wanted) == bare(got)


@rule("Puppet 8 writes the pattern of a type's name otherwise: \\w for [\\w]")
def _(case, text, found, wanted, got):
    where = re.compile(r" on node web1\.example\.com\s*$")
    bare = lambda answer: where.sub("", answer.get("error") or "").replace("[\\w]*", "\\w*")
    return "\\A[A-Z]\\w*(?:::[A-Z]\\w*)*\\z" in (wanted.get("error") or "") and bare(wanted) == bare(got)


@rule("the message shows the regular expression of Ruby's URI library")
def _(case, text, found, wanted, got):
    bare = lambda answer: re.sub(r"Pattern\[/\(\?x-mi:.*\)/\]|Pattern\[/\(\?x-mi: RFC 2396 /\]", "Pattern[…]", re.sub(r" on node web1\.example\.com\s*$", "", answer.get("error") or ""), flags=re.S)
    return "Pattern[/(?x-mi:" in (wanted.get("error") or "") and bare(wanted) == bare(got)


@rule("endless recursion: ours says where")
def _(case, text, found, wanted, got):
    given = got.get("error") or ""
    # An alias that is only itself, optional, has no values; Catwalk reports that.
    made = re.search(r"^type \S+ = Optional\[", text, re.M) and re.search(r"(?:expects an? |of type ')(\S+) = Optional\[\1\](?: value|' is not supported)", given)
    # An alias that consists only of itself is compared with itself here.
    compared = not given and re.search(r"[=<>]=|\s[<>]\s", text) and re.search(r"^type (\S+) = .*\b\1\b", text, re.M)
    return (wanted.get("error") or "").startswith("stack level too deep") and ("stack level too deep" in given or bool(made or compared))


@rule("the reference takes longer than 10 s: there is nothing to compare with")
def _(case, text, found, wanted, got):
    given = got.get("error") or ""
    return wanted.get("error") == "execution expired" and not re.search(r"the process died|^panicked", given)


@rule("very large values are refused (docs/status.md)")
def _(case, text, found, wanted, got):
    return re.search(r"characters are too many|shift width too big|width too big", got.get("error") or "") is not None



@rule("a malformed regular expression in Regexp[…]: Ruby notices when it is used or shown first, ours where it stands outside of an alias")
def _(case, text, found, wanted, got):
    bad = r"Error while evaluating a ('\[\]' expression|Type-Name), (end pattern with unmatched parenthesis|target of repeat operator is not specified): /"
    late = r"(end pattern with unmatched parenthesis|target of repeat operator is not specified): /"
    return "Regexp[" in text and (re.search(bad, got.get("error") or "") is not None or re.search(late, wanted.get("error") or "") is not None)


@rule("a string of bytes is a Binary (docs/status.md)")
def _(case, text, found, wanted, got):
    return found[0] == "value" and "decode" in text and got.get("type") == "Binary" and wanted.get("type") == "String"


@rule("the value of a collector is a Ruby object in the reference")
def _(case, text, found, wanted, got):
    return found[0] in ("logs", "catalog", "error") and re.search(r"(Catalog|Exported)-?Collector", str(wanted.get("logs")) + found[1], re.I) is not None


@rule("a text in place of a reference, its title a number or capitalized: the reference takes the title for a value or a type")
def _(case, text, found, wanted, got):
    return re.search(r"The expression <[A-Z][\w:]*\[([A-Z]\w*|\d+)\]> is not a valid type specification", got.get("error") or "") is not None


@rule("Error with parameters as a value in the catalog: the reference takes it for endless")
def _(case, text, found, wanted, got):
    return "Error[" in text and "Endless recursion detected when attempting to serialize value of class Puppet::Pops::Types::PTypeAliasType" in (wanted.get("error") or "")


@rule("iterators of tree_each are Ruby objects in the reference: no value of the language, taken where iterators are refused")
def _(case, text, found, wanted, got):
    said = str(wanted.get("value")) + str(wanted.get("error")) + str(wanted.get("type")) + str(wanted.get("logs"))
    refused = "Use of an Iterator is not supported here" in str(got.get("error"))
    return "tree_each" in text and ("FirstTreeIterator" in said or refused or "got Runtime" in said)


@rule("Ruby shows the address of a time for the format %p")
def _(case, text, found, wanted, got):
    return found[0] == "value" and re.search(r"%[-+#0-9. ]*p", text) is not None and re.search(r"#<P|^'\s*#<?'$", str(wanted.get("value"))) is not None



@rule("SemVer[''] and SemVer['a || b'] have no bounds: Ruby fails where they are compared")
def _(case, text, found, wanted, got):
    ruby = r"undefined method `[<>]=?' for nil:NilClass|comparison of SemanticPuppet::Version with nil failed"
    return re.search(r"SemVer\['(|[^']*\|\|[^']*)'", text) is not None and re.search(ruby, wanted.get("error") or "") is not None


@rule("an alias of Regexp[…], URI[…] or Typeset[…] with wrong parameters, or one in a text: the reference does not look at them where it is defined")
def _(case, text, found, wanted, got):
    return re.search(r"(^type [\w:]+ = .*|Type\('.*|assert_type\('.*)(Regexp|Type[sS]et|URI)\[", text, re.M) is not None and re.search(r"Regexp-Type|URI-Type|TypeSet-Type|TypeSet name", got.get("error") or "") is not None


@rule("functions of stdlib given keys that are no texts, or several wrong arguments: Ruby fails on another one, or at all")
def _(case, text, found, wanted, got):
    ruby = r"undefined method `(intern|to_sym|split)' for|no implicit conversion of .* into|Reference is not understood|comparison of \w+ with .* failed|invalid address:|too short escape sequence|undefined method `gsub' for"
    return case["kind"] == "stdlib" and re.search(ruby, wanted.get("error") or "") is not None


@rule("stdlib's functions that load others, dig() among them: what they log of that depends on what the process has loaded")
def _(case, text, found, wanted, got):
    loading = re.compile(r"dig\(\) DEPRECATED|autoloader#load(ed\?)?\(\"(dig44|has_interface_with|assert_private)\"\)")
    bare = lambda answer: [line for line in answer["logs"] if not loading.search(line)]
    return found[0] == "logs" and re.search(r"\bdig|try_get_value|has_ip_(address|network)|\bprivate\b", text) is not None and bare(wanted) == bare(got)


@rule("Init[T] where T cannot be made so: the reference fails when a value is tried, ours says it is none")
def _(case, text, found, wanted, got):
    return "Init" in text and re.search(r"Creation of new instance of type .* is not supported|does not represent a valid set of parameters for|undefined method `sub' for nil:NilClass", wanted.get("error") or "") is not None



# Ruby's errors in rare cases: (pattern of the code, Ruby's message, Catwalk's message).
CRASHES = [
    ("a heredoc of one continued line", r"@\(", r"undefined method `(length|\+)' for nil:NilClass", r""),
    ("two colons at the end of the code", r"::[\"')]*\s*(\Z|\n|,)", r"undefined method `>=' for nil:NilClass|index out of range", r"Illegal fully qualified"),
    ("a function named by two colons", r"['\"]::['\"]", r"undefined method `empty\?' for nil:NilClass", r"Unknown function"),
    ("an object asked whether it is an Iterable of something", r"Iterable\[", r"undefined method `element_type' for false:FalseClass", r""),
    ("a lazy tree_each of an iterator", r"tree_each", r"undefined method `next' for nil:NilClass", r""),
    ("a Variant with an Optional of nothing", r"Variant|Data|Optional", r"undefined method `normalize' for nil:NilClass", r""),
    ("text of broken bytes, which fails when it is looked at", r"%[^a-z]*c", r"invalid byte sequence in UTF-8", r""),
    ("a Callable of a list and what is no type", r"Callable\[\[", r"undefined local variable or method `k' for #<Puppet::Pops::Evaluator::AccessOperator:", r"Cannot use .* where Any-Type is expected"),
    ("a TypeSet of something else than a hash", r"TypeSet\[", r"undefined method `map' for #<Puppet::Pops::Model::", r"TypeSet initializer has wrong type|is not a valid type specification"),
    ("a walk through a tree with an Error in it", r"(?s)tree_each.*Error|Error.*tree_each", r"undefined method `_pcore_type' for #<Puppet::DataTypes::Error:", r""),
    ("an Init of an alias of nothing among others", r"Init\[(Optional\[)?TypeAlias\]", r"protected method `new_function' called for #<Puppet::Pops::Types::PTypeAliasType:", r""),
    ("TypeAlias with two colons in front, which is resolved once more", r"::TypeAlias", r"can't modify frozen Puppet::Pops::Types::PTypeAliasType", r""),
    ("an alias of an unknown type with parameters, whose text the reference cuts short and reads again", r"(?m)^type \S+ = (::)?[A-Z][\w:]*\[", r"Error while evaluating a Type-Name, Syntax error at end of input", r""),
    ("two types of a Runtime in common", r"Runtime", r"private method `provide_from_type' called for Puppet::Pops::Types::ClassLoader:Class", r""),
    ("an Init of an object type of no name", r"Init\[.*Object\[", r"undefined method `sub' for nil:NilClass", r""),
    ("spans that are apart in one type", r"Time(span|stamp)", r"undefined method `adjacent\?' for #<Puppet::Pops::Types::PTime", r""),
    ("a NaN among floats of data, which have a least one for their type", r"(?i)\.nan", r"comparison of \S+ with \S+ failed", r""),
    ("an Init of a Struct among others", r"Init\[", r"wrong number of arguments \(given 1, expected 2\)", r""),
]


def crash(code, ruby, ours):
    return lambda case, text, found, wanted, got: all(re.search(*what) for what in ((code, text), (ruby, wanted.get("error") or ""), (ours, got.get("error") or "")))


for what, *signs in CRASHES:
    rule(f"Ruby's own failure: {what}")(crash(*signs))


@rule("Timestamps and Timespans as keys: Ruby goes by their addresses, so that equal ones are mostly not the same key")
def _(case, text, found, wanted, got):
    time = r"'\d+-\d\d:\d\d:\d\d\.\d+'|'-?\d+-\d\d-\d\dT[\d:.]+ UTC'"
    if not re.search(r"Time(span|stamp)|strptime", text) or wanted.get("error") or got.get("error"):
        return False
    if wanted.get("value") == "undef" and re.search(r"\{(\S+\(.*\)) => 2\}\[\1\]", text):
        return True
    times = lambda answer: re.findall(time, str(answer.get("value")).replace("\\'", "'"))
    there, here = times(wanted), times(got)
    return set(there) == set(here) and len(there) > len(here) and len(set(there)) < len(there)


@rule("to_yaml: objects of Ruby are no values of the language")
def _(case, text, found, wanted, got):
    # Also character by character.
    whole = lambda answer: str(answer.get("value")).replace("', '", "")
    shown = whole(wanted) + str(wanted.get("error"))
    before = lambda answer: whole(answer).split("!ruby/")[0].rstrip(" \\n-?")
    written = re.search(r"!ruby/object(:|\\n)", shown) and whole(got).startswith(before(wanted))
    if "to_yaml" in text and re.search(r"can't dump anonymous (module|class): ", wanted.get("error") or ""):
        return True
    return "yaml" in text and found[0] in ("value", "type") and written


@rule("Timestamps and Timespans stop at 128 bits of nanoseconds (docs/status.md)")
def _(case, text, found, wanted, got):
    digits = lambda answer: re.sub(r"\d+", "0", str(answer.get("value")))
    far = re.search(r"Time(stamp|span)", text) and re.search(r"1e\d\d", text) and digits(wanted) == digits(got)
    year = re.compile(r"\d{22,}-\d\d[-:]\d\d")
    shown = year.search(str(wanted.get("value")) + str(wanted.get("error")))
    logged = found[0] == "logs" and year.search(found[1])
    return bool(logged) or found[0] in ("value", "type", "error") and bool(far or shown)


@rule("types of bounded time are keys each of its own in the reference: their ends have no hash (docs/status.md)")
def _(case, text, found, wanted, got):
    written = re.search(r"Time(stamp|span)\[", text)
    return found[0] in ("value", "set", "logs") and bool(written) and re.search(r"group_by|unique|union|intersection|difference|Variant", text) is not None


@rule("ranges from text to text, in the text of a type: the reference compares them as it finds them")
def _(case, text, found, wanted, got):
    return re.search(r"Type\(.*(Integer|Float)\[\\*['\"]", text) is not None and re.search(r"<.*(Integer|Float)\['.*> is not a valid type spec", got.get("error") or "") is not None


@rule("sprintf cuts the text of a Ruby object short, address and all")
def _(case, text, found, wanted, got):
    return found[0] == "value" and re.search(r"%[-+0# ]*\d*\.\d+s", text) is not None and re.search(r"#<?\w{0,40}'", found[1]) is not None


@rule("the size of Hash[K, V, size] is a whole number, the reference keeps a Float or a time as it is (docs/status.md)")
def _(case, text, found, wanted, got):
    written = re.search(r"Hash\[.*, (Timespan|Timestamp|Float)?\(?[\d.e+-]+\)?\]", text)
    size = re.compile(r", (\d+-\d\d:\d\d:\d\d\.\d+|\d+-\d\d-\d\dT[\d:.]+ UTC|\d+\.\d+|\d+)(?=\])")
    spans = lambda said: [match.span(1) for match in size.finditer(said)]
    return found[0] in ("value", "type") and bool(written) and like(found[1], found[2], spans, r".+")


@rule("validate_legacy and deprecation give an object of the reference's log")
def _(case, text, found, wanted, got):
    logged = lambda said: [match.span() for match in re.finditer(r"(?:Instance of )?Runtime\[ruby, 'Puppet::Util::Log'\]|RichData|Any", said)]
    shown = "Runtime[ruby, 'Puppet::Util::Log']"
    return found[0] in ("value", "type", "set") and shown in str(wanted.get("value")) and like(found[1], found[2], logged, ".+?")


@rule("the title of the class of no name is a symbol of Ruby")
def _(case, text, found, wanted, got):
    spans = lambda said: [span for match in re.finditer(r"\bClass\[('?main'?)\]", said) for span in [match.span(match.lastindex)]]
    return found[0] == "value" and "any2array" in text and like(found[1], found[2], spans, r"'?\w+'?")
