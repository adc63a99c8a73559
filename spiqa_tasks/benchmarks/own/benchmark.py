"""A user's benchmark as a `Benchmark`: choices by the matcher, open answers by match, judge and text metrics."""

import dataclasses
import math
from collections import UserDict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any

from spiqa_tasks.benchmarks.aggregation import NO_ANSWER, Metric, Value, mean_of
from spiqa_tasks.benchmarks.benchmark import Benchmark, parse_settings
from spiqa_tasks.benchmarks.choice import FAILURE_RATES, TRUNCATED_RATE, choice_record
from spiqa_tasks.benchmarks.open_metrics import JUDGE_FAILED, NEITHER, judge_advice, text_metric
from spiqa_tasks.benchmarks.own import prompts, rows
from spiqa_tasks.benchmarks.own.definition import ALL_LETTERS, JUDGED, MATCHES, Definition
from spiqa_tasks.benchmarks.prompting import Part
from spiqa_tasks.benchmarks.record import Context, Record, Response, Status
from spiqa_tasks.benchmarks.signature import ablation_fields
from spiqa_tasks.files.pictures import Ablation
from spiqa_tasks.files.source import Repository, Source, default_source
from spiqa_tasks.judge.rules import RULE_OF, Candidate
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.intervals import weighted_interval
from spiqa_tasks.scoring.mcq import MATCHER_VERSION
from spiqa_tasks.scoring.mcq.several import extract_letters
from spiqa_tasks.scoring.open_answers import MATCH_VERSION, final_answer, named_answer, read_as
from spiqa_tasks.scoring.responses import is_refusal

POINTS = "points"
"""The metric, and the detail of records, of questions with points."""
LONGEST = 12
"""Words of an answer that may be the short phrase asked for."""


@dataclasses.dataclass(frozen=True)
class OwnSettings:
    """Settings of a user's task; `grey` replaces pictures by grey ones of the same size, `text` omits them."""

    ablation: Ablation = "none"


def own_benchmark(definition: Definition) -> Benchmark:
    """Return the benchmark of a definition; no data is read before it is needed."""

    @lru_cache(maxsize=1)  # files of answers to one task share its questions
    def unseen(source: Source, split: str, _digest: str) -> tuple[list[rows.Row], int]:
        return rows.load(definition, source, split, "text")

    def load(source: Source, split: str, settings: OwnSettings) -> list[rows.Row]:
        if settings.ablation != "text" and definition.columns.images:
            return rows.load(definition, source, split, settings.ablation)[0]
        label = {} if settings.ablation == "text" else {"settings": f"ablation={settings.ablation}"}
        return [
            row | label if label else row
            for row in unseen(source, split, rows.data_digest(definition, source))[0]
        ]

    def size(split: str) -> int:
        source = default_source()
        return unseen(source, split, rows.data_digest(definition, source))[1]

    @cache
    def shots(settings: OwnSettings) -> list[rows.Row]:
        """The solved questions before each: the first of their split, read once."""
        return load(default_source(), definition.shots.split, settings)[: definition.shots.count]

    def prompt(row: Mapping[str, Any]) -> list[Part]:
        settings = parse_settings(OwnSettings, row["settings"])
        return prompts.prompt(
            definition, row, shots(settings) if definition.shots.count else (), settings.ablation
        )

    def files(split: str, _settings: Any) -> list[tuple[Repository, str]]:
        place = definition.data[split]
        return [rows.hub_place(definition.benchmark, place)] if place.startswith(rows.HUB) else []

    return Benchmark(
        name=definition.benchmark,
        splits=_Sizes(dict.fromkeys(definition.data, size)),
        load=load,
        prompt=prompt,
        record=partial(record, definition),
        metrics=lambda _settings: metrics(definition),
        settings=OwnSettings,
        files=files,
        unseen=lambda settings: dataclasses.replace(settings, ablation="text"),
        table=lambda _settings: [
            each.name for each in metrics(definition) if each not in (NEITHER, TRUNCATED_RATE)
        ],
        judge=lambda _settings: RULE_OF[definition.judged] if definition.judged else None,
        signature=lambda settings: {
            **ablation_fields(settings),
            "weights": definition.columns.points,
        },
        remarks=judge_advice,
        definition=definition.portable,
        tasks={name: (definition.split, settings) for name, settings in definition.tasks.items()},
        groups=definition.groups,
        max_new_tokens=definition.max_new_tokens,
        clustered=bool(definition.columns.cluster),
    )


class _Sizes(UserDict[str, Any]):
    """Split -> number of its questions, counted when it is looked up."""

    def __getitem__(self, split: str) -> int:
        return int(self.data[split](split))


def record(
    definition: Definition, row: Mapping[str, Any], response: Response, context: Context
) -> Record:
    """Return the record of one answer; with kind `both` an open answer has an `accuracy`, that of the first match."""
    signature = context.sign(row, "".join(definition.prompts.values()))
    points = {POINTS: row[POINTS]} if definition.columns.points else {}
    if row["letters"] and definition.answer_is != "letters":
        return choice_record(row, response, row["groups"], signature, **points)
    if response.failure is not None:
        found = Record(row["id"], status="request_failed", reason=response.failure)
    elif row["letters"]:
        found = _letters_record(row, response)
    else:
        found = _open_record(definition, row, response, context)
    shared: dict[str, Any] = {
        "reference": row["answer"],
        "groups": row["groups"],
        "cluster": row["cluster"],
    }
    return dataclasses.replace(
        found, **shared, signature=signature, details={**found.details, **points}
    )


def metrics(definition: Definition) -> list[Metric]:
    """Return the metrics, the headline first."""
    rules = str(MATCH_VERSION)
    if definition.match:
        rules += (
            f" tolerance {definition.match.tolerance}{' units' if definition.match.units else ''}"
        )
    found = [_metric(name, rules) for name in definition.metrics]
    if definition.kind == "both":
        matcher = f"{MATCHER_VERSION}, {definition.match_name} of open answers {rules}"
        found = [found[0], *map(_of_open, found[1:])]
        found = [
            dataclasses.replace(metric, signature=lambda: {"matcher": matcher}) for metric in found
        ]
    found += [_points_of(found[0])] if definition.columns.points else []
    found += [JUDGE_FAILED] if definition.judged else []
    found += [NEITHER] if definition.judged == "l3score" else []
    return [*found, *FAILURE_RATES, TRUNCATED_RATE]


def _open_record(
    definition: Definition, row: Mapping[str, Any], response: Response, context: Context
) -> Record:
    named, references = named_answer(response.text), row["references"]
    prediction = final_answer(response.text)
    read = {each: read_as(prediction, each) for each in references}
    results = {
        name: [definition.matches[name](text or prediction, each) for each, text in read.items()]
        for name in definition.metrics
        if name in MATCHES
    }
    scores = {name: float(any(found)) for name, found in results.items()}
    if definition.kind == "both":
        scores[definition.metrics[0]] = scores[definition.match_name]
    candidate = Candidate(prediction, row["question"], " or ".join(references))
    asks = context.asks(definition.judged, candidate) if definition.judged else ()
    is_long = "\n" in prediction or len(prediction.split()) > LONGEST
    is_whole = named is None and is_long and not any(read.values())
    is_whole |= any(None in found and not any(found) for found in results.values())
    rule = "empty" if not prediction else "unformatted" if is_whole else None
    return Record(
        row["id"],
        prediction,
        rule=rule,
        refused=is_refusal(response.text),
        scores=scores,
        asks=asks,
    )


def _letters_record(row: Mapping[str, Any], response: Response) -> Record:
    picked = ", ".join(
        sorted(
            extract_letters(response.text, dict(zip(row["letters"], row["options"], strict=True)))
        )
    )
    refused = not picked and is_refusal(response.text)
    status: Status = "ok" if picked else "refused" if refused else "unparsed"
    scores = {ALL_LETTERS: float(picked == row["answer"])}
    return Record(row["id"], picked or None, status=status, refused=refused, scores=scores)


def _metric(name: str, rules: str) -> Metric:
    if name in METRICS:
        return text_metric(name)
    if name in JUDGED:
        return mean_of(name, "judge")
    matcher = f"open answers {rules}" if name in MATCHES else MATCHER_VERSION
    return dataclasses.replace(mean_of(name), signature=lambda: {"matcher": matcher})


def _points_of(metric: Metric) -> Metric:
    """The share of all points that a metric's scores earn; it has no scores per answer, which are not weighted."""

    def compute(records: Sequence[Record]) -> Value:
        plain = metric.compute(records)
        known = [record for record in records if record.id in plain.scores]
        weights, scores = (
            [record.details[POINTS] for record in known],
            [plain.scores[record.id] for record in known],
        )
        if not known:
            return plain
        share, interval = weighted_interval(scores, weights, [record.cluster for record in known])
        return Value(share, plain.n, missing=plain.missing, ends=interval)

    return dataclasses.replace(metric, name=POINTS, compute=compute)


def _of_open(metric: Metric) -> Metric:

    def of_open(records: Sequence[Record]) -> list[Record]:
        return [record for record in records if record.groups.get("kind", "").endswith("open")]

    def compute(records: Sequence[Record]) -> Value:
        found = of_open(records)
        return metric.compute(found) if found else Value(math.nan, 0, reason=NO_ANSWER)

    pairs = metric.pairs
    return dataclasses.replace(
        metric, compute=compute, pairs=pairs and (lambda records: pairs(of_open(records)))
    )
