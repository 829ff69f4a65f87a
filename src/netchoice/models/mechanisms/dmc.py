"""Duplication with mutation and complementation."""

from netchoice.models.growing import (
    attach,
    detach,
    draw,
    first,
    following,
    link,
    other_end,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import probability


@mechanism(
    "duplication",
    "Vázquez et al., ComPlexUs 1:38 (2003), doi:10.1159/000067642",
    p_delete=probability("probability that a copied pair of edges loses one of the two"),
    p_connect=probability("probability that the new node is linked to the node it was copied from"),
)
def dmc(net, new, p_delete, p_connect):
    """Duplication with mutation and complementation.

    The new node copies all links of a random node. For each copied pair of links, with probability
    p_delete one of the two, chosen at random, is lost. The copy is linked to its original with probability
    p_connect.

    Priors: the space ``duplication`` has those of the paper, from 0.25 to 0.75. The spaces ``mechanisms`` and
    ``all`` have wider ones, because networks with fewer edges than nodes need more deletion.
    """
    copied = int(draw(net) * new)
    before, half = -1, first(net, copied)
    while half >= 0:
        after = following(net, half)
        number = draw(net)
        if number < 0.5 * p_delete:  # the old edge goes and the new one stays: the edge moves
            detach(net, half, before)
            attach(net, half, new)
        else:
            if number >= p_delete:  # both edges stay
                link(net, new, other_end(net, half))
            before = half
        half = after
    if draw(net) < p_connect:
        link(net, copied, new)
