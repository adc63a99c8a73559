"""The signature of a number: what it was computed from and how, on one line."""

from __future__ import annotations

from collections.abc import Mapping
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
    fields = {
        "spiqa-tasks": version("spiqa-tasks"),
        "lmms-eval": version("lmms-eval"),
        "data": f"{benchmark}/{row['split']}@{row['data']}",
        "prompt": prompt,
        "settings": row["settings"],
        **({"grey": f"{GREY} at the original size"} if "ablation=grey" in row["settings"].split(",") else {}),
        **extra,
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())
