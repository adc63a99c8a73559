"""The host's files: what is read in those that it writes, and those written here as it would."""

import hashlib
import json
import math
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value, mean_of
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.lmms_eval_files import LoggedAnswer, TaskLog, task_log, write_log

TASK = Task("t", "mmstar", "val", "ablation=text")
CONFIG = {"metadata": {"version": 2.0}, "num_fewshot": 0}
DATE = "20260102_030405"


def results_of(**changes: Any) -> dict[str, Any]:
    """A results file of one task as lmms-eval 0.7.3 writes it, shortened; with changes."""
    content: dict[str, Any] = {
        "results": {
            "t": {"alias": "t", "accuracy,none": 0.5, "accuracy_stderr,none": 0.1, "note,none": "x"}
        },
        "configs": {"t": {"task": "t", "num_fewshot": 0}},
        "n-samples": {"t": {"original": 9, "effective": 4}},
        "config": {
            "model": "vlm",
            "model_args": "pretrained=a/b,seed=3",
            "random_seed": 0,
            "numpy_seed": 1234,
            "torch_seed": 5,
            "fewshot_seed": 6,
        },
        "lmms_eval_version": "0.7.3",
        "system_instruction": "Be brief.",
        "date": DATE,
    }
    return {**content, **changes}


def read(folder: Path, content: Any, name: str = f"{DATE}_results.json") -> lmms_eval_files.Results:
    """Write a results file and read it."""
    path = folder / name
    path.write_text(json.dumps(content))
    return lmms_eval_files.read_results(path)


def samples_of(folder: Path, *lines: dict[str, Any]) -> list[lmms_eval_files.LoggedSample]:
    """Write a samples file and read it."""
    path = folder / f"{DATE}_samples_t.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    numbered = list(lmms_eval_files.read_samples(path))
    assert [number for number, _ in numbered] == [*range(1, len(lines) + 1)]
    return [sample for _, sample in numbered]


# Reading


def test_a_results_file_says_how_its_run_was_made(tmp_path: Path) -> None:
    """Model, arguments, date, version, seeds and system turn; of a task its values and counts."""
    results = read(tmp_path, results_of())
    assert (results.model, results.model_args) == ("vlm", "pretrained=a/b,seed=3")
    assert results.date == DATE
    assert results.conditions == {
        "version": "0.7.3",
        "system turn": "Be brief.",
        "seed (random)": "0",
        "seed (numpy)": "1234",
        "seed (torch)": "5",
        "seed (fewshot)": "6",
    }
    (task,) = results.tasks
    assert (task.name, task.config) == ("t", {"task": "t", "num_fewshot": 0})
    assert task.samples == tmp_path / f"{DATE}_samples_t.jsonl"
    assert (task.values, task.questions, task.answered) == ({"accuracy": 0.5}, 9, 4)
    assert task.summary == {}


def test_what_a_results_file_lacks_is_empty(tmp_path: Path) -> None:
    """Older versions of the host write no counts, dates or seeds."""
    content = results_of(config={"model": "vlm", "model_args": None}, results={})
    for name in ("n-samples", "date", "lmms_eval_version", "system_instruction"):
        del content[name]
    results = read(tmp_path, content)
    assert (results.model_args, results.conditions, results.date) == ("", {}, DATE)
    (task,) = results.tasks
    assert (task.values, task.questions, task.answered) == ({}, 0, 0)


def test_a_renamed_results_file_has_the_date_and_the_samples_of_its_content(tmp_path: Path) -> None:
    results = read(tmp_path, results_of(), "mine.json")
    assert results.date == DATE
    assert results.tasks[0].samples == tmp_path / f"{DATE}_samples_t.jsonl"


def test_samples_of_the_files_own_name_come_before_those_of_its_date(tmp_path: Path) -> None:
    renamed = tmp_path / "mine_samples_t.jsonl"
    renamed.touch()
    results = read(tmp_path, results_of(), "mine_results.json")
    assert (results.date, results.tasks[0].samples) == ("mine", renamed)


def test_what_score_wrote_beside_the_hosts_keys_is_of_its_task(tmp_path: Path) -> None:
    results = read(tmp_path, results_of(spiqa_tasks={"t": {"judge": "j"}, "u": {"judge": "k"}}))
    assert results.tasks[0].summary == {"judge": "j"}
    assert read(tmp_path, results_of(spiqa_tasks="other")).tasks[0].summary == {}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"configs": ["t"], "n-samples": {"t": {"original": "nine"}}}, "TypeError counts"),
        ({"config": {"model_args": ""}}, "no 'model'"),
        ({"results": None}, "AttributeError"),
    ],
)
def test_a_changed_results_file_is_named(
    tmp_path: Path, changes: dict[str, Any], found: str
) -> None:
    with pytest.raises(InputError, match=rf"to be a result file of lmms-eval, found {found}"):
        read(tmp_path, results_of(**changes))


def test_files_are_known_by_their_keys() -> None:
    """Results have configurations, too; samples have responses, in one of two fields."""
    assert lmms_eval_files.is_results({"results": {}, "configs": {}, "more": 1})
    assert not lmms_eval_files.is_results({"results": {}})
    assert not lmms_eval_files.is_results(["results", "configs"])
    assert lmms_eval_files.is_sample({"doc_id": 0, "resps": [["A"]]})
    assert lmms_eval_files.is_sample({"doc_id": 0, "filtered_resps": "A"})
    assert not lmms_eval_files.is_sample({"doc_id": 0, "response": "A"})
    assert not lmms_eval_files.is_sample({"resps": "A"})


def test_results_files_are_found_by_date_and_submissions_are_none(tmp_path: Path) -> None:
    """Whatever the folders are called in which they lie."""
    places = [("b", "20260101"), ("a", "20260103"), ("a", "20260102"), ("submissions", "20260104")]
    for folder, date in places:
        path = tmp_path / folder / f"{date}_000000_results.json"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = lmms_eval_files.result_files(tmp_path)
    assert [path.name[:8] for path in found] == ["20260101", "20260102", "20260103"]


def test_a_sample_is_read_with_the_metrics_that_stand_in_it(tmp_path: Path) -> None:
    """The filtered response counts, and only what is no field of the host is a metric."""
    (sample,) = samples_of(
        tmp_path,
        {
            "doc_id": 7,
            "doc": {"q": 1},
            "target": 3,
            "arguments": [],
            "resps": [["raw"]],
            "filtered_resps": ["B"],
            "doc_hash": "x",
            "input": "Which?",
            "input_media": [],
            "submission": {},
            "token_counts": [{"output_tokens": 12}],
            "accuracy": 1.0,
        },
    )
    assert (sample.position, sample.target, sample.response) == (7, "3", "B")
    assert (sample.prompt, sample.tokens, sample.values) == ("Which?", 12, {"accuracy": 1.0})


@pytest.mark.parametrize("counts", [None, [], [None], [{"output_tokens": "many"}], [{}]])
def test_a_sample_may_lack_tokens_prompt_and_filtered_response(tmp_path: Path, counts: Any) -> None:
    line = {"doc_id": "1", "target": "A", "resps": [["raw"]], "token_counts": counts}
    (sample,) = samples_of(tmp_path, line)
    assert (sample.position, sample.response, sample.prompt, sample.tokens) == (1, "raw", "", None)


def test_a_broken_line_is_named_by_its_number(tmp_path: Path) -> None:
    good = {"doc_id": 0, "target": "A", "resps": "A"}
    with pytest.raises(InputError, match=r"in line 2 of .*found ValueError"):
        samples_of(tmp_path, good, {**good, "doc_id": "none"})
    with pytest.raises(InputError, match=r"in line 1 of .*found no 'target'\. Name a run"):
        samples_of(tmp_path, {"doc_id": 0, "resps": "A"})
    with pytest.raises(InputError, match=r"Expected samples in .*, found none"):
        samples_of(tmp_path)


def test_the_names_of_the_hosts_files_tell_date_and_task() -> None:
    samples = Path("x", f"{DATE}_samples_a_samples_b.jsonl")
    assert lmms_eval_files.task_in_name(samples) == "a_samples_b"
    assert lmms_eval_files.task_in_name(Path("mine.jsonl")) == "mine"
    assert lmms_eval_files.results_beside(samples) == Path("x", f"{DATE}_results.json")


def test_dates_are_singapores_as_the_hosts_are() -> None:
    """Whatever the zone of the machine; a text back is the same moment."""
    moment = datetime(2026, 1, 1, 20, 0, 5, tzinfo=timezone.utc)
    text = lmms_eval_files.date_text(moment.timestamp())
    assert text == "20260102_040005"
    read_back = lmms_eval_files.date_of(f"{text}_results.json")
    assert read_back == moment
    assert read_back is not None
    assert read_back.utcoffset() == timedelta(hours=8)
    assert lmms_eval_files.date_of("results.json") is None
    assert lmms_eval_files.date_of("20260102_0400051_results.json") is None


def test_arguments_of_a_model_may_have_commas_in_their_values() -> None:
    arguments = lmms_eval_files.model_arguments(" a=1,b=2,3,c=x=y,")
    assert arguments == {"a": "1", "b": "2,3", "c": "x=y,"}
    assert lmms_eval_files.model_arguments("") == {}


def test_generation_settings_are_one_text_in_the_order_of_names() -> None:
    settings = {"until": [], "max_new_tokens": 5}
    assert lmms_eval_files.generation_text(settings) == "max_new_tokens=5,until=[]"
    assert lmms_eval_files.generation_text(None) == ""


def test_a_folder_is_called_after_the_last_two_parts_of_a_model() -> None:
    """As the host calls it; names that are too long for a file system differ by a digest."""
    assert lmms_eval_files.folder_name("/data/models/Qwen/Qwen2-VL") == "Qwen__Qwen2-VL"
    assert lmms_eval_files.folder_name('a:b*"c"[d]?') == "a__b__c__d__"
    long = "ü" * 120
    name = lmms_eval_files.folder_name(long)
    digest = hashlib.sha256(long.encode()).hexdigest()[:12]
    assert name == f"{'ü' * 100}-{digest}"
    assert lmms_eval_files.folder_name("u" * 200) == "u" * 200


# Writing


def record(key: str, right: bool, **fields: Any) -> Record:
    """A scored answer to a question of two groups, of a cluster."""
    scores = {"accuracy": float(right)}
    groups = {"category": "math", "length": "long"}
    return Record(key, "A", "A", cluster=f"c{key}", scores=scores, groups=groups, **fields)


def test_a_sample_has_the_record_once_and_a_score_under_each_of_its_groups() -> None:
    """Only metrics of answers have a cluster, of which the host makes standard errors."""
    accuracy = mean_of("accuracy")
    share = Metric(
        "refusal_rate",
        lambda records: Value(0.0, len(records), {each.id: 0.0 for each in records}),
        higher_is_better=False,
    )
    rows = {
        "accuracy": (accuracy, None),
        "accuracy/math": (accuracy, "math"),
        "accuracy/art": (accuracy, "art"),
        "refusal_rate": (share, None),
    }
    answer = record("1", right=True)
    logged = lmms_eval_files.metric_values(answer, rows, joined=False)
    assert logged == {
        "accuracy": {**answer.as_dict(), "score": 1.0, "cluster": "c1"},
        "accuracy/math": {"id": "1", "score": 1.0, "cluster": "c1"},
        "refusal_rate": {"id": "1", "score": 0.0},
    }
    alone = lmms_eval_files.metric_values(
        Record("2", "A", scores={"accuracy": 1.0}), {"accuracy": (accuracy, None)}, joined=False
    )
    assert "cluster" not in alone["accuracy"]


def test_an_answer_has_no_score_that_only_all_answers_have() -> None:
    """As of a text program's metric, or of a question that is several documents."""
    answer = Record("1", "A")

    def computed(records: Any) -> Value:
        return Value(0.5, len(records), {each.id: 0.5 for each in records})

    plain = Metric("m", computed)
    assert lmms_eval_files.answer_score(plain, answer, joined=False) == 0.5
    assert lmms_eval_files.answer_score(plain, answer, joined=True) is None
    of_documents = Metric("m", computed, of_documents=True)
    assert lmms_eval_files.answer_score(of_documents, answer, joined=True) == 0.5
    program = Metric("m", computed, needs="text programs")
    assert lmms_eval_files.answer_score(program, answer, joined=False) is None
    scored = Record("1", "A", scores={"m": 0.25})
    assert lmms_eval_files.answer_score(program, scored, joined=True) == 0.25


def test_a_written_sample_is_read_as_it_was(tmp_path: Path) -> None:
    """With its headline score where the host's --baseline looks for it."""
    answer = LoggedAnswer(Record("q", reference="B"), "It is B.", 3, "Which?")
    line = lmms_eval_files.logged_sample(answer, {"accuracy": {"id": "q", "score": 1.0}})
    assert (line["doc_id"], line["resps"], line["score"]) == (3, ["It is B."], 1.0)
    (sample,) = samples_of(tmp_path, line)
    assert (sample.position, sample.target, sample.response) == (3, "B", "It is B.")
    assert (sample.prompt, sample.tokens) == ("Which?", None)
    assert sample.values == {"accuracy": {"id": "q", "score": 1.0}, "score": 1.0}

    unscored = lmms_eval_files.logged_sample(
        answer._replace(question=""), {"accuracy": {"id": "q"}}
    )
    assert "score" not in unscored
    assert unscored["input"] == ""


def log_of(answers: list[LoggedAnswer], asked: int = 0) -> TaskLog:
    """The log of answers to the task, by their accuracy."""
    records = [answer.record for answer in answers]
    values = {"accuracy": Value(0.5, 2), "accuracy/math": Value(math.nan, 0)}
    summary = {"judge": "", "counts": {"docs": len(answers)}}
    record_set = RecordSet(records, records, asked)
    return task_log(TASK, record_set, values, [mean_of("accuracy")], answers, summary)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Task, values, counts and summary as lmms-eval's reader and ours find them."""
    answers = [
        LoggedAnswer(record("1", right=True), "A", 0, "One?"),
        LoggedAnswer(record("2", right=False), "B", 4),
    ]
    path = write_log(tmp_path / "m", "vlm", "a=1", {"t": log_of(answers, asked=9)})

    content = json.loads(path.read_text().replace("NaN", "null"))
    assert content["results"] == {
        "t": {"alias": "t", "accuracy,none": 0.5, "accuracy/math,none": None}
    }
    assert content["n-samples"] == {"t": {"original": 9, "effective": 2}}
    assert content["lmms_eval_version"].startswith("spiqa-tasks ")
    assert path.name == f"{content['date']}_results.json"

    config = content["configs"]["t"]
    assert (config["task"], config["dataset_name"]) == ("t", "ablation=text")
    assert config["test_split"] == "val"
    assert config["process_docs"] == "spiqa-tasks score"
    assert config["metadata"] == {"benchmark": "mmstar", "headline": "accuracy"}
    assert config["metric_list"] == [{"metric": "accuracy", "higher_is_better": True}]

    results = lmms_eval_files.read_results(path)
    (task,) = results.tasks
    assert (results.model, results.model_args) == ("vlm", "a=1")
    assert task.values["accuracy"] == 0.5
    assert (task.questions, task.answered) == (9, 2)
    assert task.summary == {"judge": "", "counts": {"docs": 2}}
    samples = [sample for _, sample in lmms_eval_files.read_samples(task.samples)]
    read_back = [Record.of_sample(sample.values) for sample in samples]
    assert read_back == [answer.record for answer in answers]
    assert [(sample.position, sample.prompt) for sample in samples] == [(0, "One?"), (4, "")]


def test_a_task_of_unknown_size_has_as_many_questions_as_answers(tmp_path: Path) -> None:
    log = log_of([LoggedAnswer(record("1", right=True), "A", 0)])
    (task,) = lmms_eval_files.read_results(write_log(tmp_path, "m", "", {"t": log})).tasks
    assert (task.questions, task.answered) == (1, 1)


def test_numbers_that_json_has_not_are_null_in_samples(tmp_path: Path) -> None:
    log = TaskLog(CONFIG, {}, [{"doc_id": 0, "score": math.nan, "path": Path("x")}], 1)
    path = write_log(tmp_path, "m", "", {"t": log})
    samples = path.with_name(path.name.replace("_results.json", "_samples_t.jsonl"))
    assert samples.read_text() == '{"doc_id": 0, "score": null, "path": "x"}\n'


def test_files_written_in_one_second_have_dates_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first second that is free: nothing is overwritten."""
    monkeypatch.setattr(time, "time", lambda: 1767225600.9)
    names = [write_log(tmp_path, "m", "", {}).name for _ in range(3)]
    assert names == [f"20260101_08000{second}_results.json" for second in range(3)]


def test_files_that_could_not_be_written_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither at an error nor at Ctrl-C; other runs' files stay."""
    (tmp_path / "other_results.json").write_text("{}")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    log = TaskLog(CONFIG, {}, [{"doc_id": 0}], 1)
    monkeypatch.setattr(lmms_eval_files, "_results", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_log(tmp_path, "m", "", {"t": log})
    assert [path.name for path in tmp_path.iterdir()] == ["other_results.json"]


def test_the_newest_summary_of_a_task_is_found(tmp_path: Path) -> None:
    """In whatever folder, unless it is older than the run that is asked for."""
    old = write_log(tmp_path / "b", "m", "", {"t": log_of([])._replace(summary={"run": 1})})
    assert lmms_eval_files.newest_summary(tmp_path, "t") == {"run": 1}
    assert lmms_eval_files.newest_summary(tmp_path, "u") is None
    assert lmms_eval_files.newest_summary(tmp_path, "t", old.stat().st_mtime + 1) is None

    for file in list(old.parent.iterdir()):
        file.rename(file.with_name("20200101_000000" + file.name[15:]))
    write_log(tmp_path / "a", "m", "", {"t": log_of([])._replace(summary={"run": 2})})
    assert lmms_eval_files.newest_summary(tmp_path, "t") == {"run": 2}
