"""Sending many actions to an index in bulk, while the next ones are prepared.

One thread sends, so what is done to one id arrives in the order it was given. What has arrived cannot be taken back.

A server that is sent a document for an index that is gone makes the index anew, also where the action is guarded by a
sequence number; and in an index that was made anew a document may have the very number again. So what was read in one
index is sent only while that index is there.
"""

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from leitong.indexer.engines.server import header, limits
from leitong.indexer.engines.server.failures import CLOSED, BusyError, TooMuchError
from leitong.indexer.engines.server.product import Action, Outcome, Server
from leitong.indexer.errors import EngineError

_CHUNK_BYTES: Final = 8_000_000
_CHUNK_ACTIONS: Final = 1_000
_CHUNKS_AHEAD: Final = 2
_LARGE_BYTES: Final = 4_000_000
"""A document of this size that a server stays too busy for is too large for its memory."""
_ROOM: Final = 2_000
"""Bytes of a request beside the document's JSON."""
_NO_WRITES: Final = "index write (api)"
"""An index takes none while its last documents are copied to its successor; then the name leads there."""
_PATIENCE: Final = 60.0
_PAUSE: Final = 0.5
CONFLICT: Final = 409
MISSING: Final = 404


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action that was not done. With a guard the status may be CONFLICT or MISSING: the document has changed."""

    action: Action
    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Sent:
    """What became of a chunk."""

    refused: tuple[Refusal, ...]
    done: int
    deleted: int


class Sender:
    """Sends actions to one index. `done` and `deleted` count what went well, complete after `finish`."""

    def __init__(self, server: Server, index: str, *, uuid: str | None = None) -> None:
        """With the `uuid` of an index nothing is sent to another one of its name: it is refused as MISSING."""
        self._server = server
        self._index = index
        self.uuid = uuid
        self._limit: int | None = None
        self._chunk: dict[str, Action] = {}
        self._chunk_bytes = 0
        self._refused: list[Refusal] = []
        self._sending: deque[Future[_Sent]] = deque()
        self._thread: ThreadPoolExecutor | None = ThreadPoolExecutor(1, thread_name_prefix="leitong-bulk")
        self._blocked_since: float | None = None
        self._moving = False
        self.done = 0
        self.deleted = 0

    def put(self, action: Action) -> None:
        """Put an action into the queue; one that makes too large a request is refused at once."""
        self._open()
        size = len(action.source or b"") + len(action.id.encode()) + _ROOM
        if size > self._most_bytes():
            reason = f"the document makes a request of {size:,} bytes, and the server takes {self._most_bytes():,}"
            reason += "; raise http.max_content_length there, or split the document"
            self._refused.append(Refusal(action, 413, reason))
            return
        full = len(self._chunk) >= _CHUNK_ACTIONS or self._chunk_bytes + size > min(_CHUNK_BYTES, self._most_bytes())
        if self._chunk and (full or action.id in self._chunk):
            self._send()
        self._chunk[action.id] = action
        self._chunk_bytes += size

    def finish(self) -> None:
        """Everything that was put has arrived."""
        self._open()
        self._send()
        while self._sending:
            self._take()

    def refused(self) -> list[Refusal]:
        """What was not done, each told once; complete after `finish`."""
        told, self._refused = self._refused, []
        return told

    def close(self) -> None:
        """What was sent before stays: a server cannot take it back."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)
            self._thread = None
        self._chunk = {}
        self._sending.clear()

    def _open(self) -> ThreadPoolExecutor:
        if self._thread is None:
            raise EngineError(f"The writer of {self._server.locator} is closed. Open a new one.")
        return self._thread

    def _send(self) -> None:
        """Hand the chunk to the thread; waits while it is too far behind."""
        if self._chunk:
            while len(self._sending) >= _CHUNKS_AHEAD:
                self._take()
            self._sending.append(self._open().submit(self._sent, list(self._chunk.values())))
        self._chunk, self._chunk_bytes = {}, 0

    def _take(self) -> None:
        sent = self._sending.popleft().result()
        self.done += sent.done
        self.deleted += sent.deleted
        self._refused += sent.refused

    def _sent(self, actions: Sequence[Action]) -> _Sent:
        """Runs in the thread."""
        try:
            return self._bulk(actions)
        except TooMuchError as error:
            if len(actions) == 1:
                return _Sent((Refusal(actions[0], 413, str(error)),), 0, 0)
        except BusyError as error:
            if len(actions) > 1 or len(actions[0].source or b"") <= _LARGE_BYTES:
                raise
            reason = f"too large for the memory of the server: {error}"
            return _Sent((Refusal(actions[0], 413, reason),), 0, 0)
        one, other = self._sent(actions[: len(actions) // 2]), self._sent(actions[len(actions) // 2 :])
        return _Sent(one.refused + other.refused, one.done + other.done, one.deleted + other.deleted)

    def _bulk(self, actions: Sequence[Action]) -> _Sent:
        if self.uuid is not None and uuid_of(self._server, self._index) not in (None, self.uuid):
            reason = f"the index {self._index} is gone, or was made anew"
            return _Sent(tuple(Refusal(action, MISSING, reason) for action in actions), 0, 0)
        by_id = {action.id: action for action in actions}
        refused: list[Refusal] = []
        blocked: list[Action] = []
        patient: bool | None = None
        done = deleted = 0
        for result in self._server.bulk(actions, index=self._index):
            if _NO_WRITES in result.reason:
                patient = self._is_patient() if patient is None else patient
            if _NO_WRITES in result.reason and patient:
                action = by_id[result.id]
                if self._moving and "if_seq_no" in action.guard:  # the successor has numbers of its own
                    refused.append(Refusal(action, CONFLICT, "the index is being moved"))
                else:
                    blocked.append(action)
            elif result.kind:
                action = by_id[result.id]
                if self.uuid is not None and result.uuid not in (None, self.uuid):
                    raise self._late()
                refused.append(Refusal(action, result.status, self._reason(action, result)))
            else:
                done += 1
                deleted += result.result == "deleted"
        if not blocked:
            self._blocked_since = None
            return _Sent(tuple(refused), done, deleted)
        time.sleep(_PAUSE)
        rest = self._bulk(blocked)
        return _Sent(tuple(refused) + rest.refused, done + rest.done, deleted + rest.deleted)

    def _is_patient(self) -> bool:
        """Whether to send again to an index that takes no writes.

        One that is being moved soon will; one that is not is asked once more, for it may have been moved just now. Any
        other block is somebody's wish.
        """
        if self._blocked_since is None:
            self._blocked_since = time.monotonic()
        elif not self._moving:
            return False
        self._moving = self._is_moving()
        return time.monotonic() < self._blocked_since + _PATIENCE

    def _is_moving(self) -> bool:
        answer = self._server.request("GET", f"/{self._index}/_mapping", allow=(403, MISSING))
        return any(header.moving_to(one.get("mappings", {})) for one in answer.values() if isinstance(one, dict))

    def _reason(self, action: Action, result: Outcome) -> str:
        """Why the server will not have a document. Raises what is wrong with the server and not with the document."""
        of_document = result.status in (400, 413) and result.kind != CLOSED
        if of_document or (action.guard and result.status in (CONFLICT, MISSING)):
            return f"the server refuses it ({result.kind}: {result.reason})"
        raise self._server.refusal(result.status, {"error": {"type": result.kind, "reason": result.reason}})

    def _late(self) -> EngineError:
        """It went in the moment between asking for it and sending."""
        return EngineError(
            f"The index {self._index} was deleted in the moment in which its documents were written, and there is "
            "another one of that name now: a server makes an index for whatever is sent to it. Look at "
            f"GET /{self._index}; where nobody else has made it, remove it with DELETE /{self._index}. Then run again."
        )

    def _most_bytes(self) -> int:
        """What the server takes in one request."""
        if self._limit is None:
            self._limit = limits.request_bytes(self._server)
        return self._limit


def uuid_of(server: Server, index: str) -> str | None:
    """What tells an index from another one of its name; "" where there is none, None for whoever may not know."""
    settings = f"/{index}/_settings/index.uuid"
    answer = server.request("GET", settings, params={"flat_settings": "true"}, allow=(403, MISSING))
    if "error" in answer:
        return "" if answer.get("status") == MISSING else None
    return next((str(one["settings"]["index.uuid"]) for one in answer.values()), "")
