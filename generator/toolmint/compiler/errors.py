"""What can be wrong with a schema."""


class SchemaError(Exception):
    """One reason why a schema cannot be compiled.

    Attributes:
        pointer: JSON pointer (RFC 6901) into the schema, to the keyword at fault; empty for the schema itself.
        message: what was found and what was expected, one line.
        hint: what to do about it, one line; empty if there is nothing to add.
    """

    def __init__(self, pointer: str, message: str, hint: str = "") -> None:
        self.pointer = pointer
        self.message = message
        self.hint = hint
        where = f" at {pointer}" if pointer else ""
        super().__init__(f"{message}{where}" + (f" ({hint})" if hint else ""))

    def __reduce__(self) -> tuple[type["SchemaError"], tuple[str, str, str]]:
        return type(self), (self.pointer, self.message, self.hint)
