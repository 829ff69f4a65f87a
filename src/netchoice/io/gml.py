"""The GML format.

networkx is not used here, because its parser takes time that grows with the square of the length of a
line, and nests calls as deeply as the file nests lists.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.io.guard import not_readable

Value = int | float | str
#: A token. The possessive quantifiers (``*+``) never go back, so the time is proportional to the length.
_TOKEN = re.compile(
    r"(?:\s++|\#[^\n]*+)*+"
    r"(?:(?P<number>[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++|INF\b|NAN\b)(?:E[+-]?[0-9]++)?+)"
    r'|(?P<key>[A-Z_]\w*+)|(?P<string>"[^"]*+")|(?P<mark>[\[\]])|(?P<end>\Z))',
    re.IGNORECASE,
)
_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_LISTS = {("", "graph"): "graph", ("graph", "node"): "node", ("graph", "edge"): "edge"}
_PLAIN = {"source", "target", "id", "key"}


Record = dict[str, Value]


def parse_gml(text: str, path: str) -> EdgePairs:
    """Parse GML; nodes by label, or by id if labels are missing or repeated."""
    nodes, edges, directed = _read(text, path)
    ids: list[Value] = [_need(node, "node", "id", i, path) for i, node in enumerate(nodes)]
    if len(set(ids)) < len(ids):
        raise _damage(path, "two nodes with the same id", "different ids")
    labels = [node["label"] for node in nodes if "label" in node]
    named = len(labels) == len(set(labels)) == len(ids)
    names = dict(zip(ids, labels if named else ids, strict=True))
    ends: list[Value] = []
    weighted = False
    for i, edge in enumerate(edges):
        for key in ("source", "target"):
            end = _need(edge, "edge", key, i, path)
            if end not in names:
                raise _damage(path, f"edge {i + 1} with {key} {end!r:.40}", "the id of a node")
            ends.append(names[end])
        weighted |= not edge.keys() <= _PLAIN
    return number_nodes(ends, names.values(), directed=directed, weighted=weighted)


def _need(record: Record, kind: str, key: str, i: int, path: str) -> Value:
    if key not in record:
        raise _damage(path, f"{kind} {i + 1} without {key}", f"{kind} [ {key} … ]")
    return record[key]


def _read(text: str, path: str) -> tuple[list[Record], list[Record], bool]:
    """Return the nodes, the edges and the direction of the one graph; other lists are skipped."""
    records: dict[str, list[Record]] = {"graph": [], "node": [], "edge": []}
    directed = False
    kinds, key = [""], None  # the lists around the position; the key before the value
    for kind, word, position in _tokens(text, path):
        if kind == "key" and key is None:
            key = word.lower()
        elif key is None and word == "]" and len(kinds) > 1:
            kinds.pop()
        elif key is None or word == "]" or kind == "key":
            expected = "a key such as node" if key is None else f"a value of {key[:40]}"
            raise _damage(_at(path, text, position), repr(word[:40]), expected)
        elif word == "[":
            kinds.append(_LISTS.get((kinds[-1], key), "other"))
            if kinds[-1] in records:
                records[kinds[-1]].append({})
            key = None
        else:
            if kinds[-1] in ("node", "edge"):
                records[kinds[-1]][-1][key] = _value(kind, word, text, position, path)
            elif (kinds[-1], key) == ("graph", "directed"):
                directed = word not in ("0", '"0"')
            key = None
    if len(kinds) > 1 or key is not None:
        raise _damage(path, "the end of the file inside a list", "]")
    if len(records["graph"]) != 1:
        raise _damage(path, f"{len(records['graph'])} graphs", "one list: graph [ … ]")
    return records["node"], records["edge"], directed


def _tokens(text: str, path: str) -> Iterator[tuple[str, str, int]]:
    """Yield the kind, the text and the position of each token."""
    position = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            found = text[position:].lstrip()[:20]
            expected = "a key, a number, a text or a list"
            raise _damage(_at(path, text, position), repr(found), expected)
        kind = str(token.lastgroup)
        if kind == "end":
            return
        yield kind, token[kind], token.start(kind)
        position = token.end()


def _value(kind: str, word: str, text: str, position: int, path: str) -> Value:
    if kind == "string":
        return html.unescape(word[1:-1]) if "&" in word else word[1:-1]
    if _INTEGER.fullmatch(word):
        return int(word)
    if len(word) > 400:
        found = f"a number of {len(word)} digits"
        raise _damage(_at(path, text, position), found, "fewer digits")
    return float(word)


def _at(path: str, text: str, position: int) -> str:
    return f"{path}, line {text.count(chr(10), 0, position) + 1}"


def _damage(place: str, found: str, expected: str) -> NetworkFormatError:
    return not_readable(place, "GML", f"found {found}; expected {expected}")
