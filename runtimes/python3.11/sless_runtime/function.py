"""From a request to the function and back: event, context, time limit, answer."""

import time

from . import async_calls
from .answer import answer_of, answer_of_refusal
from .context import Context, message_of, new_request_id, timeout_of, trace_of, trigger_of
from .event import event_of
from .forms import parse_fields
from .loader import wanted_arguments
from .log import say, say_exception
from .refusal import CallerGone, Refusal, failed


class Function:
    """The loaded function, with what of the settings concerns its calls."""

    def __init__(self, handler, settings):
        self.settings = settings
        self._handler = handler
        self._arguments = wanted_arguments(handler)
        if async_calls.is_asynchronous(handler):
            async_calls.prepare()

    def prepare(self, head, body):
        """(event, context) of a request. Raises Refusal."""
        headers = head.headers
        context = Context()
        context.method = head.method
        context.path = head.path
        context.query = parse_fields(head.query) if head.query else {}
        context.headers = headers
        context.body = body
        context.request_id = headers.get("x-request-id") or new_request_id()
        context.trace_id = trace_of(headers)
        context.function = self.settings.function
        context.namespace = self.settings.namespace
        context.trigger = trigger_of(headers)
        context.trigger_name = headers.get("x-sless-trigger-name")
        context.message = message_of(headers)
        context.deadline = int((time.time() + timeout_of(headers, self.settings.timeout)) * 1000)
        return event_of(head, context.query, body), context

    def run(self, event, context, call):
        """The Answer to a call; an exception is logged and becomes one. None when nobody waits for it any more."""
        async_calls.belongs_to(call)
        try:
            return answer_of(self.call(event, context))
        except CallerGone:
            return None
        except Refusal as refusal:
            say(f"request {context.request_id}: {refusal}")
            return answer_of_refusal(refusal)
        except BaseException as error:
            say_exception(f"request {context.request_id} failed", error)
            return answer_of_refusal(failed(context.request_id, self.settings.log_file))

    def call(self, event, context):
        """What the function returns, awaited where it must be."""
        if self._arguments == 2:
            result = self._handler(event, context)
        elif self._arguments == 1:
            result = self._handler(event)
        else:
            result = self._handler()
        if hasattr(result, "__await__"):
            return async_calls.run(result)
        return result
