"""Reproduction of the paper: its experiments, tables, figures, and a verdict on each claim."""
