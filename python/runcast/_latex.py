"""Formulas as LaTeX."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_][\w.]*)|(==|!=|<=|>=|[-+*/^(),<>]))")
_RELATIONS = {"==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}
_WORDS = {"and": r"\land", "or": r"\lor", "not": r"\lnot"}
_FUNCTIONS = {"log": r"\ln", "log2": r"\log_2", "log10": r"\log_{10}", "min": r"\min", "max": r"\max"}


def latex(text: str) -> str:
    """The LaTeX of a formula that was read before, so that it is known to be right."""
    return _Reader(text).whole()


class _Reader:
    """Reads by precedence: each method returns the LaTeX of a level."""

    def __init__(self, text: str) -> None:
        self.tokens = [next(part for part in match.groups() if part) for match in _TOKEN.finditer(text)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self) -> str:
        left = self.relation()
        while self.peek() in ("and", "or"):
            left = f"{left} {_WORDS[self.take()]} {self.relation()}"
        return left

    def relation(self) -> str:
        if self.peek() == "not":
            self.take()
            return r"\lnot " + self.relation()
        left = self.sum()
        if self.peek() in _RELATIONS:
            left = f"{left} {_RELATIONS[self.take()]} {self.sum()}"
        return left

    def sum(self) -> str:
        left = self.product()
        while self.peek() in ("+", "-"):
            left = f"{left} {self.take()} {self.product()}"
        return left

    def product(self) -> str:
        left = self.signed()
        while self.peek() in ("*", "/"):
            if self.take() == "/":
                left = rf"\frac{{{left}}}{{{self.signed(bare=True)}}}"
            else:
                right = self.signed()
                left = rf"{left} \cdot {right}" if right[:1].isdigit() else f"{left} {right}"
        return left

    def signed(self, bare: bool = False) -> str:
        if self.peek() in ("-", "+"):
            sign = self.take()
            return ("-" if sign == "-" else "") + self.signed(bare)
        base = self.atom(bare and self.after_atom() != "^")
        if self.peek() == "^":
            self.take()
            return f"{base}^{{{self.signed(bare=True)}}}"
        return base

    def after_atom(self) -> str:
        """What stands behind the brackets that begin here."""
        depth = 0
        for at in range(self.at, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.tokens[at], 0)
            named = at == self.at and self.tokens[at][0].isalpha() and self.tokens[at + 1 : at + 2] == ["("]
            if depth == 0 and not named:
                return self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
        return ""

    def atom(self, bare: bool) -> str:
        token = self.take()
        if token == "(":
            inside = self.whole()
            self.take()
            return inside if bare else rf"\left({inside}\right)"
        if self.peek() == "(":
            return self.call(token)
        if token[0].isdigit() or token[0] == ".":
            mantissa, _, exponent = token.lower().partition("e")
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else token
        return token if len(token) == 1 else r"\mathrm{" + token.replace("_", r"\_") + "}"

    def call(self, name: str) -> str:
        self.take()
        arguments = [self.whole()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.whole())
        self.take()
        if name == "sqrt":
            return rf"\sqrt{{{arguments[0]}}}"
        if name == "cbrt":
            return rf"\sqrt[3]{{{arguments[0]}}}"
        if name == "pow":
            return rf"{{{arguments[0]}}}^{{{arguments[1]}}}"
        if name == "abs":
            return rf"\left|{arguments[0]}\right|"
        if name in ("floor", "ceil"):
            return rf"\left\l{name} {arguments[0]} \right\r{name}"
        word = _FUNCTIONS.get(name, r"\operatorname{" + name + "}")
        return rf"{word}\left({', '.join(arguments)}\right)"
