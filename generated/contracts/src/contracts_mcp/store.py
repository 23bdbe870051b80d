"""The store: contracts, their flags, and shortlists of them, in SQLite.

Nothing is remembered anywhere else, so any number of servers can work on one file, and a shortlist that was made by one
can be used by another.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from .api import Contract, ContractHit, Flag, Shortlist, Status
from .seed import CONTRACTS

SHORTLIST_SECONDS = 3600
"""How long a shortlist lasts."""

_REMEMBERED_SECONDS = 24 * 3600
"""How long it is known that a shortlist has been there."""

_MOST_NAMED = 40
"""How many ids an error names."""

_TABLES = """
CREATE TABLE contracts (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, party TEXT NOT NULL, status TEXT NOT NULL, signed_on TEXT NOT NULL,
    ends_on TEXT, yearly_value INTEGER NOT NULL, text TEXT NOT NULL, flagged_at INTEGER, note TEXT
);
CREATE TABLE shortlists (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL);
CREATE TABLE shortlisted (
    place INTEGER PRIMARY KEY,
    shortlist_id TEXT NOT NULL REFERENCES shortlists ON DELETE CASCADE,
    contract_id TEXT NOT NULL REFERENCES contracts,
    UNIQUE (shortlist_id, contract_id)
);
"""
_VERSION = 1
_HIT = "id, title, party, status"


class StoreError(LookupError):
    """What was asked for is not there; the text is for whoever asked, and says what to try instead."""


class Store:
    """Contracts, flags and shortlists.

    Args:
        path: The SQLite file, made and filled when it is first used; ``:memory:`` for one that ends with the process.
    """

    def __init__(self, path: str) -> None:
        """Open the file.

        Raises:
            sqlite3.Error: It cannot be opened, or is no store.
        """
        # Handlers run on several threads; each use of the one connection is under the lock.
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._using = threading.Lock()
        with self._changing():
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in _TABLES.split(";\n"):
                    self._connection.execute(statement)
                rows = [(*row, None, None) for row in CONTRACTS]
                self._connection.executemany("INSERT INTO contracts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
                self._connection.execute(f"PRAGMA user_version = {_VERSION}")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        """Close the file."""
        with self._using:
            self._connection.close()

    def ids(self) -> list[str]:
        """Return the ids of all contracts, in their order."""
        return [row[0] for row in self._rows("SELECT id FROM contracts ORDER BY id")]

    def ids_like(self, typed: str) -> list[str]:
        """Return the ids that contain what was typed, capitals aside; those that begin with it first."""
        wanted = typed.casefold()
        ids = [contract_id for contract_id in self.ids() if wanted in contract_id.casefold()]
        return sorted(ids, key=lambda contract_id: not contract_id.casefold().startswith(wanted))

    def search(self, query: str, status: Status | None, limit: int) -> tuple[list[ContractHit], int]:
        """Return the first contracts in which all words of a query occur, and how many there are in all."""
        words = query.split()
        condition = " AND ".join(
            ["(? IS NULL OR status = ?)", *(r"title || ' ' || party || ' ' || text LIKE ? ESCAPE '\'" for _ in words)]
        )
        values = [status, status, *(f"%{_literally(word)}%" for word in words)]
        rows = self._rows(f"SELECT {_HIT} FROM contracts WHERE {condition} ORDER BY id", *values)
        return [_hit(row) for row in rows[:limit]], len(rows)

    def get(self, contract_id: str) -> Contract:
        """Return a contract.

        Raises:
            StoreError: There is none of this id.
        """
        rows = self._rows("SELECT * FROM contracts WHERE id = ?", contract_id)
        if not rows:
            raise self._unknown(contract_id)
        return _contract(rows[0])

    def all(self, status: Status | None) -> list[Contract]:
        """Return all contracts, or all of one status."""
        rows = self._rows("SELECT * FROM contracts WHERE ? IS NULL OR status = ? ORDER BY id", status, status)
        return [_contract(row) for row in rows]

    def flag(self, contract_id: str, note: str | None) -> Flag:
        """Flag a contract for review and return the flag, or the one that it has already.

        Raises:
            StoreError: There is no contract of this id.
        """
        with self._changing():
            self._connection.execute(
                "UPDATE contracts SET flagged_at = ?, note = ? WHERE id = ? AND flagged_at IS NULL",
                (int(time.time()), note, contract_id),
            )
        flag = self.get(contract_id).flag
        assert flag is not None
        return flag

    def create_shortlist(self) -> Shortlist:
        """Make an empty shortlist; its id cannot be guessed (128 random bits)."""
        shortlist_id = secrets.token_urlsafe(16)
        now = int(time.time())
        with self._changing():
            self._connection.execute("DELETE FROM shortlists WHERE expires_at < ?", (now - _REMEMBERED_SECONDS,))
            self._connection.execute("INSERT INTO shortlists VALUES (?, ?)", (shortlist_id, now + SHORTLIST_SECONDS))
        return self.shortlist(shortlist_id)

    def add_to_shortlist(self, shortlist_id: str, contract_id: str) -> Shortlist:
        """Put a contract at the end of a shortlist, unless it is there already.

        Raises:
            StoreError: There is no such shortlist any more, or no such contract.
        """
        self.shortlist(shortlist_id)
        self.get(contract_id)
        with self._changing():
            self._connection.execute(
                "INSERT OR IGNORE INTO shortlisted (shortlist_id, contract_id) VALUES (?, ?)",
                (shortlist_id, contract_id),
            )
        return self.shortlist(shortlist_id)

    def shortlist(self, shortlist_id: str) -> Shortlist:
        """Return a shortlist.

        Raises:
            StoreError: There is none of this id, or it has expired.
        """
        rows = self._rows("SELECT expires_at FROM shortlists WHERE id = ?", shortlist_id)
        if not rows:
            raise StoreError("There is no such shortlist: use the id that create_shortlist gave, or create another one")
        (expires_at,) = rows[0]
        if expires_at <= time.time():
            raise StoreError(f"The shortlist has expired at {_moment(expires_at)}: create another one")
        hits = self._rows(
            f"SELECT {_HIT} FROM shortlisted JOIN contracts ON contract_id = id WHERE shortlist_id = ? ORDER BY place",
            shortlist_id,
        )
        return Shortlist(
            shortlist_id=shortlist_id, expires_at=_moment(expires_at), contracts=[_hit(row) for row in hits]
        )

    def _unknown(self, contract_id: str) -> StoreError:
        ids = self.ids()
        more = f" and {len(ids) - _MOST_NAMED} more: use search_contracts" if len(ids) > _MOST_NAMED else ""
        return StoreError(f"There is no contract {contract_id}. Known ids: {', '.join(ids[:_MOST_NAMED])}{more}")

    def _rows(self, statement: str, *values: object) -> list[Any]:
        with self._using:
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the store, against other servers too, until what is done in here has been done altogether."""
        with self._using:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _literally(word: str) -> str:
    r"""Return a word as LIKE has it with the escape character ``\``."""
    return word.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def _hit(row: Any) -> ContractHit:
    return ContractHit(id=row[0], title=row[1], party=row[2], status=row[3])


def _contract(row: Any) -> Contract:
    id_, title, party, status, signed_on, ends_on, yearly_value, text, flagged_at, note = row
    return Contract(
        id=id_,
        title=title,
        party=party,
        status=status,
        signed_on=signed_on,
        ends_on=ends_on,
        yearly_value=yearly_value,
        text=text,
        flag=None if flagged_at is None else Flag(flagged_at=_moment(flagged_at), note=note),
    )


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
