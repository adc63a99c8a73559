"""Settings that say what a SPIQA task shows and how it is scored."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings, settings_of
from spiqa_tasks.errors import InputError


def test_every_key_of_a_text_is_read_and_the_others_keep_their_default() -> None:
    """Each key changes its own field."""
    text = "setting=cot,max_figures=3,seed=7,resolution=224px,ablation=grey,protocol=both,figures=referred"
    assert parse_settings(SpiqaSettings, text) == SpiqaSettings(
        "cot", 3, 7, "224px", "grey", "both", "referred", "l3score"
    )
    assert parse_settings(SpiqaSettings, "") == SpiqaSettings(
        "direct", 8, 0, "full", "none", "corrected", "all", "l3score"
    )


def test_pictures_are_shown_unless_the_setting_or_the_ablation_hides_them() -> None:
    """Captions alone and the text ablation show none; only the released reading asks about referred figures alone."""
    assert SpiqaSettings().shows_pictures
    assert SpiqaSettings(ablation="grey").shows_pictures
    assert not SpiqaSettings(ablation="text").shows_pictures
    assert not SpiqaSettings(setting="captiononly").shows_pictures
    assert SpiqaSettings(setting="perfigure", protocol="released").figures == "referred"
    assert SpiqaSettings(setting="perfigure", protocol="both").figures == "all"
    assert SpiqaSettings(protocol="released").figures == "all"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"max_figures": -1}, "Expected max_figures to be 0 (all figures) or more; found -1."),
        ({"rule": "bleu"}, "Expected rule to be one of l3score, compass, grade; found 'bleu'."),
        ({"resolution": "0"}, "Expected resolution to be full, 224px or a number of pixels; found 0."),
        ({"resolution": "512px"}, "Expected resolution to be full, 224px or a number of pixels; found 512px."),
    ],
)
def test_values_that_mean_nothing_are_refused(fields: dict[str, Any], said: str) -> None:
    """In a sentence with what there is."""
    with pytest.raises(InputError) as error:
        SpiqaSettings(**fields)
    assert str(error.value) == said


def test_the_smallest_values_are_taken() -> None:
    """All figures, and a picture of one pixel."""
    assert (SpiqaSettings(max_figures=0).max_figures, SpiqaSettings(resolution="1").side) == (0, 1)


@pytest.mark.parametrize(("resolution", "side"), [("full", None), ("224px", 224), ("512", 512)])
def test_pictures_become_squares_of_a_side(resolution: str, side: int | None) -> None:
    """But for those that stay as they are."""
    assert SpiqaSettings(resolution=resolution).side == side


def test_the_metric_of_a_rule_is_called_as_it_is() -> None:
    """Without the file of a rubric; a row's settings are those of its text."""
    assert [SpiqaSettings(rule=rule).judged for rule in ("l3score", "grade:a:b.txt")] == ["l3score", "grade"]
    assert settings_of({"settings": "setting=cot,seed=2"}) == SpiqaSettings("cot", seed=2)
