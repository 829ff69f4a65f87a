project = "netchoice"
copyright = "2026, the netchoice developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3  # links such as choose.md#time-limits
html_theme = "furo"
html_title = "netchoice"
autodoc_typehints = "description"
autodoc_member_order = "bysource"
exclude_patterns = ["_build", "joss"]  # joss is an article, not a page
html_static_path = ["_static"]
html_css_files = ["pages.css"]
# Parameters and fields such as "features" have the same name in several classes; Sphinx then does not
# know which field a type description could link to.
suppress_warnings = ["ref.python"]
