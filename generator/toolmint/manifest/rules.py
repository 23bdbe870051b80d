"""What a manifest must be beyond its schema: names that can be generated, unique, and mean something.

Every rule is a generator over a manifest's text. It leaves out entries whose parts it needs are not ``sound``: those
have been reported as being of the wrong shape.
"""

import keyword
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolmint.manifest.forms import form_problems, page_problems
from toolmint.manifest.model import JSONObject
from toolmint.manifest.names import distribution_name, identifier, module_name
from toolmint.manifest.placeholders import Placeholder, split_placeholders
from toolmint.manifest.positions import Path
from toolmint.manifest.text import Text
from toolmint.manifest.wording import did_you_mean, one_of, shown
from toolmint.problems import Problem

Sound = Callable[[Path], bool]
"""Says whether the value at a path, if there is one, and all in it are of the right shape."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TAKEN_MODULES = sys.stdlib_module_names | {"mcp", "toolmint"}

# RFC 3986 section 2: a URI is made of these characters, and of escapes for all others.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")

# PEP 440 (Version scheme) and Semantic Versioning 2.0.0 (items 2, 9 and 10).
_PEP_440 = re.compile(
    r"v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*"
    r"(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)(?:[-_.]?[0-9]+)?)?"
    r"(?:-[0-9]+|[-_.]?(?:post|rev|r)(?:[-_.]?[0-9]+)?)?"
    r"(?:[-_.]?dev(?:[-_.]?[0-9]+)?)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.IGNORECASE,
)
_SEMANTIC = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?")

# RFC 6570 section 2: an expression has an optional operator and variables, each with an optional modifier.
_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(
    r"((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(?:\*|:[1-9][0-9]{0,3})?"
)


def protocol(text: Text, revisions: Sequence[str], modern: Sequence[str]) -> Iterator[Problem]:
    """Require revisions that can be generated, one of them without a handshake."""
    given = text.value["protocol"]
    named: list[tuple[Path, str]] = (
        [(("protocol",), given)] if isinstance(given, str) else list(_items(text, ("protocol",)))
    )
    if all(name in revisions and name not in modern for _, name in named):
        yield text.problem(
            "no-modern-revision",
            "every revision named here needs a handshake, and a server of such revisions alone cannot be generated",
            ("protocol",),
            f"put {modern[-1]} before them: clients of either kind are served",
        )
    for path, name in named:
        if name not in revisions:
            hint = did_you_mean(name, revisions, otherwise="known are")
            yield text.problem(
                "unsupported-revision",
                f"the protocol revision {shown(name)} is not known; known are {one_of(revisions)}",
                path,
                f"{hint} (`toolmint revisions add` makes another one known)",
            )


def version(text: Text) -> Iterator[Problem]:
    """Require a server version that a package can have."""
    value = text.value["server"]["version"]
    if not (_PEP_440.fullmatch(value) or _SEMANTIC.fullmatch(value)):
        yield text.problem(
            "bad-version",
            f"{shown(value)} is neither a PEP 440 nor a semantic version",
            ("server", "version"),
            'a version reads like "1.4.0" or "2.0.0-rc.1"',
        )


def package(text: Text) -> Iterator[Problem]:
    """Require a distribution name that can be published, and an import package that can be imported."""
    given: JSONObject = text.value.get("package", {})
    server_name = text.value["server"]["name"]
    name = given.get("name", distribution_name(server_name))
    if "name" not in given and not name:
        yield text.problem(
            "bad-package-name",
            f"no package name can be made of {shown(server_name)}",
            ("server", "name"),
            "give one: `package: {name: …}`",
        )
        return
    if not _DISTRIBUTION.fullmatch(name):
        yield text.problem(
            "bad-package-name",
            f"{shown(name)} is no distribution name; expected letters, digits, `.`, `_` and `-`, not at the ends",
            ("package", "name"),
            f"write {shown(distribution_name(name).removesuffix('-mcp') or 'contracts-mcp')}",
        )
        return
    module = given.get("module", module_name(name))
    path = next(
        (("package", key) for key in ("module", "name") if key in given),
        ("server", "name"),
    )
    hint = "choose another one: `package: {module: …}`"
    if not _MODULE.fullmatch(module) or keyword.iskeyword(module):
        yield text.problem(
            "bad-module-name",
            f"{shown(module)} cannot be imported; expected a Python identifier that is no keyword",
            path,
            f"write {shown(identifier(module))}" if "module" in given and identifier(module) else hint,
        )
    elif module in _TAKEN_MODULES:
        owner = "the standard library's" if module in sys.stdlib_module_names else "another package's"
        yield text.problem("bad-module-name", f"the import package {shown(module)} would hide {owner}", path, hint)


def tool_names(text: Text, sound: Sound) -> Iterator[Problem]:
    """Require names of tools and aliases that clients accept, each its own on the wire and in Python."""
    wire: dict[str, Path] = {}
    for path, tool in _entries(text, "tools", sound, needs=("name",)):
        at = (*path, "name")
        yield from _tool_name(text, tool["name"], at)
        yield from _first(text, "duplicate-name", f"the tool {shown(tool['name'])}", tool["name"], at, wire)
    yield from _identifiers(text, [(path[:2], name) for name, path in wire.items()])
    for path, tool in _entries(text, "tools", sound, uses=("x-toolmint",)):
        for index, alias in enumerate(tool.get("x-toolmint", {}).get("aliases", ())):
            at = (*path, "x-toolmint", "aliases", index)
            yield from _tool_name(text, alias, at)
            yield from _first(text, "alias-clash", f"the name {shown(alias)}", alias, at, wire)


def resource_names(text: Text, sound: Sound) -> Iterator[Problem]:
    """Require absolute URIs and RFC 6570 templates, each its own, and a Python name for whatever needs a handler."""
    uris: dict[str, Path] = {}
    handled: list[tuple[Path, str]] = []
    for path, resource in _entries(text, "resources", sound, needs=("uri", "name")):
        uri, at = resource["uri"], (*path, "uri")
        if not _URI.fullmatch(uri):
            yield text.problem(
                "bad-uri",
                f"{shown(uri)} is no absolute URI",
                at,
                "a URI starts with a scheme, as in contracts://list, and encodes a space as %20 and é as %C3%A9",
            )
        yield from _first(text, "duplicate-uri", f"the resource {shown(uri)}", uri, at, uris)
        contents = [key for key in ("text", "blob", "file") if key in resource]
        if len(contents) > 1:
            yield text.problem(
                "several-contents",
                f"the resource has {' and '.join(contents)}; its content is one of these",
                (*path, contents[1]),
                "keep one",
            )
        if not contents:
            handled.append((path, resource["name"]))
    for path, template in _entries(text, "resourceTemplates", sound, needs=("uriTemplate", "name"), uses=("complete",)):
        uri, at = template["uriTemplate"], (*path, "uriTemplate")
        yield from _first(text, "duplicate-uri", f"the template {shown(uri)}", uri, at, uris)
        names = template_variables(uri)
        if names is None:
            yield text.problem(
                "bad-uri-template",
                f"{shown(uri)} is no URI template (RFC 6570)",
                at,
                "a variable is written {name}; braces come in pairs and are not nested",
            )
        else:
            yield from _unmatchable(text, uri, at)
        for name in template.get("complete", {}):
            if names is not None and name not in names:
                yield text.problem_at_key(
                    "unknown-variable",
                    f"the template has no variable {shown(name)}",
                    (*path, "complete", name),
                    did_you_mean(name, names, otherwise="it has"),
                )
        handled.append((path, template["name"]))
    yield from _identifiers(text, handled)


def prompts(text: Text, sound: Sound) -> Iterator[Problem]:
    """Require prompts and arguments to have names of their own, and fixed messages to use arguments that there are."""
    names: dict[str, Path] = {}
    handled: list[tuple[Path, str]] = []
    for path, prompt in _entries(text, "prompts", sound, needs=("name",), uses=("arguments", "messages")):
        name, at = prompt["name"], (*path, "name")
        yield from _first(text, "duplicate-name", f"the prompt {shown(name)}", name, at, names)
        arguments: dict[str, Path] = {}
        for below, argument in _items(text, (*path, "arguments")):
            at = (*below, "name")
            yield from _first(
                text, "duplicate-name", f"the argument {shown(argument['name'])}", argument["name"], at, arguments
            )
        if "messages" not in prompt:
            handled += [(path, name)] if names[name] == (*path, "name") else []
            continue
        for below, value in _texts(prompt["messages"], (*path, "messages")):
            for part in split_placeholders(value):
                if isinstance(part, Placeholder) and part.argument not in arguments:
                    hint = did_you_mean(part.argument, arguments, otherwise="it has") or "list it under `arguments`"
                    yield text.problem(
                        "unknown-argument",
                        f"{{{{{part.written}}}}} names no argument of this prompt",
                        below,
                        f"{hint}; where the braces are meant literally, put a backslash before them",
                    )
    yield from _identifiers(text, handled)


def elicitations(text: Text, sound: Sound) -> Iterator[Problem]:
    """Require questions to the user to have keys of their own, and forms and addresses that can be shown."""
    for section in ("tools", "resources", "resourceTemplates", "prompts"):
        for path, _ in _entries(text, section, sound, uses=("elicits",)):
            keys: dict[str, Path] = {}
            for below, item in _items(text, (*path, "elicits")):
                key = item["key"]
                yield from _first(text, "duplicate-name", f"the key {shown(key)}", key, (*below, "key"), keys)
                if "requestedSchema" in item:
                    yield from form_problems(text, item["requestedSchema"], (*below, "requestedSchema"))
                if "url" in item:
                    yield from page_problems(text, item["url"], (*below, "url"))


def template_variables(template: str) -> tuple[str, ...] | None:
    """Return the names of a URI template's variables in order (RFC 6570 section 2); None if it is no template."""
    names: list[str] = []
    literal = _EXPRESSION.sub("", template)
    if re.search(r"[{}\s<>\"\\^`|]", literal):
        return None
    for _, variables in _EXPRESSION.findall(template):
        for variable in variables.split(","):
            parsed = _VARIABLE.fullmatch(variable)
            if parsed is None:
                return None
            names.append(parsed[1])
    return tuple(dict.fromkeys(names))


def query_variables(template: str) -> tuple[str, ...]:
    """Return the names of the variables in a URI template's query, which a URI need not have."""
    return tuple(
        name for operator, names in _EXPRESSION.findall(template) if operator == "?" for name in names.split(",")
    )


def completer(owner: str, argument: str) -> str:
    """Return the Python name of the handler that completes an argument of a prompt or of a resource template."""
    return identifier(f"{owner} {argument}")


def completers(text: Text, sound: Sound) -> Iterator[Problem]:
    """Require a Python name, and one of its own, for every handler that completes an argument."""
    handled: list[tuple[Path, str, str]] = []
    for path, prompt in _entries(text, "prompts", sound, needs=("name",), uses=("arguments",)):
        handled += [
            ((*below, "complete"), prompt["name"], argument["name"])
            for below, argument in _items(text, (*path, "arguments"))
            if argument.get("complete") == "handler"
        ]
    for path, template in _entries(text, "resourceTemplates", sound, needs=("name",), uses=("complete",)):
        handled += [
            ((*path, "complete", name), template["name"], name)
            for name, values in template.get("complete", {}).items()
            if values == "handler"
        ]
    seen: dict[str, Path] = {}
    for path, owner, argument in handled:
        python = completer(owner, argument)
        if not python:
            what = f"no Python name for a handler can be made of {shown(owner)} and {shown(argument)}"
            yield text.problem("no-identifier", what, path, "give one of them a name with ASCII letters or digits")
        elif python in seen:
            line, column = text.positions.value(seen[python])
            yield text.problem(
                "name-clash",
                f"this handler and the one in line {line}, column {column}, would both be called {python}",
                path,
                "rename one of the arguments",
            )
        seen.setdefault(python, path)


def _unmatchable(text: Text, template: str, path: Path) -> Iterator[Problem]:
    """Report expressions of a URI template that a URI cannot be matched with."""
    end = 0
    for match in _EXPRESSION.finditer(template):
        whole, operator, names = match[0], match[1], match[2].split(",")
        if operator not in ("", "+", "?") or any(name.endswith("*") or ":" in name for name in names):
            message, hint = f"{whole} is a kind of expansion that is not matched", "use {name}, {+name} or {?name}"
        elif operator == "?" and match.end() != len(template):
            message, hint = f"the query {whole} is not at the end", "put it there"
        elif operator != "?" and len(names) > 1:
            message, hint = f"{whole} has several variables", "write each on its own, with text between them"
        elif operator != "?" and end and end == match.start():
            message, hint = f"nothing tells where {whole} begins", "put text between the two variables"
        else:
            end = match.end()
            continue
        yield text.problem("unsupported-uri-template", message, path, hint)
        return


def _tool_name(text: Text, name: str, path: Path) -> Iterator[Problem]:
    if not _TOOL_NAME.fullmatch(name):
        usable = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_")[:128]
        what = f"{shown(name)} is {len(name)} characters long" if len(name) > 128 else f"{shown(name)} is no tool name"
        yield text.problem(
            "bad-name",
            f"{what}; expected 1 to 128 letters, digits, `_`, `.` and `-`",
            path,
            f"write {shown(usable)}" if usable else "",
        )


def _first(text: Text, code: str, what: str, name: str, path: Path, seen: dict[str, Path]) -> Iterator[Problem]:
    """Report a name that has been there before, with the place where it was."""
    if name in seen:
        line, column = text.positions.value(seen[name])
        yield text.problem(
            code, f"{what} is there a second time, first in line {line}, column {column}", path, "rename one of them"
        )
    seen.setdefault(name, path)


def _identifiers(text: Text, names: Sequence[tuple[Path, str]]) -> Iterator[Problem]:
    """Report names that give no Python name for a handler, or the one that another gives."""
    seen: dict[str, tuple[Path, str]] = {}
    for path, name in names:
        at, python = (*path, "name"), identifier(name)
        if not python:
            yield text.problem(
                "no-identifier",
                f"no Python name for a handler can be made of {shown(name)}",
                at,
                "give it a name with ASCII letters or digits; `title` may be any text",
            )
        elif python in seen:
            first, other = seen[python]
            line, column = text.positions.value((*first, "name"))
            yield text.problem(
                "name-clash",
                f"the handlers of {shown(name)} and of {shown(other)} in line {line}, column {column}, would both be"
                f" called {python}",
                at,
                "rename one of them; `title` may be any text",
            )
        else:
            seen[python] = path, name


def _entries(
    text: Text, section: str, sound: Sound, *, needs: Sequence[str] = (), uses: Sequence[str] = ()
) -> Iterator[tuple[Path, JSONObject]]:
    """Yield the entries of a section that have all they need, and nothing unsound in that or in what else is used."""
    entries = text.value.get(section)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        path = (section, index)
        if (
            isinstance(entry, dict)
            and all(key in entry for key in needs)
            and all(sound((*path, key)) for key in (*needs, *uses))
        ):
            yield path, entry


def _items(text: Text, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the items of the list at a path, if there is one."""
    value = text.value
    for step in path:
        value = value.get(step, ()) if isinstance(value, dict) else value[step]
    yield from (((*path, index), item) for index, item in enumerate(value))


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*path, step))
