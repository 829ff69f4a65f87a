"""Noise features: random numbers that do not depend on the network, to test selectors."""

from netchoice.features.registry import builtin


@builtin()
def noise_normal(rng):
    """Noise: standard normal."""
    return rng.normal()


@builtin()
def noise_uniform(rng):
    """Noise: uniform on [0, 50)."""
    return rng.uniform(0, 50)


@builtin(discrete=True)
def noise_bernoulli(rng):
    """Noise: 0 or 1, equally likely."""
    return rng.integers(2)


@builtin(discrete=True)
def noise_integer(rng):
    """Noise: integers 0 to 49, equally likely."""
    return rng.integers(50)
