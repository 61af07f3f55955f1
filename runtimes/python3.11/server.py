"""The Python runtime of sless: serves one function over HTTP, or runs it once. See README.md."""

import sys

# What an interpreter has loaded before it runs anything. The loader needs to know, see loader.py.
BARE_MODULES = frozenset(sys.modules)


def start():
    import os

    # The runtime's own imports come from the standard library, whatever PYTHONPATH offers under the same names.
    extra = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    own = sys.path[0]
    sys.path[:] = [path for path in sys.path if path not in extra]
    from sless_runtime.main import main

    sys.path.remove(own)
    sys.path[:0] = extra
    main(BARE_MODULES)


# multiprocessing with "spawn" imports this file again in its children.
if __name__ == "__main__":
    start()
