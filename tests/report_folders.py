"""Small result folders of choices and evaluations, and copies with markup in every name."""

import json
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice import cli
from netchoice.profiles import envelopes, network_profile
from netchoice.report import write_report
from netchoice.storage.written_folder import list_files, listed_files

#: Names that neither the page nor a figure may interpret as markup.
MARKUP_NAMES = (
    "<b>{}</b>",
    '<a href="https://x.org">{}</a>',
    "<img src=x onerror=hit=1>{}",
    "</script><script>hit=1</script>{}",
    "<!--<script>{}\u2028",
    "'\"><svg onload=hit=1>{}",
    "{}&lt;i&gt;%{{x}}$x$",
)


def renew(folder):
    """Make the checksums of a folder those of its files, after a test has changed a file."""
    for name in listed_files(folder, ""):
        if (folder / name).exists():
            list_files(folder, [name])


def write_changed_report(folder, *arguments):
    """Write the report of a folder whose files a test has changed."""
    if folder.is_dir() and (folder / "_files.json").exists():
        renew(folder)
    return write_report(folder, *arguments)


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main([str(a) for a in arguments])
    return ended.value.code


def run_choose(folder, *options):
    """Run ``netchoice choose`` on a small file whose node names look like markup."""
    rng = np.random.default_rng(3)
    model = netchoice.get_model("dmr")
    graph = model.grow(40, {"p_delete": 0.4, "p_new": 0.7}, rng)
    file = folder.parent / f"{folder.name}-net.tsv"
    names = [MARKUP_NAMES[u % 2].format(u) for u in range(graph.n_nodes)]
    lines = [f"{names[u]}\t{names[v]}" for u, v in graph.to_networkx().edges]
    file.write_text("\n".join(lines))
    arguments = ["--space", "duplication", "--engine", "serial", "--workers", 1, "--samples", 200]
    with pytest.MonkeyPatch.context() as patch:
        small = partial(small_plan, selection_samples=320, profile_samples=20, power_samples=10)
        patch.setattr("netchoice.workflows.preparation.SimulationPlan", small)
        patch.setattr(
            "netchoice.report.reported.draw_choice", lambda *arguments, **options: []
        )  # tested elsewhere
        arguments += ["--method", "jmi,relieff", "-o", folder, *options]
        assert run("choose", file, *arguments) == 0
    return folder


def run_evaluate(folder, *options):
    """Run ``netchoice evaluate`` on a small table whose column names look like markup."""
    rng = np.random.default_rng(1)
    ill = rng.integers(2, size=120)
    columns = {
        name.format(f"test{i}"): ill * (i % 3) + rng.normal(size=120)
        for i, name in enumerate(MARKUP_NAMES)
    }
    pd.DataFrame({**columns, "NA": rng.normal(size=120), "label": np.where(ill, "<i>ill</i>", "well")}
                 ).to_csv(folder.parent / "<b>rows<b>.csv", index=False)  # fmt: skip
    costs = {name: i**2 for i, name in enumerate([*columns, "NA"])}
    (folder.parent / "costs.json").write_text(json.dumps(costs))
    arguments = ["--costs", folder.parent / "costs.json", "--method", "jmi,relieff", "--folds", 4]
    file = folder.parent / "<b>rows<b>.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netchoice.report.reported.draw_evaluation", lambda *arguments, **options: [])
        arguments += ["--penalty", "0,1,10", "-o", folder, *options]
        assert run("evaluate", file, *arguments) == 0
    return folder


def add_misfit(folder, **changes):
    """Add to a choice how its network differs from networks of dmc and of dmr; return the entry."""
    rng, file = np.random.default_rng(1), folder / "evidence.json"
    observed = network_profile(netchoice.read_network(folder / "network.tsv")[0])
    parameters = {
        "dmc": {"p_delete": 0.7, "p_connect": 0.7},
        "dmr": {"p_delete": 0.4, "p_new": 0.7},
    }
    simulated = {
        name: [network_profile(netchoice.get_model(name).grow(40, own, rng)) for _ in range(60)]
        for name, own in parameters.items()
    }
    texts = {"discrepancies": ["more <b>triangles</b>: 9", "larger degree_max: 8"],
             "advice": ["try --space <i>mechanisms</i>"]}  # fmt: skip
    misfit = {
        name: {"p_value": 0.001, "fits": name == "dmr", **texts,
               "panels": {panel: envelope.as_dict() for panel, envelope in own.items()}}
        for name, own in envelopes(observed, simulated).items()
    }  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | {"misfit": misfit}, allow_nan=False))
    record = json.loads((folder / "choice.json").read_text())
    (folder / "choice.json").write_text(json.dumps(record | changes))
    return misfit


_folders = {}


def shared_folder(command, factory):
    """Return a folder that is made once in a process; tests must not change it."""
    if command not in _folders:
        _folders[command] = command(factory.mktemp("report") / command.__name__)
    return _folders[command]


class Renamer:
    """Replace names by names that look like markup, the same name always by the same."""

    def __init__(self):
        self.known = {}

    def __call__(self, name):
        name = str(name)
        if name not in self.known:
            self.known[name] = MARKUP_NAMES[len(self.known) % len(MARKUP_NAMES)].format(name)
        return self.known[name]

    def rename(self, record, names):
        """Replace these names in keys and values of a record."""
        if isinstance(record, dict):
            return {self.rename(k, names): self.rename(v, names) for k, v in record.items()}
        if isinstance(record, list):
            return [self.rename(item, names) for item in record]
        return self(record) if isinstance(record, str) and record in names else record


def copy_with_markup(folder, out):
    """Copy a choice with markup in models, parameters, features, steps, notes and paths.

    Return the new names by their old names.
    """
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns("tables", "figures", "*.html"))
    table = netchoice.ReferenceTable.load(folder / "tables" / "inference")
    costs = json.loads((folder / "costs.json").read_text())
    names = {*costs["own"], *costs["steps"], *table.parameters, *table.y, "jmi", "relieff"}
    renamer = Renamer()
    for name in ("choice.json", "evidence.json", "costs.json", "reading.json"):
        record = renamer.rename(json.loads((out / name).read_text()), names)
        if name == "choice.json":
            record["notes"] += [name.format("a note") for name in MARKUP_NAMES]
            record["fit"]["summary"] = renamer("summary of the fit")
            record["settings"]["versions"][renamer("package")] = renamer("1.0")
        if name == "reading.json":
            record["path"] = "/folder/" + renamer("network").replace("/", "∕")
        (out / name).write_text(json.dumps(record))
    for name in ("rankings.csv", "evaluation.csv"):
        frame = pd.read_csv(out / name)
        for column in {"method", "feature"} & set(frame):
            frame[column] = frame[column].map(renamer)
        frame.to_csv(out / name, index=False)
    renamed = table.X.rename(columns=renamer).assign(label=table.y.map(renamer))
    netchoice.ReferenceTable.from_frame(renamed).save(out / "tables" / "inference")
    return renamer.known
