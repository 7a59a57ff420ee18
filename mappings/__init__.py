"""The fields Leitong adds to a server's index, as versioned JSON component templates, and the code that loads them."""

from leitong.mappings.templates import VERSION, Template, attached, companion, documents

__all__ = ["VERSION", "Template", "attached", "companion", "documents"]
