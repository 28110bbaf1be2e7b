"""To look, and to clear: blocking, and for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from ._connection import Connection
from ._errors import NotCleared
from ._handle import QueryHandle
from ._library import FOREVER
from ._request import Request
from ._view import View

LIST, EXAMINE, CLEAR, AUDIT, DOCTOR = range(5)


def _rows_of(query: QueryHandle) -> Iterator[View]:
    while (row := query.row()) is not None:
        yield row


def _ask(query: QueryHandle) -> None:
    try:
        query.start()
        query.wait(FOREVER.ms)
    except BaseException:
        query.cancel()
        raise
    query.raise_error()


async def _aask(query: QueryHandle) -> None:
    request = Request(query)
    request.start()
    try:
        await request.until(query.is_over)
    except BaseException:
        query.cancel()
        raise
    query.raise_error()


def _query(client: Connection, kind: int,
           options: dict[str, Any]) -> QueryHandle:
    query = QueryHandle(client.open(), kind)
    query.set(**options)
    return query


async def _aquery(client: Connection, kind: int,
                  options: dict[str, Any]) -> QueryHandle:
    await client.aopen()
    return _query(client, kind, options)


def one(client: Connection, kind: int, **options: Any) -> View:
    query = _query(client, kind, options)
    _ask(query)
    return query.view()


async def aone(client: Connection, kind: int, **options: Any) -> View:
    query = await _aquery(client, kind, options)
    await _aask(query)
    return query.view()


def rows(client: Connection, kind: int, **options: Any) -> Iterator[View]:
    query = _query(client, kind, options)
    _ask(query)
    yield from _rows_of(query)


async def arows(client: Connection, kind: int,
                **options: Any) -> AsyncIterator[View]:
    query = await _aquery(client, kind, options)
    await _aask(query)
    for row in _rows_of(query):
        yield row


def pages(client: Connection, kind: int, **options: Any) -> Iterator[View]:
    """A page without a row is the end."""
    query = _query(client, kind, options)
    while True:
        _ask(query)
        page = list(_rows_of(query))
        if not page:
            return
        yield from page


async def apages(client: Connection, kind: int,
                 **options: Any) -> AsyncIterator[View]:
    query = await _aquery(client, kind, options)
    while True:
        await _aask(query)
        page = list(_rows_of(query))
        if not page:
            return
        for row in page:
            yield row


def cleared(name: str, view: View) -> View:
    if view.cleared:
        return view
    if not view.exists:
        why = "there is no such lock"
    elif view.life in ("beating", "running"):
        why = "its holder is alive"
    else:
        why = "another holder has it"
    raise NotCleared(f"lock {name} was not cleared: {why}", view)
