"""Signatures: the data, versions, settings and judge that a number was computed with."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import metadata

PACKAGE = "spiqa-tasks"


@cache
def version(package: str) -> str:
    """Return the installed version of a package, or "absent"."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


@dataclass(frozen=True)
class Signature:
    """The conditions of a number; '' for a field that does not apply.

    Attributes:
        host: `lmms-eval 0.7.3`, `vlmevalkit 0.0.20` or `offline`.
        data: benchmark, split and digest of the release file.
        prompt: hash of the wording.
        model_wrapper: what the model `ablated` changes in what the wrapped model is shown.
        max_side: `up to 512 px` if the host's model class sends pictures no larger.
        predictions: format of the file that the responses were read from.
        generation: settings of the model's generation, `name=value,...`, of a host's files.
        ids: digest and length of the list of selected question ids.
        model: the model with its arguments, in reports that call it by a shorter name.
        questions: `n of N` if only a part of the task's questions was answered.
        judge, judge_served: the judge as configured, the model that its server named.
        judge_adapted: changes to the judge's requests that its server asked for.
    """

    package: str = ""
    host: str = ""
    data: str = ""
    prompt: str = ""
    settings: str = ""
    model_wrapper: str = ""
    max_side: str = ""
    matcher: str = ""
    tokenizer: str = ""
    predictions: str = ""
    generation: str = ""
    ids: str = ""
    model: str = ""
    questions: str = ""
    judge: str = ""
    judge_served: str = ""
    judge_host: str = ""
    judge_extra: str = ""
    judge_adapted: str = ""
    judge_prompt: str = ""
    judge_rule: str = ""
    judge_temperature: str = ""
    judge_max_tokens: str = ""

    @property
    def text(self) -> str:
        """The non-empty fields as `key:value` joined by `|`; inverse of `parse`."""
        parts = []
        for name, key in _KEYS.items():
            if value := getattr(self, name):
                # A model's name may hold the separator.
                escaped = value.replace("%", "%25").replace("|", "%7C")
                parts.append(f"{key}:{escaped}")
        return "|".join(parts)

    def with_fields(self, **fields: str) -> Signature:
        """Return the signature with some fields replaced."""
        return dataclasses.replace(self, **fields)

    @property
    def benchmark(self) -> str:
        """The benchmark's name, or '' if the data is unknown."""
        return self.data.partition("/")[0]

    @property
    def split(self) -> str:
        """The split's name."""
        return self.data.partition("/")[2].partition("@")[0]


# Field -> its key in the text: the version stands under the package's name, as a reader looks for
# it.
_KEYS = {entry.name: entry.name for entry in dataclasses.fields(Signature)} | {"package": PACKAGE}
_FIELDS = {key: name for name, key in _KEYS.items()}


# A run has few signatures and many answers.
@cache
def signature_text(
    host: str, data: str, wording: str | None, settings: str, fields: tuple[tuple[str, str], ...]
) -> str:
    """Return the text of a signature; `wording` is the prompt's template, None if unknown."""
    prompt = "" if wording is None else hashlib.sha256(wording.encode()).hexdigest()[:8]
    known = {"prompt": prompt, "settings": settings, **dict(fields)}
    return Signature(version(PACKAGE), host, data, **known).text


@cache
def parse(text: str) -> Signature:
    """Return the signature of a text; unknown fields are dropped."""
    fields = {}
    for part in text.split("|"):
        key, _, value = part.partition(":")
        if key in _FIELDS:
            # In the reverse order of escaping.
            fields[_FIELDS[key]] = value.replace("%7C", "|").replace("%25", "%")
    return Signature(**fields)


def merged(signatures: Iterable[Signature]) -> Signature:
    """Return one signature of several: differing values of a field are joined by `+`."""
    distinct = list(dict.fromkeys(signatures))
    fields = {}
    for name in _KEYS:
        values = dict.fromkeys(getattr(signature, name) for signature in distinct)
        fields[name] = "+".join(filter(None, values))
    return Signature(**fields)
