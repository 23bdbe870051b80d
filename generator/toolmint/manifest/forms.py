"""Forms and pages that users are asked to fill in or visit: what their shape alone does not rule out.

What a field may be is in ``schema/manifest.schema.json``, after the revision's PrimitiveSchemaDefinition.
"""

from collections.abc import Generator, Iterator
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator

from toolmint.compiler import check_schema
from toolmint.manifest.model import JSONObject
from toolmint.manifest.positions import Path
from toolmint.manifest.text import Text
from toolmint.manifest.wording import did_you_mean, one_of, shown
from toolmint.problems import Problem

_BOUNDS = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))


def form_problems(text: Text, form: JSONObject, path: Path) -> Iterator[Problem]:
    """Yield what is wrong with a requestedSchema whose shape is right."""
    for index, name in enumerate(form.get("required", ())):
        if name not in form["properties"]:
            yield text.problem(
                "unknown-field",
                f"the form has no field {shown(name)}",
                (*path, "required", index),
                did_you_mean(name, form["properties"], otherwise="it has"),
            )
    for error in check_schema({"type": "object", **{key: form[key] for key in form if key == "$schema"}}):
        yield text.problem("unsupported-dialect", error.message, (*path, "$schema"), error.hint)
    for name, field in form["properties"].items():
        yield from _field_problems(text, name, field, (*path, "properties", name))


def page_problems(text: Text, url: str, path: Path) -> Iterator[Problem]:
    """Yield what is wrong with the address of a page to visit."""
    try:
        parts = urlsplit(url)
        absolute = parts.scheme in ("http", "https") and parts.hostname and url.isascii() and url.isprintable()
    except ValueError:
        absolute = False
    if not absolute or " " in url:
        hint = "write it in full, as in https://example.com/connect"
        yield text.problem("bad-uri", f"{shown(url)} is no absolute web address", path, hint)


def _field_problems(text: Text, name: str, field: JSONObject, path: Path) -> Iterator[Problem]:
    for least, most in _BOUNDS:
        if least in field and most in field and field[least] > field[most]:
            yield text.problem(
                "empty-range",
                f"no value of {shown(name)} can be at least {field[least]} and at most {field[most]}",
                (*path, least),
                f"swap them, or leave {least} out",
            )
    given = [key for key in ("enum", "oneOf") if key in field]
    if len(given) > 1:
        message = f"{shown(name)} lists its choices twice, as enum and as oneOf"
        yield text.problem("several-choices", message, (*path, "oneOf"), "keep oneOf if they have labels, else enum")
    choices = yield from _choices(text, name, field, path)
    if "enumNames" in field and len(field["enumNames"]) != len(field.get("enum", ())):
        yield text.problem(
            "label-count",
            f"{shown(name)} has {len(field['enumNames'])} labels for {len(field.get('enum', ()))} choices",
            (*path, "enumNames"),
            "write choices and labels together: `oneOf: [{const: …, title: …}]`",
        )
    if "default" in field and not Draft202012Validator(field).is_valid(field["default"]):
        hint = f"the choices are {one_of(choices)}" if choices and len(choices) < 20 else ""
        message = f"the default {shown(field['default'])} is no value that {shown(name)} can have"
        yield text.problem("bad-default", message, (*path, "default"), hint)


def _choices(text: Text, name: str, field: JSONObject, path: Path) -> Generator[Problem, None, list[str]]:
    """Yield choices that are there twice; return all."""
    values: dict[str, None] = {}
    items: Any = field.get("items", {})
    for holder, below in ((field, path), (items, (*path, "items"))):
        for key in ("enum", "oneOf", "anyOf"):
            for index, choice in enumerate(holder.get(key, ())):
                value = choice if key == "enum" else choice["const"]
                if value in values:
                    message = f"{shown(name)} has the choice {shown(value)} twice"
                    yield text.problem("duplicate-value", message, (*below, key, index), "keep one of them")
                values[value] = None
    return list(values)
