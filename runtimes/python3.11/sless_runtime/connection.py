"""One connection in a thread of its own: request after request, until either side ends it."""

import socket
import time

from .answer import Answer, answer_of_refusal
from .call import Call
from .incoming import Incoming
from .log import say, say_exception
from .outgoing import Framing, send, send_chunks
from .refusal import CallerGone, Refusal, busy, timed_out

# What the connection waits for; its `deadline` (time.monotonic) is the latest end of that.
IDLE, RECEIVING, CALLING, SENDING, CLOSING = range(5)

# Longer than the proxy and load balancers keep theirs, so that it is never us who close under a new request.
IDLE_SECONDS = 75
HEAD_SECONDS = 15
REQUEST_SECONDS = 300
# How long an answer that ends the connection may travel before the rest of the request is cut off.
CLOSING_SECONDS = 2
HEALTH = "/_sless/health"


class Connection:
    """Owns the socket. `expire` and `drain` are called from the main thread, all else runs in the connection's own."""

    def __init__(self, sock, server):
        self.phase = IDLE
        self.deadline = 0
        self.call = None
        self._socket = sock
        self._server = server
        self._function = server.function
        self._incoming = Incoming(sock)
        self._expired = False
        # Whether the main thread has answered and closes the socket.
        self._handed_over = False

    def run(self):
        try:
            while self._exchange():
                pass
        except (CallerGone, OSError):
            pass
        except BaseException as error:
            say_exception("a fault of the runtime itself", error)
        finally:
            if not self._handed_over:
                self._socket.close()
            self._server.forget(self)

    def _exchange(self):
        """One request and its answer. False when the connection is to be closed."""
        server = self._server
        self.wait(IDLE, IDLE_SECONDS)
        if server.closing:
            self._stop_receiving()
        head = None
        try:
            head = self._incoming.read_head(self._on_start)
            if head is None:
                return False
            if head.length or head.chunked:
                self.wait(RECEIVING, REQUEST_SECONDS)
            self._refuse_upgrade(head)
            body = self._incoming.read_body(head, self._function.settings.max_body)
        except CallerGone:
            if not self._expired:
                raise
            return self._end(head, Refusal(408, "RequestTimeout", "The request took too long to arrive."))
        except Refusal as refusal:
            return self._end(head, refusal)
        if head.path.startswith("/_sless/"):
            return self._send(head, self._platform_answer(head))
        return self._serve(head, body)

    def _serve(self, head, body):
        slots = self._server.slots
        if not slots.take():
            return self._send(head, answer_of_refusal(busy(slots.count)))
        call = None
        try:
            event, context = self._function.prepare(head, body)
            left = context.deadline / 1000 - time.time()
            if left <= 0:
                raise timed_out(self._function.settings.timeout)
            call = self.call = Call(context.request_id, time.monotonic() + left)
            self.wait(CALLING, left)
            answer = self._function.run(event, context, call)
            if not call.claim():
                self._handed_over = True
                if answer is not None and answer.chunks is not None:
                    answer.chunks.close()
                say(f"request {context.request_id} has ended, after its time limit")
                return False
            if answer.chunks is not None:
                return self._stream(head, answer, context)
        except Refusal as refusal:
            answer = answer_of_refusal(refusal)
        finally:
            self.call = None
            slots.give_back(call)
        return self._send(head, answer)

    def _stream(self, head, answer, context):
        """A stream may live on; its limit is the longest silence."""
        keep = head.keep_alive and not self._server.draining and not head.old
        framing = Framing(head, keep, self._on_stream_progress)
        self._on_stream_progress()
        try:
            send_chunks(self._socket, answer, framing)
        except CallerGone:
            keep = False
        except BaseException as error:
            say_exception(f"request {context.request_id} failed while streaming", error)
            keep = False
        try:
            answer.chunks.close()
        except BaseException as error:
            say_exception(f"request {context.request_id} failed while closing its stream", error)
        return keep

    def _send(self, head, answer):
        keep = head is not None and head.keep_alive and not self._server.draining
        self._on_send_progress()
        send(self._socket, answer, Framing(head, keep, self._on_send_progress))
        return keep

    def _end(self, head, refusal):
        """Answers a request that has not been read whole. The connection cannot be used again."""
        self._on_send_progress()
        send(self._socket, answer_of_refusal(refusal), Framing(head, False, self._on_send_progress))
        self._socket.shutdown(socket.SHUT_WR)
        self.wait(CLOSING, CLOSING_SECONDS)
        self._incoming.discard(until=self.deadline)
        return False

    def _refuse_upgrade(self, head):
        if head.headers.get("upgrade", "").lower().startswith("websocket"):
            message = "This runtime answers requests; it does not speak WebSocket."
            raise Refusal(426, "UpgradeRequired", message, ((b"Upgrade", b"HTTP/1.1"),))

    def _platform_answer(self, head):
        if head.path != HEALTH:
            return answer_of_refusal(Refusal(404, "NotFound", "There is nothing of the platform's at this path."))
        trouble = self._server.trouble()
        if trouble is not None:
            return answer_of_refusal(Refusal(503, "Unavailable", trouble))
        return Answer(200, b"application/json", b'{"status":"ok"}')

    def wait(self, phase, seconds):
        self.phase = phase
        self.deadline = deadline = time.monotonic() + seconds
        self._server.look_at(deadline)

    def _on_start(self):
        self.wait(RECEIVING, HEAD_SECONDS)

    def _on_send_progress(self):
        self.wait(SENDING, IDLE_SECONDS)

    def _on_stream_progress(self):
        self.wait(SENDING, self._function.settings.timeout)

    def _stop_receiving(self):
        """The thread reads what has arrived by now, then the end."""
        try:
            self._socket.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def is_idle(self):
        return self.phase == IDLE

    def drain(self):
        if self.phase == IDLE:
            self._stop_receiving()

    def expire(self):
        """Its time is up. In its own thread only a call cannot be interrupted: that is answered from here."""
        if self.phase == CALLING:
            self._expire_call()
        elif self.phase == SENDING:
            self._cut()
        else:
            self._expired = self.phase == RECEIVING
            self._stop_receiving()

    def _expire_call(self):
        call = self.call
        if call is None or call.deadline > time.monotonic() or not call.claim():
            return
        self._server.slots.mark_overdue(call)
        say(f"request {call.request_id} is past its time limit")
        try:
            self._socket.settimeout(0)
            refusal = timed_out(self._function.settings.timeout)
            send(self._socket, answer_of_refusal(refusal), Framing(None, False, lambda: None))
        except CallerGone:
            pass
        self._cut()
        self._socket.close()
        self._server.forget(self)

    def _cut(self):
        call = self.call
        if call is not None:
            call.give_up()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
