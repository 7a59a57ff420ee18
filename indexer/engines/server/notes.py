"""What is learned from an index and kept beside it: bytes under a name, in the companion index `<index>-leitong`.

A note is cut into documents that a server takes easily. They are written under a new edition's name first and then
named by the note's own document, so a reader sees the old note or the new one, never half of each.
"""

import base64
import uuid
from collections.abc import Mapping
from typing import Any, Final

from leitong.indexer.engines.server.product import Server
from leitong.indexer.errors import EngineError
from leitong.mappings import companion

_PART_BYTES: Final = 3_000_000
_ATTEMPTS: Final = 5


class Notes:
    """The notes of one index."""

    def __init__(self, server: Server, companion: str) -> None:
        self._server = server
        self._index = companion
        self._known: dict[str, tuple[str, bytes]] = {}

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
            f"The note {name!r} beside {self._server.locator} is damaged: a part of it is missing. "
            f"Delete the index {self._index}, and run `leitong index` again on anything to have it learned anew."
        )

    def write(self, name: str, content: bytes) -> None:
        """Keep a note in place of the one of this name."""
        before = self._head(name)
        if before is None:  # a server would make the index by itself, without our fields
            self._make()
        edition = uuid.uuid4().hex
        pieces = [content[start : start + _PART_BYTES] for start in range(0, max(1, len(content)), _PART_BYTES)]
        for number, piece in enumerate(pieces):
            self._put(f"{name}.{edition}.{number}", {"data": base64.b64encode(piece).decode()}, name)
        self._put(name, {"name": name, "edition": edition, "parts": len(pieces)}, name)
        if before is not None:
            for number in range(int(before["parts"])):
                old = f"/{self._index}/_doc/{name}.{before['edition']}.{number}"
                self._server.request("DELETE", old, allow=(404,))

    def _make(self) -> None:
        body = companion().body({"beside": self._server.locator.index})
        answer = self._server.request("PUT", f"/{self._index}", body=body, allow=(400,))
        if "error" in answer and "already_exists" not in str(answer["error"]):
            raise self._server.refusal(400, answer)

    def _put(self, doc_id: str, content: Mapping[str, Any], name: str) -> None:
        self._server.request("PUT", f"/{self._index}/_doc/{doc_id}", body={"note": name, "content": content})

    def _head(self, name: str) -> Mapping[str, Any] | None:
        answer = self._server.request("GET", f"/{self._index}/_doc/{name}", allow=(404,))
        content = answer.get("_source", {}).get("content") if isinstance(answer, Mapping) else None
        return content if isinstance(content, Mapping) else None

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
