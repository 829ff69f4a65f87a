"""The identity of a machine, and costs that several machines measured."""

import subprocess
import sys
import uuid

import numpy as np
import pandas as pd
import pytest

from netchoice import CostModel, ReferenceTable, machines
from reproduction.cost_growth import timings

OWN, STEP = 0.25, 1.0  # seconds on the machine "fast"


@pytest.fixture
def identity(monkeypatch):
    """Return a function that computes the id of a machine with these files and this host name."""

    def identity(installation, cpu, host="node1"):
        monkeypatch.setattr(machines, "ID_FILES", (installation,))
        monkeypatch.setattr(machines, "CPU_FILE", cpu)
        monkeypatch.setattr("platform.node", lambda: host)
        return machines.machine_id.__wrapped__()

    return identity


def test_all_processes_of_a_machine_without_a_network_card_agree(monkeypatch):
    draw = iter(range(100))
    monkeypatch.setattr(uuid, "getnode", lambda: next(draw))  # a random number in each process
    here = machines.machine_id.__wrapped__()
    assert machines.machine_id.__wrapped__() == here
    code = (
        "import uuid; uuid.getnode = lambda: -1; from netchoice.machines import machine_id; "
        "print(machine_id())"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here


def test_identity_depends_on_the_installation_and_the_cpu(identity, tmp_path):
    one, other, cpu, other_cpu, nothing = (tmp_path / name for name in "abcde")
    one.write_text("0123456789abcdef\n")
    other.write_text("fedcba9876543210\n")
    cpu.write_text("processor\t: 0\nmodel name\t: Quick CPU 3.0 GHz\n")
    other_cpu.write_text("processor\t: 0\nmodel name\t: Slow CPU 1.0 GHz\n")
    ids = {identity(one, cpu), identity(other, cpu), identity(one, other_cpu)}
    assert len(ids) == 3
    assert identity(one, cpu, "renamed") == identity(one, cpu)
    # Containers often have no id, or an empty file: the host name is used.
    assert identity(nothing, nothing) == identity(nothing, nothing)
    assert identity(nothing, cpu, "node1") != identity(nothing, cpu, "node2")
    nothing.write_text("\n")
    assert identity(nothing, cpu, "node1") == identity(tmp_path / "none", cpu, "node1")
    assert all(len(each) == 10 for each in ids)


def table_of(machines, n_nodes=50, scale=1.0):
    """Return a table with one row for each (machine, how many times as long it takes)."""
    names, factors = zip(*machines, strict=True)
    factors = np.array(factors) * scale
    frame = pd.DataFrame({
        "row": range(len(names)), "label": "a", "failure": None, "machine": names,
        "calibrated": False, "far": 1.0, "seconds_own_far": OWN * factors,
        "seconds_step_paths": STEP * factors, "seconds_growth": factors,
    })  # fmt: skip
    features = [{"name": "far", "discrete": False}]
    manifest = {"features": features, "uses": {"far": ["paths"]}, "n_nodes": n_nodes}
    return ReferenceTable(frame, manifest)


def test_costs_of_two_machines_are_those_of_the_one_with_the_most_calibrated_rows():
    fast, slow = ("fast", 1.0), ("slow", 2.0)
    table = table_of([fast] * 3 + [slow] * 2)
    assert table.costs == CostModel({"far": OWN}, {"far": ["paths"]}, {"paths": STEP})
    table = table_of([fast] * 2 + [slow] * 3)
    assert table.costs.cost("far") == 2 * (OWN + STEP)
    table = table_of([fast] * 2 + [slow] * 3)
    table.frame.loc[0, "calibrated"] = True
    assert table.costs.cost("far") == OWN + STEP


def test_growth_of_costs_uses_one_unit_for_all_sizes():
    """Larger networks were mostly simulated on the slow machine, which must not look like growth."""
    fast, slow = ("fast", 1.0), ("slow", 2.0)
    tables = [
        table_of([fast] * n_fast + [slow] * (8 - n_fast), n, n**2 / 2500)
        for n, n_fast in ((50, 7), (100, 5), (200, 2))
    ]
    key = next(key for key in timings(tables)[50] if key[0] == "own")
    means = [times[key].mean() for times in timings(tables).values()]
    assert len(set(np.divide(means, [OWN, 4 * OWN, 16 * OWN]))) == 1
