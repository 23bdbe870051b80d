"""One tool, planned, written to a folder and imported, for tests of what the emitted code does."""

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from models import generated
from toolmint.models import Models, ToolSchemas, plan_models


@dataclass(frozen=True)
class Built:
    planned: Models
    models: ModuleType
    codec: ModuleType

    def decode(self, value: Any) -> Any:
        return self.codec.build_input(value)

    def encode(self, value: Any) -> Any:
        return self.codec.encode_output(value)


def build(folder: Path, schema: Any, *, output: Any = None, definitions: Any = None) -> Built:
    """Return the tool ``find`` with an input schema, or with a property ``it`` of that schema if it is no object."""
    tool = ToolSchemas(name="find", identifier="find", input_schema=schema, output_schema=output)
    planned = plan_models([tool], definitions or {})
    package = generated.write_package(folder, "found", planned)
    codec = generated.load(package, "validators.t0")
    return Built(planned, sys.modules["found.models"], codec)


def hints(schema: Any, *, class_: str = "FindInput", definitions: Any = None) -> dict[str, str]:
    """Return the fields of a class of the tool ``find`` as they are written: annotation and default."""
    tool = ToolSchemas(name="find", identifier="find", input_schema=schema)
    source = plan_models([tool], definitions or {}).source
    body = source.split(f"class {class_}:", 1)[1].split("\n\n\n")[0].split("\nPROPERTIES")[0]
    lines = (line.strip() for line in body.splitlines() if line.startswith("    ") and ": " in line)
    return dict(line.replace("'", '"').split(": ", 1) for line in lines if not line.startswith(('"', 'r"')))


def an_object(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}
