"""What the faults of the released scripts do to the numbers, on answers whose worth is known.

    python perf/protocols.py [FOLDER]

Every answer is the reference itself, in one of several forms, for the questions of the demo set (or of test-A below
FOLDER/spiqa). The last column is the share of predictions that are the reference (spaces around it aside).
"""

import sys
from collections.abc import Callable
from pathlib import Path

from measure import show, table

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.scoring.answer_formats import parse_answer, parse_answer_released, parse_cot
from spiqa_tasks.scoring.cot_released import parse_cot_released

METRICS = ("bleu_1", "rouge_l", "cider", "meteor")
FORMS: dict[str, tuple[str, Callable[[str], str]]] = {
    "in the format": ("direct", lambda answer: "{'Answer': " + repr(answer) + "}"),
    "in the format, full stop after it": ("direct", lambda answer: "{'Answer': " + repr(answer) + "}."),
    "as JSON in a code fence": ("direct", lambda answer: '```json\n{"Answer": "' + answer + '"}\n```'),
    "without any format": ("direct", lambda answer: answer),
    "chain of thought": ("cot", lambda answer: "{'Image': 0, 'Rationale': 'It shows it.'}\nThe answer is : " + answer),
}


def main() -> None:
    """Print one line per form and protocol."""
    split, source = ("testA", LocalSource(Path(sys.argv[1]))) if len(sys.argv) > 1 else ("demo", None)
    references = [row["answer"] for row in load_rows("spiqa", split, "ablation=text", source)]
    rows = []
    for form, (setting, say) in FORMS.items():
        for protocol in ("corrected", "released"):
            predictions = [read(setting, protocol, say(reference)) for reference in references]
            scores = text_scores(list(zip(predictions, references, strict=True)), METRICS).values
            pairs = zip(predictions, references, strict=True)
            same = sum(prediction.strip() == reference.strip() for prediction, reference in pairs) / len(references)
            rows.append([form, protocol, *(f"{100 * scores[name]:.1f}" for name in METRICS), f"{100 * same:.1f}"])
    show(
        "Released protocol",
        f"What the faults of the released scripts do to the numbers (no speed): all {len(references)} answers are the "
        "reference itself, in one of several forms; values times 100.",
        table(["answers", "protocol", *METRICS, "equal to the reference"], rows),
    )


def read(setting: str, protocol: str, response: str) -> str:
    """The prediction that a protocol reads out of a response."""
    if setting == "cot":
        return parse_cot(response).text if protocol == "corrected" else parse_cot_released(response)[1]
    return parse_answer(response).text if protocol == "corrected" else parse_answer_released(response)


if __name__ == "__main__":
    main()
