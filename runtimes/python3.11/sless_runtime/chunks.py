"""Results that come in pieces: generators, other iterators, asynchronous ones, and files."""

from . import async_calls
from .refusal import bad_result

_PIECE = 64 * 1024


def chunks_of(value):
    """Chunks where `value` comes in pieces, else None."""
    if hasattr(value, "__aiter__"):
        pieces = async_calls.Pieces(value)
        return Chunks(pieces, pieces.__next__)
    if callable(getattr(value, "read", None)):
        return Chunks(value, lambda: value.read(_PIECE))
    if hasattr(value, "__next__"):
        return Chunks(value, value.__next__)
    return None


class Chunks:
    """Iterates over pieces of bytes; `close` ends the source, whether it has been read to its end or not."""

    __slots__ = ("_source", "_next", "_first")

    def __init__(self, source, next_piece):
        self._source = source
        self._next = next_piece
        self._first = None

    def start(self):
        """The first piece as the source gave it: a str or bytes, None at once at the end."""
        try:
            self._first = self._pull()
        except BaseException:
            self.close()
            raise
        return self._first

    def __iter__(self):
        piece = self._first
        while piece is not None:
            yield piece.encode("utf-8", "replace") if isinstance(piece, str) else piece
            piece = self._pull()

    def close(self):
        """Runs the source's own `finally`. Raises what it raises."""
        if hasattr(self._source, "close"):
            self._source.close()

    def _pull(self):
        """The next piece that is not empty, or None at the end. An empty one would end a chunked body."""
        while True:
            try:
                piece = self._next()
            except StopIteration:
                return None
            if isinstance(piece, (bytearray, memoryview)):
                piece = bytes(piece)
            if not isinstance(piece, (str, bytes)):
                raise bad_result(f"A piece of the function's stream must be str or bytes, not {type(piece).__name__}.")
            if piece:
                return piece
            if hasattr(self._source, "read"):
                return None
