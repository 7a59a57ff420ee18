"""What does Prometheus want to know?"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)


class Metrics:
    """Counts of one running page."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._answers = Counter(
            "leitong_http_requests", "Requests answered.", ("route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "leitong_http_request_seconds",
            "Seconds until an answer was complete.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._waiting = Gauge("leitong_requests_in_work", "Requests waiting or worked on.", registry=self._registry)
        self._documents = Gauge("leitong_documents", "Documents of the index.", registry=self._registry)
        self._up = Gauge("leitong_up", "Whether the index answers.", registry=self._registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is the pattern of its address, never what somebody typed."""
        self._answers.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, *, waiting: int, documents: int | None) -> bytes:
        """Everything, in Prometheus's text format; `documents` is None where the index does not answer."""
        self._waiting.set(waiting)
        self._up.set(documents is not None)
        if documents is not None:
            self._documents.set(documents)
        return generate_latest(self._registry)
