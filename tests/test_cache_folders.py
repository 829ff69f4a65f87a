"""Compiled kernels are kept among the temporary files if no other folder can be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from platforms import posix

import netchoice
from netchoice._kernels import compiler
from netchoice._kernels.temporary_folder import temporary_folder

SOURCE = Path(netchoice.__file__).parent


@pytest.fixture
def read_only(tmp_path):
    """Return the environment of a process that can only write temporary files."""
    shutil.copytree(SOURCE, tmp_path / "netchoice", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (path for path in (tmp_path / "netchoice").rglob("*") if path.is_dir()):
        (folder / "__pycache__").write_text("a file in the place of a folder")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    nowhere = "/dev/null/home"
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "TMPDIR": str(temporary),
        "HOME": nowhere, "XDG_CACHE_HOME": nowhere, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


def run_python(code, environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_kernels_compile_without_a_writable_cache(read_only):
    code = (
        "import netchoice\n"
        "print(netchoice.__file__, netchoice.Graph.from_edges([(0, 1), (2, 1)]).n_edges)"
    )
    first = run_python(code, read_only)
    assert first.stdout.split() == [f"{read_only['PYTHONPATH']}/netchoice/__init__.py", "2"]
    said = [line for line in first.stderr.splitlines() if "are kept in" in line]
    assert len(said) == 1
    assert "set NUMBA_CACHE_DIR" in said[0]
    assert read_only["TMPDIR"] in said[0]
    # The second process finds the compiled kernels among the temporary files.
    assert "compiling" in first.stderr
    assert "compiling" not in run_python(code, read_only).stderr


def test_kernels_compile_without_any_folder(monkeypatch, capsys):
    def no_locator(cache):
        def decorate(function):
            raise RuntimeError("cannot cache function: no locator available")

        return decorate

    monkeypatch.setattr(compiler.numba, "njit", no_locator)
    monkeypatch.setattr(compiler, "temporary_folder", lambda: None)
    assert compiler._can_cache() is False
    assert "kept for this process only" in capsys.readouterr().err


@posix
def test_folder_that_others_can_write_to_is_not_used(monkeypatch, tmp_path):
    """Compiled kernels are code: a folder that somebody else prepared must not be loaded."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = temporary_folder()
    assert path.parent == tmp_path
    assert path.stat().st_mode & 0o777 == 0o700
    path.chmod(0o777)
    assert temporary_folder() is None
    path.rmdir()
    path.symlink_to(tmp_path)
    assert temporary_folder() is None
