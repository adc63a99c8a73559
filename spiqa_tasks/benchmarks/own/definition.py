"""The YAML of a user's benchmark: its data, columns, prompt and metrics, validated when it is read."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictInt,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from spiqa_tasks.benchmarks.own.cells import AnswerForm
from spiqa_tasks.benchmarks.own.prompts import ONE_LETTER, PARTS, SEVERAL_LETTERS, TEMPLATES, fields_in_path, fields_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.metrics.quantities import quantity_match
from spiqa_tasks.metrics.text_scores import METRICS as TEXTS
from spiqa_tasks.scoring.open_answers import exact_match, mathvista_match, relaxed_match

Kind = Literal["open", "choice", "both"]
Variant = Literal["text", "grey", "both"]
MATCHES: Mapping[str, Callable[[str, str], bool | None]] = {
    "exact_match": exact_match,
    "relaxed_accuracy": relaxed_match,
    "mathvista_accuracy": mathvista_match,
    "match": quantity_match,
}
"""Metrics of open answers that need neither judge nor programs -> the comparison of two texts; None: not read."""
ALL_LETTERS = "accuracy_all_letters"
"""The accuracy of choices with several right options, all of which, and no other, have to be picked."""
JUDGED = ("l3score", "l3score_sampled", "compass")
"""Metrics that a judge gives, by the rule of the same name; a definition has one of them at most."""
METRICS: Mapping[str, Sequence[str]] = {
    "open": (*JUDGED, *MATCHES, *TEXTS),
    "choice": ("accuracy",),
    "both": ("accuracy", *MATCHES, *JUDGED, *TEXTS),
}
"""Kind -> the metrics that it may have."""
DEFAULT_METRICS: Mapping[str, tuple[str, ...]] = {
    "open": ("l3score", "exact_match"),
    "choice": ("accuracy",),
    "both": ("accuracy", "exact_match"),
}


def _accuracy_of(metrics: Iterable[str], answer_is: AnswerForm) -> tuple[str, ...]:
    return tuple(ALL_LETTERS if name == "accuracy" and answer_is == "letters" else name for name in metrics)


def _as_tuple(value: Any) -> Any:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


Text: TypeAlias = Annotated[str, BeforeValidator(str)]
"""Numbers and booleans of a YAML are text, too: a column may be called 1."""
Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
"""One text or a list of them."""
Count: TypeAlias = Annotated[StrictInt, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, values: Any) -> Any:
        """Drop keys without a value, which mean the default; keys of a YAML may be numbers."""
        if not isinstance(values, Mapping):
            return values
        kept = {str(key): value for key, value in values.items()}
        return {key: kept[key] for key in kept if key not in cls.model_fields or kept[key] not in (None, "", [])}


class Columns(_Part):
    """The names of the data's columns, as docs/own.md describes them; `a.b` is the field b of the column a.

    `options` of `{values: [...]}` are the same for all rows; `distractors` are options beside the answer's text.
    """

    question: Text = "question"
    answer: Texts = ("answer",)
    id: Text = ""
    options: Texts = ()
    values: Texts = ()
    distractors: Texts = ()
    images: Texts = ()
    groups: Texts = ()
    cluster: Text = ""
    points: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _same_for_all(cls, values: Any) -> Any:
        options = values.get("options") if isinstance(values, Mapping) else None
        if not isinstance(options, Mapping):
            return values
        if options.keys() != {"values"} or len(options["values"]) < 2:
            raise ValueError("a mapping of options is {values: [True, False, ...]}, with two or more")
        return {**values, "options": [], "values": options["values"]}

    @property
    def has_options(self) -> bool:
        """Whether rows have options, of whatever origin."""
        return bool(self.options or self.values or self.distractors)

    @property
    def in_question(self) -> bool:
        """Whether the options stand within the question's text."""
        return self.options == (self.question,)


class Shots(_Part):
    """The number of solved questions before each, and the split that has them."""

    split: Text = ""
    count: Count = 0


class Match(_Part):
    """The largest error of a number, as a share of the true one, and whether units are read; the metric `match`."""

    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.0
    units: bool = False


class Definition(_Part):
    """The values of a YAML, as docs/own.md describes them, and its folder.

    A field's validator may read only the fields above it.
    """

    benchmark: Text
    folder: Path
    data: Annotated[
        dict[Text, Text],
        BeforeValidator(lambda data: {"test": data} if isinstance(data, str) else data),
        Field(min_length=1),
    ]
    columns: Columns = Columns()
    kind: Kind = Field(default_factory=lambda known: "choice" if known["columns"].has_options else "open")
    answer_is: AnswerForm = "letter"
    image_folder: Text = ""
    match: Match | None = None
    metrics: Texts = Field(
        default_factory=lambda known: _accuracy_of(
            [
                "match" if known.get("match") and name == "exact_match" else name
                for name in DEFAULT_METRICS[known["kind"]]
            ],
            known["answer_is"],
        )
    )
    prompt: dict[str, Text] = Field(default={}, validate_default=True)
    variants: Annotated[tuple[Variant, ...], BeforeValidator(_as_tuple)] = ()
    shots: Shots = Shots()
    max_new_tokens: Count = 512
    where: dict[Text, Texts] = {}
    faults: Literal["refuse", "skip"] = "refuse"
    _values: dict[str, Any] = PrivateAttr(default_factory=dict)

    @field_validator("benchmark")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9]\w*", name, re.ASCII):
            raise ValueError("a name has letters, digits and _")
        return name

    @field_validator("kind")
    @classmethod
    def _has_options(cls, kind: Kind, info: ValidationInfo) -> Kind:
        if kind != "open" and "columns" in info.data and not info.data["columns"].has_options:
            raise ValueError("columns: has to name the options")
        return kind

    @field_validator("metrics")
    @classmethod
    def _fit_the_kind(cls, metrics: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        kind = info.data.get("kind", "both")
        known = _accuracy_of(METRICS[kind], info.data.get("answer_is", "letter"))
        _check_known(metrics, known)
        if ("match" in metrics) == (info.data.get("match") is None):
            raise ValueError("the metric match and the key match: belong together")
        if "columns" in info.data and info.data["columns"].points and metrics[0] in TEXTS:
            raise ValueError("points: of columns: do not weigh text metrics; put another metric first")
        if len(set(metrics) & set(JUDGED)) > 1:
            raise ValueError(f"a benchmark has one of {' and '.join(JUDGED)} at most")
        if kind == "both" and (metrics[0] != known[0] or not set(metrics) & set(MATCHES)):
            raise ValueError(
                f"with kind: both it is {known[0]} and then {' or '.join(MATCHES)}, by which it counts open answers"
            )
        return metrics

    @field_validator("prompt", mode="before")
    @classmethod
    def _templates(cls, prompt: Any, info: ValidationInfo) -> Any:
        listed = "columns" in info.data and info.data["columns"].in_question
        default = {"choice": TEMPLATES["listed" if listed else "choice"], "open": TEMPLATES["open"]}
        if info.data.get("answer_is") == "letters":
            default["choice"] = default["choice"].replace(ONE_LETTER, SEVERAL_LETTERS)
        if isinstance(prompt, str):
            prompt = dict.fromkeys(default, prompt)
        if not isinstance(prompt, Mapping):
            return prompt
        _check_known(prompt, default)
        for text in prompt.values():
            fields_of(str(text), f"the YAML of {info.data.get('benchmark')}")
        return {**default, **prompt}

    @field_validator("shots")
    @classmethod
    def _from_another_split(cls, shots: Shots, info: ValidationInfo) -> Shots:
        data = info.data.get("data", {})
        if shots.split and (shots.split not in data or len(data) < 2 or not shots.count):
            raise ValueError(f"it needs a count, and a split of data: ({', '.join(data)}) beside the one that is asked")
        return shots

    @property
    def split(self) -> str:
        """The split whose questions are asked."""
        return next(split for split in self.data if split != self.shots.split)

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
    def matches(self) -> dict[str, Callable[[str, str], bool | None]]:
        """`MATCHES` with this tolerance and these units."""
        return {**MATCHES, "match": partial(quantity_match, **dict(self.match or Match()))}

    @property
    def accuracy(self) -> str:
        """The metric of choices."""
        return ALL_LETTERS if self.answer_is == "letters" else "accuracy"

    @property
    def judged(self) -> str | None:
        """The metric that a judge gives, or None."""
        return next((name for name in self.metrics if name in JUDGED), None)

    @property
    def prompt_columns(self) -> list[str]:
        """The columns that the prompts name, without those of question, options and pictures."""
        named = {field for text in self.prompt.values() for _, field in fields_of(text, self.benchmark) if field}
        return sorted(named - set(PARTS))

    @property
    def named_columns(self) -> list[str]:
        """Every column that the YAML names."""
        columns = self.columns.model_dump(exclude={"values"}).values()
        named = [name for each in columns for name in ([each] if isinstance(each, str) else each)]
        named = [*named, *self.where, *self.prompt_columns]
        return [part for name in named if name for part in (fields_in_path(name) or [name])]

    @property
    def portable(self) -> dict[str, Any]:
        """The YAML's values with its folder, of which `parse` makes the definition again."""
        return {**self._values, "folder": str(self.folder)}


def parse(values: Mapping[str, Any], folder: Path) -> Definition:
    """Return the definition in a YAML's values; `folder` is the YAML's, unless they name one.

    Raises InputError: an unknown key or value.
    """
    try:
        found = Definition.model_validate({"folder": folder, **values})
    except ValidationError as error:
        # An unknown key comes first: it may be why another one is missing.
        first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        keys = [name for name in first["loc"] if isinstance(name, str)]
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            parts: dict[str, type[_Part]] = {"columns": Columns, "shots": Shots, "match": Match}
            reason = _unknown(keys[-1], (parts[keys[0]] if keys[1:] else Definition).model_fields)
        shown = "none" if first["type"] == "missing" else repr(first["input"])
        raise InputError(
            f"Expected a usable {': '.join(keys)}: in the YAML of {values.get('benchmark') or 'a benchmark'}, found "
            f"{shown}: {reason}. Correct it."
        ) from error
    found._values = {key: value for key, value in values.items() if key != "folder"}
    return found


def _check_known(names: Iterable[str], known: Collection[str]) -> None:
    """Raise ValueError for the first name that is not known."""
    for name in names:
        if name not in known:
            raise ValueError(_unknown(name, known))


def _unknown(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"{name} is none of {', '.join(known)}" + (f" (is {near[0]} meant?)" if near else "")
