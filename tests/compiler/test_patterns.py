"""ECMA-262 patterns: what they match in JavaScript they match here, or they are refused with the reason."""

import re
import time

import pytest

from compiler.loading import validators
from runtime.validation import category_members, fits_format
from toolmint.compiler import check_schema
from toolmint.compiler.patterns import Category, PatternError, translate


def matches(pattern: str, text: str) -> bool:
    translated = translate(pattern)
    source = "".join(
        piece if isinstance(piece, str) else category_members(piece.name, negated=piece.negated)
        for piece in translated.pieces
    )
    compiled = re.compile(source, re.ASCII)
    found = (compiled.match if translated.anchored else compiled.search)(text) is not None
    assert validators({"pattern": pattern}).is_valid(text) is found
    return found


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^\d$", ["0", "9"], ["٣", "९", "0\n", ""]),
        (r"^\D$", ["a", "٣"], ["5"]),
        (r"^\w$", ["a", "_", "Z", "0"], ["é", "ß", "-"]),
        (r"^\W$", ["é", "-"], ["a"]),
        (r"^\s$", [" ", "\t", "\u00a0", "\ufeff", "\u2003", "\u2029", "\n"], ["\u200b", "\x1c", "\x85", "a"]),
        (r"^\S$", ["a", "\x1c", "\x85", "\u200b"], [" ", "\ufeff"]),
        (r"^[\s]$", ["\ufeff"], ["\x1c"]),
        (r"^[^\s]$", ["\x1c"], ["\ufeff"]),
        (r"^[\S]$", ["\x1c"], ["\ufeff"]),
        (r"^[\D\d]$", ["a", "1", "\n"], [""]),
        (r"\bé", ["aé"], ["é", " é"]),
        (r"^\B$", [""], []),
        (r"a\Bb", ["ab"], ["a b"]),
        (r"a$", ["a", "ba"], ["a\n", "ab"]),
        (r"^a", ["a"], ["\na"]),
        (r"^.$", ["a", "\x85", "\x0b", "😀"], ["\n", "\r", "\u2028", "\u2029"]),
        (r"^[^]$", ["\n", "a"], [""]),
        (r"[]", [], ["", "a"]),
        (r"^\u{1F600}$", ["😀"], ["\ud83d"]),
        (r"^\uD83D\uDE00$", ["😀"], []),
        (r"^[\uD83D\uDE00-\uD83D\uDE4F]$", ["😀", "🙏"], ["a"]),
        (r"^\ud800$", ["\ud800"], ["😀"]),
        (r"^\cA\cz$", ["\x01\x1a"], ["cAcz"]),
        (r"^\0$", ["\0"], ["0"]),
        (r"^[\b]$", ["\b"], ["b"]),
        (r"^\x41\v\f$", ["A\v\f"], []),
        (r"^\p{L}+$", ["aßé日"], ["a1", "_"]),
        (r"^\p{Letter}\p{gc=Nd}\p{General_Category=Lu}$", ["é٣É"], ["é٣é"]),
        (r"^\P{L}$", ["1"], ["a"]),
        (r"^[^\p{L}\d]$", ["-"], ["a", "1"]),
        (r"^[\P{L}a]$", ["1", "a"], ["b"]),
        (r"^\p{ASCII}$", ["a"], ["é"]),
        (r"^\p{Any}$", ["\ud800", "\n"], []),
        (r"^(?<year>\d{4})-\k<year>$", ["2026-2026"], ["2026-2027"]),
        (r"^(a)?b\1$", ["b", "aba"], ["ab", "ba"]),
        (r"^(?:(a)|b)\1$", ["aa", "b"], ["ab", "ba"]),
        (r"(?<=a|bc)d", ["ad", "bcd"], ["d", "cd"]),
        (r"(?<!a|bc)d", ["d", "cd"], ["ad", "bcd"]),
        (r"(?=ab)a", ["ab"], ["ac"]),
        (r"^(?!no).*$", ["yes"], ["no", "yes\nno"]),
        (r"^a{2,3}?b{2}c{1,}$", ["aabbc", "aaabbcc"], ["abbc", "aabb"]),
        (r"^x{,3}$", ["x{,3}"], ["xx"]),
        (r"^{}$", ["{}"], ["", "{"]),
        (r"^[a&&b~~c||d]$", ["&", "~", "|", "a"], ["e"]),
        (r"^[a\-z]$", ["-", "a", "z"], ["b"]),
        (r"^\-\@\:$", ["-@:"], []),
        (r"^\/\.\*$", ["/.*"], []),
        (r"^[.$^]$", [".", "$", "^"], ["a"]),
        ("^[\"']$", ['"', "'"], ["a"]),
        ("^\n\t$", ["\n\t"], []),
        ("^日本$", ["日本"], []),
        ("", ["", "a"], []),
        (r"a|^b|c$", ["xa", "b", "xc"], ["xb", "cx"]),
    ],
)
def test_a_pattern_means_what_it_means_in_ecmascript(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [text for text in yes if not matches(pattern, text)] == []
    assert [text for text in no if matches(pattern, text)] == []


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "not closed"),
        (")", "without an opening"),
        ("[a", "ends too early"),
        ("a\\", "ends too early"),
        ("*a", "nothing to repeat"),
        ("a**", "nothing to repeat"),
        ("a{2}{3}", "nothing to repeat"),
        ("{2}", "nothing to repeat"),
        ("a++", "nothing to repeat"),
        ("^*", "after an assertion"),
        ("(?=a)*", "after an assertion"),
        ("a{3,2}", "out of order"),
        ("[z-a]", "out of order"),
        (r"[\d-z]", "begins with a class"),
        (r"[a-\d]", "ends in a class"),
        (r"\a", r"the escape \a"),
        (r"\Z", r"the escape \Z"),
        (r"\A", r"the escape \A"),
        (r"\z", r"the escape \z"),
        (r"\_", r"the escape \_"),
        (r"\x1", r"the escape \x"),
        (r"\u{110000}", r"the escape \u"),
        (r"\01", r"the escape \0"),
        (r"\c1", r"the escape \c"),
        (r"\p", r"\p without"),
        (r"\p{Script=Greek}", "the property"),
        (r"\p{Nonsense}", "the property"),
        (r"(?P<a>b)", "only other languages have"),
        (r"(?>a)", "only other languages have"),
        (r"(?#a)", "only other languages have"),
        (r"(?i:a)", "inline flags"),
        (r"(?i)a", "unknown kind of group"),
        (r"(?<a>b)(?<a>c)", "second group named a"),
        (r"\k<a>", "before such a group"),
        (r"\1", "does not exist"),
        (r"\1(a)", "inside or before it"),
        (r"(a\1)", "inside or before it"),
        (r"(?:(a)|b)*\1", "repeated"),
        (r"(?:(a)|b\1)+", "repeated"),
        (r"(?!(a))\1", "looked around"),
        (r"(?<=a+)b", "look-behind requires fixed-width"),
        ("(" * 41 + ")" * 41, "deeper than 40"),
        ("a" * 10_001, "longer than 10000"),
        ("a{1,9999999999}", "more than 999999999 times"),
    ],
)
def test_what_has_no_faithful_translation_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        translate(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "^([a-z]+)*$",
        "(x+x+)+y",
        r"^(\w+\s?)*$",
        r"^(([a-zA-Z0-9])+(\.|-)?)+$",
        r"^(.*,)*.*$",
        r"^(?:a{1,30}){1,30}$",
        "^(a?){30}a{30}$",
        "^" + "a?" * 30 + "a" * 30 + "$",
        r"^(?=(a+)+$)",
        r"^(\d+|\d+-)*$",
        r"^([a-c]|[b-d])*$",
        r"^(?:\s*x?)*$",
        "^" + ".*" * 8 + "x$",
        r"^(?:a?){3,}$",
        r"^(?:b*|.+){0,3}x",
    ],
)
def test_a_pattern_that_could_take_exponential_time_is_refused(pattern: str) -> None:
    [error] = check_schema({"properties": {"a": {"pattern": pattern}}})
    assert "time" in error.message
    assert error.pointer == "/properties/a/pattern"
    assert error.hint


@pytest.mark.parametrize(
    ("pattern", "limit"),
    [
        (r"^[a-z]+(-[a-z]+)*$", None),
        (r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$", None),
        (r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", None),
        (r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?$", None),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", None),
        (r"[a-z]+", None),
        (r"^\s*\S+\s*$", None),
        (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", 4096),
        (r"[a-z]+x", 2896),
        (r"^\s*\s*$", 2896),
        (r"^.*a.*b$", 2896),
        (r"^.*a.*b.*c$", 232),
        (r".*a.*b.*c.*d$", 26),
    ],
)
def test_the_length_of_text_is_limited_where_time_grows_faster_than_it(pattern: str, limit: int | None) -> None:
    assert translate(pattern).max_length == limit
    compiled = validators({"pattern": pattern})
    if limit is not None:
        [violation] = compiled.violations("a" * (limit + 1))
        assert violation.expected.endswith(f"(tried on at most {limit} characters)")
    for text in ("a" * 8192, "0" * 512, "ab" * 256, "abc" * 170, " " * 8000 + "x y", "a." * 30, "A1" * 4000 + "\n"):
        start = time.process_time()
        compiled.is_valid(text)
        assert time.process_time() - start < 2


def test_a_category_follows_the_running_python() -> None:
    assert translate(r"\p{Lu}").pieces == ("[", Category("Lu", negated=False), "]")
    assert re.fullmatch(f"[{category_members('Lu')}]", "É")
    assert not re.fullmatch(f"[{category_members('Lu')}]", "é")
    assert re.fullmatch(f"[{category_members('LC')}]+", "éÉǅ")
    assert not re.fullmatch(f"[{category_members('LC')}]", "日")


def test_the_format_regex_and_the_translator_agree_on_what_is_a_pattern() -> None:
    for pattern in (r"^a+$", r"\d{2,}", r"[\w-]", r"(?<a>b)\k<a>", r"(?!x)", r"\p{L}", r"[^]", r"\u{1F600}", "a|b", ""):
        translate(pattern)
        assert fits_format("regex", pattern)
    for pattern in ("(", ")", "*", "a**", "[a", r"\Z", r"(?P<a>b)", "(?i)a", "a++", "\\", r"\x1", r"(?#c)"):
        with pytest.raises(PatternError):
            translate(pattern)
        assert not fits_format("regex", pattern)
