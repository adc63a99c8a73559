"""The YAML of a benchmark of one's own: its data, columns, prompt and metrics.

A YAML with the keys `benchmark` and `data` is such a definition. Pydantic checks keys and values when it is read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
from pydantic_core import ErrorDetails, PydanticCustomError

from spiqa_tasks.benchmarks.own.prompts import PARTS, TEMPLATES, fields_in_path, fields_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.metrics.text_scores import METRICS as TEXTS
from spiqa_tasks.scoring.open_answers import exact_match, relaxed_match

Kind = Literal["open", "choice", "both"]
AnswerForm = Literal["letter", "index", "number", "text"]
Variant = Literal["text", "grey", "both"]
MATCHES: Mapping[str, Callable[[str, str], bool]] = {"exact_match": exact_match, "relaxed_accuracy": relaxed_match}
"""Metrics of open answers that need neither judge nor programs -> the comparison of two texts."""
JUDGED = ("l3score", "compass")
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
MAX_NEW_TOKENS = 512
"""Default length of an answer, that of our own tasks."""


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

    question: Text = "question"
    answer: Texts = ("answer",)
    id: Text = ""
    options: Texts = ()
    images: Texts = ()
    groups: Texts = ()
    cluster: Text = ""

    @property
    def in_question(self) -> bool:
        """Whether the options stand within the question's text."""
        return self.options == (self.question,)


class Shots(_Part):
    """The number of solved questions before each, and the split that has them."""

    split: Text = ""
    count: Count = 0


class Definition(_Part):
    """A benchmark of one's own; a field's validator may read only the fields above it.

    Attributes:
        benchmark: its name, and that of its task.
        folder: of the YAML.
        data: split -> path from `folder`, with wildcards, or `hf://datasets/OWNER/NAME@REVISION/PATH`.
        columns: the names of the data's columns.
        kind: `open` answers, `choice`s, or `both`: choices where a row has options.
        answer_is: the form of the right option: its letter, its index from 0, its number from 1, or its text.
        image_folder: folder of relative paths of pictures, from the data's folder.
        metrics: the first one is the headline.
        prompt: kind of a row -> template.
        variants: more tasks: without pictures, with grey ones, and the group of both beside the task itself.
        shots: the solved questions before each.
        max_new_tokens: the longest answer.
        where: column -> the values of the rows that are asked.
    """

    benchmark: Annotated[Text, Field(pattern=re.compile(r"^[A-Za-z0-9]\w*$", re.ASCII))]
    folder: Path
    data: Annotated[
        dict[Text, Text],
        BeforeValidator(lambda data: {"test": data} if isinstance(data, str) else data),
        Field(min_length=1),
    ]
    columns: Columns = Columns()
    kind: Kind = Field(default_factory=lambda known: "choice" if known["columns"].options else "open")
    answer_is: AnswerForm = "letter"
    image_folder: Text = ""
    metrics: Texts = Field(default_factory=lambda known: DEFAULT_METRICS[known["kind"]])
    prompt: dict[str, Text] = Field(default={}, validate_default=True)
    variants: Annotated[tuple[Variant, ...], BeforeValidator(_as_tuple)] = ()
    shots: Shots = Shots()
    max_new_tokens: Count = MAX_NEW_TOKENS
    where: dict[Text, Texts] = {}
    _values: dict[str, Any] = PrivateAttr(default_factory=dict)

    @field_validator("kind")
    @classmethod
    def _has_options(cls, kind: Kind, info: ValidationInfo) -> Kind:
        if kind != "open" and "columns" in info.data and not info.data["columns"].options:
            raise _refused(f"Expected columns: to name the options in {{where}}, which has kind: {kind}; found none.")
        return kind

    @field_validator("metrics")
    @classmethod
    def _fit_the_kind(cls, metrics: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        kind = info.data.get("kind", "both")
        _check_known(metrics, METRICS[kind], f"metrics: of {{where}}, whose kind is {kind}")
        if len(set(metrics) & set(JUDGED)) > 1:
            judged = " and ".join(JUDGED)
            raise _refused(f"Expected metrics: to have one of {judged} at most in {{where}}, found both.")
        if kind == "both" and (metrics[0] != "accuracy" or not set(metrics) & set(MATCHES)):
            raise _refused(
                f"Expected metrics: to be accuracy and then {' or '.join(MATCHES)}, by which it counts open answers, "
                f"in {{where}} with kind: both; found {', '.join(metrics)}."
            )
        return metrics

    @field_validator("prompt", mode="before")
    @classmethod
    def _templates(cls, prompt: Any, info: ValidationInfo) -> Any:
        listed = "columns" in info.data and info.data["columns"].in_question
        default = {"choice": TEMPLATES["listed" if listed else "choice"], "open": TEMPLATES["open"]}
        if isinstance(prompt, str):
            prompt = dict.fromkeys(default, prompt)
        if not isinstance(prompt, Mapping):
            return prompt
        _check_known(prompt, list(default), "prompt: of {where}")
        for text in prompt.values():
            fields_of(str(text), f"the YAML of {info.data.get('benchmark')}")
        return {**default, **prompt}

    @field_validator("shots")
    @classmethod
    def _from_another_split(cls, shots: Shots, info: ValidationInfo) -> Shots:
        data = info.data.get("data", {})
        if shots.split and (shots.split not in data or len(data) < 2 or not shots.count):
            raise _refused(
                "Expected shots: to have a count, and a split of data: beside the one that is asked, in {where}; found "
                f"{dict(shots)} and the splits {', '.join(data)}."
            )
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
        columns = self.columns
        images = [name for each in columns.images for name in (fields_in_path(each) or [each])]
        named = [columns.id, columns.question, *columns.answer, *columns.options, *images, *columns.groups]
        return [name for name in [*named, columns.cluster, *self.where, *self.prompt_columns] if name]

    @property
    def portable(self) -> dict[str, Any]:
        """The YAML's values with its folder, of which `parse` makes the definition again."""
        return {**self._values, "folder": str(self.folder)}


def parse(values: Mapping[str, Any], folder: Path) -> Definition:
    """Return the definition in a YAML's values; `folder` is the YAML's, unless they name one.

    Raises:
        InputError: an unknown key or value.
    """
    try:
        found = Definition.model_validate({"folder": folder, **values})
    except ValidationError as error:
        # An unknown key comes first: it may be the reason why another one is missing.
        first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        raise InputError(_sentence(first, f"the YAML of {values.get('benchmark') or 'a benchmark'}")) from error
    found._values = {key: value for key, value in values.items() if key != "folder"}
    return found


_WANTED = {
    "string_pattern_mismatch": "to be a name of letters, digits and _",
    "too_short": "to name a file",
    "dict_type": "to have names with values",
    "model_type": "to have names with values",
    "int_type": "to be a whole number",
    "greater_than_equal": "to be a whole number",
    "missing": "to be there",
}
"""Pydantic's types of errors -> what is expected."""
_PARTS: Mapping[str, type[_Part]] = {"columns": Columns, "shots": Shots}


def _sentence(error: ErrorDetails, where: str) -> str:
    """Return an error of pydantic as one sentence: the key, what is expected and what was found."""
    *above, last = [name for name in error["loc"] if isinstance(name, str)] or [""]
    context = error.get("ctx", {})
    if error["type"] == "refused":
        return str(context["sentence"]).replace("{where}", where)
    if error["type"] == "extra_forbidden":
        fields = _PARTS[above[0]].model_fields if above else Definition.model_fields
        return _unknown(last, fields, f"{above[0]}: of {where}" if above else where)
    wanted = _WANTED.get(error["type"], error["msg"])
    if error["type"] == "literal_error":
        wanted = f"to be one of {context['expected'].replace(' or ', ', ')}".replace("'", "")
    found = "none" if error["type"] in ("missing", "too_short") else repr(error["input"])
    return f"Expected {': '.join([*above, last])}: {wanted} in {where}; found {found}."


def _refused(sentence: str) -> PydanticCustomError:
    """Return the error of a validator; `{where}` in its sentence becomes the YAML."""
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence})


def _check_known(names: Iterable[str], known: Collection[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise _refused(_unknown(name, known, where))


def _unknown(name: str, known: Collection[str], where: str) -> str:
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"Expected {', '.join(known)} in {where}; found {name!r}." + (f" Is {near[0]} meant?" if near else "")
