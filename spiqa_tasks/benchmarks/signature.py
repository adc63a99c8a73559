"""The signature of a number: what it was computed from and how."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

from spiqa_tasks.files.image_ablation import GREY

PACKAGE = "spiqa-tasks"


@cache
def version(package: str) -> str:
    """Return the installed version of a package, or `absent`."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


@dataclass(frozen=True)
class Signature:
    """What a number was computed from and how; an empty field does not apply.

    Attributes:
        package: version of this package.
        host: what ran it: `lmms-eval 0.7.3`, `vlmevalkit 0.0.20` or `offline`.
        data: benchmark, split and digest of the release file.
        prompt: hash of the wording.
        settings: the task's settings.
        grey: what replaces a picture.
        ablated: what `--model ablated` did to the questions, where it ran.
        matcher: version of the reader of choices.
        tokenizer: that of the text metrics.
        predictions: the form of the file that the answers were read from.
        ids: digest of the list of the only questions that count, and how many they are.
        questions: how many of the task's questions were answered, `n of N`, where that is a part.
        judge: the judge as configured.
        judge_served: the model that its server named.
        judge_host: its server.
        judge_extra: the fields added to every request.
        judge_prompt, judge_rule, judge_temperature, judge_max_tokens: of its rule.
        judge_combined: how the scores of several judges became one.
        judge_person: digest of the file of people's decisions.
    """

    package: str = ""
    host: str = ""
    data: str = ""
    prompt: str = ""
    settings: str = ""
    grey: str = ""
    ablated: str = ""
    matcher: str = ""
    tokenizer: str = ""
    predictions: str = ""
    ids: str = ""
    questions: str = ""
    judge: str = ""
    judge_served: str = ""
    judge_host: str = ""
    judge_extra: str = ""
    judge_prompt: str = ""
    judge_rule: str = ""
    judge_temperature: str = ""
    judge_max_tokens: str = ""
    judge_combined: str = ""
    judge_person: str = ""

    @property
    def text(self) -> str:
        """The fields that are not empty, `key:value` joined by `|`; `parse` reads them back."""
        return _text_of(self)

    def with_fields(self, **fields: str) -> Signature:
        """Return the signature with other values of some fields."""
        return dataclasses.replace(self, **fields)

    @property
    def benchmark(self) -> str:
        """The benchmark's name, empty where the data is not known."""
        return self.data.partition("/")[0]

    @property
    def split(self) -> str:
        """The split's name."""
        return self.data.partition("/")[2].partition("@")[0]


_KEYS = {entry.name: PACKAGE if entry.name == "package" else entry.name for entry in dataclasses.fields(Signature)}
_FIELDS = {key: name for name, key in _KEYS.items()}


@functools.lru_cache(maxsize=256)  # the answers of a run have few
def _text_of(signature: Signature) -> str:
    fields = ((key, getattr(signature, name)) for name, key in _KEYS.items())
    escaped = ((key, value.replace("%", "%25").replace("|", "%7C")) for key, value in fields if value)
    return "|".join(f"{key}:{value}" for key, value in escaped)


def parse(text: str) -> Signature:
    """Return the signature that `text` stands for; unknown fields are left out."""
    pairs = (part.partition(":")[::2] for part in text.split("|"))
    known = ((_FIELDS[key], value) for key, value in pairs if key in _FIELDS)
    return Signature(**{name: value.replace("%7C", "|").replace("%25", "%") for name, value in known})


@functools.lru_cache(maxsize=256)  # the answers of a run have few
def extended(text: str, **fields: str) -> str:
    """Return a signature's text with other values of some fields; an empty one, of an unscored answer, stays empty."""
    return parse(text).with_fields(**fields).text if text else ""


def merged(signatures: Iterable[Signature]) -> Signature:
    """Return one signature for several: where they differ in a field, all its values joined by `+`."""
    values: dict[str, dict[str, None]] = {}
    for signature in dict.fromkeys(signatures):
        for name in _KEYS:
            value = getattr(signature, name)
            if value:
                values.setdefault(name, {})[value] = None
    return Signature(**{name: "+".join(each) for name, each in values.items()})


def sign(row: Mapping[str, Any], prompt: str, host: str, **fields: str) -> Signature:
    """Return the signature of an answer to `row`.

    Args:
        row: the question's: its benchmark, split, digest of the data and settings.
        prompt: hash of the wording.
        host: what ran it.
        fields: what settings, metrics and judge contribute (`Context.signature`).
    """
    data = f"{row['benchmark']}/{row['split']}@{row['data']}"
    return Signature(version(PACKAGE), host, data, prompt, row["settings"], **fields)


def ablation_fields(settings: Any) -> dict[str, str]:
    """Return what the setting `ablation` contributes: what replaces a picture."""
    return {"grey": f"{GREY} at the original size"} if settings.ablation == "grey" else {}
