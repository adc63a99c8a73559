"""The host's message form, shared by the hooks of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, chat_content


def user_turn(parts: Iterable[Part], kwargs: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """One user turn; pictures as paths where the YAML says that the model class takes them (`images: path`)."""
    as_path = (kwargs or {}).get("images") == "path"
    return [{"role": "user", "content": chat_content(parts, as_path)}]
