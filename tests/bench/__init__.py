"""Measures generated servers beside a bare echo loop and other libraries' servers: `make bench`, `make bench-peers`.

Everything is measured in one run, in rounds that take turns, so that whatever else the machine does falls on all alike;
what is told are ratios to the bare loop. The loop reads a line, decodes it, encodes a constant answer and writes it. It
checks nothing: it is what a Python process that speaks JSON on its pipes costs at least.
"""
