# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""What every generated server runs on: the dispatcher, the stdio transport and what handlers are given.

Only the standard library is imported, and on the way to the first answer only the part of it that a bare script
pays for anyway: ``dataclasses``, ``asyncio``, ``inspect`` and ``logging`` cost 20 to 60 ms each and wait until
something needs them.
"""
