"""Checks one value with compiled validators and with libraries; run by an interpreter that has the libraries.

Usage: python validators.py SRC ROUNDS, where SRC is the ``src`` folder of a large project. Prints JSON: for each
validator, by what it does, the ns that one call takes in each round.
"""

import json
import sys
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

SECONDS = 0.04
"""How long each is measured in each round, about."""


@dataclass(slots=True)
class Subject:
    """What is measured: ``check`` says yes or no, ``build`` makes a typed object of a text."""

    name: str
    check: Callable[[Any], object]
    build: Callable[[str], object] | None = None


def toolmint() -> Subject:
    from large_mcp.validators import search_0

    valid, build, loads = search_0.input_is_valid, search_0.build_input, json.loads

    def parsed(text: str) -> object:
        value = loads(text)
        if not valid(value):
            raise ValueError(text)
        return build(value)

    return Subject("toolmint", valid, parsed)


def jsonschema(schema: Any) -> Subject:
    from importlib.metadata import version

    from jsonschema import Draft202012Validator

    return Subject(f"jsonschema {version('jsonschema')}", Draft202012Validator(schema).is_valid)


def jsonschema_rs(schema: Any) -> Subject:
    from importlib.metadata import version

    import jsonschema_rs as library

    return Subject(f"jsonschema-rs {version('jsonschema-rs')}", library.validator_for(schema).is_valid)


def fastjsonschema(schema: Any) -> Subject:
    from importlib.metadata import version

    import fastjsonschema as library

    return Subject(f"fastjsonschema {version('fastjsonschema')}", library.compile(schema))


def pydantic(_: Any) -> Subject:
    from typing import Annotated

    import pydantic as library

    class Filter(library.BaseModel):
        model_config = library.ConfigDict(strict=True, extra="forbid")
        field: str
        op: Literal["eq", "ne", "lt", "gt"]
        value: str

    class Search(library.BaseModel):
        model_config = library.ConfigDict(strict=True, extra="forbid")
        query: Annotated[str, library.Field(min_length=1, max_length=100)]
        status: Literal["draft", "signed", "expired"] | None = None
        limit: Annotated[int, library.Field(ge=1, le=50)] = 10
        filters: Annotated[list[Filter], library.Field(max_length=10)] | None = None

    Filter.model_rebuild()
    Search.model_rebuild(_types_namespace={**globals(), **locals()})
    # It has no check that builds nothing.
    return Subject(f"pydantic {library.VERSION}", Search.model_validate, Search.model_validate_json)


def subjects(schema: Any) -> Iterator[Subject]:
    yield toolmint()
    for make in (jsonschema_rs, pydantic, fastjsonschema, jsonschema):
        try:
            yield make(schema)
        except ImportError:
            continue


def main(source: str, rounds: int) -> None:
    sys.path.insert(0, source)
    from large_mcp import catalogue

    schema = json.loads(catalogue.TOOLS["search_0"])["inputSchema"]
    text = sys.stdin.read()
    value = json.loads(text)
    jobs: dict[tuple[str, str], Callable[[], object]] = {("json.loads", "build"): partial(json.loads, text)}
    for subject in subjects(schema):
        assert subject.check(value), subject.name
        jobs[subject.name, "check"] = partial(subject.check, value)
        if subject.build is not None:
            jobs[subject.name, "build"] = partial(subject.build, text)
    timers = {key: timeit.Timer(job) for key, job in jobs.items()}
    counts = {key: max(1, int(SECONDS / max(timer.timeit(20) / 20, 1e-9))) for key, timer in timers.items()}
    taken: dict[tuple[str, str], list[float]] = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, timer in timers.items():
            taken[key].append(timer.timeit(counts[key]) / counts[key] * 1e9)
    print(json.dumps([{"name": name, "does": does, "ns": times} for (name, does), times in taken.items()]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
