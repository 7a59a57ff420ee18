"""In which encoding is a text written? UTF-8 first; a guess only where UTF-8 is out of the question."""

import codecs
from collections import Counter
from typing import Final

from leitong.indexer.errors import DocumentError

SAMPLE_BYTES: Final = 1 << 16

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of UTF-16, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSES: Final = (
    *("gb18030", "big5", "big5hkscs", "cp932", "euc_jp", "cp949"),
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
)
_WIDE: Final = frozenset(("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"))
_VOTERS: Final = 40
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
    found = _detect(_whole_lines(sample))
    if found not in _WIDE:  # one broken line is enough to rule out the right one, so ask the lines
        lines = [line for line in _whole_lines(sample).split(b"\n") if not line.isascii()][:_VOTERS]
        votes = Counter(map(_detect, lines)).most_common(1)
        if len(lines) > 2 and votes[0][0] in _WIDE and votes[0][1] * 2 > len(lines):
            return votes[0][0]
    return found


def _detect(data: bytes) -> str | None:
    from charset_normalizer import from_bytes  # takes a while to load, and most runs never need it

    matches = from_bytes(data, cp_isolation=list(_GUESSES))
    best = matches.best()
    if best is None:
        return None
    as_good = [match.encoding for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
    name = "cp1252" if "cp1252" in as_good else best.encoding  # most of Western Europe rather than one of the others
    return _SUPERSETS.get(name, name)


def decode(data: bytes, *, label: str | None = None) -> str:
    """The text of a file, with `\\n` at the ends of lines. Raises DocumentError.

    The order: byte order mark, the encoding that the document names, UTF-8, a guess.
    """
    encoding = marked(data)
    if encoding is None and b"\0" in data:
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
    return "UTF-8" if encoding.startswith("utf-8") else encoding.upper().replace("_", "-")


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
