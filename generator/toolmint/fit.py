"""Whether handwritten handlers still fit their contracts, found by reading their syntax trees, never by importing them.

A handler's contract is what its stub would show today: the function, its parameters and result, the questions that it
may ask, and the fields of the classes that these name. The lock keeps the contract that each handler was written
against. It moves on by itself when nothing that the handler uses has changed, and otherwise when its author says that
the handler fits again.
"""

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from toolmint.plan import Plan
from toolmint.problems import Problem

_KINDS = ("tool", "resource", "prompt", "completion")
"""What handlers are for; the folder of each is named after it."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a handler has to be.

    Attributes:
        function: The name of the function.
        parameters: The annotation of each parameter, as source.
        returns: The annotation of the result, as source.
        classes: The fields of every class that these name, directly or through other classes: annotations by name.
        aliases: What every other name of a type in them stands for, as source.
        asks: The type of each question that the manifest declares for it, by the question's constant.
    """

    function: str
    parameters: tuple[str, ...]
    returns: str
    classes: Mapping[str, Mapping[str, str]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    asks: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the contract as the lock file has it."""
        content: dict[str, Any] = {
            "function": self.function,
            "parameters": list(self.parameters),
            "returns": self.returns,
            "classes": {name: dict(fields) for name, fields in self.classes.items()},
        }
        optional = {"aliases": dict(self.aliases), "asks": dict(self.asks)}
        return content | {name: value for name, value in optional.items() if value}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Contract":
        """Return a contract from a lock file."""
        parts = value["function"], tuple(value["parameters"]), value["returns"], value["classes"]
        return cls(*parts, aliases=value.get("aliases", {}), asks=value.get("asks", {}))

    def in_full(self, annotation: str) -> str:
        """Return an annotation with what its aliases stand for."""
        return _expanded(annotation, self.aliases)


@dataclass(frozen=True, slots=True)
class Fit:
    """How handlers and contracts go together.

    Attributes:
        problems: Handlers that cannot work, or that were written against a contract that has changed under them.
        stubs: Stubs that nobody has filled in.
        orphans: Handlers that nothing calls any more.
        unsettled: Paths of the handlers that were written against another contract and use what has changed.
    """

    problems: tuple[Problem, ...]
    stubs: tuple[Problem, ...]
    orphans: tuple[Problem, ...]
    unsettled: frozenset[str]

    def settled(self, recorded: Mapping[str, Contract], wanted: Mapping[str, Contract]) -> dict[str, Contract]:
        """Return the contract that each handler counts as written against from now on."""
        return {path: recorded[path] if path in self.unsettled else contract for path, contract in wanted.items()}


def contracts(plan: Plan, types: "Types") -> dict[str, Contract]:
    """Return the contract of every handler that a plan has a stub for, by the stub's path.

    Args:
        plan: How the project should be.
        types: What its package has for handlers.
    """
    found: dict[str, Contract] = {}
    for file in plan.files:
        if file.owner != "handwritten" or not file.path.endswith(".py"):
            continue
        (function,) = _functions(ast.parse(file.content))
        parameters = tuple(_source(parameter.annotation) for parameter in function.args.args)
        returns = _source(function.returns)
        asks = {constant: types.questions[constant] for constant in plan.asked.get(file.path, ())}
        classes, aliases = types.reachable([*parameters, returns, *asks.values()])
        found[file.path] = Contract(function.name, parameters, returns, classes, aliases, asks)
    return found


def check_fit(project: Path, types: "Types", wanted: Mapping[str, Contract], recorded: Mapping[str, Contract]) -> Fit:
    """Read every handler of a project and compare it with its contract.

    Args:
        project: The project's folder.
        types: What its package has for handlers.
        wanted: The contract that each handler has to fit, by path.
        recorded: The contract that each handler was written against, by path; from the lock.
    """
    problems: list[Problem] = []
    stubs: list[Problem] = []
    unsettled: set[str] = set()
    for planned, contract in wanted.items():
        path = handler_file(project, planned)
        try:
            source = _text(project / path)
        except FileNotFoundError:
            if (project / path).is_symlink():
                text, hint = "is a symbolic link to nothing", "remove it and generate again to get a stub"
                problems.append(_problem("handler-unreadable", text, path, 1, hint))
            continue  # otherwise generate writes the stub
        except OSError as error:
            hint = "make it a file that can be read"
            problems.append(_problem("handler-unreadable", f"cannot be read: {error.strerror or error}", path, 1, hint))
            continue
        except (UnicodeDecodeError, SyntaxError):  # the latter where its first lines name no encoding that there is
            text = "is not text in UTF-8, or in the encoding that its first lines name"
            problems.append(_problem("handler-unreadable", text, path, 1, "save it as UTF-8 text"))
            continue
        reader = _Handler(path, source, contract, types)
        stubs += reader.stubs
        before = recorded.get(planned)
        concerned = list(reader.concerned_by(before)) if before is not None and before != contract else []
        if concerned:
            unsettled.add(planned)
        more = [problem for problem in concerned if problem.message not in reader.covered]
        problems += sorted([*reader.problems, *more], key=lambda problem: problem.line or 0)
    orphans = [*_orphans(project, types.package, wanted), *_left_behind(project, types.package, recorded)]
    return Fit(tuple(problems), tuple(stubs), tuple(orphans), frozenset(unsettled))


def handler_file(project: Path, path: str) -> str:
    """Return where a handler is: its module, or the package that its author has made of it, which Python prefers."""
    package = f"{path.removesuffix('.py')}/__init__.py"
    return package if (project / package).is_file() else path


def _text(path: Path) -> str:
    """Return a module's text, in the encoding that Python would read it in.

    Raises:
        OSError, UnicodeDecodeError, SyntaxError: It cannot be read.
    """
    content = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return content.decode(encoding)


class _Handler:
    """One handler's module, read."""

    def __init__(self, path: str, source: str, contract: Contract, types: "Types") -> None:
        self._path = path
        self._contract = contract
        self._types = types
        self._lines = re.split(r"\r\n|\r|\n", source)  # as Python counts them
        self._function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
        self._tree = ast.Module([], [])
        self.problems: list[Problem] = []
        self.stubs: list[Problem] = []
        self.covered: set[str] = set()  # what ``concerned_by`` would say again
        hint = "correct it; callers are told that the tool failed"
        try:
            self._tree = ast.parse(source)
        except SyntaxError as error:
            self._report("handler-syntax", f"is not Python: {error.msg}", error.lineno or 1, hint)
            return
        except ValueError as error:
            self._report("handler-syntax", f"is not Python: {error}", 1, hint)
            return
        except (RecursionError, MemoryError):
            self._report("handler-syntax", "is nested too deeply for Python to read", 1, hint)
            return
        self._read()
        self._read_imports()

    def concerned_by(self, before: Contract) -> Iterator[Problem]:
        """Yield what has changed since the contract that the handler was written against, where it uses that."""
        now = self._contract
        line = self._function.lineno if self._function else 1
        if not _same_type(before, before.returns, now, now.returns):
            was, is_ = before.in_full(before.returns), now.in_full(now.returns)
            yield self._changed(f"returns {was} by the contract it was written against, and {is_} now", line)
        for constant in sorted(before.asks.keys() & now.asks.keys()):
            used = self._line_naming(constant)
            if used is not None and before.asks[constant] != now.asks[constant]:
                yield self._changed(
                    f"asks {constant}, which was {_form_or_page(before.asks[constant])}"
                    f" and is {_form_or_page(now.asks[constant])} now",
                    used,
                )
        for name in sorted(before.classes.keys() & now.classes.keys()):
            yield from self._concerned_by_class(name, before)

    def _concerned_by_class(self, name: str, before: Contract) -> Iterator[Problem]:
        now = self._contract
        old, new = before.classes[name], now.classes[name]
        for member in sorted(old):  # one that is new and used already was used for that, or means another thing
            if member in new and _same_type(before, old[member], now, new[member]):
                continue
            used = self._line_using(member)
            if used is None:
                continue
            if member not in new:
                text = _gone(name, member)
            else:
                was, is_ = before.in_full(old[member]), now.in_full(new[member])
                text = f"uses {name}.{member}, which was {was} and is {is_} now"
            yield self._changed(text, used)

    def _read(self) -> None:
        contract = self._contract
        functions = {function.name: function for function in _functions(self._tree)}
        function = self._function = functions.get(contract.function)
        if function is None:
            bound = _bound_names(self._tree)
            if contract.function in bound or "*" in bound:
                return  # made some other way: assigned, imported, or defined under a condition
            near = difflib.get_close_matches(contract.function, functions, n=1)
            hint = f"rename {near[0]}" if near else "define it"
            self._report("handler-undefined", f"does not define {self._signature()}", 1, hint)
            return
        if not function.decorator_list and not self._fits_signature(function):
            return
        if _is_stub(function):
            self.stubs.append(
                self._at("stub", f"{function.name} is still a stub: callers are told so", function.lineno, "fill it in")
            )
        self._read_fields(function)
        self._read_constructions()

    def _fits_signature(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        hint = f"make it {self._signature()}"
        found = f"{function.name}({ast.unparse(function.args)})"
        if not _takes_two(function.args):
            text = f"{found} cannot be called with two arguments"
            self._report("handler-signature", text, function.lineno, hint)
            return False
        arguments, context = self._contract.parameters
        first, second = (*map(_annotation, _positional(function)), "", "")[:2]
        if first == context or second == arguments or (first != arguments and first in self._types.classes):
            text = f"{found} is called with {arguments} and {context}, in this order"
            self._report("handler-signature", text, function.lineno, hint)
            return False
        return True

    def _read_fields(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        input_class = self._contract.parameters[0]
        fields = self._contract.classes.get(input_class)
        positional = _positional(function)
        if function.decorator_list:  # which may hand it more than it is called with
            positional = [parameter for parameter in positional if _annotation(parameter) == input_class]
        if not positional or fields is None:
            return
        first = positional[0]
        if any(_binds(node, first.arg) for node in ast.walk(function) if node is not first):
            return  # the name means something else somewhere
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == first.arg
                and node.attr not in fields
                and not node.attr.startswith("__")
            ):
                self._no_field(input_class, node.attr, node.lineno, prefix=f"{first.arg}.")

    def _read_constructions(self) -> None:
        """Report what names fields of generated classes that there are not, or leaves out those that have to be."""
        names = self._imported_classes()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                name = names[node.func.id]
                given = [keyword.arg for keyword in node.keywords]
                for keyword in node.keywords:
                    if keyword.arg is not None and keyword.arg not in self._types.classes[name]:
                        self._no_field(name, keyword.arg, keyword.value.lineno)
                missing = [member for member in self._types.required[name] if member not in given]
                if missing and None not in given:
                    text = f"makes {name} without {', '.join(missing)}, which it has to have"
                    self._report("handler-field", text, node.lineno, f"give it {missing[0]}=…")
            elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name) and node.cls.id in names:
                name = names[node.cls.id]
                for attribute in node.kwd_attrs:
                    if attribute not in self._types.classes[name]:
                        self._no_field(name, attribute, node.lineno)

    def _imported_classes(self) -> dict[str, str]:
        """Return the generated classes that the module imports and binds nowhere else, by the names it has for them."""
        imported = {
            alias.asname or alias.name: alias.name
            for node in self._imports_of("api", "models")
            for alias in node.names
            if alias.name in self._types.classes
        }
        return {
            name: class_
            for name, class_ in imported.items()
            if not any(_binds(node, name) for node in ast.walk(self._tree))
        }

    def _no_field(self, class_: str, found: str, line: int, *, prefix: str = "") -> None:
        fields = self._types.classes[class_]
        near = difflib.get_close_matches(found, fields, n=1)
        hint = f"did you mean {prefix}{near[0]}?" if near else f"it has {', '.join(fields) or 'no fields'}"
        self._report("handler-field", f"{class_} has no field {found}", line, hint)
        self.covered.add(_gone(class_, found))

    def _read_imports(self) -> None:
        exported = self._types.exported
        for node in self._imports_of("api"):
            for alias in node.names:
                if alias.name not in exported and alias.name != "*":
                    near = difflib.get_close_matches(alias.name, exported, n=1)
                    hint = f"did you mean {near[0]}?" if near else "take out what needs it"
                    if alias.name.isupper() and self._contract.asks:
                        hint = f"what it may ask is {', '.join(self._contract.asks)}"
                    self._report("handler-import", f"api has no {alias.name}", alias.lineno, hint)

    def _imports_of(self, *modules: str) -> Iterator[ast.ImportFrom]:
        """Yield the imports from modules of the project's own package."""
        package = PurePosixPath(self._types.package).name
        above = 3 if self._path.endswith("/__init__.py") else 2  # dots that lead to the package
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom):
                own = {f"{package}.{module}" for module in modules} if node.level == 0 else set(modules)
                if node.level in (0, above) and node.module in own:
                    yield node

    def _line_using(self, member: str) -> int | None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and node.attr == member:
                return node.lineno
            if isinstance(node, ast.keyword) and node.arg == member:
                return node.value.lineno
            if isinstance(node, ast.MatchClass) and member in node.kwd_attrs:
                return node.lineno
        return None

    def _line_naming(self, constant: str) -> int | None:
        lines = [node.lineno for node in ast.walk(self._tree) if isinstance(node, ast.Name) and node.id == constant]
        return min(lines, default=None)

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


def _orphans(project: Path, package: str, wanted: Mapping[str, Contract]) -> Iterator[Problem]:
    """Yield the handlers that nothing calls any more, each with what it probably belongs to now."""
    files = {path: project / handler_file(project, path) for path in wanted}
    fresh = [path for path, file in files.items() if not file.exists() or _is_untouched_stub(file)]
    for kind in _KINDS:
        folder = f"{package}/{kind}s"
        for file in sorted((project / folder).glob("*.py")):
            path = f"{folder}/{file.name}"
            if path in wanted:
                continue
            function = _function_in(file, file.stem)
            if function is None:
                continue  # a module that handlers share
            siblings = {PurePosixPath(other).stem: wanted[other] for other in fresh if other.startswith(f"{folder}/")}
            near = _successor(function, siblings)
            hint = "remove it if nothing needs it"
            if near is not None:
                hint = f"if it is {near} now, put it in the place of {near}.py and rename the function and its types"
            yield _problem("handler-orphan", f"no {kind} has this handler any more; it is kept", path, 1, hint)


def _left_behind(project: Path, package: str, recorded: Mapping[str, Contract]) -> Iterator[Problem]:
    """Yield the handlers in what was the package before it was called otherwise."""
    for former in sorted((project / package).parent.glob("*/")):
        name = former.name
        ours = any(path.startswith(f"{former.relative_to(project).as_posix()}/") for path in recorded)
        if name == PurePosixPath(package).name or ((former / "api.py").exists() and not ours):
            continue
        for kind in _KINDS:
            for file in sorted(former.glob(f"{kind}s/*.py")):
                if _function_in(file, file.stem) is None or not _imports_from(file, f"{name}.api"):
                    continue
                path = file.relative_to(project).as_posix()
                hint = (
                    f"put it in {package}/{kind}s and import from {PurePosixPath(package).name}.api,"
                    f" or set package.module in tools.yaml to {name}"
                )
                yield _problem("handler-orphan", f"{name} is no longer the package; it is kept", path, 1, hint)


def _imports_from(path: Path, module: str) -> bool:
    nodes = ast.walk(ast.parse(_text(path)))
    return any(
        isinstance(node, ast.ImportFrom) and (node.module, node.level) in ((module, 0), ("api", 2)) for node in nodes
    )


def _successor(function: ast.FunctionDef | ast.AsyncFunctionDef, fresh: Mapping[str, Contract]) -> str | None:
    """Return which new handler an old one probably is: one of a similar name, or the only one with all it reads."""
    near = difflib.get_close_matches(function.name, fresh, n=1, cutoff=0.6)
    if near:
        return near[0]
    first = _positional(function)[:1]
    read = {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == first[0].arg
    }
    fitting = [
        name for name, contract in fresh.items() if read and read <= contract.classes[contract.parameters[0]].keys()
    ]
    near = difflib.get_close_matches(function.name, fitting or fresh, n=1, cutoff=0.4)
    return near[0] if near else fitting[0] if len(fitting) == 1 else None


def _function_in(path: Path, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        functions = _functions(ast.parse(_text(path)))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return next((function for function in functions if function.name == name), None)


def _is_untouched_stub(path: Path) -> bool:
    try:
        functions = list(_functions(ast.parse(_text(path))))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
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
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Import | ast.ImportFrom):
                names.update(alias.asname or alias.name.split(".")[0] for alias in part.names)
            elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(part.name)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names.add(part.id)
    return names


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a node gives a name a meaning in some scope, other than by importing it."""
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.arg):
        return node.arg == name
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return node.name == name
    return isinstance(node, ast.MatchMapping) and node.rest == name


def _gone(class_: str, member: str) -> str:
    return f"uses {member}, which {class_} no longer has"


def _positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def _annotation(parameter: ast.arg) -> str:
    """Return a parameter's annotation as source, without the quotes of one that is text."""
    annotation = parameter.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return _source(annotation)


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


@dataclass(frozen=True, slots=True)
class Types:
    """What a planned package has for handlers.

    Attributes:
        package: Its folder, relative to the project.
        exported: The names in ``__all__`` of its module ``api``.
        classes: The fields of every class of its models: annotations by name.
        required: Of each class the fields that it cannot be made without.
        aliases: What each other name of a type stands for, as source.
        questions: The type of each question, by its constant.
    """

    package: str
    exported: frozenset[str]
    classes: Mapping[str, Mapping[str, str]]
    required: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    questions: Mapping[str, str]

    def reachable(self, annotations: Sequence[str]) -> tuple[dict[str, Mapping[str, str]], dict[str, str]]:
        """Return the classes and the aliases that annotations name, directly or through others, in order."""
        classes: dict[str, Mapping[str, str]] = {}
        aliases: dict[str, str] = {}
        pending = list(annotations)
        while pending:
            for name in _names_in(pending.pop()):
                if name in self.classes and name not in classes:
                    classes[name] = self.classes[name]
                    pending += self.classes[name].values()
                elif name in self.aliases and name not in aliases:
                    aliases[name] = self.aliases[name]
                    pending.append(self.aliases[name])
        return dict(sorted(classes.items())), dict(sorted(aliases.items()))


def read_types(plan: Plan) -> Types:
    """Return what a planned package has for handlers, found by reading its modules."""
    (api,) = (file for file in plan.files if file.path.endswith("/api.py") and file.path.count("/") == 2)
    package = str(PurePosixPath(api.path).parent)
    classes: dict[str, Mapping[str, str]] = {}
    required: dict[str, tuple[str, ...]] = {}
    aliases: dict[str, str] = {}
    questions: dict[str, str] = {}
    for file in plan.files:
        if file.path == f"{package}/models.py" or file.path.startswith(f"{package}/models/"):
            body = ast.parse(file.content).body
            for node in body:
                if isinstance(node, ast.ClassDef):
                    members = [*_annotated(node.body)]
                    classes[node.name] = {name: _source(member.annotation) for name, member in members}
                    required[node.name] = tuple(name for name, member in members if member.value is None)
            aliases |= {
                name: _unquoted(alias.value)
                for name, alias in _annotated(body)
                if _source(alias.annotation) == "TypeAlias" and alias.value is not None
            }
        elif file.path == f"{package}/elicitations.py":
            questions = _questions(ast.parse(file.content))
    return Types(package, _exported(api.content), classes, required, aliases, questions)


def _annotated(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.AnnAssign]]:
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node


def _questions(elicitations: ast.Module) -> dict[str, str]:
    """Return the type of each question of the generated module: ``Form[...]`` or ``Page``, by its constant."""
    found = {name: _source(node.annotation) for name, node in _annotated(elicitations.body)}
    for node in elicitations.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = _source(node.value.func)
    return {name: type_.removeprefix("questions.") for name, type_ in found.items()}


def _exported(api: str) -> frozenset[str]:
    for node in ast.parse(api).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return frozenset(ast.literal_eval(node.value))
    raise AssertionError("the generated api has no __all__")


def _names_in(annotation: str) -> list[str]:
    nodes = ast.walk(ast.parse(annotation or "None", mode="eval"))
    return [node.id for node in nodes if isinstance(node, ast.Name)]


def _unquoted(value: ast.expr) -> str:
    """Return what an alias stands for as source; one that names what is defined later is text."""
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ast.unparse(value)


def _same_type(before: Contract, old: str, now: Contract, new: str) -> bool:
    """Whether two annotations mean the same, each in its own contract.

    A lock may know nothing of aliases, if an earlier toolmint wrote it; the same name then counts as the same.
    """
    known = {name: text for name, text in now.aliases.items() if name in before.aliases}
    return before.in_full(old) in (now.in_full(new), _expanded(new, known))


def _expanded(annotation: str, aliases: Mapping[str, str]) -> str:
    if not any(name in aliases for name in _names_in(annotation)):
        return annotation
    return ast.unparse(_Expansion(aliases).visit(ast.parse(annotation, mode="eval")))


class _Expansion(ast.NodeTransformer):
    """Puts what aliases stand for in their place; within itself an alias stays as it is."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self._aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._aliases:
            return node
        others = {name: text for name, text in self._aliases.items() if name != node.id}
        expanded: ast.Expression = _Expansion(others).visit(ast.parse(self._aliases[node.id], mode="eval"))
        return expanded.body


def _form_or_page(question: str) -> str:
    return "a form" if question.startswith("Form[") else "a page to visit"
