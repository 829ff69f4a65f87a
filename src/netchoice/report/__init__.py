"""One self-contained HTML file about an answer or an evaluation, to be looked at and sent around."""

from netchoice.report.write import write_report

__all__ = ["write_report"]
