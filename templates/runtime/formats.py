"""The formats of strings that can be asserted (JSON Schema Validation 2020-12, section 7.3)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME = r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(?:[zZ]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
_HOURS = r"(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DAYS = r"(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_IPV4 = r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}"
_LABEL = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_AUTHORITY = (
    r"(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?"
    r"(?:\[(?P<literal>[^\]]*)\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?"
)
_ROOTED = rf"//{_AUTHORITY}(?:/{_PCHAR}*)*|/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?"
_QUERY = rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"
_URI = rf"[A-Za-z][A-Za-z0-9+.-]*:(?:{_ROOTED}|(?:{_PCHAR}+(?:/{_PCHAR}*)*)?){_QUERY}"
_RELATIVE = rf"(?:{_ROOTED}|(?:(?:(?!:){_PCHAR})+(?:/{_PCHAR}*)*)?){_QUERY}"


def _is_date(text: str) -> bool:
    """RFC 3339, full-date."""
    if not (match := re.fullmatch(_DATE, text)):
        return False
    year, month, day = map(int, match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


def _is_time(text: str) -> bool:
    """RFC 3339, full-time; a leap second only where it is the last one of a day in UTC."""
    if not (match := re.fullmatch(_TIME, text)):
        return False
    hour, minute, second, sign, offset_hour, offset_minute = match.groups()
    if second != "60":
        return True
    offset = int(offset_hour) * 60 + int(offset_minute) if sign else 0
    return (int(hour) * 60 + int(minute) + (offset if sign == "-" else -offset)) % 1440 == 1439


def _is_email(text: str) -> bool:
    """RFC 5321, Mailbox."""
    local, _, domain = text.rpartition("@")
    if not re.fullmatch(rf'{_ATOM}(?:\.{_ATOM})*|"(?:[ !#-\[\]-~]|\\[ -~])*"', local):
        return False
    if literal := re.fullmatch(r"\[(?:[Ii][Pp][Vv]6:(.*)|([0-9.]*))\]", domain):
        return _is_ipv6(literal[1]) if literal[1] is not None else _is_ipv4(literal[2])
    return _is_hostname(domain)


def _is_hostname(text: str) -> bool:
    """RFC 1123, section 2.1."""
    return len(text) <= 253 and re.fullmatch(rf"{_LABEL}(?:\.{_LABEL})*", text) is not None


def _is_ipv4(text: str) -> bool:
    """RFC 2673, section 3.2, dotted-quad."""
    return text.isascii() and re.fullmatch(_IPV4, text) is not None


def _is_ipv6(text: str) -> bool:
    """RFC 4291, section 2.2; without a zone."""
    import ipaddress  # only few schemas ask

    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text and text.isascii()


def _is_uri(text: str) -> bool:
    """RFC 3986, URI."""
    match = re.fullmatch(_URI, text)
    return match is not None and _is_ip_literal(match["literal"])


def _is_uri_reference(text: str) -> bool:
    """RFC 3986, URI-reference."""
    match = re.fullmatch(_RELATIVE, text)
    return _is_uri(text) or (match is not None and _is_ip_literal(match["literal"]))


def _is_ip_literal(text: str | None) -> bool:
    future = r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
    return text is None or _is_ipv6(text) or re.fullmatch(future, text) is not None


_CODE = r"""c[A-Za-z] | x[0-9A-Fa-f]{2} | u[0-9A-Fa-f]{4} | u\{0*(?:10|[0-9A-Fa-f])?[0-9A-Fa-f]{1,4}\}
    | [pP]\{[A-Za-z0-9_=]+\} | [dDwWsSfnrtv^$\\.*+?()\[\]{}|/] | 0(?![0-9])"""
_REGEX_TOKEN = rf"""(?x)
    (?P<quantifier> (?:[*+?] | \{{[0-9]+(?:,[0-9]*)?\}}) \?? )
  | (?P<open> \( (?:\? (?: : | <?[=!] | <[A-Za-z_$][A-Za-z0-9_$]*> ) | (?!\?)) )
  | (?P<close> \) )
  | (?P<edge> [|^$] | \\[bB] )
  | (?P<atom> \[ \^? (?: [^\]\\] | \\ (?: {_CODE} | [b-] ) )* \]
      | \\ (?: {_CODE} | [1-9][0-9]* | k<[A-Za-z_$][A-Za-z0-9_$]*> | [!"#%&',:;<=>@`~-] )
      | [^\\()\[*+?] )
"""


def _is_regex(text: str) -> bool:
    """ECMA-262, section 22.2, as far as tokens, groups and quantifiers go."""
    at, depth, repeatable = 0, 0, False
    token = re.compile(_REGEX_TOKEN)
    while at < len(text):
        if not (match := token.match(text, at)):
            return False
        kind = match.lastgroup
        if kind == "quantifier" and not repeatable:
            return False
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            return False
        repeatable = kind in {"atom", "close"}
        at = match.end()
    return depth == 0


def _fully(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": lambda text: len(text) > 11 and text[10] in "tT" and _is_date(text[:10]) and _is_time(text[11:]),
    "duration": _fully(rf"P(?:[0-9]+W|{_DAYS}(?:T{_HOURS})?|T{_HOURS})"),
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "json-pointer": _fully(r"(?:/(?:[^~/]|~[01])*)*"),
    "regex": _is_regex,
    "time": _is_time,
    "uri": _is_uri,
    "uri-reference": _is_uri_reference,
    "uuid": _fully(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"),
}
"""Of each format its name, and what says whether a string is in it."""
