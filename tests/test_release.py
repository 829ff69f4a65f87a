"""Files of a release agree with one another: versions, dependencies, hosted checks."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

import netchoice

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MATRIX = runpy.run_path(str(ROOT / "tools" / "test_matrix.py"))


def test_version_is_the_same_everywhere():
    assert f"\nversion: {netchoice.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings
    for heading in headings:
        assert heading == "Unreleased" or re.fullmatch(r"\d+\.\d+\.\d+, \d{4}-\d\d-\d\d", heading)


def test_release_is_refused_if_the_tag_has_another_version():
    check_tag = runpy.run_path(str(ROOT / "tools" / "check_release.py"))["check_tag"]
    with pytest.raises(SystemExit, match=r"__init__\.py does not have version 99\.0\.0"):
        check_tag("v99.0.0")


def test_matrix_tests_every_declared_dependency_and_python():
    bounds = dict(line.split("==") for line in MATRIX["lowest_versions"]())
    assert {re.split(">=", line)[0] for line in PROJECT["dependencies"]} <= {*bounds}
    for file in MATRIX["FILES"]:
        assert (ROOT / "tests" / f"{file}.py").is_file()
    declared = re.findall(r"Python :: 3\.(\d+)", " ".join(PROJECT["classifiers"]))
    assert {*map(int, declared)} <= {*MATRIX["MINORS"]}
    assert PROJECT["requires-python"] == f">=3.{min(map(int, declared))}"


def test_hosted_files_are_yaml_and_call_scripts_that_exist():
    yaml = pytest.importorskip("yaml")
    files = [*ROOT.glob(".github/**/*.yml"), *ROOT.glob(".*.yaml")]
    assert len(files) >= 8
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert yaml.safe_load(text), file
        for script in re.findall(r"\S+/\S+\.(?:py|txt)(?=\s)", text):
            assert (ROOT / script).is_file(), script
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    pythons = workflow["jobs"]["versions"]["strategy"]["matrix"]["python"]
    assert pythons == [f"3.{minor}" for minor in MATRIX["MINORS"]]
