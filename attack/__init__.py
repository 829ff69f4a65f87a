"""Seeded attacks on netchoice: damaged files, kills, two writers, dying clusters. Run ``make attack``."""
