"""The YAMLs of our tasks as the host wants them: a template for the tasks of a benchmark, a leaf for each task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED, Metric
from spiqa_tasks.benchmarks.benchmark import Benchmark

TEMPLATE = "_template_yaml"
STUB = "rows.jsonl"
"""The host's own loader reads this, one row that names the benchmark; our hook puts the documents in its place."""

_HOOKS = """\
dataset_path: json
dataset_kwargs: {{data_files: {{{files}}}}}
dataset_name: {settings}
process_docs: !function spiqa_tasks.utils.documents.load
doc_to_messages: !function spiqa_tasks.utils.prompts.doc_to_messages
doc_to_visual: !function spiqa_tasks.utils.prompts.doc_to_visual
doc_to_text: !function spiqa_tasks.utils.prompts.doc_to_text
doc_to_target: answer
process_results: !function spiqa_tasks.utils.answers.process_results
output_type: generate_until
"""
_PICTURES = """\
lmms_eval_specific_kwargs:  # encoded: PNG files go to the server as they are; path: the class reads files
  openai: {images: encoded}
  openai_compatible: {images: encoded}
  async_openai: {images: encoded}
  async_openai_compatible: {images: encoded}
  vllm: {images: encoded}
  qwen2_5_vl: {images: path}
  default: {images: pil}
"""


@dataclass(frozen=True)
class Leaf:
    """A task: its name, split and settings; `about` becomes a comment, `extra` further lines."""

    name: str
    split: str
    settings: str = ""
    about: str = ""
    extra: Sequence[str] = ()

    def text(self) -> str:
        """Return its YAML."""
        lines = [f"# {self.about}"] if self.about else []
        lines += [f"include: {TEMPLATE}", f"task: {self.name}", f"test_split: {self.split}"]
        lines += [f"dataset_name: {self.settings}"] if self.settings else []
        return "\n".join([*lines, *self.extra]) + "\n"


@dataclass(frozen=True)
class Group:
    """A group: its name and members; with `mean_of` the mean of that metric over them is its own number."""

    name: str
    members: Sequence[str]
    about: str = ""
    mean_of: str = ""

    def text(self) -> str:
        """Return its YAML."""
        lines = [f"# {self.about}"] if self.about else []
        lines += [f"group: {self.name}", f"task: [{', '.join(self.members)}]"]
        if self.mean_of:
            metric = f"{{metric: {self.mean_of}, aggregation: mean, weight_by_size: false}}"
            lines += [f"aggregate_metric_list: [{metric}]", "metadata: {version: 2.0}"]
        return "\n".join(lines) + "\n"


def template(benchmark: Benchmark, head: str, settings: str, variants: Sequence[str]) -> str:
    """Return the YAML that the tasks of a benchmark include; `head` are its first lines.

    `settings` is the text of the settings that a leaf has which names none, `variants` has every text of settings whose
    rows of the host's table a task may have.
    """
    splits = ", ".join(f"{split}: {STUB}" for split in benchmark.splits)
    rows = "".join(
        f"  - {{metric: {name}, aggregation: !function spiqa_tasks.utils.answers.aggregate, "
        f"higher_is_better: {str(metric.higher_is_better).lower()}}}\n"
        for name, metric in _rows(benchmark, variants).items()
    )
    headline = benchmark.headline(benchmark.parse(settings)).name
    metadata = f"{{version: 2.0, benchmark: {benchmark.name}, headline: {headline}}}"
    if benchmark.definition is not None:
        values = {"benchmark": benchmark.name, "headline": headline, "definition": benchmark.definition}
        metadata = json.dumps({"version": 2.0, **values})
    length = generation(benchmark.max_new_tokens) + "\n"
    cluster = "cluster_key: cluster\n" if benchmark.clustered else ""
    parts = [head, _HOOKS.format(files=splits, settings=settings), length, _PICTURES, cluster]
    return "".join([*parts, "metric_list:\n", rows, f"metadata: {metadata}\n"])


def stub(benchmark: Benchmark) -> str:
    """Return the row that the host's own loader reads."""
    own = {} if benchmark.definition is None else {"definition": json.dumps(benchmark.definition)}
    return json.dumps({"benchmark": benchmark.name, **own}) + "\n"


def generation(tokens: int, until: Sequence[str] = ()) -> str:
    """Return the line that says how answers are generated."""
    sampling = "temperature: 0, do_sample: false, top_p: 1.0"
    return f"generation_kwargs: {{max_new_tokens: {tokens}, {sampling}, until: {json.dumps(list(until))}}}"


def _rows(benchmark: Benchmark, variants: Sequence[str]) -> dict[str, Metric]:
    """Row of the host's table -> its metric, of all variants of a task's settings."""
    rows: dict[str, Metric] = {}
    for variant in variants:
        settings = benchmark.parse(variant)
        for name in benchmark.rows_of_table(settings):
            rows.setdefault(name, benchmark.metric(name, settings))
    return rows | {SCORING_FAILED.name: SCORING_FAILED}
