"""One event loop, in a thread of its own, for every coroutine of the function.

All share it, so that a client made once can be awaited in every call.
"""

import _thread
import threading
from _queue import SimpleQueue

from .loader import lazily
from .refusal import CallerGone

_lock = _thread.allocate_lock()
_loop = None
_current = threading.local()


def is_asynchronous(function):
    """Whether calling it gives a coroutine or an asynchronous generator, as far as its flags say."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & (0x80 | 0x200))


def prepare():
    """Starts the loop. Called early for functions that are known to be asynchronous: asyncio takes 40 ms to import."""
    global _loop
    with _lock:
        if _loop is None:
            loop = lazily("asyncio").new_event_loop()
            threading.Thread(target=loop.run_forever, name="sless-asyncio", daemon=True).start()
            _loop = loop
    return _loop


def belongs_to(call):
    """What this thread awaits from now on is part of `call`, an object with a place for `cancel`."""
    _current.call = call


def run(awaitable):
    """The awaited result. The thread waits; the call's time limit cancels the task, then CallerGone is raised."""
    future = _start(_await(awaitable))
    try:
        return future.result()
    except BaseException:
        _check_caller()
        raise
    finally:
        _forget(future)


def _start(coroutine):
    future = lazily("asyncio").run_coroutine_threadsafe(coroutine, _loop or prepare())
    call = getattr(_current, "call", None)
    if call is not None:
        call.cancel = future.cancel
    return future


def _forget(future):
    call = getattr(_current, "call", None)
    if call is not None and call.cancel == future.cancel:
        call.cancel = None


def _check_caller():
    call = getattr(_current, "call", None)
    if call is not None and call.given_up:
        raise CallerGone from None


async def _await(awaitable):
    return await awaitable


class Pieces:
    """An asynchronous iterator read from a thread, one piece when one is asked for.

    A single task runs it from beginning to end: time-outs and task groups inside it may span its yields.
    """

    def __init__(self, source):
        self._source = source
        self._given = SimpleQueue()
        self._wanted = lazily("asyncio").Semaphore(0)
        self._task = _start(self._pump())

    def __next__(self):
        (_loop or prepare()).call_soon_threadsafe(self._wanted.release)
        piece, error = self._given.get()
        if error is not None:
            _check_caller()
            raise error
        return piece

    def close(self):
        """Ends the iterator, running its `finally`."""
        self._task.cancel()
        _forget(self._task)

    async def _pump(self):
        try:
            await self._wanted.acquire()
            async for piece in self._source:
                self._given.put((piece, None))
                await self._wanted.acquire()
            self._given.put((None, StopIteration()))
        except BaseException as error:
            self._given.put((None, error))
        finally:
            if hasattr(self._source, "aclose"):
                await self._source.aclose()
