r"""Characters that YAML 1.2 and JSON allow but the C parser, which follows YAML 1.1, does not take as they are.

Each is parsed as a private character that does not occur in the text, of the same width so that columns hold, and is
put back in every scalar:

- U+0085, U+2028 and U+2029, which end a line in YAML 1.1 only, and U+FEFF inside the text;
- in a JSON text, the escaped surrogate pairs that stand for characters beyond U+FFFF, such as ``\ud83d\ude00``.
"""

import json
import re
from itertools import islice

_AWKWARD = "\x85\u2028\u2029\ufeff"
_SURROGATE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*\\u)[dD]([89a-fA-F][0-9a-fA-F]{2})")
_TAKEN = re.compile(r"[\ue000-\ue7ff]|\\u[eE][0-7]")
_SURROGATES = {0xE000 + offset: 0xD800 + offset for offset in range(0x800)}


class StandIns:
    """The private characters chosen for one text."""

    def __init__(self, text: str) -> None:
        self._back: dict[int, int] = {}
        self._there: dict[int, int] = {}
        escapes = _SURROGATE_ESCAPE.search(text) is not None
        self._escapes = escapes and not _TAKEN.search(text) and _is_json(text)
        if self._escapes:
            self._back.update(_SURROGATES)
        if any(character in text for character in _AWKWARD):
            free = islice((code for code in range(0xE800, 0xF900) if chr(code) not in text), len(_AWKWARD))
            self._there = dict(zip(map(ord, _AWKWARD), free, strict=False))
            self._back.update({stand_in: code for code, stand_in in self._there.items()})
        self.any = escapes or bool(self._back)

    def put(self, text: str) -> str:
        """Return the text as the parser is to read it."""
        if self._there:
            text = text.translate(self._there)
        if self._escapes:
            text = _SURROGATE_ESCAPE.sub(lambda found: f"{found[1]}e{int(found[2][0], 16) - 8:x}{found[2][1:]}", text)
        return text

    def restore(self, scalar: str) -> str:
        """Return a parsed scalar as the text meant it.

        Raises:
            UnicodeError: It has half of a surrogate pair.
        """
        return scalar.translate(self._back).encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
