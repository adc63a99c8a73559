"""The host's dataset class for all of our tasks."""

import json
import logging
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from vlmeval.dataset.image_base import ImageBaseDataset

from spiqa_tasks.benchmarks.metric import Value
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.hosts.lmms_eval_files import newest_summary
from spiqa_tasks.hosts.vlmevalkit.arguments import CLASS
from spiqa_tasks.hosts.vlmevalkit.checks import accepted
from spiqa_tasks.hosts.vlmevalkit.registration import host_version
from spiqa_tasks.hosts.vlmevalkit.scoring import judge_of, scored, write
from spiqa_tasks.hosts.vlmevalkit.tasks import (
    ID,
    QUESTION,
    REFERENCE,
    known,
    message,
    read_answers,
    rows_of,
    task_in,
)

logger = logging.getLogger("spiqa_tasks")

# Suffix of a withheld headline: the host drops rows without a number and takes the next one.
WITHHELD = "_withheld"


class SpiqaTasks(ImageBaseDataset):  # type: ignore[misc]
    """The dataset of one of our tasks; `dataset` is its name."""

    TYPE = CLASS
    """A type without special cases in model classes ("VQA" makes QwenVL append ` Answer:`)."""
    force_use_dataset_prompt = True
    """Use our prompt instead of the model class's."""

    def __init__(self, dataset: str, **_others: Any) -> None:
        # `_others`: some builds hand on all arguments of build_dataset
        super().__init__(dataset, skip_noimg=False)
        self.data[ID] = list(self.rows)  # the host converts numeric ids to numbers

    @classmethod
    def supported_datasets(cls) -> list[str]:
        """Return the names of the tasks."""
        return list(known().tasks)

    def load_data(self, dataset: str) -> pd.DataFrame:
        """Return a table with one line per row of the task, which the host writes with the answers.

        Its columns identify the questions; for SPIQA `figures` has the file names as shown.
        """
        self.task = known().tasks[dataset]
        self.rows = {row["id"]: row for row in rows_of(dataset)}

        lines = []
        for key, row in self.rows.items():
            line = {ID: key, QUESTION: row["question"], REFERENCE: row.get("answer", "")}
            if "figures" in row:
                line["figures"] = json.dumps([figure["file"] for figure in row["figures"]])
            lines.append(line)
        return pd.DataFrame(lines)

    def build_prompt(self, line: Any) -> list[dict[str, str]]:
        """Return the prompt of a line of the table, or of the line at a position."""
        if isinstance(line, int):
            line = self.data.iloc[line]
        return message(self.rows[str(line[ID])])

    def evaluate(self, eval_file: str, **judge_kwargs: Any) -> dict[str, float | None]:
        """Return our metrics of the host's file of answers; writes the scored run beside it."""
        path = Path(eval_file)
        # as the host hands on what its options say of a judge
        is_named = not judge_kwargs.keys().isdisjoint({"model", "api_base", "key"})
        model = path.stem.removesuffix(f"_{self.task.name}")
        scorer = make_scorer(
            self.task.benchmark,
            self.task.settings_text,
            f"vlmevalkit {host_version()}",
            judge_of(self.task, is_named),
            max_side=accepted.get(model, ""),
        )

        answers = scored(scorer, list(self.rows.values()), read_answers(path))
        for remark in remarks_on(scorer.benchmark, [answer.record for answer in answers]):
            logger.warning(remark)

        values = write(path.parent, model, self.task, scorer, answers)
        _warn_of_withheld(values)
        metrics = {
            name: None if math.isnan(value.value) else value.value for name, value in values.items()
        }

        # Without a judge L3Score is missing, and no text metric stands for it.
        headline = self.task.metric_names[0]
        if metrics.get(headline) is None:
            return {headline + WITHHELD: 1, **metrics}
        return metrics

    @classmethod
    def report_primary_metric(cls, metrics: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return {headline: value, None if withheld} for the host's summary."""
        if not metrics:
            return {}
        headline = next(iter(metrics)).removesuffix(WITHHELD)
        return {headline: metrics.get(headline)}

    @classmethod
    def report_judge_err(
        cls, prediction_file: Any, *, total_samples: int | None, **_others: Any
    ) -> dict[str, int | None]:
        """Return how many answers could not be judged, for the host's summary."""
        path = Path(str(prediction_file))
        summary = newest_summary(path.parent, task_in(path))
        failed = None if summary is None else summary["counts"]["judge_failed"]
        return {"failed": failed, "total": total_samples}


def _warn_of_withheld(values: Mapping[str, Value]) -> None:
    """Log why metrics have no value, once for those with the same reason."""
    withheld = defaultdict(list)
    for name, value in values.items():
        if value.reason and "/" not in name:  # not of a group
            withheld[value.reason].append(name)
    for reason, names in withheld.items():
        logger.warning(
            "Withheld, as %s: %s. `spiqa-tasks score` on the folder says more.",
            reason,
            ", ".join(names),
        )
