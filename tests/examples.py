"""How many examples of a property are tried: as many as it says, a quarter of them in `make test-fast`."""

from hypothesis import settings

_USUAL = 100


def examples(count: int) -> settings:
    """So many for this property, as a decorator, or as large a part of them as the profile has of the usual number."""
    return settings(max_examples=count * settings.default.max_examples // _USUAL)
