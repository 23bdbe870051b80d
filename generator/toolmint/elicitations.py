"""The questions to users that a manifest declares, each with the names that it has in the generated package."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolmint.manifest import Elicitation, Manifest, identifier


@dataclass(frozen=True, slots=True)
class Question:
    """One question, declared by one entry of the manifest or in the same words by several.

    Attributes:
        name: Unique; the name of a form's module of checks, and what its dataclass is named after.
        constant: What a handler asks by.
        key: What it travels under.
        params: The params of its ``elicitation/create``.
        schema: What a form's answer must fit; None for a page to visit.
    """

    name: str
    constant: str
    key: str
    params: dict[str, Any]
    schema: dict[str, Any] | None

    @property
    def checks(self) -> str:
        """The name of a form's module of ``validators``."""
        return f"_form_{self.name}"

    def declared_by(self, elicitations: Iterable[Elicitation]) -> bool:
        """Whether one of an entry's declarations is this question."""
        return any((one.key, _params(one)) == (self.key, self.params) for one in elicitations)


def plan_questions(manifest: Manifest, reserved: Iterable[str]) -> tuple[Question, ...]:
    """Return the questions that a manifest's entries declare, in its order.

    What is declared in the same words twice is one question. Of different ones with the same key the first is named by
    the key alone, the others by the declaring entry and the key, so that adding an entry renames nothing.

    Args:
        manifest: The manifest.
        reserved: Names that no constant may have, because ``api`` exports something else by them.
    """
    taken = set(reserved)
    questions: dict[str, Question] = {}
    for entry, elicitation in _declared(manifest):
        params = _params(elicitation)
        same = [known for known in questions.values() if (known.key, known.params) == (elicitation.key, params)]
        if same:
            continue
        plain = identifier(elicitation.key).rstrip("_") or "question"
        names = _candidates(plain, f"{entry}_{plain}")
        name = next(name for name in names if name not in questions and name.upper() not in taken)
        questions[name] = Question(name, name.upper(), elicitation.key, params, elicitation.requested_schema)
    return tuple(questions.values())


def _declared(manifest: Manifest) -> Iterator[tuple[str, Elicitation]]:
    sections: Sequence[Sequence[Any]] = (
        manifest.tools,
        manifest.resources,
        manifest.resource_templates,
        manifest.prompts,
    )
    for section in sections:
        for entry in section:
            for elicitation in entry.elicits:
                yield entry.identifier, elicitation


def _params(elicitation: Elicitation) -> dict[str, Any]:
    params: dict[str, Any] = {"mode": elicitation.mode, "message": elicitation.message}
    if elicitation.mode == "form":
        return params | {"requestedSchema": elicitation.requested_schema}
    return params | {"url": elicitation.url}


def _candidates(plain: str, qualified: str) -> Iterator[str]:
    yield plain
    yield qualified
    number = 2
    while True:
        yield f"{qualified}_{number}"
        number += 1
