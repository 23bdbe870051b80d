"""Whether handwritten handlers still fit their contracts, found by reading their syntax trees, never by importing them.

A handler's contract is what its stub would show today: the function, its parameters and result, and the fields of the
classes that these name. The lock keeps the contract that each handler was written against. It moves on by itself when
nothing that the handler uses has changed, and otherwise when its author says that the handler fits again.
"""

import ast
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from toolmint.plan import Plan
from toolmint.problems import Problem


@dataclass(frozen=True, slots=True)
class Contract:
    """What a handler has to be.

    Attributes:
        function: The name of the function.
        parameters: The annotation of each parameter, as source.
        returns: The annotation of the result, as source.
        classes: The fields of every class that these name, directly or through other classes: annotations by name.
    """

    function: str
    parameters: tuple[str, ...]
    returns: str
    classes: Mapping[str, Mapping[str, str]]

    def to_json(self) -> dict[str, Any]:
        """Return the contract as the lock file has it."""
        return {
            "function": self.function,
            "parameters": list(self.parameters),
            "returns": self.returns,
            "classes": {name: dict(fields) for name, fields in self.classes.items()},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Contract":
        """Return a contract from a lock file."""
        return cls(value["function"], tuple(value["parameters"]), value["returns"], value["classes"])


@dataclass(frozen=True, slots=True)
class Fit:
    """How handlers and contracts go together.

    Attributes:
        problems: Handlers that cannot work, or that were written against a contract that has changed under them.
        warnings: Stubs that nobody has filled in, and handlers that nothing calls any more.
        unsettled: Paths of the handlers that were written against another contract and use what has changed.
    """

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    unsettled: frozenset[str]

    def settled(self, recorded: Mapping[str, Contract], wanted: Mapping[str, Contract]) -> dict[str, Contract]:
        """Return the contract that each handler counts as written against from now on."""
        return {path: recorded[path] if path in self.unsettled else contract for path, contract in wanted.items()}


def contracts(plan: Plan) -> dict[str, Contract]:
    """Return the contract of every handler that a plan has a stub for, by the stub's path."""
    planned = plan.by_path()
    found: dict[str, Contract] = {}
    classes: dict[str, dict[str, str]] | None = None
    for file in plan.files:
        if file.owner != "handwritten" or not file.path.endswith(".py"):
            continue
        if classes is None:
            package = PurePosixPath(file.path).parent.parent
            classes = {}
            for path, module in planned.items():
                if path == f"{package}/models.py" or path.startswith(f"{package}/models/"):
                    classes |= _classes(module.content)
        (function,) = _functions(ast.parse(file.content))
        parameters = tuple(_source(parameter.annotation) for parameter in function.args.args)
        returns = _source(function.returns)
        found[file.path] = Contract(function.name, parameters, returns, _reachable([*parameters, returns], classes))
    return found


def check_fit(plan: Plan, project: Path, wanted: Mapping[str, Contract], recorded: Mapping[str, Contract]) -> Fit:
    """Read every handler of a project and compare it with its contract.

    Args:
        plan: How the project should be.
        project: Its folder.
        wanted: The contract that each handler has to fit, by path.
        recorded: The contract that each handler was written against, by path; from the lock.
    """
    problems: list[Problem] = []
    warnings: list[Problem] = []
    unsettled: set[str] = set()
    exported = _exported(plan)
    for path, contract in wanted.items():
        try:
            source = (project / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            continue  # generate writes the stub
        except (OSError, UnicodeDecodeError) as error:
            problems.append(
                _problem("handler-unreadable", f"cannot be read: {error}", path, 1, "save it as UTF-8 text")
            )
            continue
        reader = _Handler(path, source, contract, exported)
        problems += reader.problems
        warnings += reader.warnings
        before = recorded.get(path)
        if before is not None and before != contract:
            concerned = list(reader.concerned_by(before))
            problems += concerned
            if concerned:
                unsettled.add(path)
    warnings += _orphans(project, wanted)
    return Fit(tuple(problems), tuple(warnings), frozenset(unsettled))


class _Handler:
    """One handler's module, read."""

    def __init__(self, path: str, source: str, contract: Contract, exported: frozenset[str]) -> None:
        self._path = path
        self._contract = contract
        self._lines = source.splitlines()
        self._function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
        self._tree = ast.Module([], [])
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        try:
            self._tree = ast.parse(source)
        except SyntaxError as error:
            text = f"is not Python: {error.msg}"
            self._report("handler-syntax", text, error.lineno or 1, "correct it; callers are told that the tool failed")
            return
        self._read()
        self._read_imports(exported)

    def concerned_by(self, before: Contract) -> Iterator[Problem]:
        """Yield what has changed since the contract that the handler was written against, where it uses that."""
        now = self._contract
        line = self._function.lineno if self._function else 1
        if before.returns != now.returns:
            text = f"returns {before.returns} by the contract it was written against, and {now.returns} now"
            yield self._changed(text, line)
        for name in sorted(before.classes.keys() & now.classes.keys()):
            old, new = before.classes[name], now.classes[name]
            for field in sorted(old.keys() | new.keys()):
                if old.get(field) == new.get(field):
                    continue
                used = self._line_using(field)
                if used is None:
                    continue
                if field not in new:
                    text = f"uses {field}, which {name} no longer has"
                elif field not in old:
                    continue  # it says the name already, so it was edited for the new field or means another thing
                else:
                    text = f"uses {name}.{field}, which was {old[field]} and is {new[field]} now"
                yield self._changed(text, used)

    def _read(self) -> None:
        contract = self._contract
        functions = {function.name: function for function in _functions(self._tree)}
        function = self._function = functions.get(contract.function)
        if function is None:
            if contract.function in _bound_names(self._tree):
                return  # made some other way: assigned or imported
            near = difflib.get_close_matches(contract.function, functions, n=1)
            hint = f"rename {near[0]}" if near else "define it"
            self._report("handler-undefined", f"does not define {self._signature()}", 1, hint)
            return
        if not _takes_two(function.args):
            found = ast.unparse(function.args)
            text = f"{function.name}({found}) cannot be called with two arguments"
            self._report("handler-signature", text, function.lineno, f"make it {self._signature()}")
            return
        if _is_stub(function):
            self.warnings.append(
                self._at("stub", f"{function.name} is still a stub: callers are told so", function.lineno, "fill it in")
            )
        self._read_fields(function)

    def _read_fields(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        positional = [*function.args.posonlyargs, *function.args.args]
        fields = self._contract.classes.get(self._contract.parameters[0])
        if not positional or fields is None:
            return
        first = positional[0].arg
        if any(
            isinstance(node, ast.Name) and node.id == first and isinstance(node.ctx, ast.Store)
            for node in ast.walk(function)
        ):
            return  # the name means something else somewhere
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == first
                and node.attr not in fields
                and not node.attr.startswith("__")
            ):
                near = difflib.get_close_matches(node.attr, fields, n=1)
                hint = f"did you mean {first}.{near[0]}?" if near else f"it has {', '.join(fields) or 'no fields'}"
                text = f"{self._contract.parameters[0]} has no field {node.attr}"
                self._report("handler-field", text, node.lineno, hint)

    def _read_imports(self, exported: frozenset[str]) -> None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == "api":
                for alias in node.names:
                    if alias.name not in exported and alias.name != "*":
                        near = difflib.get_close_matches(alias.name, exported, n=1)
                        hint = f"did you mean {near[0]}?" if near else "take it from where it is defined now"
                        self._report("handler-import", f"api no longer has {alias.name}", node.lineno, hint)

    def _line_using(self, field: str) -> int | None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and node.attr == field:
                return node.lineno
            if isinstance(node, ast.keyword) and node.arg == field:
                return node.value.lineno
        return None

    def _signature(self) -> str:
        arguments, context = self._contract.parameters
        return f"{self._contract.function}(args: {arguments}, ctx: {context}) -> {self._contract.returns}"

    def _changed(self, text: str, line: int) -> Problem:
        hint = "change the handler; if it is right as it is, run toolmint generate --accept"
        return self._at("handler-contract", text, line, hint)

    def _report(self, code: str, text: str, line: int, hint: str) -> None:
        self.problems.append(self._at(code, text, line, hint))

    def _at(self, code: str, text: str, line: int, hint: str) -> Problem:
        excerpt = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        column = len(excerpt) - len(excerpt.lstrip()) + 1
        return Problem(
            code=code, message=text, file=self._path, line=line, column=column, hint=hint, excerpt=excerpt.rstrip()
        )


def _orphans(project: Path, wanted: Mapping[str, Contract]) -> Iterator[Problem]:
    """Yield the handlers that nothing calls any more, each with the tool that it probably belongs to now."""
    fresh = [path for path in wanted if not (project / path).exists() or _is_untouched_stub(project / path)]
    for folder in sorted({str(PurePosixPath(path).parent) for path in wanted}):
        for file in sorted((project / folder).glob("*.py")):
            path = f"{folder}/{file.name}"
            if path in wanted or file.name.startswith("_"):
                continue
            siblings = [PurePosixPath(other).stem for other in fresh if str(PurePosixPath(other).parent) == folder]
            near = difflib.get_close_matches(file.stem, siblings, n=1, cutoff=0.4)
            hint = (
                f"if {near[0]} is its new name, rename file and function" if near else "remove it if nothing needs it"
            )
            kind = PurePosixPath(folder).name.removesuffix("s")
            yield _problem("handler-orphan", f"no {kind} has this handler any more; it is kept", path, 1, hint)


def _is_untouched_stub(path: Path) -> bool:
    try:
        functions = list(_functions(ast.parse(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, SyntaxError):
        return False
    return len(functions) == 1 and _is_stub(functions[0])


def _problem(code: str, text: str, path: str, line: int, hint: str) -> Problem:
    return Problem(code=code, message=text, file=path, line=line, column=1, hint=hint)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _bound_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
        else:
            names.update(
                part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )
    return names


def _takes_two(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    required = positional - len(arguments.defaults)
    keyword_only = sum(default is None for default in arguments.kw_defaults)
    return required <= 2 and (positional >= 2 or arguments.vararg is not None) and keyword_only == 0


def _is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _source(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.unparse(annotation)


def _classes(models: str) -> dict[str, dict[str, str]]:
    """Return the fields of every class of the generated models: annotations by name."""
    return {
        node.name: {
            field.target.id: ast.unparse(field.annotation)
            for field in node.body
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        }
        for node in ast.parse(models).body
        if isinstance(node, ast.ClassDef)
    }


def _reachable(annotations: list[str], classes: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    pending = list(annotations)
    while pending:
        for node in ast.walk(ast.parse(pending.pop() or "None", mode="eval")):
            if isinstance(node, ast.Name) and node.id in classes and node.id not in found:
                found[node.id] = classes[node.id]
                pending += classes[node.id].values()
    return dict(sorted(found.items()))


def _exported(plan: Plan) -> frozenset[str]:
    """Return the names in ``__all__`` of the planned module ``api``."""
    (api,) = (file for file in plan.files if file.path.endswith("/api.py") and file.path.count("/") == 2)
    for node in ast.parse(api.content).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return frozenset(ast.literal_eval(node.value))
    raise AssertionError("the generated api has no __all__")
