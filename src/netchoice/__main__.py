"""``python -m netchoice``."""

from netchoice.cli import main

main()
