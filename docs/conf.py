import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # reference.py

project = "netchoice"
copyright = "2026, the netchoice developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3  # links such as answer.md#power
html_theme = "furo"
html_title = "netchoice"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "set_score_request"}  # of scikit-learn, not for users
# Parameters and fields such as "features" have the same name in several classes; Sphinx then does not
# know which field a type description could link to.
suppress_warnings = ["ref.python"]


def claim(role, rawtext, text, lineno, inliner, options=None, content=None):
    """Show a value of ``results/``: {claim}`fit-power-60.rewired`, with a format after a colon."""
    from docutils import nodes
    from reference import claimed

    try:
        return [nodes.Text(claimed(text))], []
    except (LookupError, ValueError) as error:
        message = inliner.reporter.error(str(error), line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]


def setup(app):
    import reference

    app.add_role("claim", claim)
    app.connect("builder-inited", lambda app: reference.write(Path(app.srcdir) / "reference"))
