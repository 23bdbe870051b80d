# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What a handler can ask of the client while it serves a request, and what comes back.

Three things can be asked for (revision 2026-07-28, Multi Round-Trip Requests): that the user fills in a form or visits
a page (elicitation), that the client's model continues a conversation (sampling), and which folders the client works
in (roots). A question is a value: it says under which key it travels, what it needs of the client, and how to read an
answer. Who carries it to the client and back is the business of the context's asker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Literal, Protocol, Self, TypeAlias, overload

    Capabilities: TypeAlias = Mapping[str, Any]
    """Capabilities in the shape of ClientCapabilities, such as ``{"elicitation": {"url": {}}}``."""

    Load: TypeAlias = Callable[[str], ModuleType]
    """Returns a module of the package's ``validators`` by its name."""

    T1 = TypeVar("T1")
    T2 = TypeVar("T2")
    T3 = TypeVar("T3")
    T4 = TypeVar("T4")

    class Ask(Protocol):
        """Takes questions and returns their answers, each of its question's type."""

        @overload
        def __call__(self, a: Question[T1], /) -> tuple[T1]: ...
        @overload
        def __call__(self, a: Question[T1], b: Question[T2], /) -> tuple[T1, T2]: ...
        @overload
        def __call__(self, a: Question[T1], b: Question[T2], c: Question[T3], /) -> tuple[T1, T2, T3]: ...
        @overload
        def __call__(
            self, a: Question[T1], b: Question[T2], c: Question[T3], d: Question[T4], /
        ) -> tuple[T1, T2, T3, T4]: ...
        @overload
        def __call__(self, *questions: Question[T]) -> tuple[T, ...]: ...

    class AskAsync(Protocol):
        """Does the same in an ``async def`` handler."""

        @overload
        async def __call__(self, a: Question[T1], /) -> tuple[T1]: ...
        @overload
        async def __call__(self, a: Question[T1], b: Question[T2], /) -> tuple[T1, T2]: ...
        @overload
        async def __call__(self, a: Question[T1], b: Question[T2], c: Question[T3], /) -> tuple[T1, T2, T3]: ...
        @overload
        async def __call__(
            self, a: Question[T1], b: Question[T2], c: Question[T3], d: Question[T4], /
        ) -> tuple[T1, T2, T3, T4]: ...
        @overload
        async def __call__(self, *questions: Question[T]) -> tuple[T, ...]: ...


T = TypeVar("T")


class AskAgain(ValueError):
    """An answer that cannot be used; the text says where it is wrong, without any value of it."""


class Declined:
    """The user said no."""

    __slots__ = ()


class Dismissed:
    """The user closed the question without choosing."""

    __slots__ = ()


class Accepted:
    """The user agreed to visit the page; what happens there is known to the page alone."""

    __slots__ = ()


class Question(Generic[T]):
    """Something to ask of the client, answered by a T.

    Attributes:
        key: What the question and its answer travel under; one question has one key for as long as a call takes.
        method: The method of the request that asks it.
        params: That request's params, JSON values.
    """

    __slots__ = ("key", "method", "params")

    def __init__(self, key: str, method: str, params: dict[str, Any]) -> None:
        """Hold a question."""
        self.key = key
        self.method = method
        self.params = params

    @property
    def needs(self) -> Capabilities:
        """What the client must have declared to be asked this."""
        raise NotImplementedError

    @property
    def consents_to(self) -> object:
        """What the user sees and agrees to, a JSON value: an answer counts for this alone. None for nothing."""
        return None

    def read(self, answer: Mapping[str, Any], load: Load, /) -> T:
        """Return what an answer says.

        Args:
            answer: The result that the client gave, valid by the revision's definition.
            load: Loads the package's compiled checks.

        Raises:
            AskAgain: It does not answer this question.
        """
        raise NotImplementedError


class Elicitation(Question[T]):
    """A question to the user."""

    __slots__ = ()

    def replace(self, *, message: str | None = None, key: str | None = None) -> Self:
        """Return the same question in other words, or under another key so that it can be asked once more."""
        other = self._copy(self.key if key is None else key)
        if message is not None:
            other.params = {**self.params, "message": message}
        return other

    def _copy(self, key: str) -> Self:
        raise NotImplementedError


class Form(Elicitation["T | Declined | Dismissed"]):
    """A form for the user to fill in, answered by a T: the dataclass that was generated from its requestedSchema.

    Args:
        key: What it travels under.
        params: The params of its request.
        checks: The module of ``validators`` that checks an answer and builds the dataclass.
    """

    __slots__ = ("checks",)

    def __init__(self, key: str, params: dict[str, Any], checks: str) -> None:
        """Hold a form; the generated module ``elicitations`` does this."""
        super().__init__(key, "elicitation/create", params)
        self.checks = checks

    @property
    def needs(self) -> Capabilities:
        """Forms, which are also what an empty declaration means."""
        return {"elicitation": {"form": {}}}

    @property
    def consents_to(self) -> object:
        """The message and the fields."""
        return self.params

    def read(self, answer: Mapping[str, Any], load: Load, /) -> T | Declined | Dismissed:
        """Return the dataclass, or what the user did instead of filling in the form."""
        if answer["action"] != "accept":
            return Declined() if answer["action"] == "decline" else Dismissed()
        checks = load(self.checks)
        content = answer.get("content")
        if content is None:  # a form all of whose fields are optional, left empty
            content = {}
        if not checks.answer_is_valid(content):
            wrong = ", ".join(violation.pointer or "(root)" for violation in checks.answer_violations(content))
            raise AskAgain(f"it does not fit the requestedSchema at {wrong}")
        built: T = checks.build_answer(content)
        return built

    def _copy(self, key: str) -> Self:
        return type(self)(key, self.params, self.checks)


class Page(Elicitation["Accepted | Declined | Dismissed"]):
    """A page for the user to visit, for what must not pass through the client: credentials, payments."""

    __slots__ = ()

    def __init__(self, key: str, params: dict[str, Any]) -> None:
        """Hold a page; the generated module ``elicitations`` does this."""
        super().__init__(key, "elicitation/create", params)

    @property
    def needs(self) -> Capabilities:
        """Pages, which a client has to declare by name."""
        return {"elicitation": {"url": {}}}

    def replace(self, *, message: str | None = None, key: str | None = None, url: str | None = None) -> Self:
        """Return the same question in other words, under another key, or with another address to visit.

        Raises:
            ValueError: The address is no absolute URI (RFC 3986).
        """
        other = super().replace(message=message, key=key)
        if url is not None:
            from .validation import fits_format

            if not fits_format("uri", url):
                raise ValueError(f"the page of {self.key!r} has no absolute URI as its address")
            other.params = {**other.params, "url": url}
        return other

    def read(self, answer: Mapping[str, Any], _load: Load, /) -> Accepted | Declined | Dismissed:
        """Return what the user did."""
        action = answer["action"]
        return Accepted() if action == "accept" else Declined() if action == "decline" else Dismissed()

    def _copy(self, key: str) -> Self:
        return type(self)(key, self.params)


class Sample:
    """What the client's model said.

    Attributes:
        role: Whose turn it is: ``assistant``, as a rule.
        content: The content blocks, as they came.
        model: The model's name.
        stop_reason: Why it stopped (``endTurn``, ``maxTokens``, ``stopSequence``, ``toolUse``, ...), if that is known.
    """

    __slots__ = ("content", "model", "role", "stop_reason")

    def __init__(self, role: str, content: Sequence[Mapping[str, Any]], model: str, stop_reason: str | None) -> None:
        """Hold an answer of a model."""
        self.role = role
        self.content = content
        self.model = model
        self.stop_reason = stop_reason

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")


class Sampling(Question[Sample]):
    """A conversation for the client's model to continue; made by ``sampling``."""

    __slots__ = ()

    @property
    def needs(self) -> Capabilities:
        """Sampling, and whatever of it that is used has to be declared by name."""
        parts: dict[str, object] = {}
        if "tools" in self.params or "toolChoice" in self.params:
            parts["tools"] = {}
        if self.params.get("includeContext", "none") != "none":
            parts["context"] = {}
        return {"sampling": parts}

    def read(self, answer: Mapping[str, Any], _load: Load, /) -> Sample:
        """Return what the model said."""
        content = answer["content"]
        blocks = content if isinstance(content, list) else [content]
        return Sample(answer["role"], blocks, answer["model"], answer.get("stopReason"))


class Root:
    """A folder, or file, that the client works in.

    Attributes:
        uri: Its address, a ``file:`` URI.
        name: What people call it, if that is said.
    """

    __slots__ = ("name", "uri")

    def __init__(self, uri: str, name: str | None) -> None:
        """Hold a root."""
        self.uri = uri
        self.name = name


class Roots(Question["tuple[Root, ...]"]):
    """The question which folders the client works in; made by ``roots``."""

    __slots__ = ()

    @property
    def needs(self) -> Capabilities:
        """Roots."""
        return {"roots": {}}

    def read(self, answer: Mapping[str, Any], _load: Load, /) -> tuple[Root, ...]:
        """Return the roots, in the client's order."""
        for index, root in enumerate(answer["roots"]):
            if not root["uri"].startswith("file:"):
                raise AskAgain(f"/roots/{index}/uri is no file: URI")
        return tuple(Root(root["uri"], root.get("name")) for root in answer["roots"])


def sampling(
    key: str,
    messages: str | Sequence[Mapping[str, Any]],
    *,
    max_tokens: int,
    system_prompt: str | None = None,
    model_preferences: Mapping[str, Any] | None = None,
    temperature: float | None = None,
    stop_sequences: Sequence[str] | None = None,
    tools: Sequence[Mapping[str, Any]] | None = None,
    tool_choice: Literal["auto", "required", "none"] | None = None,
    include_context: Literal["none", "thisServer", "allServers"] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Sampling:
    """Return a conversation for the client's model to continue (revision 2026-07-28, Sampling; deprecated there).

    Args:
        key: What it travels under.
        messages: What the user says, or the conversation so far: SamplingMessage objects.
        max_tokens: The most tokens the answer may have.
        system_prompt: What the model is told beforehand; the client may leave it out.
        model_preferences: Which model is preferred, a ModelPreferences object.
        temperature: How varied the answer may be, on the model's own scale.
        stop_sequences: Texts that end the answer.
        tools: Tools that the model may use, Tool objects; the client must have declared ``sampling.tools``.
        tool_choice: Whether the model may or must use them.
        include_context: Context to include; other than ``none`` the client must have declared ``sampling.context``.
        metadata: Whatever else the model's provider is to be told.

    Raises:
        ValueError: Tool results do not follow the tool uses they answer, or stand beside other content.
    """
    if isinstance(messages, str):
        messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
    _check_balance(messages)
    optional = {
        "systemPrompt": system_prompt,
        "modelPreferences": None if model_preferences is None else dict(model_preferences),
        "temperature": temperature,
        "stopSequences": None if stop_sequences is None else list(stop_sequences),
        "tools": None if tools is None else [dict(tool) for tool in tools],
        "toolChoice": None if tool_choice is None else {"mode": tool_choice},
        "includeContext": include_context,
        "metadata": None if metadata is None else dict(metadata),
    }
    params: dict[str, Any] = {"messages": [dict(message) for message in messages], "maxTokens": max_tokens}
    params |= {name: value for name, value in optional.items() if value is not None}
    return Sampling(key, "sampling/createMessage", params)


def roots(key: str = "roots") -> Roots:
    """Return the question which folders the client works in (revision 2026-07-28, Roots; deprecated there)."""
    return Roots(key, "roots/list", {})


def missing_capabilities(needed: Capabilities, declared: Capabilities) -> dict[str, Any]:
    """Return what is needed of a client and not declared by it, in the shape of ClientCapabilities.

    An elicitation capability that names no mode means forms (revision 2026-07-28, Elicitation: capabilities).
    """
    found: dict[str, Any] = {}
    for name, parts in needed.items():
        own = declared.get(name)
        if own is None:
            found[name] = {} if name == "elicitation" and parts == {"form": {}} else parts
        elif isinstance(own, dict) and isinstance(parts, dict):
            forms: Capabilities = {"form": {}} if name == "elicitation" else {}
            lacking = missing_capabilities(parts or forms, own or forms)
            if lacking:
                found[name] = lacking
    return found


def _check_balance(messages: Sequence[Mapping[str, Any]]) -> None:
    """Require each tool use to be followed at once by its result, and results to stand alone (Sampling: messages)."""
    open_uses: set[object] = set()
    for number, message in enumerate(messages):
        content = message.get("content")
        blocks = [block for block in (content if isinstance(content, list) else [content]) if isinstance(block, dict)]
        results = [block.get("toolUseId") for block in blocks if block.get("type") == "tool_result"]
        if results and len(results) != len(blocks):
            raise ValueError(
                f"message {number} has other content beside tool results, which need a message of their own"
            )
        if set(results) != open_uses or len(results) != len(open_uses):
            raise ValueError(
                f"message {number} must hold the results of the tool uses before it, each once, and no more"
            )
        open_uses = {block.get("id") for block in blocks if block.get("type") == "tool_use"}
    if open_uses:
        raise ValueError("the last message has tool uses without results")
