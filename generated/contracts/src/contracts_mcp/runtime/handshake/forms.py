# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Forms as a revision has them: fields of a kind that it does not know are asked for by fields of kinds that it does.

One choice with titles becomes one with names beside it; several choices become a yes or no for each.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Form:
    """A form as it is sent, and the way back from its answer.

    Args:
        requested: The form's schema in the modern era.
        fields: For each kind of field that the revision has, its members.
    """

    def __init__(self, requested: Mapping[str, Any], fields: Mapping[str, tuple[str, ...]]) -> None:
        """Say a form in the terms of a revision."""
        self._requested = requested
        self._choices: dict[str, dict[str, str]] = {}
        properties: dict[str, Any] = {}
        for name, field in requested["properties"].items():
            kind = _kind_of(field)
            if kind in fields:
                properties[name] = _kept(field, fields[kind])
            elif kind == "array":
                properties |= self._split(name, field, fields)
            else:
                titles = [choice["title"] for choice in field["oneOf"]]
                values = [choice["const"] for choice in field["oneOf"]]
                properties[name] = _kept({**field, "enum": values, "enumNames": titles}, fields["enum"])
        self.schema: dict[str, Any] = {"type": "object", "properties": properties}
        required = [name for name in requested.get("required", ()) if name in properties]
        if required:
            self.schema["required"] = required

    def understood(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was filled in as an answer to the form of the modern era."""
        split = {key for choices in self._choices.values() for key in choices}
        answer = {name: value for name, value in content.items() if name not in split}
        for name, choices in self._choices.items():
            if name in self._requested.get("required", ()) or not content.keys().isdisjoint(choices):
                answer[name] = [value for key, value in choices.items() if content.get(key) is True]
        return answer

    def _split(self, name: str, field: Mapping[str, Any], fields: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
        items = field["items"]
        choices = items.get("anyOf") or [{"const": value, "title": value} for value in items.get("enum", ())]
        keys = self._choices[name] = {}
        questions = {}
        for choice in choices:
            key = f"{name}: {choice['const']}"
            keys[key] = choice["const"]
            question: dict[str, Any] = {"type": "boolean", "title": f"{field.get('title', name)}: {choice['title']}"}
            if "description" in field:
                question["description"] = field["description"]
            if "default" in field:
                question["default"] = choice["const"] in field["default"]
            questions[key] = _kept(question, fields["boolean"])
        return questions


def _kind_of(field: Mapping[str, Any]) -> str:
    return next((kind for kind in ("enum", "oneOf") if kind in field), field["type"])


def _kept(field: Mapping[str, Any], members: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in field.items() if key in members}
