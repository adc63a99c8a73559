"""SPIQA's questions as conversations for fine-tuning: one figure, its caption, question and answer (section 5.1).

A conversation shows the figure that the answer needs, as the paper's training samples do, in the prompts of a setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.benchmarks.spiqa.prompts import prompt, shown_picture
from spiqa_tasks.benchmarks.spiqa.settings import settings_of

Form = Literal["llava", "messages"]
CAPTION = "Provide a caption for this figure of a scientific paper."


def conversations(rows: Iterable[Mapping[str, Any]], form: Form, captions: bool = False) -> Iterator[dict[str, Any]]:
    """Yield one conversation per row, and with `captions` one per figure that it shows for the first time.

    Args:
        rows: rows of a SPIQA task; of the setting `perfigure` only those that ask for an answer to a referred figure
            are taken.
        form: `llava` (`image`, a list for several figures, and `conversations` of `from` and `value`) or `messages`
            (`images` and `messages` of `role` and `content`); pictures are `<image>` in the text.
        captions: whether figures with their captions are conversations, too.
    """
    shown: set[str] = set()
    for row in rows:
        settings = settings_of(row)
        is_single = settings.setting == "perfigure"
        if row["step"] in ("", "answer") and row["referred"]:
            yield _conversation(str(row["id"]), prompt(row), row["answer"], form, is_single)
        for figure in row["figures"] if captions else ():
            if figure["path"] and figure["caption"] and figure["path"] not in shown:
                shown.add(figure["path"])
                parts: list[Part] = [Picture(shown_picture(figure["path"], settings)), CAPTION]
                yield _conversation(figure["file"], parts, figure["caption"], form, is_single)


def _conversation(name: str, parts: Sequence[Part], answer: str, form: Form, is_single: bool) -> dict[str, Any]:
    pictures = [part.path for part in parts if isinstance(part, Picture)]
    texts = (f"<image>{chr(10)}" if isinstance(part, Picture) else str(part) for part in parts if part)
    question = "".join(texts)
    if form == "llava":
        turns = [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]
        return {"id": name, "image": pictures[0] if is_single else pictures, "conversations": turns}
    turns = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"id": name, "images": pictures, "messages": turns}
