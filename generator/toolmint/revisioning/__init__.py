"""Revisions from published schemas: derived, added to a project, compared."""

from toolmint.revisioning.adding import add_revision
from toolmint.revisioning.comparing import Changes, FieldChange, Report, compare_revisions

__all__ = ["Changes", "FieldChange", "Report", "add_revision", "compare_revisions"]
