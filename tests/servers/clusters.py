"""Clusters of several nodes on one machine, whose nodes can be killed and come back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from tests.servers.builds import distribution
from tests.servers.model import Product, ServerSpec, Stopped
from tests.servers.node import free_port, make_node
from tests.servers.probe import Door, healthy, wait_until
from tests.servers.process import NodeProcess, wait_for_health


@dataclass(frozen=True)
class RunningCluster(Stopped):
    """A real cluster; nodes are named by their number, from 0."""

    product: Product
    version: str
    #: One URL for each node, alive or not, in the order of their numbers.
    urls: tuple[str, ...]
    _processes: tuple[NodeProcess, ...] = field(repr=False, compare=False)

    @property
    def url(self) -> str:
        """The URL of the first node that is alive."""
        for url, process in zip(self.urls, self._processes, strict=True):
            if process.alive:
                return url
        raise RuntimeError("no node of the cluster is alive")

    @property
    def alive(self) -> tuple[int, ...]:
        """The numbers of the nodes that are alive."""
        return tuple(number for number, process in enumerate(self._processes) if process.alive)

    def kill(self, node: int) -> None:
        """``kill -9`` one node; its data stay for :meth:`restart`."""
        self._processes[node].kill()

    def restart(self, node: int, *, wait: bool = True) -> None:
        """Start a killed node again, with its data and on its port, and wait until it has joined.

        A node alone of several has no master and cannot answer: start those with ``wait=False``
        until more than half run, then :meth:`wait_for`.
        """
        process = self._processes[node]
        if process.alive:
            return
        process.start()
        if wait:
            wait_for_health(process, Door(self.urls[node]), nodes=len(self.alive))

    def node_name(self, node: int) -> str:
        """The name the server knows a node by, as in ``_cat/shards``."""
        return f"node-{node}"

    def wait_for(self, *, status: str = "green", nodes: int | None = None, seconds: float = 120) -> bool:
        """Wait until the cluster has this health and these nodes (all that are alive)."""
        wanted = len(self.alive) if nodes is None else nodes
        return wait_until(lambda: healthy(Door(self.url), nodes=wanted, status=status), seconds=seconds)

    def stop(self) -> None:
        """End every node and remove its data."""
        for process in self._processes:
            process.discard()


def cluster(spec: ServerSpec, *, nodes: int = 3, heap: str = "512m") -> RunningCluster:
    """Start several nodes that form one cluster, as local processes, and wait until all joined."""
    home = distribution(spec)
    ports = [(free_port(), free_port()) for _ in range(nodes)]
    names = [f"node-{number}" for number in range(nodes)]
    shared = {
        "cluster.name": f"leitong-{uuid.uuid4().hex[:8]}",
        "discovery.seed_hosts": ",".join(f"127.0.0.1:{transport}" for _, transport in ports),
        "cluster.initial_master_nodes"
        if spec.product == "elasticsearch"
        else ("cluster.initial_cluster_manager_nodes"): ",".join(names),
    }
    if spec.product == "elasticsearch":
        shared["xpack.security.enabled"] = "false"
    processes: list[NodeProcess] = []
    urls = tuple(f"http://127.0.0.1:{http}" for http, _ in ports)
    try:
        for name, pair in zip(names, ports, strict=True):
            settings = {**shared, "node.name": name}
            process = NodeProcess(
                make_node(
                    spec,
                    home=home,
                    settings=settings,
                    heap=heap,
                    ports=pair,
                    quick=True,
                )
            )
            processes.append(process)
            process.start()
        for process, url in zip(processes, urls, strict=True):
            wait_for_health(process, Door(url), nodes=nodes)
    except BaseException:
        for process in processes:
            process.discard()
        raise
    return RunningCluster(spec.product, spec.version, urls, tuple(processes))
