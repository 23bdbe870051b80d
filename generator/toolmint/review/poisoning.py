"""Tool poisoning: what a user does not see or a model should not be told, in any text of the contract.

A server's own author reads these as a second pair of eyes: a text pasted from elsewhere, a library's docstring, or a
change by someone else may carry them.
"""

import re
from collections.abc import Callable, Iterator

from toolmint.manifest.wording import nearest, shown
from toolmint.review.contract import Contract, Finding, Passage

# Unicode's default ignorable code points, the fillers that draw nothing, and interlinear annotation marks.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
# Where these are part of what is seen: subdivision flags, a variant of the character before, emoji and letters joined.
_SEEN = re.compile(
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
    "|(?<=[^\\s\ufe00-\ufe0f])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef](?![\U000e0100-\U000e01ef])"
    "|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])"
)
_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u061c]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_HIDING_STYLE = (
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])"
    r"|color\s*:\s*(?:white|transparent|\#fff)"
)
_HIDING = {
    "an HTML comment": re.compile(r"<!--(?!\s*(?:-->|\.\.\.|…))"),
    "a comment in Markdown": re.compile(r"^\s*\[[^\]\n]*\]:\s*(?:#|<>)\s+[\"'(]", re.MULTILINE),
    "an element that is not shown": re.compile(
        rf"<[a-z][^>]{{0,300}}?(?:{_HIDING_STYLE}|\shidden[\s>=])", re.IGNORECASE
    ),
    "white space that pushes what follows out of sight": re.compile(r"\S[^\S\n]{100,}\S|(?:\n[^\S\n]*){15,}\S"),
}
_ENCODED = {
    "Base64": re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{60,}={0,2}(?![A-Za-z0-9+/_=-])"),
    "hexadecimal digits": re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){65,}(?![0-9A-Za-z])"),
    "escape sequences": re.compile(r"(?:\\x[0-9a-fA-F]{2}){8,}|(?:\\u[0-9a-fA-F]{4}){8,}|(?:&\#x?[0-9a-fA-F]+;){8,}"),
    "percent-encoded text": re.compile(r"(?:%[0-9A-Fa-f]{2}){16,}"),
}

_SENSITIVE = (
    r"(?:~|\$HOME|/root|/home/\w+)/\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|cursor|claude"
    r"|config|bash_history|zsh_history)\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b"
    r"|\bclaude_desktop_config\.json\b|\.cursor/mcp\.json\b"
)
_HANDING_OVER = (
    r"\b(?:read|open|cat|include|pass|send|attach|append|copy|paste|upload|provide|forward|insert|leak|post)\b"
)
_ADDRESSING = {
    "to set other instructions aside": re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}"
        r"\b(?:previous|prior|earlier|above|preceding|system|safety|your|all other)\b[^.\n]{0,20}"
        r"\b(?:instructions?|prompts?|rules|guidelines|directives|safeguards?|polic(?:y|ies))\b",
        re.IGNORECASE,
    ),
    "to keep something from the user": re.compile(
        r"\b(?:do not|don['\u2019]t|never|must not|without|avoid|no need to)\s+(?:ever\s+)?"
        r"(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting|reveal|revealing|warn"
        r"|warning|disclos(?:e|ing))\b[^.\n]{0,40}?\b(?:the|your|this)\s+user\b"
        r"|\bhid(?:e|ing|den)\b[^.\n]{0,30}\bfrom the user\b",
        re.IGNORECASE,
    ),
    "as if it were the system or a conversation": re.compile(
        r"<\s*/?\s*(?:important|system|secret|hidden|critical|admin|sysprompt|system[-_ ]?prompt|im_start|im_end)\s*>"
        r"|(?-i:\[/?(?:INST|SYSTEM)\])|<\|[a-z_]{2,20}\|>"
        r"|^\s*\#{0,4}\s*system(?: (?:prompt|message))?\s*:",
        re.MULTILINE | re.IGNORECASE,
    ),
    "about files that are none of this server's business": re.compile(
        rf"{_HANDING_OVER}[^\n]{{0,60}}?(?:{_SENSITIVE})", re.IGNORECASE
    ),
    "to hand over a conversation or secrets": re.compile(
        r"\b(?:include|pass|send|attach|append|put|add|provide|forward|copy|paste|insert|embed|leak|exfiltrate|read)\b"
        r"[^.\n]{0,40}\b(?:(?:full|entire|whole|complete|previous)\s+(?:conversation|chat)"
        r"|(?:chat|conversation)\s+history|(?:your|the)\s+system\s+prompt"
        r"|(?:your|the user['\u2019]s|any|all)\s+(?:\w+\s+)?"
        r"(?:credentials|passwords?|api keys?|secrets|tokens|private keys?|environment variables))\b",
        re.IGNORECASE,
    ),
    "about tools of other servers": re.compile(
        r"\b(?:before|after|when|whenever|instead of|rather than|every time|each time)\b[^.\n]{0,20}"
        r"\b(?:any|all|every|another)\s+(?:of\s+the\s+)?(?:other\s+)?(?:tools?|functions?|mcp\s+servers?|servers?['\u2019]?s?"
        r"\s+tools?)\b"
        r"|\bmcp__\w+__\w+",
        re.IGNORECASE,
    ),
}
_NAMED_TOOL = re.compile(
    r"(?<!\w)[`'\"]?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[`'\"]? (?:tool|function)\b"
    r"|\b(?:call|calling|invoke|invoking) [`'\"]?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b(?![`'\"]?\s*[:=])"
)
_PROMPT_MAY = frozenset(("about tools of other servers", "as if it were the system or a conversation"))
"""What a prompt, which a user picks to instruct a model, may well say."""


def hidden_characters(contract: Contract) -> Iterator[Finding]:
    """Every character of a text can be seen, and stands where it is read."""
    for passage in contract.passages:
        if passage.text.isascii():
            yield from _found(passage, "control-character", _control(passage.text))
            continue
        seen = _SEEN.sub("", passage.text)
        yield from _found(passage, "invisible-character", _invisible(seen))
        yield from _found(passage, "bidirectional-character", _bidirectional(seen))
        yield from _found(passage, "control-character", _control(seen))


_HINTS = {
    "invisible-character": "remove it; a model reads what a person who approves the tool does not see",
    "bidirectional-character": "remove it; it makes text look other than a model reads it",
    "control-character": "remove it; a terminal obeys it, and may hide or replace what follows",
}


def _found(passage: Passage, code: str, what: str) -> Iterator[Finding]:
    if what:
        yield Finding(code=code, path=passage.path, message=f"this text has {what}", hint=_HINTS[code])


def _invisible(text: str) -> str:
    runs = _INVISIBLE.findall(text)
    if not runs:
        return ""
    characters = "".join(runs)
    spelled = "".join(chr(ord(c) - 0xE0000) for c in characters if 0xE0020 <= ord(c) <= 0xE007E)
    count = "an invisible character," if len(characters) == 1 else f"{len(characters)} invisible characters, the first"
    named = f"{count} U+{ord(characters[0]):04X}"
    return f"{named}; they spell {shown(spelled)}" if spelled else named


def _bidirectional(text: str) -> str:
    found = _BIDIRECTIONAL.search(text) or (not _RIGHT_TO_LEFT.search(text) and _DIRECTION_MARKS.search(text))
    return f"the character U+{ord(found[0]):04X}, which reorders what is shown" if found else ""


def _control(text: str) -> str:
    found = _CONTROL.search(text)
    if not found:
        return ""
    escape = found[0] in "\x1b\x9b"
    return f"the control character U+{ord(found[0]):04X}{', which starts a terminal escape sequence' if escape else ''}"


def hidden_text(contract: Contract) -> Iterator[Finding]:
    """No markup, white space or encoding keeps a part of a text from those who read it."""
    for passage in contract.passages:
        if len(passage.text) < 4:
            continue
        for what, pattern in _HIDING.items():
            found = pattern.search(passage.text)
            if found:
                yield Finding(
                    code="hidden-text",
                    path=passage.path,
                    message=f"this text has {what}: {_excerpt(passage.text, found)};"
                    " a model reads it, a person may not",
                    hint="say it openly, or leave it out",
                )
        if len(passage.text) < 32:
            continue
        for what, pattern in _ENCODED.items():
            found = next((match for match in pattern.finditer(passage.text) if _is_encoded(what, match[0])), None)
            if found:
                yield Finding(
                    code="encoded-text",
                    path=passage.path,
                    message=f"this text has {len(found[0])} characters of {what}: {_excerpt(passage.text, found)};"
                    " nobody can see what it says",
                    hint="write what it says, or shorten the example",
                )


def _is_encoded(what: str, text: str) -> bool:
    """Say whether a run is no long word, path or rule: encoded data has all its characters, about evenly."""
    if what == "hexadecimal digits":
        return len(set(text.lower())) > 8
    if what != "Base64":
        return True
    kinds: tuple[Callable[[str], bool], ...] = (str.islower, str.isupper, str.isdigit)
    return all(sum(map(kind, text)) > len(text) // 20 for kind in kinds) and text.count("/") < len(text) // 10


def addressed_model(contract: Contract) -> Iterator[Finding]:
    """A text describes; it does not tell the model what to do about other tools, files, secrets or the user."""
    for passage in contract.passages:
        if len(passage.text) < 8:
            continue
        for what, pattern in _ADDRESSING.items():
            if passage.prompt and what in _PROMPT_MAY:
                continue
            found = pattern.search(passage.text)
            if found:
                yield Finding(
                    code="addressed-model",
                    path=passage.path,
                    message=f"this text addresses the model {what}: {_excerpt(passage.text, found)}",
                    hint="describe what the tool does; what a model should do belongs to the user and the host",
                )


def unknown_tools(contract: Contract) -> Iterator[Finding]:
    """A tool that a text names is one of this server's: else it is a leftover, or steers another server's tools."""
    manifest = contract.manifest
    known = {manifest.server.name, *(prompt.name for prompt in manifest.prompts)}
    for tool in manifest.tools:
        known.update((tool.name, *tool.settings.aliases))
    folded = {name.lower().replace("-", "_") for name in known}
    for passage in contract.passages:
        if "_" not in passage.text or " " not in passage.text:
            continue
        names = dict.fromkeys(found[1] or found[2] for found in _NAMED_TOOL.finditer(passage.text))
        for name in names:
            if name not in folded:
                near = nearest(name, sorted(known))
                yield Finding(
                    code="unknown-tool",
                    path=passage.path,
                    message=f"this text names the tool {shown(name)}, which this server does not have",
                    hint=f"did you mean {shown(near)}?"
                    if near is not None
                    else "name a tool of this server, or say what is needed in place of what gives it",
                )


def _excerpt(text: str, found: re.Match[str]) -> str:
    return shown(" ".join(text[found.start() : found.end() + 20].split()))
