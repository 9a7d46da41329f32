"""Frozen values that every layer passes around. They know no store, no clock and no output."""
