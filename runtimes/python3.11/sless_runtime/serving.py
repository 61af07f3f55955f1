"""The main thread: accepts connections, watches their time limits, ends the process when told to."""

import math
import os
import select
import signal
import socket
import threading
import time

from .call import Slots
from .connection import Connection
from .log import say

# Each connection is a thread. Beyond this many, idle ones are closed, or the new one where none idles.
MAX_CONNECTIONS = 2048
# So long after a signal is still served what arrives: whoever has just connected or sent could not know of the end, and a
# connection that is closed under a request leaves its caller without knowing whether that was begun.
LINGER_SECONDS = 0.25


def serve(function):
    """Serves the function until it is told to end. Returns the exit status."""
    settings = function.settings
    try:
        server = Server(function)
    except OSError as error:
        say(f"cannot listen on port {settings.port}: {error}")
        return 1
    say(f"{settings.entrypoint} is ready on port {server.port}")
    return server.run()


class Server:
    """The listening socket and the connections that came from it."""

    def __init__(self, function):
        settings = function.settings
        self.function = function
        self.slots = Slots(settings.concurrency)
        # Ending: answers close their connections. Closing: requests that have not arrived by now are not waited for.
        self.draining = False
        self.closing = False
        self._connections = set()
        self._next_look = math.inf
        self._wake_reading, self._wake_writing = os.pipe()
        os.set_blocking(self._wake_reading, False)
        os.set_blocking(self._wake_writing, False)
        self._listener = _listen(settings.host, settings.port)
        self.port = self._listener.getsockname()[1]
        self._given_up_at = math.inf
        self._linger_until = math.inf

    def run(self):
        """Serves until SIGTERM or SIGINT and what then still runs has ended. Returns the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._begin_drain())
        signal.set_wakeup_fd(self._wake_writing, warn_on_full_buffer=False)
        poller = select.poll()
        poller.register(self._listener, select.POLLIN)
        poller.register(self._wake_reading, select.POLLIN)
        while not self.draining:
            self._turn(poller)
        self._given_up_at = time.monotonic() + self.function.settings.grace
        self._linger_until = time.monotonic() + LINGER_SECONDS
        while time.monotonic() < self._linger_until:
            self._turn(poller)
        self._linger_until = math.inf
        poller.unregister(self._listener)
        self._drain()
        while self._connections and time.monotonic() < self._given_up_at:
            self._turn(poller)
        if self._connections:
            say(f"{len(self._connections)} connections cut off after {self.function.settings.grace} s")
            return 1
        return 0

    def _turn(self, poller):
        """Waits for a connection, a signal, a deadline; deals with what came."""
        until = min(self._next_look, self._given_up_at, self._linger_until)
        wait = None if until == math.inf else max(0, math.ceil((until - time.monotonic()) * 1000))
        for descriptor, _ in poller.poll(wait):
            if descriptor == self._wake_reading:
                _empty(descriptor)
            else:
                self._accept()
        self._expire()

    def _accept(self):
        """One waiting connection. False when there is none."""
        try:
            sock, _ = self._listener.accept()
        except BlockingIOError:
            return False
        except OSError as error:
            # Out of descriptors, most likely: the pause keeps this from being a busy loop.
            say(f"cannot accept a connection: {error}")
            time.sleep(0.05)
            return False
        sock.setblocking(True)
        if not self._has_room():
            sock.close()
            return True
        connection = Connection(sock, self)
        self._connections.add(connection)
        try:
            threading.Thread(target=connection.run, name="sless-connection", daemon=True).start()
        except RuntimeError as error:
            say(f"cannot serve a connection: {error}")
            self._connections.discard(connection)
            sock.close()
        return True

    def _has_room(self):
        """Whether one more connection may be served; where they are too many, those that idle longest are closed."""
        if len(self._connections) < MAX_CONNECTIONS:
            return True
        idle = [connection for connection in list(self._connections) if connection.is_idle()]
        for connection in sorted(idle, key=lambda item: item.deadline)[: MAX_CONNECTIONS // 10]:
            connection.drain()
        return len(idle) > 0 and len(self._connections) < 2 * MAX_CONNECTIONS

    def _expire(self):
        # A deadline set while this runs finds infinity here and wakes the next turn at once.
        self._next_look = math.inf
        now = time.monotonic()
        upcoming = math.inf
        for connection in list(self._connections):
            if connection.deadline <= now:
                connection.expire()
            else:
                upcoming = min(upcoming, connection.deadline)
        self._next_look = min(self._next_look, upcoming)

    def look_at(self, deadline):
        """Tells the main thread of a deadline, where that is sooner than it would look by itself."""
        if deadline < self._next_look:
            self._wake()

    def forget(self, connection):
        self._connections.discard(connection)
        if self.draining:
            self._wake()

    def trouble(self):
        """Why nothing should be sent here now, or None."""
        if self.draining:
            return "The function is ending."
        if self.slots.are_stuck():
            return "Every call that may run at once has passed its time limit and does not end."
        return None

    def _begin_drain(self):
        if self.draining:
            os._exit(1)
        self.draining = True

    def _drain(self):
        """No new connections but those already waiting, no new requests on idle ones."""
        self.closing = True
        while self._accept():
            pass
        self._listener.close()
        for connection in list(self._connections):
            connection.drain()

    def _wake(self):
        try:
            os.write(self._wake_writing, b"\0")
        except BlockingIOError:
            pass


def _listen(host, port):
    if host is None and socket.has_dualstack_ipv6():
        listener = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
    else:
        family = socket.AF_INET6 if host and ":" in host else socket.AF_INET
        listener = socket.create_server((host or "", port), family=family, backlog=1024)
    # Inherited by accepted sockets: an answer never waits for the acknowledgement of what went before it.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.setblocking(False)
    return listener


def _empty(descriptor):
    try:
        while len(os.read(descriptor, 4096)) == 4096:
            pass
    except BlockingIOError:
        pass
