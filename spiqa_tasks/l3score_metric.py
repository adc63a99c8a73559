"""L3Score on its own: questions, references and predictions in, scores out."""

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.rules import DEFAULT_PROMPT, L3ScoreRule
from spiqa_tasks.judge.types import CONCURRENCY, DEFAULT_JUDGE, TIMEOUT


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
    alone. `prompt` is "released" or "paper". Verdicts are cached in `cache_dir` (default:
    SPIQA_TASKS_CACHE, then the platform's user cache folder) unless `cache=False`. Raises
    JudgeError where the judge returns no log-probabilities.
    """

    def __init__(
        self,
        judge: str = DEFAULT_JUDGE,
        base_url: str | None = None,
        api_key: str | None = None,
        prompt: str = DEFAULT_PROMPT,
        *,
        concurrency: int = CONCURRENCY,
        timeout: float = TIMEOUT,
        cache: bool = True,
        cache_dir: str | Path | None = None,
    ) -> None:
        config = parse_judge(judge, base_url=base_url, api_key=api_key, environ=os.environ)
        folder = config.cache_dir if cache_dir is None else Path(cache_dir).expanduser()
        folder = folder if cache else None
        self._config = replace(config, concurrency=concurrency, timeout=timeout, cache_dir=folder)
        self._rule = L3ScoreRule(prompt)
        Judge(self._config, self._rule)  # raises now if the judge cannot answer by the rule

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
        # Imported when a score is asked for: it takes as long as all else.
        from spiqa_tasks.benchmarks.answers import FREE_ANSWERS, FreeSettings, best_score, free_row
        from spiqa_tasks.benchmarks.open_metrics import L3SCORE, YES_NO_MASS
        from spiqa_tasks.benchmarks.record import Response
        from spiqa_tasks.benchmarks.scorer import Scorer, judged

        answers = _answers(questions, references, predictions)
        # A new judge for each call: it asks again for the verdicts that failed in the last one.
        judge = Judge(self._config, self._rule, report=False)
        scorer = Scorer(FREE_ANSWERS, FreeSettings(), "", judge)
        records = []
        for position, (question, references_of_answer, prediction) in enumerate(answers):
            row = free_row(str(position), question, references_of_answer)
            records.append(scorer.record(row, Response(prediction)))

        requests = scorer.requests(records)
        if judge.estimate(requests).calls:
            judge.preflight()

        records = judged(records, judge)
        scores = [best_score(L3SCORE, record) for record in records]
        signature = judge.signature
        if len(requests) > len(answers):  # one for each reference of an answer
            signature["references"] = "best"
        return {
            "l3score": scorer.value(L3SCORE, records).value,
            "yes_no_mass": scorer.value(YES_NO_MASS.name, records).value,
            "scores": scores,
            "judge_failed": scores.count(None),
            "reasons": [record.reason for record in records],
            "signature": signature,
        }


def _answers(*columns: Iterable[Any]) -> list[tuple[str, list[str], str]]:
    """Return question, references and prediction of each answer; a string is a column of one.

    Raises InputError: columns of different lengths, an empty question or reference, or no string.
    """
    answers = []
    lists = ([column] if isinstance(column, str) else column for column in columns)
    for position, row in enumerate(zip_longest(*lists)):
        question, references, prediction = row
        is_list = isinstance(references, Iterable) and not isinstance(references, str)
        listed = list(references) if is_list else [references]

        answer = (question, listed, prediction)
        is_empty = not question or not any(listed)
        if is_empty or not conforms(answer, tuple[str, list[str], str]):
            raise InputError(
                "Expected as many questions as references and predictions, all of them strings;"
                f" found {row!r:.300} for prediction [{position}]."
            )
        answers.append(answer)
    return answers
