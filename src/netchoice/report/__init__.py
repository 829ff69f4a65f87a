"""The report of an answer, an evaluation or a cohort: one self-contained HTML file."""

from netchoice.report.build import report_answer, report_cohort, report_evaluation

__all__ = [
    "report_answer", "report_cohort", "report_evaluation",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
