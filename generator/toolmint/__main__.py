"""``python -m toolmint``."""

from toolmint.cli import main

main(prog_name="toolmint")
