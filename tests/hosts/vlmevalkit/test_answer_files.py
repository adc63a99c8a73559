"""Files of an earlier run that the host continues; what tables hold is tested with the scoring."""

from pathlib import Path

from spiqa_tasks.hosts.vlmevalkit.answer_files import earlier_answers


def test_answers_that_lie_in_the_models_folder_are_found(tmp_path: Path) -> None:
    """Finished or not; those of other models and tasks, and links to dated folders, are not."""
    names = ["m_mmstar_demo.tsv", "m_mmstar_demo_checkpoint.pkl"]
    for name in (*names, "m_mmstar_demo_text.tsv", "n_mmstar_demo.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "l_mmstar_demo.tsv").symlink_to(tmp_path / names[0])
    assert earlier_answers(tmp_path, "m", "mmstar_demo") == [tmp_path / name for name in names]
    assert earlier_answers(tmp_path, "l", "mmstar_demo") == []
    assert earlier_answers(tmp_path / "nowhere", "m", "mmstar_demo") == []
