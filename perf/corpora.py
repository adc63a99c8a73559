"""The choice matcher beside the hosts' extractors, corpus by corpus: writes the table of
docs/reference.md.

    python perf/corpora.py

The corpora are `mcq/answers.jsonl` and `mcq/free_form.jsonl` of SPIQA_TASKS_TEST_DATA.
"""

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
    {
        "GPT4V",
        "flamingov2",
        "llava-v1.5-13b-xtuner",
        "instructblip_13b",
        "llava-v1.6-34b",
        "Gemini-Pro-CoT",
        "instructBLIP-vicuna-7B",
        "gemini/direct",
        "gemini/dsp",
        "gemini/dsp:first",
        "kosmos-2/cot",
        "instruct-blip-13b/dsp",
    }
)
"""Models whose answers were not read while the matcher's rules were written."""
ONE_MODEL = ("gaokao", "mmlu_pro_runon")
"""Corpora of one model, of which half of the questions are held out."""
CORPORA: Mapping[str, str] = {
    "certain": "MathVista, MMMU-Pro: a letter beside an answer's name",
    "blink": "BLINK, with the options' texts",
    "blink_notext": "BLINK, letters alone",
    "blink_bytext": "BLINK, mostly by text (2 to 3% of the labels wrong)",
    "blink_none": "BLINK, nothing chosen: right is no letter",
    "logicvista": "LogicVista, letters alone (1 to 1.5% wrong)",
    "m3cot": "M3CoT, chains of thought",
    "m3cot_swapped": "M3CoT, options that name other letters",
    "gaokao": "GAOKAO-Bench, Chinese",
    "mathv_novalue": "MATH-V, a boxed value that is no option",
    "mmlu_pro_runon": "MMLU-Pro, a base model that runs on",
}
"""Source of answers -> its line in the table, with the share of wrong labels if above 0.5%."""
Answer = Mapping[str, Any]


def main() -> None:
    """Write the table into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    corpora = {name: list(answers) for name, answers in _corpora().items()}
    PAGE.write_text(f"{before}{BEGIN}\n{_table(corpora)}\n\n{END}{after}", encoding="utf-8")


def _corpora() -> dict[str, list[Answer]]:
    """Return source -> its answers, without texts of a base model that runs on."""
    run_ons = json.loads(RUN_ONS.read_text())
    corpora: dict[str, list[Answer]] = {name: [] for name in CORPORA}
    for answer in answers_in("answers.jsonl"):
        if answer["certain"] and answer["id"] not in run_ons.get(answer["model"], ()):
            corpora["certain"].append(answer)
    for answer in answers_in("free_form.jsonl"):
        corpora[answer["source"]].append(answer)
    return corpora


def _table(corpora: Mapping[str, Sequence[Answer]]) -> str:
    """Return the table of `_shares` by corpus and extractor, ours also on held-out answers."""
    ours, *others = extractors().values()
    rows = []
    for name, line in CORPORA.items():
        random.seed(0)  # MMMU's parser guesses.
        answers = corpora[name]
        held_out = [answer for answer in answers if name != "certain" and _is_held_out(answer)]
        row = [line, f"{len(answers):,}", _shares(ours, answers)]
        row.append(_shares(ours, held_out) if held_out else "-")
        row += [_shares(extract, answers) for extract in others]
        rows.append(row)
    first, *rest = extractors()
    headers = ["corpus", "answers", first, "held out", *rest]
    return tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)


def _is_held_out(answer: Answer) -> bool:
    if answer["source"] in ONE_MODEL:
        return bool(zlib.crc32(str(answer["id"]).encode()) % 2)
    return answer["model"] in HELD_OUT


def _shares(extract: Extractor, answers: Sequence[Answer]) -> str:
    """Return `95.20/0.31`: percent of answers with the right letter, and with a wrong one."""
    letters = [
        (extract(answer["response"], answer["choices"]), answer["letter"]) for answer in answers
    ]
    right = sum(found == letter for found, letter in letters)
    wrong = sum(found is not None and found != letter for found, letter in letters)
    return f"{100 * right / len(letters):.2f}/{100 * wrong / len(letters):.2f}"


if __name__ == "__main__":
    main()
