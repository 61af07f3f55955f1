"""Finds and loads the function: `module.function`, the module anywhere in the function's folder.

The function sees the modules that it would see in a bare interpreter started in its folder. What the runtime
itself has loaded is taken out of sys.modules where the function's folder holds a module of that name (the runtime
keeps its own references), and what the runtime would load later is loaded first. So `queue.py` in the folder is
the function's own `queue`, and cannot become the runtime's.
"""

import importlib
import os
import site
import sys

SUFFIXES = (".py", "/__init__.py")
PACKAGES = ".sless-packages"
# Imported by the runtime only when a function needs them: asyncio takes 40 ms.
LAZY = ("asyncio", "inspect", "importlib.util", "urllib.parse")


class LoadError(Exception):
    """The entrypoint does not lead to a function; the message says what was looked for and what is there."""


def load_function(folder, entrypoint, bare_modules):
    """The callable named by `entrypoint`. Raises LoadError, or whatever the module itself raises."""
    name, attribute, path = find_module(folder, entrypoint)
    _make_visible(folder, bare_modules)
    module = _import(name, path)
    function = getattr(module, attribute, None)
    if not callable(function):
        names = sorted(key for key, value in vars(module).items() if callable(value) and key[0] != "_")
        has = f"has no function {attribute}" if function is None else f"has a {attribute} that is no function"
        raise LoadError(f"{entrypoint}: {path} {has}; it has: {', '.join(names) or 'none'}")
    return function


def find_module(folder, entrypoint):
    """(dotted name, function's name, file) of an entrypoint. Raises LoadError."""
    module, dot, attribute = entrypoint.rpartition(".")
    parts = module.replace("/", ".").split(".")
    if not dot or not attribute.isidentifier() or not all(parts):
        raise LoadError(f"the entrypoint must be module.function, such as handler.handle, not {entrypoint!r}")
    looked_for = ["/".join(parts) + suffix for suffix in SUFFIXES]
    for candidate in looked_for:
        path = os.path.join(folder, candidate)
        if os.path.isfile(path):
            return ".".join(parts), attribute, path
    there = sorted(entry for entry in os.listdir(folder) if not entry.startswith("."))[:20]
    raise LoadError(f"{entrypoint}: no {' or '.join(looked_for)} in {folder}; it holds: {', '.join(there) or 'nothing'}")


def _make_visible(folder, bare_modules):
    packages = os.path.join(folder, PACKAGES)
    sys.path[:] = [folder, *(path for path in sys.path if path not in (folder, packages))]
    standard = _standard_paths()
    in_front = sys.path[: sys.path.index(standard[0])]
    own_names = {name for path in in_front for name in _module_names(path)}
    if not own_names.isdisjoint(sys.stdlib_module_names):
        _keep_own_modules_apart(own_names, bare_modules)
    if os.path.isdir(packages):
        # Behind the standard library, as an image's site-packages are, and with their .pth files.
        site.addsitedir(packages)
    os.chdir(folder)
    sys.argv = [""]


def _keep_own_modules_apart(own_names, bare_modules):
    function_path = sys.path[:]
    sys.path[:] = _standard_paths()
    for name in LAZY:
        importlib.import_module(name)
    sys.path[:] = function_path
    for name in set(sys.modules) - bare_modules:
        top = name.partition(".")[0]
        # asyncio imports from itself while it runs: it must stay where it looks for itself.
        if top in own_names and top not in (__package__, "asyncio"):
            _set_aside[name] = sys.modules.pop(name)


_set_aside = {}


def lazily(name):
    """A standard module that most functions never need, as the runtime knows it."""
    return _set_aside.get(name) or importlib.import_module(name)


def _standard_paths():
    standard = os.path.dirname(os.__file__)
    return [path for path in sys.path if path.startswith(standard) or path.endswith(".zip")]


def _module_names(path):
    try:
        return [entry.partition(".")[0] for entry in os.listdir(path)]
    except OSError:
        return []


def _import(name, path):
    if name.partition(".")[0] not in sys.modules:
        module = importlib.import_module(name)
        if getattr(module, "__file__", None) == path:
            return module
    # A name that the interpreter itself has taken, such as os, time or __main__.
    util = lazily("importlib.util")
    alias = f"function_{name}"
    spec = util.spec_from_file_location(alias, path)
    module = sys.modules[alias] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wanted_arguments(function):
    """How many of (event, context) the function takes. Raises LoadError when it demands more."""
    plain = function
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    if not isinstance(plain, type(wanted_arguments)):
        return _wanted_by_signature(plain)
    code = plain.__code__
    required = code.co_argcount - len(plain.__defaults__ or ())
    return _checked(required, 2 if code.co_flags & 0x04 else code.co_argcount)


def _wanted_by_signature(function):
    """For methods, partials, classes and the like."""
    inspect = lazily("inspect")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [item for item in parameters if item.kind in kinds]
    required = sum(item.default is inspect.Parameter.empty for item in positional)
    starred = any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters)
    return _checked(required, 2 if starred else len(positional))


def _checked(required, accepted):
    if required > 2:
        raise LoadError(f"the function must take (event, context) or (event); it demands {required} arguments")
    return min(accepted, 2)
