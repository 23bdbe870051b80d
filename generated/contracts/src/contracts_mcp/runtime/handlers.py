# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""The package's handwritten modules: found when they are first needed, so that starting up imports none of them."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from .limits import Limits
    from .middleware import Handler, Middleware


class HandlerError(Exception):
    """A handler that is not there; the text says which and where it should be."""


class Handlers:
    """Loads handlers, each inside of the package's middleware.

    Args:
        package: The generated package's import name.
    """

    def __init__(self, package: str) -> None:
        """Load nothing yet."""
        self.package = package
        self._middleware: Sequence[Middleware] | None = None
        self.limits: Limits | None = None
        """What handlers may take, where the manifest sets limits."""

    def module(self, name: str) -> ModuleType:
        """Import a module of the package by its dotted name within it."""
        full = f"{self.package}.{name}"
        module = sys.modules.get(full)
        if module is None or getattr(module.__spec__, "_initializing", False):
            from .loading import load

            module = load(full)
        return module

    def load(self, kind: str, name: str, module: str) -> Handler:
        """Return a handler, wrapped in the middleware if there is any, and in its limits if there are any.

        Args:
            kind: ``tool``, ``resource``, ``prompt`` or ``completion``; with an ``s`` behind it, the folder of the
                handler's module.
            name: What it handles, as middleware is told.
            module: The name of its module, and of the function in it.

        Raises:
            HandlerError: The module or the function is not there.
            Exception: Whatever importing the module raises.
        """
        place = f"{kind}s.{module}"
        try:
            handler: Handler = getattr(self.module(place), module)
        except ModuleNotFoundError as error:
            if error.name != f"{self.package}.{place}":
                raise
            raise HandlerError(f"{kind}s/{module}.py is missing: toolmint generate writes a stub") from None
        except AttributeError:
            raise HandlerError(f"{kind}s/{module}.py does not define {module}(args, ctx)") from None
        if self._middleware is None:
            from .middleware import load_middleware

            self._middleware = load_middleware(self.package)
        if self._middleware:
            from .middleware import wrap

            handler = wrap(handler, self._middleware, kind, name)
        return handler if self.limits is None else self.limits.wrap(handler, kind, name)
