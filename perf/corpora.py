"""The choice matcher beside the hosts' extractors, corpus by corpus: writes the table of docs/reference.md.

    python perf/corpora.py

The corpora are `mcq/answers.jsonl` and `mcq/free_form.jsonl` of SPIQA_TASKS_TEST_DATA.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from matcher import Extractor, answers_in, extractors
from measure import ROOT
from tabulate import tabulate

PAGE = ROOT / "docs" / "reference.md"
BEGIN, END = "<!-- perf/corpora.py writes from here -->\n", "<!-- to here -->\n"
RUN_ONS = ROOT / "tests" / "scoring" / "mcq" / "run_ons.json"
HELD_OUT = frozenset(
    (
        *("GPT4V", "flamingov2", "llava-v1.5-13b-xtuner", "instructblip_13b", "llava-v1.6-34b", "Gemini-Pro-CoT"),
        *("instructBLIP-vicuna-7B", "gemini/direct", "gemini/dsp", "gemini/dsp:first", "kosmos-2/cot"),
        "instruct-blip-13b/dsp",
    )
)
"""Models whose free answers nobody read while the rules were made; of a corpus of one model, half of the questions."""
CORPORA: Mapping[str, tuple[str, str]] = {
    "certain": ("MathVista, MMMU-Pro: the letter is stated beside an answer's name", "run-ons left out"),
    "blink": ("BLINK, with the options' texts", "0.5%"),
    "blink_notext": ("BLINK, letters alone", "0.5%"),
    "blink_bytext": ("BLINK, answered mostly by text", "2 to 3%"),
    "blink_none": ("BLINK, nothing is chosen: right is no letter", ""),
    "logicvista": ("LogicVista, letters alone", "1 to 1.5%"),
    "m3cot": ("M3CoT, chains of thought", ""),
    "m3cot_swapped": ("M3CoT, options that name other letters", ""),
    "gaokao": ("GAOKAO-Bench, Chinese, letters alone", ""),
    "mathv_novalue": ("MATH-V, a boxed value that is no option: right is no letter", ""),
    "mmlu_pro_runon": ("MMLU-Pro, a base model that runs on", ""),
}
"""Source -> what it is, and how many of its labels are wrong."""
Answer = Mapping[str, Any]


def main() -> None:
    """Write the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    corpora = {name: list(answers) for name, answers in _corpora().items()}
    PAGE.write_text(f"{before}{BEGIN}\n{_table(corpora)}\n\n{_split(corpora)}\n\n{END}{after}", encoding="utf-8")


def _corpora() -> dict[str, list[Answer]]:
    run_ons = json.loads(RUN_ONS.read_text())
    found: dict[str, list[Answer]] = {name: [] for name in CORPORA}
    for answer in answers_in("answers.jsonl"):
        if answer["certain"] and answer["id"] not in run_ons.get(answer["model"], ()):
            found["certain"].append(answer)
    for answer in answers_in("free_form.jsonl"):
        found[answer["source"]].append(answer)
    return found


def _table(corpora: Mapping[str, Sequence[Answer]]) -> str:
    """Shares found and wrong of every extractor; what draws at random draws the same each time."""
    ways = extractors()
    rows = []
    for name, (what, noise) in CORPORA.items():
        random.seed(0)
        models = len({answer["model"] for answer in corpora[name]})
        cells = [_shares(extract, corpora[name]) for extract in ways.values()]
        rows.append([what, f"{len(corpora[name]):,}", models, noise, *cells])
    headers = ["corpus", "answers", "models", "wrong labels", *ways]
    return tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)


def _split(corpora: Mapping[str, Sequence[Answer]]) -> str:
    ours = extractors()["spiqa-tasks"]
    rows = []
    for name, (what, _) in CORPORA.items():
        held = [answer for answer in corpora[name] if _held_out(answer)]
        if held and name != "certain":
            rest = [answer for answer in corpora[name] if not _held_out(answer)]
            rows.append([what, f"{len(rest):,}", _shares(ours, rest), f"{len(held):,}", _shares(ours, held)])
    headers = ["corpus", "read", "found / wrong", "held out", "found / wrong"]
    return tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)


def _held_out(answer: Answer) -> bool:
    if answer["source"] in ("gaokao", "mmlu_pro_runon"):
        return bool(zlib.crc32(str(answer["id"]).encode()) % 2)
    return answer["model"] in HELD_OUT


def _shares(extract: Extractor, answers: Sequence[Answer]) -> str:
    letters = [(extract(answer["response"], answer["choices"]), answer["letter"]) for answer in answers]
    right = sum(found == letter for found, letter in letters)
    wrong = sum(found is not None and found != letter for found, letter in letters)
    return f"{100 * right / len(letters):.2f} / {100 * wrong / len(letters):.2f}"


if __name__ == "__main__":
    main()
