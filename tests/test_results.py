"""Results of benchmarks: what measures them, where they come from, and whether they are stale."""

import json
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RESULTS = runpy.run_path(str(ROOT / "tools" / "results.py"))
Claim, measure, why_stale = (RESULTS[name] for name in ("Claim", "measure", "why_stale"))

SCRIPT = """
import argparse, json, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--json", type=pathlib.Path)
parser.add_argument("--power", type=float)
options = parser.parse_args()
options.json.write_text(json.dumps({"power": options.power}))
"""
CLAIM = Claim("measure.py --power 0.5", ("measure.py", "src/**/*.py"), 1)


def git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def commit(folder):
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "change")


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "--quiet")
    (tmp_path / "measure.py").write_text(SCRIPT)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "deep" / "code.py").write_text("a = 1\n")
    (tmp_path / "README.md").write_text("text\n")
    commit(tmp_path)
    return tmp_path


def test_result_says_what_measured_it_and_what_it_depends_on(repository):
    assert why_stale("power", CLAIM, repository) == "was never measured"
    measure("power", CLAIM, repository)
    record = json.loads((repository / "results" / "power.json").read_text())
    assert record["values"] == {"power": 0.5}
    assert record["command"] == "python measure.py --power 0.5"
    assert record["depends_on"] == ["measure.py", "src/**/*.py"]
    assert len(record["commit"]) == 40
    assert {*record} >= {"date", "machine", "versions", "cpu_seconds"}
    assert str(Path.home()) not in json.dumps(record)
    assert why_stale("power", CLAIM, repository) == ""


def test_result_is_stale_once_its_code_changes_and_only_then(repository):
    measure("power", CLAIM, repository)
    (repository / "README.md").write_text("other text\n")
    commit(repository)
    assert why_stale("power", CLAIM, repository) == ""
    (repository / "src" / "deep" / "code.py").write_text("a = 2\n")
    assert why_stale("power", CLAIM, repository) == "is older than changes that are not committed"
    with pytest.raises(SystemExit, match=r"not committed:\n M src/deep/code\.py"):
        measure("power", CLAIM, repository)
    commit(repository)
    assert why_stale("power", CLAIM, repository).startswith("is older than ")
    measure("power", CLAIM, repository)
    assert why_stale("power", CLAIM, repository) == ""
    other = Claim("measure.py --power 1", CLAIM.depends_on, 1)
    assert why_stale("power", other, repository) == "was measured by another command"


def test_failed_measurement_keeps_no_result(repository):
    with pytest.raises(SystemExit, match="ended without values"):
        measure("power", Claim("measure.py --wrong", ("measure.py",), 1), repository)
    assert not (repository / "results").exists()


@pytest.mark.parametrize("name", RESULTS["CLAIMS"])
def test_claims_name_scripts_and_files_that_exist(name):
    claim = RESULTS["CLAIMS"][name]
    script = claim.command.split()[0]
    assert "report.add_json(" in (ROOT / script).read_text("utf-8")
    assert script in claim.depends_on
    for pattern in claim.depends_on:
        assert list(ROOT.glob(pattern)), pattern


def test_every_result_has_a_claim():
    names = {path.stem for path in (ROOT / "results").glob("*.json")}
    assert names <= {*RESULTS["CLAIMS"]}
