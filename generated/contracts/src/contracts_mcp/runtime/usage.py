# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What a server says to somebody who starts it by hand with arguments."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_USAGE = """\
usage: {command} [--help | --version]

{title} serves the Model Context Protocol on stdin and stdout: one JSON-RPC message a line.
A host (an editor, a chat application, an agent) starts it; by hand it waits for messages until the input ends.

environment:
  TOOLMINT_LOG_LEVEL  debug, info, notice, warning, error, critical, alert or emergency;
                      what is written to stderr (default: info)
  TOOLMINT_STATE_KEY  a secret of 16 bytes or more that seals what a client carries while it is asked for
                      input; set it for answers to be accepted after a restart (default: made at every start)
"""


def answer_arguments(arguments: Sequence[str], command: str, title: str) -> NoReturn:
    """Print what was asked for and exit: 0 for ``--help`` and ``--version``, 2 for anything else."""
    if list(arguments) == ["--version"]:
        print(title)
        sys.exit(0)
    if arguments[0] in ("-h", "--help"):
        print(_USAGE.format(command=command, title=title), end="")
        sys.exit(0)
    print(f"{command}: unexpected argument {arguments[0]!r}\n", file=sys.stderr)
    print(_USAGE.format(command=command, title=title), end="", file=sys.stderr)
    sys.exit(2)
