"""Compiles a schema and loads what was emitted, as a generated package would."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime import validation
from runtime.validation import Violation
from toolmint.compiler import CompiledSchema, compile_schema


@dataclass(frozen=True)
class Validators:
    """The emitted functions, and the module they came from."""

    is_valid: Callable[[Any], bool]
    violations: Callable[[Any], list[Violation]]
    destringified: Callable[[Any], object]
    source: str

    def lines(self, value: Any) -> list[str]:
        """Every violation as the line a caller sees."""
        return [str(violation) for violation in self.violations(value)]

    def agree(self, value: Any) -> bool:
        """The verdict, once violations has been seen to say the same and to know why."""
        verdict, violations = self.is_valid(value), self.violations(value)
        assert type(verdict) is bool
        assert bool(violations) is not verdict
        assert all(violation.keyword for violation in violations), "invalid, and no keyword says why"
        assert all(len(str(violation).splitlines()) == 1 for violation in violations)
        return verdict


def module_source(compiled: CompiledSchema, package: str = "runtime") -> str:
    """The text of a module that holds a compiled schema."""
    lines = ["from __future__ import annotations", "", *(f"import {name}" for name in sorted(compiled.modules))]
    lines += ["from typing import Any", ""]
    if compiled.support:
        lines.append(f"from {package}.validation import {', '.join(sorted(compiled.support))}")
    return "\n".join(lines) + "\n\n\n" + compiled.body


def load(compiled: CompiledSchema, prefix: str = "value") -> Validators:
    """Run a compiled schema's module; what it imports has to exist."""
    assert compiled.support <= set(dir(validation))
    source = module_source(compiled)
    namespace: dict[str, Any] = {}
    exec(compile(source, f"<{prefix}>", "exec"), namespace)
    own = {name for name in namespace if name not in {*compiled.support, *compiled.modules, "Any", "annotations"}}
    own -= {"__builtins__", "__annotations__"}
    assert all(name.startswith((prefix, f"_{prefix}")) for name in own), own
    return Validators(
        namespace[f"{prefix}_is_valid"],
        namespace[f"{prefix}_violations"],
        namespace.get(f"{prefix}_destringified", lambda value: value),
        source,
    )


def validators(schema: Any, **options: Any) -> Validators:
    """Compile a schema and load it."""
    return load(compile_schema(schema, prefix="value", **options))
