"""Talks to the generated contract store in each era and writes down every message: `make transcripts`.

What differs from run to run is replaced: states that travel with a request, and times. Lists show their first entry.
"""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handshake.hosts import initialize, notification, plain
from servers import META, Server

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SOURCE = ROOT / "generated" / "contracts" / "src"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|\+00:00)")
CAPABILITIES = {"elicitation": {"form": {}}}
YES = {"action": "accept", "content": {"note": "Is the notice period right?"}}
CALL = {"name": "flag_for_review", "arguments": {"contract_id": "C-1003"}}

MODERN = """\
# A conversation in revision 2026-07-28

Every request says in which revision it is and what its client can do, so nothing has to be agreed on first. The
question to the user ends the first call; the second one brings the answer, and the state that proves what it belongs to.
A subscription is a request too, which is answered when the server stops.
"""
HANDSHAKE = """\
# A conversation in revision 2025-11-25

The client opens with `initialize`, which settles revision and capabilities for the session. The question to the user is
a request of the server's own, and the call is answered when the client has answered that.
"""
NOTE = """
Recorded from `generated/contracts` by `make transcripts`; `>` is what the client sends, `<` what the server sends.
States and times are replaced, and lists show their first entry.
"""


class Conversation:
    """A server and what has been said with it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.lines: list[str] = []

    def say(self, *messages: dict[str, Any]) -> None:
        self.lines += (f"> {json.dumps(_shown(message), ensure_ascii=False)}" for message in messages)
        self._server.send(*messages)

    def hear(self, count: int = 1) -> Any:
        """Write down some messages and return the last of them."""
        for _ in range(count):
            message = self._server.receive()
            self.lines.append(f"< {json.dumps(_shown(message), ensure_ascii=False)}")
        return message


def modern(talk: Conversation) -> None:
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": CAPABILITIES}

    def request(id_: int, method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, "_meta": meta}}

    talk.say(request(1, "server/discover"))
    talk.hear()
    talk.say(request(2, "tools/list"))
    talk.hear()
    talk.say(request(3, "subscriptions/listen", notifications={"resourceSubscriptions": ["contract://C-1003"]}))
    talk.hear()
    talk.say(request(4, "tools/call", **CALL))
    state = talk.hear()["result"]["requestState"]
    talk.say(request(5, "tools/call", **CALL, inputResponses={"confirm_flag": YES}, requestState=state))
    talk.hear(2)
    talk.say(request(6, "resources/read", uri="contract://C-9"))
    talk.hear()


def handshake(talk: Conversation) -> None:
    talk.say(initialize(1, "2025-11-25", CAPABILITIES))
    talk.hear()
    talk.say(notification("notifications/initialized"), plain(2, "tools/list"))
    talk.hear()
    talk.say(plain(3, "resources/subscribe", uri="contract://C-1003"))
    talk.hear()
    talk.say(plain(4, "tools/call", **CALL))
    question = talk.hear()
    talk.say({"jsonrpc": "2.0", "id": question["id"], "result": YES})
    talk.hear(3)
    talk.say(plain(5, "resources/read", uri="contract://C-9"))
    talk.hear()


def transcripts() -> Iterator[tuple[Path, str]]:
    """Yield the files and what belongs into each."""
    for name, heading, converse in (("modern", MODERN, modern), ("handshake", HANDSHAKE, handshake)):
        with (
            tempfile.TemporaryDirectory() as folder,
            Server(SOURCE, "contracts_mcp", env={"CONTRACTS_DB": f"{folder}/contracts.db"}) as server,
        ):
            talk = Conversation(server)
            converse(talk)
        lines = "\n".join(talk.lines)
        yield DOCS / f"transcript-{name}.md", f"{heading}{NOTE}\n```\n{lines}\n```\n"


def _shown(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _shown(member, name) for name, member in value.items()}
    if isinstance(value, list):
        entries = [_shown(item) for item in value]
        is_list = key in ("tools", "prompts", "resources") and len(entries) > 1
        return [entries[0], f"... and {len(entries) - 1} more"] if is_list else entries
    if key == "requestState":
        return "..."
    return TIME.sub("2026-07-28T09:30:00Z", value) if isinstance(value, str) else value


def main() -> None:
    for path, text in transcripts():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
