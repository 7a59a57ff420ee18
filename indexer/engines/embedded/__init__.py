"""The engine that needs no server: a folder on disk, searched by tantivy."""

from leitong.indexer.engines.embedded.engine import EmbeddedEngine

__all__ = ["EmbeddedEngine"]
