"""What `leitong evaluate` found, for people and for programs: curves, tables, the worst mistakes with their texts."""

from collections.abc import Sequence
from typing import Any, Final

from leitong.indexer.duplicates.accuracy.evaluate import Evaluation, Mistake
from leitong.indexer.duplicates.accuracy.measure import METHOD, SPLITS, Estimate, Score
from leitong.indexer.sources.pairs import LabelFile
from leitong.reports.charts import Axis, Curve, Distribution, Line, curves, histogram
from leitong.reports.measured import Page, Side, Table, TextPair, percent, shares, texts

_BINS: Final = 20
_SHOWN_STEP: Final = 5
_NAMES: Final = ("precision", "recall", "F1", "right", "false alarms", "missed")


def page(found: Evaluation, labels: LabelFile, *, index: str) -> Page:
    """The page of an evaluation."""
    now = found.settled
    duplicates = now.right + now.missed
    return Page(
        title=f"Leitong measured by {labels.name}",
        lead=(
            f"{len(found.judged):,} labelled pairs of {index}: {duplicates:,} duplicates, "
            f"{len(found.judged) - duplicates:,} others. Found as `leitong report` finds them, with radius "
            f"{found.radius} and min-similarity {found.min_similarity:g}.",
            *remarks(found, labels),
        ),
        numbers=(
            (percent_of(now.precision), "precision: of what was found, so much is labelled duplicate 准确率"),
            (percent_of(now.recall), "recall: of the duplicates, so many were found 召回率"),
            (percent_of(now.f1), "F1: one number for both F1 值"),
            (f"{now.missed:,}", "duplicates missed 漏掉"),
            (f"{now.false:,}", "false alarms 误报"),
        ),
        pictures=pictures(found),
        tables=(
            Table(
                "By similarity 按相似度",
                f"Radius {found.radius}. {advice(found)}",
                ("min-similarity", *_NAMES),
                tuple((f"{score.at:.2f}", *_cells(score)) for score in found.by_similarity[::_SHOWN_STEP]),
            ),
            Table(
                "By radius 按海明距离半径",
                f"Fingerprints propose, then the texts decide (min-similarity {found.min_similarity:g}). Passages that "
                "two texts share propose as well, at every radius.",
                ("radius", *_NAMES),
                tuple((f"{score.at:g}", *_cells(score)) for score in found.by_radius),
                now=found.radius,
            ),
            Table(
                "Fingerprints alone 只看指纹",
                "What distance alone would find, without a look at the texts.",
                ("radius", *_NAMES),
                tuple((f"{score.at:g}", *_cells(score)) for score in found.by_distance),
            ),
        ),
        pairs=(
            texts("Worst misses 漏掉的", [_pair(one) for one in found.missed]),
            texts("Worst false alarms 误报的", [_pair(one) for one in found.false_alarms]),
        ),
        notes=(f"{METHOD}.",),
    )


def pictures(found: Evaluation) -> tuple[str, ...]:
    """Scores by similarity, precision against recall, scores by radius, and similarities of both kinds of pairs."""
    marks = [Line(found.min_similarity, f"now {found.min_similarity:g}")]
    if found.best and abs(found.best.at - found.min_similarity) >= 0.02:
        marks.append(Line(found.best.at, f"best here {found.best.at:g}"))
    share = Axis("", percent=True)
    similarity = Axis("min-similarity 相似度阈值")
    trade = sorted(
        (score.recall.value, score.precision.value) for score in found.by_similarity if score.precision and score.recall
    )
    radius = Axis("radius in bits 半径", 0, len(found.by_distance) - 1)
    drawn = [
        curves(_curves(found.by_similarity), title="By similarity 按相似度", x=similarity, y=share, marks=marks),
        curves(
            [Curve("", tuple(trade))],
            title="Precision and recall 准确率与召回率",
            x=Axis("recall 召回率", percent=True),
            y=Axis("precision 准确率", percent=True),
        ),
        curves(
            [
                *_curves(found.by_radius, " with texts"),
                *_curves(found.by_distance, " of fingerprints alone")[-1 if found.best else 0 :],
            ],
            title="By radius 按半径",
            x=radius,
            y=share,
        ),
        histogram(
            [
                Distribution(
                    name, shares([one.similarity for one in found.judged if one.pair.duplicate is kind], _BINS)
                )
                for name, kind in (("duplicates 雷同", True), ("others 其他", False))
                if any(one.pair.duplicate is kind for one in found.judged)
            ],
            title="Similarity of the pairs 相似度分布",
            x=Axis("similarity 相似度"),
            y="share of pairs",
            marks=marks[:1],
        ),
    ]
    return tuple(drawn if trade else (drawn[0], *drawn[2:]))


def remarks(found: Evaluation, labels: LabelFile) -> tuple[str, ...]:
    """How the labels were understood, and what could not be used."""
    told: list[str] = []
    if labels.labels:
        others = [label for label in labels.labels if label not in labels.duplicates]
        told.append(
            f"Duplicates are: {_counted(labels, labels.duplicates)}."
            + (f" All others count as different: {_counted(labels, others)}." if others else "")
        )
    else:
        told.append("The lines have no labels: every pair counts as a duplicate.")
    if found.best is None:
        told.append("Every pair is a duplicate: recall is measured, precision and F1 cannot be.")
    if found.pairs_left_out:
        some = ", ".join(map(repr, found.unknown[:3])) + (", …" if len(found.unknown) > 3 else "")
        told.append(
            f"{found.pairs_left_out:,} of {len(labels.pairs):,} pairs were left out: {len(found.unknown):,} of their "
            f"ids are not in the index ({some})."
        )
    told += [f"Left out, {reason}." for reason in labels.left_out]
    return tuple(told)


def advice(found: Evaluation) -> str:
    """What the labels say of the threshold."""
    if not found.best or not found.best.f1 or not found.best.right:
        return ""
    words = f"The highest F1 on these pairs, {percent(found.best.f1.value)}, is at {found.best.at:g}."
    fit = found.cross_fit
    if fit is None:
        return words
    return (
        f"{words} That flatters: fitted on one half of the pairs and judged on the other ({SPLITS} splits) it is "
        f"{percent(fit.f1)} ({percent(fit.low)} to {percent(fit.high)}), with thresholds from {fit.thresholds[0]:g} to "
        f"{fit.thresholds[1]:g}."
    )


def values(found: Evaluation, labels: LabelFile, *, index: str) -> dict[str, Any]:
    """Everything as JSON values."""
    fit = found.cross_fit
    return {
        "index": index,
        "labels_file": labels.name,
        "pairs": len(labels.pairs),
        "used": len(found.judged),
        "duplicates": found.settled.right + found.settled.missed,
        "labels": dict(labels.labels),
        "labels_of_duplicates": list(labels.duplicates),
        "pairs_left_out": found.pairs_left_out,
        "unknown_ids": list(found.unknown),
        "lines_left_out": list(labels.left_out),
        "radius": found.radius,
        "min_similarity": found.min_similarity,
        "result": _score(found.settled),
        "duplicates_that_are_candidates": found.candidates,
        "best": _score(found.best) if found.best else None,
        "cross_fit": fit
        and {
            "f1": round(fit.f1, 4),
            "low": round(fit.low, 4),
            "high": round(fit.high, 4),
            "thresholds": list(fit.thresholds),
        },
        "by_similarity": [_score(score) for score in found.by_similarity],
        "by_radius": [_score(score) for score in found.by_radius],
        "by_distance": [_score(score) for score in found.by_distance],
        "missed": [_mistake(one) for one in found.missed],
        "false_alarms": [_mistake(one) for one in found.false_alarms],
        "method": METHOD,
    }


def percent_of(estimate: Estimate | None) -> str:
    """The value in per cent."""
    return percent(estimate.value if estimate else None)


def between(estimate: Estimate | None) -> str:
    """The value and its interval."""
    if estimate is None:
        return "–"
    return f"{percent(estimate.value)} ({estimate.low * 100:.1f} to {estimate.high * 100:.1f})"


def reason(mistake: Mistake) -> str:
    """Why a pair was decided as it was, in words."""
    judged = mistake.judged
    bits = "no fingerprint" if judged.distance is None else f"{judged.distance} bits apart"
    label = f"labelled {judged.pair.label}, " if judged.pair.label else ""
    candidate = "" if mistake.candidate else ", never compared: beyond the radius, and no rare passage in common"
    return f"{label}{judged.similarity:.0%} alike, {bits}{candidate}"


def _cells(score: Score) -> tuple[str, ...]:
    shares = (between(one) for one in (score.precision, score.recall, score.f1))
    return (*shares, f"{score.right:,}", f"{score.false:,}", f"{score.missed:,}")


def _curves(scores: Sequence[Score], suffix: str = "") -> list[Curve]:
    """Precision, recall and F1, as far as they mean something."""
    made: list[Curve] = []
    for name in ("precision", "recall", "f1"):
        points = [(score.at, getattr(score, name)) for score in scores]
        known = tuple((at, estimate.value) for at, estimate in points if estimate)
        if known:
            made.append(Curve(("F1" if name == "f1" else name) + suffix, known))
    return made


def _counted(labels: LabelFile, words: Sequence[str]) -> str:
    return ", ".join(f"{word} ({labels.labels[word]:,})" for word in words)


def _pair(mistake: Mistake) -> TextPair:
    return TextPair(reason(mistake), (Side.of(mistake.a), Side.of(mistake.b)))


def _score(score: Score) -> dict[str, Any]:
    shares = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {
        "at": score.at,
        **{
            name: {"value": round(one.value, 4), "low": round(one.low, 4), "high": round(one.high, 4)} if one else None
            for name, one in shares.items()
        },
        "right": score.right,
        "false_alarms": score.false,
        "missed": score.missed,
    }


def _mistake(mistake: Mistake) -> dict[str, Any]:
    judged = mistake.judged
    return {
        "a": judged.pair.a,
        "b": judged.pair.b,
        "label": judged.pair.label,
        "distance": judged.distance,
        "similarity": round(judged.similarity, 4),
        "candidate": mistake.candidate,
        "title_a": mistake.a.title,
        "title_b": mistake.b.title,
        "text_a": Side.of(mistake.a).text,
        "text_b": Side.of(mistake.b).text,
    }
