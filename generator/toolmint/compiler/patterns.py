r"""``pattern`` is ECMA-262, Python's ``re`` is not: one is translated to the other, or refused with the reason.

The dialect is that of the ``u`` flag (ECMA-262, section 22.2), as JSON Schema recommends: code points, not UTF-16.
Two things that flag forbids are let through because they can mean only one thing: an escaped ASCII punctuation mark
outside a class (``\-``, ``\@``) and a brace or bracket that closes or repeats nothing.

What comes out is compiled with ``re.ASCII``, so that ``\d``, ``\w`` and ``\b`` mean what they mean in ECMA-262.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

MAX_LENGTH = 10_000
"""Longest pattern that is looked at, in characters."""

MAX_GROUPS_DEEP = 40
"""Most groups inside each other."""

LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
"""Code points as sorted, disjoint, inclusive ranges."""

_SPACES: Ranges = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_DIGITS: Ranges = ((0x30, 0x39),)
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}

_CATEGORIES = {
    "L": "Letter", "LC": "Cased_Letter", "Lu": "Uppercase_Letter", "Ll": "Lowercase_Letter", "Lt": "Titlecase_Letter",
    "Lm": "Modifier_Letter", "Lo": "Other_Letter", "M": "Mark", "Mn": "Nonspacing_Mark", "Mc": "Spacing_Mark",
    "Me": "Enclosing_Mark", "N": "Number", "Nd": "Decimal_Number", "Nl": "Letter_Number", "No": "Other_Number",
    "P": "Punctuation", "Pc": "Connector_Punctuation", "Pd": "Dash_Punctuation", "Ps": "Open_Punctuation",
    "Pe": "Close_Punctuation", "Pi": "Initial_Punctuation", "Pf": "Final_Punctuation", "Po": "Other_Punctuation",
    "S": "Symbol", "Sm": "Math_Symbol", "Sc": "Currency_Symbol", "Sk": "Modifier_Symbol", "So": "Other_Symbol",
    "Z": "Separator", "Zs": "Space_Separator", "Zl": "Line_Separator", "Zp": "Paragraph_Separator", "C": "Other",
    "Cc": "Control", "Cf": "Format", "Cs": "Surrogate", "Co": "Private_Use", "Cn": "Unassigned",
}  # fmt: skip
_CATEGORY_NAMES = (
    {name: short for short, name in _CATEGORIES.items()}
    | {short: short for short in _CATEGORIES}
    | {"punct": "P", "digit": "Nd", "cntrl": "Cc", "Combining_Mark": "M"}
)


class PatternError(ValueError):
    """A pattern that is no ECMA-262 or has no faithful translation; ``hint`` says what to write instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Category:
    r"""A Unicode general category inside a character class, as ``\p{..}`` names it; its members depend on Python."""

    name: str
    negated: bool


# -- syntax tree -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chars:
    """One code point out of ``ranges``."""

    text: tuple[str | Category, ...]
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, in order of preference."""

    options: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A quantified part; ``most`` is None where there is no upper end."""

    body: "Tree"
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A group; ``number`` counts capturing ones from 1."""

    body: "Tree"
    number: int | None


@dataclass(frozen=True, slots=True)
class Look:
    """An assertion about what follows or precedes."""

    body: "Tree"
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """An assertion that takes no characters: start, end, word boundary. ``text`` is Python's spelling."""

    text: str


@dataclass(frozen=True, slots=True)
class Backreference:
    """What a group took, once more; nothing if it took no part."""

    number: int


Tree = Chars | Sequence | Choice | Repeat | Group | Look | Anchor | Backreference

START, END = Anchor("^"), Anchor(r"\Z")
_BOUNDARY, _NO_BOUNDARY = Anchor(r"\b"), Anchor(r"(?!\b)")  # before 3.14, Python's \B does not match an empty string


@dataclass(frozen=True, slots=True)
class Pattern:
    """An ECMA-262 pattern and its translation.

    Attributes:
        source: the pattern as the schema has it.
        pieces: its translation to ``re`` with the ASCII flag; a category stands for the members of a class.
        anchored: whether every match begins at the start, so that ``match`` does for ``search``.
        max_length: longest text it may be tried on in bounded time, or None where time is linear.
    """

    source: str
    pieces: tuple[str | Category, ...]
    anchored: bool
    max_length: int | None


@lru_cache(maxsize=4096)
def translate(source: str) -> Pattern:
    """Translate an ECMA-262 pattern.

    Raises:
        PatternError: it is no pattern, Python cannot express it, or it can take exponential time.
    """
    from .backtracking import longest_text

    if len(source) > MAX_LENGTH:
        raise PatternError(f"the pattern is longer than {MAX_LENGTH} characters", "use enum for a list of words")
    tree = _Parser(source).parse()
    pieces = _merged(_python(tree))
    sample = "".join(piece if isinstance(piece, str) else "a" for piece in pieces)
    try:
        re.compile(sample, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        reason = str(error).partition(" at position")[0]
        raise PatternError(
            f"the pattern {_shown(source)} has no equal in Python: {reason}", "write it another way"
        ) from None
    return Pattern(source, pieces, _anchored(tree), longest_text(tree, source))


def complement(ranges: Ranges) -> Ranges:
    """All other code points."""
    gaps, start = [], 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    return (*gaps, (start, LAST)) if start <= LAST else tuple(gaps)


def union(ranges: list[tuple[int, int]]) -> Ranges:
    """Return the same code points as sorted, disjoint ranges."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


@cache
def _category_ranges(name: str) -> Ranges:
    return union([(i, i) for i in range(LAST + 1) if _in_category(unicodedata.category(chr(i)), name)])


def _in_category(category: str, name: str) -> bool:
    return category in {"Lu", "Ll", "Lt"} if name == "LC" else category.startswith(name)


def _shown(source: str) -> str:
    return repr(source if len(source) <= 60 else f"{source[:57]}...")


# -- parsing ---------------------------------------------------------------------------------------------------------

_NO_PATTERN = "the pattern {} is no ECMA-262 pattern: {}"


class _Parser:
    """Reads a pattern from left to right; ``_at`` is the position of the next character."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._depth = 0
        self._groups = 0
        self._open: list[int] = []
        self._closed: set[int] = set()
        self._names: dict[str, int] = {}
        self._unsafe: set[int] = set()
        self._references: list[int] = []

    def parse(self) -> Tree:
        tree = self._choice()
        if self._at < len(self._source):
            raise self._error("a closing parenthesis without an opening one")
        return tree

    def _error(self, reason: str, hint: str = "") -> PatternError:
        return PatternError(_NO_PATTERN.format(_shown(self._source), f"{reason} at position {self._at}"), hint)

    def _unsupported(self, what: str, hint: str) -> PatternError:
        return PatternError(f"the pattern {_shown(self._source)} uses {what}, which Python's re does differently", hint)

    def _peek(self, text: str) -> bool:
        return self._source.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        if self._peek(text):
            self._at += len(text)
            return True
        return False

    def _next(self) -> str:
        if self._at >= len(self._source):
            raise self._error("it ends too early")
        self._at += 1
        return self._source[self._at - 1]

    def _match(self, expression: str) -> re.Match[str] | None:
        if match := re.compile(expression).match(self._source, self._at):
            self._at = match.end()
        return match

    def _choice(self) -> Tree:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Tree:
        parts: list[Tree] = []
        while self._at < len(self._source) and not self._peek("|") and not self._peek(")"):
            groups_before, references_before = self._groups, len(self._references)
            part = self._term()
            quantifier = self._quantifier()
            if quantifier is not None:
                if isinstance(part, Anchor | Look):
                    raise self._error("a quantifier after an assertion")
                part = Repeat(part, *quantifier)
                if quantifier[1] != 1:  # from one round to the next ECMA-262 forgets captures, Python keeps them
                    self._unsafe.update(range(groups_before + 1, self._groups + 1))
                    for number in self._references[references_before:]:
                        self._refuse_unsafe(number)
            parts.append(part)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _quantifier(self) -> tuple[int, int | None, bool] | None:
        bounds: tuple[int, int | None]
        if self._take("*"):
            bounds = (0, None)
        elif self._take("+"):
            bounds = (1, None)
        elif self._take("?"):
            bounds = (0, 1)
        elif match := self._match(r"\{([0-9]+)(?:(,)([0-9]*))?\}"):
            if len(match[1]) > 9 or len(match[3] or "") > 9:
                raise self._error("a repetition of more than 999999999 times")
            least = int(match[1])
            bounds = (least, least if not match[2] else int(match[3]) if match[3] else None)
            if bounds[1] is not None and bounds[1] < least:
                raise self._error("a repetition whose bounds are out of order")
        else:
            return None
        return (*bounds, self._take("?"))

    def _term(self) -> Tree:
        char = self._next()
        if char == "^":
            return START
        if char == "$":
            return END
        if char == ".":
            return Chars((r"[^\n\r\u2028\u2029]",), complement(_LINE_ENDS))
        if char == "[":
            return self._class()
        if char == "(":
            return self._group()
        if char == "\\":
            return self._escape()
        if char in "*+?":
            self._at -= 1
            raise self._error("a quantifier with nothing to repeat")
        if char == "{" and re.compile(r"[0-9]+(,[0-9]*)?\}").match(self._source, self._at):
            raise self._error("a quantifier with nothing to repeat")
        return _char(ord(char))

    def _group(self) -> Tree:
        self._depth += 1
        if self._depth > MAX_GROUPS_DEEP:
            raise PatternError(f"the pattern {_shown(self._source)} nests groups deeper than {MAX_GROUPS_DEEP} levels")
        groups_before = self._groups
        number: int | None = None
        look: tuple[bool, bool] | None = None
        if self._take("?"):
            if self._take(":"):
                pass
            elif match := self._match(r"(<?)([=!])"):
                look = (match[1] == "<", match[2] == "!")
            elif match := self._match(r"<([A-Za-z_$][A-Za-z0-9_$]*)>"):
                if match[1] in self._names:
                    raise self._error(f"a second group named {match[1]}")
                number = self._open_group()
                self._names[match[1]] = number
            elif self._match(r"[ims]*-?[ims]*:"):
                raise self._unsupported("inline flags", "spell out both cases, as in [Aa]")
            elif self._peek("P") or self._peek(">") or self._peek("#") or self._peek("("):
                raise self._error("a group that only other languages have", "use (?:...), (?=...) or (?<name>...)")
            else:
                raise self._error("an unknown kind of group", "use (?:...), (?=...) or (?<name>...)")
        else:
            number = self._open_group()
        body = self._choice()
        if not self._take(")"):
            raise self._error("a group that is not closed")
        self._depth -= 1
        if look is None:
            if number is not None:
                self._open.remove(number)
                self._closed.add(number)
            return Group(body, number)
        if look[0] or look[1]:
            self._unsafe.update(range(groups_before + 1, self._groups + 1))
        return Look(body, *look)

    def _open_group(self) -> int:
        self._groups += 1
        self._open.append(self._groups)
        return self._groups

    def _escape(self) -> Tree:
        if self._take("b"):
            return _BOUNDARY
        if self._take("B"):
            return _NO_BOUNDARY
        if match := self._match(r"[1-9][0-9]*"):
            return self._backreference(int(match[0][:6]))
        if match := self._match(r"k<([^>]*)>"):
            if match[1] not in self._names:
                raise self._unsupported(f"\\k<{match[1]}> before such a group", "put the group first")
            return self._backreference(self._names[match[1]])
        if (escaped := self._class_escape()) is not None:
            return _set([escaped])
        return _char(self._character_escape(in_class=False))

    def _backreference(self, number: int) -> Tree:
        if number > len(re.findall(r"\((?!\?)|\(\?<(?![=!])", self._source)):
            raise self._error(f"a reference to group {number}, which does not exist")
        self._refuse_unsafe(number)
        self._references.append(number)
        return Backreference(number)

    def _refuse_unsafe(self, number: int) -> None:
        if number not in self._closed or number in self._unsafe:
            raise self._unsupported(
                f"a reference to group {number} that is inside or before it, or is repeated or looked around with it",
                "write the text out, or check it in the handler",
            )

    def _class_escape(self) -> tuple[str | Category, Ranges] | None:
        r"""Return a shorthand such as ``\s`` as the members of a Python class, or None if something else follows."""
        if match := self._match(r"[dDwW]"):
            ranges = _DIGITS if match[0] in "dD" else _WORD
            return f"\\{match[0]}", complement(ranges) if match[0].isupper() else ranges
        if self._take("s"):
            return _class_text(_SPACES), _SPACES
        if self._take("S"):
            return _class_text(complement(_SPACES)), complement(_SPACES)
        if match := self._match(r"([pP])\{([^}]*)\}"):
            return self._property(match[2], negated=match[1] == "P")
        if self._peek("p") or self._peek("P"):
            raise self._error("a \\p without {...}")
        return None

    def _property(self, name: str, *, negated: bool) -> tuple[str | Category, Ranges]:
        short = _CATEGORY_NAMES.get(re.sub(r"^(General_Category|gc)=", "", name))
        if short is None and name in {"Any", "ASCII"}:
            ranges: Ranges = ((0, LAST),) if name == "Any" else ((0, 0x7F),)
            ranges = complement(ranges) if negated else ranges
            return _class_text(ranges), ranges
        if short is None:
            raise self._unsupported(
                f"the property \\p{{{name[:40]}}}",
                "general categories such as \\p{L} work; write ranges for anything else",
            )
        ranges = _category_ranges(short)
        return Category(short, negated), complement(ranges) if negated else ranges

    def _character_escape(self, *, in_class: bool) -> int:
        char = self._next()
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "0" and not re.compile("[0-9]").match(self._source, self._at):
            return 0
        if char == "b" and in_class:
            return 0x08
        if char == "c" and (match := self._match(r"[A-Za-z]")):
            return ord(match[0]) % 32
        if char == "x" and (match := self._match(r"[0-9A-Fa-f]{2}")):
            return int(match[0], 16)
        if char == "u":
            if match := self._match(r"[dD]([89abAB][0-9A-Fa-f]{2})\\u[dD]([c-fC-F][0-9A-Fa-f]{2})"):
                return 0x10000 + ((int(match[1], 16) - 0x800) << 10) + (int(match[2], 16) - 0xC00)
            if match := self._match(r"[0-9A-Fa-f]{4}"):
                return int(match[0], 16)
            if (match := self._match(r"\{([0-9A-Fa-f]+)\}")) and int(match[1], 16) <= LAST:
                return int(match[1], 16)
        if char.isascii() and not char.isalnum() and char.isprintable() and char not in " _":
            return ord(char)
        self._at -= 1
        hint = {"A": "use ^", "Z": "use $", "z": "use $", "h": "use [ \\t]"}.get(char, "")
        raise self._error(f"the escape \\{char if char.isprintable() else '...'}", hint)

    def _class(self) -> Tree:
        negated = self._take("^")
        members: list[tuple[str | Category, Ranges]] = []
        while not self._take("]"):
            start = self._member()
            if isinstance(start, int) and self._peek("-") and not self._peek("-]"):
                self._at += 1
                end = self._member()
                if not isinstance(end, int):
                    raise self._error("a range that ends in a class")
                if end < start:
                    raise self._error("a range that is out of order")
                members.append((_class_text(((start, end),)), ((start, end),)))
            elif isinstance(start, int):
                members.append((_class_text(((start, start),)), ((start, start),)))
            else:
                if self._peek("-") and not self._peek("-]"):
                    raise self._error("a range that begins with a class")
                members.append(start)
        return _set(members, negated=negated)

    def _member(self) -> int | tuple[str | Category, Ranges]:
        char = self._next()
        if char != "\\":
            return ord(char)
        shorthand = self._class_escape()
        return shorthand if shorthand is not None else self._character_escape(in_class=True)


def _set(members: list[tuple[str | Category, Ranges]], *, negated: bool = False) -> Tree:
    ranges = union([pair for _, part in members for pair in part])
    ranges = complement(ranges) if negated else ranges
    if not members:
        return Chars((r"[\x00-\U0010ffff]" if negated else r"[^\x00-\U0010ffff]",), ranges)
    texts = [text for text, _ in members]
    if len(texts) == 1 and not negated and texts[0] in {r"\d", r"\D", r"\w", r"\W"}:
        return Chars((texts[0],), ranges)
    return Chars(("[^" if negated else "[", *texts, "]"), ranges)


def _char(code: int) -> Tree:
    return Chars((_escaped(code, r"\.^$*+?{}[]|()"),), ((code, code),))


def _class_text(ranges: Ranges) -> str:
    special = r"\]^[-&~|"
    return "".join(
        _escaped(low, special) if low == high else f"{_escaped(low, special)}-{_escaped(high, special)}"
        for low, high in ranges
    )


def _escaped(code: int, special: str) -> str:
    """Return a character as ``re`` reads it, in printable ASCII and without a bare double quote."""
    if 0x20 <= code < 0x7F:
        char = chr(code)
        return f"\\{char}" if char in special or char == '"' else char
    named = {0x09: r"\t", 0x0A: r"\n", 0x0B: r"\v", 0x0C: r"\f", 0x0D: r"\r"}
    if code in named:
        return named[code]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# -- writing ---------------------------------------------------------------------------------------------------------


def _python(tree: Tree) -> list[str | Category]:
    match tree:
        case Chars(text):
            return [*text]
        case Anchor(text):
            return [text]
        case Sequence(parts):
            return [piece for part in parts for piece in _python(part)]
        case Choice(options):
            return _joined("|", options)
        case Group(body, number):
            return ["(?:" if number is None else "(", *_python(body), ")"]
        case Backreference(number):
            return [f"(?({number})\\{number})"]
        case Repeat(body, least, most, lazy):
            marks = {(0, None): "*", (1, None): "+", (0, 1): "?", (least, least): f"{{{least}}}"}
            mark = marks.get((least, most), f"{{{least},{'' if most is None else most}}}")
            return [*_python(body), mark + ("?" if lazy else "")]
        case Look(body, behind, negated):
            opening = f"(?{'<' if behind else ''}{'!' if negated else '='}"
            if not behind or not isinstance(body, Choice):
                return [opening, *_python(body), ")"]
            # Python wants one width behind, ECMA-262 does not: each alternative is looked for by itself
            each = [[opening, *_python(option), ")"] for option in body.options]
            if negated:
                return [piece for part in each for piece in part]
            return ["(?:", *[p for i, part in enumerate(each) for p in (["|"] if i else []) + part], ")"]


def _joined(separator: str, trees: tuple[Tree, ...]) -> list[str | Category]:
    pieces: list[str | Category] = []
    for index, tree in enumerate(trees):
        pieces += [separator] * bool(index) + _python(tree)
    return pieces


def _merged(pieces: list[str | Category]) -> tuple[str | Category, ...]:
    merged: list[str | Category] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return tuple(merged)


def _anchored(tree: Tree) -> bool:
    match tree:
        case Sequence(parts):
            return bool(parts) and _anchored(parts[0])
        case Choice(options):
            return all(map(_anchored, options))
        case Group(body, _):
            return _anchored(body)
        case _:
            return tree == START
