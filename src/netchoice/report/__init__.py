"""The report of a choice or an evaluation: one self-contained HTML file."""

from netchoice.report.build import write_report
from netchoice.report.reported import report_choice, report_evaluation

__all__ = ["report_choice", "report_evaluation", "write_report"]
