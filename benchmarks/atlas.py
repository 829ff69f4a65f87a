"""The atlas: which mechanisms explain real networks?

    make atlas                      # NETWORKS=folder HOURS=8

Fixed in advance, with the changes that are named below:

- The networks are all files of the folder ``NETCHOICE_NETWORKS``, whose subfolders are the domains; the
  three yeast networks; and those that networkx ships: Zachary's karate club, Les Misérables, Davis' southern
  women (women and events are nodes) and the Florentine families. With ``--only-folder`` they are the files.
  They are simple and undirected: direction, weights and self loops are ignored.
  Isolated nodes are left out, and all components are kept. Networks of two kinds of nodes are marked.
  A network that is there twice is answered twice and counted once. Networks with more than ``--max-nodes``
  nodes are not compared.
- The models are the space `all` and ten mixtures, density-matched, with family weights. The mixtures combine
  a mechanism of protein networks (duplication) or of social networks (closure) with hubs, closure or chance.
  Each network is compared with `choose_model`, seed 1, and its defaults, with two exceptions: at most 8000
  simulations for inference, with which the standard error of a probability, due to their number, is at most
  about 0.02; and at most 120 CPU seconds for them. Networks with more than 3000 nodes and edges are screened
  with 320 simulations of each model instead of 500, of which 100 train the forest instead of 200.
- The p-value of a model is that of the test of fit, or of the screening if the model was discarded there. The
  p-value of "none fits" for a network is the largest one of its models. If the network is a draw from one of
  them, with parameters from the prior, it is at most α with a probability of at most α + min(α, 0.005); the
  second term is due to the screening. Models that never have the density are excluded without a p-value.
- A model is rejected for a network if its p-value is at most 0.01, the level of `choose`. None fits if all
  models are rejected and the false discovery rate of these statements over all networks is at most 5 %
  (Benjamini and Hochberg, with the second term; networks with a larger p-value count as tests, and cannot
  be discoveries). If the rate would be higher, the answer remains open.
- Controls go through the same functions, which do not know what they are, and are judged with the threshold
  of the real networks. They are made from real networks with at most 3000 nodes and edges, and have about
  their size and density: *grown* by a pure mechanism of the space, each mechanism once before one grows a
  second network; *rewired*: real networks whose edges have exchanged ends; *relabelled*: real networks with
  their nodes in random order; *foreign*: made by a rule that is not in the space, namely square lattices,
  random regular networks, and cliques with some edges rewired.
- Expected of the grown ones: their true model is rejected in at most 1.5 % (0.01 and 0.005), and so are all
  models in at most as many; contradicted if so many or more have a probability of at most 5 % (exact
  binomial test). With 24 of them, this happens by chance in 5 % of runs, and in 70 % if the true share is
  10 %. The p-values of the true model are at most 0.2 and 0.5 in at most these shares (and 0.005). The true
  family is the most probable one for more than half.
- Expected of the relabelled ones: the same verdict and model, and p-values that differ by less than 1e-9.
- How many foreign networks are said to fit is the rate of false "fits"; it depends on the size, and nothing
  is expected. Whether a mechanism fits a rewired network is not known.

The rules for "none fits" and for the controls were changed twice in the first run, after about 20 and about
40 networks. The first version adjusted the p-values of all pairs of network and model, which does not bound
the false discovery rate of "none fits". The second rejected models at the threshold of "none fits", which is
0 if there is no discovery, so that every model fitted. The printed verdicts of these networks, and before the
second change a table of seven of them (yeast and networkx), had been seen by then. After 181 networks, all
seen, p-values above 0.01 were excluded from the discoveries, and the exact binomial test came; neither
changed a result. After 185 networks, all seen, the rule for the mechanisms of the grown controls was changed,
because they had been drawn with replacement, and 24 networks came from 13 mechanisms. All controls changed
with it; the page has the results of both. The new relabelled networks were first compared with answers of
older code: two of six had another verdict or model. Since then, both answers of a pair come from one code.

The answers are kept in the folder ``--out``. Run the same command again to resume. Networks are answered
from the smallest on; when the time is over, those that were not reached are listed. ``docs/atlas.json`` has
the answers of the run that the page shows; those that this code gave for the same network are used again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import netchoice
from netchoice.engines.engine import Lost, SerialEngine, describe_error
from netchoice.engines.processes import ProcessEngine
from netchoice.storage.user_cache import digest_of
from netchoice.units import duration
from netchoice.workflows import SimulationPlan
from netchoice.workflows.choice import Choice

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import atlas_page
from atlas_networks import LARGE, controls, in_order, real_networks
from atlas_result import Entry, Result

from reproduction.records import code_version

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = Path(os.environ.get("NETCHOICE_NETWORKS", ROOT.parent / "shared" / "data" / "networks"))
MIXTURES = (
    "dmc+lpa", "dmr+lpa", "dmc+holme-kim", "dmr+holme-kim", "heterodimer+lpa", "ispolatov+rdg",
    "holme-kim+rdg", "jackson-rogers+lpa", "toivonen+rdg", "forest-fire+rdg",
)  # fmt: skip
SEED = 1
#: Fewer simulations for inference than by default: there are hundreds of networks.
PLAN = SimulationPlan(samples=8000, precision=0.02, max_seconds=120.0)
LARGE_PLAN = replace(PLAN, screening_samples=320, screening_training=100)


def space_for(graph: netchoice.Graph) -> Any:
    """Return all mechanisms and the mixtures, density-matched."""
    return netchoice.get_space("all").with_mixtures(MIXTURES).matched_to(graph)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def record_of(choice: Choice) -> dict[str, Any]:
    """Return the part of an answer that the atlas uses, for JSON."""
    full = json.loads(choice.to_json())
    model = full["model"]
    kept = ("verdict", "headline", "model", "fit_p_values", "families", "mixtures", "notes")
    fitted = full["misfit"].get(model, {}).get("discrepancies", [])[:3]
    shown = ("feature", "label", "observed", "median", "q025", "q975")
    parameters = full["parameters"].get(model, {})
    return {
        **{name: full[name] for name in kept},
        "nodes": full["network"]["nodes"],
        "edges": full["network"]["edges"],
        "probabilities": {name: p for name, p in full["probabilities"].items() if p},
        "intervals": full["intervals"],
        "screening": full["screening"]["p_values"],
        "unmatched": full["screening"]["unmatched"],
        "discrepancies": [{name: each[name] for name in shown} for each in fitted],
        "parameters": {
            name: {part: each[part] for part in ("median", "interval", "at_boundary")}
            for name, each in parameters.items()
        },
        "power": {each["alternative"]: each["share"] for each in full["fit"]["power"]},
        "costs": costs_of(choice, full["screening"]),
    }


def costs_of(choice: Choice, screening: dict[str, Any]) -> dict[str, float]:
    """Return the CPU seconds that the features of all simulations would take, and what was saved.

    ``stages`` are features that a part of the simulations does not have: those of the screening have cheap
    ones only, and those of the selection have expensive ones in part.
    """
    selection = choice.evidence.selection
    table, used = selection.simulations, choice.cost
    every = used["all_features"]
    screened = sum(screening["simulations"].values())
    screened += screening["training"] * len(screening["simulations"])
    rows = screened + len(table) + used["simulations"]
    rows += used["fit_simulations"] - len(choice.evidence.fit_table)
    cheap = [name for name in screening["features"] if name in table.features]
    stages = screened * (every - selection.cost(cheap))
    if table.stages:
        others = [name for name in table.features if name not in table.stages]
        share = max(table.stages.values())
        stages += len(table) * (1 - share) * (every - selection.cost(others))
    return {
        "simulations": rows,
        "all_features": rows * every,
        "saved_by_stages": stages,
        "saved_by_selection": used["saved_seconds"],
    }


def plan_for(entry: Entry) -> SimulationPlan:
    """Return how many networks are simulated for an answer."""
    return LARGE_PLAN if entry.size > LARGE else PLAN


def settings_of(entry: Entry, seed: int = SEED) -> str:
    """Return a digest of what an answer depends on, besides the network and the code."""
    return digest_of({"plan": asdict(plan_for(entry)), "mixtures": MIXTURES, "seed": seed})


@dataclass(frozen=True)
class Answerer:
    """Answers for networks by their numbers, in any process; answers are kept in a folder.

    ``stored`` holds answers of an earlier run, by network. Answers of other code are used with ``any_code``.
    """

    entries: list[Entry]
    out: Path
    stored: dict[str, dict[str, Any]] = field(default_factory=dict)
    any_code: bool = False
    seed: int = SEED
    code: str = field(default_factory=code_version)

    @property
    def pairs(self) -> set[str]:
        """The relabelled networks and their originals."""
        copies = [entry for entry in self.entries if entry.kind == "relabelled"]
        return {name for entry in copies for name in (entry.id, entry.source)}

    def file(self, entry: Entry) -> Path:
        """Return the file of an answer."""
        return self.out / "answers" / f"{entry.id}.json"

    def known(self, entry: Entry) -> dict[str, Any] | None:
        """Return an answer that this code gave before for this network, or None.

        With ``any_code``, other code may have given it. An error of other code may have been mended. A
        relabelled network and its original must have answers of the same code, to be compared.
        """
        file, record = self.file(entry), self.stored.get(entry.id)
        if file.exists():
            record = json.loads(file.read_text())
        own = {"fingerprint": entry.graph.fingerprint, "settings": settings_of(entry, self.seed)}
        if not self.any_code or entry.id in self.pairs or "error" in (record or {}):
            own["code"] = self.code
        return record if record and own.items() <= record.items() else None

    def keep(self, entry: Entry, record: dict[str, Any]) -> None:
        """Write an answer."""
        file = self.file(entry)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(record))
        part.rename(file)

    def __call__(self, rows: list[int]) -> list[int]:
        """Answer for some networks, unless another run did so by now; return their numbers."""
        for row in rows:
            if self.known(self.entries[row]) is None:
                self._answer(self.entries[row])
        return rows

    def _answer(self, entry: Entry) -> None:
        graph = entry.graph
        print(f"… {entry.id}: {graph.n_nodes} nodes, {graph.n_edges} edges", file=sys.stderr)
        started, wall = cpu_seconds(), time.monotonic()
        run = self.out / "runs" / f"{entry.id}-{self.code}-{graph.fingerprint[:8]}"
        resumed = run.exists()
        try:
            choice = netchoice.choose_model(
                graph, space_for(graph), seed=self.seed, plan=plan_for(entry), engine="serial", workers=1,
                path=run, on_progress=False,
            )  # fmt: skip
            record = record_of(choice)
        except (
            Exception
        ) as error:  # an error of one network must not end the run; the page lists it
            record = {"error": describe_error(error)}
        record |= {
            "code": self.code, "fingerprint": graph.fingerprint, "resumed": resumed,
            "settings": settings_of(entry, self.seed), "cpu": cpu_seconds() - started,
            "wall": time.monotonic() - wall,
        }  # fmt: skip
        self.keep(entry, record)
        shutil.rmtree(run, ignore_errors=True)  # tables of this answer, some megabytes


class TimeLimitError(BaseException):
    """The hours of the run are over; no error of a network, which would be recorded."""


def _stop(*_: Any) -> None:
    raise TimeLimitError


def answer_all(answerer: Answerer, hours: float | None, workers: int) -> None:
    """Answer for all networks that have no answer yet, from the first on, within the time."""
    entries = answerer.entries
    missing = [i for i, entry in enumerate(entries) if answerer.known(entry) is None]
    print(f"{len(entries) - len(missing)} of {len(entries)} networks have an answer", flush=True)
    engine = SerialEngine() if workers == 1 else ProcessEngine(workers)
    if hours is not None:
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, 3600 * hours)
    started = time.monotonic()
    done = len(entries) - len(missing)
    try:
        for result in engine.run(answerer, ([i] for i in missing)):
            if isinstance(result, Lost):  # its process ended twice
                entry = entries[result.row]
                error = {"error": result.reason, "code": answerer.code, "cpu": 0.0, "wall": 0.0}
                error |= {
                    "settings": settings_of(entry, answerer.seed),
                    "fingerprint": entry.graph.fingerprint,
                }
                answerer.keep(entry, error)
            for i in [result.row] if isinstance(result, Lost) else result:
                done += 1
                record = answerer.known(entries[i]) or {}
                said = record.get("error") or record["headline"]
                print(
                    f"[{done}/{len(entries)}, {duration(time.monotonic() - started)}] {entries[i].id}: "
                    f"{said} ({duration(record['wall'])})",
                    flush=True,
                )
    except (TimeLimitError, KeyboardInterrupt):
        print("stopped; run the same command again to resume", flush=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def main() -> None:
    """Compare all networks, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--networks", type=Path, default=NETWORKS)
    parser.add_argument("--out", type=Path, default=Path("build/atlas"))
    parser.add_argument("--max-nodes", type=int, default=3000)
    parser.add_argument(
        "--controls", type=int, default=6, help="relabelled ones; others in proportion"
    )
    parser.add_argument(
        "--hours", type=float, help="for all networks; without it, as long as it takes"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--any-code", action="store_true", help="use answers of other versions of netchoice, too"
    )
    parser.add_argument(
        "--only-folder", action="store_true", help="leave out the networks of yeast and of networkx"
    )
    parser.add_argument("--page", action="store_true", help="write docs/atlas.md and its figures")
    given = parser.parse_args()
    if not given.networks.is_dir():
        parser.error(f"{given.networks} is no folder; name one with NETCHOICE_NETWORKS")
    found, errors = real_networks(given.networks, given.only_folder)
    too_large = [each.id for each in found if each.graph.n_nodes > given.max_nodes]
    real = [each for each in found if each.graph.n_nodes <= given.max_nodes]
    if not real:
        parser.error(f"{given.networks} has no network with at most {given.max_nodes} nodes")
    print(f"{len(real)} networks; making controls", flush=True)
    entries = in_order(real + controls(real, given.controls))
    answerer = Answerer(entries, given.out, atlas_page.stored_answers(), given.any_code)
    answer_all(answerer, given.hours, given.workers)
    records = dict(iterate_known(answerer))
    errors |= {name: each["error"] for name, each in records.items() if "error" in each}
    answered = [each for each in answerer.entries if each.id in records]
    missing = [each.id for each in answerer.entries if each.id not in records]
    result = Result(answered, records, errors, missing, too_large)
    atlas_page.write(result, given.out, given.page)


def iterate_known(answerer: Answerer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the identifier and the answer of each network that has one."""
    for entry in answerer.entries:
        record = answerer.known(entry)
        if record is not None:
            yield entry.id, record


if __name__ == "__main__":
    main()
