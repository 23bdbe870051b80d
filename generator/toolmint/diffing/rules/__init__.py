"""When a branch is within a keyword; one rule for each group of keywords that only make sense together.

A rule may fail where it could have held, never hold where it should have failed. It reads the branch, asks the
containment for what is further down, and offers values that may prove what it found.
"""

from toolmint.diffing.rules import alternatives, arrays, conditions, general, numbers, objects, strings
from toolmint.diffing.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *general.RULES,
    *alternatives.RULES,
    *conditions.RULES,
    *numbers.RULES,
    *strings.RULES,
    *arrays.RULES,
    *objects.RULES,
)
"""All rules, in the order in which they are asked; the type comes first."""

__all__ = ["RULES", "Rule"]
