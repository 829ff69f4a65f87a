"""Folders in stores such as S3: paths that begin with a protocol, through fsspec.

A path in a store has the methods of :class:`pathlib.Path` (the package universal_pathlib provides them), so
that code which reads, lists and deletes files need not know where they are. Files are written by
:mod:`netchoice.atomic`, which calls :func:`upload`.
"""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from netchoice.errors import NetchoiceError, UsageError, describe_error

#: What the first part of an address names. These stores show a file only when it is complete.
_OBJECT_STORES = {
    "s3": "bucket", "gs": "bucket", "gcs": "bucket",
    "az": "container", "abfs": "container", "abfss": "container", "memory": "folder",
}  # fmt: skip
#: In the others, a file is uploaded under another name and renamed.
_FILE_STORES = dict.fromkeys(("sftp", "ssh", "smb", "hdfs"), "host")
_STORES = _OBJECT_STORES | _FILE_STORES
#: Packages create these if they do not exist, also if the name is misspelt.
_MADE = ("bucket", "container")
#: Paths that a program has taken for local ones have a single slash.
_ADDRESS = re.compile(rf"({'|'.join(_STORES)}):(/+)(?=[^/])", re.IGNORECASE)
#: An address of anything else, and a local path would look different.
_OTHER_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)(::[a-z0-9+.:-]+)?://", re.IGNORECASE)
#: A password may contain slashes.
_PASSWORD = re.compile(r"[^/@]*:.*@", re.DOTALL)


def place(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder: on this machine, or in a store if it begins with a protocol.

    >>> place("tables/a").name, place("memory://tables/a").name
    ('a', 'a')
    """
    if is_store(path):
        return cast(Path, path)
    text = os.fspath(path)
    found = _ADDRESS.match(text)
    if found is None:
        other = _OTHER_ADDRESS.match(text)
        if other is not None and other[1].lower() in _STORES and other[2] is None:
            raise UsageError(f"{text} names no {_STORES[other[1].lower()]}")
        if other is not None:
            raise UsageError(
                f"netchoice cannot use addresses of {other[1]}; expected a path, or an address that "
                f"begins with one of {', '.join(f'{name}://' for name in _STORES)}"
            )
        return Path(path)
    protocol, slashes = found[1].lower(), found[2]
    address, kind = f"{protocol}://{text[found.end() :]}", _STORES[protocol]
    _check_address(address, kind, len(slashes))
    try:
        from upath import UPath
    except ImportError:
        raise UsageError(
            f"{address} is in a store; install netchoice with the extra 'stores': "
            "pip install netchoice[stores]"
        ) from None
    # Another process may write to the folder. Stores of files keep no listings, and refuse the option.
    options = {"use_listings_cache": False} if protocol in _OBJECT_STORES else {}
    try:
        made = UPath(address, **options)
        first = made.path.partition("/")[0]  # without an account
        is_missing = not made.exists() and kind in _MADE and not made.fs.exists(first)
    except ImportError as error:  # the package of this protocol
        raise UsageError(f"cannot use {address}: {error}") from None
    except Exception as error:  # every store has its own errors
        raise UsageError(
            f"cannot reach {address}: {describe_error(error)}; check the address, the network and your "
            "credentials"
        ) from None
    if is_missing:
        raise UsageError(
            f"cannot use {address}: there is no {kind} {first!r}; check the address, or create the {kind}"
        )
    return cast(Path, made)


def _check_address(address: str, kind: str, n_slashes: int) -> None:
    """Refuse an address without a bucket or host, and a password, which messages and files would show."""
    protocol, _, rest = address.partition("://")
    if n_slashes > 2:
        raise UsageError(
            f"{protocol}:{'/' * n_slashes}{rest} names no {kind}; write {protocol}://{kind.upper()}/{rest}"
        )
    if _PASSWORD.match(rest):
        raise UsageError(
            f"an address of {protocol} has a password, which would be printed and kept; remove it, and set "
            f"the environment variable FSSPEC_{protocol.upper()}_PASSWORD"
        )


def is_store(path: Any) -> bool:
    """Return whether a path is in a store."""
    return hasattr(path, "fs") and hasattr(path, "protocol")


def upload(local: Path, path: Path) -> None:
    """Copy a local file to a path in a store; it appears there when it is complete."""
    target: Any = path
    with store_errors():
        if target.protocol in _OBJECT_STORES:
            target.fs.put_file(str(local), target.path)
            return
        partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
        target.fs.put_file(str(local), partial.path)
        target.fs.mv(partial.path, target.path)


@contextlib.contextmanager
def store_errors() -> Iterator[None]:
    """Raise every error of a store as an OSError, which callers report as an error of a disk."""
    try:
        yield
    except (OSError, NetchoiceError):
        raise
    except Exception as error:  # every store has its own errors
        raise OSError(describe_error(error)) from error
