"""What can go wrong for a user; every message says what was found, what was expected, what to do."""


class NetchoiceError(ValueError):
    """Something in the input or the data prevents the work."""


class UsageError(NetchoiceError):
    """A name, option or parameter that does not exist or is out of range."""


class NetworkFormatError(NetchoiceError):
    """A network file or object that cannot be read as a simple undirected graph."""


class GrowthLimitError(NetchoiceError):
    """A model did not reach the wanted network within its limits."""


class EdgeLimitError(GrowthLimitError):
    """A model made more edges than allowed."""


class ModelError(NetchoiceError):
    """A user's model returned something that is not the network asked for."""
