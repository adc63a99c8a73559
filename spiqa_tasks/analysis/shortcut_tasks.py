"""Questions of any task, ours or the host's, without their pictures, and answers made from texts alone, as runs."""

import hashlib
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.shortcuts import ChoiceQuestion, Learning, Shortcut, split_apart
from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.lmms_eval.source_task import TaskDocuments, write_host_log
from spiqa_tasks.printable import counted
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.join import join_questions
from spiqa_tasks.runs.readers.answers import LINES
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.task import P_RIGHT
from spiqa_tasks.scoring.open_answers import normalized
from spiqa_tasks.scoring.option_features import beginning
from spiqa_tasks.scoring.options import question_before

Row = Mapping[str, Any]
MODEL = "shortcut_"
"""Prefix of a classifier's name as that of a model."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def task_rows(task: Task) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a task of ours, and a sentence if they are without their pictures.

    Raises DataError: the questions are not there.
    """
    remarks = []
    try:
        rows = load_rows(task.entry, task.split, task.settings)
    except DataError:
        rows = rows_for_scoring(task.entry, task.split, task.settings)
        remarks = [
            f"{task.name}: its pictures are not there, so that questions that share one may be in two folds."
        ]
    return [row for row in rows if task.kept is None or row["id"] in task.kept], remarks


def choices_of(rows: Sequence[Row]) -> list[ChoiceQuestion]:
    """Return the choices among rows; questions that share a picture or a cluster key are one cluster."""
    rows = [row for row in rows if row.get("letters")]
    found = [
        ChoiceQuestion(
            row["id"],
            question_before(row["question"]),
            dict(zip(row["letters"], row["options"], strict=True)),
            row["answer"],
            tuple(
                filter(
                    None,
                    dict.fromkeys(
                        (row.get("groups") or {"category": slug(row["category"])}).values()
                    ),
                )
            ),
        )
        for row in rows
    ]
    return clustered(found, [_shared(row) for row in rows])


def choices_of_host(of: TaskDocuments) -> tuple[list[ChoiceQuestion], list[str]]:
    """Return the choices that a host's prompts list (id: index in the split), and a sentence if some are left out.

    Raises InputError: no choice with a known answer among them.
    """
    from spiqa_tasks.models.choice import host_choice

    documents, rows, faults = of.task.dataset_no_image[of.split], [], Counter[str]()
    for place, images in enumerate(of.pictures()):
        try:
            row = host_choice(of.task, documents[place], f"{of.name}/{of.split}/{place}")
        except InputError as error:
            faults[str(error)] += 1
            continue
        if row["letters"] and row["answer"]:
            rows.append({**row, "id": str(place), "images": images})
        else:
            faults[f"the prompt of {row['id']} lists no options, or its true one is not told."] += 1
    first = next(iter(faults), "it has no documents.")
    if not rows:
        raise InputError(f"Expected choices in {of.name}, found none: {first}")
    remark = f"{of.name}: {counted(faults.total(), 'question')} left out, the first: {first}"
    return choices_of(rows), [remark] if faults else []


def clustered(
    questions: Sequence[ChoiceQuestion], shared: Sequence[Sequence[Hashable]]
) -> list[ChoiceQuestion]:
    """Return the questions with one cluster key per connected component of what they share; None if alone."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    columns = {
        key: place
        for place, key in enumerate(dict.fromkeys(key for keys in shared for key in keys))
    }
    pairs = [(place, columns[key]) for place, keys in enumerate(shared) for key in keys]
    ends = tuple(np.asarray(pairs, dtype=int).reshape(-1, 2).T)
    has = coo_array((np.ones(len(pairs)), ends), shape=(len(questions), len(columns) + 1))
    labels = connected_components(has @ has.T, directed=False)[1].tolist()
    counts = Counter(labels)
    return [
        replace(question, cluster=label if counts[label] > 1 else None)
        for question, label in zip(questions, labels, strict=True)
    ]


def _shared(row: Row) -> list[Hashable]:
    """Return what other rows may have, too: the cluster key and digests of the pictures' bytes, files or names."""
    shared: list[Hashable] = [("cluster", row["cluster"])] if row.get("cluster") else []
    for image in row.get("images") or ():
        source = (image.get("bytes") or image.get("path")) if isinstance(image, Mapping) else image
        if isinstance(source, str) and Path(source).is_file():
            source = Path(source).read_bytes()
        if source:
            content = source if isinstance(source, bytes) else str(source).encode()
            shared.append(hashlib.sha256(content).hexdigest())
    return shared


def guesses(rows: Sequence[Row], learning: Learning) -> dict[str, dict[str, str]]:
    """Return rule -> id -> answer to each open question among rows, made without its picture and its true answer.

    `frequent` is the most frequent answer to questions of the other folds that begin with the same two words, those of
    one paper being in one fold; `caption` the sentence of the captions that is nearest to the question by TF-IDF.

    Raises InputError for fewer papers than folds.
    """
    questions = list({row["id"]: row for row in rows if not row.get("letters")}.values())
    answers: dict[str, dict[str, str]] = {"frequent": {}}
    for train, test in split_apart(
        [row.get("paper_id") or row.get("cluster") for row in questions], learning
    ):
        frequent = _frequent([questions[place] for place in train])
        for row in (questions[place] for place in test):
            answers["frequent"][row["id"]] = frequent.get(beginning(row["question"]), frequent[""])
    if any(row.get("figures") for row in questions):
        answers["caption"] = {row["id"]: _from_captions(row) for row in questions}
    return {
        name: {row["id"]: of_rule[row["id"]] for row in questions}
        for name, of_rule in answers.items()
    }


def _frequent(known: Sequence[Row]) -> dict[str, str]:
    """Return beginning of a question ('': any) -> most frequent answer, in its first wording; the first of equals."""
    wordings: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {}
    for row in known:
        plain = normalized(row["answer"])
        wordings.setdefault(plain, row["answer"])
        for kind in ("", beginning(row["question"])):
            counts.setdefault(kind, Counter())[plain] += 1
    return {kind: wordings[counter.most_common(1)[0][0]] for kind, counter in counts.items()}


def _from_captions(row: Row) -> str:
    from sklearn.feature_extraction.text import TfidfVectorizer

    captions = [figure["caption"].strip() for figure in row.get("figures") or ()]
    sentences = [text for caption in captions for text in _SENTENCE.split(caption) if text]
    if not any(re.search(r"\w", text) for text in sentences):
        return ""
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
    matrix = vectors.fit_transform(sentences)
    return sentences[int((vectors.transform([row["question"]]) @ matrix.T).toarray().argmax())]


def run_of(
    task: Task, name: str, answers: Mapping[str, str], sure: Mapping[str, float] | None = None
) -> Run:
    """Return a classifier's answers (id -> text) to a task of ours as a run, scored without a judge.

    `sure` is id -> probability of the right option, which becomes a metric of the run.
    """
    given = [Answer(key, Response(text)) for key, text in answers.items()]
    run = Run(task.name, Identity(MODEL + name, "text"), Path(name), LINES, lambda: given)
    scored = scoring.score(scoring.read(join_questions(run, task)[0]))
    if sure is None:
        return scored
    return scored.with_records(
        [record.with_scores({P_RIGHT: sure[record.id]}) for record in scored.records]
    )


def write_answers(
    folder: Path, task: Task | TaskDocuments, found: Sequence[Shortcut], metric: str
) -> list[Path]:
    """Write the choices of each classifier in our form, or with hits as the metric in the host's; return the files."""
    if isinstance(task, Task):
        made = []
        for each in found:
            answers = {question.id: pick for question, pick, _ in each.answers}
            made.append(
                run_of(
                    task, each.name, answers, {question.id: p for question, _, p in each.answers}
                )
            )
        return scoring.write_runs(made, folder)
    return [
        write_host_log(
            folder,
            task,
            MODEL + each.name,
            {
                int(q.id): (pick, {metric: float(pick == q.answer), P_RIGHT: p})
                for q, pick, p in each.answers
            },
        )
        for each in found
    ]
