"""The columns of an edge list: its header and the two columns of nodes, found by their content."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from netchoice.errors import NetworkFormatError, UsageError
from netchoice.io.text_tables import Table, is_missing, is_number, kind_of
from netchoice.network_objects import END_COLUMN, NODE_COLUMN, plain_name

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
class EdgeColumns:
    """Which line of a table is the first edge, and which columns name nodes."""

    ends: tuple[int, int] = (0, 1)
    header: list[str] | None = None
    start: int = 0  # the position of the first edge among the lines
    guessed: bool = False  # only the names of its columns tell that there is a header
    findings: list[str] = field(default_factory=list)

    def name(self, column: int) -> str:
        """Return the name of a column, or its number from 1."""
        named = self.header is not None and column < len(self.header) and self.header[column]
        return str(named) if named else f"column {column + 1}"


def find_edge_columns(
    table: Table, header: bool | None, names: ColumnNames | None, forced: bool
) -> EdgeColumns:
    """Return the header and the columns of nodes, or raise an error if the table has no edges.

    With ``forced``, a table that looks like no edge list is accepted.
    """
    found, rows = EdgeColumns(), table.sample
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
    named = found.header is not None
    found.findings.append(f"header: yes ({', '.join(rows[0])[:80]})" if named else "header: no")
    rows = rows[found.start :]
    if names is not None:
        found.ends = _named_columns(names, found.header, table)
    elif rows and table.width > 2:
        found.ends = _find_ends(table, found)
        if found.ends != (0, 1):
            found.findings.append(f"nodes: {' and '.join(map(found.name, found.ends))}")
    if not forced and names is None:
        _refuse_other_tables(table, found, rows)
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


def _named_columns(names: ColumnNames, header: list[str] | None, table: Table) -> tuple[int, int]:
    """Return the positions of the columns that the user named, or numbered from 1."""
    plain = [plain_name(cell) for cell in header or ()]
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


def _find_ends(table: Table, found: EdgeColumns) -> tuple[int, int]:
    """Return the columns of nodes of a table with three or more columns."""
    header = [plain_name(cell) for cell in found.header or ()]
    known = [k for k, name in enumerate(header) if NODE_COLUMN.fullmatch(name)]
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


def _all_texts(rows: list[list[str]]) -> Iterator[bool]:
    """Yield whether each of the first columns of lines has texts only."""
    width = min(map(len, rows))
    return (kind_of(row[k] for row in rows) == "texts" for k in range(width))


def _refuse_other_tables(table: Table, found: EdgeColumns, rows: list[list[str]]) -> None:
    """Raise an error if the columns of nodes look like measurements or properties."""
    u, v = found.ends
    rows = [row for row in rows if len(row) > max(u, v)]
    if not rows:
        return
    one, other = ([row[k] for row in rows] for k in found.ends)
    kinds = (kind_of(one), kind_of(other))
    names = " and ".join(map(found.name, found.ends))
    reason = ""
    if table.delimiter is None and table.width > 3 and all(_all_texts(rows)):
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
