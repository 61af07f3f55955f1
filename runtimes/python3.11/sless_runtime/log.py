"""Lines on stderr. Tracebacks begin at the function's own code."""

import _thread
import os
import sys

_OWN = os.path.dirname(os.path.abspath(__file__))
_one_at_a_time = _thread.allocate_lock()


def prepare_output():
    """Logs are live: every line leaves the process at once, and no character can make a print fail."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def say(message):
    with _one_at_a_time:
        sys.stderr.write(f"sless: {message}\n")
        sys.stderr.flush()


def say_exception(message, error):
    """`message`, then the traceback without the runtime's own frames."""
    trace = error.__traceback__
    while trace is not None and _is_machinery(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    with _one_at_a_time:
        sys.stderr.write(f"sless: {message}\n")
        # The interpreter's own printer: the traceback module costs 5 ms to import. It prints the
        # exception's own traceback, not the argument, so that is shortened for good.
        sys.__excepthook__(type(error), error.with_traceback(trace), trace)
        sys.stderr.flush()


def _is_machinery(filename):
    return filename.startswith((_OWN, "<frozen importlib"))
