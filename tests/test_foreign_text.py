"""Foreign text reaches a terminal, a JSON reader, a spreadsheet or a log as text only."""

import io
import json
import os
import sys

import pytest

from netchoice.cli import main
from netchoice.errors import UsageError, one_line, printable
from netchoice.io import find_networks
from netchoice.stores import place

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp"


def run(*arguments):
    with pytest.raises(SystemExit) as stopped:
        main([*map(str, arguments)])
    return stopped.value.code


def test_terminal_escapes_are_shown_as_codes():
    shown = printable(f"a\tb{ESCAPES}")
    assert shown == "a\tb\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202egnp"
    assert one_line(ESCAPES) == printable(ESCAPES)
    assert printable("Erdős–Rényi λ 蛋白質 😀") == "Erdős–Rényi λ 蛋白質 😀"


def test_line_break_in_the_name_of_a_file_forges_no_line(tmp_path, capsys):
    file = tmp_path / "a\nverdict: forged.tsv"
    file.write_text("a b\nb c\n")
    assert run("show", file) == 0
    assert not [line for line in capsys.readouterr().out.splitlines() if line.startswith("verdict")]


def test_password_in_the_address_of_costs_is_not_printed(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("label,a\n" + "0,1\n1,2\n" * 20)
    assert run("rank", tmp_path / "t.csv", "--costs", "s3://KEY:SECRET@b/x") == 1
    assert "SECRET" not in "".join(capsys.readouterr())


def test_columns_of_an_evaluation_are_no_formulas_and_are_read_again(tmp_path, capsys):
    rows = "".join(f"{i % 2},{i * 7 % 11},{i % 2 * 3 + i % 5}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("label,a,=b\n" + rows)
    out = tmp_path / "out"
    assert run("evaluate", tmp_path / "t.csv", "--method", "jmi", "--out", out) == 0
    cells = [cell for path in out.glob("tables/*.csv") for cell in path.read_text().split(",")]
    assert "'=b" in cells
    assert "=b" not in cells
    assert run("show", out, "--out", tmp_path / "page.html") == 0
    assert "'=b" not in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("net.tsv", f"a{ESCAPES} b{ESCAPES} c d e\nx y\n"),
        ("net.graphml", f"<graphml><{ESCAPES.replace(chr(27), chr(127))}/></graphml>"),
        (f"{ESCAPES.replace('/', '')}.gml", "graph ["),
        (f"{ESCAPES}.tsv", "a b\nb c\nc d\n"),
    ],
)
@pytest.mark.parametrize("option", [(), ("--json",)])
def test_commands_print_no_escapes_of_files(tmp_path, capfd, name, content, option):
    path = tmp_path / name
    path.write_text(content, "utf-8")
    run("show", path, *option)
    printed = "".join(capfd.readouterr())
    assert printed.strip()
    assert not {"\x1b", "\x07", "\x9b", "\x7f", "\u202e"} & {*printed}


def test_json_is_valid_in_every_encoding_of_the_output(tmp_path, monkeypatch):
    path, output = tmp_path / "net😀λ.tsv", io.BytesIO()
    path.write_text("a b\nb c\nc a\n", "utf-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="cp1252"))
    assert run("show", path, "--json") == 0
    sys.stdout.flush()
    assert "😀λ" in json.dumps(json.loads(output.getvalue()), ensure_ascii=False)


@pytest.mark.parametrize(
    "address",
    ["s3://AKIA:SEC/RET@b/x", "sftp://me:pa/ss@h/x", "S3://AKIA:SECRET@b/x", "sftp://me:p@ss@h/x"],
)
def test_passwords_in_addresses_are_refused_and_not_repeated(address):
    with pytest.raises(UsageError, match="has a password") as refused:
        place(address)
    assert not any(
        secret in str(refused.value) for secret in ("SEC", "RET", "pa/ss", "p@ss", "AKIA")
    )


@pytest.mark.parametrize("address", ["http://host/x", "simplecache::s3://bucket/x", "FTP://host/x"])
def test_addresses_that_are_no_stores_are_not_local_folders(address):
    with pytest.raises(UsageError, match="cannot use addresses of"):
        place(address)


def test_stores_are_found_in_capitals():
    pytest.importorskip("upath")
    assert place("MEMORY://a/b") == place("memory://a/b")


def test_a_network_with_another_content_is_another_network(tmp_path):
    """Also if the file has the same name, size and time."""
    path = tmp_path / "net.tsv"
    path.write_text("a b\nb c\nc d\n")
    before, state = find_networks([path]).fingerprint, path.stat()
    assert find_networks([os.path.relpath(path)]).fingerprint == before
    path.write_text("a b\nb c\nc a\n")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert find_networks([path]).fingerprint != before
