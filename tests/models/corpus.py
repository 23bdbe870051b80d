"""Plans the tools of the reference catalogues, and holds decoders and encoder to what the schemas say.

``python tests/models/corpus.py`` does it for every tool, with mypy and ruff, and prints what it took.
"""

import importlib
import json
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from models import generated
from models.samples import samples
from reference import REFERENCE
from toolmint.models import ToolSchemas, plan_models


@dataclass(frozen=True)
class Catalogue:
    name: str
    tools: list[dict[str, Any]]


def catalogues() -> Iterator[Catalogue]:
    for path in sorted((REFERENCE / "tools-list").glob("*.json")):
        yield Catalogue(path.stem, json.loads(path.read_text(encoding="utf-8"))["tools"])


def tool_schemas(tool: dict[str, Any]) -> ToolSchemas:
    identifier = re.sub(r"\W", "_", tool["name"])
    return ToolSchemas(
        name=tool["name"],
        identifier=identifier,
        input_schema=tool["inputSchema"],
        output_schema=tool.get("outputSchema"),
    )


def validator(schema: Any) -> Any:
    dialect = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return dialect(schema)


def check_decoding(package: Path, index: int, tool: dict[str, Any]) -> int:
    """Decode valid arguments of a tool and encode them again; return how many of the samples were valid."""
    module = importlib.import_module(f"{package.name}.validators.t{index}")
    check = validator(tool["inputSchema"])
    valid = [sample for sample in samples(tool["inputSchema"]) if check.is_valid(sample)]
    for sample in valid:
        built = module.build_input(json.loads(json.dumps(sample)))
        encoded = module.encode_output(built)
        errors = [error.message for error in check.iter_errors(encoded)]
        assert not errors, (tool["name"], sample, built, encoded, errors)
        assert covers(encoded, sample), (tool["name"], sample, encoded)
    return len(valid)


def covers(encoded: Any, sample: Any) -> bool:
    """Whether nothing of the sample was lost but properties that no schema names."""
    if isinstance(sample, dict):
        return isinstance(encoded, dict) and all(covers(encoded[key], sample[key]) for key in sample if key in encoded)
    if isinstance(sample, list):
        return isinstance(encoded, list) and len(encoded) == len(sample) and all(map(covers, encoded, sample))
    return bool(encoded == sample) and isinstance(encoded, bool) == isinstance(sample, bool)


def main() -> None:
    tools = decoded = 0
    planning = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, catalogue in enumerate(catalogues()):
            began = time.perf_counter()
            models = plan_models([tool_schemas(tool) for tool in catalogue.tools], {})
            planning += time.perf_counter() - began
            package = generated.write_package(Path(folder), f"catalogue_{number}", models)
            generated.format_package(package)
            generated.load(package, "models")
            tools += len(catalogue.tools)
            decoded += sum(check_decoding(package, index, tool) for index, tool in enumerate(catalogue.tools))
            generated.check_package(package)
            print(f"{catalogue.name}: {len(catalogue.tools)} tools", flush=True)
    print(f"{tools} tools planned in {planning:.1f} s; {decoded} of {2 * tools} samples valid, decoded and encoded")


if __name__ == "__main__":
    main()
