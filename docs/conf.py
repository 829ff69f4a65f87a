project = "netchoice"
copyright = "2026, the netchoice developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "netchoice"
autodoc_typehints = "description"
autodoc_member_order = "bysource"
exclude_patterns = ["_build"]
