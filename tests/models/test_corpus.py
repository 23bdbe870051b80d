from pathlib import Path

from models import corpus, generated
from reference import needs_reference
from toolmint.models import plan_models


@needs_reference
def test_a_tenth_of_the_reference_tools_is_typed_checked_and_decoded(tmp_path: Path) -> None:
    every = [tool for catalogue in corpus.catalogues() for tool in catalogue.tools]
    tools = [{**tool, "name": f"tool_{number}"} for number, tool in enumerate(every[::10])]
    models = plan_models([corpus.tool_schemas(tool) for tool in tools], {})
    package = generated.write_package(tmp_path, "tenth", models)
    generated.load(package, "models")
    decoded = sum(corpus.check_decoding(package, number, tool) for number, tool in enumerate(tools))
    assert len(tools) == len(every[::10])
    assert decoded > 1.9 * len(tools)
    generated.format_package(package)
    generated.check_package(package)
