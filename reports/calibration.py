"""What `leitong calibrate` found, for people and for programs: pictures, tables, and advice in plain words."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, Final

import numpy as np

from leitong.indexer.duplicates.accuracy.calibrate import (
    COUNTED,
    ENOUGH,
    RATES,
    SAMPLE,
    Advice,
    Calibration,
    Compared,
    Stranger,
)
from leitong.indexer.duplicates.accuracy.edits import EDITS, Edit
from leitong.indexer.duplicates.comparing.check import MIN_SIMILARITY
from leitong.indexer.fingerprint.short import MOST
from leitong.reports.charts import Axis, Curve, Distribution, Line, curves, histogram
from leitong.reports.measured import Page, Table, percent, shares

_BINS: Final = 20
_BITS_A_BIN: Final = 2
_NUMBERS: Final = (
    *("radius", "min_similarity", "unrelated_below", "copies_above"),
    *("missed", "false_alarms", "false_alarms_at_most"),
)
_EDITS_CHINESE: Final[dict[Edit, str]] = {
    "words replaced": "换词",
    "sentences moved": "移句",
    "paragraphs cut": "删段",
    "header added": "加页眉",
}


def page(found: Calibration, *, index: str) -> Page:
    """The page of a calibration."""
    return Page(
        title=f"What distance and similarity mean in {index}",
        lead=(
            f"{found.sampled:,} of {found.documents:,} documents were copied with edits of known size and compared "
            f"with the originals, and {len(found.strangers):,} pairs of documents drawn at random were compared with "
            f"each other. Seed {found.seed}: the same seed gives the same result.",
            *remarks(found),
            *advice(found),
        ),
        numbers=(
            (f"{found.radius}", "radius in use 半径"),
            (f"{found.min_similarity:g}", "min-similarity in use 相似度阈值"),
            *_advised(found.advice),
        ),
        pictures=pictures(found),
        tables=(
            Table(
                "Copies by what was done to them 各种改动",
                "Distance: half of the copies are at most so far from the original, and 95 in 100. Found: with the "
                "settings in use.",
                ("edit", "of the text", "copies", "distance", "95 in 100", "within the radius", "similarity", "found"),
                tuple(
                    (f"{kind} {_EDITS_CHINESE[kind]}", f"{rate:.0%}", *_edited(found, some))
                    for kind in EDITS
                    for rate in RATES
                    if (some := found.some(kind=kind, rate=rate))
                ),
            ),
            Table(
                "By radius 按半径",
                f"Copies edited up to {COUNTED:.0%}. Those that are not within the radius are found by passages they "
                "share. Unrelated documents within the radius only cost time: their texts are compared too.",
                ("radius", "copies within it", "copies that are compared", "unrelated documents within it"),
                tuple(
                    (
                        f"{one.radius}",
                        percent(one.copies_within),
                        percent(one.copies_candidates),
                        f"{one.strangers_for_each:.2g} for each document",
                    )
                    for one in found.by_radius
                ),
                now=found.radius,
            ),
            Table(
                "By similarity 按相似度",
                f"Missed: of the copies edited up to {COUNTED:.0%}. False alarms: of the pairs drawn at random.",
                ("min-similarity", "missed", "false alarms"),
                tuple(
                    (f"{one.at:.2f}", percent(one.missed), percent(one.false_alarms))
                    for one in found.by_similarity[::5]
                ),
            ),
        ),
    )


def pictures(found: Calibration) -> tuple[str, ...]:
    """Distances, similarities, copies by radius, and mistakes by threshold."""
    groups = [(f"{rate:.0%} edited", found.some(rate=rate)) for rate in RATES]
    groups.append(("unrelated 无关", [one.compared for one in found.strangers]))
    bins = found.bits // _BITS_A_BIN
    share = Axis("", percent=True)
    marks = [Line(found.min_similarity, f"now {found.min_similarity:g}")]
    if found.advice and abs(found.advice.min_similarity - found.min_similarity) >= 0.01:
        marks.append(Line(found.advice.min_similarity, f"advised {found.advice.min_similarity:g}"))
    return (
        histogram(
            [Distribution(name, shares([one.distance / found.bits for one in some], bins)) for name, some in groups],
            title="Distance 海明距离",
            x=Axis("bits 位", 0, found.bits),
            y="share of pairs",
            marks=[Line(found.radius, f"radius {found.radius}")],
        ),
        histogram(
            [Distribution(name, shares([one.similarity for one in some], _BINS)) for name, some in groups],
            title="Similarity 相似度",
            x=Axis("similarity 相似度"),
            y="share of pairs",
            marks=marks,
        ),
        curves(
            [
                Curve(
                    f"{rate:.0%} edited",
                    tuple(
                        (float(one.radius), _share(one_of.distance <= one.radius for one_of in found.some(rate=rate)))
                        for one in found.by_radius
                    ),
                )
                for rate in RATES
            ],
            title="Copies within the radius, by fingerprints alone 半径之内的副本",
            x=Axis("radius in bits 半径", 0, len(found.by_radius) - 1),
            y=share,
        ),
        curves(
            [
                Curve("missed copies 漏报", tuple((one.at, one.missed) for one in found.by_similarity)),
                Curve("false alarms 误报", tuple((one.at, one.false_alarms) for one in found.by_similarity)),
            ],
            title="Mistakes by threshold 阈值与错误",
            x=Axis("min-similarity 相似度阈值"),
            y=share,
            marks=marks,
        ),
    )


def remarks(found: Calibration) -> tuple[str, ...]:
    """What limits the result."""
    if not found.too_long:
        return ()
    return (f"{found.too_long:,} documents were too long for the sample and left out.",)


def advice(found: Calibration) -> tuple[str, ...]:
    """Sentences for somebody who has never heard of a radius."""
    lines = [
        "Distance is in how many bits two fingerprints differ; similarity is how much two texts share. Fingerprints "
        "and shared passages only propose pairs, the texts decide."
    ]
    if 2 * found.short > found.sampled:
        lines.append(
            f"{found.short:,} of the {found.sampled:,} documents have at most {MOST} letters. Such short texts have a "
            "method of their own, whatever the radius: they are found by their letters and compared by how many letters"
            " differ. A sentence that is moved is a large change to them, and is often not found."
        )
    lines += _settings(found, found.advice) if found.advice else [_too_few(found)]
    lines.append(
        "Pairs drawn at random are hardly ever of one template, and edits made by rule are not people's: what only "
        "labels can tell, `leitong evaluate` does. A lower threshold finds more abridged versions and takes more "
        "templates for duplicates."
    )
    if alarms := closest(found):
        named = "; ".join(f"{one.a} and {one.b} ({one.compared.similarity:.0%})" for one in alarms)
        lines.append(f"Read these pairs drawn at random, which may be real duplicates: {named}.")
    return tuple(lines)


def _too_few(found: Calibration) -> str:
    return (
        f"{found.sampled:,} different documents are too few for advice: it takes {ENOUGH}, better {SAMPLE}. "
        f"Index more, or take a larger --sample. Until then keep the radius of {found.radius} and the similarity of "
        f"{found.min_similarity:g}; the figures here say little about other documents."
    )


def _settings(found: Calibration, told: Advice) -> list[str]:
    """Radius, similarity, and the mistakes to expect of them."""
    at = found.by_radius[found.radius]
    lines: list[str] = []
    if told.radius is None:
        most = found.by_radius[-1]
        lines.append(
            f"Radius: even {most.radius} brings only {percent(most.copies_candidates)} of the copies to the comparison "
            "of texts. The texts are probably very short, or the recipe does not suit their language: "
            "`leitong recipe list`."
        )
    elif told.radius <= found.radius:
        lines.append(
            f"Radius: keep {found.radius}. {percent(at.copies_within)} of the copies lie within it, and with those "
            f"that share a passage {percent(at.copies_candidates)} are compared. A wider radius takes longer and "
            "finds hardly more."
        )
    else:
        lines.append(
            f"Radius: take {told.radius} (--radius {told.radius}). With {found.radius} only "
            f"{percent(at.copies_candidates)} of the copies are compared, with {told.radius} "
            f"{percent(found.by_radius[told.radius].copies_candidates)}."
        )
    ends = (
        f"Of the copies, 99 in 100 are at least {told.high:.2f} alike; of the unrelated pairs, 999 in 1,000 at most "
        f"{told.low:.2f}."
    )
    if told.min_similarity == found.min_similarity and told.low < told.high:
        lines.append(f"Similarity: keep {found.min_similarity:g}. {ends} It stands between them.")
    elif told.low < told.high:
        lines.append(
            f"Similarity: {told.min_similarity:g} suits these documents better than {found.min_similarity:g} "
            f"(--min-similarity {told.min_similarity:g}). {ends}"
        )
    else:
        lines.append(
            f"Similarity: no threshold separates copies from unrelated pairs cleanly here; {told.min_similarity:g} "
            f"makes the fewest mistakes of those from {MIN_SIMILARITY:g} up. {ends} Many documents may be forms of one "
            "template, or very short."
        )
    lines.append(
        f"Expect, of 1,000 copies edited up to {COUNTED:.0%}, about {told.missed * 1000:.0f} to be missed; of 1,000 "
        f"unrelated pairs about {told.false_alarms * 1000:.1f} to be taken for duplicates (at most "
        f"{told.false_alarms_at_most * 1000:.1f}, with 95 % certainty)."
    )
    return lines


def closest(found: Calibration) -> list[Stranger]:
    """The most similar of the pairs drawn at random that count as false alarms, at most three."""
    threshold = found.advice.min_similarity if found.advice else found.min_similarity
    alarms = [one for one in found.strangers if one.compared.similarity >= threshold]
    return sorted(alarms, key=lambda one: -one.compared.similarity)[:3]


def values(found: Calibration, *, index: str) -> dict[str, Any]:
    """Everything as JSON values."""
    return {
        "index": index,
        "documents": found.documents,
        "sampled": found.sampled,
        "short": found.short,
        "too_long": found.too_long,
        "seed": found.seed,
        "bits": found.bits,
        "radius": found.radius,
        "min_similarity": found.min_similarity,
        "copies": len(found.copies),
        "unrelated_pairs": len(found.strangers),
        "edits": [
            {"edit": kind, "rate": rate, **_measures(found, some)}
            for kind in EDITS
            for rate in RATES
            if (some := found.some(kind=kind, rate=rate))
        ],
        "unrelated": _measures(found, [one.compared for one in found.strangers]),
        "by_radius": [
            {
                "radius": one.radius,
                "copies_within": round(one.copies_within, 4),
                "copies_compared": round(one.copies_candidates, 4),
                "unrelated_within_for_each": round(one.strangers_for_each, 4),
            }
            for one in found.by_radius
        ],
        "by_similarity": [
            {"at": one.at, "missed": round(one.missed, 5), "false_alarms": round(one.false_alarms, 5)}
            for one in found.by_similarity
        ],
        "advice": {
            **_numbers(found.advice),
            "closest_unrelated": [
                {"a": one.a, "b": one.b, "similarity": round(one.compared.similarity, 4)} for one in closest(found)
            ],
            "words": list(advice(found)),
        },
    }


def _numbers(told: Advice | None) -> dict[str, float | None]:
    """The numbers of an advice; null where there is none."""
    if told is None:
        return dict.fromkeys(_NUMBERS)
    found = (told.low, told.high, told.missed, told.false_alarms, told.false_alarms_at_most)
    rounded = (round(value, digits) for value, digits in zip(found, (4, 4, 5, 5, 5), strict=True))
    return dict(zip(_NUMBERS, (told.radius, told.min_similarity, *rounded), strict=True))


def _advised(told: Advice | None) -> Iterable[tuple[str, str]]:
    if told is None:
        return [("–", "min-similarity advised 建议阈值: too few documents 文档太少")]
    return [
        (f"{told.min_similarity:g}", "min-similarity advised 建议阈值"),
        (percent(told.missed), f"missed, of copies edited up to {COUNTED:.0%} 漏报"),
        (percent(told.false_alarms), "false alarms, of pairs drawn at random 误报"),
    ]


def _measures(found: Calibration, some: Sequence[Compared]) -> dict[str, Any]:
    distances, similarities = [one.distance for one in some], [one.similarity for one in some]
    return {
        "pairs": len(some),
        "distance_median": median(distances),
        "distance_95": int(np.quantile(distances, 0.95, method="higher")),
        "within_radius": round(_share(one <= found.radius for one in distances), 4),
        "similarity_median": round(median(similarities), 4),
        "similarity_5": round(float(np.quantile(similarities, 0.05)), 4),
        "found": round(_share(found.found(one) for one in some), 4),
    }


def _edited(found: Calibration, some: Sequence[Compared]) -> tuple[str, ...]:
    told = _measures(found, some)
    return (
        f"{told['pairs']:,}",
        f"{told['distance_median']:g}",
        f"{told['distance_95']}",
        percent(told["within_radius"]),
        f"{told['similarity_median']:.2f}",
        percent(told["found"]),
    )


def _share(of: Iterable[bool]) -> float:
    listed = list(of)
    return sum(listed) / max(1, len(listed))
