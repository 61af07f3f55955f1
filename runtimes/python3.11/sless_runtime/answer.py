"""What a function returned, as status, header lines and a body that can be sent."""

import binascii
import json
import re
import time

from .chunks import chunks_of
from .refusal import Refusal, bad_result

_JSON = b"application/json"
_TEXT = b"text/plain; charset=utf-8"
_BYTES = b"application/octet-stream"

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_BODILESS = frozenset((204, 205, 304))
# The server's own: what frames the answer, and what concerns the connection alone.
_OURS = frozenset(
    "connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade date".split()
)
# By such headers the runtime itself speaks to the platform.
_PLATFORM = "x-sless-"

_plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_escaped = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class Answer:
    """`headers` are pairs of bytes; the body is `body`, or comes from `chunks` when those are not None.

    `announced` is the content-length that the function states for a body which it does not give, in answer to HEAD.
    """

    __slots__ = ("status", "headers", "body", "chunks", "content_type", "announced")

    def __init__(self, status, content_type, body=b""):
        self.status = status
        self.headers = ()
        self.content_type = content_type
        self.body = body
        self.chunks = None
        self.announced = None


def answer_of(result):
    """An Answer. Raises Refusal when the result cannot be sent."""
    if isinstance(result, dict) and "statusCode" in result:
        return _explicit(result)
    return _content(result, _JSON)


def answer_of_refusal(refusal):
    answer = Answer(refusal.status, _JSON, refusal.body())
    answer.headers = refusal.headers
    return answer


def _explicit(result):
    status = result["statusCode"]
    if type(status) is not int or not 200 <= status <= 599:
        raise bad_result(f"The function's statusCode must be a whole number from 200 to 599, not {status!r:.60}.")
    body = None if status in _BODILESS else result.get("body")
    if result.get("isBase64Encoded") is True and isinstance(body, str):
        body = _from_base64(body)
    answer = Answer(status, None) if body is None else _content(body, _TEXT)
    answer.status = status
    try:
        _read_headers(answer, result.get("headers"))
    except Refusal:
        if answer.chunks is not None:
            answer.chunks.close()
        raise
    return answer


def _from_base64(text):
    try:
        return binascii.a2b_base64(text.encode(), strict_mode=True)
    except ValueError:
        raise bad_result("The function's body is not base64, though isBase64Encoded says so.") from None


def _content(value, type_of_text):
    """A body and its type. A text is JSON where it is the whole result, itself where it is a body."""
    if isinstance(value, str) and type_of_text is _TEXT:
        return Answer(200, _TEXT, _encode(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Answer(200, _BYTES, bytes(value))
    chunks = None if isinstance(value, (dict, list, str)) else chunks_of(value)
    if chunks is None:
        return Answer(200, _JSON, to_json(value))
    # Read up to the first piece, so that a failure before it is still answered as one.
    first = chunks.start()
    answer = Answer(200, _BYTES if first is None or isinstance(first, bytes) else _TEXT)
    answer.chunks = chunks
    return answer


def to_json(value):
    """Compact JSON in UTF-8. Raises Refusal naming what cannot be written."""
    try:
        return _plain.encode(value).encode()
    except UnicodeEncodeError:
        return _escaped.encode(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise bad_result(f"The function's result cannot be written as JSON: {error}.") from error


def _encode(text):
    return text.encode("utf-8", "replace")


def _read_headers(answer, headers):
    if headers is None:
        return
    if not isinstance(headers, dict):
        raise bad_result(f"The function's headers must be a dict, not {type(headers).__name__}.")
    pairs = []
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise bad_result(f"The function's header name {name!r:.60} is not a token.")
        key = name.lower()
        lines = [_header_value(name, item) for item in (value if isinstance(value, (list, tuple)) else (value,))]
        if key == "content-type":
            answer.content_type = lines[0] if lines else answer.content_type
        elif key == "content-length" and answer.body == b"" and lines and lines[0].isdigit():
            answer.announced = int(lines[0])
        elif key not in _OURS and not key.startswith(_PLATFORM):
            pairs.extend((name.encode(), line) for line in lines)
    answer.headers = pairs


def _header_value(name, value):
    if not isinstance(value, (str, int, float)):
        raise bad_result(f"The function's header {name} must be a text, not {type(value).__name__}.")
    text = str(value).strip(" \t")
    if not _VALUE.fullmatch(text):
        raise bad_result(f"The function's header {name} holds a line end, a control character or one outside Latin-1.")
    return text.encode("latin-1")


_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_date = (0, b"")


def date_line():
    """The Date header, made once a second; not by strftime, whose names follow the function's locale."""
    global _date
    now = int(time.time())
    second, line = _date
    if second != now:
        year, month, day, hour, minute, sec, weekday, *_ = time.gmtime(now)
        text = f"{_DAYS[weekday]}, {day:02} {_MONTHS[month - 1]} {year} {hour:02}:{minute:02}:{sec:02} GMT"
        line = b"Date: " + text.encode() + b"\r\n"
        _date = (now, line)
    return line
