# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What handlers share: made by the package's own ``lifespan`` module when first needed, cleaned up at the end.

The module defines a generator function that yields once::

    def lifespan() -> Iterator[Database]:
        database = Database.connect(os.environ["DATABASE_URL"])
        yield database
        database.close()
"""

from __future__ import annotations

import sys
import threading

from .results import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    from .log import Log

    T = TypeVar("T")


class LifespanError(ToolError):
    """What handlers share could not be made; why is in the log. The next call that needs it tries again."""


class Lifespan:
    """Makes what handlers share, once.

    Args:
        package: The generated package's import name.
        log: Where failures go.
    """

    def __init__(self, package: str, log: Log) -> None:
        """Make nothing yet."""
        self._package = package
        self._log = log
        self._making = threading.Lock()
        self._generator: Iterator[Any] | None = None
        self._value: Any = None

    def __call__(self, kind: type[T]) -> T:
        """Return the shared object, made now if it has not been.

        Args:
            kind: Its class.

        Raises:
            LifespanError: It could not be made.
            TypeError: It is of another class.
        """
        if self._generator is None:
            with self._making:
                if self._generator is None:
                    self._make()
        if not isinstance(self._value, kind):
            raise TypeError(f"lifespan() made a {type(self._value).__name__}, not a {kind.__name__}")
        return self._value

    def close(self) -> None:
        """Clean up, if there is something to clean up."""
        generator, self._generator = self._generator, None
        if generator is not None:
            next(generator, None)

    def _make(self) -> None:
        name = f"{self._package}.lifespan"
        try:
            __import__(name)
            generator = iter(sys.modules[name].lifespan())
            self._value = next(generator)
        except BaseException as error:  # noqa: BLE001 - a handwritten module may raise anything
            self._log.failure(f"what the handlers share could not be made by {name}", error)
            raise LifespanError(
                "The server is not ready: what this call needs could not be set up. Try again."
            ) from None
        self._generator = generator
