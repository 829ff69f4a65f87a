"""Elements, texts and figures of an HTML page."""

import re
from html.parser import HTMLParser

VOID = {"meta", "input"}


class Outline(HTMLParser):
    """Elements and texts of a page; ``figures`` has the markup of each drawing by its label."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids, self.open, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        drawings = re.findall(r"<svg [^>]*role=\"img\".*?</svg>", text, re.DOTALL)
        labels = [a["aria-label"] for tag, a in self.elements if tag == "svg" and "role" in a]
        self.figures = dict(zip(labels, drawings, strict=True))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if not {"style", "script", "svg"} & set(tags):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def tooltips(drawing):
    """Return the texts that a drawing shows when the pointer is on a marker."""
    return re.findall("<title>(.*?)</title>", drawing)
