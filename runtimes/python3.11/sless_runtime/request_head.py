"""The head of an HTTP/1.1 request, strictly: what two parsers could read differently is refused (RFC 9112)."""

import re

from .refusal import Refusal, bad_request

MAX_HEAD = 64 * 1024

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VISIBLE = bytes([9, 10, 13, *range(0x20, 0x7F), *range(0x80, 0x100)])
_METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))
# Repeated, the first one counts, as in Node: joined they would mean nothing.
_SINGLE = frozenset(
    "age authorization content-type etag expires from if-modified-since if-unmodified-since last-modified location "
    "max-forwards proxy-authorization referer retry-after server user-agent".split()
)
_FRAMING = frozenset(("host", "content-length", "transfer-encoding"))
# Names as they were spelled → checked and in lower case. Bounded: callers choose the names.
_names = {}


class Head:
    """`path` and `query` are as they were sent, undecoded; `headers` are by lower-case name."""

    __slots__ = ("method", "path", "query", "headers", "old", "keep_alive", "length", "chunked")


def parse_head(block):
    """A Head from the bytes before the empty line. Raises Refusal."""
    text = block.decode("latin-1")
    lines = text.split("\r\n")
    breaks = len(lines) - 1
    if text.count("\n") != breaks or text.count("\r") != breaks:
        raise bad_request("A line of the head does not end in CR LF.")
    if block.translate(None, _VISIBLE):
        raise bad_request("The head holds a control character.")
    head = Head()
    _read_request_line(head, lines[0])
    head.headers = _read_headers(lines)
    _read_framing(head)
    return head


def _read_request_line(head, line):
    parts = line.split(" ")
    if len(parts) != 3:
        raise bad_request("The request line must be: method, one space, target, one space, HTTP/1.1.")
    head.method, target, version = parts
    if head.method not in _METHODS and not _TOKEN.fullmatch(head.method):
        raise bad_request("The method is not a token.")
    if version == "HTTP/1.1":
        head.old = False
    elif version == "HTTP/1.0":
        head.old = True
    elif re.fullmatch(r"HTTP/\d\.\d", version):
        raise Refusal(505, "InvalidRequest", "This server speaks HTTP/1.1.")
    else:
        raise bad_request("The request line does not end in HTTP/1.1.")
    if not target.isascii():
        raise bad_request("The target holds letters that are not percent-encoded.")
    if target[:1] != "/":
        target = _origin_form(head.method, target)
    head.path, _, head.query = target.partition("?")


def _origin_form(method, target):
    if method == "CONNECT":
        raise Refusal(405, "MethodNotAllowed", "This server is not a proxy.")
    if method == "OPTIONS" and target == "*":
        return target
    absolute = re.fullmatch(r"https?://[^/?#@]+((?:[/?].*)?)", target, re.IGNORECASE)
    if not absolute:
        raise bad_request("The target must begin with a slash.")
    rest = absolute[1]
    return rest if rest[:1] == "/" else "/" + rest


def _read_headers(lines):
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        key = _names.get(name) or _checked_name(name)
        if not colon:
            raise bad_request("A header line has no colon.")
        value = value.strip(" \t")
        if key in headers:
            _repeat(headers, key, value)
        else:
            headers[key] = value
    return headers


def _checked_name(name):
    if not _TOKEN.fullmatch(name):
        raise bad_request("A header's name is not a token.")
    key = name.lower()
    if len(_names) < 1000 and len(name) < 64:
        _names[name] = key
    return key


def _repeat(headers, key, value):
    if key in _FRAMING:
        raise bad_request(f"The header {key} is repeated.")
    if key not in _SINGLE:
        headers[key] += ("; " if key == "cookie" else ", ") + value


def _read_framing(head):
    headers = head.headers
    if "host" not in headers and not head.old:
        raise bad_request("The header host is missing.")
    head.length = 0
    head.chunked = False
    length = headers.get("content-length")
    coding = headers.get("transfer-encoding")
    if coding is not None:
        if length is not None or head.old:
            raise bad_request("The header transfer-encoding cannot stand with content-length, nor in HTTP/1.0.")
        if coding.lower() != "chunked":
            raise Refusal(501, "NotImplemented", "The only transfer-encoding here is chunked.")
        head.chunked = True
    elif length is not None:
        if not length.isdecimal() or len(length) > 16:
            raise bad_request("The header content-length is not a number.")
        head.length = int(length)
    connection = headers.get("connection")
    head.keep_alive = not head.old
    if connection is not None:
        tokens = [token.strip() for token in connection.lower().split(",")]
        head.keep_alive = "close" not in tokens and (not head.old or "keep-alive" in tokens)
