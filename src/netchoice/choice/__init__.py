"""Whole tasks: choose a model, rank and evaluate features, select them on pilots."""
