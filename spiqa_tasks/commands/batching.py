"""`--batch`, `--write-requests` and `--read-responses` of the subcommands that ask judges."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.judge.batch_files import ALL, batch_api, read_responses
from spiqa_tasks.judge.batches import judge_in_batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed
from spiqa_tasks.printable import counted, say

Asked = tuple[Engine, Sequence[JudgeRequest], Judge | None]
"""An engine, what it is asked, and the judge by whose test questions it is tried, if by any."""
_UNTESTED = "the files do not answer it; it is among the first lines of requests: have it answered and name both files"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--batch", action="store_true", help="judge through the provider's batch interface: half the price, in a day"
    )
    group.add_argument(
        "--write-requests", type=Path, metavar="FILE", help="write what the judge is to be asked as a batch file; stop"
    )
    group.add_argument(
        "--read-responses", type=Path, nargs="+", default=[], metavar="FILE", help="ask nobody: what these files answer"
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="with --batch, hand over and collect what is done, then stop (status 3)"
    )


def check(arguments: argparse.Namespace, judges: Iterable[JudgeConfig]) -> None:
    """Raise SpiqaTasksError for options or judges that do not go together, a file that cannot be written, no SDK."""
    if arguments.no_wait and not arguments.batch:
        raise InputError("Expected --batch with --no-wait, found --no-wait alone. Add --batch.")
    if arguments.batch:
        require("batch", "Judging in batches")
    if arguments.write_requests:
        check_file(arguments.write_requests)
    if arguments.batch or by_files(arguments):
        for judge in judges:
            batch_api(judge)


def by_files(arguments: argparse.Namespace) -> bool:
    """Return whether the judge is not asked from here, so that it needs no key and no trial."""
    return bool(arguments.write_requests or arguments.read_responses)


def settle(arguments: argparse.Namespace, asked: Sequence[Asked]) -> int | None:
    """Have requests answered otherwise than one by one; return the exit status where scoring cannot go on.

    Raises:
        InputError: a file for several judges, or one that cannot be read or written.
        JudgeError: a batch interface that refuses, or a judge that its answers to the test questions show as unfit.
    """
    engines: dict[Engine, list[JudgeRequest]] = {}
    for engine, requests, _ in asked:
        engines.setdefault(engine, []).extend(requests)
    if arguments.batch:
        ended = [judge_in_batches(engine, requests, wait=not arguments.no_wait) for engine, requests in engines.items()]
        return None if all(ended) else 3
    if not by_files(arguments):
        return None
    if len(engines) != 1:
        raise InputError(f"Expected one judge with a file of requests or responses, found {len(engines)}. Name one.")
    ((engine, requests),) = engines.items()
    judges = [judge for _, _, judge in asked if judge is not None]
    if arguments.write_requests:
        _write(arguments.write_requests, engine, requests, judges)
        return 0
    _read(arguments.read_responses, engine, requests, judges)
    return None


def _write(path: Path, engine: Engine, requests: Sequence[JudgeRequest], judges: Sequence[Judge]) -> None:
    """Write the test questions and the requests without a verdict, one a line."""
    api = batch_api(engine.config)
    tests, wanted = engine.keyed([test for judge in judges for test in judge.tests]), engine.keyed(requests)
    known = engine.known([*tests, *wanted])
    missing = {key: wanted[key] for key in wanted if key not in known}
    lines = [json.dumps(api.request(*each)) for each in (tests | missing).items()] if missing else []
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
    say(f"wrote {counted(len(lines), 'request')} for {engine.config.name} to {path}.")


def _read(paths: Sequence[Path], engine: Engine, requests: Sequence[JudgeRequest], judges: Sequence[Judge]) -> None:
    """Store what the files answer, by a judge that is fit, and fail the rest in this process."""
    tests = [engine.keyed(judge.tests) for judge in judges]
    wanted = engine.keyed([*requests, *(test for each in tests for test in each.values())])
    tops = {key: request.top_logprobs for key, request in wanted.items()}
    verdicts: dict[str, Verdict] = {}
    counts = read_responses(batch_api(engine.config), tops, _lines(paths), verdicts)
    known = engine.known(wanted)
    new = {key: verdict for key, verdict in verdicts.items() if key not in known}
    stored = sum(verdict.ok for verdict in new.values())
    for judge, keys in zip(judges, tests, strict=True):
        if stored and not keys.keys() <= known:
            judge.check(verdicts.get(key, failed(_UNTESTED)) for key in keys)
    engine.settle(new)
    engine.fail_rest(wanted, "the files of responses do not answer it")
    odd = "".join(f", {count} {kind}" for kind, count in counts.items() if kind != ALL)
    say(f"read {counted(counts[ALL], 'response')} for {engine.config.name}: {stored} new{odd}.")


def _lines(paths: Sequence[Path]) -> Iterator[bytes]:
    """The lines of the files; InputError for one that cannot be read."""
    for path in paths:
        try:
            with path.open("rb") as file:
                yield from file
        except OSError as error:
            raise InputError(f"Expected responses at {path}, found {error.strerror}. Name another file.") from error
