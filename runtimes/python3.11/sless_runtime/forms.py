"""Fields of a query string, of a form, and of a multipart form. A field that comes twice becomes a list."""

import re

from .loader import lazily
from .refusal import bad_request

# Each field costs about 300 bytes of memory, whatever it took to send it.
MAX_FIELDS = 10_000

# Blanks are those of HTTP, in every language: what else counts as one differs between them.
_PARAMETER = re.compile(
    r';[ \t]*([!#$%&\'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^ \t\r\n;"]*)', re.DOTALL
)


def parse_fields(text):
    """A dict of the fields in `a=1&b=2`. Raises Refusal when there are too many."""
    fields = {}
    if text.count("&") >= MAX_FIELDS:
        raise _too_many()
    for pair in text.split("&"):
        if pair:
            name, _, value = pair.partition("=")
            _add(fields, _decode(name), _decode(value))
    return fields


def _decode(text):
    text = text.replace("+", " ")
    return lazily("urllib.parse").unquote(text) if "%" in text else text


def _add(fields, name, value):
    if name not in fields:
        fields[name] = value
    elif isinstance(fields[name], list):
        fields[name].append(value)
    else:
        fields[name] = [fields[name], value]


def parse_multipart(body, content_type):
    """A dict of the fields and files of multipart/form-data (RFC 7578).

    A field is text, or bytes when it is not UTF-8; a file is {"filename", "content_type", "content"}.
    Raises Refusal when it is malformed.
    """
    boundary = parameters(content_type).get("boundary", "")
    if not 0 < len(boundary) <= 200:
        raise bad_request("The content-type multipart/form-data names no boundary.")
    mark = b"--" + boundary.encode("latin-1", "replace")
    if body.count(mark) > MAX_FIELDS:
        raise _too_many()
    parts = (b"\r\n" + body).split(b"\r\n" + mark)
    if len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise bad_request("The multipart body does not end with its boundary.")
    fields = {}
    for part in parts[1:-1]:
        _add(fields, *_read_part(part))
    return fields


def _read_part(part):
    line_end = part.find(b"\r\n")
    if line_end < 0 or part[:line_end].strip(b" \t"):
        raise bad_request("A part of the multipart body does not begin after its boundary.")
    head, separator, content = part[line_end:].partition(b"\r\n\r\n")
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        headers[name.strip(" \t").lower()] = value.strip(" \t")
    kind, _, _ = headers.get("content-disposition", "").partition(";")
    disposition = parameters(headers.get("content-disposition", ""))
    if not separator or kind.strip(" \t").lower() != "form-data" or "name" not in disposition:
        raise bad_request("A part of the multipart body has no name.")
    if "filename" not in disposition:
        return disposition["name"], text_or_bytes(content)
    content_type = headers.get("content-type", "application/octet-stream")
    file = {"filename": disposition["filename"], "content_type": content_type, "content": content}
    return disposition["name"], file


def parameters(value):
    """The parameters of a header such as `form-data; name="a"`, by lower-case name."""
    return {name.lower(): _unquote(text) for name, text in _PARAMETER.findall(value)}


def _unquote(text):
    if text[:1] != '"':
        return text
    # Browsers write quotes and line ends in names so (HTML, multipart/form-data encoding algorithm).
    text = text[1:-1].replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")
    return re.sub(r"\\([\"\\])", r"\1", text)


def text_or_bytes(content):
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _too_many():
    return bad_request(f"There are more than {MAX_FIELDS} fields.")
