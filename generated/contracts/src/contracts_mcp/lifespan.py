"""What the handlers share: the store, opened when a handler first needs it."""

import os
from collections.abc import Iterator

from .store import Store


def lifespan() -> Iterator[Store]:
    """Yield the store in the file that CONTRACTS_DB names; without it, one in memory that ends with the server."""
    store = Store(os.environ.get("CONTRACTS_DB") or ":memory:")
    yield store
    store.close()
