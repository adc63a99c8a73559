"""The signature of a number: one text form, read back by one function."""

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.signature import Signature, merged, parse

NAMES = [entry.name for entry in dataclasses.fields(Signature)]
VALUES = st.text() | st.text("|:%7C25+a ")
SIGNATURES = st.builds(Signature, **dict.fromkeys(NAMES, VALUES))


@given(SIGNATURES)
def test_a_signature_is_read_back_from_its_text(signature: Signature) -> None:
    """Separators and escapes within values change nothing."""
    assert parse(signature.text) == signature


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
    """Where they differ all values stand, each once and in order; where one says nothing the
    other's stands.
    """
    one, two = (
        Signature("1", "offline", tokenizer="ptb-java"),
        Signature("1", "lmms-eval 1", tokenizer="ptb-java"),
    )
    assert merged([one, two, one]) == Signature("1", "offline+lmms-eval 1", tokenizer="ptb-java")
    assert merged([one]) == one
    assert merged([Signature("1"), Signature(judge="openai:j")]) == Signature("1", judge="openai:j")
    assert merged([]) == Signature()
