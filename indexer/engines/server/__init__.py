"""The engines that live in the user's own Elasticsearch or OpenSearch; what both do is written once."""

from leitong.indexer.engines.server.engine import ServerEngine

__all__ = ["ServerEngine"]
