"""A general random forest for classification, compiled; it knows nothing of networks or costs."""

from netchoice.forests.forest import Forest, grow_forest

__all__ = ["Forest", "grow_forest"]
