"""Valid files of every format, which the attack damages."""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse

_N = 12


def _graph() -> nx.Graph:
    return nx.gnm_random_graph(_N, 22, seed=3)


def _edges() -> list[tuple[int, int]]:
    return [(int(u), int(v)) for u, v in _graph().edges()]


def _lines(lines: Any) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _written(write: Any, graph: Any = None) -> bytes:
    file = io.BytesIO()
    write(_graph() if graph is None else graph, file)
    return file.getvalue()


def _parquet(frame: pd.DataFrame, **options: Any) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file, **options)
    return file.getvalue()


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in files.items():
            file.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def npy_of(array: Any) -> bytes:
    """Return an array as the content of a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@cache
def sparse_arrays() -> dict[str, dict[str, bytes]]:
    """Return the members of .npz files with a sparse matrix in each format, and of other .npz files."""
    matrix = nx.to_scipy_sparse_array(_graph(), format="csr")
    files = {}
    for format in ("csr", "csc", "coo"):
        buffer = io.BytesIO()
        scipy.sparse.save_npz(buffer, matrix.asformat(format), compressed=False)
        with zipfile.ZipFile(buffer) as file:
            files[format] = {name: file.read(name) for name in file.namelist()}
    files["edges"] = {"edges.npy": npy_of(np.array(_edges()))}
    files["adjacency"] = {"adjacency.npy": npy_of(matrix.toarray())}
    return files


@cache
def networks() -> dict[str, list[tuple[str, bytes]]]:
    """Return names and contents of files with one network, by format."""
    graph, edges = _graph(), _edges()
    matrix = nx.to_numpy_array(graph, dtype=int)
    named = nx.relabel_nodes(graph, {i: f"g{i}" for i in range(_N)})
    frame = pd.DataFrame(edges, columns=["source", "target"])
    texts = frame.map(lambda node: f"gene {node}").assign(weight=1.5)
    rows = [" ".join(map(str, row)) for row in matrix.tolist()]
    links = [f"{u + 1} {v + 1}" for u, v in edges]
    coordinate = scipy.sparse.coo_array(matrix)
    entries = zip(coordinate.row + 1, coordinate.col + 1, strict=True)
    banner = "%%MatrixMarket matrix coordinate pattern general"
    weighted = "%%MatrixMarket matrix coordinate real symmetric"
    lower = [f"{max(edge) + 1} {min(edge) + 1} 0.5" for edge in edges]
    cytoscape = {
        "elements": {
            "nodes": [{"data": {"id": str(u)}} for u in range(_N)],
            "edges": [{"data": {"source": str(u), "target": str(v)}} for u, v in edges],
        }
    }
    return {
        "edgelist": [
            ("net.tsv", _lines(f"g{u}\tg{v}" for u, v in edges)),
            ("net.csv", _lines(["source,target,weight", *(f'"g{u}",g{v},0.5' for u, v in edges)])),
            ("net.txt", _lines(["# comment", *(f"{u} {v} {{'weight': 2}}" for u, v in edges)])),
            ("net.tsv", _lines([f"# netchoice nodes={_N}", *(f"{u}\t{v}" for u, v in edges)])),
            ("net.edges", _lines(["% bip unweighted", *(f"{u} {v}" for u, v in edges)])),
        ],
        "adjacency": [
            ("matrix.csv", _lines(",".join(map(str, row)) for row in matrix.tolist())),
            ("matrix.csv", nx.to_pandas_adjacency(named).to_csv().encode()),
        ],
        "incidence": [("incidence.csv", pd.DataFrame(matrix[:7]).add_prefix("c").to_csv().encode())],
        "adjlist": [("net.adjlist", _written(nx.write_adjlist, named))],
        "sif": [("net.sif", _lines(f"g{u} pp g{v}" for u, v in edges))],
        "graphml": [
            ("net.graphml", _written(nx.write_graphml)),
            ("net.graphml", _written(nx.write_graphml, named)),
        ],
        "gml": [("net.gml", _written(nx.write_gml)), ("net.gml", _written(nx.write_gml, named))],
        "gexf": [("net.gexf", _written(nx.write_gexf))],
        "pajek": [
            ("net.net", _written(nx.write_pajek)),
            ("net.net", _lines([f"*Vertices {_N}", "*Matrix", *rows])),
            ("net.net", _lines([f"*Vertices {_N}", "*Arcslist", *links])),
        ],
        "json": [
            ("net.json", json.dumps(nx.node_link_data(graph, edges="links")).encode()),
            ("net.json", json.dumps(nx.adjacency_data(graph)).encode()),
            ("net.json", json.dumps(edges).encode()),
            ("net.json", json.dumps({str(u): list(graph[u]) for u in graph}).encode()),
            ("net.json", json.dumps(cytoscape).encode()),
        ],
        "mtx": [
            ("net.mtx", _lines([banner, f"{_N} {_N} {coordinate.nnz}", *(f"{i} {j}" for i, j in entries)])),
            ("net.mtx", _lines([weighted, f"{_N} {_N} {len(lower)}", *lower])),
        ],
        "npy": [("net.npy", npy_of(np.array(edges))), ("net.npy", npy_of(matrix.astype(float)))],
        "npz": [("net.npz", zip_of(members)) for members in sparse_arrays().values()],
        "parquet": [
            ("net.parquet", _parquet(frame)),
            ("net.parquet", _parquet(texts, compression="gzip")),
            ("net.parquet", _parquet(texts, compression=None, use_dictionary=False)),
        ],
    }  # fmt: skip


@cache
def collections() -> dict[str, dict[str, bytes]]:
    """Return files of many networks, by kind; the first file is the one to open."""
    edges = _edges()
    rows = [f"{i % 3},g{u},g{v}" for i, (u, v) in enumerate(edges)]
    frame = pd.DataFrame([row.split(",") for row in rows], columns=["graph", "source", "target"])
    tu = {
        "TU_A.txt": _lines(f"{u + 1}, {v + 1}" for u, v in edges if u // 6 == v // 6),
        "TU_graph_indicator.txt": _lines(str(1 + u // 6) for u in range(_N)),
        "TU_graph_labels.txt": _lines(["1", "-1"]),
    }
    plain = networks()["edgelist"][0][1]
    return {
        "many networks": {"many.csv": _lines(["graph,source,target", *rows])},
        "manifest": {
            "list.csv": _lines(["path,id,group,age", "a.tsv,a,x,3", "b.tsv,b,y,4", "no.tsv,c,,NA"]),
            "a.tsv": plain,
            "b.tsv": plain,
        },
        "TUDataset": tu,
        "zip": {"networks.zip": zip_of({"a.tsv": plain, "b.gml": networks()["gml"][0][1]})},
        "zip of a TUDataset": {"TU.zip": zip_of(tu)},
        "parquet of many": {"many.parquet": _parquet(frame)},
    }


@cache
def tables() -> dict[str, bytes]:
    """Return users' tables in CSV files, and their costs in CSV and JSON files."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(40, 4)).round(3), columns=list("abcd"))
    frame["e"] = rng.integers(3, size=40)
    label = np.where(frame["a"] + frame["e"] > 1, "yes", "no")
    uses = {
        "own": {"a": 1, "b": 2.5, "c": 0, "d": 4, "e": 1},
        "uses": {"a": ["s"], "b": ["s", "a"]},
    }
    return {
        "table.csv": frame.assign(label=label).to_csv(index=False).encode(),
        "costs.csv": b"name,cost,uses\na,1,s\nb,2.5,s;a\nc,0\nd,4\ne,1\ns,10\n",
        "costs.json": json.dumps({**uses, "steps": {"s": 10}}).encode(),
        "plain.json": json.dumps(uses["own"]).encode(),
    }
