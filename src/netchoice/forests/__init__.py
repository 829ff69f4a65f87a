"""A compiled random forest for classification, for any table of numbers with labels."""

from netchoice.forests.forest import Forest, grow_forest

__all__ = ["Forest", "grow_forest"]
