"""The host's message form, shared by the hooks of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, chat_content


def user_turn(parts: Iterable[Part], kwargs: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """One user turn; pictures in the form that the YAML names for the model class.

    `images: path` gives paths, `encoded` gives pictures that an API class sends as the files they are, else PIL images.
    """
    form = (kwargs or {}).get("images")
    return [{"role": "user", "content": chat_content(parts, form == "path", encoded=form == "encoded")}]
