"""Prompts of MMStar: the picture and the question, or two solved questions before it for LLM bases.

The paper's LLM bases answer 2-shot, text only (section 5.1), and it does not print its shots.
`SHOTS` are ours: world knowledge and arithmetic in MMStar's form, from no benchmark, the same two
in the same order for every question. They show the form of an answer and teach nothing about
MMStar; their letters differ so that neither is favoured. `AUTHORS` are those of the authors' code
(its option `--in-context`, for Yi and Llama bases), in their spelling.
"""

import re
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.benchmark import parse_settings
from spiqa_tasks.benchmarks.mmstar.release import MMStarSettings, read_options, table_options
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.scoring.options import question_before

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


def prompt(row: Mapping[str, Any]) -> list[Part]:
    """Return the picture, then the shots if any, the question with its options and the closing
    sentence.
    """
    pictures = [Picture(path) for path in row["images"]]
    if _shots_of(row) == "authors":
        return [*AUTHORS, *pictures, AUTHORS_QUESTION.format(asked=row["question"])]

    asked = _asked(row["prompt"], row["question"], table_options(row))
    return [*pictures, _shots(row) + asked + (f"\n{ANSWER}" if is_few_shot(row) else "")]


def template(row: Mapping[str, Any]) -> str:
    """Return the template of the row's prompt, for the signature."""
    if _shots_of(row) == "authors":
        shots = "".join(part for part in AUTHORS if isinstance(part, str))
        return shots + AUTHORS_QUESTION

    closing = f"\n{ANSWER}" if is_few_shot(row) else ""
    wording = WORDINGS[row["prompt"]].removeprefix("{asked}") + CHINESE.get(row["prompt"], "")
    return _shots(row) + wording + closing


def is_few_shot(row: Mapping[str, Any]) -> bool:
    """Return whether `SHOTS` precede the row's question, in one text with it."""
    return _shots_of(row) == "2"


def own_answer(response: str) -> str:
    """Return a base model's response up to the blank line before the next list of options, if there
    is any text.

    Not every model class of the host sends the YAML's stop strings.
    """
    head, found, _ = response.partition("\nOptions: ")
    own = head.rpartition("\n\n")[0] if found else ""
    return own if own.strip() else response


def _shots_of(row: Mapping[str, Any]) -> str:
    settings: MMStarSettings = parse_settings(MMStarSettings, row["settings"])
    return settings.shots


def _asked(name: str, text: str, options: Mapping[str, str]) -> str:
    is_chinese = _CHINESE_CHARACTER.search(text) is not None
    template = CHINESE.get(name, WORDINGS[name]) if is_chinese else WORDINGS[name]
    if name.startswith("lmms_eval"):
        text = text.strip()  # as that host's task does; two released questions end with blanks

    return template.format(asked=text, question=question_before(text), options=_lines(options))


def _lines(options: Mapping[str, str]) -> str:
    return "".join(f"{letter}. {text}\n" for letter, text in options.items())


def _shots(row: Mapping[str, Any]) -> str:
    """Return the shots in the question's wording, each with its answer and a blank line.

    '' without shots.
    """
    shots = SHOTS if is_few_shot(row) else ()
    asked = (
        (_asked(row["prompt"], question, read_options(question)), letter)
        for question, letter in shots
    )
    return "".join(f"{question}\n{ANSWER} {letter}\n\n" for question, letter in asked)
