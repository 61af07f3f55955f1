"""The event of a request: JSON, a form's fields, the query's fields, or the body as it is."""

import json

from .forms import parse_fields, parse_multipart, text_or_bytes
from .refusal import bad_request

_FORM = "application/x-www-form-urlencoded"


def _refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


def event_of(head, query, body):
    """What the function receives. `query` is the query's fields. Raises Refusal for a body that is not what it says."""
    if not body:
        return query
    content_type = head.headers.get("content-type")
    if content_type == "application/json":
        return parse_json(body)
    if head.headers.get("content-encoding", "identity") != "identity":
        return body
    media = (content_type or "").partition(";")[0].strip(" \t").lower()
    if not media:
        return _json_or_raw(body)
    if media.endswith(("/json", "+json")):
        return parse_json(body)
    if media == _FORM:
        return _form(body)
    if media == "multipart/form-data":
        return parse_multipart(body, content_type)
    return text_or_bytes(body)


def parse_json(body):
    """Any JSON value. Raises Refusal saying where it breaks off."""
    try:
        return _decoder.decode(_without_mark(body.decode()))
    except UnicodeDecodeError:
        raise bad_request("The body is typed as JSON and is not UTF-8.") from None
    except RecursionError:
        raise bad_request("The body is not JSON that can be read: it is nested too deeply.") from None
    except ValueError as error:
        raise bad_request(f"The body is not JSON: {error}.") from None


def _without_mark(text):
    """Without the byte order mark, which some editors leave."""
    return text[1:] if text[:1] == "\ufeff" else text


def _json_or_raw(body):
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    try:
        return _decoder.decode(_without_mark(text))
    except (ValueError, RecursionError):
        return text


def _form(body):
    # curl -d types everything as a form; a real one never begins so, its encoders write %7B and %5B.
    if body.lstrip()[:1] in (b"{", b"["):
        return parse_json(body)
    return parse_fields(body.decode("utf-8", "replace"))
