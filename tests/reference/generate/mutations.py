"""Code with a token removed, added or moved."""

import re

from .tree import n, seq

TOKEN = re.compile(r"""\s+|\#.*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|@\([^)]*\)|\$?(?:::)?[A-Za-z_]\w*(?:::\w+)*|\d[\w.]*|<<\||\|>>|<\||\|>|->|~>|<-|<~|=>|\+>|==|!=|<=|>=|=~|!~|<<|>>|\+=|-=|@@|/(?:[^/\\\n ]|\\.)+/|.""", re.S)
EXTRA = ["(", ")", "[", "]", "{", "}", ",", ";", ":", "=>", "|", "$", "'", '"', "if", "else", "class", "define", "node", "case", "default", "undef", "1", "x", "X", "$x", "=", "==", "+", "-", "*", "@", "/", "?", "and", "in", "function", "type",
         "inherits", "unless", "elsif", "import", "::", ".", "true", "<|", "|>", "->", "+>", "!", "%", "#", "/*", "\\", "application", "site", "plan", "@(X)", "`", "~", "^", "&", "0x", "1.", "08", "1x", "$1x", "$::", "X::", "x::", "_x", "X[", "attr", "private", "consumes", "produces", "\u00e9", "__x", "$_a", "$A", "x::_y"]


class Mutations:
    """A mixin of Generator."""

    def mutated_code(self, text):
        rng = self.rng
        tokens = TOKEN.findall(text)
        solid = [at for at, token in enumerate(tokens) if not token.isspace()]
        for _ in range(rng.choice([1, 1, 1, 2])):
            if not solid:
                break
            at = rng.choice(solid)
            if at >= len(tokens):
                continue
            pick = rng.random()
            if pick < 0.3:
                tokens[at] = ""
            elif pick < 0.45:
                tokens[at] = tokens[at] + " " + tokens[at]
            elif pick < 0.6:
                other = rng.choice(solid)
                if other < len(tokens):
                    tokens[at], tokens[other] = tokens[other], tokens[at]
            elif pick < 0.8:
                tokens[at] = rng.choice(EXTRA)
            elif pick < 0.95:
                tokens[at] = rng.choice(EXTRA) + rng.choice(["", " "]) + tokens[at]
            else:
                del tokens[at:]
        return n("code", seq([token for token in tokens if token], ""))
