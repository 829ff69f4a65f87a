"""Damaged matrices in files give an error, never a crash, a hang or a wrong network."""

import io
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netchoice import Graph, read_network
from netchoice.errors import NetworkFormatError
from netchoice.io.matrix_market import FIELDS, SYMMETRIES

SPARSE = ("csr", "csc", "coo")
settings_for_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(path, content):
    """Read a file; return the graph, or the error if it is one clear line."""
    path.write_bytes(content)
    try:
        return read_network(path)[0]
    except NetworkFormatError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
        return error


def archive(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def sparse_arrays(matrix):
    buffer = io.BytesIO()
    scipy.sparse.save_npz(buffer, matrix, compressed=False)
    buffer.seek(0)
    with np.load(buffer) as file:
        return dict(file)


def random_matrix(rng, n, kind="real"):
    matrix = rng.integers(-3, 4, (n, n)) * (rng.random((n, n)) < 0.4)
    return np.abs(matrix) if kind == "unsigned-integer" else matrix * (1 if "int" in kind else 0.1)


# npz


def test_wild_indptr_raises_an_error(tmp_path):
    for indptr in ([0, 40, 2, 2, 2], [0, -5, 2, 2, 2], [0, 2**31 - 1, 2, 2, 2]):
        content = archive(
            format=b"csr",
            shape=[4, 4],
            data=np.ones(2),
            indices=np.int32([1, 2]),
            indptr=np.int32(indptr),
        )
        error = read(tmp_path / "x.npz", content)
        assert "'indptr' has integers from" in str(error)
        assert "expected 0 to 2; save the matrix again" in str(error)


@pytest.mark.parametrize(
    ("format", "change", "message"),
    [
        ("csr", {"indptr": np.int32([0, 2, 1, 4, 4])}, "has 1 decreases; expected 0 to 4"),
        ("csr", {"indptr": np.int32([1, 2, 2, 4, 4])}, "starts at 1"),
        ("csr", {"indptr": np.int32([0, 1, 2, 3, 3])}, "ends at 3"),
        ("csr", {"indptr": np.int32([0, 1, 4])}, "'indptr' has length 3; expected 5"),
        ("csr", {"indptr": np.zeros(5)}, "'indptr' has shape .* float64; expected integers in 1"),
        ("csr", {"indices": np.int32([0, 1, 2, 4])}, "from 0 to 4; expected 0 to 3"),
        ("csc", {"indices": np.uint64([0, 1, 2, 2**64 - 1])}, "to 18446744073709551615"),
        ("csr", {"indices": np.int32([0, 1, 2])}, "'columns' has length 3; expected 4"),
        ("csr", {"data": np.ones((4, 1))}, r"'data' has shape \(4, 1\)"),
        ("csr", {"data": np.array(["a"] * 4)}, "'data' has shape .* expected numbers"),
        ("csr", {"data": np.ones(4) * 1j}, "expected numbers"),
        ("csr", {"shape": [4]}, "square"),
        ("csr", {"shape": [4, 5]}, "square"),
        ("csr", {"shape": [4, 4, 4]}, "square"),
        ("csr", {"shape": [-4, -4]}, "'shape' has integers from -4"),
        ("csr", {"shape": [4.0, np.nan]}, "'shape' has shape"),
        ("csr", {"shape": [2**40, 2**40]}, "'shape' has integers"),
        ("csr", {"format": b"lil"}, "format 'lil'; expected one of csr"),
        ("csr", {"format": [b"csr", b"csr"]}, "format None"),
        ("csr", {"format": b"coo"}, "no array 'row'"),
        ("coo", {"row": np.int32([0, 1, 2, -1])}, "'row' has integers from -1"),
        ("coo", {"col": np.int32([0, 1, 2, 9])}, "'col' has integers from 0 to 9"),
        ("coo", {"col": np.int32([0, 1])}, "'columns' has length 2; expected 4"),
        ("coo", {"coords": np.zeros((3, 4), int)}, "'coords' has length 3; expected 2"),
        (
            "coo",
            {"shape": [2**31 - 2] * 2},
            "nodes and . edges need about .*; expected at most 512 MB",
        ),
    ],
)
def test_damaged_sparse_arrays_raise_one_clear_error(tmp_path, format, change, message):
    matrix = scipy.sparse.coo_array((np.ones(4), ([0, 1, 2, 3], [1, 2, 3, 0])), (4, 4))
    arrays = sparse_arrays(matrix.asformat(format))
    assert isinstance(read(tmp_path / "x.npz", archive(**arrays)), Graph)
    error = read(tmp_path / "x.npz", archive(**arrays | change))
    assert isinstance(error, NetworkFormatError)
    with pytest.raises(NetworkFormatError, match=message):
        raise error


@pytest.mark.parametrize("format", ["bsr", "dia"])
def test_unusual_sparse_formats_are_refused(tmp_path, format):
    arrays = sparse_arrays(scipy.sparse.csr_array(np.eye(4)[::-1]).asformat(format))
    message = str(read(tmp_path / "x.npz", archive(**arrays)))
    assert f"format '{format}'; expected one of csr, csc, coo" in message
    assert "matrix.tocsr()" in message


def test_other_members_of_an_archive_are_not_read(tmp_path):
    """Pickles under other names do no harm, and members that are not arrays give an error."""
    edges = archive(edges=np.array([[0, 1]]), notes=np.array([object()]))
    assert read(tmp_path / "x.npz", edges).n_edges == 1
    with zipfile.ZipFile(tmp_path / "y.npz", "w") as file:
        file.writestr("edges.npy", b"text")
    assert "no array 'edges'" in str(read(tmp_path / "y.npz", (tmp_path / "y.npz").read_bytes()))
    far = archive(edges=np.array([[0, 2**31 - 3]]))
    assert "raise the limit: NETCHOICE_MAX_MEMORY=80GB" in str(read(tmp_path / "x.npz", far))


@pytest.mark.parametrize("format", SPARSE)
def test_sparse_archives_give_the_same_network_as_scipy(tmp_path, format):
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 4, 6, 12):
        for dtype in (bool, np.int8, np.float32, np.float64):
            matrix = scipy.sparse.csr_array(random_matrix(rng, n).astype(dtype))
            matrix = matrix.asformat(format)
            path = tmp_path / "x.npz"
            scipy.sparse.save_npz(path, matrix)
            loaded = scipy.sparse.load_npz(path)
            if not Graph.of(loaded).n_edges:
                with pytest.raises(NetworkFormatError, match="no edges, read as npz"):
                    read_network(path)
                continue
            assert read_network(path)[0] == Graph.of(loaded) == Graph.of(matrix.toarray())


def damaged(rng, array):
    """Return an array with flipped bytes, other values, other length or other type."""
    array = np.array(array)
    way = rng.integers(6)
    wild = [-1, -(2**31), 2**31 - 1, 2**40, 40, 0, 1, 5]
    if way == 0 and array.nbytes:
        content = bytearray(array.tobytes())
        content[rng.integers(len(content))] ^= 1 << rng.integers(8)
        return np.frombuffer(bytes(content), array.dtype).reshape(array.shape)
    if way == 1 and array.ndim:
        return array[: rng.integers(len(array) + 1)]
    if way == 2 and array.dtype.kind != "S":
        return array.astype(rng.choice(["f8", "i1", "u8", "S3", "c16"]))
    if way == 3 and array.ndim:
        return np.concatenate([array, array])
    if way == 4:
        return array.reshape(-1)[rng.permutation(array.size)].reshape(array.shape)
    if array.dtype.kind in "iu" and array.size:
        array = array.astype(np.int64)
        array.flat[rng.integers(array.size)] = rng.choice(wild)
    return array


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("format", SPARSE)
def test_random_damage_to_arrays_raises_no_other_error(tmp_path, format):
    rng = np.random.default_rng(SPARSE.index(format))
    arrays = sparse_arrays(scipy.sparse.csr_array(random_matrix(rng, 6)).asformat(format))
    n_errors = 0
    for _ in range(300):
        names = rng.choice([name for name in arrays if name != "_is_array"], rng.integers(1, 3))
        changes = {name: damaged(rng, arrays[name]) for name in names}
        result = read(tmp_path / "x.npz", archive(**arrays | changes))
        n_errors += not isinstance(result, Graph)
    assert n_errors > 100


def test_random_damage_to_the_bytes_of_an_archive_raises_no_other_error(tmp_path):
    rng = np.random.default_rng(5)
    whole = archive(**sparse_arrays(scipy.sparse.csr_array(random_matrix(rng, 6))))
    for _ in range(300):
        content = bytearray(whole)
        for position in rng.integers(len(content), size=rng.integers(1, 4)):
            content[position] = rng.integers(256)
        read(tmp_path / "x.npz", bytes(content[: rng.choice([len(content), position])]))


# MatrixMarket

BANNER = "%%MatrixMarket matrix coordinate real general\n"
INTEGERS = "%%MatrixMarket matrix coordinate integer general\n3 3 1\n"


def assert_same_as_scipy(path, content):
    expected = Graph.of(scipy.sparse.coo_array(scipy.io.mmread(io.BytesIO(content))))
    found = read(path, content)
    if expected.n_edges:
        assert found == expected
    else:
        assert "no edges, read as mtx" in str(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BANNER + "3 3 2\n1 2 1.5\n2 3 -1e", "line 4: .* found '2 3 -1e'; expected 3 numbers"),
        (BANNER + "3 3 2\n1 2 1.5\n", "found the end of the file after 1 entries; expected 2"),
        (BANNER + "3 3 1\n1 2 1.5\n1 3 1\n", "after 2 entries; expected 1, as the sizes say"),
        (
            BANNER + "3 3 2\n1 2 1.5\n4 1 1\n",
            "line 4: .* found row 4 and column 1; expected integers",
        ),
        (BANNER + "3 3 1\n1 0 1.5\n", "row 1 and column 0"),
        (BANNER + "3 3 1\n1.5 2 1.5\n", "row 1.5 and column 2; expected integers from 1 to 3"),
        (BANNER + "3 3 1\n1 2\n", "found '1 2'; expected 3 numbers"),
        (BANNER + "3 3 2\n1 2\n1 2 3 4\n", "line 3: .* found '1 2'; expected 3 numbers"),
        (BANNER + "3 3 1\n1 2 1\0\n", r"found '1 2 1\\x00'"),
        (BANNER + "3 3 1\n1 2 1_0\n", "found '1 2 1_0'"),
        (BANNER + "3 3 1\n1 2 nan\n", "missing or non-numeric"),
        (BANNER + "3 3\n", "found '3 3'; expected rows, columns, entries as integers"),
        (BANNER + "3 -3 1\n", "found '3 -3 1'"),
        (BANNER + "3 3 1" + "0" * 5000, "expected rows"),
        (BANNER + "3 3 999999999999999\n1 2 1\n", "after 1 entries; expected 999999999999999"),
        (
            BANNER + "2000000000 2000000000 1\n1 2 1\n",
            "nodes and 1 edges need about .*; expected at most",
        ),
        (BANNER + "% no sizes\n", "found no line with sizes"),
        (INTEGERS + "1 2 x\n", "line 3: .* found '1 2 x'; expected 3 numbers"),
        ("%%MatrixMarket matrix coordinate real\n", r"expected %%MatrixMarket matrix coord"),
        ("%%MatrixMarket vector coordinate real general\n", "found '%%MatrixMarket vector"),
        (
            "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
            "expected %%MatrixMarket matrix coordinate .*scipy.sparse.coo_array",
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n",
            "expected %%MatrixMarket matrix coord",
        ),
    ],
)
def test_damaged_matrix_market_raises_one_clear_error(tmp_path, text, message):
    error = read(tmp_path / "x.mtx", text.encode())
    assert isinstance(error, NetworkFormatError)
    with pytest.raises(NetworkFormatError, match=message):
        raise error


@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("field", sorted(FIELDS))
def test_matrix_market_is_read_as_scipy_reads_it(tmp_path, field, symmetry):
    if (field, symmetry) == ("unsigned-integer", "skew-symmetric"):
        pytest.skip("not a valid combination")
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 9):
        content = matrix_market(rng, random_matrix(rng, n, field), field, symmetry)
        assert_same_as_scipy(tmp_path / "x.mtx", content)


def matrix_market(rng, matrix, field, symmetry):
    """Write a matrix; of other symmetries than general, only the part that is stored."""
    n = len(matrix)
    cells = [(i, j) for j in range(n) for i in range(n)]
    if symmetry != "general":
        cells = [(i, j) for i, j in cells if i > j or (i == j and symmetry != "skew-symmetric")]
    cells = [cell for cell in cells if matrix[cell] or rng.random() < 0.1]
    rng.shuffle(cells)
    cells += cells[:2]  # repeated entries
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "% comment", ""]
    lines.append(f"{n} {n} {len(cells)}")
    for i, j in cells:
        value = matrix[i, j]
        numbers = [] if field == "pattern" else [value]
        lines.append(" ".join(map(str, [i + 1, j + 1, *numbers])))
    return ("\n".join(lines) + "\n" * int(rng.integers(3))).encode()


@settings_for_files
@given(data=st.data())
def test_random_values_are_read_as_scipy_reads_them(tmp_path, data):
    real = st.floats(allow_nan=False).map(repr) | st.sampled_from(
        [".5", "5.", "1E3", "-Infinity", "1e999", "0"]
    )
    values = {
        "real": real,
        "integer": st.integers(-(2**63), 2**63 - 1).map(str),
        "unsigned-integer": st.integers(0, 2**64 - 1).map(str),
        "pattern": st.sampled_from(["", "7", "x y"]),
    }
    field = data.draw(st.sampled_from(sorted(values)))
    n = data.draw(st.integers(1, 4))
    # Each cell occurs once, since sums of infinite numbers depend on their order.
    index = st.integers(1, n)
    entries = data.draw(st.dictionaries(st.tuples(index, index), values[field], max_size=6))
    gap = st.sampled_from([" ", "\t", "  "])
    body = "".join(
        f"{data.draw(st.sampled_from(['', ' ', chr(10)]))}{i}{data.draw(gap)}{j} {value}"
        f"{data.draw(st.sampled_from([chr(10), chr(13) + chr(10), ' ' + chr(10)]))}"
        for (i, j), value in entries.items()
    )
    header = f"%%MatrixMarket matrix coordinate {field} general\n{n} {n} {len(entries)}\n"
    assert_same_as_scipy(tmp_path / "x.mtx", (header + body).encode())


def test_unusual_but_valid_matrix_market(tmp_path):
    for text in (
        "\ufeff" + BANNER + "3 3 2\n1 2 1\n2 3 1\n",
        "\n " + BANNER.upper() + "3 3 2\r\n1 2 1\r\n2 3 1",
        BANNER + "%\n\n % x\n3 3 2\n\n1 2 1 0.5 x\n\n2\t3  1 \n\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2 5\n",
        BANNER + "3 3 3\n1 2 1\n2 3 1\n1 3 0.0\n",
        BANNER + "3 3 2\n+1 2 +1\n2 3 1\n",
        BANNER + "3 3 2\n+1 2 +1\n2 3 1 0\n",
    ):
        graph = read(tmp_path / "x.mtx", text.encode())
        assert graph.edges().tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("field", ["real", "integer"])
def test_matrix_market_cut_at_any_byte_raises_no_other_error(tmp_path, field):
    rng = np.random.default_rng(2)
    whole = matrix_market(rng, random_matrix(rng, 6, field), field, "symmetric").rstrip()
    cut = [read(tmp_path / "x.mtx", whole[:length]) for length in range(1, len(whole))]
    last_line = len(whole) - whole.rindex(b"\n") - 1
    assert not any(isinstance(result, Graph) for result in cut[:-last_line])


def test_random_damage_to_matrix_market_raises_no_other_error(tmp_path):
    rng = np.random.default_rng(3)
    for k in range(300):
        field, symmetry = FIELDS[k % len(FIELDS)], SYMMETRIES[k % len(SYMMETRIES)]
        content = bytearray(matrix_market(rng, random_matrix(rng, 5, field), field, symmetry))
        for position in rng.integers(len(content), size=3):
            content[position] = rng.choice(list(b"0123456789 \n%-.e\0x\xff"))
        read(tmp_path / "x.mtx", bytes(content))
