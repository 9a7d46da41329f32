"""Search over both layers."""
