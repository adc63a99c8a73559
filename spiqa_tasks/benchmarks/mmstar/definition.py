"""MMStar: 1,500 vision-indispensable multiple-choice questions, scored by our matcher, the
authors' and the hosts'.
"""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.choice import (
    ACCURACY,
    FAILURE_RATES,
    SOURCE,
    TRUNCATED_RATE,
    choice_record,
    slug,
)
from spiqa_tasks.benchmarks.metric import Metric, Value, mean_of, withheld
from spiqa_tasks.benchmarks.mmstar.prompts import is_few_shot, own_answer, prompt, template
from spiqa_tasks.benchmarks.mmstar.release import (
    FILE,
    REPORTED,
    MMStarSettings,
    load,
    table_options,
)
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files import source
from spiqa_tasks.scoring.mcq.other_matchers import CIRCULATING, lmms_eval_match

# The six core capabilities (paper section 4.2).
CATEGORIES = (
    *("coarse_perception", "fine-grained_perception", "instance_reasoning"),
    *("logical_reasoning", "science_technology", "math"),
)

# Detail of a record: the letter that lmms-eval's extraction reads, or ''.
LETTER = "letter_lmms_eval"


def _mean_of_axes(records: Sequence[Record]) -> Value:
    axes: defaultdict[str, list[bool]] = defaultdict(list)
    for record in records:
        if LETTER in record.details and record.groups.get("subcategory"):
            axes[record.groups["subcategory"]].append(record.details[LETTER] == record.reference)
    known = sum(map(len, axes.values()))
    if not known:
        return Value(math.nan, 0)  # tables of answers may lack the sub-axes
    return withheld(known, len(records)) or Value(sum(map(fmean, axes.values())) / len(axes), known)


# The accuracy of lmms-eval's own `mmstar`: every sub-axis counts the same, whatever its size. It is
# no mean over answers, so it has no interval and no paired comparison.
LMMS_EVAL = Metric("accuracy_lmms_eval", _mean_of_axes)

# The accuracy by VLMEvalKit's `exact_matching`.
VLMEVALKIT = mean_of("accuracy_vlmevalkit")

# The accuracy by the `exact_matching` of its builds since June 2026.
VLMEVALKIT_2026_06 = mean_of("accuracy_vlmevalkit_2026_06")

# In the host's table for the prompts in `REPORTED` only, in place of the core capabilities.
OF_HOSTS = (VLMEVALKIT, VLMEVALKIT_2026_06, LMMS_EVAL)


def record(row: Mapping[str, Any], response: Response, context: Context) -> Record:
    """Return the record of one response, grouped by core capability and detailed axis.

    The source benchmark of the question (paper Figure 4) is a detail, for `score --by source`.
    """
    if is_few_shot(row):
        response = dataclasses.replace(response, text=own_answer(response.text))
    groups = {"category": slug(row["category"]), "subcategory": slug(row["subcategory"])}
    details = {SOURCE: row[SOURCE]} if row.get(SOURCE) else {}
    signature = context.sign(row, template(row))
    if response.failure is not None:
        return choice_record(row, response, groups, signature, **details)
    details[LETTER] = lmms_eval_match(response.text) or ""
    options = table_options(row)
    rules = ("accuracy_released", VLMEVALKIT.name, VLMEVALKIT_2026_06.name)
    scores = {
        name: float(CIRCULATING[name](response.text, options, row["answer"])) for name in rules
    }
    scored = choice_record(row, response, groups, signature, **details)
    return scored.with_scores(scores)


def metrics(settings: MMStarSettings) -> list[Metric]:
    """Return the metrics, the headline first."""
    is_reported = settings.prompt in REPORTED
    headline = ACCURACY if is_reported else dataclasses.replace(ACCURACY, groups=CATEGORIES)
    of_hosts = [dataclasses.replace(metric, in_table=is_reported) for metric in OF_HOSTS]
    return [headline, mean_of("accuracy_released"), *FAILURE_RATES, *of_hosts, TRUNCATED_RATE]


def signature_fields(settings: MMStarSettings) -> dict[str, str]:
    """Return the signature fields of the ablation.

    Without pictures, `<image 1>` stays in 100 questions, as in the authors' code; the model
    `ablated` removes such marks.
    """
    marks = {"image_marks": "kept"} if settings.ablation == "text" else {}
    return ablation_fields(settings) | marks


MMSTAR = Benchmark(
    name="mmstar",
    splits={"val": 1500, "demo": 24},
    load=load,
    prompt=prompt,
    record=record,
    metrics=metrics,
    settings=MMStarSettings,
    files=lambda _split, _settings: [(source.MMSTAR, FILE)],
    scoring_settings=lambda settings: dataclasses.replace(settings, ablation="text"),
    signature=signature_fields,
)
