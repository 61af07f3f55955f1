"""Runs the function a single time: the event from a file, the result to a file, the outcome as exit status."""

import binascii
import json
import os
import signal
import threading
import time

from .answer import to_json
from .call import Call
from .chunks import chunks_of
from .context import Context, new_request_id
from .event import parse_json
from .log import say, say_exception
from .refusal import Refusal
from . import async_calls

# What Kubernetes keeps of a termination message.
MAX_RESULT = 4096


def run_once(function):
    """The exit status: 0, or 1 when the function failed, answered 400 or more, or took too long."""
    settings = function.settings
    signal.signal(signal.SIGTERM, lambda *_: _stopped(settings))
    outcome = []
    done = threading.Event()

    def run():
        outcome.append(_outcome(function))
        done.set()

    threading.Thread(target=run, name="sless-once", daemon=True).start()
    if not done.wait(settings.timeout):
        say(f"the function did not end within {settings.timeout} s")
        message = f"The function did not end within {settings.timeout} s."
        outcome.append((1, _error("FunctionTimeout", message)))
    status, result = outcome[0]
    _write(settings.result_file, result)
    return status


def _outcome(function):
    """(exit status, result as JSON bytes)."""
    request_id = new_request_id()
    try:
        with open(function.settings.event_file, "rb") as file:
            body = file.read()
        context = _context(function.settings, body, request_id)
        async_calls.belongs_to(Call(request_id, 0))
        result = function.call(parse_json(body) if body else {}, context)
        return _status(result), _result(result)
    except Refusal as refusal:
        say(f"run {request_id}: {refusal}")
        return 1, _error(refusal.code, str(refusal))
    except BaseException as error:
        say_exception(f"run {request_id} failed", error)
        return 1, _error("FunctionError", f"{type(error).__name__}: {error}")


def _context(settings, body, request_id):
    context = Context()
    context.method = "POST"
    context.path = "/"
    context.query = {}
    context.headers = {"content-type": "application/json"}
    context.body = body
    context.request_id = request_id
    context.trace_id = None
    context.function = settings.function
    context.namespace = settings.namespace
    context.trigger = "job"
    context.trigger_name = None
    context.message = None
    context.deadline = int((time.time() + settings.timeout) * 1000)
    return context


def _status(result):
    """An answer that would be a failure over HTTP is one here."""
    status = result.get("statusCode") if isinstance(result, dict) else None
    return 1 if type(status) is int and status >= 400 else 0


def _result(result):
    chunks = None if isinstance(result, (dict, list, str)) else chunks_of(result)
    if chunks is not None:
        result = _collect(chunks)
    if isinstance(result, (bytes, bytearray, memoryview)):
        result = _text(bytes(result))
    return to_json(result)


def _collect(chunks):
    """A stream runs to its end; no more of it is kept than could be shown."""
    kept = bytearray()
    chunks.start()
    for piece in chunks:
        kept += piece[: MAX_RESULT + 1 - len(kept)] if len(kept) <= MAX_RESULT else b""
    chunks.close()
    return bytes(kept)


def _text(content):
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": binascii.b2a_base64(content, newline=False).decode()}


def _error(code, message):
    return json.dumps({"error": message, "code": code}, ensure_ascii=False).encode("utf-8", "replace")


def _write(path, result):
    try:
        with open(path, "wb") as file:
            file.write(fitted(result))
    except OSError as error:
        say(f"cannot write the result to {path}: {error}")


def fitted(result):
    """At most 4 KiB of JSON. What is longer becomes {"truncated", "bytes", "head"}, head being its beginning."""
    if len(result) <= MAX_RESULT:
        return result
    text = result.decode()
    length = MAX_RESULT
    while True:
        cut = {"truncated": True, "bytes": len(result), "head": text[:length]}
        short = json.dumps(cut, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        if len(short) <= MAX_RESULT:
            return short
        # Never less than needed: a character takes one byte at least, and escaping only adds.
        length -= max(1, (len(short) - MAX_RESULT) // 8)


def _stopped(settings):
    _write(settings.result_file, _error("FunctionError", "The run was stopped before it ended."))
    os._exit(143)
