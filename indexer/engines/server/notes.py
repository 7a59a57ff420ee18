"""What is learned from an index and kept beside it: bytes under a name, in the companion index `<index>-leitong`.

A note is cut into documents that a server takes easily. They are written under a new edition's name first and then
named by the note's own document, so a reader sees the old note or the new one, never half of each.
"""

import base64
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from leitong.indexer.engines.server.failures import AwayError, NobodyError
from leitong.indexer.engines.server.product import WAITS, Server
from leitong.indexer.errors import EngineError
from leitong.mappings import companion

_PART_BYTES: Final = 3_000_000
_ATTEMPTS: Final = 5
_CHANGES: Final = 50


class Notes:
    """The notes of one index."""

    def __init__(self, server: Server, companion: str) -> None:
        self._server = server
        self._index = companion
        self._known: dict[str, tuple[str, bytes]] = {}
        self._patient = True

    def create(self) -> None:
        """Make the companion anew; one that is left from an index of the same name goes."""
        self.delete()
        self._make()

    def delete(self) -> None:
        """Remove the companion. Raises EngineError where an index of its name is not ours."""
        found = self._server.request("GET", f"/{self._index}/_mapping", allow=(404,))
        mapping = found.get(self._index, {}).get("mappings") if isinstance(found, Mapping) else None
        if mapping is None:
            return
        if "leitong" not in mapping.get("_meta", {}):
            raise EngineError(
                f"There is an index {self._index} that is not ours, and that name is needed beside "
                f"{self._server.locator}. Choose another name."
            )
        self._server.request("DELETE", f"/{self._index}", allow=(404,))

    def read(self, name: str) -> bytes | None:
        """A note; None where there is none."""
        for _ in range(_ATTEMPTS):
            head = self._head(name)
            if head is None:
                return None
            edition, content = self._known.get(name, ("", b""))
            if edition == head["edition"]:
                return content
            parts = self._parts(head)
            if parts is not None:
                self._known[name] = (str(head["edition"]), parts)
                return parts
        raise EngineError(
            f"The note {name!r} beside {self._server.locator} is damaged: a part of it is missing. Restore the index "
            f"{self._index} from a snapshot, or give the note up: DELETE /{self._index}/_doc/{name}; what was learned "
            "is then learned anew."
        )

    def write(self, name: str, content: bytes) -> None:
        """Keep a note in place of the one of this name."""
        self._keep(name, lambda: content)

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Keep what `change` makes of a note; it is asked again where somebody else has changed the note meanwhile."""
        self._keep(name, lambda: change(self.read(name)))

    def _keep(self, name: str, content: Callable[[], bytes]) -> None:
        for _ in range(_CHANGES):
            place = self._place(name)
            if self._put_in_place(place, name, content()):
                return
        raise EngineError(
            f"The note {name!r} beside {self._server.locator} is changed by others all the time. Try again later."
        )

    def _put_in_place(self, before: Mapping[str, Any], name: str, content: bytes) -> bool:
        """Write a note, unless another one stands there by now than `before`."""
        there = bool(before.get("found"))
        if "found" not in before:  # there is no index: a server would make it by itself, without our fields
            self._make()
        edition = uuid.uuid4().hex
        pieces = [content[start : start + _PART_BYTES] for start in range(0, max(1, len(content)), _PART_BYTES)]
        for number, piece in enumerate(pieces):
            self._put(f"{name}.{edition}.{number}", {"data": base64.b64encode(piece).decode()}, name)
        head = {"name": name, "edition": edition, "parts": len(pieces)}
        guard = (
            {"if_seq_no": before["_seq_no"], "if_primary_term": before["_primary_term"]}
            if there
            else {"op_type": "create"}
        )
        answer = self._put(name, head, name, guard=guard)
        done = "error" not in answer
        unused: Mapping[str, Any] | None = head
        if done:
            unused = before["_source"]["content"] if there else None
        if unused is not None:
            for number in range(int(unused["parts"])):
                self._server.request("DELETE", f"/{self._index}/_doc/{name}.{unused['edition']}.{number}", allow=(404,))
        return done

    def _make(self) -> None:
        """Returns when every copy of it is there, or after a while: what is kept first must not go with a node."""
        body = companion().body({"beside": self._server.locator.index})
        params = {"wait_for_active_shards": "all"}
        answer = self._server.request("PUT", f"/{self._index}", body=body, params=params, allow=(400,))
        if "error" in answer and "already_exists" not in str(answer["error"]):
            raise self._server.refusal(400, answer)

    def _put(
        self, doc_id: str, content: Mapping[str, Any], name: str, *, guard: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """The server's answer, which holds an error where the guard does not hold."""
        path, body = f"/{self._index}/_doc/{doc_id}", {"note": name, "content": content}
        answer: Mapping[str, Any] = self._server.request("PUT", path, body=body, params=guard, allow=(409,))
        return answer

    def _head(self, name: str) -> Mapping[str, Any] | None:
        content = self._place(name).get("_source", {}).get("content")
        return content if isinstance(content, Mapping) else None

    def _place(self, name: str) -> Mapping[str, Any]:
        """The document that names a note's edition, as the server gives it.

        A companion that was just made, or whose node has just started, is waited for; once in vain, then no more.
        """
        waits = iter(WAITS if self._patient else ())
        while True:
            try:
                answer = self._server.request("GET", f"/{self._index}/_doc/{name}", allow=(404,))
            except AwayError as error:
                wait = None if isinstance(error, NobodyError) else next(waits, None)
                self._patient = wait is not None
                if wait is None:
                    raise
                time.sleep(wait)
            else:
                self._patient = True
                return answer if isinstance(answer, Mapping) else {}

    def _parts(self, head: Mapping[str, Any]) -> bytes | None:
        """The note a head names; None where another edition took its place meanwhile."""
        out: list[bytes] = []
        for number in range(int(head["parts"])):
            path = f"/{self._index}/_doc/{head['name']}.{head['edition']}.{number}"
            answer = self._server.request("GET", path, allow=(404,))
            if not answer.get("found"):
                return None
            out.append(base64.b64decode(answer["_source"]["content"]["data"]))
        return b"".join(out)
