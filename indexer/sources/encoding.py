"""In which encoding is a text written? UTF-8 first; a guess only where UTF-8 is out of the question."""

import codecs
import unicodedata
from math import log
from typing import Final

from leitong.indexer.errors import DocumentError
from leitong.indexer.sources.letters import ASCII, Reading

SAMPLE_BYTES: Final = 1 << 16

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of UTF-16, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_READINGS: Final[tuple[tuple[str, float, tuple[str, ...]], ...]] = (
    ("gb18030", 0.0, ("zh-hans",)),
    ("gb18030", 6.0, ("zh-hant",)),
    ("big5hkscs", 1.0, ("zh-hant",)),
    ("cp932", 1.0, ("ja",)),
    ("euc_jp", 2.0, ("ja",)),
    ("cp949", 1.0, ("ko",)),
    ("cp1252", 1.0, ("fr", "de", "es", "pt", "it", "nordic")),
    ("cp1251", 1.5, ("ru", "uk")),
    ("koi8_r", 3.0, ("ru",)),
    ("cp1250", 2.5, ("pl", "cs", "hu", "ro", "hr")),
    ("cp1253", 2.5, ("el",)),
    ("cp1254", 2.5, ("tr",)),
    ("cp1255", 2.5, ("he",)),
    ("cp1256", 2.5, ("ar",)),
    ("cp1257", 3.0, ("lt", "lv", "et")),
    ("cp874", 2.5, ("th",)),
)
"""Encodings that are looked for, what each is worth against (as if so many e-folds less likely), its languages."""
_FEW: Final = 256
_SCORED: Final = 1 << 13
"""Bytes that the guess is made of, at first and at most."""
_SURE: Final = 30.0
"""Logarithm of how many times likelier the best encoding is than the next where no more bytes are looked at."""
_WHOLE: Final = 10
"""Characters for each broken one, below which bytes are not in an encoding."""
_LEAST: Final = -8.0
"""Logarithm of the likelihood for each byte beyond ASCII, below which bytes are no text."""
_ANY_PAIR: Final = -log(1 << 16)
"""Logarithm of the likelihood of two bytes of binary data, as if each two were as likely as any other."""
_SUPERSETS: Final = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "cp936": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
}
"""What names mean in the wild: the larger set that contains it, as browsers read them."""
_LABELS: Final = {"x-gbk": "gb18030", "x-sjis": "cp932", "x-euc-jp": "euc_jp", "ks_c_5601-1987": "cp949"}


def marked(data: bytes) -> str | None:
    """The encoding that a byte order mark at the beginning tells; it decodes the mark away."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def unmarked(sample: bytes) -> str | None:
    """The order of bytes in which they are UTF-16 without a mark; None unless it is sure that they are."""
    data = sample[:_SCORED]
    found: list[tuple[float, str | None]] = [(_ANY_PAIR * len(data) / 2, None)]
    for order in ("utf-16-le", "utf-16-be"):
        try:
            text = codecs.getincrementaldecoder(order)().decode(data)
        except UnicodeError:
            continue
        if all(map(_is_written, set(text))) and not _in_pairs(text, order):
            reading = Reading.of(text)
            found.append((max(reading.likelihood(name) for *_, names in _READINGS for name in names), order))
    (most, encoding), *others = sorted(found, key=lambda one: -one[0])
    return encoding if others and most - others[0][0] > _SURE else None


def _is_written(letter: str) -> bool:
    """Whether a text may have the character: not a control character, nor one that there is none of."""
    return letter in "\t\n\r\f" or unicodedata.category(letter) not in ("Cc", "Cn", "Co")


def _in_pairs(text: str, order: str) -> bool:
    """Whether what is beyond ASCII in UTF-16 is made of ASCII and NULs, as texts with NULs between them are."""
    beyond = "".join(letter for letter in set(text) if not letter.isascii()).encode(order)
    return bool(beyond) and all(byte < 128 and (not byte or _is_written(chr(byte))) for byte in beyond)


def labelled(label: str) -> str | None:
    """Python's name for an encoding that a document names; None when there is none that text can be in."""
    label = label.strip().lower()
    try:
        codec = codecs.lookup(_LABELS.get(label, label))
        "".encode(codec.name)
    except (LookupError, ValueError):
        return None
    if codec.name.startswith(("utf-16", "utf-32")):  # the label itself was read as ASCII, so it cannot be true
        return "utf-8"
    return _SUPERSETS.get(codec.name, codec.name)


def guess(sample: bytes) -> str | None:
    """The encoding of bytes without a mark; None when they look like no text.

    Bytes that are UTF-8 but for a few errors count as UTF-8, so that one broken record does not turn a whole file into
    nonsense: at least four good characters beyond ASCII for each bad place. Chinese in GB18030 has fewer than one.
    """
    decoded = codecs.getincrementaldecoder("utf-8")("replace").decode(sample, len(sample) < SAMPLE_BYTES)
    bad = decoded.count("\ufffd")
    good = len(decoded) - sum(map(decoded.count, map(chr, range(128)))) - bad
    if bad * 4 <= good or not bad:
        return "utf-8"
    return _most_likely(_whole_lines(sample))


def _most_likely(data: bytes) -> str | None:
    """The encoding in which the bytes are most likely a text of one of its languages: by a few, by more if in doubt."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    data = b"".join(lines)[:_SCORED]
    for size in (_FEW, _SCORED):
        found, margin = _best(data, size)
        if len(data) <= size or (found is not None and margin > _SURE):
            break
    return found


def _best(data: bytes, size: int) -> tuple[str | None, float]:
    """The encoding in which so many of the bytes are most likely a text, and by how much; None where they are none."""
    part = data[:size]
    beyond = sum(byte > 127 for byte in part)
    likelihoods: dict[str | None, float] = {None: _LEAST * beyond + ASCII * (len(part) - beyond)}
    for encoding, against, names in _READINGS:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(part, len(data) <= size)
        if text.count("\ufffd") * _WHOLE <= len(text):
            reading = Reading.of(text)
            likelihood = max(map(reading.likelihood, names)) - against
            likelihoods[encoding] = max(likelihood, likelihoods.get(encoding, likelihood))
    (found, most), *others = sorted(likelihoods.items(), key=lambda one: -one[1])
    return found, most - others[0][1] if others else 0.0


def decode(data: bytes, *, label: str | None = None) -> str:
    """The text of a file, with `\\n` at the ends of lines. Raises DocumentError.

    The order: byte order mark, UTF-16 by its NULs, the encoding that the document names, UTF-8, a guess.
    """
    encoding = marked(data)
    if encoding is None and b"\0" in data and (encoding := unmarked(data)) is None:
        raise DocumentError("it holds NUL bytes, so it is binary data and no text; leave it out, or convert it to text")
    text = None
    if encoding is None and label is not None and (named := labelled(label)) is not None:
        text = _try(data, named)
    if text is None and encoding is None:
        text = _try(data, "utf-8")
    if text is None:
        encoding = encoding or guess(_sample(data))
        if encoding is None:
            raise DocumentError("its encoding is not known, or it is no text; save it as UTF-8")
        try:
            text = data.decode("utf-8").removeprefix("\ufeff") if encoding == "utf-8-sig" else data.decode(encoding)
        except UnicodeError as error:
            raise DocumentError(f"{broken(error, encoding)}; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def broken(error: UnicodeError, encoding: str) -> str:
    """What a decoder complains about, in words."""
    shown = display(encoding)
    if isinstance(error, UnicodeDecodeError):
        bad = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.start + 1])
        return f"it is not valid {shown}: byte {error.start + 1:,} is {bad}"
    return f"it is not valid {shown} ({error})"


def display(encoding: str) -> str:
    """The usual spelling of an encoding's name."""
    return "UTF-8" if encoding.startswith("utf-8") else encoding.upper().replace("_", "-").replace("UTF-16-", "UTF-16")


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None


def _sample(data: bytes) -> bytes:
    """A part of data that are not all ASCII, from about where the first byte beyond it stands."""
    first = next(
        place for place in range(0, len(data), SAMPLE_BYTES) if not data[place : place + SAMPLE_BYTES].isascii()
    )
    return data[first : first + 2 * SAMPLE_BYTES]


def _whole_lines(sample: bytes) -> bytes:
    """Without the last line, whose last character may be cut in two; all of it when it is one line."""
    end = sample.rfind(b"\n")
    return sample if end <= 0 or len(sample) < SAMPLE_BYTES else sample[:end]
