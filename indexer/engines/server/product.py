"""What the two products have in common for us: requests, bulk, a state to read from."""

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, Final, Literal

import orjson

from leitong.indexer.engines.server import failures
from leitong.indexer.engines.server.locator import Locator
from leitong.indexer.errors import LeitongError
from leitong.mappings.templates import Product

TIMEOUT: Final = 120.0
"""Seconds a request may take."""
_ALIVE: Final = 20.0
"""Seconds in which a server that took too long has to say who it is; then for every request, until one is answered."""
RETRIES: Final = 5
"""Times a request is sent again after a lost connection, or a server that says it cannot now."""
BULK_RETRIES: Final = 7
"""Times what a busy server refused of a request is sent again, after 1, 2, 4 … 30 seconds."""
_BLOCK_RETRIES: Final = 4
"""The same of what a block refused: a full disk is not emptied by waiting."""
_LONGEST_WAIT: Final = 30
_TOLD: Final = {"filter_path": "items.*.status,items.*.result,items.*.error"}
"""What a server answers of each action of a bulk request: a quarter of all that it says."""
_BUSY: Final = (429, 503)
_NO_INDEX: Final = "index_not_found_exception"
WAITS: Final = (1.0, 2.0, 4.0, 8.0)
"""Seconds after which a request is made anew while nobody answers it, or it is turned away: a cluster that lost a node
chooses anew, a busy one has less to do."""
KEEP: Final = "30m"
"""How long a server keeps a state for us after the last request."""


@dataclass(frozen=True, slots=True)
class Action:
    """One document on its way.

    Args:
        id: its id.
        kind: what is done.
        source: its JSON in UTF-8; for an update what is merged into it; None to delete it.
        guard: what else stands in the action's line: routing, and the sequence number the document must still have.
        about: whatever the sender wants to know it by.
    """

    id: str
    kind: Literal["index", "update", "delete"]
    source: bytes | None = None
    guard: Mapping[str, Any] = field(default_factory=dict[str, Any])
    about: object = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an action; `kind` and `reason` are empty where it went well.

    `uuid` is that of the index it was refused by, where the server says so.
    """

    id: str
    status: int
    result: str
    kind: str = ""
    reason: str = ""
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What a client's error tells: the status and body of an answer, or why there was none."""

    status: int | None
    body: Any = None
    reason: str = ""


class Server(ABC):
    """A connection to one cluster, through its product's own client.

    The clients of both products have grown from one: what differs is how they are made, and what their errors hold.
    """

    product: ClassVar[Product]
    title: ClassVar[str]
    _client: Any
    _errors: Any

    def __init__(self, locator: Locator, version: str) -> None:
        self.locator = locator
        self.version = version
        self._patient = True

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | bytes | None = None,
        params: Mapping[str, Any] | None = None,
        allow: Collection[int] = (),
    ) -> Any:
        """The answer's JSON; of an error as well where its status is allowed. Raises EngineError or UsageError.

        The body is what becomes JSON, or lines of JSON. Where nobody answers, or all is too busy, it is made anew after
        a while; when that was in vain, further ones fail at once until one is answered well. One that took too long is
        made anew while the server answers others.
        """
        waits = iter(WAITS if self._patient else ())
        timeouts = 0
        while True:
            try:
                answer = self._perform(method, path, body, params, timeout=None if self._patient else _ALIVE)
            except self._failures() as error:
                failure = self._failure(error)
                if failure.status in allow:
                    return failure.body
                if isinstance(error, self._errors.ConnectionTimeout):
                    timeouts += 1
                    if self._goes_on(timeouts):
                        continue
                    self._patient = False
                meaning = self._meaning(error, failure)
                if not isinstance(meaning, failures.NobodyError | failures.BusyError):
                    raise meaning from None
                wait = next(waits, None)
                if wait is None:
                    self._patient = False
                    raise meaning from None
                time.sleep(wait)
            else:
                self._patient = True
                return answer

    def bulk(self, actions: Sequence[Action], *, index: str) -> Iterator[Outcome]:
        """Send actions in one request; what a busy server refuses of it is sent again. In any order.

        The clients' own helpers encode each document twice: more work than the rest of sending it.
        """
        waiting = actions
        for attempt in count():
            again: list[Action] = []
            items = self.request("POST", f"/{index}/_bulk", body=_lines(waiting), params=_TOLD)["items"]
            for action, item in zip(waiting, items, strict=True):
                result = _outcome(action, item)
                retries = _BLOCK_RETRIES if result.kind == "cluster_block_exception" else BULK_RETRIES
                if result.status in _BUSY and attempt < retries:
                    again.append(action)
                else:
                    yield result
            if not again:
                return
            waiting = again
            time.sleep(min(_LONGEST_WAIT, 2**attempt))

    @abstractmethod
    def open_point(self, index: str, *, shard: int | None = None) -> str:
        """Keep the present state of an index, or of one of its shards, for reading; returns its name."""

    @abstractmethod
    def close_point(self, point: str) -> None:
        """Give the state back."""

    def close(self) -> None:
        """Close the connections. What is asked all the same, as to give back a state after Ctrl-C, does not wait."""
        self._patient = False
        self._client.close()

    def refusal(self, status: int, body: Any) -> LeitongError:
        """The error for an answer."""
        kind, reason = described(body)
        return failures.refusal(str(self.locator), status, kind, reason, product=self.product)

    @abstractmethod
    def _perform(
        self, method: str, path: str, body: Any, params: Mapping[str, Any] | None, *, timeout: float | None
    ) -> Any:
        """The answer's JSON; the client's own errors. Without a timeout it is `TIMEOUT`."""

    @abstractmethod
    def _failures(self) -> tuple[type[Exception], ...]:
        """What the client raises where a request was not answered well."""

    @abstractmethod
    def _failure(self, error: Any) -> Failure:
        """What such an error tells."""

    def _goes_on(self, timeouts: int) -> bool:
        """Whether a request is made again after so many that took too long: a server that is busy says who it is.

        Where there are several hosts the client has asked them all by then.
        """
        if timeouts > RETRIES or not self._patient or len(self.locator.hosts) > 1:
            return False
        try:
            self._perform("GET", "/", None, None, timeout=_ALIVE)
        except self._failures() as error:
            return self._failure(error).status is not None
        return True

    def _meaning(self, error: Exception, failure: Failure) -> LeitongError:
        where = str(self.locator)
        if failure.status is not None:
            return self.refusal(failure.status, failure.body)
        if isinstance(error, self._errors.SSLError):
            return failures.untrusted(where, failure.reason, product=self.product)
        if isinstance(error, self._errors.ConnectionTimeout):
            return failures.timed_out(where)
        return failures.unreachable(where, failure.reason)


def patience(locator: Locator) -> dict[str, Any]:
    """How both clients send a request again: at once, to the next host; one that took too long only to another."""
    return {
        "max_retries": RETRIES,
        "retry_on_timeout": len(locator.hosts) > 1,
        "retry_on_status": (*_BUSY, 502, 504),
    }


def keep_alive(shard: int | None) -> dict[str, str]:
    """What a request for a point in time asks."""
    return {"keep_alive": KEEP} if shard is None else {"keep_alive": KEEP, "preference": f"_shards:{shard}"}


def _lines(actions: Sequence[Action]) -> bytes:
    """The body of a bulk request."""
    lines: list[bytes] = []
    for action in actions:
        lines.append(orjson.dumps({action.kind: {"_id": action.id, **action.guard}}))
        if action.source is not None:
            lines.append(action.source)
    return b"\n".join([*lines, b""])


def _outcome(action: Action, answer: Mapping[str, Mapping[str, Any]]) -> Outcome:
    """What a server tells of one action."""
    item = answer[action.kind]
    error = item.get("error")
    kind, reason = described(item) if error else ("", "")
    uuid = error.get("index_uuid") if isinstance(error, Mapping) and kind != _NO_INDEX else None
    return Outcome(action.id, int(item["status"]), str(item.get("result", "")), kind, reason, uuid)


def described(body: Any) -> tuple[str, str]:
    """Type and reason of an error as the server sent it, the root of it where it says so."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return "error", str(error)
    kind, reason = str(error.get("type", "error")), str(error.get("reason", ""))
    roots = error.get("root_cause")
    if kind == "search_phase_execution_exception" and isinstance(roots, list) and roots:
        kind, reason = f"{kind}, {roots[0].get('type', '')}", str(roots[0].get("reason", reason))
    if failures.CLOSED in kind and error.get("index"):
        reason = str(error["index"])  # all it says is "closed", of the index or of the one beside it
    cause = error.get("caused_by")
    if isinstance(cause, Mapping) and cause.get("reason"):
        reason = f"{reason}: {cause['reason']}"
    return kind, reason
