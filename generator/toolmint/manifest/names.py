"""What a name on the wire becomes in Python: identifiers of handlers, the distribution and the import package."""

import builtins
import keyword
import re
import unicodedata

_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+")

# The interactive names that the `site` module adds are there or not, depending on how Python was started.
_SHADOWING = frozenset(keyword.kwlist) | frozenset(
    name for name in (*dir(builtins), "copyright", "credits", "exit", "help", "license", "quit") if name.islower()
)


def identifier(name: str) -> str:
    """Return the Python name of a tool, a resource or a prompt: of its handler and the handler's module.

    The rule, which never changes because handlers are named by it:

    1. accents are removed, and whatever is no ASCII letter or digit separates words;
    2. a capital starts a word, a run of capitals is one word (``getUserByID`` is ``get_user_by_id``, ``listURLs`` is
       ``list_urls``), digits belong to the word before them;
    3. the words are joined in lower case by ``_``;
    4. ``x_`` goes in front of a digit, and ``_`` behind a keyword or the name of a built-in (``import_``, ``list_``).

    A name without any ASCII letter or digit gives the empty string.
    """
    plain = "".join(
        character for character in unicodedata.normalize("NFKD", name) if not unicodedata.combining(character)
    )
    joined = "_".join(_WORD.findall(plain)).lower()
    if joined[:1].isdigit():
        return f"x_{joined}"
    return f"{joined}_" if joined in _SHADOWING else joined


def distribution_name(server_name: str) -> str:
    """Return the default name of the package: the server's, normalised (PEP 503), with ``-mcp`` behind it.

    A name without any ASCII letter or digit gives the empty string.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "-", server_name).strip("-").lower()
    return name if not name or name == "mcp" or name.endswith("-mcp") else f"{name}-mcp"


def module_name(distribution: str) -> str:
    """Return the default import package of a distribution."""
    name = re.sub(r"[-_.]+", "_", distribution).lower()
    return f"x_{name}" if name[:1].isdigit() else name
