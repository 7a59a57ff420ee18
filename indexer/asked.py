"""Which arguments of a call are refused?"""

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from typing import TypeVar

from leitong.indexer.documents import Document, check_limits
from leitong.indexer.duplicates.clusters import KEEPS, Keep
from leitong.indexer.duplicates.policy.dedupe import ACTIONS, Policy
from leitong.indexer.engines.server.theirs import OURS, TextFields
from leitong.indexer.errors import ArgumentError, DocumentError, UsageError
from leitong.indexer.fingerprint.blocks import MAX_RADIUS
from leitong.indexer.fingerprint.recipe import Recipe
from leitong.indexer.query import FieldIs

T = TypeVar("T")
N = TypeVar("N", bound=str)


def check_keep(keep: Keep, date_field: str | None) -> None:
    """Raise ArgumentError for an unknown policy, or where the oldest is to be kept and nothing tells the date."""
    one_of("keep", keep, KEEPS)
    if keep == "oldest" and not date_field:
        raise ArgumentError("date_field", "must name the metadata field with the date that tells which is the oldest.")


def check_policy(policy: Policy) -> None:
    """Raise UsageError for what is no policy of `dedupe`, or one that it does not know."""
    check_kind(policy, Policy, "a Policy, such as Policy('mark')")
    one_of("action", policy.action, ACTIONS)
    if policy.keep is not None:
        one_of("keep", policy.keep, KEEPS)
    check_settings(min_similarity=policy.min_similarity)


def one_of(argument: str, value: object, names: Sequence[N]) -> N:
    """The one of the names that was given. Raises ArgumentError for none of them."""
    for name in names:
        if name == value:
            return name
    raise ArgumentError(argument, f"takes {', '.join(names)}; {value!r} is none of them.")


def checked_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list. Raises UsageError for one text where a list is wanted: its letters would be taken for ids; and
    for halves of characters."""
    if isinstance(ids, str):
        raise UsageError(f"{ids[:60]!r} is one text and no list of ids: put it into a list.")
    checked = listed(ids, str, "an id, which is a text")
    for doc_id in checked:
        check_characters("id", doc_id)
    return checked


def checked_filters(filters: Iterable[FieldIs]) -> list[FieldIs]:
    """The filters as a list. Raises UsageError for something else, and for halves of characters."""
    checked = listed(filters, FieldIs, "a filter, such as FieldIs('source', '晚报')")
    for one in checked:
        check_characters("filter", f"{one.field}={one.value}")
    return checked


def check_characters(what: str, text: str) -> None:
    """Raise UsageError for halves of characters, as Python reads what a terminal of another encoding passes on: an
    engine would take them for damage of its own."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"The {what} holds bytes that are no characters here. Set the terminal to UTF-8, for example "
            "LC_ALL=C.UTF-8."
        ) from None


def checked_documents(documents: Iterable[Document]) -> list[Document]:
    """The documents as a list. Raises UsageError for something else, DocumentError for one that breaks a limit."""
    checked = listed(documents, Document, "a Document")
    for document in checked:
        try:
            check_limits(document)
        except DocumentError as error:
            raise DocumentError(f"Document {str(document.id)[:60]!r} cannot be added: {error}.") from None
    return checked


def checked_fields(text_fields: Sequence[str], title_field: str | None) -> TextFields:
    """The fields with text and title in somebody else's documents. Raises UsageError where they cannot be."""
    if not text_fields or isinstance(text_fields, str):
        raise UsageError('text_fields is a list of names of fields, for example text_fields=["body"].')
    fields = TextFields(tuple(listed(text_fields, str, "the name of a field")), title_field)
    check_text("name of the title_field", "" if title_field is None else title_field)
    for name in fields.names:
        if not name:
            raise UsageError("A field with text or title has no name: name one that the documents have.")
        if name == OURS or name.startswith(f"{OURS}."):
            raise UsageError(f"{name!r} is a field of ours: name one of the owner's.")
        if fields.names.count(name) > 1:
            raise UsageError(f"The field {name!r} is named twice, and its text would count twice: name it once.")
    return fields


def listed(values: Iterable[T], kind: type[T], what: str) -> list[T]:
    """The values as a list. Raises UsageError where one of them is of another kind, or there is no list."""
    return list(each(values, kind, what))


def each(values: Iterable[T], kind: type[T], what: str) -> Iterator[T]:
    """The values one by one. Raises UsageError at one of another kind, and where there is no list."""
    if not isinstance(values, Iterable):
        raise UsageError(f"{values!r:.60} is no list: put what is meant into one.")
    for value in values:
        check_kind(value, kind, what)
        yield value


def check_kind(value: object, kind: type, what: str) -> None:
    """Raise UsageError for a value of another kind."""
    if not isinstance(value, kind):
        raise UsageError(f"{value!r:.60} is not {what}.")


def check_recipe_kind(recipe: object) -> None:
    """Raise UsageError for what is no Recipe."""
    check_kind(recipe, Recipe, "a Recipe: get one with leitong.indexer.fingerprint.recipe.load(name)")


def check_text(what: str, text: str) -> None:
    """Raise UsageError for what is no text."""
    if not isinstance(text, str):
        raise UsageError(f"The {what} is {text!r:.60}, not a text.")


def check_whole(**numbers: int | None) -> None:
    """Raise ArgumentError for what is no whole number; None is always fine."""
    for name, number in numbers.items():
        if number is not None and not isinstance(number, Integral):
            raise ArgumentError(name, f"must be a whole number, not {number!r:.60}.")


def check_settings(*, radius: int | None = None, min_similarity: float | None = None, limit: int | None = None) -> None:
    """Raise ArgumentError for a number outside its limits; None is always fine."""
    check_whole(radius=radius, limit=limit)
    if radius is not None and not 0 <= radius <= MAX_RADIUS:
        raise ArgumentError("radius", f"must be 0 to {MAX_RADIUS}, not {radius}.")
    if min_similarity is not None and not (isinstance(min_similarity, Real) and 0.0 <= min_similarity <= 1.0):
        raise ArgumentError("min_similarity", f"must be 0 to 1, not {min_similarity!r:.60}.")
    if limit is not None and limit < 1:
        raise ArgumentError("limit", f"must be 1 or more, not {limit}.")
