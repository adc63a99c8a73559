"""Lists of kept questions that are shared: written without a machine's paths, read elsewhere, intersected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filter_runs import Filter
from numbers_task import host_inspectors, manager
from run_command import run_json

from spiqa_tasks.analysis.kept_lists import ListShare, intersected, read_kept
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.hosts.filtered_tasks import user_folder

pytestmark = pytest.mark.usefixtures("host")
Share = Callable[[str, set[int]], Path]


@pytest.fixture
def shared(source_task: Path, tmp_path: Path, run_filter: Filter) -> Share:
    """`shared(team, hits)`: the list of a team whose text-only model answers these of the six numbers."""

    def share(team: str, hits: set[int]) -> Path:
        host_inspectors(tmp_path / team, hits)
        path = tmp_path / f"{team}.json"
        status, _, said = run_filter(tmp_path / team, "--share", path, "--include-path", source_task)
        assert (status, f"wrote {path}." in said) == (0, True)
        return path

    return share


def test_a_shared_list_has_no_path_and_makes_the_task_elsewhere(
    shared: Share, source_task: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host asks exactly its questions, also through a YAML of one's own that includes the written one."""
    path = shared("ours", {0, 2, 5})
    assert str(tmp_path) not in path.read_text()
    moved = source_task.rename(tmp_path / "elsewhere")
    status, (found,), _ = run_json(capsys, "filter", "--intersect", path, "--write", "--include-path", moved)
    assert (status, found["kept"]) == (0, 3)
    assert Path(found["written"]) == user_folder() / "numbers_filtered" / "numbers_filtered.yaml"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.yaml").write_text(f"include: {found['written']}\ntask: mine\n")
    from lmms_eval.evaluator import simple_evaluate

    for name in ("numbers_filtered", "mine"):
        index = manager(moved, tmp_path / "mine")
        results = simple_evaluate("dummy", "response=A", tasks=[name], task_manager=index, bootstrap_iters=0)
        assert [sample["target"] for sample in results["samples"][name]] == ["A", "A", "B"]
        assert [document["n"] for document in index.load_task_or_group(name)[name].eval_docs] == [2, 6, 8]
        assert results["configs"][name]["metadata"]["kept"] == json.loads(path.read_text())["digest"]


def test_what_all_lists_keep(
    shared: Share, source_task: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each list's own drops are told, the new list has the filters and hits of all, and can be intersected again."""
    lists = [shared("ours", {0, 2}), shared("theirs", {0, 1}), shared("third", {5})]
    together = tmp_path / "all.json"
    include = ("--include-path", source_task)
    status, (found,), _ = run_json(capsys, "filter", "--intersect", *lists, "--share", together, *include)
    assert (status, found["kept"], found["written"]) == (0, 2, None)
    assert [(each["list"], each["kept"], each["dropped"]) for each in found["lists"]] == [
        (str(lists[0]), 4, 2),
        (str(lists[1]), 4, 2),
        (str(lists[2]), 5, 1),
    ]
    assert [each["dropped_alone"] for each in found["lists"]] == [["2"], ["1"], ["5"]]
    kept, _ = read_kept(together)
    assert [answer.id for answer in kept.answers] == ["3", "4"]
    assert len(kept.filters) == 3
    assert kept.hits == {"3": [0, 0, 0], "4": [0, 0, 0]}
    again, _ = intersected([together, lists[0]])
    assert (again.answers, len(again.filters)) == (kept.answers, 4)


def changed(path: Path, **values: Any) -> Path:
    """A copy of a list with other values, and their right digest."""
    found = json.loads(path.read_text()) | values
    del found["digest"]
    copy = path.with_name(f"changed_{path.name}")
    copy.write_text(json.dumps({"digest": digest_of(found), **found}))
    return copy


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            {"source": "letters"},
            r"numbers, answers \w+ in .*/ours.json and letters, answers \w+ in .*changed_ours.json",
        ),
        ({"truth": "c0ffee"}, r"numbers, answers \w+ in .*/ours.json and numbers, answers c0ffee in"),
        ({"data": "mmstar/val@1"}, r"numbers, answers \w+ in .* and numbers, mmstar/val@1, answers \w+ in"),
    ],
)
def test_lists_of_other_data_are_refused(shared: Share, values: dict[str, Any], told: str) -> None:
    """In one sentence that has what both are of."""
    path = shared("ours", {0})
    with pytest.raises(InputError, match=f"Expected lists of the same task and data, found {told}"):
        intersected([path, changed(path, **values)])


def test_revisions_that_are_known_must_be_the_same(shared: Share) -> None:
    """One that is not known is taken for the other's, and the task is written with it."""
    path = shared("ours", {0})
    one = changed(path, revision="c0ffee")
    assert intersected([path, one])[0].revision == "c0ffee"
    with pytest.raises(InputError, match=r"numbers at c0ffee, .* and numbers at beef, "):
        intersected([path, one, changed(one, revision="beef")])


def test_what_cannot_be_intersected_is_refused(
    shared: Share, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list that was changed, one that is none, nothing in common, and runs beside lists."""
    path = shared("ours", {0, 1, 2})
    altered, other = tmp_path / "altered.json", tmp_path / "other.json"
    altered.write_text(path.read_text().replace('"max_hits": 0', '"max_hits": 1'))
    with pytest.raises(InputError, match=r"the digest .* that it names, found .*: it was changed"):
        intersected([altered])
    for text in ("[]", "{", '{"digest": 1}', '{"digest": 1, "kept": [5]}'):
        other.write_text(text)
        with pytest.raises(InputError, match="to be a list that `spiqa-tasks filter --share`"):
            intersected([other])
    with pytest.raises(InputError, match="that all 2 lists keep, found none"):
        intersected([path, shared("theirs", {3, 4, 5})])
    status, _, said = run_json(capsys, "filter", tmp_path / "ours", "--intersect", path)
    assert (status, "either RUNs or --intersect" in said) == (2, True)


def list_of(path: Path, ids: dict[str, int], task: str = "t", revision: str | None = None, **values: Any) -> Path:
    """A list of the questions with these ids, with the hits of each."""
    kept = [
        {"doc_id": place, "id": key, "target": "A", "hits": [hits]} for place, (key, hits) in enumerate(ids.items())
    ]
    found = {
        **{"source": task, "questions": 9, "data": "d", "truth": "x", "filters": [{"made": path.stem}]},
        **{"revision": revision, **values, "kept": kept},
    }
    path.write_text(json.dumps({"source_yaml": "of this machine", "digest": digest_of(found), **found}))
    return path


def test_what_two_lists_keep_is_one_list(tmp_path: Path) -> None:
    """With the filters and hits of both, the fewest questions asked, and what each of them dropped."""
    paths = [
        list_of(tmp_path / "a.json", {"1": 0, "2": 1, "3": 2}, questions=8),
        list_of(tmp_path / "b.json", {"2": 3, "4": 4}, revision="r"),
    ]
    with pytest.raises(InputError, match="of the same task and data"):
        intersected([paths[1], list_of(tmp_path / "c.json", {"2": 3}, revision="s")])
    together, (first, second) = intersected(paths)
    assert [(answer.id, answer.place, answer.reference) for answer in together.answers] == [("2", 0, "A")]
    assert (together.task, together.asked, together.data, together.truth) == ("t", 8, "d", "x")
    assert (together.filters, together.hits, together.revision) == ([{"made": "a"}, {"made": "b"}], {"2": [1, 3]}, "r")
    assert first == ListShare(str(paths[0]), read_kept(paths[0])[1], [{"made": "a"}], 3, 1, ["4"])
    assert second == ListShare(str(paths[1]), read_kept(paths[1])[1], [{"made": "b"}], 2, 2, ["1", "3"])
    alone, (share,) = intersected(paths[:1])
    assert (len(alone.answers), share.dropped, share.dropped_alone) == (3, 0, [])


def test_lists_that_cannot_be_read_or_put_together_are_one_sentence(tmp_path: Path) -> None:
    """With both, or with the digest that it should have."""
    path, other = list_of(tmp_path / "a.json", {"1": 0}), list_of(tmp_path / "b.json", {"1": 0}, "u", "r", data=None)
    digest = read_kept(path)[1]
    for paths, message in (
        (
            [path, other],
            f"Expected lists of the same task and data, found u at r, answers x in {other} and t, d, answers x in "
            f"{path}. Filter runs over the same revision.",
        ),
        (
            [path, list_of(tmp_path / "c.json", {"2": 0})],
            "Expected questions that all 2 lists keep, found none. Intersect fewer.",
        ),
    ):
        with pytest.raises(InputError) as error:
            intersected(paths)
        assert str(error.value) == message
    content = json.loads(path.read_text()) | {"questions": 7}
    path.write_text(json.dumps(content))
    found = digest_of({key: value for key, value in content.items() if key not in ("digest", "source_yaml")})
    with pytest.raises(InputError) as error:
        read_kept(path)
    assert str(error.value) == (
        f"Expected {path} to have the digest {digest} that it names, found {found}: it was changed. Get it again."
    )
    path.write_text("[]")
    with pytest.raises(InputError, match=r"--share` or --write wrote, found \w+ .*\. Write it again\.$"):
        read_kept(path)
