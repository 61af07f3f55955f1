"""One run of the function: its place among those that may run at once, and who may answer it."""


class Call:
    """`request_id` is for the log. `deadline` is in seconds of time.monotonic. `cancel` ends what is awaited, where there is such a thing.

    `given_up` turns true when nobody waits for the result any more.
    """

    __slots__ = ("request_id", "deadline", "cancel", "given_up", "_unanswered")

    def __init__(self, request_id, deadline):
        self.request_id = request_id
        self.deadline = deadline
        self.cancel = None
        self.given_up = False
        self._unanswered = [None]

    def claim(self):
        """True for the first who asks: the call's own thread with its answer, or the time limit."""
        try:
            self._unanswered.pop()
        except IndexError:
            return False
        return True

    def give_up(self):
        self.given_up = True
        cancel = self.cancel
        if cancel is not None:
            cancel()


class Slots:
    """How many calls may run at once. A thread cannot be ended from outside: a call holds its slot until it returns."""

    def __init__(self, count):
        self.count = count
        self._free = [None] * count
        self._overdue = set()

    def take(self):
        """Whether there was a free one. (Lists take and give in one step: no lock.)"""
        try:
            self._free.pop()
        except IndexError:
            return False
        return True

    def give_back(self, call):
        self._overdue.discard(call)
        self._free.append(None)

    def mark_overdue(self, call):
        self._overdue.add(call)

    def are_stuck(self):
        """Whether every slot is held by a call past its limit: nothing can be served."""
        return len(self._overdue) >= self.count
