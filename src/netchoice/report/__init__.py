"""The report of a choice or an evaluation: one self-contained HTML file."""

from netchoice.report.build import write_report

__all__ = ["write_report"]
