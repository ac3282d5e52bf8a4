"""Widgets: layout and paint, no decisions."""
