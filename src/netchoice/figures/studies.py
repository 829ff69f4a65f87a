"""All figures of an evaluation or of a pilot study, in a folder."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice import figures

if TYPE_CHECKING:
    from netchoice.workflows import FeatureEvaluation, PilotStudy

#: Features whose costs differ by less than this factor are shown as one curve.
SAME_COST = 0.9
MAX_CURVES = 5
