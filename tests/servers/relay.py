"""Who stands between us and a server, and may let nothing through, or turn people away as a gateway does."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class Relay:
    """Stands before a server: lets everything through, nothing through, or nobody in; or answers for it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 9200)
        self._open = threading.Event()
        self._open.set()
        self._answer = b""
        self._sockets: list[socket.socket] = []
        self.port = 0
        self.start()

    def start(self) -> None:
        """Let people in."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self) -> None:
        """Close everything."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._sockets:
            with contextlib.suppress(OSError):  # its other end has gone before
                one.shutdown(socket.SHUT_RDWR)  # a thread that reads from it would keep it open
            one.close()
        self._sockets.clear()

    def pause(self) -> None:
        """Nothing gets through, and nobody is told."""
        self._open.clear()

    def resume(self) -> None:
        """Everything that waited gets through."""
        self._open.set()

    def turn_away(self, status: int) -> None:
        """Answer every request with this status; 0 lets them through again."""
        self._answer = b"HTTP/1.1 %d \r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % status if status else b""

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                here, _ = listener.accept()
                there = socket.create_connection(self._target)
            except OSError:
                return
            self._sockets += [here, there]
            for source, target in ((here, there), (there, here)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self._open.wait()
                if self._answer:
                    source.sendall(self._answer)
                    source.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(data)
        except OSError:
            pass
        finally:
            target.close()
