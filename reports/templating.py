"""What do all pages of reports share? Whatever stands on them is escaped, and steers nothing."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from leitong.indexer.plain import plain


def environment() -> Environment:
    """The templates. A value is shown as plain text unless it is markup of ours."""
    return Environment(
        loader=PackageLoader("leitong.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_plain,
    )


def _plain(value: Any) -> Any:
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
