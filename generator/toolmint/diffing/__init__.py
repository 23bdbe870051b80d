"""What changed for callers between two versions of a server, and what that means for them."""

from toolmint.diffing.changes import Change, Classification
from toolmint.diffing.containment import contains
from toolmint.diffing.failures import Verdict
from toolmint.diffing.report import DiffReport, compare, run
from toolmint.diffing.schemas import SchemaChange, compare_schemas
from toolmint.diffing.surfaces import compare_surfaces
from toolmint.diffing.told import Told, UnreadableSurface, of_manifest, read_told
from toolmint.diffing.versions import Bump, propose_bump

__all__ = [
    "Bump",
    "Change",
    "Classification",
    "DiffReport",
    "SchemaChange",
    "Told",
    "UnreadableSurface",
    "Verdict",
    "compare",
    "compare_schemas",
    "compare_surfaces",
    "contains",
    "of_manifest",
    "propose_bump",
    "read_told",
    "run",
]
