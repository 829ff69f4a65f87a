"""Small folders of answers and evaluations, and the same with markup in every name."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice import cli
from netchoice.workflows import answer as study

#: What must never be taken for markup, neither by a page nor by a figure.
SNARES = (
    "<b>{}</b>",
    '<a href="https://x.org">{}</a>',
    "<img src=x onerror=hit=1>{}",
    "</script><script>hit=1</script>{}",
    "<!--<script>{}\u2028",
    "'\"><svg onload=hit=1>{}",
    "{}&lt;i&gt;%{{x}}$x$",
)


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main([str(a) for a in arguments])
    return ended.value.code


def answered(folder, *options):
    """A small run of ``netchoice choose``, from a file with names that look like markup."""
    rng = np.random.default_rng(3)
    model = netchoice.get_model("dmr")
    graph = model.grow(40, {"p_delete": 0.4, "p_new": 0.7}, rng)
    file = folder.parent / f"{folder.name}-net.tsv"
    names = [SNARES[u % 2].format(u) for u in range(graph.n_nodes)]
    lines = [f"{names[u]}\t{names[v]}" for u, v in graph.to_networkx().edges]
    file.write_text("\n".join(lines))
    given = ["--space", "duplication", "--engine", "serial", "--workers", 1, "--samples", 200]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SELECTION_SAMPLES", 320)
        patch.setattr(netchoice.plots, "draw_choice", lambda *given: [])  # tested elsewhere
        assert run("choose", file, *given, "--method", "jmi,relieff", "-o", folder, *options) == 0
    return folder


def evaluated(folder, *options):
    """A small run of ``netchoice evaluate`` on a table with snares for names of columns."""
    rng = np.random.default_rng(1)
    ill = rng.integers(2, size=120)
    columns = {
        snare.format(f"test{i}"): ill * (i % 3) + rng.normal(size=120)
        for i, snare in enumerate(SNARES)
    }
    pd.DataFrame({**columns, "NA": rng.normal(size=120), "label": np.where(ill, "<i>ill</i>", "well")}
                 ).to_csv(folder.parent / "<b>rows<b>.csv", index=False)  # fmt: skip
    costs = {name: i**2 for i, name in enumerate([*columns, "NA"])}
    (folder.parent / "costs.json").write_text(json.dumps(costs))
    given = ["--costs", folder.parent / "costs.json", "--methods", "jmi,relieff", "--folds", 4]
    file = folder.parent / "<b>rows<b>.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(netchoice.plots, "save", lambda *given: None)
        assert run("evaluate", file, *given, "--penalties", "0,1,10", "-o", folder, *options) == 0
    return folder


_made = {}


def kept(make, factory):
    """A folder that is made once in a process, and only looked at."""
    if make not in _made:
        _made[make] = make(factory.mktemp("report") / make.__name__)
    return _made[make]


class Snares:
    """The same snare for the same name, everywhere."""

    def __init__(self):
        self.known = {}

    def __call__(self, name):
        name = str(name)
        if name not in self.known:
            self.known[name] = SNARES[len(self.known) % len(SNARES)].format(name)
        return self.known[name]

    def everywhere(self, thing, names):
        """In keys and values of a record."""
        if isinstance(thing, dict):
            return {self._one(k, names): self.everywhere(v, names) for k, v in thing.items()}
        if isinstance(thing, list):
            return [self.everywhere(item, names) for item in thing]
        return self._one(thing, names)

    def _one(self, word, names):
        return self(word) if isinstance(word, str) and word in names else word


def poisoned(folder, out):
    """A copy of an answer where models, parameters, features, steps, notes and paths are snares."""
    shutil.copytree(folder, out, ignore=shutil.ignore_patterns("tables", "figures", "*.html"))
    table = netchoice.ReferenceTable.load(folder / "tables" / "inference")
    costs = json.loads((folder / "costs.json").read_text())
    names = {*costs["own"], *costs["steps"], *table.parameters, *table.y, "jmi", "relieff"}
    snares = Snares()
    for name in ("choice.json", "evidence.json", "costs.json", "reading.json"):
        record = snares.everywhere(json.loads((out / name).read_text()), names)
        if name == "choice.json":
            record["notes"] += [snare.format("a note") for snare in SNARES]
            record["fit"]["summary"] = snares("words of the fit")
            record["settings"]["versions"][snares("package")] = snares("1.0")
        if name == "reading.json":
            record["path"] = "/folder/" + snares("network").replace("/", "∕")
        (out / name).write_text(json.dumps(record))
    for name in ("rankings.csv", "evaluation.csv"):
        frame = pd.read_csv(out / name)
        for column in {"method", "feature"} & set(frame):
            frame[column] = frame[column].map(snares)
        frame.to_csv(out / name, index=False)
    renamed = table.X.rename(columns=snares).assign(label=table.y.map(snares))
    netchoice.ReferenceTable.from_frame(renamed).save(out / "tables" / "inference")
    return snares.known
