"""The environment, read once and checked as a whole."""

import os


class Settings:
    """What the process was told. Times are in seconds, sizes in bytes."""

    __slots__ = (
        "host",
        "port",
        "folder",
        "entrypoint",
        "timeout",
        "concurrency",
        "grace",
        "max_body",
        "function",
        "namespace",
        "event_file",
        "log_file",
        "result_file",
    )


def read_settings(env):
    """Settings from a mapping. Raises ValueError with one line for each mistake."""
    mistakes = []

    def number(name, default, bounds):
        text = env.get(name) or default
        low, high = bounds
        if text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high:
            return int(text)
        mistakes.append(f"{name} must be a whole number from {low} to {high}, not {text!r}")
        return low

    settings = Settings()
    settings.host = env.get("SLESS_HOST") or None
    settings.port = number("PORT", "8080", (0, 65535))
    settings.folder = os.path.abspath(env.get("SLESS_FUNCTION_DIR") or "/app/function")
    settings.entrypoint = env.get("SLESS_ENTRYPOINT") or "handler.handle"
    settings.timeout = number("SLESS_TIMEOUT_SECONDS", "60", (1, 86400))
    settings.concurrency = number("SLESS_CONCURRENCY", "100", (1, 1000))
    settings.grace = number("SLESS_GRACE_SECONDS", "25", (0, 3600))
    settings.max_body = number("SLESS_MAX_BODY_BYTES", str(128 * 1024 * 1024), (0, 2**31))
    settings.function = env.get("SLESS_FUNCTION") or ""
    settings.namespace = env.get("SLESS_NAMESPACE") or ""
    settings.event_file = env.get("SLESS_EVENT_FILE") or None
    settings.log_file = env.get("SLESS_LOG_FILE") or None
    settings.result_file = env.get("SLESS_RESULT_FILE") or "/dev/termination-log"
    if not os.path.isdir(settings.folder):
        mistakes.append(f"SLESS_FUNCTION_DIR must be a folder, and {settings.folder} is not")
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return settings
