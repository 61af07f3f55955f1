"""Fuzzes what the Python runtime reads of strangers, led by coverage: an input that reaches a line by a new way is kept and changed further.

Usage: coverage_guided.py FOLDER-OF-THE-RUNTIME SECONDS [SEED]. Ends with 1 and the input where something is raised that is no refusal, where
a body is longer than it may be, or where one input takes longer than a second. No fuzzer of packages is needed: the standard library traces lines.
"""

import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from sless_runtime import event, forms, incoming, refusal  # noqa: E402

LIMIT = 4096
SLOW = 1.0
LONGEST = 2000

SEEDS = [
    b"\x00GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x03POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
    b"\x00POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: x\r\n\r\n",
    b"\x01--B\r\nContent-Disposition: form-data; name=\"a\"; filename=b\r\nContent-Type: t/x\r\n\r\nc\r\n--B--",
    b'\x02{"a":[1,-2.5e3,"\\u00e9",null,true]}',
    b"\x04a=1&b=%C3%A9+x&a=%zz",
]
WORDS = [
    *(b"\r\n", b"\r\n\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b";", b"=", b'"', b"\\", b"%", b"&", b",", b"--", b"--B"),
    *(b"Host: y\r\n", b"Content-Length: ", b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n", b"0\r\n\r\n", b"chunked"),
    *(b"HTTP/1.1", b"HTTP/1.0", b"99999999999999999999", b"-1", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"NaN", b"[" * 50, b"name=", b"*"),
]


class Pieces:
    """A socket that brings bytes in pieces of one size."""

    def __init__(self, data, size):
        self._data = data
        self._size = size

    def recv(self, most):
        size = min(most, self._size)
        piece, self._data = self._data[:size], self._data[size:]
        return piece

    def sendall(self, data):
        assert data == b"HTTP/1.1 100 Continue\r\n\r\n"


class Head:
    def __init__(self, content_type):
        self.headers = {} if content_type is None else {"content-type": content_type}


def read(data):
    """What a connection, or a body, makes of these bytes. The first one says which."""
    kind, rest = data[0] % 8, data[1:]
    if kind == 1:
        return event.event_of(Head("multipart/form-data; boundary=B"), {}, rest)
    if kind == 2:
        return event.event_of(Head(None), {}, rest)
    if kind == 4:
        return event.event_of(Head("application/x-www-form-urlencoded"), forms.parse_fields(rest.decode("latin-1")), rest)
    if kind == 5:
        name, _, body = rest.partition(b"\n")
        return event.event_of(Head(name.decode("latin-1")), {}, body)
    connection = incoming.Incoming(Pieces(rest, (1, 7, 64, 4096)[data[0] % 4]))
    while head := connection.read_head(lambda: None):
        assert len(connection.read_body(head, LIMIT)) <= LIMIT
    return None


def traced(data):
    """The ways between lines of the runtime that an input takes."""
    ways = set()

    def trace(frame, what, _):
        if "sless_runtime" not in frame.f_code.co_filename:
            return None
        name, last = frame.f_code.co_name, 0

        def line(at, what, _):
            nonlocal last
            ways.add((name, last, at.f_lineno))
            last = at.f_lineno
            return line

        return line

    sys.settrace(trace)
    try:
        read(data)
    except (refusal.Refusal, refusal.CallerGone):
        pass
    finally:
        sys.settrace(None)
    return ways


def changed(chance, corpus):
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        way = chance.randrange(5)
        if way == 0:
            data[at:at] = chance.choice(WORDS)
        elif way == 1:
            del data[at : at + chance.randint(1, 8)]
        elif way == 2 and at < len(data):
            data[at] = chance.randrange(256)
        elif way == 3:
            other = chance.choice(corpus)
            data[at:] = other[chance.randint(0, len(other)) :]
        else:
            data[at:at] = data[at : at + chance.randint(1, 40)] * chance.randint(1, 4)
    return bytes(data[:LONGEST]) or b"\0"


def main(seconds, seed):
    chance = random.Random(seed)
    corpus, known, runs = list(SEEDS), set(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = SEEDS[runs] if runs < len(SEEDS) else changed(chance, corpus)
        began = time.process_time()
        try:
            ways = traced(data)
        except Exception as error:  # whatever is no refusal is a finding
            sys.exit(f"seed {seed}: {error!r} of {data!r}")
        if time.process_time() - began > SLOW:
            sys.exit(f"seed {seed}: {time.process_time() - began} s for {data!r}")
        runs += 1
        if not ways <= known:
            known |= ways
            corpus.append(data)
    print(f"{runs} inputs, {len(known)} ways, {len(corpus)} kept, seed {seed}")


main(float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32))
