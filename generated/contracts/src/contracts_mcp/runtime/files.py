# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""Files by a name that somebody else chose: never outside of the folder they belong to."""

from __future__ import annotations

from .results import ResourceNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from pathlib import Path


def safe_path(root: str | os.PathLike[str], name: str) -> Path:
    """Return the path of a regular file inside of a folder.

    Args:
        root: The folder.
        name: The file's name, relative to the folder, with slashes; it may come from a client.

    Raises:
        ResourceNotFound: There is no such file, or it is not inside of the folder, symbolic links followed. Nothing is
            said about which of these it is.
    """
    from pathlib import Path

    if not name or "\0" in name or "\\" in name or name.startswith("/") or ".." in name.split("/"):
        raise ResourceNotFound
    try:
        folder = Path(root).resolve()
        path = (folder / name).resolve()
        inside = path.is_relative_to(folder) and path.is_file()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no name that the file system can hold
        raise ResourceNotFound from None
    if not inside:
        raise ResourceNotFound
    return path
