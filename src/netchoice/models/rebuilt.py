"""Model spaces from their records: which built-in models, with which priors and weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from netchoice.errors import UsageError
from netchoice.models.builtin import get_model
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.edge_bound import bounded_space
from netchoice.models.model import Model
from netchoice.models.space import ModelSpace


def rebuilt_space(record: Mapping[str, Any], given: ModelSpace | None = None) -> ModelSpace:
    """Return the space whose :meth:`ModelSpace.as_dict` is this record.

    ``given`` is needed if its models are not built in: the space, or the space before it was matched. It
    must agree with the record.

    >>> import netchoice
    >>> space = netchoice.get_space("duplication").with_priors({"p_delete": "uniform(0, 1)"})
    >>> rebuilt_space(space.as_dict()).as_dict() == space.as_dict()
    True
    """
    if "match" in record:
        match = record["match"]
        base = rebuilt_space(match["base"], getattr(given, "base", given))
        settings = (match[name] for name in ("n_nodes", "n_edges", "tolerance", "isolated"))
        priors = {each["name"]: each["priors"] for each in record["models"]}
        return MatchedSpace(base, *settings, priors=priors)
    bound = record["models"][0].get("max_edges")
    if bound is not None:
        unbounded = [_without_bound(each) for each in record["models"]]
        return bounded_space(rebuilt_space({**record, "models": unbounded}, given), bound)
    if given is not None:
        if json.loads(json.dumps(given.as_dict())) != json.loads(json.dumps(record)):
            raise UsageError(
                f"the models of the space {given.name} differ from those of the simulations (names, priors "
                "or weights); pass the model space that they were made with"
            )
        return given
    models = [_rebuilt(each) for each in record["models"]]
    return ModelSpace(record["name"], models, [each["weight"] for each in record["models"]])


def _without_bound(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "max_edges"}


def _rebuilt(record: Mapping[str, Any]) -> Model:
    try:
        model = get_model(record["name"])
    except UsageError as error:
        raise UsageError(
            f"the model {record['name']} is not built in; pass the model space that holds it "
            "(--space, in Python space=…)"
        ) from error
    priors = {
        name: prior
        for name, prior in record["priors"].items()
        if str(model.parameters[name].prior) != prior
    }
    return model.with_priors(priors)
