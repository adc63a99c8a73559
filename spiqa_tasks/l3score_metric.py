"""L3Score on its own: questions, references and predictions in, scores out."""

import math
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.rules import (
    DEFAULT_PROMPT,
    LEAST_MASS,
    TOP,
    Candidate,
    L3ScoreRule,
    yes_no_mass,
)
from spiqa_tasks.judge.types import CONCURRENCY, DEFAULT_JUDGE, TIMEOUT, Verdict
from spiqa_tasks.scoring.values import mean_or_nan


class L3Score:
    """SPIQA's L3Score (section 4) as a metric of its own, in the style of Hugging Face `evaluate`.

    >>> metric = L3Score(judge="openai:gpt-4o")
    >>> metric.compute(
    ...     questions=["Where is Niagara Falls located?"],
    ...     references=["In the United States and Canada."],
    ...     predictions=["Niagara Falls is on the border between the United States and Canada."],
    ... )["l3score"]

    `judge` is `provider:model` or `provider:model@URL`; the URL may also be `base_url` and defaults
    to SPIQA_JUDGE_BASE_URL, then to the provider's. Without `api_key`, the key is the judge's own
    one in the environment (`spiqa_tasks.judge.resolve` has the rule): OPENAI_API_KEY goes to OpenAI
    alone. `prompt` is "released" or "paper", `top` the number of first-token log-probabilities used
    (the paper's 5). Verdicts are cached in `cache_dir` (default: SPIQA_TASKS_CACHE, then the
    platform's user cache folder) unless `cache=False`. Raises JudgeError where the judge returns no
    log-probabilities.
    """

    def __init__(
        self,
        judge: str = DEFAULT_JUDGE,
        base_url: str | None = None,
        api_key: str | None = None,
        prompt: str = DEFAULT_PROMPT,
        *,
        top: int = TOP,
        concurrency: int = CONCURRENCY,
        timeout: float = TIMEOUT,
        cache: bool = True,
        cache_dir: str | Path | None = None,
    ) -> None:
        config = parse_judge(judge, base_url=base_url, api_key=api_key, environ=os.environ)
        folder = config.cache_dir if cache_dir is None else Path(cache_dir).expanduser()
        folder = folder if cache else None
        self._config = replace(config, concurrency=concurrency, timeout=timeout, cache_dir=folder)
        self._rule = L3ScoreRule(prompt, top)
        Judge(self._config, self._rule)

    def compute(
        self,
        *,
        questions: Iterable[str],
        references: Iterable[str | Iterable[str]],
        predictions: Iterable[str],
    ) -> dict[str, Any]:
        """Return the L3Score of predictions; of several references the best counts.

        Keys: `l3score` (the mean in [0, 1]; NaN when too few could be judged, or by noise),
        `yes_no_mass` (the mean probability that the judge gave to yes and no together; below 0.5
        the score is noise), `scores` (one in [0, 1] per prediction, None where the judge failed),
        `judge_failed` (how many), `reasons` (why, None where judged) and `signature`. Raises
        InputError for columns that do not fit, JudgeError where the judge cannot be used at all.
        """
        rows = _rows(questions, references, predictions)
        judge = Judge(self._config, self._rule, report=False)  # a new one asks again what failed
        requests = [self._rule.request(candidate) for row in rows for candidate in row]
        if judge.estimate(requests).calls:
            judge.preflight()
        verdicts = judge.verdicts(requests)

        scores = []
        reasons = []
        remaining = iter(verdicts)
        for row in rows:
            of_row = [next(remaining) for _ in row]
            scores.append(self._best(row, of_row))
            reasons.append(_first_reason(of_row))

        mass = _mean_mass(verdicts)
        is_noise = mass < LEAST_MASS
        signature = judge.signature
        if len(requests) > len(rows):
            signature["references"] = "best"
        return {
            "l3score": math.nan if is_noise else mean_or_nan(scores),
            "yes_no_mass": mass,
            "scores": scores,
            "judge_failed": sum(score is None for score in scores),
            "reasons": reasons,
            "signature": signature,
        }

    def _best(self, row: list[Candidate], verdicts: list[Verdict]) -> float | None:
        """Return the highest score; None if one is missing, which might be the highest."""
        scores = []
        for candidate, verdict in zip(row, verdicts, strict=True):
            score = self._rule.score(candidate, verdict)
            if score is None:
                return None
            scores.append(score)
        return max(scores)


def _first_reason(verdicts: list[Verdict]) -> str | None:
    for verdict in verdicts:
        if verdict.reason:
            return verdict.reason
    return None


def _mean_mass(verdicts: list[Verdict]) -> float:
    masses = [yes_no_mass(verdict.top_logprobs) for verdict in verdicts if verdict.ok]
    return sum(masses) / len(masses) if masses else math.nan


def _rows(
    questions: Iterable[str], references: Iterable[str | Iterable[str]], predictions: Iterable[str]
) -> list[list[Candidate]]:
    """Return a candidate for each reference of each answer; InputError for unfit columns."""
    if any(isinstance(column, str) for column in (questions, references, predictions)):
        raise InputError(
            "Expected lists of questions, references and predictions, found one string. Put it in a"
            " list."
        )
    columns = list(questions), list(references), list(predictions)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise InputError(
            f"Expected as many questions as references and predictions, found {lengths[0]}"
            f" questions, {lengths[1]} references, {lengths[2]} predictions."
        )

    return [_row(position, *row) for position, row in enumerate(zip(*columns, strict=True))]


def _row(position: int, question: Any, references: Any, prediction: Any) -> list[Candidate]:
    several = [references] if isinstance(references, str) else references
    row = (question, list(several) if isinstance(several, Iterable) else [], prediction)
    if not any(row[1]) or not conforms(row, tuple[str, list[str], str]):
        raise InputError(
            f"Expected question, a reference and prediction [{position}] as strings, found"
            f" {row!r:.300}."
        )
    return [Candidate(prediction, question, reference) for reference in row[1]]
