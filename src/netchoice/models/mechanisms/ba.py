"""Preferential attachment with a fixed number of links."""

from netchoice.models.growing import by_degree, link, n_edges, stamp
from netchoice.models.mechanism import Growth, GrowthStep
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import constant


def ba(net, new, m):
    """Link the new node to m distinct nodes chosen by their degree."""
    before, n_links = n_edges(net), 0
    while n_links < m:
        node = by_degree(net, before)
        if stamp(net, node, new):
            link(net, new, node)
            n_links += 1


_STEP = GrowthStep(ba)


def _ba(m: int) -> Model:
    return Model(
        f"ba{m}",
        Growth(f"ba{m}", ((_STEP, ("m",)),), n_leaves=m),
        {"m": Parameter(constant(m), m, m, "number of links of each new node")},
        description=f"preferential attachment, {m} link{'s' if m > 1 else ''} per new node",
        reference="Barabási & Albert, Science 286:509 (1999), doi:10.1126/science.286.5439.509",
        min_nodes=m + 1,
        family="attachment",
    )


BA1, BA2, BA3, BA4 = map(_ba, (1, 2, 3, 4))
