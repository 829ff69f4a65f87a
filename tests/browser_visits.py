"""Visits to a page in the installed chromium, driven by Playwright."""

import shutil

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DESKTOP, PHONE = (1280, 900), (390, 844)


class Visit:
    """An open page, with its console messages and requests."""

    def __init__(self, browser, file, size=DESKTOP, **options):
        width, height = size
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.messages, self.requests = [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = file.as_uri()
        self.page.goto(self.address)
        self.page.wait_for_load_state("load")

    def check_quiet(self):
        assert self.messages == []
        assert self.requests == [self.address]

    def open_all(self):
        self.page.evaluate(
            "document.querySelectorAll('details').forEach(part => {part.open = true})"
        )
