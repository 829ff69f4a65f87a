"""Take two screenshots of a report: on a desktop and on a phone.

python docs/pictures/make_report.py [FOLDER]

FOLDER is a result folder of `netchoice choose`. Without it, the script runs `netchoice choose` on the
example network, which takes about two minutes. It needs playwright and chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from netchoice import cli
from netchoice.report.build import write_report

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "dmr-network.tsv"
QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Run `netchoice choose` if the folder does not exist, write the report, take the screenshots."""
    with TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch) / "choice"
        if not folder.exists():
            try:
                cli.main(["choose", str(EXAMPLE), "--out", str(folder)])
            except SystemExit as ended:
                if ended.code:
                    raise
        file = write_report(folder, Path(scratch) / "report.html")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
            _take_screenshot(browser, file, (1280, 1700), "report-desktop.png")
            _take_screenshot(browser, file, (390, 1500), "report-phone.png")
            browser.close()


def _take_screenshot(browser: Any, file: Path, size: tuple[int, int], name: str) -> None:
    """Save what a screen of this size shows first."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(file.as_uri())
    page.wait_for_load_state("load")
    page.screenshot(path=str(HERE / name))


if __name__ == "__main__":
    main()
