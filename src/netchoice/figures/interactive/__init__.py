"""Figures drawn with Plotly, for the report."""
