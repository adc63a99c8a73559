"""What the YAML of a benchmark of one's own says: where the data is, what its columns are, what is asked and measured.

A YAML is one of these where it has the keys `benchmark` and `data`. Keys and values are checked when it is read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from spiqa_tasks.benchmarks.own.prompts import PARTS, TEMPLATES, fields_in_path, fields_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.metrics.text_scores import METRICS as TEXTS
from spiqa_tasks.scoring.open_answers import exact_match, relaxed_match

Kind = Literal["open", "choice", "both"]
AnswerForm = Literal["letter", "index", "number", "text"]
Variant = Literal["text", "grey", "both"]
MATCHES: Mapping[str, Callable[[str, str], bool]] = {"exact_match": exact_match, "relaxed_accuracy": relaxed_match}
"""The metrics of open answers that need neither judge nor programs, with how they compare two texts."""
JUDGED = ("l3score", "compass")
"""Those that a judge gives, by the rule of the same name; one of them at most."""
METRICS: Mapping[str, Sequence[str]] = {
    "open": (*JUDGED, *MATCHES, *TEXTS),
    "choice": ("accuracy",),
    "both": ("accuracy", *MATCHES, *JUDGED, *TEXTS),
}
"""Kind -> the metrics that it may have."""
DEFAULT_METRICS: Mapping[str, Sequence[str]] = {
    "open": ("l3score", "exact_match"),
    "choice": ("accuracy",),
    "both": ("accuracy", "exact_match"),
}
_NAME = re.compile(r"[A-Za-z0-9]\w*", re.ASCII)


@dataclass(frozen=True)
class Columns:
    """The names of the data's columns, `a.b` for the field b of the column a.

    Attributes:
        question: the question's text.
        answer: the true answer, or the columns of several true answers; of a choice, the right option.
        id: the question's id; without it, the key of a JSON object, else the row's place from 0.
        options: a column with all options (a list, or the question's own text), or one column for each.
        images: columns with pictures, or paths with columns in braces (`images/{figure}.jpg`).
        groups: by which scores are broken down.
        cluster: what questions share, such as their picture, for standard errors.
    """

    question: str = "question"
    answer: tuple[str, ...] = ("answer",)
    id: str = ""
    options: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    cluster: str = ""

    @property
    def in_question(self) -> bool:
        """Whether the options stand within the question's text."""
        return self.options == (self.question,)


@dataclass(frozen=True)
class Definition:
    """A benchmark of one's own.

    Attributes:
        benchmark: its name, and that of its task.
        data: split -> path from `folder`, with wildcards, or `hf://datasets/OWNER/NAME@REVISION/PATH`.
        folder: of the YAML.
        columns: what is where.
        kind: `open` answers, `choice`s, or `both`: choices where a row has options.
        answer_is: how the right option is given: its letter, its index from 0, its number from 1, or its text.
        image_folder: where paths of pictures begin, from the data's folder.
        metrics: the first one is the headline.
        prompt: kind of a row -> template.
        variants: more tasks: without pictures, with grey ones, and the group of both beside the task itself.
        shots, shots_from: how many solved questions stand before each, and their split.
        max_new_tokens: how long an answer may be.
        where: column -> the values of the rows that are asked.
        values: the YAML's own.
    """

    benchmark: str
    data: Mapping[str, str]
    folder: Path
    columns: Columns
    kind: Kind
    answer_is: AnswerForm
    image_folder: str
    metrics: tuple[str, ...]
    prompt: Mapping[str, str]
    variants: tuple[Variant, ...]
    shots: int
    shots_from: str
    max_new_tokens: int
    where: Mapping[str, tuple[str, ...]]
    values: Mapping[str, Any]

    @property
    def split(self) -> str:
        """The split whose questions are asked."""
        return next(split for split in self.data if split != self.shots_from)

    @property
    def tasks(self) -> dict[str, str]:
        """Task -> its settings: the benchmark's own, and a variant for each ablation."""
        wanted = ("text", "grey") if "both" in self.variants else self.variants
        return {self.benchmark: ""} | {f"{self.benchmark}_{name}": f"ablation={name}" for name in wanted}

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Group -> its tasks."""
        return {f"{self.benchmark}_both": tuple(self.tasks)} if "both" in self.variants else {}

    @property
    def judged(self) -> str | None:
        """The metric that a judge gives; None without one."""
        return next((name for name in self.metrics if name in JUDGED), None)

    @property
    def prompt_columns(self) -> list[str]:
        """The columns that the prompts name, beside those of question, options and pictures."""
        named = {field for text in self.prompt.values() for _, field in fields_of(text, self.benchmark) if field}
        return sorted(named - set(PARTS))

    @property
    def named_columns(self) -> list[str]:
        """Every column that the YAML names."""
        columns = self.columns
        images = [name for each in columns.images for name in (fields_in_path(each) or [each])]
        named = [columns.id, columns.question, *columns.answer, *columns.options, *images, *columns.groups]
        return [name for name in [*named, columns.cluster, *self.where, *self.prompt_columns] if name]

    @property
    def portable(self) -> dict[str, Any]:
        """The YAML's values with its folder, of which `parse` makes the definition again."""
        return {**self.values, "folder": str(self.folder)}


KEYS = (
    *("benchmark", "data", "columns", "kind", "answer_is", "image_folder", "metrics", "prompt", "variants", "shots"),
    *("max_new_tokens", "where", "folder"),
)


def is_definition(values: Mapping[str, Any]) -> bool:
    """Return whether a YAML's values are a benchmark of one's own."""
    return "benchmark" in values and "data" in values and "task" not in values


def parse(values: Mapping[str, Any], folder: Path) -> Definition:
    """Return the definition in a YAML's values; `folder` is the YAML's, unless they name one.

    Raises:
        InputError: an unknown key or value.
    """
    name = str(values.get("benchmark", ""))
    where = f"the YAML of {name or 'a benchmark'}"
    _known(values, KEYS, where)
    if not _NAME.fullmatch(name):
        raise InputError(f"Expected benchmark: to be a name of letters, digits and _ in {where}; found {name!r}.")
    columns = _columns(values.get("columns") or {}, where)
    kind: Kind = _one_of("kind", values.get("kind", "choice" if columns.options else "open"), Kind, where)
    if kind != "open" and not columns.options:
        raise InputError(f"Expected columns: to name the options in {where}, which has kind: {kind}; found none.")
    shots = _mapping("shots", values.get("shots") or {}, where)
    _known(shots, ("split", "count"), f"shots: of {where}")
    data = values.get("data")
    found = Definition(
        benchmark=name,
        data={"test": data} if isinstance(data, str) else _texts_by_name("data", data, where),
        folder=Path(str(values.get("folder", folder))),
        columns=columns,
        kind=kind,
        answer_is=_one_of("answer_is", values.get("answer_is", "letter"), AnswerForm, where),
        image_folder=str(values.get("image_folder", "")),
        metrics=_metrics(values.get("metrics"), kind, where),
        prompt=_prompt(values.get("prompt"), columns, where),
        variants=tuple(_one_of("variants", each, Variant, where) for each in _texts(values.get("variants"))),
        shots=_count("shots: count", shots.get("count", 0), where),
        shots_from=str(shots.get("split", "")),
        max_new_tokens=_count("max_new_tokens", values.get("max_new_tokens", 512), where),
        where={
            column: _texts(wanted) for column, wanted in _mapping("where", values.get("where") or {}, where).items()
        },
        values={key: value for key, value in values.items() if key != "folder"},
    )
    if found.shots_from and (found.shots_from not in found.data or len(found.data) < 2 or not found.shots):
        raise InputError(
            f"Expected shots: to have a count, and a split of data: beside the one that is asked, in {where}; found "
            f"{dict(shots)} and the splits {', '.join(found.data)}."
        )
    return found


def _columns(values: Any, where: str) -> Columns:
    given = _mapping("columns", values, where)
    single, several = ("question", "id", "cluster"), ("answer", "options", "images", "groups")
    _known(given, (*single, *several), f"columns: of {where}")
    found: dict[str, Any] = {key: str(given[key]) for key in single if given.get(key)}
    found |= {key: _texts(given[key]) for key in several if given.get(key)}
    return Columns(**found)


def _metrics(given: Any, kind: Kind, where: str) -> tuple[str, ...]:
    found = _texts(given) or tuple(DEFAULT_METRICS[kind])
    _known(found, METRICS[kind], f"metrics: of {where}, whose kind is {kind}")
    if len(set(found) & set(JUDGED)) > 1:
        raise InputError(f"Expected metrics: to have one of {' and '.join(JUDGED)} at most in {where}, found both.")
    if kind == "both" and (found[0] != "accuracy" or not set(found) & set(MATCHES)):
        raise InputError(
            f"Expected metrics: to be accuracy and then {' or '.join(MATCHES)}, by which it counts open answers, in "
            f"{where} with kind: both; found {', '.join(found)}."
        )
    return found


def _prompt(given: Any, columns: Columns, where: str) -> dict[str, str]:
    default = {**TEMPLATES, "choice": TEMPLATES["listed"]} if columns.in_question else TEMPLATES
    found = {kind: default[kind] for kind in ("choice", "open")}
    if isinstance(given, str):
        found = dict.fromkeys(found, given)
    elif given is not None:
        _known(_mapping("prompt", given, where), tuple(found), f"prompt: of {where}")
        found |= {kind: str(text) for kind, text in given.items()}
    for text in found.values():
        fields_of(text, where)
    return found


def _known(given: Sequence[str] | Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            raise InputError(
                f"Expected {', '.join(known)} in {where}; found {key!r}." + (f" Is {near[0]} meant?" if near else "")
            )


def _one_of(key: str, value: Any, kind: Any, where: str) -> Any:
    if value not in get_args(kind):
        raise InputError(f"Expected {key}: to be one of {', '.join(get_args(kind))} in {where}; found {value!r}.")
    return value


def _count(key: str, value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"Expected {key}: to be a whole number in {where}; found {value!r}.")
    return value


def _mapping(key: str, value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"Expected {key}: to have names with values in {where}; found {value!r}.")
    return value


def _texts_by_name(key: str, value: Any, where: str) -> dict[str, str]:
    found = {str(name): str(text) for name, text in _mapping(key, value, where).items()}
    if not found:
        raise InputError(f"Expected {key}: to name a file in {where}; found none.")
    return found


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)
