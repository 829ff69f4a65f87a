"""The paper, reproduced and judged."""

from netchoice.reproduction.claims import CLAIMS
from netchoice.reproduction.run import reproduce
from netchoice.reproduction.scales import PARTS, SCALES

__all__ = ["CLAIMS", "PARTS", "SCALES", "reproduce"]
