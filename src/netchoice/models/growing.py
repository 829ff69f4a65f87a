"""The operations that the step of a mechanism may use; they are compiled together with the step."""

from netchoice._kernels.growing import *  # noqa: F403
from netchoice._kernels.growing import __all__ as __all__
