"""Everything that the runtime itself answers instead of the function."""

import json


class Refusal(Exception):
    """A request, or a result, that cannot be accepted. The message is for the caller."""

    def __init__(self, status, code, message, headers=()):
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers

    def body(self):
        return json.dumps({"error": str(self), "code": self.code}).encode()


def bad_request(message):
    return Refusal(400, "InvalidRequest", message)


def bad_result(message):
    """The function returned something that cannot be sent."""
    return Refusal(500, "FunctionError", message)


def failed(request_id, log_file=None):
    """What a caller is told of an exception: nothing but where to look."""
    log = "its log" if log_file is None else f"its log ({log_file})"
    return Refusal(500, "FunctionError", f"The function failed; {log} says why. Request {request_id}.")


def timed_out(seconds):
    return Refusal(504, "FunctionTimeout", f"The function did not answer in time: {seconds} s, or what the caller left it.")


def busy(concurrency):
    """Not begun with. The header tells the platform so; a function's own 429 is an answer, and cannot carry it."""
    message = f"The function is busy with {concurrency} calls, its limit."
    return Refusal(429, "TooManyRequests", message, ((b"Retry-After", b"1"), (b"X-Sless-Busy", b"1")))


def too_large(limit):
    return Refusal(413, "PayloadTooLarge", f"The body is larger than {limit} bytes.")


class CallerGone(Exception):
    """The other side closed the connection; nobody is left to answer."""
