"""The signature of a number: one text form, read back by one function."""

from __future__ import annotations

import dataclasses
from importlib import metadata

from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.signature import Signature, ablation_fields, merged, parse, sign, version

NAMES = [entry.name for entry in dataclasses.fields(Signature)]
VALUES = st.text() | st.text("|:%7C25+a ")
SIGNATURES = st.builds(Signature, **dict.fromkeys(NAMES, VALUES))


@given(SIGNATURES)
def test_a_signature_is_read_back_from_its_text(signature: Signature) -> None:
    """Separators and escapes within values change nothing."""
    assert parse(signature.text) == signature


@given(SIGNATURES, SIGNATURES)
def test_different_signatures_have_different_texts(one: Signature, other: Signature) -> None:
    """No two tell the same."""
    assert (one.text == other.text) == (one == other)


def test_the_text_names_the_package_and_leaves_empty_fields_out() -> None:
    """A reader sees key and value, joined by bars, and no key without a value."""
    signature = Signature("1.2.3", "offline", judge="openai:gpt-4o", predictions="a|b")
    assert signature.text == "spiqa-tasks:1.2.3|host:offline|predictions:a%7Cb|judge:openai:gpt-4o"
    assert Signature().text == ""
    assert parse("") == Signature()


def test_fields_of_other_versions_are_left_out() -> None:
    """A key that is not known is no error and no field."""
    assert parse("spiqa-tasks:9|mood:good|host:offline|nonsense") == Signature("9", "offline")


def test_several_signatures_are_one_that_tells_their_differences() -> None:
    """Where they differ all values stand, each once and in order; where one says nothing the other's stands."""
    one, two = Signature("1", "offline", tokenizer="ptb-java"), Signature("1", "lmms-eval 1", tokenizer="ptb-java")
    assert merged([one, two, one]) == Signature("1", "offline+lmms-eval 1", tokenizer="ptb-java")
    assert merged([one]) == one
    assert merged([Signature("1"), Signature(judge="openai:j")]) == Signature("1", judge="openai:j")
    assert merged([]) == Signature()


def test_an_answer_is_signed_with_its_rows_data_and_settings() -> None:
    """Benchmark, split, digest, settings, wording, host and version, and the fields that others contribute."""
    plain = load_rows("mmstar", "demo", "ablation=text")[0]
    signature = sign(plain, "0badcafe", "offline", tokenizer="ptb-java")
    assert (signature.benchmark, signature.split) == ("mmstar", "demo")
    assert signature.data == f"mmstar/demo@{plain['data']}"
    assert signature.settings == plain["settings"]
    assert (signature.prompt, signature.host, signature.tokenizer) == ("0badcafe", "offline", "ptb-java")
    assert signature.package == metadata.version("spiqa-tasks")
    assert sign(plain, "0badcafe", "offline", grey="128").with_fields(grey="", tokenizer="ptb-java") == signature


def test_an_ablation_contributes_the_grey_that_it_shows() -> None:
    """Where no picture or the true one is shown there is nothing to say."""
    settings = [BENCHMARKS["mmstar"].parse(f"ablation={name}") for name in ("none", "text", "grey")]
    assert [ablation_fields(each) for each in settings] == [{}, {}, {"grey": "128 at the original size"}]


def test_two_tokenizers_are_two_signatures() -> None:
    """Numbers of different tokenizers are told apart."""
    java = Signature("1", tokenizer="ptb-java")
    assert java.with_fields(tokenizer="ptb-python").text != java.text


def test_a_package_that_is_not_there_is_absent() -> None:
    """Its version is the word."""
    assert version("no-such-package-of-ours") == "absent"
