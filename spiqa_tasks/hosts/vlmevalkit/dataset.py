"""The host's dataset class for all of our tasks."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from vlmeval.dataset.image_base import ImageBaseDataset

from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.summary import remarks_on
from spiqa_tasks.hosts.lmms_eval_files import newest_summary
from spiqa_tasks.hosts.vlmevalkit.patches import host_version, read_answers, task_in
from spiqa_tasks.hosts.vlmevalkit.scoring import judge_of, scored, write
from spiqa_tasks.hosts.vlmevalkit.sent_pictures import accepted
from spiqa_tasks.hosts.vlmevalkit.tasks import known, message, rows_of

logger = logging.getLogger("spiqa_tasks")

WITHHELD = "_withheld"
"""Suffix of the headline if withheld: the host drops rows without a number and takes the next one for it."""


class SpiqaTasks(ImageBaseDataset):  # type: ignore[misc]
    """The dataset of one of our tasks; `dataset` is its name."""

    TYPE = "SpiqaTasks"
    """A type without special cases in model classes ("VQA" makes QwenVL append ` Answer:`)."""
    force_use_dataset_prompt = True
    """Use our prompt instead of the model class's."""

    def __init__(
        self, dataset: str, **_others: Any
    ) -> None:  # some builds hand on all arguments of build_dataset
        super().__init__(dataset, skip_noimg=False)
        self.data["index"] = list(self.rows)  # the host converts numeric ids to numbers

    @classmethod
    def supported_datasets(cls) -> list[str]:
        """Return the names of the tasks."""
        return list(known()[0])

    def load_data(self, dataset: str) -> pd.DataFrame:
        """Return a table with one line per row of the task, which the host writes with the answers.

        Its columns identify the questions; for SPIQA `figures` has the file names in the order shown.
        """
        self.task = known()[0][dataset]
        self.rows = {row["id"]: row for row in rows_of(dataset)}
        lines = []
        for key, row in self.rows.items():
            figures = (
                {"figures": json.dumps([figure["file"] for figure in row["figures"]])}
                if "figures" in row
                else {}
            )
            lines.append(
                {
                    "index": key,
                    "question": row["question"],
                    "answer": row.get("answer", ""),
                    **figures,
                }
            )
        return pd.DataFrame(lines)

    def build_prompt(self, line: Any) -> list[dict[str, str]]:
        """Return the prompt of a line of the table."""
        return message(
            self.rows[str((self.data.iloc[line] if isinstance(line, int) else line)["index"])]
        )

    def evaluate(self, eval_file: str, **judge_kwargs: Any) -> dict[str, float | None]:
        """Return our metrics of the host's file of answers; writes the scored run beside it."""
        path = self._answers(Path(eval_file))
        host = f"vlmevalkit {host_version()}"
        model = path.stem.removesuffix(f"_{self.task.name}")
        judge, pictures = judge_of(self.task, judge_kwargs), accepted.get(model, "")
        scorer = make_scorer(self.task.entry, self.task.settings, host, judge, pictures=pictures)
        answers = scored(scorer, list(self.rows.values()), read_answers(path))
        for line in remarks_on(scorer.benchmark, [answer.record for answer in answers]):
            logger.warning(line)
        values = write(path.parent, model, self.task, scorer, answers)
        for name, value in values.items():
            if value.reason is not None and "/" not in name:
                logger.warning("%s is withheld: %s.", name, value.reason)
        metrics = {
            name: None if value.value != value.value else value.value
            for name, value in values.items()
        }
        headline = next(iter(metrics))
        return (
            metrics
            if metrics[headline] is not None
            else {headline: None, headline + WITHHELD: 1, **metrics}
        )

    @classmethod
    def report_primary_metric(cls, metrics: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return {headline: value or None} for the host's summary."""
        if not metrics:
            return {}
        first = next(iter(metrics))
        headline = first.removesuffix(WITHHELD)
        return {headline: metrics[first] if first == headline else None}

    @classmethod
    def report_judge_err(
        cls, prediction_file: Any, *, total_samples: int | None, **_others: Any
    ) -> dict[str, int | None]:
        """Return how many answers could not be judged, for the host's summary."""
        path = Path(str(prediction_file))
        found = newest_summary(path.parent, task_in(path))
        return {
            "failed": None if found is None else found["counts"]["judge_failed"],
            "total": total_samples,
        }

    def _answers(self, path: Path) -> Path:
        """Return the file of answers; the host writes it under another name than it asks if `--config` renames it."""
        written = [
            each
            for suffix in ("tsv", "xlsx")
            for each in path.parent.glob(f"*_{self.task.name}.{suffix}")
        ]
        return path if path.is_file() or len(written) != 1 else written[0]
