"""Data behind the figures, computed without a drawing library."""
