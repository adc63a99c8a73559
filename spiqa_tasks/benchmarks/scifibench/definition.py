"""SciFIBench: prompts, records and metrics of figure -> caption and caption -> figure choices, and
of captions.

The prompts are those of appendix G.1, I.2 (reasoning) and G.3 (captions); where the paper gives no
wording (examples, the instruction to ignore a mark, OCR text) it is ours.
"""

import dataclasses
from collections.abc import Sequence

from spiqa_tasks.benchmarks.benchmark import Benchmark, Row, parse_settings
from spiqa_tasks.benchmarks.choice import ACCURACY, choice_record, slug
from spiqa_tasks.benchmarks.metric import (
    FAILURE_RATES,
    REQUEST_FAILED,
    TRUNCATED_RATE,
    Metric,
    mean_of,
    share_of,
)
from spiqa_tasks.benchmarks.prompting import Part, Picture
from spiqa_tasks.benchmarks.record import Record, Response, metric_requests
from spiqa_tasks.benchmarks.scifibench.release import SPLITS, SciFIBenchSettings, load
from spiqa_tasks.judge.rules import Candidate, Rule

# The paper's wordings; `{kind}` is caption or image.
_ONLY = "Only provide the letter of the correct {kind} as your answer. "
_FIG2CAP = "Which of the captions best describes the image? Let's think step by step. "
_CAP2FIG = "Which of the images best matches the caption? Let's think step by step. "

# From the authors' README, whose prompt contains the indent of a continued source line.
_STEPS = " Let's think step by step. "
CAPTION = (
    "Provide a one sentence caption that describes the figure. Do not include prefixes such as "
    '"The figure shows" or "The plot shows". Include just the caption. Caption:'
)

# Prompt name -> direction -> the closing text.
CLOSINGS: dict[str, dict[str, str]] = {
    "letter": {
        "fig2cap": _FIG2CAP + _ONLY.format(kind="caption") + "Answer:",
        "cap2fig": _CAP2FIG + _ONLY.format(kind="image") + "Answer:",
    },
    "reasoning": {"fig2cap": _FIG2CAP + "\nAnswer:", "cap2fig": _CAP2FIG + "\nAnswer:"},
    "released": {
        "fig2cap": _STEPS + " " * 12 + _ONLY.format(kind="caption") + "Answer: \n",
        "cap2fig": _STEPS + " " * 16 + _ONLY.format(kind="image") + "Answer: \n",
    },
    "caption": {"fig2cap": CAPTION},
}
# Section 4.7: what marks a caption, and the sentence about it, which the paper does not print.
MARK = " <Correct>"
IGNORE = "Ignore the annotation <Correct>.\n"
# Section 4.1; the wording is ours.
OCR = "Text found in the image:\n"
NO_TEXT = "(none)"


def prompt(row: Row) -> list[Part]:
    """Return the prompt: the examples, each closed by its letter, then the question."""
    parts: list[Part] = []
    for shot in row["shots"]:
        parts += [*_question(row, shot, ""), f" {shot['answer']}\n\n"]
    return parts + _question(row, row, row["marked"])


def template(row: Row) -> str:
    """Return the closing and what was added to the prompt, as one text for the signature."""
    used = [CLOSINGS[row["prompt"]][row["subcategory"]]]
    used += [MARK] if row["marked"] else []
    used += [IGNORE] if row["ignore"] == "yes" else []
    if parse_settings(SciFIBenchSettings, row["settings"]).ocr == "yes":
        used += [OCR, NO_TEXT]
    return "".join(used)


def _question(row: Row, shown: Row, marked: str) -> list[Part]:
    """Return figures and captions of `shown`, the row or one of its examples, then the question.

    `marked` is the letter of the caption that is marked as correct, or "".
    """
    closing = CLOSINGS[row["prompt"]][row["subcategory"]]
    to_figure = row["subcategory"] == "cap2fig"
    if row["prompt"] == "released":
        return _released(shown, to_figure, shown["asked"] + closing)
    if to_figure:
        return [*_lettered_figures(shown, "\n"), f"{shown['question']}\n{closing}"]

    figures = _figures(shown)
    below = "\n" if figures else ""
    if row["prompt"] == "caption":
        return [*figures, below, closing]

    captions = ""
    for letter, text in zip(shown["letters"], shown["options"], strict=True):
        mark = MARK if letter == marked else ""
        captions += f"{letter}) {text}{mark}\n"
    ignore = IGNORE if marked and row["ignore"] == "yes" else ""
    return [*figures, below, captions + ignore + closing]


def _released(shown: Row, to_figure: bool, asked: str) -> list[Part]:
    """Return the question of the authors' README: figures with their letters, or the options as
    Python prints their list.
    """
    if to_figure:
        return [*_lettered_figures(shown, ""), asked]
    options = zip(shown["letters"], shown["options"], strict=True)
    listed = [f"{letter})  {text}\n" for letter, text in options]
    return [*_figures(shown), f"{listed} {asked}"]


def _figures(shown: Row) -> list[Part]:
    """Return the pictures, or the texts found in them in their place."""
    if shown["texts"]:
        return [OCR + (text or NO_TEXT) for text in shown["texts"]]
    return [Picture(path) for path in shown["images"]]


def _lettered_figures(shown: Row, end: str) -> list[Part]:
    """Return each letter, its figure unless none is shown, and the end of its line."""
    figures = _figures(shown)
    parts: list[Part] = []
    for index, letter in enumerate(shown["letters"]):
        parts.append(f"{letter}) ")
        parts += figures[index : index + 1]
        if end:
            parts.append(end)
    return parts


# Matcher rules after which a judge is asked for the letter; refusals and empty answers have none.
OPEN_RULES = frozenset({"ambiguous", "no_match", "out_of_range", "truncated"})

# Accuracy by the matcher's letter, or the judge's for `OPEN_RULES` (appendix G.2).
BY_JUDGE = "accuracy_llm"


def record(row: Row, response: Response, rule: Rule | None) -> Record:
    """Return the record of one response, grouped by direction and category.

    The marked letter is a detail: answers may follow it.
    """
    if row["prompt"] == "caption":
        return _caption_record(row, response)

    groups = {"direction": row["subcategory"], "category": slug(row["category"])}
    marked = {"marked": row["marked"]} if row.get("marked") else {}
    scored = choice_record(row, response, groups, **marked)
    if parse_settings(SciFIBenchSettings, row["settings"]).extractor == "none":
        return scored

    # A judge is asked only where it may find a letter that the matcher did not.
    if scored.rule not in OPEN_RULES:
        return scored.with_scores({BY_JUDGE: scored.scores["accuracy"]})
    candidate = Candidate(response.text, reference=row["answer"], letters=tuple(row["letters"]))
    return dataclasses.replace(scored, requests=metric_requests(rule, BY_JUDGE, candidate))


def metrics(settings: SciFIBenchSettings) -> Sequence[Metric]:
    """Return the metrics, the headline first."""
    if settings.prompt == "caption":
        return (mean_of("captioned_rate"), REQUEST_FAILED)
    is_asked = share_of(
        "extractor_rate", lambda record: bool(record.requests or record.verdicts), "judge"
    )
    by_judge = () if settings.extractor == "none" else (mean_of(BY_JUDGE, "judge"), is_asked)
    return (ACCURACY, *by_judge, *FAILURE_RATES, TRUNCATED_RATE)


def _caption_record(row: Row, response: Response) -> Record:
    """Return the record of a caption; it is not scored here, but ranked by judges (Table 3)."""
    caption = " ".join(response.text.split()) or None
    return Record(
        row["id"],
        caption,
        row["caption"],
        status="unparsed" if caption is None else "ok",
        scores={"captioned_rate": float(caption is not None)},
        groups={"category": slug(row["category"])},
    )


# Split -> number of questions, if it is not 500.
_SIZES = {"captioning": 100, "demo": 24, "demo_fig2cap": 12, "demo_cap2fig": 12}
# Setting `extractor` -> the judge's rule.
_RULES = {"none": None, "judge": "letters", "released": "letters_released"}
SCIFIBENCH = Benchmark(
    name="scifibench",
    splits={split: _SIZES.get(split, 500) for split in SPLITS},
    load=load,
    prompt=prompt,
    record=record,
    wording=template,
    metrics=metrics,
    settings=SciFIBenchSettings,
    scoring_settings=lambda settings: dataclasses.replace(
        settings, ablation="text", ocr="no", shots=0, shot_kind="random"
    ),
    judge=lambda settings: _RULES[settings.extractor],
    scoring=frozenset({"extractor"}),
)
