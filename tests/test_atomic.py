"""Atomic writing: a reader sees the old file or the new one, never a part of it."""

import os

import pytest

from netchoice.atomic import write_atomically


def test_file_appears_only_when_it_is_complete(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("old")

    def write(temporary):
        assert temporary.parent == tmp_path
        temporary.write_text("new")
        assert path.read_text() == "old"

    write_atomically(path, write)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_failed_write_keeps_the_old_file_and_leaves_no_other(tmp_path, error):
    path = tmp_path / "rows.csv"
    path.write_text("old")

    def write(temporary):
        temporary.write_text("half of the n")
        raise error

    with pytest.raises(type(error)):
        write_atomically(path, write)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_content_is_on_disk_before_the_file_is_renamed(tmp_path, monkeypatch):
    path, steps = tmp_path / "rows.csv", []

    def record(name, function):
        def recorded(*arguments):
            steps.append((name, path.exists()))
            return function(*arguments)

        monkeypatch.setattr(f"netchoice.atomic.os.{name}", recorded)

    record("fsync", os.fsync)
    record("replace", os.replace)
    write_atomically(path, lambda temporary: temporary.write_text("new"))
    assert steps == [("fsync", False), ("replace", False), ("fsync", True)]


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "nowhere" / "rows.csv", lambda temporary: None)
