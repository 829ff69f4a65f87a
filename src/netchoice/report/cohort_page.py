"""The page of a cohort: outcomes, networks among simulations, parameters, all networks, and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import IN_WORDS, listed
from netchoice.figures.cohort_figures import (
    ALL,
    MOST_GROUPS,
    MOST_PANELS,
    cohort_styles,
    map_styles,
    outcome_bars,
    outcome_counts,
    parameter_panels,
)
from netchoice.inference.mds import Embedding
from netchoice.markup import Html, join
from netchoice.report.cohort_networks import add_networks
from netchoice.report.page import (
    WIDE_SIZE,
    Sections,
    aside,
    details,
    html_page,
    sentence,
    settings,
    table,
)
from netchoice.units import count

MOST_ROWS = 200  # of a table
WITHOUT_SCRIPT = "Sorting and filtering the networks need JavaScript; all tables do not."


class CohortPage:
    """The sections of the page, and what they share: the summary, the answers, and the map."""

    def __init__(
        self, record: Mapping[str, Any], cohort: CohortFrame, found: Embedding | None
    ) -> None:
        self.record, self.cohort, self.found = record, cohort, found
        self.sections = Sections()

    def html(self) -> str:
        """Return the text of the HTML file."""
        if len(self.cohort.answered):
            self.add_outcomes()
            self.add_map()
            self.add_parameters()
        add_networks(self.sections, self.record, self.cohort)
        self.add_errors()
        self.add_appendix()
        record = self.record
        named = [
            sentence(f"{IN_WORDS[kind]}: {listed(names)}")
            for kind, names in record["named"].items()
        ]
        notes = [sentence(note) for note in (*record["notes"], f"next: {record['next']}")]
        title = sentence(record["headline"])
        return html_page(
            self.sections, title, " ".join(named), notes, without_script=WITHOUT_SCRIPT
        )

    def add_outcomes(self) -> None:
        """Add the outcomes by group."""
        counts, record, found = outcome_counts(self.cohort), self.record, self.record["verdicts"]
        rows = [
            (group, IN_WORDS[kind], each["n"], each["of"], f"{each['share']:.1%}",
             " to ".join(f"{end:.1%}" for end in each["interval"]))
            for group, kinds in {ALL: found["all"], **found["by_group"]}.items()
            for kind, each in kinds.items()
            if each["of"]
        ]  # fmt: skip
        shares = ", ".join(f"{IN_WORDS.get(name, name)} {n}" for name, n in counts.iloc[0].items())
        bars = self.sections.draw(
            f"Bar chart of the outcomes by group; {counts.index[0]}: {shares}.",
            partial(outcome_bars, counts, cohort_styles(self.cohort)),
            (WIDE_SIZE[0], 1.3 + 0.3 * len(counts) + 0.05 * len(counts.columns)),
        )  # fmt: skip
        head = ("group", "verdict", "networks", "of", "share", "95% interval")
        probable = listed(record["probable"])
        self.sections.add(
            "outcomes", "What was found",
            "A model is named for a network if it fits and is by far the most probable. If several models "
            "fit, their family is named if it has a probability of at least 0.95. "
            "Borderline: no model fits for certain, and some are not rejected."
            " Numbers in the bars are networks.",
            bars,
            aside(f"Networks that a model is probable for: {probable}.") if probable else "",
            details("Show the verdicts as a table", _first_rows(
                "Wilson's intervals, as if the networks were a random sample", head, rows)),
        )  # fmt: skip

    def add_map(self) -> None:
        """Add the networks among the simulations of the reference that most of them share."""
        found = self.found
        if found is None:
            return
        n_shown, n_all = int(found.points["observed"].sum()), len(self.cohort.answered)
        self.sections.add(
            "map", "The networks among the simulations",
            "Grey points are simulated networks; similar networks are close to each other. Coloured points "
            f"are {n_shown} of the {count(n_all, 'answered network')}, by verdict. A network that lies apart "
            "from all grey points is outside the simulated range. Point at a network to see its name.",
            self.sections.map("Map of the networks among simulations.", found, map_styles(found)),
        )  # fmt: skip

    def add_parameters(self) -> None:
        """Add the parameters of models that fit, by group and against covariates."""
        found = parameter_panels(self.cohort, self.record["parameters"])
        if not found:
            return
        rows = [_trend(row) for row in self.record["parameters"]]
        head = ("parameter", "covariate", "test", "networks", "ρ, or medians", "p-value", "q-value")
        skipped = ", ".join(self.record["parameters_skipped"])
        tests = details("Show the tests of parameters against covariates", join([
            _first_rows("Spearman's rank correlation for numbers, Kruskal–Wallis for texts", head, rows),
            aside("The tests use the medians. The intervals of the parameters are not propagated. The "
                  "q-value is the p-value adjusted for the false discovery rate over all tests."),
        ]))  # fmt: skip
        self.sections.add(
            "parameters", "Parameters",
            "Points are medians of posteriors, lines are their intervals. A network counts for its most "
            "probable model, if this model fits. By group, networks are sorted by their median. "
            f"At most {MOST_PANELS} panels are shown, first by group, then those with the smallest p-values, "
            f"and at most the {MOST_GROUPS} largest groups.",
            self.sections.panels(found, len(found)), tests if rows else "",
            aside(f"Estimates in fewer than five networks, not shown: {skipped}.") if skipped else "",
        )  # fmt: skip

    def add_errors(self) -> None:
        """Add the errors, grouped by reason."""
        errors = self.record["errors"]
        rows = [
            (one["reason"], one["n"], "; ".join(each["id"] for each in one["examples"]),
             one["examples"][0]["error"])
            for one in errors
        ]  # fmt: skip
        head = ("reason", "networks", "for example", "message of the first")
        if errors:
            self.sections.add(
                "errors", "Errors",
                "These networks have no answer. Paths, names and numbers in a reason are replaced by “…”, so "
                "that errors with the same reason count together.",
                _first_rows("Most frequent reason first", head, rows),
            )  # fmt: skip

    def add_appendix(self) -> None:
        """Add what is needed to repeat the run."""
        record = self.record
        used = {name or "not named": f"{n} networks" for name, n in record["references"].items()}
        tested = {"alpha": record["alpha"], "false discovery rate": record["none_fits"]["rate"],
                  "smallest possible p-value": record["none_fits"]["floor"]}  # fmt: skip
        groups = {"Settings": record["settings"], "Simulations": used, "Tests": tested,
                  "CPU seconds": record["seconds"]}  # fmt: skip
        self.sections.add(
            "appendix", "Appendix", "What is needed to repeat the run.", settings(groups)
        )


def _trend(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the row of a test of a parameter against a covariate."""
    if row["rho"] is not None:
        effect = f"ρ = {row['rho']:.2f}".replace("-", "−")
    else:
        shown = list(row["medians"].items())[:6]
        effect = ", ".join(f"{name} {value:.3g}" for name, value in shown)
        effect += ", …" if len(row["medians"]) > 6 else ""
    return (
        f"{row['model']} {row['parameter']}", row["covariate"], row["test"], row["n"], effect,
        row["p_value"], row["q_value"],
    )  # fmt: skip


def _first_rows(caption: str, head: tuple[str, ...], rows: Sequence[Any]) -> Html:
    """Return a table of the first rows, which says how many are left out."""
    rest = max(0, len(rows) - MOST_ROWS)
    caption += f"; {rest} more rows are left out" if rest else ""
    return table(caption, head, rows[:MOST_ROWS])
