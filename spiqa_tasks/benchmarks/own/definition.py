"""The YAML of a user's benchmark: its data, columns, prompt and metrics, validated when it is read."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
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
    model_validator,
)

from spiqa_tasks.benchmarks.own.cells import AnswerForm
from spiqa_tasks.benchmarks.own.prompts import (
    ONE_LETTER,
    PARTS,
    SEVERAL_LETTERS,
    TEMPLATES,
    fields_in_path,
    fields_of,
)
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
JUDGED = ("l3score", "l3score_sampled")
"""Metrics that a judge gives, by the rule of the same name; a definition has one of them at most."""
METRICS: Mapping[str, Sequence[str]] = {
    "open": (*JUDGED, *MATCHES, *TEXTS),
    "choice": ("accuracy",),
    "both": ("accuracy", *MATCHES, *JUDGED, *TEXTS),
}
"""Kind -> the metrics that it may have, the default headline first."""


def _for_yaml(metrics: Iterable[str], answer_is: AnswerForm, match: Any = None) -> tuple[str, ...]:
    """The metrics with the accuracy of several letters, and the YAML's own match, where these are asked for."""
    letters = {"accuracy": ALL_LETTERS} if answer_is == "letters" else {}
    other = letters | ({"exact_match": "match"} if match else {})
    return tuple(other.get(name, name) for name in metrics)


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
        return {
            key: kept[key]
            for key in kept
            if key not in cls.model_fields or kept[key] not in (None, "", [])
        }


class Columns(_Part):
    """The names of the data's columns, as docs/own.md describes them; `a.b` is the field b of the column a."""

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
            raise ValueError(
                "a mapping of options is {values: [True, False, ...]}, with two or more"
            )
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
    """The values of a YAML, as docs/own.md describes them, and its folder."""

    benchmark: Annotated[Text, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_]*$")]
    folder: Path
    data: Annotated[
        dict[Text, Text],
        BeforeValidator(lambda data: {"test": data} if isinstance(data, str) else data),
        Field(min_length=1),
    ]
    columns: Columns = Columns()
    kind: Kind = Field(
        default_factory=lambda known: "choice" if known["columns"].has_options else "open"
    )
    answer_is: AnswerForm = "letter"
    image_folder: Text = ""
    match: Match | None = None
    metrics: Texts = Field(
        default_factory=lambda known: _for_yaml(
            [METRICS[known["kind"]][0], *(["exact_match"] if known["kind"] != "choice" else [])],
            known["answer_is"],
            known["match"],
        )
    )
    prompt: Annotated[
        dict[Literal["choice", "open"], Text],
        BeforeValidator(
            lambda text: {"choice": text, "open": text} if isinstance(text, str) else text
        ),
    ] = {}
    variants: Annotated[tuple[Variant, ...], BeforeValidator(_as_tuple)] = ()
    shots: Shots = Shots()
    max_new_tokens: Count = 512
    where: dict[Text, Texts] = {}
    faults: Literal["refuse", "skip"] = "refuse"
    _values: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> "Definition":
        known = _for_yaml(METRICS[self.kind], self.answer_is)
        unknown = [name for name in self.metrics if name not in known]
        is_among = self.shots.split in self.data and len(self.data) > 1 and self.shots.count
        rules = {
            "kind: columns: has to name the options": self.kind == "open"
            or self.columns.has_options,
            f"metrics: {_unknown(unknown[0], known) if unknown else ''}": not unknown,
            "metrics: match and the key match: belong together": ("match" in self.metrics)
            == bool(self.match),
            f"metrics: at most one is of {', '.join(JUDGED)}": len(set(self.metrics) & set(JUDGED))
            <= 1,
            f"metrics: with kind: both they are {known[0]} and then {' or '.join(MATCHES)}, by which it counts open "
            "answers": self.kind != "both"
            or (self.metrics[0] == known[0] and {*self.metrics} & {*MATCHES}),
            "columns: points: do not weigh text metrics; put another metric first": (
                not self.columns.points or self.metrics[0] not in TEXTS
            ),
            f"shots: it needs a count, and a split of data: ({', '.join(self.data)}) beside the one that is asked": (
                is_among or self.shots == Shots()
            ),
        }
        for rule, holds in rules.items():
            if not holds:
                raise ValueError(rule)
        for text in self.prompt.values():
            fields_of(text, f"the YAML of {self.benchmark}")
        return self

    @cached_property
    def prompts(self) -> dict[str, str]:
        """The templates of choices and open questions."""
        choice = TEMPLATES["listed" if self.columns.in_question else "choice"]
        choice = (
            choice.replace(ONE_LETTER, SEVERAL_LETTERS) if self.answer_is == "letters" else choice
        )
        return {
            "choice": self.prompt.get("choice", choice),
            "open": self.prompt.get("open", TEMPLATES["open"]),
        }

    @property
    def split(self) -> str:
        """The split whose questions are asked."""
        return next(split for split in self.data if split != self.shots.split)

    @property
    def tasks(self) -> dict[str, str]:
        """Task -> its settings: the benchmark's own, and a variant for each ablation."""
        wanted = ("text", "grey") if "both" in self.variants else self.variants
        return {self.benchmark: ""} | {
            f"{self.benchmark}_{name}": f"ablation={name}" for name in wanted
        }

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Group -> its tasks."""
        return {f"{self.benchmark}_both": tuple(self.tasks)} if "both" in self.variants else {}

    @property
    def matches(self) -> dict[str, Callable[[str, str], bool | None]]:
        """`MATCHES` with this tolerance and these units."""
        return {**MATCHES, "match": partial(quantity_match, **dict(self.match or Match()))}

    @property
    def match_name(self) -> str:
        """The match that gives the accuracy of open answers with kind `both`."""
        return next(name for name in self.metrics if name in MATCHES)

    @property
    def judged(self) -> str | None:
        """The metric that a judge gives, or None."""
        return next((name for name in self.metrics if name in JUDGED), None)

    @cached_property
    def prompt_columns(self) -> list[str]:
        """The columns that the prompts name, without those of question, options and pictures."""
        named = {
            field
            for text in self.prompts.values()
            for _, field in fields_of(text, self.benchmark)
            if field
        }
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
    """Return the definition in a YAML's values, in `folder` unless they name one; InputError: no such key or value."""
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
        elif keys and first["type"] != "missing":
            reason = f"{first['input']!r}: {reason}"
        raise InputError(
            f"Expected usable values in the YAML of {values.get('benchmark') or 'a benchmark'}, found "
            f"{': '.join([*keys, reason])}. Correct it."
        ) from error
    found._values = {key: value for key, value in values.items() if key != "folder"}
    return found


def _unknown(name: str, known: Collection[str]) -> str:
    return f"{name} is none of {', '.join(known)}"
