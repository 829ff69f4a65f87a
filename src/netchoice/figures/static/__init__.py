"""Figures drawn with matplotlib, for papers and notebooks."""
