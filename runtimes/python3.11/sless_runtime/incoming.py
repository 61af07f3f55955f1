"""The receiving half of a connection: heads, bodies, and what of the next request came along with them."""

import io
import time

from .chunked import read_chunks
from .refusal import CallerGone, Refusal, bad_request, too_large
from .request_head import MAX_HEAD, parse_head

_READ = 64 * 1024
_LARGE_READ = 256 * 1024


class Incoming:
    """A socket's bytes in the order they came. `_at` is where the unread ones begin in `_buffer`."""

    __slots__ = ("_socket", "_buffer", "_at")

    def __init__(self, socket):
        self._socket = socket
        self._buffer = b""
        self._at = 0

    def read_head(self, on_start):
        """The next Head, or None where the connection ended before one began.

        `on_start` is called when only a part of it has come. Raises Refusal, CallerGone.
        """
        buffer = self._buffer[self._at :] or self._socket.recv(_READ)
        started = False
        while True:
            if buffer[:1] in (b"\r", b"\n"):
                # An empty line before a request is forgiven (RFC 9112, 2.2).
                buffer = buffer.lstrip(b"\r\n")
            end = buffer.find(b"\r\n\r\n")
            if end >= 0:
                self._buffer = buffer
                self._at = end + 4
                if end > MAX_HEAD:
                    raise head_too_large()
                return parse_head(buffer[:end])
            _check_unfinished(buffer)
            if buffer and not started:
                started = True
                on_start()
            more = self._socket.recv(_READ)
            if not more:
                if not started:
                    return None
                raise CallerGone
            buffer += more

    def read_body(self, head, limit):
        """The whole body as bytes. Raises Refusal when it is larger than `limit` or its framing is wrong."""
        if not head.chunked and head.length == 0:
            return b""
        if head.length > limit:
            raise too_large(limit)
        self._meet_expectation(head)
        if head.chunked:
            return read_chunks(self, limit)
        if len(self._buffer) - self._at >= head.length:
            return self.take(head.length)
        body = io.BytesIO()
        self.copy(head.length, body)
        return body.getvalue()

    def discard(self, until):
        """Reads until the other side ends: closing with bytes unread would destroy the answer on its way."""
        while self._socket.recv(_LARGE_READ) and time.monotonic() < until:
            pass

    def take(self, size):
        """The next `size` bytes. Raises CallerGone when they do not come."""
        while len(self._buffer) - self._at < size:
            self._fill()
        at = self._at
        self._at = at + size
        return self._buffer[at : at + size]

    def take_line(self, limit):
        """The next line without its CR LF. Raises Refusal when it is longer than `limit` or ends otherwise."""
        while (end := self._buffer.find(b"\n", self._at)) < 0 and len(self._buffer) - self._at <= limit:
            self._fill()
        if not 0 < end - self._at <= limit or self._buffer[end - 1] != 13:
            raise bad_request("A line of the chunked body is too long or does not end in CR LF.")
        return self.take(end + 1 - self._at)[:-2]

    def copy(self, size, body):
        """Moves `size` bytes to the file `body`. What is only announced takes no memory."""
        known = self.take(min(size, len(self._buffer) - self._at))
        body.write(known)
        missing = size - len(known)
        while missing:
            more = self._socket.recv(min(missing, _LARGE_READ))
            if not more:
                raise CallerGone
            body.write(more)
            missing -= len(more)

    def _fill(self):
        more = self._socket.recv(_READ)
        if not more:
            raise CallerGone
        self._buffer = self._buffer[self._at :] + more
        self._at = 0

    def _meet_expectation(self, head):
        expectation = head.headers.get("expect")
        if expectation is None or head.old:
            return
        if expectation.lower() != "100-continue":
            raise Refusal(417, "InvalidRequest", "The only expectation that can be met is 100-continue.")
        if self._at == len(self._buffer):
            self._socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def _check_unfinished(buffer):
    """Refuses now what no further byte could mend."""
    if len(buffer) > MAX_HEAD:
        raise head_too_large()
    if buffer.count(b"\n") != buffer.count(b"\r\n"):
        raise bad_request("A line of the head does not end in CR LF.")
    # Something else, such as TLS, would never come to an empty line.
    if buffer and not 0x20 < buffer[0] < 0x7F:
        raise bad_request("This is not HTTP.")


def head_too_large():
    return Refusal(431, "HeadersTooLarge", f"The head is larger than {MAX_HEAD} bytes.")
