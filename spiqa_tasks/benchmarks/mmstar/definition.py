"""MMStar: 1,500 vision-indispensable multiple-choice questions: their prompts, records and metrics.

A prompt is the picture and the question, with two solved questions before it for LLM bases. The
paper's LLM bases answer 2-shot, text only (section 5.1), and it does not print its shots. `SHOTS`
are ours: world knowledge and arithmetic in MMStar's form, from no benchmark, the same two in the
same order for every question. They show the form of an answer and teach nothing about MMStar;
their letters differ so that neither is favoured. `AUTHORS` are those of the authors' code (its
option `--in-context`, for Yi and Llama bases), in their spelling.
"""

import dataclasses
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from statistics import fmean

from spiqa_tasks.benchmarks.benchmark import Benchmark, Row, parse_settings
from spiqa_tasks.benchmarks.choice import ACCURACY, SOURCE, choice_record, slug
from spiqa_tasks.benchmarks.metric import (
    FAILURE_RATES,
    TRUNCATED_RATE,
    Metric,
    Value,
    mean_of,
    value_of_too_few,
)
from spiqa_tasks.benchmarks.mmstar.release import (
    REPORTED,
    MMStarSettings,
    load,
    read_options,
    table_options,
)
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.benchmarks.record import Record, Records, Response
from spiqa_tasks.judge.rules import Rule
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING, lmms_eval_match
from spiqa_tasks.scoring.options import question_before

# How VLMEvalKit lists a question, whatever closes it.
_LISTED = "Question: {question}\nOptions:\n{options}"

# Name -> template: `asked` is the released question with its options, `options` are lines such as
# `A. red`.
#
# `authors`: LLaVA-Next in the authors' code, whose table has no columns of options; `lmms_eval` and
# `lmms_eval_qwen`: the tasks `mmstar` and `mmstar_qwen` of lmms-eval 0.7.3, without a full stop and
# without a line end; `vlmevalkit`: models without a prompt of their own in VLMEvalKit 0.0.20;
# `vlmevalkit_llava`: LLaVA, LLaVA-Next and InternVL there; `vlmevalkit_qwen`: Qwen3-VL there.
WORDINGS: dict[str, str] = {
    "letter": "{asked}\nAnswer with the option's letter from the given choices directly.",
    "select": "{asked}\nPlease select the correct answer from the options above.",
    "bare": "{asked}",
    "authors": "{asked}\nAnswer the question directly.",
    "lmms_eval": "{asked}\nAnswer with the option's letter from the given choices directly",
    "lmms_eval_qwen": "Question: {asked}Answer with the option letter only.",
    "vlmevalkit": _LISTED + "Please select the correct answer from the options above. \n",
    "vlmevalkit_llava": (
        "{question}\n{options}Answer with the option's letter from the given choices directly."
    ),
    "vlmevalkit_qwen": _LISTED + "Answer with the option letter only.",
}

# Name -> template of the 24 Chinese questions, which these prompts close in Chinese.
CHINESE: dict[str, str] = {
    "authors": "{asked}\n请直接回答问题。",
    "vlmevalkit_llava": "{question}\n{options}请直接回答选项字母。",
}
# Of 1,500 questions, the 24 Chinese ones have any.
_CHINESE_CHARACTER = re.compile("[\u4e00-\u9fff]")

# End of the prompt and of each shot, so that a base model without chat tuning continues with a
# letter.
ANSWER = "Answer:"

# (question with its options, answer letter).
SHOTS: tuple[tuple[str, str], ...] = (
    ("Which of these numbers is prime?\nOptions: A: 21, B: 27, C: 29, D: 33", "C"),
    (
        (
            "A shop sells pencils in packs of six. How many packs make 24 pencils?\nOptions: A: 4,"
            " B: 3, C: 2, D: 5"
        ),
        "A",
    ),
)
AUTHORS_CLOSING = (
    "Please select the correct answer from the options above.\nAnswer with the option's letter from"
    " the given choices directly, such as answer letter 'A' only."
)

# The turns of the authors' shots and the start of the question's.
AUTHORS: tuple[Part, ...] = (
    Turn("system"),
    (
        "You are a helpful assistant. If you can't judge the answer, give your guess as to the most"
        " likely answer. Just give the answer, don't say anything beyond that, no analysis"
        " required."
    ),
    Turn("user"),
    "Question: Which one is the correct caption of this image?\nOptions:\nA. The man is waving his"
    " hand.\nB. The man is sitting by the edge of the bathtub, gazing at the woman who is lying in"
    " the bathtub taking a bath.\nC. The boy is carrying the smiling girl on his back.\nD. The two"
    " dirty-faced children turn around and gaze intently.\n" + AUTHORS_CLOSING,
    Turn("assistant"),
    "B",
    Turn("user"),
    "Question: What's the function of the demonstrated object?\nOptions:\nA. oepn the door\nB."
    " drink water\nC. carry personal belongings\nD. exercise\n" + AUTHORS_CLOSING,
    Turn("assistant"),
    "D",
    Turn("user"),
)

# The question's own turn: the options stand in its text, and no sentence closes it.
AUTHORS_QUESTION = "Question: {asked}\n"


def prompt(row: Row) -> list[Part]:
    """Return the picture, the shots if any, the question with its options and the closing sentence;
    the authors' shots are turns of their own, before the picture.
    """
    pictures = [Picture(path) for path in row["images"]]
    shots = shots_of(row)
    if shots == "authors":
        # Their table has no columns of options: these stand in the question's text.
        return [*AUTHORS, *pictures, AUTHORS_QUESTION.format(asked=row["question"])]

    asked = _worded(row["prompt"], row["question"], table_options(row))
    if shots == "2":
        asked = f"{_solved(row['prompt'])}{asked}\n{ANSWER}"
    return [*pictures, asked]


def template(row: Row) -> str:
    """Return the wording with its solved questions, without the row's own, for the signature."""
    shots = shots_of(row)
    if shots == "authors":
        return "".join(part for part in AUTHORS if isinstance(part, str)) + AUTHORS_QUESTION

    wording = WORDINGS[row["prompt"]].removeprefix("{asked}") + CHINESE.get(row["prompt"], "")
    return f"{_solved(row['prompt'])}{wording}\n{ANSWER}" if shots == "2" else wording


def shots_of(row: Row) -> str:
    """Return which solved questions precede the row's: `0`, `2` or `authors`."""
    settings: MMStarSettings = parse_settings(MMStarSettings, row["settings"])
    return settings.shots


@cache
def _solved(wording: str) -> str:
    """Return `SHOTS` in a wording, each with its answer and a blank line."""
    text = ""
    for asked, letter in SHOTS:
        text += f"{_worded(wording, asked, read_options(asked))}\n{ANSWER} {letter}\n\n"
    return text


def _worded(wording: str, asked: str, options: Mapping[str, str]) -> str:
    """Return a question, `asked` with its options in the text, in one of `WORDINGS`."""
    template = WORDINGS[wording]
    if _CHINESE_CHARACTER.search(asked):
        template = CHINESE.get(wording, template)
    if wording.startswith("lmms_eval"):
        asked = asked.strip()  # as that host's task does; two released questions end with blanks

    lines = "".join(f"{letter}. {option}\n" for letter, option in options.items())
    return template.format(asked=asked, question=question_before(asked), options=lines)


def first_answer(response: str) -> str:
    """Return a base model's response up to the blank line before the next list of options, if there
    is any text.

    Not every model class of the host sends the YAML's stop strings.
    """
    before, found, _ = response.partition("\nOptions: ")
    answer = before.rpartition("\n\n")[0] if found else ""
    return answer if answer.strip() else response


# The six core capabilities (paper section 4.2).
CATEGORIES = (
    *("coarse_perception", "fine-grained_perception", "instance_reasoning"),
    *("logical_reasoning", "science_technology", "math"),
)

# Detail of a record: the letter that lmms-eval's extraction reads, or ''.
LETTER = "letter_lmms_eval"


def _mean_of_axes(records: Records) -> Value:
    """Return the mean of the sub-axes' accuracies by the letters that lmms-eval reads."""
    axes = defaultdict(list)
    for record in records:
        axis = record.groups.get("subcategory")
        if axis and LETTER in record.details and record.status != "request_failed":
            axes[axis].append(record.details[LETTER] == record.reference)
    known = sum(map(len, axes.values()))
    if not known:
        return Value(math.nan, 0)  # tables of answers may lack the sub-axes
    mean = sum(map(fmean, axes.values())) / len(axes)
    return value_of_too_few(known, len(records)) or Value(mean, known)


# The accuracy of lmms-eval's own `mmstar`: every sub-axis counts the same, whatever its size. It is
# no mean over answers, so it has no interval and no paired comparison.
LMMS_EVAL = Metric("accuracy_lmms_eval", _mean_of_axes)

# The accuracy by VLMEvalKit's `exact_matching`.
VLMEVALKIT = mean_of("accuracy_vlmevalkit")

# The accuracy by the `exact_matching` of its builds since June 2026.
VLMEVALKIT_2026_06 = mean_of("accuracy_vlmevalkit_2026_06")

# In the host's table for the prompts in `REPORTED` only, in place of the core capabilities.
OF_HOSTS = (VLMEVALKIT, VLMEVALKIT_2026_06, LMMS_EVAL)


def record(row: Row, response: Response, _rule: Rule | None) -> Record:
    """Return the record of one response, grouped by core capability and detailed axis.

    The source benchmark of the question (paper Figure 4) is a detail, for `score --by source`.
    """
    if shots_of(row) == "2":
        response = dataclasses.replace(response, text=first_answer(response.text))
    groups = {"category": slug(row["category"]), "subcategory": slug(row["subcategory"])}
    # The record has only our letter, so what other rules read is kept beside it.
    details = {LETTER: lmms_eval_match(response.text) or ""}
    if row.get(SOURCE):
        details[SOURCE] = row[SOURCE]
    scored = choice_record(row, response, groups, **details)

    options = table_options(row)
    scores = {
        name: float(CIRCULATING[name](response.text, options, row["answer"]))
        for name in ("accuracy_released", VLMEVALKIT.name, VLMEVALKIT_2026_06.name)
    }
    return scored.with_scores(scores)


def metrics(settings: MMStarSettings) -> list[Metric]:
    """Return the metrics, the headline first."""
    is_reported = settings.prompt in REPORTED
    headline = ACCURACY if is_reported else dataclasses.replace(ACCURACY, groups=CATEGORIES)
    of_hosts = [dataclasses.replace(metric, in_table=is_reported) for metric in OF_HOSTS]
    return [headline, mean_of("accuracy_released"), *FAILURE_RATES, *of_hosts, TRUNCATED_RATE]


MMSTAR = Benchmark(
    name="mmstar",
    splits={"val": 1500, "demo": 24},
    load=load,
    prompt=prompt,
    record=record,
    wording=template,
    metrics=metrics,
    settings=MMStarSettings,
    scoring_settings=lambda settings: dataclasses.replace(settings, ablation="text"),
)
