"""What a protocol revision has and a generated server does not do, so that whoever generates is told."""

from collections.abc import Iterator, Sequence

from toolmint import handshake
from toolmint.errors import error_terms
from toolmint.plan import Gap
from toolmint.revision import Method, Revision, known_revisions, load_revision
from toolmint.surface import ASKED, Surface, can_serve, has_capability

_HINT = "look for a newer toolmint, or silence this with the reason why clients do without"


def find_gaps(revisions: Sequence[Revision], surface: Surface) -> tuple[Gap, ...]:
    """Return what revisions have and a server does not do.

    What it could do but has nothing to offer for, such as prompts where there are none, is not among it.

    Args:
        revisions: Those that the server speaks, of either era.
        surface: What the server tells its clients.
    """
    return tuple(gap for revision in revisions for gap in _gaps(revision, surface))


def _gaps(revision: Revision, surface: Surface) -> Iterator[Gap]:
    for method in revision.methods.values():
        if method.direction == "server-to-client":
            missing = method.kind != "notification" and method.method not in ASKED
            fate = "which handlers cannot make"
        else:
            missing = method.kind == "request" and not _is_served(revision, method, surface)
            fate = "which is answered with -32601 (Method not found)"
        if missing:
            yield Gap(
                code="unserved-method",
                revision=revision.name,
                message=f"revision {revision.name} has the request {method.method}, {fate}",
                hint=_HINT,
            )
    for members, place in _unfilled(revision, surface) if revision.era == "modern" else ():
        yield Gap(
            code="unfilled-member",
            revision=revision.name,
            message=f"revision {revision.name} requires {', '.join(members)} in {place}, which the server leaves out",
            hint=_HINT,
        )


def _unfilled(revision: Revision, surface: Surface) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the members that a server has to send and does not know, and what they belong into."""
    for error in error_terms(revision):
        if error.unfilled:
            yield error.unfilled, f"the data of the error {error.code} ({error.name})"
    known = load_revision(known_revisions(era="modern")[-1])
    for method in revision.methods.values():
        if method.method in surface.methods:
            name, place = method.result, f"the result of {method.method}"
        elif (
            method.kind == "notification" and method.direction != "client-to-server" and method.method in known.methods
        ):
            name, place = method.params, f"the params of {method.method}"
        else:
            continue
        before = known.definitions.get(name or "", {})
        members = set(revision.definitions.get(name or "", {}).get("required", ())) - set(before.get("required", ()))
        if before and members:
            yield sorted(members), place


def _is_served(revision: Revision, method: Method, surface: Surface) -> bool:
    """Say whether a request has an answer, or is none that a client may send.

    Clients of the handshake era do not send what needs a capability that the server has not declared; those revisions
    have optional parts, and no server has them all.
    """
    if can_serve(revision, method):
        return True
    if revision.era == "modern":
        return False
    return method.method in handshake.ADAPTED or not has_capability(surface.capabilities, method.capability)
