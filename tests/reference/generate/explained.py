"""Differences that have a reason, as narrow as they can be."""

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
    """Makes equal what is the same said otherwise; both answers are changed in place.

    - The reference names the environment in front of what fails to parse; that is the compiler's addition.
    - It gives no place for the end of input; ours has one.
    """
    for answer in (wanted, got):
        # stdlib's deprecation() names the stack of Ruby files.
        answer["logs"] = [re.sub(r" \(line: 1, column: \d+\)$", "", line) if line.startswith("warning: Cannot check if ") else line for line in answer["logs"]]
        answer["logs"] = [re.sub(r" at \[.*", "", line, flags=re.S) if "deprecated" in line else line for line in answer["logs"]]
        answer["error"] = re.sub(r"(deprecation\. .*) at \[.*", r"\1", answer["error"], flags=re.S) if answer["error"] else None
    # The number of a Ruby object; what it is is compared.
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
    # The compiler logs what it failed with; that is the answer already.
    wanted["logs"] = [line for line in wanted["logs"] if line != f"err: {error}"]
    if got["error"]:
        # Ruby's hints are switched off for the comparison.
        got["error"] = re.sub(r"\nDid you mean\?  \S+", "", got["error"])
    if got["error"] and not PLACE.search(error) and PLACE.sub("", got["error"]) == error:
        # Ruby's own exceptions reach the top without a place; ours always has one.
        got["error"] = error


PLACE = re.compile(r" \((?:file: [^)]*, )?line: \d+(?:, column: \d+)?\)$")


@rule("the message shows the address of a Ruby object")
def _(case, text, found, wanted, got):
    # What is before the address must be equal where both show the same kind of thing.
    # shell_escape and its like put backslashes before the signs.
    object_shown = r"\\?#\\?<[\w:]+:(0x[0-9a-f]{8,}| #<)|!ruby/object\nhash: -?\d+\n"
    return re.search(object_shown, str(wanted.get("error")) + str(wanted.get("value")).replace("\\n", "\n") + str(wanted.get("logs"))) is not None


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
    return "Pattern[/(?x-mi:" in (wanted.get("error") or "") and bare(wanted) == bare(got) or "!ruby/object:URI::" in str(wanted.get("value"))


@rule("endless recursion: ours says where")
def _(case, text, found, wanted, got):
    given = got.get("error") or ""
    # An alias that is only itself, optional, cannot be made: ours says that.
    made = re.search(r"^type \S+ = Optional\[", text, re.M) and "Creation of new instance of type" in given
    # An alias of nothing but itself compares with itself here.
    compared = not given and re.search(r"^type (\S+) = (Optional|Array)\[\1\]$", text, re.M)
    return (wanted.get("error") or "").startswith("stack level too deep") and ("stack level too deep" in given or bool(made or compared))


@rule("the reference takes longer than 10 s: there is nothing to compare with")
def _(case, text, found, wanted, got):
    given = got.get("error") or ""
    return wanted.get("error") == "execution expired" and not re.search(r"the process died|^panicked", given)


@rule("very large values are refused (docs/status.md)")
def _(case, text, found, wanted, got):
    return re.search(r"characters are too many|shift width too big|width too big", got.get("error") or "") is not None



@rule("a malformed regular expression in Regexp[…]: Ruby notices when it is used first, ours where it stands")
def _(case, text, found, wanted, got):
    bad = r"(end pattern with unmatched parenthesis|target of repeat operator is not specified): /"
    return "Regexp[" in text and (re.search(bad, wanted.get("error") or "") or re.search(bad + r".*column", got.get("error") or "")) is not None


@rule("the value of a collector is a Ruby object in the reference")
def _(case, text, found, wanted, got):
    return found[0] in ("logs", "catalog", "error") and re.search(r"(Catalog|Exported)-?Collector", str(wanted.get("logs")) + found[1]) is not None


@rule("a Deferred of a function that is not there, given to a parameter with a type: the reference crashes")
def _(case, text, found, wanted, got):
    return "Deferred" in text and "undefined method `dispatcher' for NilClass:Class" in (wanted.get("error") or "")


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


@rule("functions of the older kind give references as Ruby objects, which are written otherwise")
def _(case, text, found, wanted, got):
    bare = lambda answer, key: re.sub(r"Instance of Type\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", r"\1", str(answer.get(key)))
    return found[0] == "value" and "Instance of Type[" in str(wanted.get("value")) and bare(wanted, "value") == bare(got, "value")


@rule("Ruby shows the address of a time for the format %p")
def _(case, text, found, wanted, got):
    return found[0] == "value" and re.search(r"%[-0-9. ]*p", text) is not None and re.search(r"#<P|^'\s*#<?'$", str(wanted.get("value"))) is not None



@rule("SemVer[''] has no bounds: Ruby fails where ours takes none for all")
def _(case, text, found, wanted, got):
    return "SemVer['']" in text and "undefined method `<=' for nil:NilClass" in (wanted.get("error") or "")


@rule("an alias of Regexp[…], URI[…] or Typeset[…] with wrong parameters: the reference does not look at them where it is defined")
def _(case, text, found, wanted, got):
    return re.search(r"^type [\w:]+ = .*(Regexp|Type[sS]et|URI)\[", text, re.M) is not None and re.search(r"Regexp-Type|URI-Type|TypeSet-Type|TypeSet name", got.get("error") or "") is not None


@rule("functions of stdlib given keys that are no texts, or several wrong arguments: Ruby fails on another one, or at all")
def _(case, text, found, wanted, got):
    ruby = r"undefined method `(intern|to_sym|split)' for|no implicit conversion of .* into|Reference is not understood|comparison of \w+ with .* failed|invalid address:|too short escape sequence|undefined method `gsub' for"
    return case["kind"] == "stdlib" and re.search(ruby, wanted.get("error") or "") is not None


@rule("stdlib's dig() and try_get_value(): what they log of each other depends on what the process has loaded")
def _(case, text, found, wanted, got):
    loading = re.compile(r"dig\(\) DEPRECATED|autoloader#load(ed\?)?\(\"dig44\"\)")
    bare = lambda answer: [line for line in answer["logs"] if not loading.search(line)]
    return found[0] == "logs" and re.search(r"\bdig|try_get_value", text) is not None and bare(wanted) == bare(got)


@rule("Init[T] where T cannot be made so: the reference fails when a value is tried, ours says it is none")
def _(case, text, found, wanted, got):
    return "Init" in text and re.search(r"Creation of new instance of type .* is not supported|does not represent a valid set of parameters for|undefined method `sub' for nil:NilClass", wanted.get("error") or "") is not None



@rule("Ruby's own failures in rare places: a heredoc of one continued line, merge() without arguments, iterables asked for their type, tree_each of an iterator, assert_type with an Optional of nothing, a lone $::")
def _(case, text, found, wanted, got):
    error = wanted.get("error") or ""
    return ("@(" in text and "undefined method `length' for nil:NilClass" in error) or ("merge(" in text and re.search(r"wrong number of arguments \(given \d, expected 1\)", error) is not None) or ("@(" in text and "undefined method `+' for nil:NilClass" in error) or ("::" in text and "undefined method `>=' for nil:NilClass" in error) or "undefined method `element_type' for false:FalseClass" in error or ("tree_each" in text and "undefined method `next' for nil:NilClass" in error) or (re.search(r"assert_type|lookup\(", text) is not None and "undefined method `normalize' for nil:NilClass" in error) or ("Init[" in text and "wrong number of arguments (given 1, expected 2)" in error)


@rule("Timestamps and Timespans as keys: Ruby goes by their addresses, so that equal ones are mostly not the same key")
def _(case, text, found, wanted, got):
    time = r"'\d+-\d\d:\d\d:\d\d\.\d+'|'-?\d+-\d\d-\d\dT[\d:.]+ UTC'"
    if not re.search(r"Time(span|stamp)|strptime", text) or wanted.get("error") or got.get("error"):
        return False
    times = lambda answer: re.findall(time, str(answer.get("value")).replace("\\'", "'"))
    there, here = times(wanted), times(got)
    return set(there) == set(here) and len(there) > len(here) and len(set(there)) < len(there)


@rule("to_yaml and parseyaml: objects of Ruby, symbols, are no values of the language")
def _(case, text, found, wanted, got):
    shown = str(wanted.get("value")) + str(wanted.get("error"))
    return "yaml" in text and found[0] in ("value", "type") and ("!ruby/object:Puppet::Pops::" in shown or "Runtime[ruby, 'Symbol']" in str(wanted.get("type")))


@rule("Timestamps and Timespans stop at 128 bits of nanoseconds (docs/status.md)")
def _(case, text, found, wanted, got):
    return found[0] in ("value", "type", "error") and re.search(r"\d{22,}-\d\d[-:]\d\d", str(wanted.get("value")) + str(wanted.get("error"))) is not None


@rule("to_python and to_ruby: where Ruby has one object twice, and all types without parameters are one object each, the reference writes a LocalRef in place of the second")
def _(case, text, found, wanted, got):
    return found[0] in ("value", "outcome") and re.search(r"to_(python|ruby)", text) is not None and "LocalRef" in str(wanted.get("value"))


@rule("validate_legacy and deprecation give an object of the reference's log")
def _(case, text, found, wanted, got):
    return found[0] in ("value", "type", "set") and "Instance of Runtime[ruby, 'Puppet::Util::Log']" in str(wanted.get("value"))
