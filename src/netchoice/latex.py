"""Data frames as LaTeX tables, for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: Characters that LaTeX reads as commands, and letters that its fonts lack.
_ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "λ": r"$\lambda$", "α": r"$\alpha$", "µ": r"$\mu$", "²": r"$^2$", "–": "--", "−": "$-$",
    "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "…": r"\dots{}",
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""Return a text in which LaTeX reads no character as a command.

    >>> print(latex_text("p_new: 5% of {a}"))
    p\_new: 5\% of \{a\}
    """
    return "".join(_ESCAPED.get(character, character) for character in text)


def latex_table(frame: pd.DataFrame, caption: str = "") -> str:
    r"""Return a data frame as a LaTeX table; it needs the package booktabs.

    Floats have four significant digits. Columns of numbers are aligned at the right.

    >>> import pandas as pd
    >>> print(latex_table(pd.DataFrame({"model": ["dmr"], "fit_p": [0.123456]})))
    \begin{tabular}{lr}
    \toprule
    model & fit\_p \\
    \midrule
    dmr & 0.1235 \\
    \bottomrule
    \end{tabular}
    """
    sides = "".join("r" if dtype.kind in "iuf" else "l" for dtype in frame.dtypes)
    body = [_line(row) for row in frame.itertuples(index=False)]
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", _line(frame.columns), r"\midrule"]
    lines += [*body, r"\bottomrule", r"\end{tabular}"]
    if caption:
        start = [r"\begin{table}", r"\centering", rf"\caption{{{latex_text(caption)}}}"]
        lines = [*start, *lines, r"\end{table}"]
    return "\n".join(lines)


def _line(cells: Any) -> str:
    return " & ".join(latex_text(_cell(cell)) for cell in cells) + r" \\"


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "–"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
