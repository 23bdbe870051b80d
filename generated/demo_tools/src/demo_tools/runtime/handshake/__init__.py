# Part of toolmint, copied into this package so that it needs nothing else; changes made here are lost.
"""The handshake era: revisions in which ``initialize`` settles once what the modern era states with every request.

``eras`` decides which era a message belongs to. Everything else here is the adapter for the earlier one: a session
takes its requests, has them served by what serves the modern ones, and says results, notifications and questions in
the terms of the revision that was agreed on. None of it is imported before a client asks for it.
"""
