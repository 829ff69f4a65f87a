"""Mechanisms of users, where users write them."""

import subprocess
import sys

import pytest

from netchoice.models.mechanism import GrowthStep
from netchoice.warmup import _compilers

SCRIPT = '''
import netchoice
from netchoice.models.growing import draw, link
@netchoice.mechanism("attachment", "an example", p_new="uniform(0.5, 1)")
def random_tree(net, new, p_new):
    """A random tree."""
    if draw(net) < p_new:
        link(net, new, int(draw(net) * new))
def simulated(**options):
    space = netchoice.ModelSpace("own", [random_tree, netchoice.get_model("lpa")])
    return netchoice.simulate_table(space, n_nodes=15, n_samples=8, seed=1, features=["degree_max"],
                                    **options)
if __name__ == "__main__":
    assert simulated(workers=1).X.equals(simulated(engine="serial").X)
    print("equal")
'''


@pytest.mark.parametrize("kind", ["notebook", pytest.param("script", marks=pytest.mark.slow)])
def test_mechanism_of_a_script_or_of_a_notebook_runs_in_processes(kind, tmp_path):
    """What is typed in a notebook has no file."""
    (tmp_path / "script.py").write_text(SCRIPT)
    name, typed = ("script.py", "") if kind == "script" else ("-", SCRIPT)
    done = subprocess.run(
        [sys.executable, name], cwd=tmp_path, input=typed, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "equal\n", done.stderr


def test_only_steps_of_netchoice_are_compiled_in_advance():
    def step(net, new, p):
        """Link nothing."""

    GrowthStep(step)
    try:
        assert not [name for name in _compilers() if "locals" in name]
    finally:
        del GrowthStep.known[step.__module__, step.__qualname__]
