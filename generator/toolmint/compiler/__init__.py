"""Compiles a JSON Schema into plain Python functions that check a value and explain what is wrong with it.

Nothing of the schema is interpreted when they run, and they import nothing but the standard library and
``runtime.validation``.

=============== ====================================================================================================
``dialects``    the two dialects and where they keep subschemas
``metaschema``  is it a schema at all?
``patterns``    ECMA-262 patterns in Python's ``re``; ``backtracking`` is about the time they take
``resolve``     a document becomes a ``model``: references followed, dialects reconciled, bounds kept
``source``      literals, names and lines of Python; ``module`` is what is being emitted
``assertions``  keywords that look at one value, as conditions with their ``wording``
``check``       emits is_valid; ``fitting`` is where an expression will do, ``evaluated`` the unevaluated... keywords
``explain``     emits violations
``destringify`` emits destringified
=============== ====================================================================================================
"""

from .compiled import CompiledSchema, check_schema, compile_schema
from .dialects import DRAFT_07, DRAFT_2020_12
from .errors import SchemaError

__all__ = ["DRAFT_07", "DRAFT_2020_12", "CompiledSchema", "SchemaError", "check_schema", "compile_schema"]
