"""The report of an answer, an evaluation or a cohort: one self-contained HTML file."""

from netchoice.report.build import write_report
from netchoice.report.cohort_page import write_cohort_report
from netchoice.report.cohort_report import report_cohort
from netchoice.report.reported import report_answer, report_evaluation

__all__ = [
    "report_answer", "report_cohort", "report_evaluation", "write_cohort_report", "write_report",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
