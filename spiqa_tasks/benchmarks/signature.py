"""The signature of a number: what it was computed from and how, on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import Any

from spiqa_tasks.data.ablation import GREY


@cache
def version(package: str) -> str:
    """The installed version of a package, or `absent`."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def signature(benchmark: str, row: Mapping[str, Any], prompt: str, **extra: str) -> str:
    """`key:value` fields joined by `|`: versions, data (split and content hash), prompt hash, settings, extras."""
    described = {
        "spiqa-tasks": version("spiqa-tasks"),
        "lmms-eval": version("lmms-eval"),
        "data": f"{benchmark}/{row['split']}@{row['data']}",
        "prompt": prompt,
        "settings": row["settings"],
        **({"grey": f"{GREY} at the original size"} if "ablation=grey" in row["settings"].split(",") else {}),
        **extra,
    }
    return "|".join(f"{key}:{value}" for key, value in described.items())


def fields(signature: str) -> dict[str, str]:
    """The fields of a signature, by key."""
    return dict(field.partition(":")[::2] for field in signature.split("|"))


def merged(signatures: Iterable[str], **extra: str) -> str:
    """One signature for several: where they differ in a field, all its values joined by `+`; then the extras."""
    values: dict[str, dict[str, None]] = {}
    for signature in dict.fromkeys(signatures):
        for key, value in fields(signature).items():
            values.setdefault(key, {})[value] = None
    joined = {key: "+".join(each) for key, each in values.items()} | extra
    return "|".join(f"{key}:{value}" for key, value in joined.items())
