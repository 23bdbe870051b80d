"""The manifest held against its format, each violation said in the manifest's own terms."""

from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from toolmint.manifest.members import manifest_schema
from toolmint.manifest.model import JSONObject
from toolmint.manifest.positions import Path
from toolmint.manifest.text import Text
from toolmint.manifest.wording import did_you_mean, found, kinds, one_of, shown
from toolmint.problems import Problem

_SECTIONS = {
    "tools": "tool",
    "resources": "resource",
    "resourceTemplates": "resource template",
    "prompts": "prompt",
}

_OTHER_NAMES = {
    "parameters": "inputSchema",
    "args": "arguments",
    "returns": "outputSchema",
    "output": "outputSchema",
    "input": "inputSchema",
    "url": "uri",
    "meta": "_meta",
    "definitions": "$defs",
    "templates": "resourceTemplates",
}
"""What other formats call a key."""


def check_structure(text: Text, schema: JSONObject) -> Iterator[tuple[Path, Problem]]:
    """Yield every violation and the path of the value that has it.

    Args:
        text: The manifest.
        schema: The manifest's format, see ``toolmint.manifest.members.extended_schema``.
    """
    said: set[Problem] = set()
    for error in Draft202012Validator(schema).iter_errors(text.value):
        for path, problem in _Violation(text, error).problems():
            if problem not in said:
                said.add(problem)
                yield path, problem


class _Violation:
    """One violation as the validator reports it, and the words for it."""

    def __init__(self, text: Text, error: ValidationError) -> None:
        self._text = text
        self._error = error
        self._schema: Any = error.schema
        self._path: Path = tuple(error.absolute_path)
        self._value: Any = error.instance
        self._expected: Any = error.validator_value

    def problems(self) -> Iterator[tuple[Path, Problem]]:
        """Yield the problems, and the path of the value that has each."""
        say: Callable[[], Iterator[tuple[Path, Problem]]] = getattr(self, f"_{self._error.validator}")
        yield from say()

    def _additionalProperties(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        known = list(self._schema["properties"])
        missing = [name for name in known if name not in self._value]
        for key in self._value:
            if key in known or key.startswith("x-"):
                continue
            hint = did_you_mean(_OTHER_NAMES.get(key, key), missing or known)
            yield self._at_key(
                (*self._path, key),
                "unknown-key",
                f'{self._place(self._path)} has no key "{key}"',
                f"{hint}{'' if hint.startswith('did') else '; a key of your own starts with x-'}",
            )

    def _required(self) -> Iterator[tuple[Path, Problem]]:
        for key in self._expected:
            if key not in self._value:
                yield self._at_value("missing-key", f'{self._place(self._path)} needs "{key}"', self._description(key))

    def _type(self) -> Iterator[tuple[Path, Problem]]:
        expected = [self._expected] if isinstance(self._expected, str) else self._expected
        written = self._text.written(self._path)
        message = f"{self._name()} must be {kinds(expected)}; found {found(self._value)}"
        code, hint = "wrong-type", ""
        match self._value:
            case bool() if "string" in expected:
                code, hint = "unquoted-text", f'write "{written}" in quotes'
            case int() | float() if "string" in expected:
                code = "unquoted-text"
                message = f"{self._name()} must be text; {written} without quotes is the number {shown(self._value)}"
                hint = f'write "{written}" in quotes'
            case str() if "boolean" in expected:
                hint = "YAML 1.2 has true and false; yes, no, on and off are text"
            case _ if not self._path:
                hint = "a manifest starts with `toolmint: 1`"
            case None if self._text.commented_out(self._path):
                hint = "a # behind a space starts a comment; put the value in quotes"
            case None:
                empty = {"string": '""', "array": "[]", "object": "{}"}.get(expected[0])
                hint = f"leave the key out, or write {empty} for an empty one" if empty else "leave the key out"
        yield self._at_value(code, message, hint)

    def _enum(self) -> Iterator[tuple[Path, Problem]]:
        hint = did_you_mean(self._value, self._expected) if isinstance(self._value, str) else ""
        yield self._at_value(
            "unknown-value",
            f"{self._name()} must be {one_of(self._expected)}; found {found(self._value)}",
            hint if hint.startswith("did") else "",
        )

    def _const(self) -> Iterator[tuple[Path, Problem]]:
        hint = "" if self._path != ("toolmint",) else "1 is the only format there is; write `toolmint: 1`"
        yield self._at_value(
            "unknown-value", f"{self._name()} must be {shown(self._expected)}; found {found(self._value)}", hint
        )

    def _anyOf(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        """Report the branch whose type fits; of several types that do not fit, name all."""
        context = self._error.context or []
        wrong = {error.schema_path[0] for error in context if error.validator == "type" and len(error.schema_path) == 2}
        fitting = [error for error in context if error.schema_path[0] not in wrong]
        for error in fitting:
            yield from _Violation(self._text, error).problems()
        if not fitting:
            self._expected = [branch["type"] for branch in self._expected]
            yield from self._type()

    def _oneOf(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        choices = [" and ".join(f'"{key}"' for key in branch["required"]) for branch in self._expected]
        yield self._at_value("missing-key", f"{self._place(self._path)} needs exactly one of: {'; '.join(choices)}", "")

    def _pattern(self) -> Iterator[tuple[Path, Problem]]:
        yield self._at_value(
            "bad-value", f"{shown(self._value)} does not match {self._expected}", self._schema["description"]
        )

    def _minLength(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        yield self._at_value("bad-value", f"{self._name()} is empty", self._schema["description"])

    def _minItems(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        yield self._at_value("bad-value", f"{self._name()} is an empty list", "give at least one, or leave the key out")

    def _minimum(self) -> Iterator[tuple[Path, Problem]]:
        yield self._at_value("bad-value", f"{self._name()} is {self._value}; expected at least {self._expected}", "")

    def _maximum(self) -> Iterator[tuple[Path, Problem]]:
        yield self._at_value("bad-value", f"{self._name()} is {self._value}; expected at most {self._expected}", "")

    def _uniqueItems(self) -> Iterator[tuple[Path, Problem]]:  # noqa: N802 - named by the keyword
        for index, item in enumerate(self._value):
            first = self._value.index(item)
            if first != index:
                line = self._text.positions.value((*self._path, first)).line
                yield self._at(
                    (*self._path, index), "duplicate-value", f"{shown(item)} stands here twice, first in line {line}"
                )

    def _not(self) -> Iterator[tuple[Path, Problem]]:
        """Report a key that another one rules out: the only such are in the two forms of an elicitation."""
        (key,) = self._expected["required"]
        yield self._at_key(
            (*self._path, key),
            "misplaced-key",
            f'"{key}" does not go with mode {self._value.get("mode", "form")}',
            "mode form has a requestedSchema, mode url has a url",
        )

    def _at_value(self, code: str, message: str, hint: str) -> tuple[Path, Problem]:
        return self._at(self._path, code, message, hint)

    def _at(self, path: Path, code: str, message: str, hint: str = "") -> tuple[Path, Problem]:
        return path, self._text.problem(code, message, path, hint)

    def _at_key(self, path: Path, code: str, message: str, hint: str) -> tuple[Path, Problem]:
        return path, self._text.problem_at_key(code, message, path, hint)

    def _name(self) -> str:
        """Return what the value is called: by its key, or as an item of the list under one."""
        if not self._path:
            return "the manifest"
        if isinstance(self._path[-1], int):
            return f"an item of {self._path[-2]}"
        return str(self._path[-1])

    def _place(self, path: Path) -> str:
        if not path:
            return "a manifest"
        if len(path) == 2 and path[0] in _SECTIONS:
            return f"a {_SECTIONS[str(path[0])]}"
        return f"an item of {path[-2]}" if isinstance(path[-1], int) else f"{path[-1]}"

    def _description(self, key: str) -> str:
        schema = self._schema.get("properties", {}).get(key, {})
        if "$ref" in schema and "description" not in schema:
            schema = manifest_schema()["$defs"][schema["$ref"].rpartition("/")[2]]
        return f"{key}: {schema['description']}" if "description" in schema else ""
