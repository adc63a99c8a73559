"""L3Score on its own: questions, references and predictions in, scores out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.config import DEFAULT_JUDGE
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.rules.l3score import DEFAULT_PROMPT, TOP, L3ScoreRule
from spiqa_tasks.judge.rules.rule import Candidate
from spiqa_tasks.scoring.coverage import mean_or_nan


class L3Score:
    """SPIQA's L3Score (section 4) as a metric of its own, in the style of Hugging Face `evaluate`.

    >>> metric = L3Score(judge="openai:gpt-4o")
    >>> metric.compute(questions=["Where is Niagara Falls located?"], references=["In the United States and Canada."],
    ...                predictions=["Niagara Falls is on the border between the United States and Canada."])["l3score"]

    `judge` is `provider:model` or `provider:model@URL`; the URL may also be `base_url` and defaults to
    SPIQA_JUDGE_BASE_URL, then to the provider's. Without `api_key`, the key is the judge's own one in the environment
    (`spiqa_tasks.judge.resolve` has the rule): OPENAI_API_KEY goes to OpenAI alone. `prompt` is "released" or "paper",
    `top` the number of first-token log-probabilities used (the paper's 5) or "full-vocabulary". Verdicts are cached in
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
        top: int | str = TOP,
        concurrency: int = 64,
        timeout: float = 60.0,
        cache: bool = True,
        cache_dir: str | Path | None = None,
    ) -> None:
        config = parse_judge(judge, base_url=base_url, api_key=api_key, environ=os.environ)
        config = replace(config, concurrency=concurrency, timeout=timeout, cache=cache)
        if cache_dir is not None:
            config = replace(config, cache_dir=Path(os.path.expanduser(cache_dir)))
        self._config, self._rule = config, L3ScoreRule(prompt, top)
        Judge(config, self._rule)

    def compute(
        self, *, questions: Sequence[str], references: Sequence[str], predictions: Sequence[str]
    ) -> dict[str, Any]:
        """Return `l3score` (the mean in [0, 1]; NaN when too few could be judged), `scores` (one in [0, 1] per
        prediction, None where the judge failed), `judge_failed` (how many), `reasons` (why, None where judged) and
        `signature`. Raises InputError for lists that do not fit, JudgeError where the judge cannot be used at all.
        """
        _check(questions, references, predictions)
        rule, judge = self._rule, Judge(self._config, self._rule, report=False)  # what failed is asked again
        candidates = list(map(Candidate, predictions, questions, references))
        requests = [rule.request(candidate) for candidate in candidates]
        if judge.estimate(requests).calls:
            judge.preflight()
        verdicts = judge.verdicts(requests)
        scores = [rule.score(candidate, verdict) for candidate, verdict in zip(candidates, verdicts, strict=True)]
        return {
            "l3score": mean_or_nan(scores),
            "scores": scores,
            "judge_failed": sum(score is None for score in scores),
            "reasons": [verdict.reason for verdict in verdicts],
            "signature": {
                "judge": self._config.name,
                "judge_served": list(judge.summary().models),
                "judge_host": self._config.host,
                **rule.signature(),
                **({"judge_extra": self._config.extra} if self._config.extra else {}),
            },
        }


def _check(questions: Sequence[str], references: Sequence[str], predictions: Sequence[str]) -> None:
    columns = {"questions": questions, "references": references, "predictions": predictions}
    for name, column in columns.items():
        if isinstance(column, str):
            raise InputError(f"{name} must be a list of strings, found one string; put it in a list.")
        for position, text in enumerate(column):
            if not isinstance(text, str):
                raise InputError(f"{name}[{position}] must be a string, found {type(text).__name__}.")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise InputError(f"Expected as many questions as references and predictions, found {found}.")
