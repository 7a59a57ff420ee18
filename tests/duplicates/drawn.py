"""Texts and fingerprints that are drawn, and what is learned of texts."""

from random import Random

from leitong.indexer.duplicates.commonness.boilerplate import Boilerplate, Learner
from leitong.indexer.passages import Passage, outlines

FOOTER = "版权所有，未经许可不得转载，违者必究。举报电话零一零一二三四五六七八。"


def article(number: int, size: int = 120) -> str:
    """A text of its own; nothing in it is in another."""
    random = Random(number)
    return "".join(chr(0x4E00 + random.randrange(20000)) for _ in range(size))


def learned(texts: list[str], *, titles: list[str] | None = None) -> Boilerplate:
    passages = [Passage(title, text) for text, title in zip(texts, titles or [""] * len(texts), strict=True)]
    with Learner() as learner:
        learner.add(outlines(passages))
        return learner.finish(documents=len(texts))


def family(bits: int, size: int, random: Random) -> list[int]:
    """Fingerprints many of which are near each other: every second one is an earlier one with some bits flipped."""
    values = [random.getrandbits(bits)]
    while len(values) < size:
        if random.random() < 0.5:
            values.append(random.getrandbits(bits))
        else:
            flips = random.sample(range(bits), random.randint(0, min(20, bits)))
            values.append(random.choice(values) ^ sum(1 << place for place in flips))
    return values
