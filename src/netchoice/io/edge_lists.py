"""Edge lists: the header and the two columns of nodes, found by their content, and the edges."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError, UsageError
from netchoice.io.text_tables import SEPARATORS, Table, is_missing, is_number, kind_of, split_cells
from netchoice.network_objects import END_COLUMN, node_columns, plain_name
from netchoice.units import count

OWN_HEADER = re.compile(r"# netchoice nodes=(\d+)( labels)?")
#: The first line of a bipartite network of KONECT, in which both columns count from 1.
_KONECT = re.compile(r"%\s*bip\b")
#: The first edge is in doubt if at most this share of the edges share no node with others.
_FEW_ALONE = 0.1
_MATRIX_MARKET = re.compile(r"\s*%+MatrixMarket\b", re.IGNORECASE)
#: Names of columns that number the rows.
INDEX_CELL = re.compile(r"(edge|row|unnamed:_0)?_?(id|index|key|no|nr|number)?")
#: Tables with fewer rows are too small for a decision by the distribution of values.
FEW_ROWS = 5
_SHARED, _FEW_VALUES = 0.2, 0.1
#: Words that name the two columns of nodes if a number or letter follows: node1 and node2, person_a and
#: person_b.
_THINGS = frozenset({
    "account", "actor", "address", "agent", "airport", "animal", "atom", "author", "cell", "city",
    "country", "doc", "document", "ensembl", "entity", "entrez", "friend", "gene", "geneid", "host",
    "id", "idx", "index", "individual", "interactor", "item", "key", "label", "locus", "member",
    "n", "name", "neuron", "node", "nodeid", "object", "orf", "p", "page", "paper", "participant",
    "partner", "people", "person", "place", "player", "point", "protein", "region", "residue",
    "roi", "router", "site", "species", "station", "stop", "student", "subject", "symbol", "taxon",
    "term", "token", "uid", "uniprot", "uniprotkb", "user", "v", "vertex", "word",
})  # fmt: skip
#: What follows such a word, or what the whole names are: u and v, i and j.
_PAIRS = ("12", "01", "ab", "ij", "uv", "xy")
#: Words for the two ends of an edge.
_OPPOSITES = frozenset({
    ("source", "target"), ("from", "to"), ("origin", "destination"), ("sender", "receiver"),
    ("sender", "recipient"), ("citing", "cited"), ("follower", "followee"), ("predator", "prey"),
    ("consumer", "resource"), ("caller", "callee"),
})  # fmt: skip
_NOTHING = re.compile(r"(?!)")
#: Usual names of columns of nodes are searched among so many columns, and are shorter than this.
_MOST_COLUMNS, _LONGEST_NAME = 20, 80

ColumnNames = Sequence[int | str]


@dataclass
class Columns:
    """How the lines of a table are split into cells, and which cells name the nodes."""

    header: list[str]  # empty if there is none
    width: int
    delimiter: str | None  # None for spaces
    first_line: int  # the number of the first line with so many cells
    ends: tuple[int, int] = (0, 1)
    graph: int | None = None  # the column of the network's name, if the file has many networks
    start: int = 0  # the position of the first edge among the lines
    may_differ: bool = False  # lines may have other numbers of cells after the nodes
    guessed: bool = False  # only the names of its columns tell that there is a header
    findings: list[str] = field(default_factory=list)

    def name(self, column: int) -> str:
        """Return the name of a column, or its number from 1."""
        named = column < len(self.header) and self.header[column]
        return str(named) if named else f"column {column + 1}"


def parse_edge_list(
    table: Table,
    header: bool | None = None,
    names: ColumnNames | None = None,
    forced: bool = False,
) -> EdgePairs:
    """Parse an edge list: two columns have the names of nodes, others are ignored."""
    own = OWN_HEADER.match(table.first)
    if own:
        return _parse_own(table.lines, table.path, int(own[1]), labelled=bool(own[2]))
    if not table.lines:
        raise NetworkFormatError(
            f"{table.path}: no edges found, only comments; expected two names per line, such as A<tab>B"
        )
    found = find_edge_columns(table, header, names, forced)
    lines = table.lines[found.start :]
    if not lines:
        raise NetworkFormatError(
            f"{table.path}: a header and no edges; expected two names per line"
        )
    ends = node_names(lines, table.path, found)
    flags: dict[str, Any] = {
        "ignored": tuple(found.name(k) for k in range(found.width) if k not in found.ends),
        "findings": tuple(found.findings),
        "weighted": found.width > 2,
    }
    if _KONECT.match(table.first):  # equal names in the two columns are different nodes
        names_of_kinds = [f"{'column 2: ' if k % 2 else ''}{name}" for k, name in enumerate(ends)]
        sizes = (len(set(ends[::2])), len(set(ends[1::2])))
        return number_nodes(names_of_kinds, kinds=sizes, **flags)
    return number_nodes(ends, warnings=_doubts(ends, found, table), **flags)


def _doubts(ends: list[str], found: Columns, table: Table) -> tuple[str, ...]:
    """Return warnings about a line that may be missing, or that may be a header or an edge."""
    if _MATRIX_MARKET.match(table.first) and found.start == 0:
        return ("a MatrixMarket file without its line of sizes; check that it is complete",)
    doubts = comment_doubt(table.doubtful)
    if found.guessed and len(ends) < 2 * FEW_ROWS:
        names = " and ".join(found.header)[:80]
        doubts.append(f"{names} are read as a header; if they are nodes, pass --no-header")
    if found.start == 0 and _is_alone(ends):
        first, second = (repr(end[:40]) for end in ends[:2])
        doubts.append(
            f"{first} and {second} occur on the first line only; if it is a header, pass --header"
        )
    return tuple(doubts)


def comment_doubt(lines: Sequence[tuple[int, str]]) -> list[str]:
    """Return a warning about lines that are read as comments and may be rows, if there are any."""
    if not lines:
        return []
    number, line = lines[0]
    others = f" and {len(lines) - 1} more" * (len(lines) > 1)
    return [
        f"line {number}{others} may be an edge and is read as a comment: {line.strip()[:40]!r}; if its mark "
        "belongs to a name, write the name between quotation marks"
    ]


def _is_alone(ends: list[str]) -> bool:
    """Return whether the first edge is a component of its own, as hardly any other edge is, or all are.

    A line of numbers is no header, and nothing is known if it is the only line.
    """
    if len(ends) < 4 or any(is_number(end) or ends.count(end) > 1 for end in ends[:2]):
        return False
    count = Counter(ends)
    alone = [count[u] == count[v] == 1 for u, v in zip(ends[::2], ends[1::2], strict=True)]
    return sum(alone) <= max(1, _FEW_ALONE * len(alone)) or all(alone)


def node_names(lines: list[tuple[int, str]], path: str, columns: Columns) -> list[str]:
    """Return the names of both ends of each edge."""
    width, delimiter = columns.width, columns.delimiter
    u, v = columns.ends
    names: list[str] = []
    for number, line in lines:
        cells = split_cells(line.strip(), delimiter, f"{path}, line {number}")
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if width < 2:
            raise NetworkFormatError(
                f"{path}: most lines have 1 column separated by {SEPARATORS[delimiter]}, expected 2 or more, "
                "with the names of two nodes; pass another file, or its format"
            )
        if len(cells) != width and not (columns.may_differ and len(cells) > max(u, v)):
            raise NetworkFormatError(
                f"{path}, line {number}: {count(len(cells), 'column')} separated by {SEPARATORS[delimiter]}, "
                f"expected {width} as on line {columns.first_line}; correct the line, put # before it, or "
                "pass another format"
            )
        if not cells[u] or not cells[v]:
            raise NetworkFormatError(
                f"{path}, line {number}: a name is empty; expected a name in columns {u + 1} and {v + 1}"
            )
        names += (cells[u], cells[v])
    return names


def _parse_own(lines: list[tuple[int, str]], path: str, n_nodes: int, labelled: bool) -> EdgePairs:
    """Parse a file of ``write_network``, in which isolated nodes are alone on a line."""
    names: dict[str, None] = {}
    ends: list[str] = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) > 2 or not all(cells):
            raise NetworkFormatError(
                f"{path}, line {number}: {count(len(cells), 'column')} separated by tab; a netchoice edge "
                "list has two names (an edge) or one (a node)"
            )
        names.update(dict.fromkeys(cells))
        if len(cells) == 2:
            ends += cells
    if len(names) != n_nodes:
        raise NetworkFormatError(
            f"{path}: the first line says nodes={n_nodes}, but there are {len(names)}; "
            "the file is incomplete or was edited: write it again, or remove its first line"
        )
    if labelled:
        return number_nodes(ends, names)
    try:
        ids = [int(end) for end in ends]
        if {int(name) for name in names} != set(range(n_nodes)):
            raise ValueError
    except ValueError:
        raise NetworkFormatError(
            f"{path}: the first line says nodes={n_nodes}, so names must be the numbers 0 to "
            f"{n_nodes - 1}; for other names write '# netchoice nodes={n_nodes} labels'"
        ) from None
    return EdgePairs(np.array(ids, np.int64).reshape(-1, 2), n_nodes)


# The header and the columns of nodes


def find_edge_columns(
    table: Table, header: bool | None, names: ColumnNames | None, forced: bool
) -> Columns:
    """Return the header and the columns of nodes, or raise an error if the table has no edges.

    With ``forced``, a table that looks like no edge list is accepted.
    """
    found, rows = Columns([], table.width, table.delimiter, table.lines[0][0]), table.sample
    if has_size_line(table):
        found.start = 1
        found.findings.append(f"the first line is the size of the network: {' '.join(rows[0])}")
    elif header or (header is None and _is_header(table, names)):
        found.start, found.header = 1, rows[0]
        found.guessed = header is None and not (
            names or names_of_ends(rows[0]) in (None, _NOTHING) or _differs(table)
        )
        if len(rows[0]) == table.width - 1:  # R leaves out the name of the column of row names
            found.header = ["", *rows[0]]
        found.width = len(found.header)
    usual = next(k for k, row in enumerate(rows) if len(row) == found.width)
    found.first_line = table.lines[usual][0]
    named = f"yes ({', '.join(rows[0])[:80]})" if found.header else "no"
    found.findings.append(f"header: {named}")
    rows = rows[found.start :]
    if names is not None:
        found.ends = _named_columns(names, found.header, table)
    elif rows and table.width > 2:
        found.ends = _find_ends(table, found)
        if found.ends != (0, 1):
            found.findings.append(f"nodes: {' and '.join(map(found.name, found.ends))}")
    if not forced and names is None:
        _refuse_other_tables(table, found, rows)
    # Lines may have further cells if names cannot be mistaken for two cells.
    complete = [row for row in rows if len(row) > max(found.ends)]
    are_numbers = all(is_number(row[k]) for row in complete for k in found.ends)
    found.may_differ = table.width > 2 and (table.delimiter is not None or are_numbers)
    return found


def has_size_line(table: Table) -> bool:
    """Return whether the first line is the number of nodes, possibly twice, and of edges."""
    first, rest, width = table.sample[0], table.sample[1:], table.width
    if kind_of(first) != "integers" or not 2 <= len(first) <= 3 or width > 3:
        return False
    try:
        *sizes, n_edges = map(int, first)
        largest = max(max(int(row[0]), int(row[1])) for row in rest)
    except (ValueError, IndexError):
        return False
    is_certain = len(first) == 3 and width == 2
    enough = is_certain or len(rest) >= 2 * FEW_ROWS
    return enough and n_edges == len(table.lines) - 1 and largest <= max(sizes)


def _is_header(table: Table, names: ColumnNames | None) -> bool:
    """Return whether the first line has names of columns; docs/input-files.md has this rule."""
    first, rest, width = table.sample[0], table.sample[1:], table.width
    given = {plain_name(str(name)) for name in names or () if not str(name).isdecimal()}
    if given and given <= {*map(plain_name, first)}:
        return True
    if width > 2 and not first[0] and any(row[0] for row in rest):
        return True  # pandas leaves the name of the index empty
    if len(first) < 2 or any(is_number(cell) for cell in first[:2]):
        return False
    alike, below = names_of_ends(first), [plain_name(cell) for row in rest for cell in row[:3]]
    has_usual_names = alike is _NOTHING or (
        alike is not None and bool(below) and not any(map(alike.fullmatch, below))
    )
    if alike is not None and _is_above_numbers(table, from_column=2):
        return True
    return (has_usual_names or _differs(table)) and not _occurs_again(table, first)


def names_of_ends(cells: Sequence[str]) -> re.Pattern[str] | None:
    """Return a pattern if two of the cells are usual names of the columns of nodes, else None.

    If any other cell matches the pattern, the two may be nodes too: node1 and node2, beside node3.

    >>> names_of_ends(["source", "target"]).fullmatch("source7")
    >>> names_of_ends(["Node 1", "Node 2"]).fullmatch("node_7") is not None
    True
    """
    plain = [plain_name(cell) for cell in cells[:_MOST_COLUMNS] if len(cell) < _LONGEST_NAME]
    if len({name for name in plain if END_COLUMN.fullmatch(name)}) > 1:
        return _NOTHING
    for one, other in itertools.combinations(plain, 2):
        words = (one.split("_"), other.split("_"))
        differing = [pair for pair in itertools.zip_longest(*words) if pair[0] != pair[1]]
        if (
            len(differing) == 1
            and differing[0] in _OPPOSITES
            and {*words[0]} & {*words[1]} <= _THINGS
        ):
            return _NOTHING
        stem = one[:-1].rstrip("_")
        is_thing = stem.rpartition("_")[2] in _THINGS or (not stem and one.isalpha())
        if is_thing and stem == other[:-1].rstrip("_") and one[-1:] + other[-1:] in _PAIRS:
            alike = re.compile(rf"{re.escape(stem)}_?(\d+|[a-z])")
            if sum(alike.fullmatch(name) is not None for name in plain) == 2:
                return alike
    return None


def _differs(table: Table) -> bool:
    """Return whether the first line differs from the others as names of columns differ from values."""
    first, rest = table.sample[0], table.sample[1:]
    names = [cell for row in rest for cell in row[:2]]
    with_digits = sum(any(map(str.isdigit, name)) for name in names)
    plain = not any(map(str.isdigit, "".join(first[:2])))
    have_digits = plain and len(rest) >= FEW_ROWS and with_digits >= 0.95 * len(names)
    above = _is_above_numbers(table)
    return above is True or (above is None and have_digits)


def _is_above_numbers(table: Table, from_column: int = 0) -> bool | None:
    """Return whether the first line has texts above columns of numbers.

    Returns False if it has a number above numbers, and None if no column has numbers only.
    """
    first, rest, width = table.sample[0], table.sample[1:], table.width
    shift = width - len(first)  # R leaves out the name of the column of row names
    if shift not in (0, 1):
        return False
    found = None
    for k, cell in enumerate(first[from_column:], from_column):
        kind = kind_of(row[k + shift] for row in rest if k + shift < len(row))
        if kind in ("integers", "decimals") and not is_missing(cell):
            if is_number(cell):
                return False
            found = True
    return found


def _occurs_again(table: Table, first: list[str]) -> bool:
    """Return whether a text of the first line is below in its column, or among the names of nodes."""
    texts = {
        k: cell for k, cell in enumerate(first) if not is_missing(cell) and not is_number(cell)
    }
    ends = {texts[k] for k in range(3) if k in texts}
    for _, line in table.lines[1:]:
        if any(text in line for text in texts.values()):
            cells = table.cells(line, "")
            in_column = any(k < len(cells) and cells[k] == text for k, text in texts.items())
            if in_column or not ends.isdisjoint(cells[:3]):
                return True
    return False


def _named_columns(names: ColumnNames, header: list[str], table: Table) -> tuple[int, int]:
    """Return the positions of the columns that the user named, or numbered from 1."""
    plain = [plain_name(cell) for cell in header]
    positions = []
    for name in names:
        text = str(name)
        if plain_name(text) in plain:
            positions.append(plain.index(plain_name(text)))
        elif text.isdecimal() and 1 <= int(text) <= table.width:
            positions.append(int(text) - 1)
    if len(names) != 2 or len(set(positions)) != 2:
        listed = ", ".join(header) if header else f"1 to {table.width}"
        raise UsageError(
            f"columns {', '.join(map(str, names))}; expected two different columns of {table.path}: "
            f"{listed[:80]}"
        )
    return positions[0], positions[1]


def _find_ends(table: Table, found: Columns) -> tuple[int, int]:
    """Return the columns of nodes of a table with three or more columns."""
    header = [plain_name(cell) for cell in found.header]
    known = node_columns(header)
    if len(known) > 1:
        return known[0], known[1]
    columns = _columns(table.sample[found.start :])
    if not columns:
        return 0, 1
    first = columns[0]
    if len(set(first)) == len(first):
        if len(table.sample) < len(table.lines):
            columns = _columns([row for _, row in table.rows(found.start)])
            first = columns[0]
        if len(set(first)) == len(first) and _is_index(columns, header, table.path):
            return 1, 2
    if _is_time(columns):
        return 1, 2
    between, n_rows = set(columns[1]), len(first)
    is_relation = n_rows >= FEW_ROWS and len(between) <= max(1, _FEW_VALUES * n_rows)
    if is_relation and not _shared(first, columns[1]) and _shared(first, columns[2]) >= _SHARED:
        return 0, 2
    return 0, 1


def _is_index(columns: list[list[str]], header: list[str], path: str) -> bool:
    """Return whether the first of three columns, in which all values differ, numbers the edges."""
    first, second, third = columns
    kinds = [kind_of(column) for column in columns]
    if kinds[1] != kinds[2] or kinds[1] == "decimals":
        return False
    if header and INDEX_CELL.fullmatch(header[0]):
        return True
    if kinds[0] == "integers" and kinds[1] != "integers":
        return True
    left, right = _shared(first, second), _shared(second, third)
    if right >= _SHARED and right >= 2 * left:
        return True
    numbers = list(map(str, range(len(first) + 1)))
    counts = first in (numbers[:-1], numbers[1:])
    if counts and right >= 0.5 and len({*second, *third}) >= FEW_ROWS:
        raise NetworkFormatError(
            f"{path}: the first column counts the rows, and may be the number of the edge or a node; "
            "pass the columns of nodes: --columns 2,3 or --columns 1,2 (in Python: columns=(2, 3))"
        )
    return False


def _is_time(columns: list[list[str]]) -> bool:
    """Return whether the first of three columns has values of its own, and the others share values."""
    first, second, third = columns
    is_pair = kind_of(second) == kind_of(third) != "decimals" and len(first) >= FEW_ROWS
    n_second, n_third = len(set(second)), len(set(third))
    similar = 2 * n_third >= n_second and 2 * n_second >= n_third
    return is_pair and similar and not _shared(first, second) and _shared(second, third) >= _SHARED


def _columns(rows: list[list[str]]) -> list[list[str]]:
    """Return the first three columns of the rows that have so many."""
    return [list(column) for column in zip(*(row[:3] for row in rows if len(row) > 2), strict=True)]


def _shared(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of values of a column that are in another column too."""
    a, b = set(one), set(other)
    return len(a & b) / max(min(len(a), len(b)), 1)


def _refuse_other_tables(table: Table, found: Columns, rows: list[list[str]]) -> None:
    """Raise an error if the columns of nodes look like measurements or properties."""
    u, v = found.ends
    rows = [row for row in rows if len(row) > max(u, v)]
    if not rows:
        return
    one, other = ([row[k] for row in rows] for k in found.ends)
    kinds = (kind_of(one), kind_of(other))
    names = " and ".join(map(found.name, found.ends))
    reason = ""
    first_columns = zip(*rows, strict=False)
    if table.delimiter is None and table.width > 3 and {*map(kind_of, first_columns)} == {"texts"}:
        reason = f"lines such as {' '.join(rows[0])[:40]!r} look like sentences"
    elif "decimals" in kinds:
        reason = f"{names} have decimal numbers, such as {one[0]} and {other[0]}"
    elif set(kinds) == {"texts", "integers"} and len(rows) >= FEW_ROWS:
        reason = f"of {names}, one has texts and the other numbers"
    elif table.width > 2 and len(rows) >= FEW_ROWS and len(set(one)) == len(one):
        values = set(other)
        if len(values) <= _FEW_VALUES * len(rows) or (
            values.isdisjoint(one) and len(values) < len(rows)
        ):
            reason = (
                f"{found.name(u)} has no value twice, and {found.name(v)} looks like a property"
            )
    if reason:
        raise NetworkFormatError(
            f"{table.path}: does not look like a network: {reason}; expected names of nodes; pass the "
            "columns of nodes, for example --columns 2,3 (in Python: columns=(2, 3)), or --format edgelist "
            "to read it as an edge list all the same"
        )
