"""Registration with lmms-eval: models through its entry point, everything else by patches of its
modules.

The host has no entry point for tasks. It loads the entry point of models before it builds a task
index, so that is where the index learns of our folders. `lmms-eval tasks list` and `lmms-eval
serve` build an index without loading models; for them the package installs a `.pth` file that calls
`register_tasks` in the host's processes (setup.py).
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.extras import failure_of, require
from spiqa_tasks.files.atomic import check_folder
from spiqa_tasks.hosts.after_import import Patches, patch, replacing
from spiqa_tasks.hosts.lmms_eval import response_cache

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest

logger = logging.getLogger("spiqa_tasks")

# The host's filter of a task whose YAML names none; it takes the first of a request's answers.
NO_FILTER = "none"

# Model -> wrapped model, under whose name a task's `lmms_eval_specific_kwargs` are looked up.
wrapped_names: dict[str, str] = {}

# Options of the last evaluation that began: hooks and filters are called without them.
run_options: dict[str, Any] = {}

# Model name -> class; all are simple models of the host.
MODELS = {
    "random_choice": "spiqa_tasks.models.baselines.RandomChoice",
    "frequent_choice": "spiqa_tasks.models.baselines.FrequentChoice",
    "caption_retrieval": "spiqa_tasks.models.similarity.CaptionRetrieval",
    "ocr_baseline": "spiqa_tasks.models.similarity.OcrBaseline",
    "clip_choice": "spiqa_tasks.models.similarity.ClipChoice",
}

# The model that wraps another one; a chat model if its base is.
ABLATED = "ablated"


@contextmanager
def exit_with_message() -> Iterator[None]:
    """Turn exceptions into SystemExit with one sentence: lmms-eval retries or swallows
    everything else.
    """
    try:
        yield
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error
    except Exception as error:
        logger.exception("An unexpected error in a hook of the task:")
        raise SystemExit(
            f"spiqa-tasks: unexpected {type(error).__name__}: {error}; please report it."
        ) from error


def _patch_tasks(host: Any) -> None:
    """Add our folders to the task index, and give a wrapped model the YAML values of its base.

    Needed as the index has folders of `include_path` alone, until the host has an entry point for
    tasks.
    """

    @replacing(host.TaskManager, "initialize_tasks")
    def with_ours(
        initialize: Any,
        self: Any,
        include_path: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Make the host's index of tasks with the folders of ours."""
        from spiqa_tasks.benchmarks.registry import yaml_folder
        from spiqa_tasks.hosts.catalogue import filtered_tasks

        included = [include_path] if isinstance(include_path, str) else list(include_path or [])
        ours = map(str, [yaml_folder(), *filtered_tasks()])
        return initialize(self, [*included, *ours], *args, **kwargs)

    def get_model_name(self: Any) -> Any:
        name = self.__dict__["model_name"]
        return wrapped_names.get(name, name)

    host.TaskManager.model_name = property(
        get_model_name, lambda self, name: self.__dict__.update(model_name=name)
    )


def _patch_version(host: Any) -> None:
    """Take no commit for the host's version but one of a clone of the host.

    Needed as git answers for any repository around an installed host: an answer in the response
    cache was asked again, and paid again, after each commit to the user's own project.
    """

    @replacing(host, "_git_output")
    def of_clone(git_output: Any, *args: str) -> Any:
        if not Path(host.__file__).parents[1].joinpath(".git").exists():
            raise FileNotFoundError  # as without git, when the host takes the installed version
        return git_output(*args)


def _patch_filters(host: Any) -> None:
    """Score a task's answers together once its filters are applied: all judge requests at once.

    Repeated answers become separate requests, unless a filter of the task's YAML chooses among
    them. Needed as the evaluator calls `process_results` an answer at a time, until there is a hook
    for all answers of a task.
    """

    @replacing(host.FilterEnsemble, "apply")
    def then_score(apply: Any, self: Any, instances: list[Any], docs: Any) -> None:
        """Apply the host's filters; then score all answers of a task in one call, so that a judge
        is asked about them together.
        """
        from spiqa_tasks.hosts.lmms_eval.batch_scoring import is_ours, score_together, split_repeats
        from spiqa_tasks.hosts.lmms_eval.open_docs import rows_of

        for step in self.filters:
            # our `choice_letter`: --limit or several processes answer other docs than the first
            if hasattr(step, "positions"):
                step.positions = [instance.doc_id for instance in instances]
        rows = None
        if not run_options.get("predict_only"):
            rows = docs if is_ours(docs) else rows_of(instances, docs)
        if rows is not None and self.name == NO_FILTER:
            split_repeats(instances)
        apply(self, instances, docs)
        if rows is not None:
            score_together(instances, rows, self.name)


def _patch_filter_names(host: Any) -> None:
    """Register our filter for any task's `filter_list`: the host's table of names is closed,
    without an entry point.
    """
    from spiqa_tasks.hosts.lmms_eval.choice_filter import NAME, ChoiceLetter

    host.FILTER_REGISTRY[NAME] = ChoiceLetter


def _patch_results(host: Any) -> None:
    """Drop the row of the score that our samples have for `--baseline`: the host makes a row of
    every logged number.
    """

    @replacing(host.TaskOutput, "calculate_aggregate_metric")
    def of_rows(aggregate: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        """Aggregate without the entry for comparisons with a baseline, which is no metric."""
        from spiqa_tasks.hosts.lmms_eval.batch_scoring import LoggedRecord
        from spiqa_tasks.hosts.lmms_eval_files import BASELINE

        entries = itertools.chain.from_iterable(self.sample_metrics.values())
        if any(isinstance(entry, LoggedRecord) for entry in entries):
            for key in list(self.sample_metrics):
                if key[0] == BASELINE:
                    del self.sample_metrics[key]
        aggregate(self, *args, **kwargs)


def _patch_baselines(host: Any) -> None:
    """Exclude unscored answers of ours from `--baseline`.

    Needed as the host compares the text of a sample without a score with its target, until it
    leaves such samples out.
    """

    @replacing(host, "_extract_score_from_sample")
    def score_of(extract: Any, sample: Mapping[str, Any], task: str) -> Any:
        """Return the score to compare with a baseline; None for a sample of ours without one."""
        from spiqa_tasks.benchmarks.record import Record
        from spiqa_tasks.hosts.lmms_eval_files import BASELINE

        if BASELINE not in sample and Record.of_sample(sample) is not None:
            return None
        return extract(sample, task)


def _patch_options(host: Any) -> None:
    """Refuse `--num_fewshot` of our tasks before the model is loaded, and unknown columns of
    anybody's tasks before it is asked.

    Needed as the host fails while it makes the requests, or shows chat models no example, and as
    it hands docs to `process_docs` without their YAML.
    """

    @replacing(host, "evaluate")
    def of_known_columns(evaluate: Any, *args: Any, **kwargs: Any) -> Any:
        with exit_with_message():
            for listed in host.get_task_list(kwargs.get("task_dict") or {}):
                _check_columns(listed.task)
        return evaluate(*args, **kwargs)

    @replacing(host, "simple_evaluate")
    def checked(evaluate: Any, *args: Any, **kwargs: Any) -> Any:
        """Evaluate, unless an option does not go with one of our tasks."""
        from spiqa_tasks.hosts.catalogue import catalogue

        run_options.clear()
        run_options.update(kwargs)
        with exit_with_message():
            names = {name for name in kwargs.get("tasks") or () if isinstance(name, str)}
            if ours := names.intersection(itertools.chain(*catalogue())):
                _check_options(min(ours), kwargs)
        return evaluate(*args, **kwargs)


def _check_columns(task: Any) -> None:
    """Raise InputError if a task with our hooks or filter names a column that its docs lack, or has
    a doc without a picture.
    """
    from spiqa_tasks.hosts.lmms_eval.choice_filter import ChoiceLetter
    from spiqa_tasks.hosts.lmms_eval.open_docs import check_columns, check_pictures, is_marked

    check_columns(task)
    docs = task.eval_docs_no_media
    if not hasattr(docs, "column_names"):
        return  # docs of a host's own loader may be a list

    readers = [
        step
        for ensemble in task._filters
        for step in ensemble.filters
        if isinstance(step, ChoiceLetter)
    ]
    for step in readers:
        step.check(task)
    if readers or is_marked(docs):
        check_pictures(task)


def _check_options(task: str, options: Mapping[str, Any]) -> None:
    """Raise InputError for examples of the host, or an `--output_path` that cannot be written:
    the host would find out at the end, and lose all answers.

    Say which models its system turn does not reach.
    """
    output = getattr(options.get("evaluation_tracker"), "output_path", None)
    if output:
        check_folder(Path(output))
    if shots := options.get("num_fewshot"):
        raise InputError(
            f"Expected no --num_fewshot with {task}, found {shots}. Leave it out: our tasks have "
            "examples of their own, such as mmstar_filtered_llm and scifibench_cs_fig2cap_2shot."
        )
    if options.get("system_instruction"):
        logger.warning(
            "lmms-eval shows --system_instruction to simple models alone; a chat model gets none."
        )


# Module of the host -> the patch.
PATCHES: Patches = {
    "lmms_eval.utils": _patch_version,
    "lmms_eval.tasks": _patch_tasks,
    "lmms_eval.api.filter": _patch_filters,
    "lmms_eval.filters": _patch_filter_names,
    "lmms_eval.evaluator_utils": _patch_results,
    "lmms_eval.baselines.loader": _patch_baselines,
    "lmms_eval.evaluator": _patch_options,
    "lmms_eval.caching.response_cache": response_cache.patch,
}


# Program that imports what an evaluation needs, and calls the function that it calls first.
START = """
from lmms_eval import evaluator
prepare = getattr(evaluator, "_enable_reentrant_filelocks", None)
if prepare is not None:
    prepare()
"""


def failure_of_start() -> str | None:
    """Return why the host cannot start an evaluation, or None if it can; tried in a new process."""
    return failure_of(START)


def register() -> list[ModelManifest]:
    """Return our models for the entry point `lmms_eval.models`; registers our tasks, too.

    Raises SystemExit: the host cannot start. It would print a traceback's last line and end with
    status 0.
    """
    # an evaluation begins with the import of this module, which filelock 4.3 removed
    if find_spec("filelock._api") is None:
        raise SystemExit("lmms-eval cannot start with filelock 4.3: pip install 'filelock<4.3'")

    from lmms_eval.models.registry_v2 import ModelManifest

    register_tasks()
    return [
        ModelManifest(
            model_id=ABLATED,
            simple_class_path="spiqa_tasks.models.ablated.AblatedSimple",
            chat_class_path="spiqa_tasks.models.ablated.Ablated",
        ),
        *(ModelManifest(model_id=name, simple_class_path=path) for name, path in MODELS.items()),
    ]


def register_tasks() -> None:
    """Register our tasks with lmms-eval in this process, for scripts that call `simple_evaluate`.

    Imports no host.
    """
    patch(PATCHES)


def yaml_of(task: str) -> Path | None:
    """Return the YAML of a task or group of the host or of ours by its name, None without one."""
    entry = _task_index([]).get(task)
    return None if entry is None else Path(str(entry["yaml_path"])).resolve()


def source_task(task: str, include_path: Path | None) -> tuple[Path, dict[str, Any]]:
    """Return the YAML of any task of the host and its values, functions left out.

    Raises InputError: no task of this name, or a group.
    """
    require("lmms-eval", "Writing a task")
    from lmms_eval.utils import load_yaml_config

    folders = [] if include_path is None else [str(include_path)]
    index = _task_index(folders)
    if index.get(task, {}).get("type") not in ("task", "python_task"):
        raise InputError(
            f"Expected {task} to be a task of lmms-eval, found none. Name the folder of its YAML"
            " with --include-path."
        )
    path = Path(index[task]["yaml_path"]).resolve()
    return path, load_yaml_config(str(path), mode="simple")


def _task_index(folders: list[str]) -> dict[str, Any]:
    """Return task -> entry of the index of all tasks: the host's, ours and those in the folders.

    It takes seconds, and is not kept: a task may be written or deleted in this process.
    """
    from lmms_eval.tasks import TaskManager
    from loguru import logger as log_of_host

    register_tasks()
    log_of_host.disable("lmms_eval")
    try:
        index: dict[str, Any] = TaskManager("WARNING", folders).task_index
    finally:
        log_of_host.enable("lmms_eval")
    return index
