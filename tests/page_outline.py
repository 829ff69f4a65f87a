"""Elements, texts and data of an HTML page."""

import json
from html.parser import HTMLParser

VOID = {"meta", "input"}


class Outline(HTMLParser):
    """Elements, texts and the embedded data of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids, self.open, self.texts, self.data = [], [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script":
            self.data += data if attributes.get("id") == "data" else ""
        elif tag != "style":
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def check_figures(page):
    """Let Plotly check every property of the figures of a page."""
    import plotly.graph_objects as go

    figures = json.loads(page.data)["figures"]
    assert figures
    for name, found in figures.items():
        for figure in found if isinstance(found, list) else [found]:
            assert figure["data"], name
            go.Figure(data=figure["data"], layout=figure["layout"])
