"""The cache of choosers: simulations that later cohorts use again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from netchoice.errors import NetchoiceError
from netchoice.names import unknown
from netchoice.storage.user_cache import cache_root, cost_files, digest_of
from netchoice.workflows.chooser import Chooser
from netchoice.workflows.run_folder import CHOICE_FILES, RUN, delete_run, find_run, versions
from netchoice.workflows.sizes import Size


def chooser_folder() -> Path:
    """Return the folder of the cache that holds choosers."""
    return cache_root() / "choosers"


def cached_path(chooser: Chooser) -> Path:
    """Return the folder of the cache that holds choosers with these settings."""
    record = {"settings": chooser.record(), "netchoice": versions()["versions"]["netchoice"]}
    name = "".join(c if c.isalnum() else "-" for c in chooser.space.name)
    return chooser_folder() / f"{name}-{digest_of(record)}"


@dataclass(frozen=True)
class CachedChooser:
    """A chooser in the cache.

    ``error`` says why it cannot be used, and is empty otherwise.
    """

    name: str
    path: Path
    models: tuple[str, ...]
    seed: int | None
    sizes: tuple[Size, ...]
    n_bytes: int
    error: str = ""


def cached_choosers() -> list[CachedChooser]:
    """Return the choosers in the cache, by name."""
    folder = chooser_folder()
    try:
        paths = sorted(path for path in folder.iterdir() if (path / RUN).is_file())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NetchoiceError(f"cannot read the cache {folder}: {error.strerror}") from error
    return [_cached(path) for path in paths if _is_chooser(path) is not False]


def _is_chooser(path: Path) -> bool | None:
    """Return whether a run is a chooser, and not the answer for one network; None if it is damaged."""
    try:
        return "match" in (find_run(path, CHOICE_FILES) or {})
    except NetchoiceError:
        return None


def _cached(path: Path) -> CachedChooser:
    n_bytes = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    try:
        chooser = Chooser.load(path)
    except NetchoiceError as error:
        return CachedChooser(path.name, path, (), None, (), n_bytes, str(error))
    sizes = tuple(chooser.sizes_)
    return CachedChooser(path.name, path, chooser.space.labels, chooser.seed, sizes, n_bytes)


def clear_cache(names: list[str] | None = None) -> list[str]:
    """Delete choosers of the cache; return their names. By default all, and all measured costs.

    Other files are kept, and so are choosers with a damaged record: they may be files of the user.
    """
    known = {each.name: each.path for each in cached_choosers()}
    for name in names or ():
        if name not in known:
            raise unknown("chooser in the cache", name, known)
    chosen = [name for name in known if _is_chooser(known[name])] if names is None else names
    for path in cost_files() if names is None else ():
        path.unlink()
    for name in chosen:
        for part in sorted(known[name].iterdir()):
            if part.is_dir() and Size.of_folder(part.name) is not None:
                delete_run(part, CHOICE_FILES)
        delete_run(known[name], CHOICE_FILES)
    return chosen
