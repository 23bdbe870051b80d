import ast
from pathlib import Path

from models import generated
from toolmint.models import plan_models, render_protocol
from toolmint.revision import known_revisions, load_revision


def test_a_revision_becomes_one_module_per_subject(tmp_path: Path) -> None:
    revision = load_revision(known_revisions(era="modern")[-1])
    sources = render_protocol(revision.definitions, revision.subjects)
    assert set(sources) == {"__init__.py", *(f"{subject}.py" for subject in revision.subjects)}
    for subject, names in revision.subjects.items():
        tree = ast.parse(sources[f"{subject}.py"])
        defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        defined |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
        assert set(names) <= defined

    package = generated.write_package(tmp_path, "revised", plan_models([], {}))
    (package / "protocol").mkdir()
    for name, source in sources.items():
        (package / "protocol" / name).write_text(source, encoding="utf-8")
    generated.format_sources([package / "protocol"])
    generated.check_sources([package / "protocol"], package)
    for subject in revision.subjects:
        generated.load(package, f"protocol.{subject}")


def test_modules_may_refer_to_each_other() -> None:
    definitions = {
        "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}, "n": {"$ref": "#/$defs/N"}}},
        "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
        "N": {"type": "integer"},
    }
    sources = render_protocol(definitions, {"one": ["A", "N"], "two": ["B"]})
    assert "if TYPE_CHECKING:\n    from .two import B\n" in sources["one.py"]
    assert "if TYPE_CHECKING:\n    from .one import A\n" in sources["two.py"]
    assert "N: TypeAlias = int" in sources["one.py"]
