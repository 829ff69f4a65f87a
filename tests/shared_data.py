"""The folder of networks that are not part of the repository."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
