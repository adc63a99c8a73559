"""Join answers to the task's questions, from the release or from the answers file."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Row, settings_text
from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, known_figures, rows_for_scoring
from spiqa_tasks.benchmarks.summary import PLAIN
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.failed_requests import reads_like_failure
from spiqa_tasks.printable import counted
from spiqa_tasks.runs import lmms_eval, spiqa_responses
from spiqa_tasks.runs.differences import LONGEST, compare_with_release
from spiqa_tasks.runs.own_questions import own_rows
from spiqa_tasks.runs.run import MOST_LISTED, Answer, Answers, Run, by_question, canonical
from spiqa_tasks.runs.selection import LeftOut
from spiqa_tasks.runs.subset import Subset

Rows = Sequence[Row]
# `missing`, `unknown`, `duplicates`, `differing` -> ids of answers that did not fit the rows.
Unmatched = dict[str, list[str]]

# Way in which ids did not fit -> what is said of them, in the class of the remark.
_MEANINGS = {
    "missing": "without an answer",
    "unknown": LeftOut("that name no question of this task, or several, left out"),
    "duplicates": "several times with the same answer, which counts once",
}

# The same if one of them has a question mark within, as `the parameter ? increases`.
_LOST_LETTERS = LeftOut(
    "that name no question of this task, left out; where a letter became a question mark, as "
    "Windows-1252 lacks it, save the file as UTF-8"
)
_MARK_WITHIN = re.compile(r"\?.*\w")


@dataclass(frozen=True)
class Joined:
    """A run whose answers are those to the rows of its task.

    Attributes:
        ids: digest of the list of the only questions that count, or ''.
        unmatched: answers that did not fit the rows.
    """

    run: Run
    rows: Rows
    unmatched: Unmatched
    ids: str = ""


def task_questions(task: Task) -> Rows:
    """Return a task's questions for scoring, in the release's order.

    Raises as `registry.load_rows`.
    """
    rows = rows_for_scoring(task.benchmark_name, task.split, task.settings_text)
    return rows if task.kept is None else [row for row in rows if row["id"] in task.kept]


def join_questions(
    run: Run,
    task: Task,
    accept_differences: bool = False,
    rows_of: Callable[[Task], Rows] = task_questions,
    subset: Subset | None = None,
) -> tuple[Joined, list[str]]:
    """Return a run joined to a task's questions, and remarks.

    `rows_of` finds the questions of a task; several runs of one may share them. Only those of
    `subset` count.
    Raises InputError: answers made with different settings, ids of no question, or see `match` and
    `compare_with_release`; DataError: the questions are not there, and not in the file either.
    """
    answers = run.read()
    _check_ids(run, task, answers)
    _check_settings(run, task, answers)
    if task.benchmark_name not in BENCHMARKS:
        rows, lacks = own_rows(run.path, task, answers)
    else:
        rows, lacks = rows_of(task), {}

    has_keys = run.form == spiqa_responses.FORM
    matched, unmatched = match(run.path, answers, rows, has_keys)
    if subset is not None:
        # after the match: answers to questions off the list are no unknown ones
        rows = subset.cut_rows(task.name, rows)
        matched, unmatched = _only_of(rows, matched, unmatched)
        task = replace(task, kept=frozenset(subset.ids))

    figures = _figures(task, matched)
    matched, unmatched["differing"], differences = compare_with_release(
        run.path, matched, rows, figures, accept_differences
    )
    remarks = [*_match_remarks(f"{task.name}: {run.path}", unmatched, lacks)]
    remarks += [
        f"{task.name}: {remark}" for remark in (*_failure_remarks(run, matched), *differences)
    ]

    joined_answers = list(matched.values())
    joined = replace(run, task=task.name, benchmark_task_or_none=task, read=lambda: joined_answers)
    digest = "" if subset is None else subset.digest
    return Joined(joined, rows, unmatched, digest), remarks


def match(
    path: Path, answers: Sequence[Answer], rows: Rows, has_keys: bool = False
) -> tuple[Answers, Unmatched]:
    """Return row id -> answer, in the order of the rows, and the ids that did not fit.

    An answer is to the row of its id, or of its paper and question. If most answers have neither,
    it is to the only row of its question. With `has_keys`, as in SPIQA's response files, whose keys
    may be other numbers than the rows', the question counts before the id.
    Raises InputError: an id with two different answers, ids from 1, or no id of the task at all.
    """
    known = []
    unknown: dict[str, None] = {}
    count_of_text = Counter(map(_text_id_of, answers))
    matched_of_text: Counter[str] = Counter()
    for answer, row_ids in zip(answers, _ids_of_rows(answers, rows, has_keys), strict=True):
        if len(row_ids) == 1:
            known.append(replace(answer, id=row_ids[0]))
        elif len(row_ids) == count_of_text[text := _text_id_of(answer)]:
            # a paper asks the question twice: both answers are in the release's order
            known.append(replace(answer, id=row_ids[matched_of_text[text]]))
            matched_of_text[text] += 1
        else:
            # no row; or a paper asks the question twice, and there are not two answers
            unknown[answer.id or f"{answer.paper}/{answer.question}"] = None

    by_id, duplicates = by_question(path, known)
    matched = {row["id"]: by_id[row["id"]] for row in rows if row["id"] in by_id}
    missing = [row["id"] for row in rows if row["id"] not in by_id]
    unmatched = {"missing": missing, "unknown": list(unknown), "duplicates": duplicates}
    _check_matched(path, rows, unmatched)
    return matched, unmatched


def _only_of(rows: Rows, matched: Answers, unmatched: Unmatched) -> tuple[Answers, Unmatched]:
    """Return the answers to some rows, and the ids that did not fit; other rows are not missing."""
    kept = {row["id"] for row in rows}
    answers = {key: answer for key, answer in matched.items() if key in kept}
    return answers, {**unmatched, "missing": [key for key in unmatched["missing"] if key in kept]}


def _check_matched(path: Path, rows: Rows, unmatched: Unmatched) -> None:
    """Raise InputError if no id is of the task, or if ids count from 1."""
    missing, unknown = unmatched["missing"], unmatched["unknown"]
    if len(missing) == len(rows):
        instead = f"ids such as {unknown[0][:LONGEST]!r}" if unknown else "no answers"
        raise InputError(
            f"Expected answers to the task's questions (ids such as {rows[0]['id']!r}) in {path}, "
            f"found {instead}. Name another task, or the ids with --columns id=COLUMN."
        )
    # all other ids would be those of the questions before them
    too_high = _ids_from_1(rows, missing)
    if unknown and too_high.issuperset(unknown):
        raise InputError(
            f"Expected ids that count from 0 in {path}, found {unknown[0][:LONGEST]!r} and no 0. "
            "Count from 0."
        )


def _ids_from_1(rows: Rows, missing: Sequence[str]) -> set[str]:
    """Return the ids that only answers counted from 1 have, as `paper/9` of questions 0 to 8.

    There is one for each paper (or one of all) whose 0 is missing.
    """
    parts = [name.rpartition("/") for name in missing]
    sizes = Counter(row["id"].rpartition("/")[0] for row in rows)
    return {f"{paper}{slash}{sizes[paper]}" for paper, slash, number in parts if number == "0"}


def match_counts(unmatched: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return how many ids did not fit and why, and the first few of them."""
    counts: dict[str, Any] = {}
    for name, ids in unmatched.items():
        counts[name] = len(ids)
        if ids:
            counts[f"{name}_first"] = list(ids[:MOST_LISTED])
    return counts


def _check_ids(run: Run, task: Task, answers: Sequence[Answer]) -> None:
    """Raise InputError if an answer has no id, paper or position among a host's documents."""
    nameless = [answer.position + 1 for answer in answers if not (answer.id or answer.paper)]
    if run.form in lmms_eval.FORMS or not nameless:
        return
    raise InputError(
        f"Expected an id with each answer to {task.name} in {run.path}, found none in row "
        f"{nameless[0]}. Add --columns id=COLUMN, or score its own questions: `spiqa-tasks score "
        f"{run.path}`."
    )


def _check_settings(run: Run, task: Task, answers: Sequence[Answer]) -> None:
    """Raise InputError if answers were made with other settings than the task's.

    How they are scored is a matter of the task that is named now.
    """
    scoring = {name: getattr(task.settings, name) for name in task.benchmark.scoring}
    logged = {answer.signature.settings for answer in answers} - {""}
    made_with = {settings_text(replace(task.benchmark.parse(text), **scoring)) for text in logged}
    expected = settings_text(task.settings)
    if not made_with <= {expected}:
        raise InputError(
            f"Expected answers made with {expected}, as {task.name} has it, in {run.path}; found "
            f"{'; '.join(sorted(made_with))}. Name their task, or score them apart."
        )


def _figures(task: Task, answers: Mapping[str, Answer]) -> Mapping[str, Collection[str]]:
    """Return paper -> files of its figures, if answers name figures."""
    if not any(answer.response.shown for answer in answers.values()):
        return {}
    return known_figures(task.benchmark_name, task.split)


def _ids_of_rows(answers: Sequence[Answer], rows: Rows, has_keys: bool) -> list[Sequence[str]]:
    """Return the ids of the rows that each answer may be to, as `match` finds them."""
    names = _row_ids(rows)
    found = [_ids_by_name(answer, rows, names, has_keys) for answer in answers]
    if has_keys or any(found):
        return found
    by_text = [names.get(_text_id("", answer.question), ()) for answer in answers]
    only = [ids if len(ids) == 1 else () for ids in by_text]
    # a few equal questions do not make a file one of this task
    return only if 2 * sum(map(len, only)) > len(answers) else found


def _ids_by_name(
    answer: Answer, rows: Rows, names: Mapping[str, Sequence[str]], has_keys: bool
) -> Sequence[str]:
    """Return the ids of the rows that an answer names by its id, or by paper and question: two if
    a paper asks the question twice.

    `names` is as `_row_ids` returns it, `has_keys` as `match` takes it.
    """
    if not answer.id and not answer.paper and answer.position < len(rows):
        # a host's answers without records, as of --predict_only
        return [str(rows[answer.position]["id"])]
    if not has_keys:
        return names.get(answer.id) or names.get(_text_id_of(answer), ())

    paper, _, rest = answer.id.partition("/")
    _, slash, document = rest.partition("/")
    ids_by_text = names.get(_text_id(paper, f"{answer.question}{slash}{document}"), ())
    return ids_by_text if len(ids_by_text) == 1 else names.get(answer.id, ())


def _row_ids(rows: Rows) -> dict[str, Sequence[str]]:
    """Return name -> ids of the rows that have it: their own id, and `_text_id` with a paper and
    without.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        names[_text_id("", row.get("question", ""))].append(row["id"])
        if "paper_id" in row:
            # a document of one figure is named by its file and its step
            document = f"/{row['figures'][0]['file']}/{row['step']}" if row.get("step") else ""
            names[_text_id(row["paper_id"], f"{row['question']}{document}")].append(row["id"])
    return names | {row["id"]: [row["id"]] for row in rows}


def _text_id_of(answer: Answer) -> str:
    """Return the name of an answer's question by its paper and text; '' without a paper."""
    return _text_id(answer.paper, answer.question) if answer.paper else ""


def _text_id(paper: str, question: str) -> str:
    """Return a name of a question by its text, whatever its blanks, case and marks."""
    return f"{paper}/{canonical(question)}"


def _match_remarks(
    where: str, unmatched: Mapping[str, Sequence[str]], lacks: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each way in which ids did not fit; `lacks` as of `rows_in_file`."""
    meanings = dict(_MEANINGS)
    if any(map(_MARK_WITHIN.search, unmatched["unknown"])):
        meanings["unknown"] = _LOST_LETTERS

    ids_of = defaultdict(list)
    for name, meaning in meanings.items():
        for key in unmatched[name]:
            lack = lacks.get(key)
            ids_of[LeftOut(f"without {lack}, left out") if lack else meaning].append(key[:LONGEST])

    for meaning, ids in ids_of.items():
        first = ", ".join(ids[:MOST_LISTED])
        remark = f"{where}: {counted(len(ids), 'id')} {meaning}, the first: {first}."
        yield type(meaning)(remark)


def _failure_remarks(run: Run, answers: Answers) -> Iterator[str]:
    """Yield a sentence on answers that may be failed requests, which are scored: empty ones of
    plain files, and those that read like errors of a server.
    """
    if run.form not in PLAIN:
        return
    texts = {
        key: answer.response.text for key, answer in answers.items() if not answer.response.failure
    }
    kinds = {
        "empty": [key for key, text in texts.items() if not text.strip()],
        "like a server's error": [key for key, text in texts.items() if reads_like_failure(text)],
    }
    for kind, ids in kinds.items():
        if ids:
            yield (
                f"{run.path}: {counted(len(ids), 'answer is', 'answers are')} {kind} and scored all"
                f" the same, the first: {ids[0]}. If requests failed, add a column `error` with a "
                "text."
            )
