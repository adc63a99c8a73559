"""`--write-requests` and `--read-responses`: judge requests and responses as lines of files.

For providers' batch interfaces, vLLM, or a cluster without a network.
"""

import argparse
import fileinput
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.judge import Asker, Judge
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.provider import AskError
from spiqa_tasks.judge.providers.sdk import SdkJudge
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed, redacted_verdict, united
from spiqa_tasks.printable import counted, say

Asked = tuple[Asker, Sequence[JudgeRequest]]
"""A judge and its requests."""
_UNTESTED = "the files do not answer it; it is among the first lines of requests: have it answered and name both files"
_UNANSWERED = "the files of responses do not answer it"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--write-requests",
        type=Path,
        metavar="FILE",
        help="write what the judge is to be asked as a batch file; stop",
    )
    group.add_argument(
        "--read-responses",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="ask nobody: what these files answer",
    )


def files_of(config: JudgeConfig) -> SdkJudge:
    """Return the client that writes and reads a judge's lines; JudgeError for a provider without files."""
    provider = PROVIDERS[config.provider]
    if not issubclass(provider, SdkJudge):
        raise JudgeError(
            f"Expected a judge that is asked through files, found {config.name}. Ask it directly."
        )
    return provider(config)


def check(arguments: argparse.Namespace, judges: Iterable[JudgeConfig]) -> None:
    """Raise SpiqaTasksError for a file that cannot be written, or a judge that has no files."""
    if arguments.write_requests:
        check_file(arguments.write_requests)
    for judge in judges if by_files(arguments) else ():
        files_of(judge)


def by_files(arguments: argparse.Namespace) -> bool:
    """Return whether files take the place of asking the judge, which then needs no key and no trial."""
    return bool(arguments.write_requests or arguments.read_responses)


def settle(arguments: argparse.Namespace, asked: Sequence[Asked], *, tested: bool = True) -> bool:
    """Write or read the files that are named; return whether scoring goes on.

    Raises InputError for judges of several configurations or an unusable file and, if `tested`, JudgeError for a judge
    whose answers to the test questions show it as unfit.
    """
    if not by_files(arguments):
        return True
    configs = {asker.config for asker, _ in asked}
    if len(configs) != 1:
        raise InputError(
            f"Expected one judge with a file of requests or responses, found {len(configs)}. Name one."
        )
    judges = [asker for asker, _ in asked if isinstance(asker, Judge)] if tested else []
    if arguments.write_requests:
        _write(arguments.write_requests, asked, judges)
        return False
    _read(arguments.read_responses, asked, judges)
    return True


def _write(path: Path, asked: Sequence[Asked], judges: Sequence[Judge]) -> None:
    """Write the test questions and the requests without a verdict, one a line."""
    asker = asked[0][0]
    tests = asker.keyed(test for judge in judges for test in judge.tests)
    wanted = asker.keyed(request for _, requests in asked for request in requests)
    with asker.cache() as cache:
        stored = cache.get(wanted)
    missing = {key: request for key, request in wanted.items() if key not in stored}
    files = files_of(asker.config)
    lines = [json.dumps(files.line(*each)) for each in (tests | missing if missing else {}).items()]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
    say(f"wrote {counted(len(lines), 'request')} for {asker.config.name} to {path}.")


def _read(paths: Sequence[Path], asked: Sequence[Asked], judges: Sequence[Judge]) -> None:
    """Store what the files answer, by a judge that is fit; what they do not answer has failed in this run."""
    asker = asked[0][0]
    own = [each.keyed(requests) for each, requests in asked]
    wanted = asker.keyed(test for judge in judges for test in judge.tests)
    for each in own:
        wanted |= each
    try:
        with fileinput.input(paths, mode="rb") as lines:
            verdicts, count = read_responses(files_of(asker.config), wanted, lines)
    except OSError as error:
        raise InputError(
            f"Expected responses at {error.filename}, found {error.strerror}. Name another file."
        ) from error
    verdicts = {
        key: redacted_verdict(verdict, asker.config.api_key) for key, verdict in verdicts.items()
    }
    with asker.cache() as cache:
        known = cache.get(wanted)
        new = {key: verdict for key, verdict in verdicts.items() if key not in known and verdict.ok}
        for judge in judges if new else ():
            tests = [judge.keyed([test]) for test in judge.tests]
            if not all(known.keys() >= keys.keys() for keys in tests):
                answers = [[verdicts.get(key, failed(_UNTESTED)) for key in keys] for keys in tests]
                judge.check(map(united, judge.tests, answers))
        for key, verdict in new.items():
            cache.put(key, verdict)
    unstored = cache.unstored
    with asker.cache() as cache:
        found = {key: failed(_UNANSWERED) for key in wanted} | verdicts | known | cache.get(new)
    for place, ((each_asker, _), keys) in enumerate(zip(asked, own, strict=True)):
        each_asker.take({key: found[key] for key in keys}, 0 if place else unstored)
    say(f"read {counted(count, 'response')} for {asker.config.name}: {len(new)} new.")


def read_responses(
    files: SdkJudge, wanted: Mapping[str, JudgeRequest], lines: Iterable[bytes]
) -> tuple[dict[str, Verdict], int]:
    """Return the verdicts by key, and the number of lines; broken ones and those of other requests are left out.

    A request has the first answer to it, or else a failed verdict with the reason in a line.
    """
    verdicts: dict[str, Verdict] = {}
    count = 0
    for line in filter(bytes.strip, lines):
        count += 1
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            response = json.loads(line)
            key = response["custom_id"]
            if key in wanted and not (key in verdicts and verdicts[key].ok):
                try:
                    verdicts[key] = files.verdict(response, wanted[key].top_logprobs)
                except AskError as fault:
                    verdicts[key] = failed(fault.reason)
    return verdicts, count
