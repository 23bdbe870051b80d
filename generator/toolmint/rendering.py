"""Templates to text. A template only loops and chooses; what it shows has been worked out before."""

import json
from functools import lru_cache
from typing import Any

import jinja2

from toolmint import sourcetext
from toolmint.assets import TEMPLATES


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["literal"] = sourcetext.literal
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment


def render(template: str, **facts: Any) -> str:
    """Return the text that a template makes of some facts; a fact that is missing is an error.

    Args:
        template: The template's path below ``templates/``.
        facts: What it may show.
    """
    return _environment().get_template(template).render(**facts)
