"""The folder for compiled kernels and cached files if no other folder can be written."""

import os
import stat
import tempfile
from pathlib import Path


def temporary_folder() -> Path | None:
    """Return a folder of this user among the temporary files, or None if there is none.

    Later processes find the same folder. Compiled kernels are loaded from it, so a folder that belongs to
    somebody else, or that others can write to, is not used.
    """
    try:
        path = Path(tempfile.gettempdir()) / f"netchoice-{getattr(os, 'getuid', lambda: 0)()}"
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            return None
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
            return None
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
        return None
    return path
