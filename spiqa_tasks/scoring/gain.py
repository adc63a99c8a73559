"""Multi-modal gain and leakage (MMStar paper, section 4.3, equations 1 and 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from spiqa_tasks.scoring.clusters import Clusters
from spiqa_tasks.scoring.intervals import Estimate, paired


@dataclass(frozen=True)
class Gain:
    """Mean scores of a model on the same `n` questions, its gain and its leakage.

    Attributes:
        s_v: score with images.
        s_wv: score without images.
        s_t: score of the LLM base; without one it is None, as are `ml` and `ml_signed`.
        mg: multi-modal gain, S_v - S_wv (equation 1).
        ml: multi-modal leakage, max(0, S_wv - S_t) (equation 2).
        ml_signed: S_wv - S_t, which may be negative.
    """

    n: int
    s_v: float
    s_wv: float
    s_t: float | None
    mg: Estimate
    ml: Estimate | None
    ml_signed: Estimate | None = None


def gain(
    with_images: Sequence[float],
    without: Sequence[float],
    llm: Sequence[float] | None = None,
    clusters: Clusters | None = None,
) -> Gain:
    """Return gain and leakage, with intervals, of scores on the same questions in the same order.

    The interval of ML is cut at 0 as ML is. Raises ValueError for no questions and for unequal
    lengths.
    """
    gained = paired(without, with_images, clusters)
    s_v = fmean(with_images)
    s_wv = fmean(without)
    mg = Estimate(s_v - s_wv, gained.low, gained.high)
    if llm is None:
        return Gain(gained.n, s_v, s_wv, None, mg, None)

    leaked = paired(llm, without, clusters)
    s_t = fmean(llm)
    signed = Estimate(s_wv - s_t, leaked.low, leaked.high)
    return Gain(gained.n, s_v, s_wv, s_t, mg, _cut_at_0(signed), signed)


def gain_of_totals(n: int, s_v: float, s_wv: float, s_t: float | None = None) -> Gain:
    """Return gain and leakage of three overall scores in any common unit, without intervals."""
    mg = Estimate(s_v - s_wv)
    if s_t is None:
        return Gain(n, s_v, s_wv, None, mg, None)

    signed = Estimate(s_wv - s_t)
    return Gain(n, s_v, s_wv, s_t, mg, _cut_at_0(signed), signed)


def _cut_at_0(signed: Estimate) -> Estimate:
    """Return an estimate whose value and interval are not below 0."""
    low = None if signed.low is None else max(0.0, signed.low)
    high = None if signed.high is None else max(0.0, signed.high)
    return Estimate(max(0.0, signed.value), low, high)
