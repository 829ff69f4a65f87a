"""Entry point of ``python -m netchoice``."""

from netchoice.cli import main

main()
