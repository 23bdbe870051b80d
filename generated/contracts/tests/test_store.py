"""The store: what it finds, what it says of what it does not have, and how long a shortlist lasts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts_mcp import store as module
from contracts_mcp.seed import CONTRACTS
from contracts_mcp.store import SHORTLIST_SECONDS, Store, StoreError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(str(tmp_path / "contracts.db"))
    yield store
    store.close()


def found(store: Store, query: str) -> list[str]:
    return [hit.id for hit in store.search(query, None, 50)[0]]


def test_search_wants_every_word_in_any_order(store: Store) -> None:
    assert found(store, "sensors TAKUMI") == ["C-1004"]
    assert found(store, "sensors lisbon") == []


@pytest.mark.parametrize("query", ["%", "_", "\\", "100%", "' OR 1=1 --"])
def test_search_takes_words_literally(store: Store, query: str) -> None:
    assert found(store, query) == []


def test_search_counts_what_it_leaves_out(store: Store) -> None:
    hits, total = store.search("e", "active", 2)
    assert [hit.id for hit in hits] == ["C-1001", "C-1002"]
    assert total == 5


def test_missing_contract_is_told_with_the_ids_there_are(store: Store) -> None:
    with pytest.raises(StoreError, match="C-9999.*C-1001, C-1002"):
        store.get("C-9999")


def test_flag_stays_as_it_was_first_set(store: Store) -> None:
    flag = store.flag("C-1003", "deadline")
    assert flag.note == "deadline"
    assert store.flag("C-1003", "another") == flag
    assert store.get("C-1003").flag == flag


def test_file_is_filled_once_and_shared(tmp_path: Path) -> None:
    path = str(tmp_path / "shared.db")
    first, second = Store(path), Store(path)
    shortlist = first.create_shortlist()
    second.add_to_shortlist(shortlist.shortlist_id, "C-1002")
    assert [hit.id for hit in first.shortlist(shortlist.shortlist_id).contracts] == ["C-1002"]
    assert len(second.ids()) == len(CONTRACTS)
    first.close()
    second.close()


def test_shortlist_lasts_an_hour(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    shortlist_id = store.create_shortlist().shortlist_id
    now = module.time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + SHORTLIST_SECONDS - 5)
    assert store.add_to_shortlist(shortlist_id, "C-1001").contracts[0].id == "C-1001"
    monkeypatch.setattr(module.time, "time", lambda: now + SHORTLIST_SECONDS + 1)
    with pytest.raises(StoreError, match="has expired"):
        store.add_to_shortlist(shortlist_id, "C-1002")
    monkeypatch.setattr(module.time, "time", lambda: now + 30 * SHORTLIST_SECONDS)
    store.create_shortlist()
    with pytest.raises(StoreError, match="no such shortlist"):
        store.shortlist(shortlist_id)
