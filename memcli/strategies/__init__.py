"""Consolidation methods, one file each. A strategy reads a view, thinks, and proposes a plan."""
