"""Lists of kept questions that filters wrote, here or elsewhere: read, checked, and what all of them keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.filtered_task import Kept
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of, loads
from spiqa_tasks.hosts.filtered_tasks import DAMAGED
from spiqa_tasks.runs.answer import Answer


@dataclass(frozen=True)
class ListShare:
    """What one of several lists keeps, and what is lost by it.

    Attributes:
        list: its file.
        digest: of the list.
        filters: how it was made.
        kept: how many questions it keeps.
        dropped: how many of those that another list keeps it does not.
        dropped_alone: ids that it alone drops, and every other list keeps.
    """

    list: str
    digest: str
    filters: Sequence[Mapping[str, Any]]
    kept: int
    dropped: int
    dropped_alone: Sequence[str]


def read_kept(path: Path) -> tuple[Kept, str]:
    """Return the questions that a file lists, and its digest.

    Raises InputError: no such list, or one that was changed after it was written.
    """
    try:
        found = loads(path.read_text(encoding="utf-8"))
        found.pop("source_yaml", None)
        digest = found.pop("digest")
        answers = [
            Answer(each["id"], Response(""), place=int(each["doc_id"]), reference=each["target"])
            for each in found["kept"]
        ]
        hits = {each["id"]: each["hits"] for each in found["kept"]}
        numbers = (found["questions"], found["data"] or "", found["truth"], found["filters"], hits, found["revision"])
        kept = Kept(found["source"], answers, *numbers)
    except (*DAMAGED, AttributeError) as error:
        raise InputError(
            f"Expected {path} to be a list that `spiqa-tasks filter --share` or --write wrote, found "
            f"{type(error).__name__} {error}. Write it again."
        ) from error
    if digest_of(found) != digest:
        raise InputError(
            f"Expected {path} to have the digest {digest} that it names, found {digest_of(found)}: it was changed. "
            "Get it again."
        )
    return kept, digest


def intersected(paths: Sequence[Path]) -> tuple[Kept, list[ListShare]]:
    """Return the questions that every list keeps, and what each of them dropped; one list is kept whole.

    Raises InputError: lists of different tasks or data, none that all keep, or see `read_kept`.
    """
    read = [read_kept(path) for path in paths]
    lists = [kept for kept, _ in read]
    place = next((place for place, kept in enumerate(lists) if kept.revision), 0)
    first = lists[place]
    for path, other in zip(paths, lists, strict=True):
        same = (first.task, first.data, first.truth) == (other.task, other.data, other.truth)
        if not same or other.revision not in (None, first.revision):  # one that is not known is taken for the same
            raise InputError(
                f"Expected lists of the same task and data, found {_told(first)} in {paths[place]} and {_told(other)} "
                f"in {path}. Filter runs over the same revision."
            )
    ids = [{answer.id for answer in kept.answers} for kept in lists]
    common = set.intersection(*ids)
    if not common:
        raise InputError(f"Expected questions that all {len(paths)} lists keep, found none. Intersect fewer.")
    shares = [
        ListShare(
            str(path),
            digest,
            kept.filters,
            len(own),
            len(set.union(*ids) - own),
            sorted(set.intersection(*others) - own),
        )
        for place, (path, (kept, digest), own) in enumerate(zip(paths, read, ids, strict=True))
        for others in [[*ids[:place], *ids[place + 1 :]] or [own]]
    ]
    together = replace(
        first,
        answers=[answer for answer in first.answers if answer.id in common],
        asked=min(kept.asked for kept in lists),
        filters=[made for kept in lists for made in kept.filters],
        hits={key: [hits for kept in lists for hits in kept.hits[key]] for key in common},
    )
    return together, shares


def _told(kept: Kept) -> str:
    revision = f" at {kept.revision}" if kept.revision else ""
    return ", ".join(filter(None, (f"{kept.task}{revision}", kept.data, f"answers {kept.truth}")))
