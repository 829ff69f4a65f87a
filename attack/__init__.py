"""Attacks on netchoice: random damage, with a seed, of everything that it reads."""
