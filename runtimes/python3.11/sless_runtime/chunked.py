"""Bodies in chunks (RFC 9112, 7.1)."""

import io
import re

from .refusal import bad_request, too_large

_MAX_LINE = 4096
# Chunk extensions and trailers are dropped; unbounded they would be a body that no limit counts.
_MAX_EXTRA = 16 * 1024
_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})((?:[ \t]*;[^\x00-\x08\x0a-\x1f\x7f]*)?)")
_TRAILER = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\x00-\x08\x0a-\x1f\x7f]*")


def read_chunks(incoming, limit):
    """The whole body as bytes. Raises Refusal when it is larger than `limit` or malformed."""
    body = io.BytesIO()
    extra = 0
    while True:
        line = _SIZE_LINE.fullmatch(incoming.take_line(_MAX_LINE))
        if not line:
            raise bad_request("A chunk does not begin with its size.")
        size = int(line[1], 16)
        extra += len(line[2])
        if body.tell() + size > limit or extra > _MAX_EXTRA:
            raise too_large(limit)
        if size == 0:
            _skip_trailers(incoming, limit)
            return body.getvalue()
        incoming.copy(size, body)
        if incoming.take(2) != b"\r\n":
            raise bad_request("A chunk is not as long as its size says.")


def _skip_trailers(incoming, limit):
    extra = 0
    while line := incoming.take_line(_MAX_LINE):
        extra += len(line)
        if extra > _MAX_EXTRA:
            raise too_large(limit)
        if not _TRAILER.fullmatch(line):
            raise bad_request("A trailer is malformed.")
