"""All figures of an evaluation or of a pilot study, in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

#: Features whose costs differ by less than this factor are shown as one curve.
SAME_COST = 0.9
MAX_CURVES = 5
