"""Patches of seven modules of lmms-eval: task index, filters and their names, results, baselines, cache, interface."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.after_import import Patches

NO_FILTER = "none"
"""What the host calls the filter of a task whose YAML names none; it takes the first of a request's answers."""
wrapped_names: dict[str, str] = {}
"""Model name -> the name whose values a task's `lmms_eval_specific_kwargs` give it: that of the wrapped model."""


def _folders() -> list[Path]:
    """Return the folders with task YAMLs, looked up when needed: benchmarks may be registered until then."""
    from spiqa_tasks.benchmarks.registry import yaml_folder
    from spiqa_tasks.hosts.filtered_tasks import filtered_tasks, included_folders

    return [yaml_folder(), *filtered_tasks(), *included_folders()]


def _patch_tasks(host: Any) -> None:
    """The task index includes our folders, and a wrapped model gets the values of the one that it wraps."""
    manager = host.TaskManager
    initialize = manager.initialize_tasks

    @functools.wraps(initialize)
    def with_ours(self: Any, include_path: str | list[str] | None = None, *args: Any, **kwargs: Any) -> Any:
        from spiqa_tasks.hosts.lmms_eval.own_tasks import check_names, write_own

        given = [include_path] if isinstance(include_path, str) else list(include_path or [])
        own = write_own([Path(folder) for folder in given])
        index = initialize(self, [*given, *map(str, [*_folders(), *own])], *args, **kwargs)
        check_names(index, own)
        return index

    def get_model_name(self: Any) -> str | None:
        name: str | None = self.__dict__["model_name"]
        return wrapped_names.get(name, name) if name else name

    manager.initialize_tasks = with_ours
    manager.model_name = property(get_model_name, lambda self, name: self.__dict__.update(model_name=name))


def _patch_filters(host: Any) -> None:
    """When a task's answers are all there, they are scored together: the judge is asked everything at once.

    Repeated answers become requests of their own, where the task's YAML has no filter that chooses among them.
    """
    ensemble = host.FilterEnsemble
    apply = ensemble.apply

    @functools.wraps(apply)
    def then_score(self: Any, instances: list[Any], docs: Any) -> None:
        from spiqa_tasks.hosts.lmms_eval.batch_scoring import is_ours, score_together, split_repeats

        for each in self.filters:
            if hasattr(each, "places"):  # a limit, or another process, has other docs than the split's first ones
                each.places = [instance.doc_id for instance in instances]
        ours = is_ours(docs)
        if ours and self.name == NO_FILTER:
            split_repeats(instances)
        apply(self, instances, docs)
        if ours:
            score_together(instances, docs, self.name)

    ensemble.apply = then_score


def _patch_filter_names(host: Any) -> None:
    """A task's `filter_list` may name our filter."""
    from spiqa_tasks.hosts.lmms_eval.choice_filter import NAME, ChoiceLetter

    host.FILTER_REGISTRY[NAME] = ChoiceLetter


def _patch_discovery(host: Any) -> None:
    """The user interface lists our tasks and groups."""
    discover = host.discover_tasks

    @functools.wraps(discover)
    def with_ours(include_path: str | None = None) -> list[tuple[str, str]]:
        from spiqa_tasks.hosts.lmms_eval.own_tasks import write_own

        own = write_own([Path(include_path)] if include_path else [])
        paths = (path for folder in (*_folders(), *own) for path in folder.rglob("*.yaml"))
        ours = dict(entry for path in paths if (entry := host._parse_task_yaml(path)) is not None)
        return sorted((ours | dict(discover(include_path))).items())

    host.discover_tasks = with_ours


def _patch_results(host: Any) -> None:
    """A task of ours has no row for the score that its samples hold for `--baseline`."""
    output = host.TaskOutput
    aggregate = output.calculate_aggregate_metric

    @functools.wraps(aggregate)
    def of_rows(self: Any, *args: Any, **kwargs: Any) -> None:
        from spiqa_tasks.benchmarks.results_file import BASELINE
        from spiqa_tasks.hosts.lmms_eval.logged_record import LoggedRecord

        if any(isinstance(entry, LoggedRecord) for entries in self.sample_metrics.values() for entry in entries):
            for key in [key for key in self.sample_metrics if key[0] == BASELINE]:
                del self.sample_metrics[key]
        aggregate(self, *args, **kwargs)

    output.calculate_aggregate_metric = of_rows


def _patch_baselines(host: Any) -> None:
    """`--baseline` leaves out answers of ours without a score; the host would compare their text with the target."""
    extract = host._extract_score_from_sample

    @functools.wraps(extract)
    def score_of(sample: Mapping[str, Any], task: str) -> float | None:
        from spiqa_tasks.benchmarks.results_file import BASELINE
        from spiqa_tasks.hosts.lmms_eval.logged_record import record_of

        if BASELINE not in sample and record_of(sample) is not None:
            return None
        score: float | None = extract(sample, task)
        return score

    host._extract_score_from_sample = score_of


def _patch_cache(host: Any) -> None:
    """The response cache survives a killed run and keeps no failed request."""
    from spiqa_tasks.hosts.lmms_eval import response_cache

    response_cache.patch(host)


PATCHES: Patches = {
    "lmms_eval.tasks": ("TaskManager", _patch_tasks),
    "lmms_eval.api.filter": ("FilterEnsemble", _patch_filters),
    "lmms_eval.filters": ("FILTER_REGISTRY", _patch_filter_names),
    "lmms_eval.evaluator_utils": ("TaskOutput", _patch_results),
    "lmms_eval.baselines.loader": ("load_baseline", _patch_baselines),
    "lmms_eval.caching.response_cache": ("ResponseCache", _patch_cache),
    "lmms_eval.tui.discovery": ("discover_tasks", _patch_discovery),
}
