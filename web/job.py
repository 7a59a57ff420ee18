"""Is every document being compared with every other, and how far is it? One such process at a time."""

import asyncio
import contextlib
import logging
import os
import sys
import time
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson

_LOG: Final = logging.getLogger("leitong.web")
_SHOWN_EVERY: Final = 0.2
_NICE: Final = 10


@dataclass(frozen=True)
class Progress:
    """`idle`, `running` with a step and how much of it is done, or `failed`; `kept` is False for a finished report that
    could not be kept."""

    state: Literal["idle", "running", "failed"] = "idle"
    step: str = ""
    done: int = 0
    total: int = 0
    kept: bool = True


class Job:
    """Starts `leitong.web.compute` and listens to it."""

    def __init__(self, locator: str) -> None:
        self._locator = locator
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self.progress = Progress()

    def start(self) -> None:
        """Start, unless it is running."""
        if self.progress.state == "running":
            return
        self.progress = Progress("running", "start")
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End it."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=5)

    async def _run(self) -> None:
        command = [sys.executable, "-m", "leitong.web.compute", self._locator]
        last: dict[str, Any] = {}
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command, stdout=asyncio.subprocess.PIPE, preexec_fn=lambda: os.nice(_NICE)
            )
            assert self._process.stdout is not None
            shown = 0.0
            async for line in self._process.stdout:
                last = orjson.loads(line)
                if "step" in last and time.monotonic() - shown > _SHOWN_EVERY:
                    shown = time.monotonic()
                    self.progress = Progress("running", last["step"], last["done"], last["total"])
            code = await self._process.wait()
        except (OSError, ValueError) as error:
            last, code = {"error": str(error)}, 1
        if code or "kept" not in last:
            _LOG.error("Comparing all documents failed: %s", last.get("error", f"the process ended with {code}"))
            self.progress = Progress("failed")
        else:
            self.progress = Progress(kept=last["kept"])
