"""Settings that say what a SPIQA task shows and how it is scored."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.benchmark import parse_settings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
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
