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
    - Several errors of validation: it logs each and fails with their number; ours fails with the first.
    """
    error = wanted["error"]
    if not error:
        return
    start = "Could not parse for environment production: "
    wanted["logs"] = [line.replace(start, "", 1) for line in wanted["logs"]]
    error = error[len(start):] if error.startswith(start) else error
    if error == "Syntax error at end of input" and got["error"]:
        got["error"] = re.sub(r"^(Syntax error at end of input) \(line: \d+, column: \d+\)$", r"\1", got["error"])
    if re.match(r"Language validation logged \d+ errors. Giving up", error):
        errors = [line for line in wanted["logs"] if line.startswith("err: ")]
        if errors:
            error = errors[0][5:]
            wanted["logs"] = [line for line in wanted["logs"] if not line.startswith("err: ")]
    wanted["error"] = error


@rule("the message shows the address of a Ruby object")
def _(case, text, found, wanted, got):
    return re.search(r"#<[\w:]+:0x[0-9a-f]{8,}", str(wanted.get("error")) + str(wanted.get("value")) + str(wanted.get("logs"))) is not None
