"""L3Score on its own: questions, references and predictions in, scores out."""

import asyncio
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.judge.config import DEFAULT_JUDGE
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.rules.l3score import DEFAULT_PROMPT, TOP, L3ScoreRule
from spiqa_tasks.judge.rules.rule import Candidate
from spiqa_tasks.scoring.values import mean_or_nan


class L3Score:
    """SPIQA's L3Score (section 4) as a metric of its own, in the style of Hugging Face `evaluate`.

    >>> metric = L3Score(judge="openai:gpt-4o")
    >>> metric.compute(questions=["Where is Niagara Falls located?"], references=["In the United States and Canada."],
    ...                predictions=["Niagara Falls is on the border between the United States and Canada."])["l3score"]

    `judge` is `provider:model` or `provider:model@URL`; the URL may also be `base_url` and defaults to
    SPIQA_JUDGE_BASE_URL, then to the provider's. Without `api_key`, the key is the judge's own one in the environment
    (`spiqa_tasks.judge.resolve` has the rule): OPENAI_API_KEY goes to OpenAI alone. `prompt` is "released" or "paper",
    `top` the number of first-token log-probabilities used (the paper's 5). Verdicts are cached in
    `cache_dir` (default: SPIQA_TASKS_CACHE, then the platform's user cache folder) unless `cache=False`. Raises
    JudgeError where the judge returns no log-probabilities.
    """

    def __init__(
        self,
        judge: str = DEFAULT_JUDGE,
        base_url: str | None = None,
        api_key: str | None = None,
        prompt: str = DEFAULT_PROMPT,
        *,
        top: int = TOP,
        concurrency: int = 64,
        timeout: float = 60.0,
        cache: bool = True,
        cache_dir: str | Path | None = None,
    ) -> None:
        config = parse_judge(judge, base_url=base_url, api_key=api_key, environ=os.environ)
        folder = config.cache_dir if cache_dir is None else Path(cache_dir).expanduser()
        folder = folder if cache else None
        self._config = replace(config, concurrency=concurrency, timeout=timeout, cache_dir=folder)
        self._rule = L3ScoreRule(prompt, top)
        Judge(self._config, self._rule)

    async def acompute(self, **columns: Iterable[Any]) -> dict[str, Any]:
        """Return what `compute` returns, beside whatever else the event loop does meanwhile."""
        return await asyncio.to_thread(self.compute, **columns)

    def compute(
        self,
        *,
        questions: Iterable[str],
        references: Iterable[str | Iterable[str]],
        predictions: Iterable[str],
    ) -> dict[str, Any]:
        """Return the L3Score of predictions; of several references each is asked about and the best counts.

        Keys: `l3score` (the mean in [0, 1]; NaN when too few could be judged), `scores` (one in [0, 1] per prediction,
        None where the judge failed), `judge_failed` (how many), `reasons` (why, None where judged) and `signature`.
        Raises InputError for columns that do not fit, JudgeError where the judge cannot be used at all.
        """
        rows = _rows(questions, references, predictions)
        rule, judge = (
            self._rule,
            Judge(self._config, self._rule, report=False),
        )  # what failed is asked again
        candidates = [
            Candidate(answer, question, each) for question, right, answer in rows for each in right
        ]
        requests = [rule.request(candidate) for candidate in candidates]
        if judge.estimate(requests).calls:
            judge.preflight()
        verdicts = judge.verdicts(requests)
        found = iter(zip(candidates, verdicts, strict=True))
        asked = [[next(found) for _ in right] for _, right, _ in rows]
        scores = [_best([rule.score(*each) for each in pairs]) for pairs in asked]
        return {
            "l3score": mean_or_nan(scores),
            "scores": scores,
            "judge_failed": sum(score is None for score in scores),
            "reasons": [
                next((verdict.reason for _, verdict in pairs if verdict.reason), None)
                for pairs in asked
            ],
            "signature": {
                "judge": self._config.name,
                "judge_served": list(judge.summary().models),
                "judge_host": self._config.host,
                **rule.signature(),
                **({"references": "best"} if len(candidates) > len(rows) else {}),
                **({"judge_extra": self._config.extra} if self._config.extra else {}),
            },
        }


def _best(scores: list[float | None]) -> float | None:
    """Return the highest score; None if one is missing, which might be the highest."""
    return None if None in scores else max(score for score in scores if score is not None)


def _rows(
    questions: Iterable[str], references: Iterable[str | Iterable[str]], predictions: Iterable[str]
) -> list[tuple[str, list[str], str]]:
    """Return (question, references, prediction) of each answer; InputError for columns that do not fit."""
    if any(isinstance(column, str) for column in (questions, references, predictions)):
        raise InputError(
            "Expected lists of questions, references and predictions, found one string. Put it in a list."
        )
    asked, answers = list(questions), list(predictions)
    right = [
        list(each) if isinstance(each, Iterable) and not isinstance(each, str) else [each]
        for each in references
    ]
    if not len(asked) == len(right) == len(answers):
        raise InputError(
            f"Expected as many questions as references and predictions, found {len(asked)} questions, {len(right)} "
            f"references, {len(answers)} predictions."
        )
    rows = list(zip(asked, right, answers, strict=True))
    for place, row in enumerate(rows):
        if not row[1] or not conforms(row, tuple[str, list[str], str]):
            raise InputError(
                f"Expected question, references and prediction [{place}] as strings, found {row!r:.300}."
            )
    return rows
