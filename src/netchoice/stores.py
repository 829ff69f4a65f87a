"""Folders in stores such as S3: paths that begin with a protocol, through fsspec.

A path in a store has the methods of :class:`pathlib.Path` (the package universal_pathlib provides them), so
that code which reads, lists and deletes files need not know where they are. Files are written by
:mod:`netchoice.atomic`, which calls :func:`upload`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from netchoice.errors import UsageError

#: Stores that show a file only when it is complete.
_OBJECT_STORES = ("s3", "gs", "gcs", "az", "abfs", "abfss", "memory")
#: Others, in which it is uploaded under another name and renamed.
_FILE_STORES = ("sftp", "ssh", "smb", "hdfs")
#: Stores of buckets; packages create a bucket that does not exist, also if its name is misspelt.
_BUCKETS = ("s3", "gs", "gcs")
#: Paths that a program has taken for local ones have a single slash.
_ADDRESS = re.compile(rf"({'|'.join(_OBJECT_STORES + _FILE_STORES)}):/{{1,2}}(?=[^/])")


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
        return Path(path)
    address = f"{found[1]}://{text[found.end() :]}"
    try:
        from upath import UPath
    except ImportError:
        raise UsageError(
            f"{address} is in a store; install netchoice with the extra 'stores': "
            "pip install netchoice[stores]"
        ) from None
    try:
        made = UPath(address, use_listings_cache=False)  # another process may write to the folder
        bucket = text[found.end() :].partition("/")[0]
        is_missing = not made.exists() and found[1] in _BUCKETS and not made.fs.exists(bucket)
    except ImportError as error:  # the package of this protocol
        raise UsageError(f"cannot use {address}: {error}") from None
    except Exception as error:  # every store has its own errors
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(
            f"cannot reach {address}: {reason}; check the address, the network and your credentials"
        ) from None
    if is_missing:
        raise UsageError(
            f"cannot use {address}: there is no bucket {bucket!r}; check the address, or create the bucket"
        )
    return cast(Path, made)


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
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        target.fs.put_file(str(local), partial.path)
        target.fs.mv(partial.path, target.path)


@contextlib.contextmanager
def store_errors() -> Iterator[None]:
    """Raise every error of a store as an OSError, which callers report as an error of a disk."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # every store has its own errors
        raise OSError(" ".join(str(error).split()) or type(error).__name__) from error
