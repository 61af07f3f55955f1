"""Writes answers: heads, bodies in pieces, chunks. Raises CallerGone when nobody takes them."""

from .answer import date_line
from .refusal import CallerGone

_PIECE = 256 * 1024

_PHRASES = {
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 300: "Multiple Choices",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
    410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    418: "I'm a Teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 424: "Failed Dependency",
    425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported", 507: "Insufficient Storage",
}  # fmt: skip
_STATUS_LINES = {code: f"HTTP/1.1 {code} {phrase}\r\n".encode() for code, phrase in _PHRASES.items()}
# These end with their head, whatever it says (RFC 9110, 8.6).
_WITHOUT_LENGTH = frozenset((204, 304))


class Framing:
    """How an answer goes out: to a HEAD (`head_only`), to HTTP/1.0 (`old`), with the connection kept or closed.

    `on_progress` is called whenever a part of a long body has gone.
    """

    __slots__ = ("head_only", "old", "keep_alive", "on_progress")

    def __init__(self, head, keep_alive, on_progress):
        self.head_only = head is not None and head.method == "HEAD"
        self.old = head is not None and head.old
        self.keep_alive = keep_alive
        self.on_progress = on_progress


def send(socket, answer, framing):
    """Sends an answer whose body is known."""
    body = answer.body
    length = len(body)
    if framing.head_only:
        length = length if answer.announced is None else answer.announced
        body = b""
    head = _head(answer, framing, length)
    if len(body) <= _PIECE:
        _write(socket, head + body)
    else:
        _write(socket, head)
        _send_large(socket, body, framing)


def send_chunks(socket, answer, framing):
    """Sends an answer whose body comes in pieces, each when it comes. Closing the chunks is the caller's."""
    _write(socket, _head(answer, framing, None))
    if framing.head_only:
        return
    for piece in answer.chunks:
        if framing.old:
            _send_large(socket, piece, framing)
        elif len(piece) <= _PIECE:
            _write(socket, b"%x\r\n%b\r\n" % (len(piece), piece))
        else:
            _write(socket, b"%x\r\n" % len(piece))
            _send_large(socket, piece, framing)
            _write(socket, b"\r\n")
        framing.on_progress()
    if not framing.old:
        _write(socket, b"0\r\n\r\n")


def _write(socket, data):
    # Told apart from an OSError of the function's own generator.
    try:
        socket.sendall(data)
    except OSError:
        raise CallerGone from None


def _send_large(socket, body, framing):
    for piece in _pieces(body):
        _write(socket, piece)
        framing.on_progress()


def _pieces(body):
    view = memoryview(body)
    return (view[at : at + _PIECE] for at in range(0, len(view), _PIECE))


def _head(answer, framing, length):
    status = answer.status
    lines = [_STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status]
    if answer.content_type:
        lines.append(b"Content-Type: %b\r\n" % answer.content_type)
    lines.extend(b"%b: %b\r\n" % pair for pair in answer.headers)
    if status in _WITHOUT_LENGTH:
        pass
    elif length is not None:
        lines.append(b"Content-Length: %d\r\n" % length)
    elif not framing.old:
        lines.append(b"Transfer-Encoding: chunked\r\n")
    if not framing.keep_alive:
        lines.append(b"Connection: close\r\n")
    elif framing.old:
        lines.append(b"Connection: keep-alive\r\n")
    lines.append(date_line())
    lines.append(b"\r\n")
    return b"".join(lines)
