"""What a function is told about its call."""

import binascii
import json
import os

from .refusal import bad_request

_HEX = frozenset("0123456789abcdef")
_TRIGGERS = frozenset(("http", "cron", "event", "job"))


class Context:
    """
    method, path, query, headers: of the request; path undecoded, header names in lower case
    body: the raw bytes
    request_id, function, namespace: strings
    trace_id: of the W3C trace context, or None
    trigger: http, cron, event or job; trigger_name: its name, or None
    deadline: when the call is given up, in milliseconds since 1970
    message: the properties of the queue's message, or None
    """

    __slots__ = (
        "method",
        "path",
        "query",
        "headers",
        "body",
        "request_id",
        "trace_id",
        "function",
        "namespace",
        "trigger",
        "trigger_name",
        "deadline",
        "message",
    )

    def __repr__(self):
        return f"<Context {self.method} {self.path} {self.trigger} {self.request_id}>"


def message_of(headers):
    """The decoded x-sless-message, or None. Raises Refusal."""
    text = headers.get("x-sless-message")
    if text is None:
        return None
    try:
        return json.loads(binascii.a2b_base64(text.replace("-", "+").replace("_", "/") + "=="))
    except (ValueError, RecursionError):
        raise bad_request("The header x-sless-message is not JSON in base64url.") from None


def timeout_of(headers, own):
    """
    Seconds that the call may take from now on: what x-sless-timeout-ms leaves, where that is less than `own`. A length of
    time, since the clocks of two nodes differ. Raises Refusal.
    """
    text = headers.get("x-sless-timeout-ms")
    if text is None:
        return own
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        raise bad_request("The header x-sless-timeout-ms is not a number of milliseconds.")
    return min(own, int(text) / 1000)


def trace_of(headers):
    """The id in a W3C traceparent, or None."""
    version, _, rest = headers.get("traceparent", "").partition("-")
    trace, _, span = rest.partition("-")
    whole = len(version) == 2 and len(trace) == 32 and len(span) >= 19 and span[16] == "-"
    return trace if whole and _HEX.issuperset(trace) and trace.strip("0") else None


def trigger_of(headers):
    trigger = headers.get("x-sless-trigger")
    return trigger if trigger in _TRIGGERS else "http"


def new_request_id():
    return os.urandom(16).hex()
