"""JSON text is read and written alike with and without the interpreter's accelerator, and starting imports no package."""

import subprocess
import sys

import pytest

from reference import ROOT
from runtime import jsontext

RUNTIME = ROOT / "templates"
DEMO = ROOT / "generated" / "demo_tools" / "src"
LINES = [
    b'{"a": [1, 2.5, -0, 1e5, true, false, null, "\\u00e9\\n"]}',
    b" 7\r\n",
    b'"\xc3\xa9"',
    b"",
    b"  ",
    b"[1,",
    b"[1 2]",
    b'{"a" 1}',
    b'"\n"',
    b"nul",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"1" * 5000,
    b"\xff",
    b"1 2",
    b"[" * 129 + b"]" * 129,
    b"[" * 128 + b"]" * 128,
    b'{"a":' * 129 + b"1" + b"}" * 129,
    b'[{"a":' * 65 + b"1" + b"}]" * 65,
    b'"' + b"[" * 300 + b'"',
]
VALUES = [{"a": [1, 2.5, True, None, "é\n\ud800"]}, "", 0, [], float("nan"), {1}, {"a": {2: float("inf")}}]
PROGRAM = f"""
import sys
sys.modules["_json"] = None
sys.path.insert(0, {str(RUNTIME)!r})
from runtime import jsontext
assert sys.modules["json.encoder"].c_make_encoder is None
def outcome(function, value):
    try:
        return repr(function(value))
    except (ValueError, TypeError) as error:
        return repr(error)
for line in {LINES!r}:
    print(outcome(jsontext.decode, line))
for value in {VALUES!r}:
    print(outcome(jsontext.encode, value))
"""


def outcome(function: object, value: object) -> str:
    try:
        return repr(function(value))  # type: ignore[operator]
    except (ValueError, TypeError) as error:
        return repr(error)


def test_an_interpreter_without_the_accelerator_reads_and_writes_the_same() -> None:
    program = PROGRAM.replace("nan", "float('nan')").replace("inf}", "float('inf')}")
    slow = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    fast = [outcome(jsontext.decode, line) for line in LINES] + [outcome(jsontext.encode, value) for value in VALUES]
    # The words for one and the same fault differ from one Python to the next.
    kinds = [
        [line.split("(")[0] if "Error" in line else line for line in lines]
        for lines in (fast, slow.stdout.splitlines())
    ]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"", "Expecting value at character 0"),
        (b"[1,", "Expecting value at character 3"),
        (b'{"a" 1}', "Expecting ':' delimiter at character 5"),
        (b"1 2", "text after the JSON value at character 1"),
        (b"NaN", "NaN is not JSON"),
        (b"1e999", "the number 1e999 is too large"),
        (b"1" * 5000, "a number has too many digits"),
        (b"\xff", "not UTF-8: byte 0xff at offset 0"),
        (b'[{"a":' * 65 + b"1" + b"}]" * 65, "nested deeper than 128 levels"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_and_where(line: bytes, text: str) -> None:
    with pytest.raises(jsontext.ParseError) as caught:
        jsontext.decode(line)
    assert str(caught.value) == text


@pytest.mark.parametrize("line", [b"[1 2]", b"{1:2}", b'"\n"'])
def test_a_first_line_that_is_wrong_is_told_like_any_other(line: bytes) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(RUNTIME)!r}); from runtime import jsontext\n"
        "assert 'json' not in sys.modules\n"
        f"try: jsontext.decode({line!r})\n"
        "except jsontext.ParseError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, timeout=60)
    with pytest.raises(jsontext.ParseError) as caught:
        jsontext.decode(line)
    assert done.stdout == f"{caught.value}\n"


def test_the_first_list_needs_neither_json_nor_what_that_imports() -> None:
    program = (
        "import sys; import demo_tools.dispatch as d; from demo_tools.runtime import stdio, jsontext\n"
        "message = jsontext.decode(sys.stdin.buffer.read())\n"
        "reply = d.make_dispatcher()(message)\n"
        'assert reply.startswith(\'{"jsonrpc":"2.0","id":1,"result":{\'), reply\n'
        "print(' '.join(sorted({'json', 're', 'enum', 'typing', 'dataclasses'} & set(sys.modules))))"
    )
    meta = '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    line = f'{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}'
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=DEMO,
        input=line,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == []
