"""Where each key and value of a document stands, by JSON pointer (RFC 6901)."""

from collections.abc import Iterable, Sequence

from toolmint.manifest.source import Position

Path = tuple[str | int, ...]
"""The way to a node from the document's root: a property's name or an item's index a step."""

_COLUMN_BITS = 25
"""Lines and columns share one integer: a document has as many marks as nodes. A column fits, see ``MAX_BYTES``."""


def pack(line: int, column: int) -> int:
    """Return a 0-based line and column as one integer."""
    return line << _COLUMN_BITS | column


def unpack(mark: int) -> Position:
    """Return the 1-based position of a packed mark."""
    return Position((mark >> _COLUMN_BITS) + 1, (mark & (1 << _COLUMN_BITS) - 1) + 1)


class MappingMarks:
    """The marks of a mapping: its own start, the start of every key, and the marks of every value."""

    __slots__ = ("keys", "start", "values")

    def __init__(self, start: int) -> None:
        self.start = start
        self.keys: dict[str, int] = {}
        self.values: dict[str, Marks] = {}


class SequenceMarks:
    """The marks of a sequence: its own start and the marks of every item."""

    __slots__ = ("items", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.items: list[Marks] = []


Marks = int | MappingMarks | SequenceMarks
"""The marks of any node; a scalar's are its packed start."""


class Positions:
    """Answers where a JSON pointer, or a path, stands in the file; what does not exist stands where its parent does."""

    def __init__(self, root: Marks) -> None:
        self._root = root

    def value(self, pointer: str | Path) -> Position:
        """Return the start of the value."""
        marks = self._descend(path_of(pointer))[-1]
        return unpack(marks if isinstance(marks, int) else marks.start)

    def key(self, pointer: str | Path) -> Position:
        """Return the start of the key that names the value; for an item or the root, the start of the value."""
        path = path_of(pointer)
        trail = self._descend(path)
        if len(trail) == len(path) + 1 and path:
            parent = trail[-2]
            if isinstance(parent, MappingMarks):
                return unpack(parent.keys[str(path[-1])])
        return self.value(path)

    def _descend(self, path: Path) -> list[Marks]:
        trail = [self._root]
        for step in path:
            marks = trail[-1]
            if isinstance(marks, MappingMarks) and step in marks.values:
                trail.append(marks.values[str(step)])
            elif isinstance(marks, SequenceMarks) and str(step).isdecimal() and int(step) < len(marks.items):
                trail.append(marks.items[int(step)])
            else:
                break
        return trail


def path_of(pointer: str | Path) -> Path:
    """Return a JSON pointer's steps, unescaped; a path is returned as it is."""
    if isinstance(pointer, tuple):
        return pointer
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer_of(path: Iterable[str | int] | Sequence[str | int]) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
