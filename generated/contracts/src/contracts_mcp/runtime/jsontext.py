# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""JSON text in and out, as strict as the wire asks (RFC 8259, JSON-RPC 2.0).

In: one line of bytes becomes one value, or a ParseError that says why not. Out: any value that JSON can express
becomes ASCII text, so no lone surrogate, no U+2028 and no NaN can reach the wire.
"""

from __future__ import annotations

import gc
import sys
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_MANY_BRACKETS = 10_000
"""How many arrays and objects a line has from which on the garbage collector waits until it is read."""

MAX_DEPTH = 128
"""How many arrays and objects may be open at once in a line. Validators and handlers recurse over what comes in, so
this bounds them all; it is far below Python's own recursion limit."""


class ParseError(ValueError):
    """A line that is no JSON value, or one that is not accepted; the text says why."""


def _finite(text: str) -> float:
    value = float(text)
    if value - value:  # inf - inf is nan, which is true; x - x is 0.0
        raise ParseError(f"the number {text[:40]} is too large")
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise ParseError(f"{text} is not JSON")


class _Grammar:
    """What a scanner is told about the JSON that it is to read."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = staticmethod(_finite)
    parse_int = int
    parse_constant = staticmethod(_refuse_constant)


def _make_scan() -> Callable[[str, int], tuple[Any, int]]:
    try:
        # What the package json is made of. Importing all of that would take longer than all of this server.
        from _json import make_scanner
    except ImportError:  # an interpreter without the accelerator
        from json import JSONDecoder

        return JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant).raw_decode
    if hasattr(sys, "gettotalrefcount"):
        import json.decoder  # noqa: F401 - a debug build ends the process where others raise SystemError, see below
    return make_scanner(_Grammar)  # type: ignore[arg-type] # which asks for more than it needs


_scan = _make_scan()
_SPACE = " \t\r\n"
_NOT_STRUCTURE = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_STEP = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""Each bracket as the signed byte by which it changes the depth."""
_STRETCH = 1 << 14
"""How many brackets are looked at in one go: other threads get a turn in between."""


def decode(line: bytes) -> Any:
    """Return the one JSON value that a line holds.

    Raises:
        ParseError: It is not UTF-8, not JSON, holds more than one value, NaN, Infinity or a number too large to
            hold, or is nested deeper than MAX_DEPTH.
    """
    # Looking whether there is any costs less than counting none.
    brackets = (line.count(b"[") if b"[" in line else 0) + line.count(b"{")
    paused = False
    if brackets > MAX_DEPTH:
        if _deeper_than(line, MAX_DEPTH):
            raise ParseError(f"nested deeper than {MAX_DEPTH} levels")
        import json  # noqa: F401 - so that no line that takes long is read twice, see below

        paused = brackets > _MANY_BRACKETS and _pause_collector()
    try:
        text = line.decode().strip(_SPACE)
        value, end = _scan(text, 0)
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8: byte {line[error.start]:#04x} at offset {error.start}") from None
    except (SystemError, ImportError):
        # To say what is wrong, the scanner needs the package. Python 3.11 does not import it; later versions do,
        # without regard to others that may be importing it too.
        from .loading import load

        load("json")
        return decode(line)
    except StopIteration as error:
        raise ParseError(f"Expecting value at character {error.value}") from None
    except ParseError:
        raise
    except ValueError as error:
        if not hasattr(error, "pos"):  # int() refuses more digits than sys.get_int_max_str_digits()
            raise ParseError("a number has too many digits") from None
        raise ParseError(f"{error.msg} at character {error.pos}") from None  # type: ignore[attr-defined]
    except RecursionError:
        raise ParseError("nested too deeply") from None
    finally:
        if paused:
            gc.enable()
    if end != len(text):
        raise ParseError(f"text after the JSON value at character {end}")
    return value


def _pause_collector() -> bool:
    """Stop the cyclic garbage collector, and say whether it was running.

    Looking for cycles among a line's arrays while they are made takes three quarters of the time, and there are none.
    """
    running = gc.isenabled()
    gc.disable()
    return running


def decode_own(text: str) -> Any:
    """Return the value of a JSON text that this server has written itself."""
    return _scan(text, 0)[0]


def _deeper_than(line: bytes, limit: int) -> bool:
    """Say whether brackets outside strings nest deeper than a limit, in a time that grows with the line's length."""
    if b"\\" in line:  # escapes first, while each still has its second character: only these two can hide a quote
        line = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = line.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in structure:
        import re

        structure = re.sub(rb'"[^"]*"?', b"", structure)
    steps = memoryview(structure.translate(_STEP)).cast("b")
    depth = 0
    for start in range(0, len(steps), _STRETCH):
        depths = list(accumulate(steps[start : start + _STRETCH], initial=depth))
        if max(depths) > limit:
            return True
        depth = depths[-1]
    return False


def _make_encode_string() -> Callable[[str], str]:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import py_encode_basestring_ascii

        return py_encode_basestring_ascii
    return encode_basestring_ascii


encode_string = _make_encode_string()
"""The JSON text of a string, quotes included, in ASCII."""


def _refuse_value(value: object) -> NoReturn:
    raise TypeError(f"a {type(value).__name__} is not a JSON value")


def _make_encode() -> Callable[[object], str]:
    try:
        from _json import make_encoder
    except ImportError:
        from json import JSONEncoder

        return JSONEncoder(
            ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":"), default=_refuse_value
        ).encode
    # JSONEncoder.encode() builds this object again for every value, which costs more than encoding a small one.
    chunks = make_encoder(
        markers=None,
        default=_refuse_value,
        encoder=encode_string,
        indent=None,
        key_separator=":",
        item_separator=",",
        sort_keys=False,
        skipkeys=False,
        allow_nan=False,
    )
    join = "".join
    return lambda value: join(chunks(value, 0))


encode: Callable[[object], str] = _make_encode()
"""The compact JSON text of a value, in ASCII. Raises TypeError for what JSON does not know, ValueError for NaN and
Infinity, RecursionError for a value that contains itself."""
