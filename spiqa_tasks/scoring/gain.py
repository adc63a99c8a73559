"""Multi-modal gain and leakage (MMStar paper, section 4.3, equations 1 and 2)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from spiqa_tasks.scoring.clustered import Estimate, clustered_bootstrap

REPEATS = 2000
"""Resamples of an interval: its ends then vary by about 0.1 points between seeds for 1,500 questions."""


def multimodal_gain(s_v: float, s_wv: float) -> float:
    """Return MG = S_v - S_wv, the gain by images, in the unit of the scores (equation 1)."""
    return s_v - s_wv


def multimodal_leakage(s_wv: float, s_t: float) -> float:
    """Return ML = max(0, S_wv - S_t), the gain without images over the LLM base (equation 2)."""
    return max(0.0, s_wv - s_t)


@dataclass(frozen=True)
class Gain:
    """Scores over the same `n` questions in [0, 1], gain and leakage, with paired bootstrap intervals.

    `s_t`, `ml` and `ml_signed` (S_wv - S_t, not cut at 0) are None without an LLM base.
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
    clusters: Sequence[Hashable | None] | None = None,
    repeats: int = REPEATS,
    seed: int = 0,
) -> Gain:
    """Return gain and leakage of three models' scores on the same questions, in the same order.

    The intervals are paired bootstraps of whole `clusters` (default: single questions); that of ML is cut at 0 as ML
    is. Raises ValueError for no questions, unequal lengths or
    scores that are not finite.
    """
    v, wv = np.asarray(with_images, dtype=np.float64), np.asarray(without, dtype=np.float64)
    if v.shape != wv.shape or (llm is not None and len(llm) != len(v)):
        raise ValueError("expected scores of the same questions, got different numbers of them")
    shared = [None] * len(v) if clusters is None else clusters
    interval = clustered_bootstrap((v - wv).tolist(), shared, repeats, seed)
    s_v, s_wv = float(v.mean()), float(wv.mean())
    mg = Estimate(multimodal_gain(s_v, s_wv), *interval)
    if llm is None:
        return Gain(len(v), s_v, s_wv, None, mg, None)
    t = np.asarray(llm, dtype=np.float64)
    s_t = float(t.mean())
    interval = clustered_bootstrap((wv - t).tolist(), shared, repeats, seed)
    cut = [end if math.isnan(end) else max(0.0, end) for end in interval]
    ml = Estimate(multimodal_leakage(s_wv, s_t), *cut)
    return Gain(len(v), s_v, s_wv, s_t, mg, ml, Estimate(s_wv - s_t, *interval))


def corrected_for_chance(score: float, options: int, is_answer: bool) -> float:
    """Return a score corrected for guessing: 1 for right, 0 for the expectation of a guess.

    (score - c) / (1 - c) with c = 1 / `options`, so -1 / (options - 1) for wrong; no answer counts as c, hence 0.
    Source: R. B. Frary, "Formula scoring of multiple-choice tests (correction for guessing)", 1988. Raises ValueError
    below two options.
    """
    if options < 2:
        raise ValueError(f"expected at least two options, got {options}")
    chance = 1 / options
    return (score - chance) / (1 - chance) if is_answer else 0.0


def natural(scores: Sequence[float]) -> tuple[list[float], str]:
    """Return scores as shares, and their unit: `percent` if one is above 1, else `shares`."""
    if any(score > 1 for score in scores):
        return [round(score / 100, 12) for score in scores], "percent"
    return list(scores), "shares"


def gain_of_totals(n: int, s_v: float, s_wv: float, s_t: float | None = None) -> Gain:
    """Return gain and leakage of three overall scores in any common unit, without intervals."""
    mg = Estimate(multimodal_gain(s_v, s_wv))
    if s_t is None:
        return Gain(n, s_v, s_wv, None, mg, None)
    return Gain(n, s_v, s_wv, s_t, mg, Estimate(multimodal_leakage(s_wv, s_t)), Estimate(s_wv - s_t))


def outcomes(v: float, wv: float, t: float | None = None) -> tuple[str, ...]:
    """Return the outcomes of a question from its scores (right is 1).

    `won_by_image`: right only with the image. `lost_by_image`: right only without. `leaked`: right without the image
    while the LLM base is wrong (paper, Figure 3).
    """
    shown = {"won_by_image": v > wv, "lost_by_image": wv > v, "leaked": t is not None and wv > t}
    return tuple(name for name, holds in shown.items() if holds)
