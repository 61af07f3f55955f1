"""Reads the settings, loads the function, and serves it or runs it once."""

import os
import signal
import sys

from .function import Function
from .loader import LoadError, load_function
from .log import prepare_output, say, say_exception
from .settings import read_settings


def main(bare_modules):
    """Does not return: the process ends with the status of what it did."""
    # As process 1 of a container nothing ends us but handlers that we install.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os._exit(128 + number))
    prepare_output()
    try:
        settings = read_settings(os.environ)
    except ValueError as error:
        say(f"the settings are wrong:\n{error}")
        _end(2)
    # Imported now: once the function is there, its modules could stand in for the standard library's.
    if settings.event_file:
        from .once import run_once as run
    else:
        from .serving import serve as run
    _end(run(_load(settings, bare_modules)))


def _load(settings, bare_modules):
    try:
        handler = load_function(settings.folder, settings.entrypoint, bare_modules)
        return Function(handler, settings)
    except LoadError as error:
        say(str(error))
    except BaseException as error:
        say_exception(f"{settings.entrypoint} does not load", error)
    _end(1)


def _end(status):
    """Ends the process though threads of the function may still run; its atexit functions are called."""
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(status)
