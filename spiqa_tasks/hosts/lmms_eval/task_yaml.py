"""YAMLs of tasks for the host: a template per benchmark, a leaf per task; those of users' benchmarks are cached."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.aggregation import SCORING_FAILED, Metric
from spiqa_tasks.benchmarks.benchmark import Benchmark, settings_text
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_plugins
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.hosts.catalogue import included_folders, own_definitions
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence

TEMPLATE = "_template_yaml"
STUB = "rows.jsonl"
"""The host's own loader reads this, one row that names the benchmark; our hook puts the documents in its place."""

_HOOKS = """\
dataset_path: json
dataset_kwargs: {{data_files: {{{files}}}}}
dataset_name: {settings}
process_docs: !function spiqa_tasks.utils.documents.load
doc_to_messages: !function spiqa_tasks.utils.documents.doc_to_messages
doc_to_visual: !function spiqa_tasks.utils.documents.doc_to_visual
doc_to_text: !function spiqa_tasks.utils.documents.doc_to_text
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


def leaf(name: str, split: str, settings: str = "") -> str:
    """Return the YAML of a task."""
    own = f"dataset_name: {settings}\n" if settings else ""
    return f"include: {TEMPLATE}\ntask: {name}\ntest_split: {split}\n{own}"


def group(name: str, members: Sequence[str]) -> str:
    """Return the YAML of a group."""
    return f"group: {name}\ntask: [{', '.join(members)}]\n"


def template(benchmark: Benchmark, head: str, settings: str, variants: Sequence[str]) -> str:
    """Return the YAML that the tasks of a benchmark include; `head` are its first lines.

    `settings` is the default of leaves without `dataset_name`; the host's table may have the rows of all `variants`.
    """
    metrics: dict[str, Metric] = {}
    for parsed in map(benchmark.parse, variants):
        for name in benchmark.rows_of_table(parsed):
            metrics.setdefault(name, benchmark.metric(name, parsed))
    splits = ", ".join(f"{split}: {STUB}" for split in benchmark.splits)
    rows = "".join(
        f"  - {{metric: {name}, aggregation: !function spiqa_tasks.utils.answers.aggregate, "
        f"higher_is_better: {str(metric.higher_is_better).lower()}}}\n"
        for name, metric in (metrics | {SCORING_FAILED.name: SCORING_FAILED}).items()
    )
    headline = benchmark.metrics(benchmark.parse(settings))[0].name
    metadata = f"{{version: 2.0, benchmark: {benchmark.name}, headline: {headline}}}"
    if benchmark.definition is not None:
        own = {
            "benchmark": benchmark.name,
            "headline": headline,
            "definition": benchmark.definition,
        }
        metadata = json.dumps({"version": 2.0, **own})
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


def write_own(folders: Iterable[Path]) -> list[Path]:
    """Write YAMLs of benchmarks without any, of packages or defined in folders; return their folders in the cache."""
    with one_sentence():
        load_plugins()
        found = [
            definition.benchmark for definition in own_definitions([*folders, *included_folders()])
        ]
        others = [
            each.name for each in BENCHMARKS.values() if each.tasks and each.definition is None
        ]
        return [_written(BENCHMARKS[name]) for name in dict.fromkeys([*found, *others])]


def check_names(index: Mapping[str, Mapping[str, Any]], own: Iterable[Path]) -> None:
    """Raise SystemExit for a user's benchmark with the name of a task of the host, which would be run instead."""
    with one_sentence():
        for path in (path for folder in own for path in folder.glob("*.yaml")):
            entry = index.get(path.stem)
            if entry is not None and Path(str(entry["yaml_path"])).parent != path.parent:
                other = f"{path.stem}, which is at {entry['yaml_path']} too"
                raise InputError(
                    f"Expected another name than that of a task of lmms-eval, found {other}. Rename it."
                )


def _written(benchmark: Benchmark) -> Path:
    """Return the folder with a benchmark's template and tasks; unchanged files are not written again."""
    source = str((benchmark.definition or {}).get("folder", ""))
    folder = (
        cache_folder()
        / "own"
        / f"{benchmark.name}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
    )
    head = f"# What the tasks of {benchmark.name} share; made of it by spiqa-tasks.\n"
    variants = [settings for _, settings in benchmark.tasks.values()]
    made = {
        TEMPLATE: template(benchmark, head, settings_text(benchmark.parse("")), variants),
        STUB: stub(benchmark),
        **{f"{name}.yaml": leaf(name, *what) for name, what in benchmark.tasks.items()},
        **{f"{name}.yaml": group(name, members) for name, members in benchmark.groups.items()},
    }
    for name, text in made.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            write_atomically(path, text.encode())
    for path in folder.glob("*.yaml"):
        if path.name not in made:
            path.unlink(missing_ok=True)  # another process may be faster
    return folder
