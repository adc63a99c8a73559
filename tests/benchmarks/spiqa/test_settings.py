"""Settings that say what a SPIQA task shows and how it is scored."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.errors import InputError


@pytest.mark.parametrize("settings", ["figures=some", "max_figures=many", "setting=best", "cot"])
def test_unknown_settings_are_refused(settings: str) -> None:
    """A key, a value or a form that the settings lack is an error that says what is known."""
    with pytest.raises(InputError, match="Expected"):
        load_rows("spiqa", "demo", settings)


def test_negative_number_of_figures_is_refused() -> None:
    """max_figures is 0 for all, or a number."""
    with pytest.raises(InputError, match="max_figures"):
        parse_settings(SpiqaSettings, "max_figures=-1")


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
