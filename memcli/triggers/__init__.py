"""Predicates that say whether a pass is due, one file each. They call no model."""
