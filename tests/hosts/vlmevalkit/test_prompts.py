"""MMStar's questions as VLMEvalKit asks them: our texts are those of its own functions."""

from types import SimpleNamespace

import pandas as pd
import pytest

from spiqa_tasks.benchmarks.mmstar.definition import prompt
from spiqa_tasks.benchmarks.mmstar.release import table_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.scoring.options import question_before

from .conftest import Launch


@pytest.mark.parametrize("name", ["vlmevalkit_llava", "vlmevalkit", "vlmevalkit_qwen"])
def test_vlmevalkit_asks_the_same(launch: Launch, name: str) -> None:
    """Models without a prompt of their own, LLaVA and InternVL, Qwen3-VL."""
    assert launch is not None
    from vlmeval.dataset.image_mcq import ImageMCQDataset
    from vlmeval.vlm.internvl.utils import build_multi_choice_prompt
    from vlmeval.vlm.qwen3_vl.prompt import Qwen3VLPromptMixin

    host = SimpleNamespace(meta_only=False, dump_image=lambda *_line: "p.png")
    theirs = {
        "vlmevalkit_llava": build_multi_choice_prompt,
        "vlmevalkit": lambda line: ImageMCQDataset.build_prompt(host, line)[-1]["value"],
        "vlmevalkit_qwen": lambda line: Qwen3VLPromptMixin._build_mcq_prompt(host, line, "MMStar")[
            -1
        ]["value"],
    }[name]
    rows = load_rows("mmstar", "demo", f"prompt={name},ablation=text")
    chinese = {**rows[0], "question": "图中有几只猫？\nOptions: A: 1, B: 2, C: 3, D: 4"}
    for row in [*rows, chinese]:
        columns = {**dict.fromkeys("ABCD"), **table_options(row)}
        line = pd.Series({"question": question_before(row["question"]), **columns})
        assert prompt(row) == [theirs(line)]
