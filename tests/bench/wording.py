"""How figures are written: with the digits of them that mean something."""


def ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
