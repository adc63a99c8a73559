"""`filter`: which questions need their image, and a host task of those that do."""

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.filter_runs import Filtered, Rule, filter_runs, is_abnormal
from spiqa_tasks.analysis.filtered_task import (
    Kept,
    kept_by_filter,
    kept_by_list,
    name_of,
    write_task,
)
from spiqa_tasks.commands.run_arguments import add_runs, runs_at
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.hosts.catalogue import user_folder
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import STYLES, Column, Columns, Table, add_format, as_jsonl, render
from spiqa_tasks.runs.loading import find_task
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.selection import partial_coverage
from spiqa_tasks.runs.subset import read_subset
from spiqa_tasks.scoring.values import percent


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = (
        "Without a RUN, --ids FILE --write makes the task of a kept.json, here or elsewhere; "
        "--task TASK --ids FILE --write makes one of a list of ids."
    )
    add_runs(parser, "*")
    parser.add_argument(
        "--max-hits",
        type=int,
        metavar="K",
        help="keep questions with at most K hits (default: N/4)",
    )
    about = "LVLM runs, for the difficulty"
    parser.add_argument(
        "--lvlm", nargs="+", type=RunPath.parse, default=[], metavar="RUN", help=about
    )
    about = "find leaked questions"
    parser.add_argument(
        "--pair",
        nargs=2,
        type=RunPath.parse,
        action="append",
        default=[],
        metavar=("LVLM_TEXT", "LLM"),
        help=about,
    )
    parser.add_argument(
        "--metric", help="the metric that says right or wrong (default: the headline of each task)"
    )
    parser.add_argument(
        "--threshold", type=float, metavar="T", help="least score of a right answer (default: 1)"
    )
    about = "runs of tasks with images are of models that see none"
    parser.add_argument("--text-only-models", action="store_true", help=about)
    parser.add_argument(
        "--write", action="store_true", help="write the task <task>_filtered for lmms-eval"
    )
    parser.add_argument("--name", help="another name of the written task")
    parser.add_argument(
        "--folder", type=Path, help="where to (default: a folder that lmms-eval searches by itself)"
    )
    parser.add_argument(
        "--samples", type=Path, metavar="FILE", help="write every question's hits (jsonl)"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the filter's results, and write tasks and samples; return 3 if a task is left out."""
    if arguments.samples is not None:
        check_file(arguments.samples)
    if not arguments.runs:
        return _run_lists(arguments)

    found, left_out = _filtered(arguments)
    written = _written(arguments, found) if arguments.write else {}
    if arguments.samples is not None:
        lines = (sample for filtered in found for sample in samples(filtered))
        write_atomically(arguments.samples, as_jsonl(lines).encode())

    records = [_record(filtered, written.get(filtered.task)) for filtered in found]
    _show(records, [_wrote(arguments, path) for path in written.values()], arguments.format)
    return 3 if left_out else 0


def _filtered(arguments: argparse.Namespace) -> tuple[list[Filtered], list[str]]:
    """Return the filter on each task, and a sentence on each that is left out."""
    found, remarks, left_out = filter_runs(
        runs_at(arguments.runs, arguments),
        runs_at(arguments.lvlm, arguments),
        [(runs_at([lvlm], arguments), runs_at([llm], arguments)) for lvlm, llm in arguments.pair],
        arguments.task,
        Rule(arguments.metric, arguments.max_hits, arguments.threshold),
        arguments.text_only_models,
    )
    say(*remarks, *left_out)
    if arguments.name and len(found) > 1:
        raise InputError(
            f"Expected one task for --name, found {len(found)}. Choose one with --task."
        )
    return found, left_out


def _written(arguments: argparse.Namespace, found: Sequence[Filtered]) -> dict[str, Path]:
    """Write the task of each filter; all are checked before the first is written."""
    kept = [kept_by_filter(filtered) for filtered in found]
    return {each["source"]: _write(arguments, each) for each in kept}


def _show(records: list[dict[str, Any]], wrote: Sequence[str], form: str) -> None:
    """Print the filters and, for people, sentences on what was written."""
    if form not in STYLES:
        print(render(form, Table(records, (), ())))
        return
    for record in records:
        _print(record, form)
    for sentence in wrote:
        print(f"\n{sentence}")


def _run_lists(arguments: argparse.Namespace) -> int:
    """Write the task of a kept.json, or of a task and a list of ids."""
    subset = None if arguments.ids is None else read_subset(arguments.ids)
    if subset is None or not arguments.write:
        raise _nothing_to_do()

    if subset.kept is not None:
        kept = dict(subset.kept)
    elif len(arguments.task) == 1:
        kept = kept_by_list(find_task(arguments.task[0], arguments.include_path), subset)
    else:
        raise _nothing_to_do()

    path = _write(arguments, kept)
    if arguments.format in STYLES:
        print(_wrote(arguments, path))
    else:
        record = {
            "task": kept["source"],
            "ids": subset.digest,
            "kept": len(subset.ids),
            "written": str(path),
        }
        print(render(arguments.format, Table([record], (), ())))
    return 0


def _nothing_to_do() -> InputError:
    return InputError(
        "Expected RUNs, --ids KEPT.JSON --write, or --task TASK --ids FILE --write; found none of "
        "them. See `spiqa-tasks filter -h`."
    )


def samples(filtered: Filtered) -> Iterator[dict[str, Any]]:
    """Yield one object per question, in the order of the split."""
    for key in sorted(filtered.hits, key=filtered.place):
        hits = filtered.hits[key]
        yield {
            "task": filtered.task,
            "id": key,
            "doc_id": filtered.place(key),
            "hits": hits,
            "kept": hits <= filtered.max_hits,
            "abnormal": is_abnormal(hits, len(filtered.inspectors)),
            "difficulty": filtered.difficulties.get(key),
            "leaked_by": filtered.leaked_by(key),
            "leaked_by_most": filtered.is_leaked(key) if filtered.leaks else None,
        }


def _write(arguments: argparse.Namespace, kept: Kept) -> Path:
    include = arguments.include_path[-1] if arguments.include_path else None
    folder = arguments.folder or user_folder()
    return write_task(kept, arguments.name or name_of(kept["source"]), folder.resolve(), include)


def _wrote(arguments: argparse.Namespace, path: Path) -> str:
    include = f" --include_path {arguments.folder}" if arguments.folder else ""
    return f"Wrote {path}. Run it with: lmms-eval --tasks {path.stem}{include}"


def _record(filtered: Filtered, written: Path | None) -> dict[str, Any]:
    answers = []
    for run, frame, shares in zip(filtered.runs, filtered.frames, filtered.outcomes, strict=True):
        model = {"model": run.identity.model, "task": run.task}
        score = float(frame.score.mean())
        answers.append({**model, "score": score, **dataclasses.asdict(shares)})

    return {
        "task": filtered.task,
        "inspectors": filtered.inspectors,
        "metric": filtered.metric.name,
        "threshold": filtered.threshold,
        "max_hits": filtered.max_hits,
        "n": len(filtered.hits),
        "questions": partial_coverage(filtered.runs),
        "kept": len(filtered.kept),
        "hit_counts": filtered.hit_counts,
        "answers": answers,
        "groups": [{"group": group, **counts} for group, counts in filtered.groups().items()],
        "difficulty": filtered.difficulty_counts(),
        "leaked": [
            {"lvlm": leak.lvlm, "llm": leak.llm, "n": len(leak.ids), "ids": leak.ids}
            for leak in filtered.leaks
        ],
        "written": written and str(written),
    }


def _print(record: dict[str, Any], form: str) -> None:
    part = f", {record['questions']} questions" if record["questions"] else ""
    print(
        f"\n{record['task']}{part}: {len(record['inspectors'])} inspectors, kept with at most "
        f"{record['max_hits']} hits ({record['metric']} of at least {record['threshold']:g})"
    )
    shares = [Column(name, show=percent) for name in ("refused", "unparsed", "failed", "truncated")]
    values: Columns = [Column("score", record["metric"], percent), *shares]
    abnormal = Column("abnormal_hit_rate", "abnormal hit rate x 100", percent)
    leaked = Column("leaked_by_most", "leaked in most pairs")
    answers = Table(record["answers"], [Column("model", "inspector"), "task"], values)
    groups = Table(record["groups"], ["group"], ["n", "kept", abnormal, leaked])
    print(render(form, answers, groups))

    hits = ", ".join(f"{n} by {count}" for count, n in enumerate(record["hit_counts"]))
    print(f"questions by hits: {hits}")
    if record["difficulty"]:
        counts = ", ".join(f"{n} {name}" for name, n in record["difficulty"].items())
        print(f"kept by difficulty: {counts}")
    for leak in record["leaked"]:
        print(f"{leak['lvlm']} answers {leak['n']} without the image that {leak['llm']} does not")
