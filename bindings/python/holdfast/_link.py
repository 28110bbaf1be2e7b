"""What links a client to the library's: when that may be called, and what is
made by it and freed."""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from typing import Any

from ._errors import Invalid, call


class Link:
    """Whoever calls the library's client holds the mutex, so that nobody
    begins to close it meanwhile."""

    def __init__(self) -> None:
        self._pointer: ctypes.c_void_p | None = None
        self._closing = False  # also once it is closed
        self._left: deque[tuple[ctypes.c_void_p, Any]] = deque()
        self._renew()

    def _renew(self) -> None:
        """A mutex that nobody holds: here, and in the child of a fork."""
        self._mutex = threading.RLock()

    def _alive(self) -> ctypes.c_void_p:
        if self._pointer is None or self._closing:
            raise Invalid("the client is closed" if self._closing
                          else "the client is not open")
        return self._pointer

    def _make(self, new: Any, what: bytes | int) -> ctypes.c_void_p:
        """A lock or a query; it is given back to _dispose()."""
        self._free_left()
        pointer = ctypes.c_void_p()
        with self._mutex:
            call(new, self._alive(), what, ctypes.byref(pointer))
        return pointer

    def _dispose(self, pointer: ctypes.c_void_p, cancel: Any,
                 free: Any) -> None:
        """Nothing refers to it any more.  This may run in the middle of
        anything, also of a trace, when only a cancel may be called; so it is
        freed later."""
        if self._pointer is None:
            free(pointer)
        else:
            cancel(pointer)
            self._left.append((pointer, free))

    def _free_left(self) -> None:
        while self._left:
            try:
                pointer, free = self._left.popleft()
            except IndexError:  # another thread was quicker
                return
            free(pointer)
