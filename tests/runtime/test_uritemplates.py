"""URIs matched with templates: the values, what does not match, and the time that hostile ones take."""

import time

import pytest

from runtime.uritemplates import LONGEST, UriTemplate, decode_percent

MATCHES: list[tuple[str, str, dict[str, str] | None]] = [
    ("a:{x}", "a:1", {"x": "1"}),
    ("a:{x}", "a:", None),
    ("a:{x}", "b:1", None),
    ("a:{x}", "a:1/2", None),
    ("a:{x}", "a:1?q", None),
    ("a:{x}", "a:1#f", None),
    ("a:{x}", "a:1%2F2", {"x": "1/2"}),
    ("a:{x}", "a:caf%C3%A9", {"x": "café"}),
    ("a:{x}", "a:a+b%20c", {"x": "a+b c"}),
    ("a:{x}", "a:%2541", {"x": "%41"}),
    ("a:{x}", "a:%zz", None),
    ("a:{x}", "a:%4", None),
    ("a:{x}", "a:%00", None),
    ("a:{x}", "a:%ff", None),
    ("a:{+x}", "a:1/2/3.txt", {"x": "1/2/3.txt"}),
    ("a:{+x}", "a:1?q=2#f", {"x": "1?q=2#f"}),
    ("a:{+x}", "a:", None),
    ("a:{+x}/data", "a:1/data/2/data", {"x": "1/data/2"}),
    ("a:{+x}/data", "a:1/data/2", None),
    ("a://{x}/{y}/data", "a://1/2/data", {"x": "1", "y": "2"}),
    ("a://{x}/{y}/data", "a://1/2/3/data", None),
    ("a:{x}.{y}", "a:1.tar.gz", {"x": "1.tar", "y": "gz"}),
    ("a:{+p}/{n}.txt", "a:1/2/3.txt", {"p": "1/2", "n": "3"}),
    ("a:{p}-{+n}", "a:1-2/3-4", {"p": "1", "n": "2/3-4"}),
    ("a:{x}/{x}", "a:1/1", {"x": "1"}),
    ("a:{x}/{x}", "a:1/2", None),
    ("a:é/{x}", "a:%C3%A9/1", {"x": "1"}),
    ("a:b", "a:b", {}),
    ("a:b", "a:bc", None),
    ("a:b", "a:", None),
    ("a:{x}{?q,r}", "a:1", {"x": "1"}),
    ("a:{x}{?q,r}", "a:1?", {"x": "1"}),
    ("a:{x}{?q,r}", "a:1?r=2&q=%26", {"x": "1", "q": "&", "r": "2"}),
    ("a:{x}{?q,r}", "a:1?q=", {"x": "1", "q": ""}),
    ("a:{x}{?q,r}", "a:1?s=1", None),
    ("a:{x}{?q,r}", "a:1?q=1&q=2", None),
    ("a:{x}{?q,r}", "a:1?q=%zz", None),
]


@pytest.mark.parametrize(("template", "uri", "values"), MATCHES)
def test_match(template: str, uri: str, values: dict[str, str] | None) -> None:
    assert UriTemplate(template).match(uri) == values


@pytest.mark.parametrize(
    ("template", "character", "count"),
    [
        ("a:{a}.{b}.{c}.{d}.{e}", ".", LONGEST - 2),
        ("a:{+a}/{+b}/{+c}/{+d}/x", "/", LONGEST - 2),
        ("a:{+a}aa{+b}aa{+c}b", "a", LONGEST - 2),
        ("a:{x}", "x", 16_000_000),
        ("a:{x}", "%", 100_000),
    ],
)
def test_hostile_uris_take_no_time(template: str, character: str, count: int) -> None:
    uri = "a:" + character * count
    began = time.perf_counter()
    UriTemplate(template).match(uri)
    assert time.perf_counter() - began < 0.5


def test_every_expansion_is_matched_back() -> None:
    from urllib.parse import quote

    template = UriTemplate("s://h/{a}/x/{+b}.md{?c}")
    for value in ("1", "a b", "ü/ö", "100%", "{x}", "?#&=", "..", "a\nb", "%2F"):
        uri = f"s://h/{quote(value, safe='')}/x/{quote(value, safe='/')}.md?c={quote(value, safe='')}"
        assert template.match(uri) == {"a": value, "b": value, "c": value}


def test_decoding_is_done_once() -> None:
    assert decode_percent("%252e%252e") == "%2e%2e"
